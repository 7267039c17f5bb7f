/**
 * The pathmap (RePaC, section 3.3): the offset by which each change of one control bit moves the bucket that a hop chooses. The
 * choice is linear, so the offset of any change is the XOR of the offsets of its bits, for any values of the other bits.
 */
import { type ControlBits, controlWidth } from "./control-bits.js";

/** A kind of hop: all switches of a role in one direction, or the NICs of the hosts. */
export interface HopMap {
  /** `nic`, `tor up`, `leaf up`, ... */
  readonly hop: string;
  /** Offset of the bucket by control bit. */
  readonly offsets: readonly number[];
  /** The different numbers of next hops that its groups have, ascending. */
  readonly sizes: readonly number[];
}

export interface Pathmap {
  readonly control: ControlBits;
  /** Buckets of every group: a power of two. */
  readonly buckets: number;
  /** In the order of the path of a packet between pods; only hops with a choice. */
  readonly hops: readonly HopMap[];
}

/** The offset of a hop's bucket under a change. */
export function offsetOf({ offsets }: Pick<HopMap, "offsets">, delta: number): number {
  let offset = 0;
  for (let bit = 0; bit < offsets.length; bit++) if ((delta >>> bit) & 1) offset ^= offsets[bit]!;
  return offset;
}

/**
 * By offset: whether it gives every bucket of a group of `size` next hops another next hop. Bucket b has next hop b mod size. For
 * a power of two these are all offsets that are no multiple of the size.
 */
export function movingOffsets(buckets: number, size: number): readonly boolean[] {
  return Array.from({ length: buckets }, (_, offset) => {
    for (let bucket = 0; bucket < buckets; bucket++)
      if (bucket % size === (bucket ^ offset) % size) return false;
    return size > 1;
  });
}

/** For each change of the control bits the number of hops where every flow gets another next hop. */
export function changedHops(map: Pathmap): Uint8Array {
  const counts = new Uint8Array(2 ** controlWidth(map.control));
  const moving = map.hops.map(({ sizes }) => {
    const bySize = sizes.map((size) => movingOffsets(map.buckets, size));
    return Array.from({ length: map.buckets }, (_, offset) => bySize.every((moves) => moves[offset]!));
  });
  for (let delta = 0; delta < counts.length; delta++)
    for (const [hop, own] of map.hops.entries()) if (moving[hop]![offsetOf(own, delta)]!) counts[delta]!++;
  return counts;
}

/** The maximum number of hops that one change of the field moves for every flow; a host that marks cannot change the source port. */
export function mostChangedHops(map: Pathmap): number {
  const step = 2 ** map.control.portBits;
  const counts = changedHops(map);
  let most = 0;
  for (let delta = 0; delta < counts.length; delta += step) most = Math.max(most, counts[delta]!);
  return most;
}

/** The path id of a change: its offsets at all hops, those of the first hop in the lowest bits (RePaC, table 3). */
export function pathIdOf(map: Pathmap, delta: number): number {
  return map.hops.reduce((id, hop, i) => id + offsetOf(hop, delta) * map.buckets ** i, 0);
}

/** All changes by path id, ascending: RePaC's table 3. */
export function changesByPath(map: Pathmap): ReadonlyMap<number, readonly number[]> {
  const paths = new Map<number, number[]>();
  for (let delta = 0; delta < 2 ** controlWidth(map.control); delta++) {
    const id = pathIdOf(map, delta);
    const own = paths.get(id);
    if (own === undefined) paths.set(id, [delta]);
    else own.push(delta);
  }
  return new Map([...paths].sort(([a], [b]) => a - b));
}

/** Number of paths through the hops, and how many of them the control bits reach from any header, at least. */
export function reachOf(map: Pathmap): { paths: number; reached: number } {
  const sizes = map.hops.map((hop) => Math.max(...hop.sizes));
  const paths = sizes.reduce((product, size) => product * size, 1);
  // Of a group of 2^n next hops the low n bits of the bucket choose; of another one all bits do.
  const masks = sizes.map((size) => ((size & (size - 1)) === 0 ? size : map.buckets) - 1);
  const changes = spanOf(
    Array.from({ length: controlWidth(map.control) }, (_, bit) =>
      Int32Array.from(map.hops, ({ offsets }, i) => offsets[bit]! & masks[i]!),
    ),
  );
  if (sizes.every((size) => (size & (size - 1)) === 0)) return { paths, reached: 2 ** changes.length };
  const units = map.hops.flatMap((_, hop) =>
    Array.from({ length: Math.log2(masks[hop]! + 1) }, (_, bit) =>
      Int32Array.from(masks, (_, i) => (i === hop ? 2 ** bit : 0)),
    ),
  );
  // Headers whose buckets differ by a change reach the same paths: one header of each class is enough.
  const classes = spanOf([...changes, ...units]).slice(changes.length);
  let reached = paths;
  for (const from of points(classes.slice(0, MOST_CLASSES), sizes.length)) {
    const seen = new Set<number>();
    for (const change of points(changes, sizes.length))
      seen.add(sizes.reduce((id, size, hop) => id * size + ((from[hop]! ^ change[hop]!) % size), 0));
    reached = Math.min(reached, seen.size);
  }
  return { paths, reached };
}

/** Logarithm of the number of classes of headers that are compared: with more, the first ones stand for all. */
const MOST_CLASSES = 6;

/** Those of the vectors that are no sums of earlier ones, reduced by them. */
function spanOf(vectors: readonly Int32Array[]): Int32Array[] {
  const basis: Int32Array[] = [];
  for (const vector of vectors) {
    const rest = Int32Array.from(vector);
    for (const known of basis) {
      const at = known.findIndex((part) => part !== 0);
      if ((rest[at]! & known[at]! & -known[at]!) !== 0)
        for (let i = 0; i < rest.length; i++) rest[i]! ^= known[i]!;
    }
    if (rest.some((part) => part !== 0)) basis.push(rest);
  }
  return basis;
}

/** All sums of the vectors. */
function* points(basis: readonly Int32Array[], length: number): Iterable<Int32Array> {
  const point = new Int32Array(length);
  for (let code = 1; ; code++) {
    yield point;
    const next = 31 - Math.clz32(code & -code);
    if (next >= basis.length) return;
    for (let i = 0; i < length; i++) point[i]! ^= basis[next]![i]!;
  }
}
