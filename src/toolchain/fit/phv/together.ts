/**
 * Lists of header bytes that operations tie to each other are cut together, and values of metadata with them (p4c, phv/make_clusters.cpp,
 * MakeSuperClusters): first the way that the search finds first (phv/allocate_phv.cpp, preslice_clusters), then each container of it
 * again, where bytes that no table touches would stand beside others.
 */
import type { Access, FitModel } from "../model/model.js";
import { type ByteRange, type Cut, costOf, refined } from "./cuts.js";
import type { GressUse } from "./gress-use.js";
import { type ByteList, bytePiece, headerPart } from "./header-pieces.js";
import type { ContainerSize } from "./pack.js";
import { type Piece, sizeFor } from "./piece.js";
import { Ties } from "./ties.js";
import { type BitList, eachTiling, type Tile } from "./tilings.js";

/** Ways that the compiler looks at (p4c, phv/allocate_phv.cpp, max_slicing). */
const MAX_WAYS = 128;

/** Bytes of a header in one container; undefined size: as many as they fill. */
interface Part extends ByteRange {
  readonly list: ByteList;
  readonly size?: ContainerSize;
}

/** Some action sets the bytes, in one container, from more sources than an instruction has; with `keepsRest` it also keeps what it does not set. */
export type IsBroken = (list: ByteList, range: ByteRange, keepsRest: boolean) => boolean;

/** By set of tied bits: the size of its containers, and which these are. */
interface Sizes {
  readonly sizes: Map<number, ContainerSize>;
  /** Pairs of sets of neighbour bits between which a list is cut. */
  readonly cuts: Set<string>;
}

/** Bits of a value that stand in a container of the size, as what they are tied to. */
export interface ValuePart {
  readonly lo: number;
  readonly width: number;
  /** Undefined where no byte of a header is tied to them. */
  readonly size: ContainerSize | undefined;
}

export class Together {
  readonly #cuts = new Map<ByteList, Cut[]>();
  /** By set of tied bits: the sizes and numbers of the containers that have some of them. */
  readonly #parts: Sizes = { sizes: new Map(), cuts: new Set() };
  readonly #ties: Ties;
  /** Bits that logic, sums and comparisons need at the same place, so that no container has two of them. */
  readonly #aligned: Ties;
  /** Pairs of neighbour bits that no cut parts, and that some name of a part does. */
  readonly #whole = new Set<string>();
  readonly #named = new Set<string>();

  constructor(
    readonly model: FitModel,
    readonly use: GressUse,
    readonly lists: readonly ByteList[],
    readonly isBroken: IsBroken,
  ) {
    const operations = [...use.operations, ...use.comparisons];
    this.#ties = new Ties(model, operations, ({ kind }) => kind !== "merge");
    this.#aligned = new Ties(model, operations, ({ kind }) => kind === "logic" || kind === "arithmetic");
    for (const { op } of use.operations)
      if (op.kind === "arithmetic") for (const { field } of [op.write, ...op.sources]) this.#keepWhole(field);
    for (const field of model.forDeparser) this.#keepWhole(field);
    for (const ranges of use.ranges.values()) for (const range of ranges) this.#addNamed(range);
    const parts = lists.map((list): Part => ({ list, from: list.from, to: list.to }));
    for (const group of this.#groupsOf(parts)) this.#cut(group);
  }

  /** The containers of a list that others are tied to. */
  cutsOf(list: ByteList): readonly Cut[] | undefined {
    return this.#cuts.get(list)?.sort((a, b) => a.from - b.from);
  }

  /** The parts of a value; undefined where no header's list is tied to it. */
  partsOf(field: string, width: number): ValuePart[] | undefined {
    const parts = this.#partsIn(this.#parts, field, 0, width);
    return parts.some(({ size }) => size !== undefined) ? parts : undefined;
  }

  #partsIn(sizes: Sizes, field: string, from: number, width: number): ValuePart[] {
    const parts: { lo: number; width: number; size: ContainerSize | undefined }[] = [];
    for (let lo = from; lo < from + width; lo++) {
      const size = sizes.sizes.get(this.#ties.of(field, lo));
      const last = parts.at(-1);
      const pair = this.#pairAt(field, lo);
      const isParted = sizes.cuts.has(pair) && !this.#named.has(pair);
      if (last === undefined || isParted || !mayJoin(last, size)) parts.push({ lo, width: 1, size });
      else {
        last.width++;
        last.size ??= size;
      }
    }
    return parts;
  }

  /** The ways to cut pieces that operations tie: each with the clusters that are left of them. */
  waysOf(pieces: readonly Piece[]): Piece[][][] {
    const whole = [[...pieces]];
    const ways: Piece[][][] = [];
    const parts = pieces.map((piece) => this.#partOf(piece));
    const group = parts.filter((part) => part !== undefined);
    const isCut = (piece: Piece, i: number) => parts[i] !== undefined || isValue(piece);
    if (group.length === 0 || !pieces.every(isCut)) return [whole];
    eachTiling(
      group.map((part) => this.#bitList(part, true)),
      (tiles) => {
        const isUncut = tiles.length === group.length;
        ways.push(isUncut ? whole : this.#way(pieces, parts, group, tiles));
        return ways.length < MAX_WAYS;
      },
    );
    return ways.length === 0 ? [whole] : ways;
  }

  #partOf({ bytes, size }: Piece): Part | undefined {
    const list = this.lists.find(
      ({ header, from, to }) =>
        bytes?.header === header && from <= bytes.first && bytes.first + size / 8 <= to,
    );
    return bytes === undefined || list === undefined
      ? undefined
      : { list, from: bytes.first, to: bytes.first + size / 8 };
  }

  #way(
    pieces: readonly Piece[],
    parts: readonly (Part | undefined)[],
    group: readonly Part[],
    tiles: readonly Tile[],
  ): Piece[][] {
    const { model, use } = this;
    const sizes: Sizes = { sizes: new Map(), cuts: new Set() };
    for (const tile of tiles) {
      const { list } = group[tile.list]!;
      this.#note(sizes, { list, ...partOf(group, tile) }, tile.size);
    }
    const cut = pieces.flatMap((piece, i): Piece[] => {
      const part = parts[i];
      if (part !== undefined) {
        const own = headerPart(model, use, part.list.header);
        return tiles
          .filter(({ list }) => group[list] === part)
          .map((tile) =>
            bytePiece(own, partOf(group, tile), piece.isTouched, (field) => use.alone.has(field)),
          );
      }
      const { field, lo, width } = piece.slices[0]!;
      return this.#partsIn(sizes, field, lo, width).map((one) => ({
        ...piece,
        size: one.size ?? sizeFor(one.width),
        slices: [{ field, lo: one.lo, width: one.width, at: 0 }],
      }));
    });
    return this.#clustersOf(cut);
  }

  /** Pieces with those that share sets of tied bits. */
  #clustersOf(pieces: readonly Piece[]): Piece[][] {
    const clusterOf = new Map<number, Piece[]>();
    const clusters = new Set<Piece[]>();
    for (const piece of pieces) {
      const cluster = [piece];
      const ties = new Set(
        piece.slices.flatMap(({ field, lo, width }) =>
          Array.from({ length: width }, (_, i) => this.#ties.of(field, lo + i)).filter((tie) => tie >= 0),
        ),
      );
      const others = new Set([...ties].map((tie) => clusterOf.get(tie)).filter((one) => one !== undefined));
      for (const other of others) {
        cluster.unshift(...other);
        clusters.delete(other);
        for (const [tie, one] of clusterOf) if (one === other) clusterOf.set(tie, cluster);
      }
      for (const tie of ties) clusterOf.set(tie, cluster);
      clusters.add(cluster);
    }
    return [...clusters];
  }

  #keepWhole(field: string): void {
    const width = this.model.fields.get(field)?.width ?? 0;
    for (let bit = 1; bit < width; bit++) this.#whole.add(this.#pairAt(field, bit));
  }

  #addNamed({ field, lo, width }: Access): void {
    for (const bit of [lo, lo + width]) if (bit > 0) this.#named.add(this.#pairAt(field, bit));
  }

  #pairAt(field: string, bit: number): string {
    return `${this.#ties.of(field, bit - 1)} ${this.#ties.of(field, bit)}`;
  }

  /** Parts that share sets of tied bits, where there are several, or one twice. */
  #groupsOf(parts: readonly Part[]): Part[][] {
    const first = new Map<number, number>();
    const parent = parts.map((_, i) => i);
    const find = (i: number): number => (parent[i] === i ? i : find(parent[i]!));
    const isTied = new Set<number>();
    for (const [i, part] of parts.entries())
      for (const tie of this.#tiesOf(part, this.#ties)) {
        if (tie < 0) continue;
        const other = first.get(tie);
        if (other === undefined) first.set(tie, i);
        else {
          parent[find(i)] = find(other);
          isTied.add(i).add(other);
        }
      }
    const groups = new Map<number, Part[]>();
    for (const [i, part] of parts.entries()) {
      const root = find(i);
      groups.set(root, [...(groups.get(root) ?? []), part]);
    }
    return [...groups.values()].filter((group) => group.some((part) => isTied.has(parts.indexOf(part))));
  }

  /** By bit of a part, its low end first. */
  #tiesOf({ list: { fields }, from, to }: Part, ties: Ties): number[] {
    const result = Array.from({ length: 8 * (to - from) }, () => -1);
    for (const { name, offset, width } of fields)
      for (let bit = 0; bit < width; bit++) {
        const at = 8 * to - 1 - (offset + width - 1 - bit);
        if (at >= 0 && at < result.length) result[at] = ties.of(name, bit);
      }
    return result;
  }

  #bitList(part: Part, keepsRest: boolean): BitList {
    const { list, to } = part;
    const ties = this.#tiesOf(part, this.#ties);
    const aligned = this.#tiesOf(part, this.#aligned);
    const pair = (bit: number) => `${ties[bit - 1]} ${ties[bit]}`;
    const isTied = (bit: number) => ties[bit - 1]! >= 0 && ties[bit]! >= 0;
    return {
      isExact: list.isSent,
      bits: ties.length,
      ties,
      isBoundary: (bit) => list.shape.isBoundary(to - bit / 8) || (isTied(bit) && this.#named.has(pair(bit))),
      admits: (bit, size) => {
        const end = bit + size;
        if (end < ties.length && isTied(end) && this.#whole.has(pair(end))) return false;
        const once = aligned.slice(bit, end).filter((tie) => tie >= 0);
        if (new Set(once).size < once.length) return size === 8;
        return size === 8 || !this.isBroken(list, { from: to - end / 8, to: to - bit / 8 }, keepsRest);
      },
    };
  }

  #cut(group: readonly Part[]): void {
    let tiles: readonly Tile[] | undefined;
    eachTiling(
      group.map((part) => this.#bitList(part, false)),
      (found) => {
        tiles = found;
        return false;
      },
    );
    if (tiles === undefined) return;
    const parts = tiles.map(
      (tile): Part => ({ list: group[tile.list]!.list, ...partOf(group, tile), size: tile.size }),
    );
    for (const one of group) this.#cuts.set(one.list, []);
    const tied = this.#groupsOf(parts);
    const isTied = new Set(tied.flat());
    for (const part of parts) if (!isTied.has(part)) this.#take(part, refined(part, part.list.shape));
    for (const one of tied) this.#refine(one);
  }

  /** Cuts parts that are tied again, so that the fewest bytes that no table touches stand beside others, then with the fewest containers. */
  #refine(group: readonly Part[]): void {
    let best: { readonly tiles: readonly Tile[]; readonly cost: number } | undefined;
    let ways = 0;
    eachTiling(
      group.map((part) => this.#bitList(part, false)),
      (tiles) => {
        const cost = tiles.reduce(
          (sum, tile) => sum + costOf(partOf(group, tile), group[tile.list]!.list.shape),
          0,
        );
        if (best === undefined || cost < best.cost) best = { tiles, cost };
        return ++ways < MAX_WAYS;
      },
    );
    for (const [i, part] of group.entries()) {
      const own = best?.tiles.filter(({ list }) => list === i);
      const ranges = own?.map((tile) => ({ ...partOf(group, tile), size: tile.size })) ?? [part];
      const { isTouched } = part.list.shape;
      const cuts = ranges.map(({ from, to, size }) => ({
        from,
        to,
        ...(size !== undefined && size > 8 * (to - from) ? { size } : {}),
        isTouched: Array.from({ length: to - from }, (_, k) => from + k).some(isTouched),
        list: { from: part.from, to: part.to },
        isTied: true as const,
      }));
      this.#take(part, cuts);
    }
  }

  #take({ list }: Part, cuts: readonly Cut[]): void {
    this.#cuts.get(list)!.push(...cuts);
    for (const { from, to, size } of cuts)
      this.#note(this.#parts, { list, from, to }, size ?? ((8 * (to - from)) as ContainerSize));
  }

  #note({ sizes, cuts }: Sizes, { list, from, to }: Part, size: ContainerSize): void {
    for (const tie of this.#tiesOf({ list, from, to }, this.#ties)) if (tie >= 0) sizes.set(tie, size);
    if (to === list.to) return;
    const [below, low] = this.#tiesOf({ list, from: to - 1, to: to + 1 }, this.#ties).slice(7, 9);
    if (below! >= 0 && low! >= 0) cuts.add(`${below} ${low}`);
  }
}

/** The bytes of a tile of a group's parts. */
function partOf(group: readonly Part[], { list, from, bits }: Tile): ByteRange {
  const { to } = group[list]!;
  return { from: to - (from + bits) / 8, to: to - from / 8 };
}

/** A value of metadata that stands at the low end of its container. */
const isValue = ({ bytes, slices }: Piece): boolean =>
  bytes === undefined && slices.length === 1 && slices[0]!.at === 0;

/** A bit of a value joins those before it where a container of their size holds all. */
function mayJoin(
  part: { readonly width: number; readonly size: ContainerSize | undefined },
  size: ContainerSize | undefined,
): boolean {
  if (size === undefined || part.size === undefined)
    return part.size === size || part.width < (part.size ?? size)!;
  return size === part.size && part.width < size;
}
