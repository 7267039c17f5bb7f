/** Which units of one gress every packet passes before it comes to another unit (p4c, phv/analysis/dominator_tree.cpp). */
import { type FitModel, type Gress, threadOf, type Unit } from "../model/model.js";

/** The deparser, which stands after all units. */
export const AT_DEPARSER = "deparser";
export type Point = number | typeof AT_DEPARSER;

export class Dominators {
  readonly #first: number | undefined;
  /** By unit: the last one that every packet passes before it; of the first unit, itself. */
  readonly #above = new Map<Point, number>();

  constructor(
    readonly model: FitModel,
    gress: Gress,
    /** The compiler takes every table as one before the deparser. */
    readonly isBeforeDeparser: boolean,
  ) {
    const units = model.units.filter((unit) => threadOf(unit) === gress);
    const first = units[0]?.id;
    this.#first = first;
    if (first === undefined) return;
    this.#above.set(first, first);
    for (const { id } of units)
      for (const next of model.flow.successors(id)) {
        const known = this.#above.get(next);
        this.#above.set(next, known === undefined ? id : this.#common(known, id));
      }
    let last = first;
    for (let next = model.flow.joins(last); next !== undefined; next = model.flow.joins(last)) last = next;
    this.#above.set(AT_DEPARSER, last);
  }

  /** The last unit before both. A unit comes after those that it depends on, so its number is larger. */
  #common(a: number, b: number): number {
    let [x, y] = [a, b];
    while (x !== y)
      if (x > y) x = this.#above.get(x) ?? this.#first!;
      else y = this.#above.get(y) ?? this.#first!;
    return x;
  }

  /** The last table that every packet passes before the point: of the first unit itself, where it is one. */
  tableAbove(point: Point): Unit | undefined {
    const above = this.#above.get(point);
    if (above === undefined) return undefined;
    const unit = this.model.units[above]!;
    if (unit.condition === undefined) return unit;
    return above === point ? undefined : this.tableAbove(above);
  }

  /** Every packet that comes to `b` was in `a` before. */
  isAbove(a: Point, b: Point): boolean {
    if (a === b) return false;
    if (b === AT_DEPARSER) {
      if (this.isBeforeDeparser) return true;
      const last = this.tableAbove(b);
      return last !== undefined && this.isAbove(a, last.id);
    }
    let at = b;
    for (let next = this.#above.get(at); next !== undefined && next !== at; next = this.#above.get(at)) {
      if (next === a) return true;
      at = next;
    }
    return false;
  }

  /** The last table that every packet passes before all of the units. */
  tableAboveAll(units: readonly number[]): Unit | undefined {
    const aboves = units.map((id) => this.#above.get(id));
    const [first, ...others] = aboves;
    // The first unit stands below no other.
    if (first === undefined || units.some((id, i) => aboves[i] === undefined || aboves[i] === id))
      return undefined;
    const common = others.reduce<number>((a, b) => this.#common(a, b!), first);
    const unit = this.model.units[common]!;
    return unit.condition === undefined ? unit : this.tableAbove(common);
  }
}
