/**
 * The estimate of power that the compiler refuses programs by: what a packet on the worst way through the tables of each gress accesses,
 * besides tables that no earlier stage can switch off (p4c, mau/walk_power_graph.cpp). The watts are estimates of a chip that is busy with
 * packets of the worst kind, in all pipes.
 */
import { defined } from "../../../base/index.js";
import { type Thread, threadOf, type Unit } from "../model/model.js";
import type { Part, Placement, Problem } from "../place/placement.js";
import type { Target } from "../target.js";
import { type Accesses, accessesOf } from "./accesses.js";
import type { GressCycles } from "./cycles.js";
import { waysOf, worstWay } from "./ways.js";

type PowerSpec = NonNullable<Target["power"]>;

/** A table in a stage; conditions access nothing. `weight`: its power in the smallest access of the chip. */
export interface PowerUse {
  readonly part: Part;
  readonly accesses: Accesses;
  readonly weight: number;
  /** `worst`: on the worst way; `on`: not on it, but no earlier stage decides in time that it need not look up; `off`: neither. */
  readonly runs: "worst" | "on" | "off";
}

interface GressPower {
  readonly gress: Thread;
  /** In all pipes. */
  readonly watts: number;
  /** Share of packets that the deparser lets in, where the gress takes more cycles than it has room for. */
  readonly share: number;
  readonly tables: readonly PowerUse[];
}

export interface Power {
  readonly watts: number;
  readonly limit: number;
  readonly gresses: readonly GressPower[];
}

/** The estimate for given cycles, of which only those that wait for results let tables be switched off. */
export function powerOf(
  problem: Problem,
  placement: Placement,
  cycles: readonly GressCycles[],
  spec: PowerSpec,
): Power {
  const gresses = cycles.map((one) => gressPower(problem, placement, one, cycles, spec));
  return { watts: gresses.reduce((sum, { watts }) => sum + watts, 0), limit: spec.limit, gresses };
}

function gressPower(
  problem: Problem,
  placement: Placement,
  own: GressCycles,
  all: readonly GressCycles[],
  spec: PowerSpec,
): GressPower {
  const gateways = new Set(placement.parts.map(({ gateway }) => gateway));
  // A condition that is a table's gateway is no table of its own.
  const parts = placement.parts.filter(
    ({ unit, spill }) => threadOf(unit) === own.gress && spill === undefined && !gateways.has(unit.id),
  );
  const accesses = new Map(parts.map((part) => [part, accessesOf(problem, part)]));
  const wattsOf = (part: Part) => accessWatts(defined(accesses.get(part)), spec);
  const worst = worstWay(waysOf(problem, parts), wattsOf);
  const onWay = new Set(worst.parts);
  const { flow } = problem.model;
  const reaches = (from: Unit, to: Unit) => from.id === to.id || flow.reaches(from.id, to.id);
  const on = new Set(
    parts.filter((part) => !onWay.has(part) && isAlwaysOn(part, { parts, onWay, own, all, spec, reaches })),
  );
  let { watts } = worst;
  for (const part of on) watts += wattsOf(part);
  const share = shareOf(own.total, spec);
  const least = Math.min(...Object.values(spec.watts));
  return {
    gress: own.gress,
    watts: spec.pipes * watts * share,
    share,
    tables: parts
      .filter(({ unit }) => unit.kind !== "condition")
      .map((part) => ({
        part,
        accesses: defined(accesses.get(part)),
        weight: wattsOf(part) / least,
        runs: onWay.has(part) ? "worst" : on.has(part) ? "on" : "off",
      })),
  };
}

/** In one pipe. */
function accessWatts(one: Accesses, { watts }: PowerSpec): number {
  return (
    one.sramReads * watts.sram_read +
    one.sramWrites * watts.sram_write +
    one.tcamSearches * watts.tcam_search +
    one.mapReads * watts.map_read +
    one.mapWrites * watts.map_write +
    one.waitingReads * watts.waiting_read +
    one.waitingWrites * watts.waiting_write
  );
}

/** The deparser has room for so many packets in the pipeline, so that a longer one gets fewer of them (Tofino 1). */
function shareOf(cycles: number, { throttle }: PowerSpec): number {
  if (throttle === undefined) return 1;
  const { packets, credit, issue } = throttle;
  return cycles > packets - credit - issue ? Math.min(1, packets / (cycles + issue)) : 1;
}

interface Powered {
  readonly parts: readonly Part[];
  readonly onWay: ReadonlySet<Part>;
  readonly own: GressCycles;
  readonly all: readonly GressCycles[];
  readonly spec: PowerSpec;
  readonly reaches: (from: Unit, to: Unit) => boolean;
}

/** Whether a table that is not on the worst way looks up all the same. */
function isAlwaysOn(part: Part, { parts, onWay, own, all, spec, reaches }: Powered): boolean {
  const { stage } = part;
  const waits = own.stages;
  if (!spec.forwards_results) return defined(waits[stage]).wait !== "match";
  let first = stage;
  while (first > 0 && defined(waits[first]).wait !== "match") first--;
  // Nothing comes before the first stages that would switch a table off.
  if (first === 0) return true;
  // Where the gresses take different times and both wait for results after it, what came before a stage cannot be trusted.
  const ofPackets = all.filter(({ gress }) => gress !== "ghost");
  const next = ofPackets.map(({ stages }) => stages[stage + 1]?.wait ?? "match");
  const times = new Set(ofPackets.map(({ stages }) => defined(stages[stage]).own));
  if (next.every((wait) => wait === "match") && times.size > 1) return true;
  if (first === stage) return false;
  // A table of the stage that waits, off the worst way, may run it.
  return parts.some((one) => one.stage === first && !onWay.has(one) && reaches(one.unit, part.unit));
}
