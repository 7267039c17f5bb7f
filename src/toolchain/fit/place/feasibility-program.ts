/** The integer program of {@link placeExactly} for a number of stages, in CPLEX LP format. */
import type { TableLayout } from "../memory/layout.js";
import type { Unit } from "../model/model.js";
import { stageFor } from "../model/pragmas.js";
import type { CrossbarUse } from "./crossbar.js";
import type { Turn } from "./flow-turns.js";
import { entriesToPlace, maySplit, type Problem } from "./placement.js";
import { limitsOf } from "./stage.js";

/** Variables: `x<unit>_<stage>` is 1 when a part of the unit is in the stage, `y<unit>_<stage>` its entries, or rows of TCAM blocks, there. */
export class FeasibilityProgram {
  readonly #rows: string[] = [];
  readonly #binaries: string[] = [];
  readonly #integers: string[] = [];
  readonly #bounds: string[] = [];
  /** By unit: the table may be split over stages. */
  readonly #split: readonly boolean[];

  /** Blocks that an entry of a split table takes, by the least that it takes. */
  readonly #share: number;

  /**
   * @param stages number of stages that the placement may take
   * @param turns those of the control flow that count
   * @param share blocks that an entry of a split table takes, by the least that it takes: more than 1 loses placements, and its solutions have room
   */
  constructor(
    readonly problem: Problem,
    readonly stages: number,
    { turns = [], share = 1 }: { turns?: readonly Turn[]; share?: number } = {},
  ) {
    this.#share = share;
    const { units } = problem.model;
    this.#split = units.map((unit) => maySplit(problem, unit.id));
    for (const unit of units) this.#place(unit);
    for (const edge of problem.graph.edges) this.#order(edge);
    for (const unit of units) {
      this.#separate(unit.id);
      this.#keepTogether(unit.id);
    }
    for (let stage = 0; stage < stages; stage++) this.#limitResources(stage);
    this.#takeTurns(turns);
  }

  /** The program as text. It has no objective: any solution will do. */
  text(): string {
    return [
      "Minimize",
      " obj: 0 nothing",
      "Subject To",
      ...this.#rows,
      "Bounds",
      ...this.#bounds,
      " 0 <= nothing <= 0",
      "Binaries",
      ` ${this.#binaries.join(" ")}`,
      ...(this.#integers.length > 0 ? ["Generals", ` ${this.#integers.join(" ")}`] : []),
      "End",
      "",
    ].join("\n");
  }

  /** By unit: the stages that a solution gives it. */
  stagesOf(columns: Readonly<Record<string, { Primal?: number }>>): number[][] {
    return this.problem.model.units.map(({ id }) =>
      stagesBetween(0, this.stages - 1).filter(
        (stage) => (columns[(this.#split[id] ? amountIn : isIn)(id, stage)]?.Primal ?? 0) > 0.5,
      ),
    );
  }

  /** No stage holds all of these units. */
  keepApart(units: readonly number[]): void {
    for (const stage of stagesBetween(0, this.stages - 1)) {
      const isPossible = units.every((id) => {
        const [first, last] = this.#range(id);
        return stage >= first && stage <= last;
      });
      if (isPossible) this.#add(`${sum(units.map((id) => isIn(id, stage)))} <= ${units.length - 1}`);
    }
  }

  #add(text: string): void {
    this.#rows.push(` r${this.#rows.length}: ${text}`);
  }

  /** First and last stage that dependencies leave for a unit. */
  #range(id: number): [first: number, last: number] {
    const { earliest, below } = this.problem.graph;
    const { pragmas } = this.problem.model.units[id]!;
    return [stageFor(pragmas, earliest[id]!), this.stages - 1 - below[id]!];
  }

  /** Every unit is somewhere, and all entries of a split table are. */
  #place({ id }: Unit): void {
    const [first, last] = this.#range(id);
    const here = stagesBetween(first, last).map((stage) => isIn(id, stage));
    if (here.length === 0) {
      // The longest chain has more stages: the program has no solution.
      this.#bounds.push(" impossible >= 1");
      this.#add("impossible <= 0");
      return;
    }
    this.#binaries.push(...here);
    if (!this.#split[id]) {
      this.#add(`${sum(here)} = 1`);
      return;
    }
    this.#add(`${sum(here)} >= 1`);
    const layout = this.#layouts(id)[0]!;
    const isTernary = layout.tcamWidth > 0;
    const count = isTernary ? layout.tcams / layout.tcamWidth : entriesToPlace(this.problem.model.units[id]!);
    const amounts = stagesBetween(first, last).map((stage) => {
      const amount = amountIn(id, stage);
      if (isTernary) this.#integers.push(amount);
      this.#bounds.push(` 0 <= ${amount} <= ${count}`);
      this.#add(`${amount} - ${count} ${isIn(id, stage)} <= 0`);
      return amount;
    });
    this.#add(`${sum(amounts)} >= ${count}`);
  }

  #order({ from, to, distance }: { from: number; to: number; distance: number }): void {
    const [fromFirst, fromLast] = this.#range(from);
    const [toFirst, toLast] = this.#range(to);
    if (fromFirst > fromLast || toFirst > toLast || fromLast + distance <= toFirst) return;
    if (this.#split[from] || this.#split[to]) {
      for (const s of stagesBetween(fromFirst, fromLast)) {
        for (const t of stagesBetween(toFirst, Math.min(toLast, s + distance - 1))) {
          this.#add(`${isIn(from, s)} + ${isIn(to, t)} <= 1`);
        }
      }
      return;
    }
    // By stage s the second has begun only if the first was done by s - distance.
    for (const s of stagesBetween(toFirst, toLast)) {
      const later = stagesBetween(toFirst, s).map((t) => isIn(to, t));
      const earlier = stagesBetween(fromFirst, Math.min(fromLast, s - distance)).map((t) => isIn(from, t));
      if (earlier.length === fromLast - fromFirst + 1) continue;
      this.#add(`${sum(later)}${earlier.map((term) => ` - ${term}`).join("")} <= 0`);
    }
  }

  /** Units that write one container are in different stages. */
  #separate(id: number): void {
    const [first, last] = this.#range(id);
    for (const other of this.problem.conflicts[id]!) {
      if (other <= id) continue;
      const [otherFirst, otherLast] = this.#range(other);
      for (const s of stagesBetween(Math.max(first, otherFirst), Math.min(last, otherLast))) {
        this.#add(`${isIn(id, s)} + ${isIn(other, s)} <= 1`);
      }
    }
  }

  /** Units that use one memory are in the same stage. */
  #keepTogether(id: number): void {
    const inRange = (unit: number, stage: number) => {
      const [first, last] = this.#range(unit);
      return stage >= first && stage <= last;
    };
    for (const other of this.problem.companions[id]!) {
      if (other <= id) continue;
      for (const s of stagesBetween(0, this.stages - 1)) {
        const [here, there] = [inRange(id, s), inRange(other, s)];
        if (here && there) this.#add(`${isIn(id, s)} - ${isIn(other, s)} = 0`);
        else if (here) this.#add(`${isIn(id, s)} = 0`);
        else if (there) this.#add(`${isIn(other, s)} = 0`);
      }
    }
  }

  /** `b<span>_<stage>`: a unit of the span is in this stage or before; `d<span>_<stage>`: none is later; `o<turn>`: the first of two comes first. */
  #takeTurns(turns: readonly Turn[]): void {
    const spans = new Map<string, number>();
    const spanOf = (ids: readonly number[]): number => {
      const key = ids.join();
      const known = spans.get(key);
      if (known !== undefined) return known;
      const span = spans.size;
      spans.set(key, span);
      this.#boundSpan(span, ids);
      return span;
    };
    for (const [turn, { first, second, isOrdered }] of turns.entries()) {
      const [one, other] = [spanOf(first), spanOf(second)];
      if (!isOrdered) this.#binaries.push(`o${turn}`);
      for (const stage of stagesBetween(0, this.stages - 2)) {
        const isBegun = `b${other}_${stage} - d${one}_${stage}`;
        this.#add(isOrdered ? `${isBegun} <= 0` : `${isBegun} + o${turn} <= 1`);
        if (!isOrdered) this.#add(`b${one}_${stage} - d${other}_${stage} - o${turn} <= 0`);
      }
    }
  }

  #boundSpan(span: number, ids: readonly number[]): void {
    for (const stage of stagesBetween(0, this.stages - 2)) {
      const [begun, done] = [`b${span}_${stage}`, `d${span}_${stage}`];
      this.#bounds.push(` 0 <= ${begun} <= 1`, ` 0 <= ${done} <= 1`);
      for (const id of ids) {
        const [first, last] = this.#range(id);
        const before = stagesBetween(first, Math.min(last, stage)).map((at) => isIn(id, at));
        const later = stagesBetween(Math.max(first, stage + 1), last).map((at) => isIn(id, at));
        if (this.#split[id]) {
          for (const x of before) this.#add(`${x} - ${begun} <= 0`);
          for (const x of later) this.#add(`${done} + ${x} <= 1`);
          continue;
        }
        if (before.length > 0) this.#add(`${sum(before)} - ${begun} <= 0`);
        if (later.length > 0) this.#add(`${done} + ${sum(later)} <= 1`);
      }
    }
  }

  #limitResources(stage: number): void {
    const { per_stage: perStage } = this.problem.target;
    const use = new Usage();
    for (const unit of this.problem.model.units) {
      const [first, last] = this.#range(unit.id);
      if (stage >= first && stage <= last) this.#addUse(use, unit, stage);
    }
    const limits: Record<string, number | null> = {
      ...limitsOf(this.problem.target),
      hash_groups: perStage.hash_groups,
    };
    for (const [resource, terms] of use.terms) {
      const limit = limits[resource];
      if (limit !== null && limit !== undefined) this.#add(`${sum(terms)} <= ${limit}`);
    }
  }

  /** What a unit takes of a stage when it, or a part of it, is there. */
  #addUse(use: Usage, unit: Unit, stage: number): void {
    const { problem } = this;
    const { id } = unit;
    const x = isIn(id, stage);
    const demand = problem.demands[id]!;
    const layouts = this.#layouts(id);
    const layout = layouts[0]!;
    if (this.#split[id]) {
      const y = amountIn(id, stage);
      if (layout.tcamWidth > 0) {
        use.add("tcams", layout.tcamWidth, y);
        use.add("srams", Math.min(...layouts.map(blocksOfPart)), x);
      } else use.add("srams", this.#share * blocksOfEntry(layouts), y);
    } else {
      use.add("srams", layout.srams, x);
      use.add("map_rams", layout.mapRams, x);
      use.add("tcams", layout.tcams, x);
    }
    for (const memory of demand.shared) {
      if (use.counted.has(memory.name) || isSpilled(problem, memory)) continue;
      use.counted.add(memory.name);
      use.add("srams", memory.srams, x);
      use.add("map_rams", memory.mapRams, x);
      use.add("meter_alus", memory.meterAlus, x);
      use.add("stats_alus", memory.statsAlus, x);
    }
    if (unit.condition === undefined && demand.logicalTables > 0)
      use.add("logical_tables", layout.logicalTables, x);
    use.add("exact_tables", demand.exactTables, x);
    use.add("ternary_tables", demand.ternaryTables, x);
    use.add("hash_dist_units", demand.crossbar.filter((one) => isOwnUnit(problem, one)).length, x);
    use.add("meter_alus", demand.meterAlus, x);
    use.add("stats_alus", demand.statsAlus, x);
    // Two tables that each take more than half of a hash group need two groups.
    const { hash_groups: groups, hash_group_bits: groupBits } = problem.target.per_stage;
    if (groups !== null && layouts.every(({ hashBits }) => hashBits > (groupBits ?? 0) / 2))
      use.add("hash_groups", 1, x);
  }

  /** Of all entries of a unit, the cheapest first. */
  #layouts(id: number): readonly TableLayout[] {
    return this.problem.plans[id]!.layouts(entriesToPlace(this.problem.model.units[id]!));
  }
}

/** Terms of the sum of each resource in one stage. */
class Usage {
  readonly terms = new Map<string, string[]>();
  /** Shared memories that are already in the sums. */
  readonly counted = new Set<string>();

  add(resource: string, amount: number, variable: string): void {
    if (amount <= 0) return;
    // Rounded down, so that no placement is lost.
    const term = `${Number.isInteger(amount) ? amount : (Math.floor(amount * 1e9) / 1e9).toFixed(9)} ${variable}`;
    const list = this.terms.get(resource);
    if (list === undefined) this.terms.set(resource, [term]);
    else list.push(term);
  }
}

function isIn(id: number, stage: number): string {
  return `x${id}_${stage}`;
}

function amountIn(id: number, stage: number): string {
  return `y${id}_${stage}`;
}

function sum(terms: readonly string[]): string {
  return terms.join(" + ");
}

/** Stages from `first` to `last`, both included. */
function stagesBetween(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

/** The register continues in the next stages, so it takes no memory of the unit's own stage. */
function isSpilled(problem: Problem, memory: { kind: string; srams: number }): boolean {
  const { spans_stages: spans, max_blocks: maxBlocks } = problem.target.stateful;
  return spans && memory.kind === "register" && maxBlocks !== null && memory.srams > maxBlocks;
}

/** Blocks of SRAM that any part of a ternary table takes, for what its entries lead to. */
function blocksOfPart({ blocks }: TableLayout): number {
  return Math.min(1, blocks.indirection) + Math.min(1, blocks.action);
}

/** Least blocks of SRAM for an entry of an exact table, however its parts are packed: of keys, of action data and of direct memories each less than one is not full. */
function blocksOfEntry(layouts: readonly TableLayout[]): number {
  return Math.min(...layouts.map(({ srams, entries }) => Math.max(0, srams - 3) / entries));
}

/** A unit of hash distribution that no other table can share. */
function isOwnUnit({ demands }: Problem, use: CrossbarUse): boolean {
  if (use.kind !== "distribution") return false;
  const equal = demands.filter(({ crossbar }) =>
    crossbar.some((other) => other.kind === "distribution" && other.key === use.key),
  );
  return equal.length === 1;
}
