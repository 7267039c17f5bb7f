/**
 * The placement with the stages that a solution of the integer program gives, with all that the program leaves out: gateways, crossbars and
 * the array of SRAM. Where a stage does not hold its units, the fewest of them that it does not hold.
 */
import { defined } from "../../../base/index.js";
import { NO_MEMORY, type TableLayout } from "../memory/layout.js";
import type { FitModel } from "../model/model.js";
import type { Demand } from "./demand.js";
import { crossbarUses } from "./known.js";
import { entriesToPlace, maySplit, type Part, type Placement, type Problem } from "./placement.js";
import { findSequences, gatewaysOf, orderWithin } from "./sequences.js";
import { bytesOfUses, limitsOf, Stage } from "./stage.js";

/** Units that no stage holds together, as far as was tried; `isProven`: by a count of what each of them needs. */
export interface Crowd {
  readonly units: readonly number[];
  readonly isProven: boolean;
}

/** A stage with its units. */
interface Filled {
  readonly stage: Stage;
  /** By unit: its gateway. */
  readonly gateways: ReadonlyMap<number, number>;
  readonly layouts: ReadonlyMap<number, TableLayout>;
}

export class Realizer {
  /** By unit: the condition that can be its gateway. */
  readonly #gatewayOf: readonly (number | undefined)[];

  constructor(readonly problem: Problem) {
    const sequences = findSequences(problem.model);
    this.#gatewayOf = gatewaysOf(problem, sequences, orderWithin(problem, sequences));
  }

  /**
   * @param stagesOf by unit: its stages, more than one for a table that is split
   * @returns undefined where a table that may be split has no room in its stages
   */
  realize(stagesOf: readonly (readonly number[])[]): Placement | Crowd | undefined {
    const { model, conflicts } = this.problem;
    const count = Math.max(0, ...stagesOf.flat().map((stage) => stage + 1));
    const rest = model.units.map(entriesToPlace);
    const parts: Part[] = [];
    const stages: Stage[] = [];
    for (let at = 0; at < count; at++) {
      const here = model.units.filter(({ id }) => defined(stagesOf[id]).includes(at)).map(({ id }) => id);
      const whole = here.filter((id) => defined(stagesOf[id]).length === 1);
      const filled = this.#fill(whole);
      if (filled === undefined) return this.#crowd(whole);
      const { stage, gateways, layouts } = filled;
      for (const id of whole) {
        const entries = defined(rest[id]);
        const layout = defined(layouts.get(id));
        parts.push({
          ...{ unit: defined(model.units[id]), stage: at, layout, entries },
          ...{ gateway: gateways.get(id), spill: undefined },
        });
        rest[id] = 0;
      }
      for (const id of here) {
        if (whole.includes(id) || defined(rest[id]) === 0) continue;
        const part = this.#part(id, defined(rest[id]), stage);
        if (part === undefined) continue;
        stage.add(defined(this.problem.demands[id]), part.layout);
        const { layout, entries } = part;
        parts.push({
          ...{ unit: defined(model.units[id]), stage: at, layout, entries },
          ...{ gateway: undefined, spill: undefined },
        });
        rest[id]! -= entries;
      }
      stages.push(stage);
    }
    if (rest.some((entries) => entries > 0)) return undefined;
    return {
      ...{ parts, unplaced: [], conflicts, method: "exact" },
      stages: stages.map(({ counts }) => ({ ...counts })),
    };
  }

  /** Of all entries of a unit, the cheapest first. */
  #layouts(id: number): readonly TableLayout[] {
    return defined(this.problem.plans[id]).layouts(entriesToPlace(defined(this.problem.model.units[id])));
  }

  #layout(id: number): TableLayout {
    return defined(this.#layouts(id)[0]);
  }

  #part(id: number, rest: number, stage: Stage) {
    const demand = defined(this.problem.demands[id]);
    const plan = defined(this.problem.plans[id]);
    for (const layout of plan.layouts(rest))
      if (stage.exceeded(demand, layout) === undefined) return { layout, entries: rest };
    if (!maySplit(this.problem, id)) return undefined;
    for (const part of plan.parts(rest, stage.free(demand, plan.layout(rest).tcamWidth)))
      if (stage.exceeded(demand, part.layout) === undefined) return part;
    return undefined;
  }

  /** The units as gateways of each other: a condition is that of one table at most, first of one that has a gateway itself. */
  #gateways(units: readonly number[]): Map<number, number> {
    const { demands } = this.problem;
    const gateways = new Map<number, number>();
    const taken = new Set<number>();
    const own = (id: number) => (defined(demands[id]).gateways > 0 ? 0 : 1);
    for (const id of [...units].sort((a, b) => own(a) - own(b) || a - b)) {
      const condition = this.#gatewayOf[id];
      if (condition === undefined || taken.has(condition) || !units.includes(condition)) continue;
      taken.add(condition);
      gateways.set(id, condition);
    }
    return gateways;
  }

  /** A stage with these units, filled in one of several orders; undefined where none suits. */
  #fill(units: readonly number[]): Filled | undefined {
    const { demands, known, target } = this.problem;
    const gateways = this.#gateways(units);
    const merged = new Set(gateways.values());
    const demandOf = (id: number): Demand => {
      const gateway = gateways.get(id);
      const demand = defined(demands[id]);
      return gateway === undefined ? demand : known.withGateway(demand, defined(demands[gateway]));
    };
    const alone = units.filter((id) => !merged.has(id));
    const blocks = (id: number) => this.#layout(id).srams + this.#layout(id).tcams;
    const bytes = (id: number) => bytesOfUses(crossbarUses(demandOf(id), this.#layout(id))).size;
    const orders = [
      (a: number, b: number) => a - b,
      (a: number, b: number) => bytes(b) - bytes(a) || a - b,
      (a: number, b: number) => blocks(b) - blocks(a) || a - b,
    ];
    for (const order of orders) {
      const stage = new Stage(target, known);
      const layouts = new Map<number, TableLayout>();
      const holds = [...alone].sort(order).every((id) => {
        const demand = demandOf(id);
        const layout = this.#layouts(id).find((one) => stage.exceeded(demand, one) === undefined);
        if (layout === undefined) return false;
        stage.add(demand, layout);
        layouts.set(id, layout);
        return true;
      });
      if (!holds) continue;
      for (const condition of merged) layouts.set(condition, NO_MEMORY);
      return { stage, gateways, layouts };
    }
    return undefined;
  }

  /** The fewest of these units that no order fills a stage with, by leaving out one after the other. */
  #crowd(units: readonly number[]): Crowd {
    let left = units;
    for (const id of units) {
      const others = left.filter((other) => other !== id);
      if (this.#fill(others) === undefined) left = others;
    }
    return { units: left, isProven: this.#isProven(left) };
  }

  /** Counts alone say that no stage holds the units, however they stand in it and whatever containers their fields have. */
  #isProven(units: readonly number[]): boolean {
    const { demands, model, plans, target } = this.problem;
    const limits = limitsOf(target);
    const isTernary = (id: number) => defined(plans[id]).match === "ternary";
    const bytesOf = (ids: readonly number[]) => leastBytes(model, ids);
    const conditions = units.filter((id) => defined(model.units[id]).condition !== undefined);
    // Each may be the gateway of another unit.
    const tables = units.filter((id) => conditions.every((one) => one !== id));
    const guarded = tables.filter((id) => conditions.some((one) => model.flow.decides(one, id)));
    const guards = Math.min(
      guarded.length,
      conditions.filter((one) => tables.some((id) => model.flow.decides(one, id))).length,
    );
    const sum = (amount: (id: number) => number) => units.reduce((total, id) => total + amount(id), 0);
    const logical = sum((id) => defined(demands[id]).logicalTables);
    const gateways = sum((id) => defined(demands[id]).gateways);
    const both = Math.min(guards, guarded.filter((id) => defined(demands[id]).gateways > 0).length);
    const exceeds = (amount: number, limit: number | null) => limit !== null && amount > limit;
    return (
      exceeds(bytesOf(units.filter((id) => !isTernary(id))), limits.xbar_bytes_exact) ||
      exceeds(bytesOf(units.filter(isTernary)), limits.xbar_bytes_ternary) ||
      exceeds(logical - guards, limits.logical_tables) ||
      exceeds(gateways - both, limits.gateways)
    );
  }
}

/**
 * Bytes of containers that keys and conditions take at least: bytes of headers as they are, and whole bytes of metadata. Units of which a packet
 * runs one alone, and headers of which it has one alone, may have one place: of these one counts.
 */
function leastBytes({ units, fields, headers, flow, parser }: FitModel, ids: readonly number[]): number {
  const ofHeaders = new Map<string, Set<number>>();
  const bits = new Set<string>();
  for (const id of together(ids, (a, b) => !flow.exclusive(a, b))) {
    const { gress, key, condition } = defined(units[id]);
    for (const { field, lo, width } of [...key.map(({ access }) => access), ...(condition?.compared ?? [])]) {
      const info = fields.get(field);
      const header = info === undefined || info.metadata ? undefined : headers.get(info.header);
      for (let at = lo; at < lo + width; at++) {
        if (info === undefined || header === undefined) bits.add(`${gress} ${field} ${at}`);
        else {
          const bytes = ofHeaders.get(info.header) ?? new Set();
          ofHeaders.set(info.header, bytes.add((header.bits - info.offset - info.width + at) >> 3));
        }
      }
    }
  }
  const present = together([...ofHeaders.keys()], (a, b) => !parser.exclusiveHeaders(a, b));
  return present.reduce((sum, header) => sum + defined(ofHeaders.get(header)).size, Math.ceil(bits.size / 8));
}

/** The first ones that are there together, each with all before it. */
function together<T>(list: readonly T[], areTogether: (a: T, b: T) => boolean): T[] {
  const chosen: T[] = [];
  for (const one of list) if (chosen.every((other) => areTogether(other, one))) chosen.push(one);
  return chosen;
}
