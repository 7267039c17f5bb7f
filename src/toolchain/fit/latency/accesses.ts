/**
 * Blocks of memory that a table accesses for a packet: what its power is estimated from (p4c, mau/determine_power_usage.cpp). A packet that
 * misses accesses them, too.
 */
import { defined } from "../../../base/index.js";
import type { Attached } from "../model/model.js";
import type { Part, Problem } from "../place/placement.js";

export interface Accesses {
  readonly sramReads: number;
  readonly sramWrites: number;
  readonly tcamSearches: number;
  readonly mapReads: number;
  readonly mapWrites: number;
  /** Of the cells that wait for the end of a packet, whose length they count. */
  readonly waitingReads: number;
  readonly waitingWrites: number;
}

export const NO_ACCESS: Accesses = {
  sramReads: 0,
  sramWrites: 0,
  tcamSearches: 0,
  mapReads: 0,
  mapWrites: 0,
  waitingReads: 0,
  waitingWrites: 0,
};

export const added = (a: Accesses, b: Accesses): Accesses => ({
  sramReads: a.sramReads + b.sramReads,
  sramWrites: a.sramWrites + b.sramWrites,
  tcamSearches: a.tcamSearches + b.tcamSearches,
  mapReads: a.mapReads + b.mapReads,
  mapWrites: a.mapWrites + b.mapWrites,
  waitingReads: a.waitingReads + b.waitingReads,
  waitingWrites: a.waitingWrites + b.waitingWrites,
});

/**
 * The memory by which a part gets the action of a packet. A table without a key has it with ternary entries, unless its actions need the hash
 * distribution or random numbers, which come with exact entries (p4c, mau/tofino/memories.cpp, analyze_tables).
 */
export function lookupOf({ plans }: Problem, { unit, layout }: Part): "exact" | "ternary" | "none" {
  if (layout.match !== "none") return layout.match;
  if (unit.kind === "condition") return "none";
  const { isAddressed, isGateway } = defined(plans[unit.id]);
  if (isAddressed || isGateway) return "exact";
  const isComputed =
    unit.hashes.length > 0 ||
    unit.usesRandom ||
    unit.attached.some(({ address }) => address.inputs.length > 0);
  return isComputed ? "exact" : "ternary";
}

/** What a packet accesses that is in the table of the part. A memory that several tables share counts for each. */
export function accessesOf(problem: Problem, part: Part): Accesses {
  const { demands, plans, target } = problem;
  const { unit, layout } = part;
  const { blocks, match, tcams, wayRams, wordBlocks } = layout;
  let sramReads = 0;
  // A lookup reads one unit of depth of each way, over its width.
  if (match === "exact") sramReads += wayRams.length * wordBlocks;
  const hasIndirection = match === "none" ? lookupOf(problem, part) === "ternary" : blocks.indirection > 0;
  if (hasIndirection) sramReads += 1;
  if (blocks.action > 0)
    sramReads += Math.max(1, Math.ceil((8 * defined(plans[unit.id]).actionBytes) / target.sram.width));
  let used: Accesses = { ...NO_ACCESS, sramReads, tcamSearches: tcams };
  // A meter with colours runs at the end of the packet, and so do the counters beside it.
  const waits = unit.attached.some(
    ({ kind, counts }) => kind === "meter" || (kind === "counter" && counts !== "packets"),
  );
  const shared = new Map(defined(demands[unit.id]).shared.map((one) => [one.name, one]));
  for (const attached of unit.attached) {
    const own =
      attached.index === "direct"
        ? layout.array.alu.find(({ name }) => name === attached.name)?.blocks
        : undefined;
    used = added(used, attachedAccesses(attached, own ?? shared.get(attached.name)?.srams ?? 0, waits));
  }
  const { implementation } = unit;
  if (implementation !== undefined) {
    used = added(used, { ...NO_ACCESS, sramReads: 1 });
    if (implementation.selector !== undefined)
      used = added(used, cells(shared.get(implementation.name)?.mapRams ?? 0));
  }
  return used;
}

function attachedAccesses({ kind }: Attached, blocks: number, waits: boolean): Accesses {
  if (kind === "idle") return { ...NO_ACCESS, sramReads: 1, sramWrites: 1 };
  const one = cells(blocks);
  if (kind !== "meter" && !(kind === "counter" && waits)) return one;
  const waiting = { ...NO_ACCESS, waitingReads: 1, waitingWrites: 1 };
  // Colours are in a map RAM of their own.
  return added(one, kind === "meter" ? { ...waiting, mapReads: 1, mapWrites: 1 } : waiting);
}

/** One block is read and written. Each block has a map RAM, and all of these are read, since any may have the newest copy of the word. */
const cells = (blocks: number): Accesses => ({
  ...NO_ACCESS,
  sramReads: 1,
  sramWrites: 1,
  mapReads: blocks,
  mapWrites: 1,
});
