/**
 * How the bits of a section of action data can be turned (p4c, backends/tofino/bf-p4c/mau/action_format.h, PackingConstraint). The section is
 * turned as a ring of parts of `grain` bits, and each part within itself as its own rule says. A rule is data; these are its operations.
 */
import { type DataBit, EMPTY } from "./data-operands.js";

export interface Turn {
  /** Bits of a part; 0: nothing can be turned. */
  readonly grain: number;
  /** By part: how it is turned; a missing one is not. Empty where a part is one bit. */
  readonly parts: readonly Turn[];
}

export const STILL: Turn = { grain: 0, parts: [] };
export const BY_BIT: Turn = { grain: 1, parts: [] };

/** The rule of a section of `size` bits as that of a larger one, whose lowest part it becomes. */
export function widened(turn: Turn, size: number, to: number): Turn {
  return { grain: size, parts: [turn, ...new Array<Turn>(to / size - 1).fill(BY_BIT)] };
}

/** The bit at `from` can come to `to`. */
export function canTurn({ grain, parts }: Turn, from: number, to: number): boolean {
  if (from === to || grain === 1) return true;
  if (grain === 0) return false;
  return canTurn(parts[Math.floor(from / grain)] ?? STILL, from % grain, to % grain);
}

export interface Turned {
  readonly turn: Turn;
  readonly bits: readonly DataBit[];
}

/** The bits after a turn that brings the one at `from` to `to`; {@link canTurn} says that there is one. */
export function turned(section: Turned, from: number, to: number): Turned {
  const { turn, bits } = section;
  if (from === to) return section;
  const { grain } = turn;
  const count = bits.length / grain;
  const target = Math.floor(to / grain);
  const steps = (Math.floor(from / grain) - target + count) % count;
  const ring = rotated(bits, steps * grain);
  if (grain === 1) return { turn, bits: ring };
  const parts = rotated(
    Array.from({ length: count }, (_, i) => turn.parts[i] ?? STILL),
    steps,
  );
  const part = { turn: parts[target]!, bits: ring.slice(target * grain, (target + 1) * grain) };
  const inner = turned(part, from % grain, to % grain);
  return {
    turn: { grain, parts: parts.with(target, inner.turn) },
    bits: [...ring.slice(0, target * grain), ...inner.bits, ...ring.slice((target + 1) * grain)],
  };
}

function rotated<T>(list: readonly T[], by: number): T[] {
  return by === 0 ? [...list] : [...list.slice(by), ...list.slice(0, by)];
}

/** A range of bits, both ends included. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

/** The bits that hold something, from the first to the last one; undefined: none. */
export function rangeOf(bits: readonly DataBit[]): Range | undefined {
  const low = bits.findIndex((bit) => bit !== EMPTY);
  return low < 0 ? undefined : { low, high: bits.findLastIndex((bit) => bit !== EMPTY) };
}

/**
 * By how much the bits move to be within the hole, as near to the lowest bit as the rule lets them; undefined: they do not fit
 * (PackingConstraint::can_rotate_in_range).
 */
export function moveInto(section: Turned, hole: Range): number | undefined {
  const { turn, bits } = section;
  const used = rangeOf(bits);
  if (used === undefined) return 0;
  const fits = (move: number) => hole.low <= used.low + move && used.high + move <= hole.high;
  if (fits(0)) return 0;
  const { grain, parts } = turn;
  if (grain === 0) return undefined;
  const wanted = hole.low - used.low;
  if (grain === 1) return fits(wanted) ? wanted : undefined;
  const below = Math.trunc(wanted / grain) * grain;
  if (fits(below)) return below;
  if (hole.high >= used.high + below) {
    const index = Math.floor(used.low / grain);
    const isOne = Math.floor(hole.low / grain) === Math.floor(hole.high / grain);
    const inner = { low: hole.low % grain, high: isOne ? hole.high % grain : grain - 1 };
    const part = { turn: parts[index] ?? STILL, bits: bits.slice(index * grain, (index + 1) * grain) };
    const move = moveInto(part, inner);
    if (move !== undefined) return below + move;
  }
  const above = below + grain;
  return fits(above) ? above : undefined;
}

/** The rule of two sections of one size that are put together (PackingConstraint::merge). */
export function joined(a: Turned, b: Turned): Turn {
  const isEmpty = ({ bits }: Turned) => bits.every((bit) => bit === EMPTY);
  if (isEmpty(a)) return isEmpty(b) ? STILL : b.turn;
  if (isEmpty(b)) return a.turn;
  if (a.turn.grain === 0 || b.turn.grain === 0) return STILL;
  const [coarse, fine] = a.turn.grain > b.turn.grain ? [a, b] : [b, a];
  const { grain, parts } = coarse.turn;
  if (grain === 1) return BY_BIT;
  // What the finer rule turned as a whole stays where it is within a part.
  const cut = ({ bits }: Turned, i: number) => bits.slice(i * grain, (i + 1) * grain);
  return {
    grain,
    parts: Array.from({ length: coarse.bits.length / grain }, (_, i) =>
      joined({ turn: parts[i] ?? STILL, bits: cut(coarse, i) }, { turn: STILL, bits: cut(fine, i) }),
    ),
  };
}
