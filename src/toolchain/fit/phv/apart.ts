/**
 * Values of metadata that no packet has both: they are read and written in different branches alone (p4c, phv/analysis/build_mutex.cpp).
 * Where a packet reads one before it is written, it finds the parser's zero, because nothing on its way writes the other one.
 */
import type { FitModel } from "../model/model.js";
import { keyReads } from "../model/model.js";
import type { GressUse } from "./gress-use.js";

/** A unit that touches a value: in one action, or before its actions. */
interface Touch {
  readonly unit: number;
  readonly action: number | undefined;
}

/** Pairs of values of one gress. */
export class Apart {
  readonly #touches = new Map<string, Touch[]>();
  readonly #known = new Map<string, Map<string, boolean>>();

  constructor(
    readonly model: FitModel,
    readonly use: GressUse,
  ) {
    const add = (field: string, touch: Touch) => {
      const list = this.#touches.get(field);
      if (list === undefined) this.#touches.set(field, [touch]);
      else list.push(touch);
    };
    for (const unit of use.units) {
      for (const { field } of keyReads(unit)) add(field, { unit: unit.id, action: undefined });
      for (const [action, { reads, writes }] of unit.actions.entries())
        for (const { field } of [...reads, ...writes]) add(field, { unit: unit.id, action });
    }
  }

  /** No packet reads or writes both. */
  never(a: string, b: string): boolean {
    const [first, second] = a < b ? [a, b] : [b, a];
    const row = this.#known.get(first) ?? new Map<string, boolean>();
    this.#known.set(first, row);
    let known = row.get(second);
    if (known === undefined) {
      known = this.#find(first, second);
      row.set(second, known);
    }
    return known;
  }

  #find(a: string, b: string): boolean {
    if (a === b || !this.#isInner(a) || !this.#isInner(b)) return false;
    const others = this.#touches.get(b) ?? [];
    return (this.#touches.get(a) ?? []).every((x) => others.every((y) => !this.#meet(x, y)));
  }

  /** Only tables read and write it. */
  #isInner(field: string): boolean {
    const { fields, parser, forDeparser } = this.model;
    const { gress } = this.use;
    const info = fields.get(field);
    if (info === undefined || info.intrinsic || field.endsWith("$") || forDeparser.has(field)) return false;
    if (!info.metadata && parser.isCarried(gress, info.header)) return false;
    return !parser.sets(gress).has(field) && !parser.reads(gress).has(field);
  }

  #meet(a: Touch, b: Touch): boolean {
    if (a.unit === b.unit) return a.action === undefined || b.action === undefined || a.action === b.action;
    return this.#leads(a, b) || this.#leads(b, a);
  }

  #leads({ unit, action }: Touch, to: Touch): boolean {
    const { flow } = this.model;
    return action === undefined ? flow.reaches(unit, to.unit) : flow.leads(unit, action, to.unit);
  }
}
