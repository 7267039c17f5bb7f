/**
 * What the placements of one fit ask for again and again, worked out once. It is made with the problem and handed on to every problem that
 * is made of it; it ends with the fit, so that no program sees or keeps what belongs to another.
 */
import type { TableLayout, TablePlan } from "../memory/layout.js";
import type { Unit } from "../model/model.js";
import { ArrayStates } from "./array-states.js";
import type { CrossbarUse } from "./crossbar.js";
import { CrossbarStates, type Uses, usesOf } from "./crossbar-states.js";
import type { Demand } from "./demand.js";

/** What stays of a unit that a part of the problem is without. */
export interface LeftOut {
  readonly unit: Unit;
  readonly plan: TablePlan;
}

export class Known {
  readonly crossbars = new CrossbarStates();
  readonly arrays = new ArrayStates();
  /** By unit, those that were left out once. */
  readonly leftOut = new WeakMap<Unit, LeftOut>();
  /** By demand and by what its layout adds to it. */
  readonly #uses = new WeakMap<Demand, Map<string, Uses>>();
  /** By table and condition. */
  readonly #guarded = new WeakMap<Demand, WeakMap<Demand, Demand>>();

  /** What a table with this layout puts on the exact crossbar. */
  usesOf(demand: Demand, layout: TableLayout): Uses {
    const searches =
      layout.match === "exact" ? layout.searches.map(({ ways, select }) => `${ways} ${select}`).join() : "";
    const known = this.#uses.get(demand) ?? new Map<string, Uses>();
    this.#uses.set(demand, known);
    const uses = known.get(searches) ?? usesOf(crossbarUses(demand, layout));
    known.set(searches, uses);
    return uses;
  }

  /** What a table and the condition that is its gateway need together: the same object for the same two. */
  withGateway(table: Demand, condition: Demand): Demand {
    const known = this.#guarded.get(table) ?? new WeakMap<Demand, Demand>();
    this.#guarded.set(table, known);
    const both = known.get(condition) ?? {
      ...table,
      logicalTables: table.logicalTables + condition.logicalTables - 1,
      gateways: condition.gateways + Math.max(0, table.gateways - 1),
      crossbar: [...table.crossbar, ...condition.crossbar],
    };
    known.set(condition, both);
    return both;
  }
}

/** What a table puts on the exact crossbar, its key first. */
export function crossbarUses({ matchBytes, crossbar }: Demand, layout: TableLayout): CrossbarUse[] {
  if (matchBytes.length === 0 || layout.match !== "exact") return [...crossbar];
  const keys = layout.searches.map((search) => ({ kind: "match" as const, bytes: matchBytes, ...search }));
  return [...keys, ...crossbar];
}
