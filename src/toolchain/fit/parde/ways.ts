/**
 * Ways through a parser: the most cycles that a packet takes, the bytes that the parser reads, and whether it keeps up with a port. Each
 * state is a cycle, and a loop counts once (a loop over a stack is unrolled before).
 */
import { defined } from "../../../base/index.js";
import type { HardwareState } from "./machine.js";

/** The state and all after it on the longest way: `weight` summed over states and rows. */
function longest(
  states: readonly HardwareState[],
  weight: (row: HardwareState["rows"][number]) => number,
): number[] {
  const best = new Map<number, number>();
  const open = new Set<number>();
  const from = (id: number): number => {
    const known = best.get(id);
    if (known !== undefined) return known;
    if (open.has(id)) return Number.NEGATIVE_INFINITY;
    open.add(id);
    let most = Number.NEGATIVE_INFINITY;
    for (const row of defined(states[id]).rows) {
      const rest = row.to === undefined ? 0 : from(row.to);
      if (Number.isFinite(rest)) most = Math.max(most, weight(row) + rest);
    }
    open.delete(id);
    const value = Number.isFinite(most) ? most : 0;
    best.set(id, value);
    return value;
  };
  return states.map((_, id) => from(id));
}

export interface Ways {
  /** Cycles of the longest and the shortest way. */
  readonly cycles: number;
  readonly leastCycles: number;
  /** The names of the states on the longest way. */
  readonly longest: readonly string[];
  /** Bytes that the parser goes on in the packet, at most and at least. */
  readonly bytes: number;
  readonly leastBytes: number;
}

/** @param before bytes that the chip puts before the packet, which are part of what is read */
export function waysOf(states: readonly HardwareState[]): Ways {
  const cycles = longest(states, () => 1);
  const bytes = longest(states, ({ shift }) => shift);
  const names: string[] = [];
  const seen = new Set<number>();
  for (let id: number | undefined = states.length > 0 ? 0 : undefined; id !== undefined && !seen.has(id); ) {
    seen.add(id);
    const state: HardwareState = defined(states[id]);
    names.push(state.name);
    const rest = defined(cycles[id]) - 1;
    id = state.rows.find(({ to }) => (to === undefined ? 0 : (cycles[to] ?? 0)) === rest)?.to;
  }
  return {
    cycles: cycles[0] ?? 0,
    leastCycles: least(states, () => 1),
    longest: names,
    bytes: bytes[0] ?? 0,
    leastBytes: least(states, ({ shift }) => shift),
  };
}

/** The shortest way from the first state to an end. */
function least(
  states: readonly HardwareState[],
  weight: (row: HardwareState["rows"][number]) => number,
): number {
  if (states.length === 0) return 0;
  const best = new Map<number, number>([[0, 0]]);
  let end = Number.POSITIVE_INFINITY;
  for (let changed = true; changed; ) {
    changed = false;
    for (const [id, sofar] of [...best])
      for (const row of defined(states[id]).rows) {
        const sum = sofar + weight(row);
        if (row.to === undefined) end = Math.min(end, sum);
        else if (sum < (best.get(row.to) ?? Number.POSITIVE_INFINITY)) {
          best.set(row.to, sum);
          changed = true;
        }
      }
  }
  return Number.isFinite(end) ? end : 0;
}

/** Ethernet: what a frame takes on the wire besides its bytes without the check sequence. Preamble 8, check sequence 4, and the gap of fast ports 1. */
const WIRE_BYTES = 13;
const SMALLEST_FRAME = 60;

export interface LineRate {
  /** Bytes of the smallest frames on the wire at which the longest way keeps up with the port; the smallest frame's where it always does. */
  readonly leastBytes: number;
  readonly isKept: boolean;
  /** Million packets a second of the longest way. */
  readonly millionPackets: number;
}

/**
 * Whether a parser keeps up with its port when each packet takes `cycles` cycles (p4c, characterize_parser.h).
 * @param clock in GHz @param port in Gbit/s
 */
export function lineRate(cycles: number, clock: number, port: number): LineRate {
  const smallest = SMALLEST_FRAME + WIRE_BYTES;
  const needed = Math.ceil((port / 8 / clock) * cycles);
  return {
    leastBytes: Math.max(smallest, needed),
    isKept: needed <= smallest,
    millionPackets: cycles === 0 ? Number.POSITIVE_INFINITY : (1000 * clock) / cycles,
  };
}
