/**
 * Memory blocks that a packet accesses in each stage when it runs all tables of it: what power grows with (p4c, determine_power_usage.cpp). An
 * access has no watts here: no published source states them, so this compares stages and programs with each other, and says nothing of a limit.
 */
import { defined } from "../../../base/index.js";
import type { Part, Placement, Problem } from "../place/placement.js";

export interface Accesses {
  readonly sramReads: number;
  readonly sramWrites: number;
  readonly tcamSearches: number;
  readonly mapReads: number;
  readonly mapWrites: number;
}

const NONE: Accesses = { sramReads: 0, sramWrites: 0, tcamSearches: 0, mapReads: 0, mapWrites: 0 };

/** By stage of the placement. A memory that several tables of a stage use is accessed once. */
export function accessesOf(problem: Problem, placement: Placement): Accesses[] {
  return placement.stages.map((_, stage) => {
    const seen = new Set<string>();
    return placement.parts
      .filter((part) => part.stage === stage && part.spill === undefined)
      .map((part) => partAccesses(problem, part, seen))
      .reduce(added, NONE);
  });
}

export const added = (a: Accesses, b: Accesses): Accesses => ({
  sramReads: a.sramReads + b.sramReads,
  sramWrites: a.sramWrites + b.sramWrites,
  tcamSearches: a.tcamSearches + b.tcamSearches,
  mapReads: a.mapReads + b.mapReads,
  mapWrites: a.mapWrites + b.mapWrites,
});

function partAccesses(
  { demands, plans, target }: Problem,
  { unit, layout }: Part,
  seen: Set<string>,
): Accesses {
  const { blocks, match, tcams, mapRams } = layout;
  let sramReads = 0;
  // A lookup reads one unit of depth of each way, over its width.
  if (match === "exact") sramReads += layout.wayRams.length * wayWidth(layout, target.sram.depth);
  if (blocks.indirection > 0) sramReads += 1;
  if (blocks.action > 0)
    sramReads += Math.max(1, Math.ceil((8 * defined(plans[unit.id]).actionBytes) / target.sram.width));
  let used: Accesses = { ...NONE, sramReads, tcamSearches: tcams };
  const access = (maps: number, after: boolean) => {
    // One block is read and written, and every map RAM is read; what counts bytes does so again at the end of the packet.
    const times = after ? 2 : 1;
    used = added(used, {
      sramReads: times,
      sramWrites: times,
      tcamSearches: 0,
      mapReads: maps,
      mapWrites: maps > 0 ? 1 : 0,
    });
  };
  const shared = new Map(defined(demands[unit.id]).shared.map((one) => [one.name, one]));
  for (const { name, kind, index, counts } of unit.attached) {
    if (seen.has(name)) continue;
    seen.add(name);
    const isAfter = kind === "meter" || (kind === "counter" && counts !== "packets");
    if (kind === "idle") used = added(used, { ...NONE, mapReads: 1, mapWrites: 1 });
    else access(index === "direct" ? mapRams : (shared.get(name)?.mapRams ?? 0), isAfter);
  }
  const { implementation } = unit;
  if (implementation !== undefined && !seen.has(implementation.name)) {
    seen.add(implementation.name);
    used = added(used, { ...NONE, sramReads: 1 });
    if (implementation.selector !== undefined) access(shared.get(implementation.name)?.mapRams ?? 0, false);
  }
  return used;
}

/** Blocks side by side of a way: the entries of all ways say how deep these are. */
function wayWidth({ wayRams, entries, entriesPerWord }: Part["layout"], depth: number): number {
  const blocks = wayRams.reduce((sum, one) => sum + one, 0);
  return Math.max(1, Math.round((blocks * depth * entriesPerWord) / Math.max(1, entries)));
}
