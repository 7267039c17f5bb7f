/**
 * The P-ECMP compiler (section 3.3): from topology T and policy C it computes the control matrices of all switches.
 * Matrices name next hops by their index in the base group; updates replace these by ports.
 */
import {
  computeRoutes,
  type HopSet,
  nodeAt,
  type Role,
  type RoutingTable,
  type Topology,
} from "../../topology/index.js";
import { singlePort } from "../fabric.js";
import { weightedRoutes } from "../wcmp/weighted-routes.js";
import { type FanOut, type FanOuts, HOPS, type Hop } from "./layout.js";
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
  /** Upward matrices first: so equivalent switches of all pods have the same numbers. */
  readonly matrices: readonly CompiledMatrix[];
  /** By hop set of the routing table; undefined for a hop set with one port or none. */
  readonly ofHops: readonly (CompiledMatrix | undefined)[];
}

/** WCMP weights by switch and neighbour name; a neighbour that is not listed has weight 1. */
type NamedWeights = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** WCMP weights (section 2.3): given by name, or in proportion to the capacity over each next hop, for groups of at most `groupMembers` members. */
export type Weights = NamedWeights | { readonly groupMembers: number };

/** The part that switches of a role with the same hop sets share. */
type Compiled = Pick<CompiledSwitch, "matrices" | "ofHops">;

/** Routes in which the weight of a port is the number of its occurrences in a weighted hop set. */
function routesOf(topology: Topology, weights: Weights): readonly RoutingTable[] {
  return "groupMembers" in weights ? weightedRoutes(topology, weights.groupMembers) : computeRoutes(topology);
}

/** Matrices of all switches, by ascending node index. */
export function compileMatrices(
  topology: Topology,
  control: Control,
  weights: Weights = new Map(),
): CompiledSwitch[] {
  const matrixOf = matrixMaker(control);
  const named = "groupMembers" in weights ? undefined : weights;
  /** By role and hop set, and by role and list of hop sets: switches without weights by name share their matrices. */
  const sets = new Map<Role, Map<HopSet, CompiledMatrix | undefined>>();
  const lists = new Map<Role, Map<readonly HopSet[], Compiled>>();
  return routesOf(topology, weights).map((routing) => {
    const { node, hopSets } = routing;
    const { role, name, ports } = nodeAt(topology, node);
    const own = named?.get(name);
    if (own !== undefined) {
      const weightOf = (port: number) => own.get(nodeAt(topology, ports[port - 1]!.peer).name) ?? 1;
      const { matrices, ofHops } = compileList(hopSets, (hops) =>
        matrixOf(role, hops, hops.ports.map(weightOf)),
      );
      return { node, routing, matrices, ofHops };
    }
    const knownSets = inner(sets, role);
    const knownLists = inner(lists, role);
    let compiled = knownLists.get(hopSets);
    if (compiled === undefined) {
      compiled = compileList(hopSets, (hops) => {
        if (!knownSets.has(hops)) knownSets.set(hops, matrixOf(role, hops));
        return knownSets.get(hops);
      });
      knownLists.set(hopSets, compiled);
    }
    return { node, routing, matrices: compiled.matrices, ofHops: compiled.ofHops };
  });
}

function compileList(
  hopSets: readonly HopSet[],
  matrixOf: (hops: HopSet) => CompiledMatrix | undefined,
): Compiled {
  const ofHops = hopSets.map(matrixOf);
  const towards = (direction: "up" | "down") => ofHops.filter((matrix) => matrix?.direction === direction);
  return { matrices: [...towards("up"), ...towards("down")] as CompiledMatrix[], ofHops };
}

/** Makes the matrix of a hop set; undefined for one with one port or none. Matrices of one shape share their rows. */
function matrixMaker(control: Control) {
  const shapes = new Map<string, { matrix: ControlMatrix; rows: Uint16Array[] }>();
  const shapeOf = (hops: number, weights: readonly number[] | undefined) => {
    const key = weights === undefined ? String(hops) : weights.join(" ");
    let shape = shapes.get(key);
    if (shape === undefined) {
      const matrix = controlMatrix(control, hops, weights);
      shape = { matrix, rows: matrixRows(matrix) };
      shapes.set(key, shape);
    }
    return shape;
  };
  return (role: Role, hops: HopSet, named?: readonly number[]): CompiledMatrix | undefined => {
    if (hops.ports.length === 0 || singlePort(hops) !== undefined) return undefined;
    const { ports, weights } = distinctPorts(hops.ports);
    return {
      direction: hops.direction === "down" ? "down" : "up",
      hop: hopOf(role, hops),
      ports,
      ...shapeOf(ports.length, named ?? weights),
    };
  };
}

/** A weighted hop set repeats a port consecutively; without weights each port occurs once. */
function distinctPorts(ports: readonly number[]): { ports: readonly number[]; weights?: number[] } {
  const counts = new Map<number, number>();
  for (const port of ports) counts.set(port, (counts.get(port) ?? 0) + 1);
  if (counts.size === ports.length) return { ports };
  return { ports: [...counts.keys()], weights: [...counts.values()] };
}

function inner<A, B, C>(map: Map<A, Map<B, C>>, key: A): Map<B, C> {
  let own = map.get(key);
  if (own === undefined) map.set(key, (own = new Map()));
  return own;
}

/** Each matrix of a fabric once: equivalent switches share theirs. */
export function distinctMatrices(switches: readonly CompiledSwitch[]): Set<CompiledMatrix> {
  const lists = new Set(switches.map(({ matrices }) => matrices));
  const found = new Set<CompiledMatrix>();
  for (const list of lists) for (const matrix of list) found.add(matrix);
  return found;
}

/** The kind of hop of a choice; switches without a tier count as leaves. */
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
  for (const { hop, ports, matrix } of distinctMatrices(switches))
    add(hop, matrix.offsetRows > 1 ? matrix.base.length : ports.length);
  return Object.fromEntries(HOPS.flatMap((hop) => (hop in fanOuts ? [[hop, fanOuts[hop]]] : [])));
}

/** Sizes of all groups, NICs of hosts included, ascending. */
export function groupSizes(topology: Topology, switches: readonly CompiledSwitch[]): number[] {
  const sizes = new Set(nicCounts(topology));
  for (const { matrix } of distinctMatrices(switches)) sizes.add(matrix.base.length);
  return [...sizes].sort((a, b) => a - b);
}

/** Numbers of NICs of the hosts that have several, each once. */
export function nicCounts(topology: Topology): number[] {
  const counts = new Set<number>();
  for (const { role, ports } of topology.nodes)
    if (role === "host" && ports.length > 1) counts.add(ports.length);
  return [...counts];
}
