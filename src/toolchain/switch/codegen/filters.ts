/**
 * Low-pass filters and weighted random early detection of a Tofino, over the time of the switch. A cell of a filter is four words in each of
 * two registers. State: the mean in fixed point, its fraction first, then the time in nanoseconds, low word first.
 *
 * Both keep an exponential mean: after `t` without a sample the old mean counts with the weight exp(-t / time constant). The means of the
 * hardware are coarser; which steps they take is not published.
 */

const FRACTION = 2 ** 32;
const MOST = FRACTION - 1 / FRACTION;

/** Words of the specification of a filter. `kind` 0: not configured, the answer is the value. Times in nanoseconds. */
const FILTER = { kind: 0, shift: 1, decay: 2, gain: 3 };
/** Of early detection: thresholds in cells; the probability at `max` as a part of 2^32 - 1. `max` 0: not configured, nothing is dropped. */
const EARLY = { constant: 0, min: 1, max: 2, probability: 3 };

const RATE = 2;

/** The part of the old mean that is left. */
function left(state: Int32Array, at: number, constant: number, now: number): number {
  const last = (state[at + 3]! >>> 0) * FRACTION + (state[at + 2]! >>> 0);
  return constant === 0 ? 0 : Math.exp(-Math.max(0, now - last) / constant);
}

function meanOf(state: Int32Array, at: number): number {
  return (state[at + 1]! >>> 0) + (state[at]! >>> 0) / FRACTION;
}

function keep(state: Int32Array, at: number, mean: number, now: number): number {
  const kept = Math.min(mean, MOST);
  const whole = Math.floor(kept);
  state[at] = Math.floor((kept - whole) * FRACTION);
  state[at + 1] = whole;
  state[at + 2] = now;
  state[at + 3] = Math.floor(now / FRACTION);
  return kept;
}

/** The mean of a sampled value, or the sum of values that fades (rate), shifted to the right. `time` in microseconds. */
export function lowPass(
  spec: Int32Array,
  state: Int32Array,
  at: number,
  value: number,
  time: number,
): number {
  const kind = spec[at + FILTER.kind]!;
  const sample = value >>> 0;
  if (kind === 0) return sample;
  const now = Math.floor(time * 1000);
  const mean = meanOf(state, at);
  const rises = kind !== RATE && sample > mean;
  const old = left(state, at, spec[at + (rises ? FILTER.gain : FILTER.decay)]! >>> 0, now);
  const next = kind === RATE ? mean * old + sample : sample + (mean - sample) * old;
  return Math.floor(keep(state, at, next, now) / 2 ** (spec[at + FILTER.shift]! & 31));
}

/** 1 when the packet is to be dropped; `draw` is a number from 0 to 1, without 1. */
export function earlyDrop(
  spec: Int32Array,
  state: Int32Array,
  at: number,
  value: number,
  time: number,
  draw: () => number,
): number {
  const max = spec[at + EARLY.max]! >>> 0;
  if (max === 0) return 0;
  const now = Math.floor(time * 1000);
  const old = left(state, at, spec[at + EARLY.constant]! >>> 0, now);
  const sample = value >>> 0;
  const mean = keep(state, at, sample + (meanOf(state, at) - sample) * old, now);
  const min = spec[at + EARLY.min]! >>> 0;
  if (mean < min) return 0;
  if (mean >= max) return 1;
  const most = (spec[at + EARLY.probability]! >>> 0) / (FRACTION - 1);
  return draw() < (most * (mean - min)) / (max - min) ? 1 : 0;
}
