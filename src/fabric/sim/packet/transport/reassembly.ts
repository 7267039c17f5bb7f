/**
 * Puts segments in order below TCP, as the modified GRO of Presto does (He et al., SIGCOMM 2015, section 3.2). A stream consists of cells; the
 * segments of a cell take one path, and so arrive in order. A gap within a cell is therefore a loss, which TCP must see at once. A gap up to the end of a
 * cell is one that another path may still fill: what follows waits, but not longer than a time that adapts to how long such gaps were open.
 */
import type { Segment } from "../../../../base/packets/index.js";

export interface ReassemblySettings {
  /** Bytes of a cell. */
  readonly cellBytes: number;
  /** The longest time that a segment waits, in nanoseconds, and the one before any gap was seen to close. */
  readonly holdNs: number;
}

interface Held {
  readonly segment: Segment;
  readonly selector: number;
  /** Position in the stream of its first byte. */
  readonly start: number;
  readonly until: number;
}

/** Weight of the last gap in the mean of their times, and how many times this mean a segment waits. */
const WEIGHT = 1 / 8;
const PATIENCE = 2;

export class Reassembly {
  /** By ascending start. */
  readonly #held: Held[] = [];
  /** Since when the present gap is open. */
  #openedAt = 0;
  /** Mean time that gaps were open; undefined before the first one has closed. */
  #mean: number | undefined;

  constructor(private readonly settings: ReassemblySettings) {}

  /** When the first waiting segment must go on, in nanoseconds. */
  get deadline(): number {
    return this.#held.reduce((first, { until }) => Math.min(first, until), Number.POSITIVE_INFINITY);
  }

  /** How long a segment waits now. */
  get patienceNs(): number {
    const { holdNs } = this.settings;
    return this.#mean === undefined ? holdNs : Math.min(holdNs, PATIENCE * this.#mean);
  }

  /**
   * Whether a segment waits; otherwise it goes on.
   *
   * @param start position in the stream of its first byte
   * @param next that of the next byte that TCP expects
   */
  holds(segment: Segment, selector: number, start: number, next: number, nowNs: number): boolean {
    if (start <= next || this.#cell(start) === this.#cell(next)) return false;
    if (this.#held.length === 0) this.#openedAt = nowNs;
    const own = { segment: segment.copied(), selector, start, until: nowNs + this.patienceNs };
    const place = this.#held.findIndex((other) => other.start > start);
    this.#held.splice(place < 0 ? this.#held.length : place, 0, own);
    return true;
  }

  /** The next segment that goes on: its gap has closed, is a loss, or was open too long. Called again until there is none. */
  release(next: number, nowNs: number): { readonly segment: Segment; readonly selector: number } | undefined {
    const [first] = this.#held;
    if (first === undefined) return undefined;
    if (first.start <= next) {
      this.#closed(nowNs);
      return this.#held.shift();
    }
    if (this.#cell(first.start) === this.#cell(next)) return this.#held.shift();
    // What waits behind an expired segment is not in order either.
    const place = this.#held.findIndex(({ until }) => until <= nowNs);
    return place < 0 ? undefined : this.#held.shift();
  }

  #closed(nowNs: number): void {
    const open = nowNs - this.#openedAt;
    this.#openedAt = nowNs;
    if (open > 0) this.#mean = this.#mean === undefined ? open : this.#mean + WEIGHT * (open - this.#mean);
  }

  #cell(position: number): number {
    return Math.floor(position / this.settings.cellBytes);
  }
}
