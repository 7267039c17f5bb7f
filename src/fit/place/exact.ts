/**
 * Placement as an integer program, after Jose et al. (NSDI'15, section 4): for each table and stage whether a part
 * of it is there, and for large tables how many units of it. The program leaves out what a linear constraint says
 * badly (crossbar bytes that tables share, hash groups, gateways), so its optimum is a true lower bound; its solution
 * is placed for real and checked before it counts.
 */

import { lowerBounds } from "./bounds.js";
import type { Placement, Problem } from "./placement.js";
import { stageCount } from "./placement.js";
import { maySplit } from "./splitting.js";
import { placeByStages } from "./tofino.js";
import { verifyPlacement } from "./verify.js";

export interface ExactOptions {
  /** Seconds that the solver may take. */
  readonly timeLimit: number;
}

export interface ExactResult {
  readonly placement: Placement;
  readonly stages: number;
  /** No placement has fewer stages. */
  readonly bound: number;
  /** `(stages - bound) / stages`; 0: proven optimal. */
  readonly gap: number;
  readonly status: string;
}

/** Tightens the heuristic's placement; never worse than it, never below the bound. */
export async function placeExactly(
  problem: Problem,
  start: Placement,
  options: ExactOptions,
): Promise<ExactResult> {
  const from = stageCount(start);
  const bound = lowerBounds(problem)[0]?.stages ?? 0;
  const result = (placement: Placement, low: number, status: string): ExactResult => {
    const stages = stageCount(placement);
    const proven = Math.min(low, stages);
    return { placement, stages, bound: proven, gap: stages === 0 ? 0 : (stages - proven) / stages, status };
  };
  if (from <= bound || start.unplaced.length > 0)
    return result(start, bound, "the heuristic meets the bound");
  const highs = await loadSolver();
  let best = start;
  let low = bound;
  // One question a number of stages, from below: each "no" raises the bound, a "yes" is tried for real.
  let left = options.timeLimit;
  for (let stages = bound; stages < from; stages++) {
    if (left <= 0.1) return result(best, low, "time limit");
    const text = feasibilityProgram(problem, stages);
    // The share of the time that is left: later, looser questions tend to be easier.
    const share = Math.max(0.5, left / (from - stages));
    let solution: Solution;
    try {
      solution = highs.solve(text, { time_limit: share, output_flag: false });
    } catch {
      return result(best, low, "the solver gave up");
    }
    left -= share;
    if (solution.Status === "Infeasible") {
      if (low === stages) low = stages + 1;
      continue;
    }
    if (solution.Status !== "Optimal") continue;
    const wanted = readStages(problem, solution.Columns, stages);
    const placed = placeByStages(problem, byStage(problem, wanted), "exact", wanted);
    if (
      verifyPlacement(problem, placed).length === 0 &&
      placed.unplaced.length === 0 &&
      stageCount(placed) < stageCount(best)
    ) {
      best = placed;
      if (stageCount(best) <= stages)
        return result(best, low, low >= stageCount(best) ? "optimal" : "feasible");
    }
  }
  return result(best, low, low >= stageCount(best) ? "optimal" : "feasible");
}

interface Solution {
  readonly Status: string;
  readonly Columns: Readonly<Record<string, { Primal?: number }>>;
}

interface Solver {
  solve(text: string, options: { time_limit: number; output_flag: boolean }): Solution;
}

/** HiGHS, compiled to WebAssembly; loaded only when it is asked for. */
async function loadSolver(): Promise<Solver> {
  const module = (await import("highs")) as unknown as { default: () => Promise<Solver> };
  return module.default();
}

function byStage(problem: Problem, wanted: readonly number[]) {
  return (a: number, b: number) =>
    wanted[a]! - wanted[b]! || problem.graph.below[b]! - problem.graph.below[a]! || a - b;
}

function readStages(
  problem: Problem,
  columns: Readonly<Record<string, { Primal?: number }>>,
  stages: number,
): number[] {
  return problem.model.units.map((unit) => {
    for (let s = 0; s < stages; s++) {
      if ((columns[`x${unit.id}_${s}`]?.Primal ?? 0) > 0.5) return s;
    }
    return 0;
  });
}

/** LP-format text: is there an assignment to this many stages. */
function feasibilityProgram(problem: Problem, stages: number): string {
  const { model, graph, plans, demands, target } = problem;
  const rows: string[] = [];
  const binaries: string[] = [];
  const generals: string[] = [];
  const bounds: string[] = [];
  const units = model.units;
  const split = units.map((unit) => maySplit(problem, unit.id));
  const range = (id: number): [number, number] => [graph.earliest[id]!, stages - 1 - graph.below[id]!];
  const name = (id: number, s: number) => `x${id}_${s}`;
  const sum = (terms: readonly string[]) => terms.join(" + ");
  let row = 0;
  const add = (text: string) => {
    rows.push(` r${row++}: ${text}`);
  };

  for (const unit of units) {
    const { id } = unit;
    const [first, last] = range(id);
    const here: string[] = [];
    for (let s = first; s <= last; s++) {
      here.push(name(id, s));
      binaries.push(name(id, s));
    }
    if (here.length === 0) {
      // More stages than there are: the program has no solution.
      bounds.push(` impossible >= 1`);
      add("impossible <= 0");
      continue;
    }
    if (!split[id]) {
      add(`${sum(here)} = 1`);
      continue;
    }
    add(`${sum(here)} >= 1`);
    const layout = plans[id]!.layout(unit.size);
    const count = layout.tcamWidth > 0 ? layout.tcams / layout.tcamWidth : wordsOf(problem, id);
    const parts: string[] = [];
    for (let s = first; s <= last; s++) {
      const part = `y${id}_${s}`;
      generals.push(part);
      bounds.push(` 0 <= ${part} <= ${count}`);
      parts.push(part);
      add(`${part} - ${count} ${name(id, s)} <= 0`);
    }
    add(`${sum(parts)} >= ${count}`);
  }

  for (const edge of graph.edges) {
    const [fromFirst, fromLast] = range(edge.from);
    const [toFirst, toLast] = range(edge.to);
    if (fromFirst > fromLast || toFirst > toLast) continue;
    if (fromLast + edge.distance <= toFirst) continue;
    if (split[edge.from] || split[edge.to]) {
      for (let s = fromFirst; s <= fromLast; s++) {
        for (let t = toFirst; t <= Math.min(toLast, s + edge.distance - 1); t++) {
          add(`${name(edge.from, s)} + ${name(edge.to, t)} <= 1`);
        }
      }
      continue;
    }
    // By stage s the second has begun only if the first was done by s - distance.
    for (let s = toFirst; s <= toLast; s++) {
      const later: string[] = [];
      for (let t = toFirst; t <= s; t++) later.push(name(edge.to, t));
      const earlier: string[] = [];
      for (let t = fromFirst; t <= Math.min(fromLast, s - edge.distance); t++)
        earlier.push(name(edge.from, t));
      if (earlier.length === fromLast - fromFirst + 1) continue;
      add(`${sum(later)}${earlier.map((term) => ` - ${term}`).join("")} <= 0`);
    }
  }

  for (const unit of units) {
    for (const other of problem.conflicts[unit.id]!) {
      if (other <= unit.id) continue;
      const [aFirst, aLast] = range(unit.id);
      const [bFirst, bLast] = range(other);
      for (let s = Math.max(aFirst, bFirst); s <= Math.min(aLast, bLast); s++) {
        add(`${name(unit.id, s)} + ${name(other, s)} <= 1`);
      }
    }
    for (const other of problem.companions[unit.id]!) {
      if (other <= unit.id) continue;
      for (let s = 0; s < stages; s++) {
        const inA = s >= range(unit.id)[0] && s <= range(unit.id)[1];
        const inB = s >= range(other)[0] && s <= range(other)[1];
        if (inA && inB) add(`${name(unit.id, s)} - ${name(other, s)} = 0`);
        else if (inA) add(`${name(unit.id, s)} = 0`);
        else if (inB) add(`${name(other, s)} = 0`);
      }
    }
  }

  const { per_stage: limit } = target;
  for (let s = 0; s < stages; s++) {
    const terms: Record<string, string[]> = {};
    const use = (resource: string, amount: number, variable: string) => {
      if (amount <= 0) return;
      terms[resource] ??= [];
      terms[resource].push(`${Math.round(amount * 1000) / 1000} ${variable}`);
    };
    const counted = new Set<string>();
    for (const unit of units) {
      const { id } = unit;
      const [first, last] = range(id);
      if (s < first || s > last) continue;
      const x = name(id, s);
      const demand = demands[id]!;
      const layout = plans[id]!.layout(unit.kind === "match" ? unit.size : 1);
      if (split[id]) {
        const y = `y${id}_${s}`;
        if (layout.tcamWidth > 0) use("tcams", layout.tcamWidth, y);
        else use("srams", layout.blocks.match / wordsOf(problem, id), y);
      } else {
        use("srams", layout.srams, x);
        use("map_rams", layout.mapRams, x);
        use("tcams", layout.tcams, x);
      }
      for (const memory of demand.shared) {
        if (counted.has(memory.name) || isSpilled(problem, memory)) continue;
        counted.add(memory.name);
        use("srams", memory.srams, x);
        use("map_rams", memory.mapRams, x);
        use("meter_alus", memory.meterAlus, x);
        use("stats_alus", memory.statsAlus, x);
      }
      if (unit.condition === undefined) use("logical_tables", 1, x);
      use("exact_tables", demand.exactTables, x);
      use("ternary_tables", demand.ternaryTables, x);
      use("hash_dist", unit.hashes.length > 0 ? demand.hashDistribution : 0, x);
      use("meter_alus", demand.meterAlus, x);
      use("stats_alus", demand.statsAlus, x);
      // Two tables that each take more than half of a hash group need two groups.
      const half = (limit.hash_group_bits ?? 0) / 2;
      if (limit.hash_groups !== null && layout.hashBits > half) use("hash_groups", 1, x);
    }
    const limits: Record<string, number | null> = {
      srams: target.sram.blocks,
      map_rams: target.sram.map_rams,
      tcams: target.tcam.blocks,
      logical_tables: limit.logical_tables,
      exact_tables: limit.exact_tables,
      ternary_tables: limit.ternary_tables,
      hash_dist: limit.hash_distribution_units,
      meter_alus: limit.meter_alus,
      stats_alus: limit.stats_alus,
      hash_groups: limit.hash_groups,
    };
    for (const [resource, list] of Object.entries(terms)) {
      const most = limits[resource];
      if (most !== null && most !== undefined) add(`${sum(list)} <= ${most}`);
    }
  }
  return [
    "Minimize",
    " obj: 0 nothing",
    "Subject To",
    ...rows,
    "Bounds",
    ...bounds,
    " 0 <= nothing <= 0",
    "Binaries",
    ` ${binaries.join(" ")}`,
    ...(generals.length > 0 ? ["Generals", ` ${generals.join(" ")}`] : []),
    "End",
    "",
  ].join("\n");
}

function isSpilled(problem: Problem, memory: { kind: string; srams: number }): boolean {
  const { stateful } = problem.target;
  return (
    stateful.spans_stages &&
    memory.kind === "register" &&
    stateful.max_blocks !== null &&
    memory.srams > stateful.max_blocks
  );
}

/** Words of an exact table in the depth of one block: what a split shares out. */
function wordsOf(problem: Problem, id: number): number {
  const layout = problem.plans[id]!.layout(problem.model.units[id]!.size);
  return Math.max(
    1,
    Math.round(layout.entries / (Math.max(1, layout.entriesPerWord) * problem.target.sram.depth)),
  );
}
