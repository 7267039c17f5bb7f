/**
 * What each stage of a gress waits for: the results of an earlier one, because it looks up what that one wrote (`match`); its actions alone,
 * because an action needs what they wrote (`action`); or nothing. Found from the containers that the placed tables touch, from each stage
 * back to the last one that waited for results (p4c, determine_power_usage.cpp; table_dependency_graph.cpp, find_mau_dependency).
 */
import { defined } from "../../../base/index.js";
import {
  type Access,
  actionReads,
  type Gress,
  keyReads,
  type Thread,
  threadOf,
  type Unit,
  writesOf,
} from "../model/model.js";
import { containerName, type PhvAllocation } from "../phv/allocation.js";
import type { Placement } from "../place/placement.js";
import type { Target } from "../target.js";

export type Wait = "match" | "action" | "none";

/** Names of containers. */
interface Touched {
  readonly unit: Unit;
  readonly looksUp: ReadonlySet<string>;
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
  readonly looksAtMocha: boolean;
}

type PipelineCycles = NonNullable<Target["pipeline_cycles"]>;

/**
 * By stage of the device.
 * @param reaches whether a packet that was in one unit can be in the other one
 */
export function waitsOf(
  placement: Placement,
  allocation: PhvAllocation,
  thread: Thread,
  {
    stages,
    chip,
    reaches,
  }: {
    readonly stages: number;
    readonly chip: PipelineCycles;
    readonly reaches: (from: Unit, to: Unit) => boolean;
  },
): Wait[] {
  const touched = touchedBy(placement, allocation, thread);
  const waits: Wait[] = [];
  for (let stage = 0; stage < stages; stage++) {
    const own = touched.get(stage) ?? [];
    if (
      stage === 0 ||
      stage === chip.always_waits ||
      (chip.mocha_waits && own.some((one) => one.looksAtMocha))
    ) {
      waits.push("match");
      continue;
    }
    const found: Wait[] = [];
    for (let before = stage - 1; before >= 0; before--) {
      for (const first of touched.get(before) ?? [])
        for (const second of own)
          if (reaches(first.unit, second.unit)) found.push(waitBetween(first, second));
      // What came before has its results in any case.
      if (found.includes("match") || waits[before] === "match") break;
    }
    waits.push(ORDER.find((one) => found.includes(one)) ?? "none");
  }
  return waits;
}

/** The longest first. */
const ORDER: readonly Wait[] = ["match", "action", "none"];

function waitBetween(first: Touched, second: Touched): Wait {
  const meets = (names: ReadonlySet<string>) => [...first.writes].some((name) => names.has(name));
  if (meets(second.looksUp)) return "match";
  return meets(second.reads) || meets(second.writes) ? "action" : "none";
}

/** By stage: what the units in it touch. */
function touchedBy(placement: Placement, allocation: PhvAllocation, thread: Thread): Map<number, Touched[]> {
  const containers = new ContainerIndex(allocation, thread === "egress" ? "egress" : "ingress");
  const found = new Map<number, Touched[]>();
  for (const { unit, stage, spill } of placement.parts) {
    if (threadOf(unit) !== thread || spill !== undefined) continue;
    const operands = unit.attached.flatMap((one) => [...one.operands, ...one.address.inputs]);
    const looks = [...keyReads(unit), ...operands];
    const one: Touched = {
      unit,
      looksUp: containers.of(looks),
      reads: containers.of(actionReads(unit)),
      writes: containers.of(writesOf(unit)),
      looksAtMocha: containers.hasMocha(looks),
    };
    found.set(stage, [...(found.get(stage) ?? []), one]);
  }
  return found;
}

class ContainerIndex {
  readonly #byField = new Map<string, { lo: number; width: number; name: string; isMocha: boolean }[]>();

  constructor({ containers }: PhvAllocation, gress: Gress) {
    for (const container of containers) {
      if (container.gress !== gress) continue;
      const name = containerName(container);
      for (const { field, lo, width } of container.slices) {
        const list = this.#byField.get(field) ?? [];
        list.push({ lo, width, name, isMocha: container.kind === "mocha" });
        this.#byField.set(field, list);
      }
    }
  }

  #placesOf({ field, lo, width }: Access) {
    const places = this.#byField.get(field) ?? [];
    return places.filter((one) => one.lo < lo + width && lo < one.lo + one.width);
  }

  /** A field without a container stands for itself. */
  of(accesses: readonly Access[]): Set<string> {
    const names = new Set<string>();
    for (const access of accesses) {
      const places = this.#placesOf(access);
      if (places.length === 0) names.add(access.field);
      for (const { name } of places) names.add(name);
    }
    return names;
  }

  hasMocha(accesses: readonly Access[]): boolean {
    return accesses.some((access) => this.#placesOf(access).some(({ isMocha }) => isMocha));
  }
}

/** Makes stages of egress wait for results until the gress has the cycles that the chip needs, the first ones first. */
export function padded(
  waits: readonly Wait[],
  least: number,
  cyclesOf: (waits: readonly Wait[]) => number,
): Wait[] {
  const longer = [...waits];
  for (let stage = 0; stage < longer.length && cyclesOf(longer) < least; stage++) longer[stage] = "match";
  return longer;
}

/** The stages that a stage shares its timing with: from the one that waits for results to the last one before the next such one. */
export function chainOf(
  waits: readonly Wait[],
  stage: number,
): { readonly from: number; readonly to: number } {
  let from = stage;
  while (from > 0 && defined(waits[from]) !== "match") from--;
  let to = stage;
  while (to + 1 < waits.length && defined(waits[to + 1]) !== "match") to++;
  return { from, to };
}
