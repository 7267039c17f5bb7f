/** Counters, meters and registers: flat typed arrays that generated code reads and writes by index. */
import { grown } from "./shape.js";

/** Two numbers a counter: packets and bytes. */
export class CounterArray {
  readonly counts: Float64Array;

  constructor(
    readonly name: string,
    readonly size: number,
  ) {
    this.counts = new Float64Array(2 * size);
  }
}

/** The value of a counter, of an array or of a table's entries. */
export function readCounter(
  { counts }: { counts: Float64Array },
  index: number,
): { packets: number; bytes: number } {
  return { packets: counts[2 * index]!, bytes: counts[2 * index + 1]! };
}

export function setCounter(
  { counts }: { counts: Float64Array },
  index: number,
  packets: number,
  bytes: number,
): void {
  counts[2 * index] = packets;
  counts[2 * index + 1] = bytes;
}

export class RegisterArray {
  readonly words: number;
  /** `words` words an element, low first. */
  readonly data: Int32Array;

  constructor(
    readonly name: string,
    readonly size: number,
    readonly width: number,
  ) {
    this.words = Math.max(1, Math.ceil(width / 32));
    this.data = new Int32Array(size * this.words);
  }

  get(index: number): bigint {
    let value = 0n;
    for (let i = this.words - 1; i >= 0; i--)
      value = (value << 32n) | BigInt(this.data[index * this.words + i]! >>> 0);
    return value;
  }

  /** Gives all elements one value. */
  fill(value: bigint): void {
    if (this.size === 0) return;
    this.set(0, value);
    // What is filled is copied behind itself.
    for (let filled = this.words; filled < this.data.length; filled *= 2)
      this.data.copyWithin(filled, 0, Math.min(filled, this.data.length - filled));
  }

  /** Higher bits of the value are cut off. */
  set(index: number, value: bigint): void {
    const cut = BigInt.asUintN(this.width, value);
    for (let i = 0; i < this.words; i++)
      this.data[index * this.words + i] = Number(BigInt.asIntN(32, cut >> BigInt(32 * i)));
  }
}

/** Rates in units per microsecond, bursts in units (packets or bytes). */
export interface MeterRates {
  readonly committedRate: number;
  readonly committedBurst: number;
  readonly peakRate: number;
  readonly peakBurst: number;
}

/** Eight numbers for each meter: two rates, two bursts, two levels, the time of the last packet, and 1 when configured. */
const FIELDS = 8;

/**
 * Two-rate three-colour meters, colour blind (RFC 2698): a packet that the peak bucket cannot hold is red (2)
 * and takes nothing, one that the committed bucket cannot hold is yellow (1) and takes from the peak bucket,
 * any other is green (0) and takes from both. A meter without rates is green. Buckets start full.
 */
export class MeterArray {
  #state: Float64Array;

  constructor(
    readonly name: string,
    /** Number of meters of an array; 0 for the meters of a table's entries, see {@link reserve}. */
    readonly size: number,
    readonly bytes: boolean,
  ) {
    this.#state = new Float64Array(size * FIELDS);
  }

  /** Makes space for this number of meters; new meters have no rates. */
  reserve(size: number): void {
    this.#state = grown(this.#state, size * FIELDS);
  }

  /** Sets the rates of a meter, or removes them (`undefined`). `now` is in microseconds. */
  configure(index: number, rates: MeterRates | undefined, now: number): void {
    const at = index * FIELDS;
    const state = this.#state;
    state.fill(0, at, at + FIELDS);
    if (rates === undefined) return;
    state[at] = rates.committedRate;
    state[at + 1] = rates.peakRate;
    state[at + 2] = rates.committedBurst;
    state[at + 3] = rates.peakBurst;
    state[at + 4] = rates.committedBurst;
    state[at + 5] = rates.peakBurst;
    state[at + 6] = now;
    state[at + 7] = 1;
  }

  rates(index: number): MeterRates | undefined {
    const [committedRate, peakRate, committedBurst, peakBurst, , , , configured] = this.#state.subarray(
      index * FIELDS,
      (index + 1) * FIELDS,
    ) as unknown as number[];
    if (configured !== 1) return undefined;
    return {
      committedRate: committedRate!,
      peakRate: peakRate!,
      committedBurst: committedBurst!,
      peakBurst: peakBurst!,
    };
  }

  /** Saves a meter with its levels; the result restores it at any index. */
  keep(index: number): (to: number) => void {
    const state = this.#state.slice(index * FIELDS, (index + 1) * FIELDS);
    return (to) => this.#state.set(state, to * FIELDS);
  }

  /** Saves all meters with their levels; the result restores them. */
  keepAll(): () => void {
    const state = this.#state.slice();
    return () => this.#state.set(state);
  }

  /** Colour of a packet of `length` bytes at a time in microseconds. */
  execute(index: number, length: number, now: number): number {
    const state = this.#state;
    const at = index * FIELDS;
    if (state[at + 7] !== 1) return 0;
    const passed = now - state[at + 6]!;
    if (passed > 0) {
      state[at + 6] = now;
      state[at + 4] = Math.min(state[at + 2]!, state[at + 4]! + passed * state[at]!);
      state[at + 5] = Math.min(state[at + 3]!, state[at + 5]! + passed * state[at + 1]!);
    }
    const cost = this.bytes ? length : 1;
    if (state[at + 5]! < cost) return 2;
    state[at + 5]! -= cost;
    if (state[at + 4]! < cost) return 1;
    state[at + 4]! -= cost;
    return 0;
  }
}
