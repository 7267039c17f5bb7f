/**
 * Which group of a crossbar takes the next bytes of a key (p4c, backends/tofino/bf-p4c/mau/tofino/input_xbar.cpp,
 * grp_use::is_better_group). The rule is one for the exact crossbar, for the ternary one, and for the bytes between its groups.
 */
import { compareRanks } from "../../../base/index.js";

/** A byte of a container. */
export interface CrossbarByte {
  readonly name: string;
  /** Its place in the crossbar, counted modulo `align`, is `phase`: the bytes of a container of 32 bits keep their order. */
  readonly align: 1 | 2 | 4;
  readonly phase: number;
}

/** What a group has for the bytes that have no place yet. */
export interface GroupRoom {
  readonly group: number;
  /** Bytes that are there and can serve. */
  readonly found: number;
  /** Places that nothing takes, counted from the first byte of the crossbar. */
  readonly free: readonly number[];
}

/** The order in which bytes look for places: those of wide containers first, of each the highest. */
export function byConstraint(a: CrossbarByte, b: CrossbarByte): number {
  return b.align - a.align || b.phase - a.phase;
}

/** Whether a byte can stand at a place. */
export function isPlaceOf(byte: CrossbarByte, place: number): boolean {
  return place % byte.align === byte.phase % byte.align;
}

/** How many bytes of containers of this alignment have a free place. */
export function placeable(bytes: readonly CrossbarByte[], free: readonly number[], align: number): number {
  let sum = 0;
  for (let phase = 0; phase < align; phase++) {
    const wanted = bytes.filter((byte) => byte.align === align && byte.phase % align === phase).length;
    sum += Math.min(wanted, free.filter((place) => place % align === phase).length);
  }
  return sum;
}

/**
 * The group that the bytes go to; undefined: there is none.
 * @param wanted a group that has room for more bytes than these goes before one that has not
 * @param prefersFound the one with the most bytes that are there already, and of those with as many the fullest
 */
export function bestGroup(
  bytes: readonly CrossbarByte[],
  groups: readonly GroupRoom[],
  { wanted, prefersFound }: { wanted: number; prefersFound: boolean },
): GroupRoom | undefined {
  // By phase: bytes of containers of 32 bits, and of 16 bits.
  const words = [0, 0, 0, 0];
  const halves = [0, 0];
  for (const { align, phase } of bytes)
    if (align === 4) words[phase & 3]!++;
    else if (align === 2) halves[phase & 1]!++;
  const most = Math.max(...words);
  let best: GroupRoom | undefined;
  let bestRank: readonly number[] = [];
  for (const group of groups) {
    const { found, free } = group;
    const room = found + free.length;
    const places = [0, 0, 0, 0];
    for (const place of free) places[place & 3]!++;
    const taken = places.map((count, phase) => Math.min(count, words[phase]!));
    const placeableHalves = (left: readonly number[]) =>
      Math.min(halves[0]!, left[0]! + left[2]!) + Math.min(halves[1]!, left[1]! + left[3]!);
    const rank = [
      room > wanted ? 1 : 0,
      ...(prefersFound ? [found, -room] : []),
      taken.reduce((sum, count) => sum + count, 0),
      placeableHalves(places.map((count, phase) => count - taken[phase]!)),
      // Of the phase that the most bytes have.
      taken.reduce((sum, count, phase) => sum + (words[phase] === most ? count : 0), 0),
      placeableHalves(places),
      room,
    ];
    if (best !== undefined && compareRanks(rank, bestRank) <= 0) continue;
    best = group;
    bestRank = rank;
  }
  return best;
}
