/**
 * Where the bytes of a packet header are cut for containers, as the compiler does it (p4c, phv/slicing/phv_slicing_dfs_iterator.cpp,
 * make_choices, and phv/allocate_phv.cpp, default_alloc_score_is_better): from the end of the header on, the largest container that ends
 * where a value ends, else the largest; then such a container is cut again where bytes that no table touches would stand in it.
 */

import { defined } from "../../../base/index.js";
import type { ContainerSize } from "./pack.js";

/** Bytes of a header, the first one included. */
export interface ByteRange {
  from: number;
  to: number;
}

/** A container's bytes, and whether a table touches one of them. */
export interface Cut extends ByteRange {
  readonly isTouched: boolean;
  /** Of bytes that the deparser does not send: that of a container which is larger than they. */
  readonly size?: ContainerSize;
  /** Operations tie it to bytes of other lists. */
  readonly isTied?: true;
  /** The bytes that stand together before they are cut again. */
  readonly list: ByteRange;
}

/** What the cuts depend on; all by the number of a byte, counted from the header's start. */
export interface HeaderShape {
  /** A value, or a part of one that operations or keys name, begins with the byte. */
  readonly isBoundary: (byte: number) => boolean;
  /** The byte begins inside a value, or a part of one, that fits a container. */
  readonly isInside: (byte: number) => boolean;
  /** A table touches the byte. */
  readonly isTouched: (byte: number) => boolean;
}

const SIZES = [4, 2, 1] as const;
/** What a container costs that tables can reach, beside one for parser and deparser alone (allocate_phv.cpp, weighted_sum). */
const WEIGHT = 3;

/** Cuts a range of bytes that has no borders of its own, the last bytes first. */
export function cutBytes({ from, to }: ByteRange, shape: HeaderShape): Cut[] {
  // By the byte that the rest ends before: values that its cuts part without need.
  const parted = new Map<number, number>([[from, 0]]);
  const after = (end: number, size: number) =>
    defined(parted.get(end - size)) + (shape.isInside(end - size) && end - size > from ? 1 : 0);
  for (let end = from + 1; end <= to; end++)
    parted.set(end, Math.min(...SIZES.filter((size) => end - size >= from).map((size) => after(end, size))));
  const cuts: Cut[] = [];
  for (let end = to; end > from; ) {
    const least = defined(parted.get(end));
    const fitting = SIZES.filter((size) => end - size >= from && after(end, size) === least);
    const size = fitting.find((one) => end - one === from || shape.isBoundary(end - one)) ?? fitting[0]!;
    cuts.push(...refined({ from: end - size, to: end }, shape));
    end -= size;
  }
  return cuts.reverse();
}

/** The cuts of the bytes of one container with the fewest untouched bytes beside touched ones, then with the fewest containers. */
export function refined(range: ByteRange, shape: HeaderShape): Cut[] {
  let best: { readonly cuts: readonly Cut[]; readonly cost: number } | undefined;
  for (const sizes of partsOf(range, shape)) {
    const cuts: Cut[] = [];
    let end = range.to;
    let cost = 0;
    for (const size of sizes) {
      const part = { from: end - size, to: end };
      cuts.push({ ...part, isTouched: touchedIn(part, shape) > 0, list: range });
      cost += costOf(part, shape);
      end -= size;
    }
    if (best === undefined || cost < best.cost) best = { cuts, cost };
  }
  return [...(best?.cuts ?? [])];
}

/** What a container costs: one that no table touches less than any other, one with untouched bytes beside others most. */
export function costOf(range: ByteRange, shape: HeaderShape): number {
  const touched = touchedIn(range, shape);
  return touched === 0 ? 1 : WEIGHT + 100 * (range.to - range.from - touched);
}

const touchedIn = ({ from, to }: ByteRange, { isTouched }: HeaderShape): number =>
  Array.from({ length: to - from }, (_, i) => from + i).filter(isTouched).length;

/** All ways to cut a range from its end on: first those that end where a value does, then those with the largest containers. */
function partsOf({ from, to }: ByteRange, shape: HeaderShape): number[][] {
  if (from === to) return [[]];
  const parts = (size: number) => (to - size > from && !shape.isBoundary(to - size) ? 1 : 0);
  return SIZES.filter((size) => size <= to - from)
    .sort((a, b) => parts(a) - parts(b) || b - a)
    .flatMap((size) => partsOf({ from, to: to - size }, shape).map((rest) => [size, ...rest]));
}

/** A range of a header in containers that end where values do, as far as they can; all of its bytes are for tables. */
export function cutAtValues(
  range: ByteRange,
  fields: readonly { readonly offset: number; readonly width: number }[],
): ByteRange[] {
  if (range.from >= range.to) return [];
  const isBoundary = (byte: number) =>
    fields.some(({ offset, width }) => offset === 8 * byte || offset + width === 8 * byte);
  const isInside = (byte: number) =>
    fields.some(
      ({ offset, width }) => width <= 8 * SIZES[0] && offset < 8 * byte && 8 * byte < offset + width,
    );
  return cutBytes(range, { isBoundary, isInside, isTouched: () => true });
}
