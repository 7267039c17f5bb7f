/**
 * Path control by flipped header bits (RePaC, sections 3.3 and 4.1; P-ECMP, appendix A). Each control bit flips the choice
 * of each hop by a fixed offset, and offsets combine by XOR: a pathmap has one row of offsets a bit.
 */
import { rank } from "./gf2.js";

export interface Hop {
  /** Bits of the choice: 2^bits options. */
  readonly bits: number;
  /** Offset of this hop for each control bit. */
  readonly offsets: readonly number[];
}

/** The pathmap's rows with the hops side by side. */
const pathmapRows = (hops: readonly Hop[]): bigint[] =>
  (hops[0]?.offsets ?? []).map((_, bit) =>
    hops.reduce((row, hop) => (row << BigInt(hop.bits)) | BigInt(hop.offsets[bit]!), 0n),
  );

/** Relative paths that some set of control bits gives: 2^rank (appendix A asks for the rank to be the sum of the bits). */
export const reachable = (hops: readonly Hop[]): bigint => 1n << BigInt(rank(pathmapRows(hops)));

/** The same by trying all sets of control bits. `options` cuts a hop that has fewer options than 2^bits: choice modulo options. */
export function reachableByTrying(
  hops: readonly Hop[],
  start: readonly number[] = hops.map(() => 0),
  options: readonly number[] = hops.map(({ bits }) => 2 ** bits),
): number {
  const found = new Set<string>();
  const controls = hops[0]?.offsets.length ?? 0;
  for (let set = 0; set < 2 ** controls; set++)
    found.add(
      hops
        .map((hop, index) => {
          let choice = start[index]!;
          for (let bit = 0; bit < controls; bit++) if ((set >> bit) & 1) choice ^= hop.offsets[bit]!;
          return choice % options[index]!;
        })
        .join("."),
    );
  return found.size;
}

/** Sets of control bits that change every hop: none of the old path's elements remains (4.2.1). */
export function leavesAll(hops: readonly Hop[]): number[] {
  const controls = hops[0]?.offsets.length ?? 0;
  return Array.from({ length: 2 ** controls }, (_, set) => set).filter((set) =>
    hops.every(
      (hop) =>
        hop.offsets.reduce((offset, flip, bit) => ((set >> bit) & 1 ? offset ^ flip : offset), 0) !== 0,
    ),
  );
}

/**
 * Buckets after failures (3.2, figure 3): a failed next hop's buckets are dealt to the N - F left ones in turn; the others
 * keep theirs. The share of each next hop when each failed bucket's entries are dealt uniformly.
 */
export function remappedShares(
  buckets: readonly number[],
  failed: readonly number[],
  hops: number,
): number[] {
  const left = Array.from({ length: hops }, (_, hop) => hop).filter((hop) => !failed.includes(hop));
  return Array.from({ length: hops }, (_, hop) =>
    failed.includes(hop)
      ? 0
      : buckets.reduce(
          (share, own) =>
            share + (own === hop ? 1 : failed.includes(own) ? 1 / left.length : 0) / buckets.length,
          0,
        ),
  );
}
