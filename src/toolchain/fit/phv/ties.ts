/**
 * Bits of fields that operations tie: a bit of a result and the bit of each source that it comes from stand in containers of one size
 * (p4c, phv/make_clusters.cpp, MakeRotationalClusters).
 */
import type { FitModel, Operation } from "../model/model.js";

export class Ties {
  readonly #fields = new Map<string, { readonly first: number; readonly bits: number }>();
  readonly #parent: number[] = [];

  constructor(
    model: FitModel,
    operations: readonly { readonly op: Operation }[],
    /** Operations whose bits are tied; those of others are not known. */
    isTie: (op: Operation) => boolean,
  ) {
    for (const { op } of operations) {
      if (op.sources.length === 0 || !isTie(op)) continue;
      for (const source of op.sources) {
        const to = this.#bitsOf(model, op.write);
        const from = this.#bitsOf(model, source);
        for (let i = 0; i < Math.min(op.write.width, source.width); i++)
          if (op.write.lo + i < to.bits && source.lo + i < from.bits)
            this.#join(to.first + op.write.lo + i, from.first + source.lo + i);
      }
    }
  }

  /** The set of tied bits to which a bit of a field belongs; -1 where nothing ties it. */
  of(field: string, bit: number): number {
    const one = this.#fields.get(field);
    return one === undefined || bit >= one.bits ? -1 : this.#find(one.first + bit);
  }

  /** Numbers of sets are below it. */
  get size(): number {
    return this.#parent.length;
  }

  #bitsOf(model: FitModel, { field, lo, width }: Operation["write"]): { first: number; bits: number } {
    const known = this.#fields.get(field);
    if (known !== undefined) return known;
    const one = {
      first: this.#parent.length,
      bits: Math.max(model.fields.get(field)?.width ?? 0, lo + width),
    };
    this.#fields.set(field, one);
    for (let i = 0; i < one.bits; i++) this.#parent.push(one.first + i);
    return one;
  }

  #find(bit: number): number {
    let at = bit;
    while (this.#parent[at] !== at) {
      const up = this.#parent[this.#parent[at]!]!;
      this.#parent[at] = up;
      at = up;
    }
    return at;
  }

  #join(a: number, b: number): void {
    this.#parent[this.#find(a)] = this.#find(b);
  }
}
