/**
 * Ways to cut lists of bytes for containers together: bits that operations tie stand in containers of one size, so that a cut in one list
 * decides about others. A depth-first search, as the compiler's (p4c, phv/slicing/phv_slicing_dfs_iterator.cpp): the shortest list first,
 * from its low end; first the sizes that end where a value ends, then the larger ones.
 */
import { compareRanks } from "../../../base/index.js";
import type { ContainerSize } from "./pack.js";

export interface BitList {
  readonly bits: number;
  /** By bit, the low end first: the set of tied bits to which it belongs, -1 for none. */
  readonly ties: readonly number[];
  /** A value, or a part of one that operations or keys name, begins with the bit. */
  readonly isBoundary: (bit: number) => boolean;
  /** Its containers hold nothing else: not so a list that the deparser does not send, of which a larger container may hold the last bits. */
  readonly isExact: boolean;
  /** A container of the size can hold the bits from one on. */
  readonly admits: (bit: number, size: ContainerSize) => boolean;
}

/** Bits of a list in a container, from its lowest bit on. */
export interface Tile {
  readonly list: number;
  readonly from: number;
  readonly bits: number;
  readonly size: ContainerSize;
}

const SIZES = [32, 16, 8] as const;
/** Sets of sizes, each a bit. */
const ALL = 8 | 16 | 32;
const atLeast = (size: number) => SIZES.filter((one) => one >= size).reduce((sum, one) => sum | one, 0);
/** Steps of the search for all ways. */
const MAX_STEPS = 20_000;

/** Goes through the ways, until `take` has enough and returns false. */
export function eachTiling(lists: readonly BitList[], take: (tiles: readonly Tile[]) => boolean): void {
  new Search(lists, take).run();
}

class Search {
  /** By set of tied bits: the sizes that its containers may have. */
  readonly #sizes = new Map<number, number>();
  /** Pairs of sets between whose bits a list is cut, with how often. */
  readonly #cuts = new Map<string, number>();
  readonly #begins: number[];
  readonly #admitted = new Map<string, boolean>();
  readonly #tiles: Omit<Tile, "size">[] = [];
  #steps = 0;

  constructor(
    readonly lists: readonly BitList[],
    readonly take: (tiles: readonly Tile[]) => boolean,
  ) {
    this.#begins = lists.map(() => 0);
  }

  run(): void {
    this.#step();
  }

  /** False where the search is to end. */
  #step(): boolean {
    if (this.#steps++ > MAX_STEPS) return false;
    const next = this.#next();
    if (next === undefined)
      return this.take(this.#tiles.map((tile) => ({ ...tile, size: this.#sizeOf(tile) })));
    for (const size of this.#choices(next)) {
      const undo = this.#put(next, size);
      const goesOn = !this.#areFeasible() || this.#step();
      undo();
      if (!goesOn) return false;
    }
    return true;
  }

  /** The list to be cut: one that the deparser sends, then the shortest, then the one with the most values whose size is known. */
  #next(): number | undefined {
    let best: { readonly list: number; readonly rank: readonly number[] } | undefined;
    for (const [list, { bits, isExact }] of this.lists.entries()) {
      const rest = bits - this.#begins[list]!;
      if (rest <= 0) continue;
      const rank = [isExact ? 0 : 1, rest, -this.#knownIn(list)];
      if (best === undefined || compareRanks(rank, best.rank) < 0) best = { list, rank };
    }
    return best?.list;
  }

  #knownIn(list: number): number {
    const { bits, ties } = this.lists[list]!;
    let known = 0;
    const begin = this.#begins[list]!;
    for (let bit = begin; bit < bits; bit++)
      if (this.#sizes.has(ties[bit]!) && (bit === begin || this.#isBoundary(list, bit))) known++;
    return known;
  }

  #choices(list: number): ContainerSize[] {
    const from = this.#begins[list]!;
    const rank = (size: number) => (this.#isBoundary(list, from + size) ? 0 : 1);
    return SIZES.filter((size) => this.#isOpen(list, from, size)).sort((a, b) => rank(a) - rank(b) || b - a);
  }

  #isBoundary(list: number, bit: number): boolean {
    const { bits, ties, isBoundary } = this.lists[list]!;
    return bit >= bits || isBoundary(bit) || (this.#cuts.get(`${ties[bit - 1]} ${ties[bit]}`) ?? 0) > 0;
  }

  /** The list can have a container of the size there. */
  #isOpen(list: number, from: number, size: ContainerSize): boolean {
    const { bits, isExact, admits } = this.lists[list]!;
    // Larger containers for what fits a smaller one are no other way to cut it.
    if (from + size > bits && (isExact || (size > 8 && from + size / 2 >= bits))) return false;
    if ((this.#commonIn({ list, from, bits: size }) & this.#allowed(list, size)) === 0) return false;
    const key = `${list} ${from} ${size}`;
    const known = this.#admitted.get(key) ?? admits(from, size);
    this.#admitted.set(key, known);
    return known;
  }

  #allowed(list: number, size: ContainerSize): number {
    return this.lists[list]!.isExact ? size : atLeast(size);
  }

  /** The sizes that all bits of a list may have. */
  #commonIn({ list, from, bits }: Omit<Tile, "size">): number {
    const { ties } = this.lists[list]!;
    let common = ALL;
    for (let bit = from; bit < Math.min(ties.length, from + bits); bit++)
      common &= this.#sizes.get(ties[bit]!) ?? ALL;
    return common;
  }

  /** Of the sizes that are left, the smallest one that holds the bits. */
  #sizeOf(tile: Omit<Tile, "size">): ContainerSize {
    const common = this.#commonIn(tile);
    return [...SIZES].reverse().find((size) => size >= tile.bits && (common & size) !== 0) ?? 32;
  }

  /** Every list can be cut to its end, for itself, and what is cut has a size. */
  #areFeasible(): boolean {
    if (this.#tiles.some((tile) => (this.#commonIn(tile) & atLeast(tile.bits)) === 0)) return false;
    return this.lists.every(({ bits }, list) => {
      const reached = new Set([this.#begins[list]!]);
      for (let at = this.#begins[list]!; at < bits; at += 8)
        if (reached.has(at))
          for (const size of SIZES) if (this.#isOpen(list, at, size)) reached.add(Math.min(bits, at + size));
      return reached.has(bits);
    });
  }

  /** Cuts off a tile; the result takes it back. */
  #put(list: number, size: ContainerSize): () => void {
    const from = this.#begins[list]!;
    const { ties, bits } = this.lists[list]!;
    const end = Math.min(bits, from + size);
    const allowed = this.#allowed(list, size);
    const before = new Map<number, number | undefined>();
    for (let bit = from; bit < end; bit++) {
      const tie = ties[bit]!;
      if (tie < 0 || before.has(tie)) continue;
      const known = this.#sizes.get(tie);
      before.set(tie, known);
      this.#sizes.set(tie, (known ?? ALL) & allowed);
    }
    const key = `${ties[end - 1]} ${ties[end]}`;
    const cuts = end < bits && ties[end - 1]! >= 0 && ties[end]! >= 0;
    if (cuts) this.#cuts.set(key, (this.#cuts.get(key) ?? 0) + 1);
    this.#begins[list] = end;
    this.#tiles.push({ list, from, bits: end - from });
    return () => {
      this.#tiles.pop();
      this.#begins[list] = from;
      if (cuts) this.#cuts.set(key, this.#cuts.get(key)! - 1);
      for (const [tie, sizes] of before)
        if (sizes === undefined) this.#sizes.delete(tie);
        else this.#sizes.set(tie, sizes);
    };
  }
}
