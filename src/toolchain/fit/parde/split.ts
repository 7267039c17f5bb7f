/**
 * A state that takes more than a cycle can do becomes several, as the compiler divides it (p4c, split_parser_state.cpp): containers in the
 * order of the packet, as many as there are extractors and as the cycle sees bytes; what is left waits for a later state, which begins at
 * the first byte that is left.
 */
import type { Target } from "../target.js";
import type { ContainerWrite, PastWrite, Work } from "./machine.js";
import type { PacketState, SumUse } from "./packet.js";

export type ParserChip = NonNullable<Target["parde"]>["parser"];

/** A part of a state: its work counts from `start`, in bytes from where the state begins. */
export interface Part {
  readonly start: number;
  readonly shift: number;
  readonly work: Work;
}

/** The parts of a state, the last of which has its key; undefined where a value is beyond what any part can see. */
export function splitState(
  state: PacketState,
  writes: readonly ContainerWrite[],
  past: readonly PastWrite[],
  chip: ParserChip,
): Part[] | undefined {
  const total = Math.floor(state.bits / 8);
  const parts: Part[] = [];
  let left: Work = { writes, past, sums: state.sums, counts: state.counts };
  let start = 0;
  for (;;) {
    const { taken, spilled } = takeInCycle(left, start, chip);
    const isKeyHere = state.key.every(
      ({ at, width }) => at === undefined || at + width <= 8 * (start + chip.buffer_bytes),
    );
    const rest = total - start;
    const isDone = isEmpty(spilled) && isKeyHere && rest <= chip.buffer_bytes;
    const shift = isDone ? rest : Math.min(shiftTo(spilled, start), rest, chip.buffer_bytes);
    const before = isDone ? shift : beforeKey(state, start, shift, chip);
    parts.push({ start, shift: before, work: moved(taken, start) });
    if (isDone) return parts;
    // A lookahead beyond the bytes that a cycle sees.
    if (before === 0 && isEmpty(taken)) return undefined;
    left = spilled;
    start += before;
  }
}

const isEmpty = ({ writes, past, sums, counts }: Work): boolean =>
  writes.length + past.length + sums.length + counts.length === 0;

/** Bytes from `start` to the first one that is left. */
function shiftTo({ writes, past, sums }: Work, start: number): number {
  const firsts = [
    ...writes.flatMap(({ from }) => (from === undefined ? [] : [from])),
    ...past.map(({ from }) => from),
    ...sums.flatMap(({ bits }) => bits.map(({ at }) => Math.floor(at / 8))),
  ];
  return Math.max(0, Math.min(Number.MAX_SAFE_INTEGER, ...firsts) - start);
}

/** No value of the key may begin in what is shifted out and end beyond what the cycle sees. */
function beforeKey(
  { key }: PacketState,
  start: number,
  shift: number,
  { buffer_bytes: buffer }: ParserChip,
): number {
  let before = shift;
  for (let changed = true; changed; ) {
    changed = false;
    for (const { at, width } of key) {
      if (
        at === undefined ||
        at < 8 * start ||
        at >= 8 * (start + before) ||
        at + width <= 8 * (start + buffer)
      )
        continue;
      before = Math.floor(at / 8) - start;
      changed = true;
    }
  }
  return before;
}

/** The work counted from `start`. */
function moved({ writes, past, sums, counts }: Work, start: number): Work {
  const bits = <T extends { readonly at: number }>(list: readonly T[]): T[] =>
    list.map((one) => ({ ...one, at: one.at - 8 * start }));
  return {
    writes: writes.map((one) => ({
      ...one,
      from: one.from === undefined ? undefined : one.from - start,
      taken: bits(one.taken),
    })),
    past: past.map((one) => ({ ...one, from: one.from - start, taken: bits(one.taken) })),
    sums: sums.map((one) => ({ ...one, bits: bits(one.bits) })),
    counts,
  };
}

/** What one cycle does of the work, and what it leaves. */
function takeInCycle(work: Work, start: number, chip: ParserChip): { taken: Work; spilled: Work } {
  const end = start + chip.buffer_bytes;
  const extractors = new Extractors(chip);
  const isTaken = (write: ContainerWrite): boolean =>
    write.from === undefined
      ? extractors.constant(write)
      : write.from + write.size / 8 <= end && extractors.packet(write);
  const writes = parted(work.writes, isTaken);
  let tags = 0;
  const past = parted(work.past, ({ from }) => from < end && tags++ < (chip.bypasses_of_state ?? 0));
  const sums = { taken: [] as SumUse[], spilled: [] as SumUse[] };
  const full = new Set<string>();
  for (const sum of work.sums) {
    const before = sum.bits.flatMap(({ at, width }) =>
      at < 8 * end && !full.has(sum.engine) ? [{ at, width: Math.min(width, 8 * end - at) }] : [],
    );
    const after = sum.bits.flatMap(({ at, width }) => {
      const from = full.has(sum.engine) ? at : Math.max(at, 8 * end);
      return from < at + width ? [{ at: from, width: at + width - from }] : [];
    });
    if (after.length > 0 || full.has(sum.engine)) {
      full.add(sum.engine);
      sums.spilled.push({ ...sum, bits: after });
      if (before.length > 0) sums.taken.push({ ...sum, bits: before, gives: false });
    } else sums.taken.push(sum);
  }
  const [first, ...others] = work.counts;
  return {
    taken: {
      writes: writes.taken,
      past: past.taken,
      sums: sums.taken,
      counts: first === undefined ? [] : [first],
    },
    spilled: { writes: writes.spilled, past: past.spilled, sums: sums.spilled, counts: others },
  };
}

function parted<T>(list: readonly T[], isTaken: (one: T) => boolean): { taken: T[]; spilled: T[] } {
  const taken: T[] = [];
  const spilled: T[] = [];
  for (const one of list) (isTaken(one) ? taken : spilled).push(one);
  return { taken, spilled };
}

const SIZES = [32, 16, 8] as const;

/** The extractors of a cycle, by size, while they are given out. */
class Extractors {
  readonly #free: Record<8 | 16 | 32, number>;
  readonly #constants: Record<8 | 16 | 32, number>;

  constructor(readonly chip: ParserChip) {
    this.#free = { ...chip.extractors };
    this.#constants = { ...chip.constants };
  }

  /** A container takes an extractor of its size, or as many of the only size as it has parts. */
  packet({ size }: ContainerWrite): boolean {
    const own = this.chip.extractors[size] > 0 ? size : this.#only();
    const count = Math.ceil(size / own);
    if (this.#free[own] < count) return false;
    this.#free[own] -= count;
    return true;
  }

  /** A constant is written by the largest extractors that hold it; those of the larger sizes hold few bits of ones. */
  constant({ size, constant }: ContainerWrite): boolean {
    for (const own of SIZES) {
      const isOnly = this.chip.extractors[size] === 0;
      if (this.chip.extractors[own] === 0 || (own > size && !isOnly)) continue;
      const words = wordsOf(constant, Math.max(1, size / own), own);
      if (!words.every((word) => spanOf(word, own) <= this.chip.constant_bits[own])) continue;
      const count = isOnly ? Math.max(1, words.filter((word) => word > 0n).length) : words.length;
      if (this.#free[own] < count || this.#constants[own] < count) continue;
      this.#free[own] -= count;
      this.#constants[own] -= count;
      return true;
    }
    return false;
  }

  #only(): 8 | 16 | 32 {
    return SIZES.find((size) => this.chip.extractors[size] > 0) ?? 8;
  }
}

const wordsOf = (value: bigint, count: number, bits: number): bigint[] =>
  Array.from({ length: count }, (_, i) => (value >> BigInt(bits * i)) & ((1n << BigInt(bits)) - 1n));

/** Bits from the first one to the last one of a word, which is a ring: the extractor turns its few bits to any place. */
function spanOf(word: bigint, bits: number): number {
  if (word === 0n) return 0;
  const ones = Array.from({ length: bits }, (_, i) => i).filter((i) => ((word >> BigInt(i)) & 1n) === 1n);
  const gaps = ones.map((at, i) => (ones[i + 1] ?? ones[0]! + bits) - at);
  return bits - Math.max(...gaps) + 1;
}
