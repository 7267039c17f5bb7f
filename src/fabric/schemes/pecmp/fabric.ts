/**
 * A fabric under P-ECMP, compiled and checked: the matrices of every switch, the layout of the selector, and
 * whether they fit into the switches and the field.
 */
import { fail, given, type Locate } from "../../../base/index.js";
import { FIELD_BITS } from "../../../base/packets/index.js";
import { nodeAt, nodeNamed, type Role, type Topology } from "../../topology/index.js";
import { CODES } from "../codes.js";
import { hashesByTier } from "../hash-settings.js";
import { type CertainOffsets, certainOffsets, isEven } from "./certain-offsets.js";
import {
  type CompiledMatrix,
  type CompiledSwitch,
  compileMatrices,
  distinctMatrices,
  fanOutsOf,
  groupSizes,
  nicCounts,
  type Weights,
} from "./compile.js";
import { type FanOuts, layOut, missingBits, type SelectorLayout } from "./layout.js";
import { alwaysMoves } from "./matrix.js";
import type { PecmpParameters } from "./parameters.js";
import { type OffsetSet, offsetSet, ruleFor } from "./selectors.js";
import { demandOf, SWITCH_MODELS, type SwitchModel, usableSpace } from "./sram.js";

export interface PecmpFabric {
  readonly switches: readonly CompiledSwitch[];
  readonly fanOuts: FanOuts;
  readonly layout: SelectorLayout;
  readonly offsets: OffsetSet;
  readonly weights: Weights;
  /** Whether a next hop may occur several times in its group. */
  readonly isWeighted: boolean;
  /** Where groups differ in size: the pairs of racks with certain offsets. Absent: see `certainIn`. */
  readonly certain?: CertainOffsets;
}

/**
 * Compiles and checks. Throws DiagnosticError: P42201 for groups that exceed a switch's capacity, P42202 for a
 * selector wider than its field, P42203 for offsets that are multiples of a group's size, P42204 for a weight that names
 * no next hop, P42205 for control of next hops in a network without tiers.
 */
export function compileFabric(topology: Topology, parameters: PecmpParameters, locate: Locate): PecmpFabric {
  const weights = readWeights(topology, parameters, locate);
  const switches = compileMatrices(topology, parameters.control, weights);
  checkSpace(topology, switches, parameters, locate);
  const fanOuts = fanOutsOf(topology, switches);
  if (parameters.control !== "offset") {
    const free = topology.nodes.find((node) => node.role === "switch");
    if (free !== undefined) {
      fail(
        CODES.withoutTiers,
        locate(["control"]),
        `control of next hops needs tiers, and "${free.name}" is in none`,
        "give every switch the role tor, leaf or spine, or write control: offset",
      );
    }
  }
  const chosen = chooseOffsets(groupSizes(topology, switches), parameters, locate);
  const isWeighted = hasWeights(weights, switches);
  const certain = isWeighted ? undefined : certainIn(chosen, topology, switches, parameters);
  const offsets = isWeighted
    ? movingOffsets(chosen, topology, switches)
    : { ...chosen, offsets: certain?.offsets ?? chosen.offsets };
  const layout = layOut(parameters.control, parameters.field, parameters.version_bit, fanOuts, offsets.bits);
  if (missingBits(layout) > 0) {
    const { field, bits } = layout;
    const wider = Object.entries(FIELD_BITS).filter(([, width]) => width >= bits);
    fail(
      CODES.selectorTooWide,
      locate(["field"]) ?? locate([]),
      `the selector needs ${bits} bits, but field ${field} has ${FIELD_BITS[field]}`,
      wider.length > 0
        ? `wide enough: ${wider.map(([name, width]) => `${name} (${width})`).join(", ")}`
        : "no field is wide enough: use fewer next hops, or control: offset",
      ...(parameters.weights === "capacity" ? [SMALLER_GROUPS] : []),
    );
  }
  return {
    switches,
    fanOuts,
    layout,
    offsets,
    weights,
    isWeighted,
    ...given({ certain }),
  };
}

/**
 * Offsets of a fabric whose groups differ in size: those of the set that are certain, else all numbers of the same width that are.
 * Undefined where the groups are even, where no offset serves any pair of racks, and where the switches of a tier hash differently.
 */
function certainIn(
  set: OffsetSet,
  topology: Topology,
  switches: readonly CompiledSwitch[],
  parameters: PecmpParameters,
): CertainOffsets | undefined {
  const hasTiers = topology.nodes.every(({ role }) => role !== "switch");
  if (parameters.control !== "offset" || !hasTiers || !hashesByTier(parameters)) return undefined;
  if (isEven(topology, switches)) return undefined;
  const numbers = Array.from({ length: 2 ** set.bits - 1 }, (_, i) => i + 1);
  for (const candidates of [set.offsets, numbers]) {
    const certain = certainOffsets(topology, switches, candidates);
    if (certain === undefined || certain.served.length > 0) return certain;
  }
  return undefined;
}

/** Whether weights differ: weights by capacity may all be equal. */
function hasWeights(weights: Weights, switches: readonly CompiledSwitch[]): boolean {
  if (!("groupMembers" in weights)) return weights.size > 0;
  for (const { ports, matrix } of distinctMatrices(switches))
    if (matrix.base.length !== ports.length) return true;
  return false;
}

/** Throws DiagnosticError P42204 for a weight that names no next hop. */
export function readWeights(
  topology: Topology,
  parameters: Pick<PecmpParameters, "weights" | "group_members">,
  locate: Locate,
): Weights {
  if (parameters.weights === "capacity") return { groupMembers: parameters.group_members };
  const weights = new Map<string, Map<string, number>>();
  for (const [i, [name, neighbour, weight]] of parameters.weights.entries()) {
    const node = nodeNamed(topology, name);
    if (node === undefined || node.role === "host") {
      fail(CODES.weight, locate(["weights", i, 0]), `no switch is called "${name}"`);
    }
    if (!node.ports.some((port) => nodeAt(topology, port.peer).name === neighbour)) {
      fail(CODES.weight, locate(["weights", i, 1]), `"${name}" has no neighbour called "${neighbour}"`);
    }
    const own = weights.get(name) ?? new Map<string, number>();
    weights.set(name, own.set(neighbour, weight));
  }
  return weights;
}

/** The model of switches of a role. */
export function modelOf(parameters: PecmpParameters, role: Exclude<Role, "host">): SwitchModel {
  const model = parameters.switches[role] ?? "trident5";
  return typeof model === "string" ? SWITCH_MODELS[model]! : { name: "its model", ...model };
}

function checkSpace(
  topology: Topology,
  switches: readonly CompiledSwitch[],
  parameters: PecmpParameters,
  locate: Locate,
): void {
  const transactional = parameters.version_bit !== "none";
  const fitting = new Map<Role, readonly CompiledMatrix[]>();
  for (const { node, matrices } of switches) {
    const { name, role } = nodeAt(topology, node);
    if (role === "host" || fitting.get(role) === matrices) continue;
    fitting.set(role, matrices);
    const model = modelOf(parameters, role);
    const space = usableSpace(model, transactional);
    for (const direction of ["up", "down"] as const) {
      const need = demandOf(matrices.filter((m) => m.direction === direction).map((m) => m.matrix));
      for (const what of ["groups", "members"] as const) {
        if (need[what] <= space[what]) continue;
        fail(
          CODES.tooManyGroups,
          locate(["switches", role]) ?? locate(["control"]) ?? locate([]),
          `${name} needs ${need[what]} ECMP ${what} for its ${direction}links, but ${model.name} has ${model[what]}` +
            (transactional ? `, half of them (${space[what]}) for each version` : ""),
          ...advice(parameters),
        );
      }
    }
  }
}

const SMALLER_GROUPS = "a smaller group_members gives smaller groups with less exact weights";

/** Suggestions that reduce the needed capacity. */
function advice({ control, version_bit, weights }: PecmpParameters): string[] {
  const ways: string[] = [];
  if (weights === "capacity") ways.push(SMALLER_GROUPS);
  if (control === "both") ways.push("control: offset needs half as many groups");
  if (version_bit !== "none")
    ways.push("version_bit: none, without transactional updates, doubles the capacity");
  return ways.length > 0 ? ways : ["use fewer next hops, or name another model under switches"];
}

function chooseOffsets(sizes: readonly number[], parameters: PecmpParameters, locate: Locate): OffsetSet {
  const fitting = ruleFor(sizes);
  if (parameters.offsets === "odd" && fitting !== "odd") {
    const odd = sizes.find((size) => ruleFor([size]) !== "odd")!;
    fail(
      CODES.offsets,
      locate(["offsets"]),
      `odd offsets do not fit a group of ${odd} next hops: some lead back to the same next hop`,
      "write offsets: primes (P-ECMP, appendix C)",
    );
  }
  return offsetSet(parameters.offsets === "auto" ? fitting : parameters.offsets, Math.max(2, ...sizes));
}

/**
 * Offsets under weights. A next hop that occurs in several slots of a group may be its own successor, so an offset of appendix
 * C may not move some flows. These are the offsets of the set that move every flow in every switch; if it has
 * none, all numbers of the same width that do; if there are none (not all flows can leave a next hop that has more than half of the
 * weight of its group), the set itself.
 */
function movingOffsets(set: OffsetSet, topology: Topology, switches: readonly CompiledSwitch[]): OffsetSet {
  const matrices = new Set(Array.from(distinctMatrices(switches), ({ matrix }) => matrix));
  const nics = nicCounts(topology);
  const moves = (offset: number) =>
    nics.every((count) => offset % count !== 0) &&
    [...matrices].every((matrix) => alwaysMoves(matrix, 0, offset));
  const numbers = Array.from({ length: 2 ** set.bits - 1 }, (_, i) => i + 1);
  for (const candidates of [set.offsets, numbers]) {
    const offsets = candidates.filter(moves);
    if (offsets.length > 0) return { ...set, offsets };
  }
  return set;
}
