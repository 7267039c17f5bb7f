/**
 * The P-ECMP compiler (section 3.3): from topology T and policy C it computes the control matrices of all switches.
 * Matrices name next hops by their index in the base group; updates replace these by ports.
 */
import {
  computeRoutes,
  type HopSet,
  type Role,
  type RoutingTable,
  type Topology,
} from "../../topology/index.js";
import { singlePort } from "../fabric.js";
import type { FanOut, FanOuts, Hop } from "./layout.js";
import { type Control, type ControlMatrix, controlMatrix, matrixRows } from "./matrix.js";

export interface CompiledMatrix {
  readonly direction: "up" | "down";
  readonly hop: Hop;
  /** Ports of the base group's next hops; cells of the matrix index this list. */
  readonly ports: readonly number[];
  readonly matrix: ControlMatrix;
  /** All rows; shared by matrices of the same shape. */
  readonly rows: readonly Uint16Array[];
}

export interface CompiledSwitch {
  /** Node index. */
  readonly node: number;
  readonly routing: RoutingTable;
  readonly matrices: readonly CompiledMatrix[];
  /** By hop set of the routing table; undefined for a hop set with one port or none. */
  readonly ofHops: readonly (CompiledMatrix | undefined)[];
}

/** WCMP weights by switch and neighbour name; a neighbour that is not named has weight 1. */
export type Weights = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Matrices of all switches, by ascending node index. `tables` are the routes, if they are known already. */
export function compileMatrices(
  topology: Topology,
  control: Control,
  weights: Weights = new Map(),
  tables: readonly RoutingTable[] = computeRoutes(topology),
): CompiledSwitch[] {
  const shapes = new Map<string, { matrix: ControlMatrix; rows: Uint16Array[] }>();
  const shapeOf = (hops: number, hopWeights: readonly number[] | undefined) => {
    const key = hopWeights === undefined ? String(hops) : hopWeights.join(" ");
    let shape = shapes.get(key);
    if (shape === undefined) {
      const matrix = controlMatrix(control, hops, hopWeights);
      shape = { matrix, rows: matrixRows(matrix) };
      shapes.set(key, shape);
    }
    return shape;
  };
  /** By hop sets: switches without weights that share their hop sets share their matrices. */
  const compiledOf = new Map<readonly HopSet[], Pick<CompiledSwitch, "matrices" | "ofHops">>();
  return tables.map((routing) => {
    const { role, name, ports } = topology.nodes[routing.node]!;
    const ownWeights = weights.get(name);
    const twin = ownWeights === undefined ? compiledOf.get(routing.hopSets) : undefined;
    if (twin !== undefined) return { node: routing.node, routing, ...twin };
    const matrices: CompiledMatrix[] = [];
    const ofHops = routing.hopSets.map((hops) => {
      if (hops.ports.length === 0 || singlePort(hops) !== undefined) return undefined;
      const hopWeights =
        ownWeights === undefined
          ? undefined
          : hops.ports.map((port) => ownWeights.get(topology.nodes[ports[port - 1]!.peer]!.name) ?? 1);
      const direction = hops.direction === "down" ? "down" : "up";
      const compiled: CompiledMatrix = {
        direction,
        hop: hopOf(role, hops),
        ports: hops.ports,
        ...shapeOf(hops.ports.length, hopWeights),
      };
      matrices.push(compiled);
      return compiled;
    });
    if (ownWeights === undefined) compiledOf.set(routing.hopSets, { matrices, ofHops });
    return { node: routing.node, routing, matrices, ofHops };
  });
}

/** Which kind of hop a choice is; switches without a tier count as leaves. */
function hopOf(role: Role, hops: HopSet): Hop {
  if (role === "tor") return "tor";
  if (role === "spine") return "spine";
  return hops.direction === "down" ? "legs" : "leaf";
}

/**
 * How many values of a selector lead to different next hops at each kind of hop, NICs of hosts included: the slots of a base
 * group for offsets, and its next hops for control of next hops alone. They differ where weights repeat a next hop.
 */
export function fanOutsOf(topology: Topology, switches: readonly CompiledSwitch[]): FanOuts {
  const fanOuts: Partial<Record<Hop, FanOut>> = {};
  const add = (hop: Hop, size: number) => {
    const { least, most } = fanOuts[hop] ?? { least: size, most: size };
    fanOuts[hop] = { least: Math.min(size, least), most: Math.max(size, most) };
  };
  for (const size of nicCounts(topology)) add("nic", size);
  for (const { matrices } of switches) {
    for (const { hop, ports, matrix } of matrices)
      add(hop, matrix.offsetRows > 1 ? matrix.base.length : ports.length);
  }
  return fanOuts;
}

/** Sizes of all groups, NICs of hosts included, ascending. */
export function groupSizes(topology: Topology, switches: readonly CompiledSwitch[]): number[] {
  const sizes = new Set(nicCounts(topology));
  for (const { matrices } of switches) for (const { matrix } of matrices) sizes.add(matrix.base.length);
  return [...sizes].sort((a, b) => a - b);
}

/** Numbers of NICs of the hosts that have several, each once. */
export function nicCounts(topology: Topology): number[] {
  const counts = topology.nodes.filter(({ role }) => role === "host").map(({ ports }) => ports.length);
  return [...new Set(counts.filter((count) => count > 1))];
}
