/** Lists of the JSON that grow while actions are converted: calculations, field lists, learn lists. */
import type { Span } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { Names } from "../lower/names.js";
import { sourceInfo } from "./source-info.js";

export class Resources {
  readonly calculations: bmv2.Calculation[] = [];
  readonly fieldLists: bmv2.FieldList[] = [];
  readonly learnLists: bmv2.LearnList[] = [];
  readonly #names = new Names();
  /** Number in `@field_list(n)` -> id of the list. */
  readonly #fieldListIds = new Map<number, number>();

  /** A calculation of its own for every use, named `calc`, `calc_0`, ... as p4c does. */
  calculation(algo: string, input: bmv2.CalculationInput[], span: Span | undefined): string {
    const name = this.#names.unique("calc");
    this.calculations.push({ name, id: this.calculations.length, ...sourceInfo(span), algo, input });
    return name;
  }

  /** Fields tagged `@field_list(index)`. Ids start at 1: 0 means that the program requested nothing. */
  defineFieldList(index: number, elements: bmv2.Value[]): void {
    const id = this.fieldLists.length + 1;
    this.#fieldListIds.set(index, id);
    this.fieldLists.push({ id, name: `field_list${index}`, elements });
  }

  /** The list for `@field_list(index)`; an empty one when no field is tagged so. */
  fieldList(index: number): number {
    const known = this.#fieldListIds.get(index);
    if (known !== undefined) return known;
    const id = this.newFieldList("empty", [], undefined);
    this.#fieldListIds.set(index, id);
    return id;
  }

  newFieldList(base: string, elements: bmv2.Value[], span: Span | undefined): number {
    const id = this.fieldLists.length + 1;
    this.fieldLists.push({ id, name: this.#names.unique(base), ...sourceInfo(span), elements });
    return id;
  }

  learnList(name: string, elements: bmv2.Value[], span: Span | undefined): number {
    const id = this.learnLists.length + 1;
    this.learnLists.push({ id, name, ...sourceInfo(span), elements });
    return id;
  }
}
