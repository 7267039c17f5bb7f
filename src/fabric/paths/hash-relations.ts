/**
 * Which hash functions of a model depend on each other. Affine functions are compared by their ranks over GF(2): over uniform
 * five-tuples of IPv4 their values are independent if and only if the ranks of their bits add up. A function that is not affine is
 * the same map as another one of its name with the same seed; it is compared with all other maps on drawn headers.
 */
import { Random } from "../../base/index.js";
import type { HashModel } from "./model.js";
import { HashOfFlow, type RawFlow, rawFlow } from "./raw-flow.js";

/** A use of a function: the slots of the group, and the seed of the choice. */
export interface HashUse {
  readonly hash: number;
  readonly slots: number;
  readonly seed: number;
}

/** Headers that are drawn where a proof by ranks is impossible. */
export const DRAWN_HEADERS = 65_536;

/** Headers of a comparison of two maps, seeds of one function that are compared, and the slots that are told apart. */
const COMPARED = { headers: 16_384, seeds: 3, slots: 32 } as const;

/** Bits of a five-tuple of IPv4. */
const HEADER_BITS = 104;

/** Maps (functions with what their seeds change) whose values depend on each other, and on no value of another component. */
export interface Component {
  readonly maps: readonly HashMapUse[];
  /** {@link HashRelations.keyOf} of the maps. */
  readonly keys: ReadonlySet<string>;
  /** Dimension of the space of their values over GF(2); undefined: not all of them are affine. */
  readonly rank: number | undefined;
  /** All combinations of the values of the slots are equally frequent: one map, whose bits are independent. */
  readonly uniform: boolean;
}

/** A map, and the sizes of the groups that use it. */
export interface HashMapUse {
  /** The first function with this name. */
  readonly hash: number;
  /** Of a function that is not affine; 0 for an affine one, whose seeds flip bits of its values only. */
  readonly seed: number;
  readonly sizes: readonly number[];
  readonly seeds: readonly number[];
}

/** Two maps that are known to be independent only from drawn headers. */
export interface Compared {
  readonly first: string;
  readonly second: string;
}

export class HashRelations {
  readonly #columns = new Map<number, { zero: number; columns: Int32Array }>();
  readonly #flips = new Map<string, number>();
  readonly #drawn = new Map<string, Int32Array>();
  readonly #components = new Map<string, readonly Component[]>();
  readonly #related = new Map<string, boolean>();
  readonly #same: readonly number[];
  #headers: readonly RawFlow[] | undefined;

  /** Pairs of maps that were compared on drawn headers and found independent. */
  readonly compared = new Map<string, Compared>();

  constructor(readonly models: readonly HashModel[]) {
    this.#same = models.map(({ name }) => models.findIndex((one) => one.name === name));
  }

  /** The name of the map of a use: equal for uses of the same map. */
  keyOf({ hash, seed }: Pick<HashUse, "hash" | "seed">): string {
    return this.models[hash]!.affine ? `${this.#same[hash]}` : `${this.#same[hash]} ${seed}`;
  }

  nameOf(hash: number): string {
    return this.models[hash]!.name;
  }

  /** Bits that the seed of an affine function flips in each of its values. */
  flips({ hash, seed }: Pick<HashUse, "hash" | "seed">): number {
    if (seed === 0 || !this.models[hash]!.affine) return 0;
    const key = `${hash} ${seed}`;
    let bits = this.#flips.get(key);
    if (bits === undefined) {
      const value = new HashOfFlow(this.models[hash]!);
      bits = value.of({ ...rawFlow(), seed }) ^ value.of(rawFlow());
      this.#flips.set(key, bits);
    }
    return bits;
  }

  /** The value of a map of seed 0 for the header of zeros, and the change of the value by each bit of the header. */
  affineOf(hash: number): { readonly zero: number; readonly columns: Int32Array } {
    let own = this.#columns.get(hash);
    if (own === undefined) {
      const value = new HashOfFlow(this.models[hash]!);
      const zero = value.of(rawFlow()) | 0;
      own = {
        zero,
        columns: Int32Array.from({ length: HEADER_BITS }, (_, bit) => (value.of(headerBit(bit)) ^ zero) | 0),
      };
      this.#columns.set(hash, own);
    }
    return own;
  }

  /** The values of a map for the {@link DRAWN_HEADERS} drawn headers. */
  drawn(hash: number, seed: number, count = DRAWN_HEADERS): Int32Array {
    const key = `${this.keyOf({ hash, seed })} ${count}`;
    let values = this.#drawn.get(key);
    if (values === undefined) {
      this.#headers ??= drawHeaders();
      const value = new HashOfFlow(this.models[hash]!);
      const own = this.models[hash]!.affine ? 0 : seed;
      values = new Int32Array(count);
      for (let i = 0; i < count; i++) {
        const header = this.#headers[i]!;
        header.seed = own;
        values[i] = value.of(header);
      }
      this.#drawn.set(key, values);
    }
    return values;
  }

  /** The maps of these uses, in the finest components of which the values are independent of each other. */
  components(uses: readonly HashUse[]): readonly Component[] {
    const maps = new Map<string, { hash: number; seed: number; sizes: Set<number>; seeds: Set<number> }>();
    for (const use of uses) {
      const key = this.keyOf(use);
      const seed = this.models[use.hash]!.affine ? 0 : use.seed;
      const own = maps.get(key) ?? { hash: this.#same[use.hash]!, seed, sizes: new Set(), seeds: new Set() };
      own.sizes.add(use.slots);
      own.seeds.add(use.seed);
      maps.set(key, own);
    }
    const list = [...maps.values()].map(
      ({ hash, seed, sizes, seeds }): HashMapUse => ({
        hash,
        seed,
        sizes: [...sizes].sort((a, b) => a - b),
        seeds: [...seeds].sort((a, b) => a - b),
      }),
    );
    const key = list.map(({ hash, seed, sizes, seeds }) => [hash, seed, sizes, seeds].join(" ")).join(";");
    const known = this.#components.get(key) ?? this.#split(list);
    this.#components.set(key, known);
    return known;
  }

  #split(maps: readonly HashMapUse[]): readonly Component[] {
    const parent = maps.map((_, i) => i);
    const find = (i: number): number => (parent[i] === i ? i : find(parent[i]!));
    const join = (a: number, b: number) => {
      parent[find(a)] = find(b);
    };
    const { deficient, circuits } = this.#circuits(maps);
    for (const [first, ...others] of circuits) for (const other of others) join(first!, other);
    for (const [a, b] of this.#pairsToCompare(maps)) if (this.#areRelated(maps[a]!, maps[b]!)) join(a, b);
    const groups = new Map<number, number[]>();
    for (const i of maps.keys()) groups.set(find(i), [...(groups.get(find(i)) ?? []), i]);
    return [...groups.values()].map((indexes): Component => {
      const own = indexes.map((i) => maps[i]!);
      const uniform = own.length === 1 && !deficient.has(indexes[0]!);
      const affine = own.every(({ hash }) => this.models[hash]!.affine);
      const keys = new Set(own.map((map) => this.keyOf(map)));
      return { maps: own, keys, rank: affine ? this.#rank(own) : undefined, uniform };
    });
  }

  /** Bits of the values of a map that its groups distinguish. */
  bitsOf({ hash, sizes }: HashMapUse): number {
    if (sizes.every(isPowerOfTwo)) return Math.log2(Math.max(...sizes));
    if (!this.models[hash]!.affine) return 32;
    const { zero, columns } = this.affineOf(hash);
    return 32 - Math.clz32(columns.reduce((all, column) => all | column, zero));
  }

  #rank(maps: readonly HashMapUse[]): number {
    return this.#rowsOf(maps).basis.length;
  }

  /**
   * The affine maps among these with less than their full rank, and for each dependent bit the maps of the bits whose sum it is. Maps that
   * a chain of such sums joins are the finest components: the connected components of the matroid of the bits.
   */
  #circuits(maps: readonly HashMapUse[]): { deficient: Set<number>; circuits: number[][] } {
    const { circuits } = this.#rowsOf(maps);
    const deficient = new Set(circuits.flatMap((circuit) => (circuit.length === 1 ? circuit : [])));
    return { deficient, circuits: circuits.filter((circuit) => circuit.length > 1) };
  }

  /** Elimination over the bits of all affine maps, row after row. */
  #rowsOf(maps: readonly HashMapUse[]): { basis: readonly Row[]; circuits: number[][] } {
    const basis: Row[] = [];
    const circuits: number[][] = [];
    for (const [map, own] of maps.entries()) {
      if (!this.models[own.hash]!.affine) continue;
      const { columns } = this.affineOf(own.hash);
      for (let bit = 0; bit < this.bitsOf(own); bit++) {
        const row: Row = {
          words: new Int32Array(Math.ceil(HEADER_BITS / 32)),
          sum: new Map([[basis.length, map]]),
        };
        for (let column = 0; column < HEADER_BITS; column++)
          row.words[column >> 5]! |= ((columns[column]! >>> bit) & 1) << (column & 31);
        for (const known of basis) if (hasPivot(row, known)) add(row, known);
        if (row.words.some((word) => word !== 0)) basis.push(row);
        else {
          row.sum.delete(basis.length);
          circuits.push([...new Set([map, ...row.sum.values()])]);
        }
      }
    }
    return { basis, circuits };
  }

  /** Indexes of the maps that only drawn headers can compare; of one function with many seeds only the first ones. */
  *#pairsToCompare(maps: readonly HashMapUse[]): Iterable<readonly [a: number, b: number]> {
    const rank = new Map<number, number>();
    const nth = maps.map(({ hash }) => {
      const own = rank.get(hash) ?? 0;
      rank.set(hash, own + 1);
      return own;
    });
    for (const [b, second] of maps.entries())
      for (const [a, first] of maps.slice(0, b).entries()) {
        if (this.models[first.hash]!.affine && this.models[second.hash]!.affine) continue;
        const most = first.hash === second.hash ? COMPARED.seeds : 1;
        if (nth[a]! < most && nth[b]! < most) yield [a, b];
      }
  }

  /** Pearson's chi-squared test of the members that the largest groups of both choose. */
  #areRelated(a: HashMapUse, b: HashMapUse): boolean {
    const [m, n] = [a.sizes.at(-1)!, b.sizes.at(-1)!];
    const key = [a.hash, a.seed, m, b.hash, b.seed, n].join(" ");
    const known = this.#related.get(key);
    if (known !== undefined) return known;
    const related = areDependent(
      this.drawn(a.hash, a.seed, COMPARED.headers),
      m,
      this.drawn(b.hash, b.seed, COMPARED.headers),
      n,
    );
    this.#related.set(key, related);
    const [first, second] = [this.models[a.hash]!.name, this.models[b.hash]!.name];
    if (!related) this.compared.set(`${first} ${second}`, { first, second });
    return related;
  }
}

/** A row of the elimination, and the rows of the basis whose sum it is, with their maps. */
interface Row {
  readonly words: Int32Array;
  readonly sum: Map<number, number>;
}

function hasPivot(row: Row, { words }: Row): boolean {
  const at = words.findIndex((word) => word !== 0);
  return (row.words[at]! & words[at]! & -words[at]!) !== 0;
}

function add(row: Row, other: Row): void {
  for (let i = 0; i < row.words.length; i++) row.words[i]! ^= other.words[i]!;
  for (const [index, map] of other.sum) if (!row.sum.delete(index)) row.sum.set(index, map);
}

/** A flow with one bit: of the addresses, then of the ports, then of the protocol. */
function headerBit(bit: number): RawFlow {
  const flow = rawFlow();
  if (bit < 32) flow.src[3] = (1 << bit) >>> 0;
  else if (bit < 64) flow.dst[3] = (1 << (bit - 32)) >>> 0;
  else if (bit < 80) flow.sourcePort = 1 << (bit - 64);
  else if (bit < 96) flow.destinationPort = 1 << (bit - 80);
  else flow.protocol = 1 << (bit - 96);
  return flow;
}

function drawHeaders(): RawFlow[] {
  const random = new Random(1).fork("headers of the check of paths");
  return Array.from({ length: DRAWN_HEADERS }, () => {
    const flow = rawFlow();
    flow.src[3] = random.uint32();
    flow.dst[3] = random.uint32();
    flow.sourcePort = random.int(65_536);
    flow.destinationPort = random.int(65_536);
    flow.protocol = random.int(256);
    return flow;
  });
}

/** Whether the members of two groups depend on each other: chi-squared beyond six standard deviations. */
function areDependent(a: Int32Array, m: number, b: Int32Array, n: number): boolean {
  const [rows, columns] = [Math.min(m, COMPARED.slots), Math.min(n, COMPARED.slots)];
  const table = new Float64Array(rows * columns);
  const [left, right] = [new Float64Array(rows), new Float64Array(columns)];
  for (const [i, value] of a.entries()) {
    const x = ((value >>> 0) % m) % rows;
    const y = ((b[i]! >>> 0) % n) % columns;
    table[x * columns + y]!++;
    left[x]!++;
    right[y]!++;
  }
  let chi = 0;
  for (let x = 0; x < rows; x++)
    for (let y = 0; y < columns; y++) {
      const expected = (left[x]! * right[y]!) / a.length;
      if (expected > 0) chi += (table[x * columns + y]! - expected) ** 2 / expected;
    }
  const used = (counts: Float64Array) => counts.filter((count) => count > 0).length;
  const freedom = (used(left) - 1) * (used(right) - 1);
  return chi > freedom + 6 * Math.sqrt(2 * freedom) + 6;
}

export function isPowerOfTwo(value: number): boolean {
  return (value & (value - 1)) === 0;
}
