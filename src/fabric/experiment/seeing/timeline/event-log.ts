/** Events of a run: all are counted in bins, and a limited number of each kind is listed. */

import type { Update } from "../../../../toolchain/device/index.js";
import { EVENT_KINDS, type EventKind, type RecordedEvent } from "./record.js";

// Many quantities over time in the same bins, for runs whose length is not known when they begin.

const FIRST_BIN_NS = 1024;

/**
 * Bins begin at 0 and have one length, which doubles whenever the run grows beyond the last one: two bins become one, with their sum
 * or their maximum.
 */
export class Bins {
  readonly #values: Float64Array;
  readonly #bins: number;
  readonly #merge: (a: number, b: number) => number;
  #binNs = FIRST_BIN_NS;

  /** `bins`: an even number. */
  constructor(
    readonly series: number,
    bins: number,
    how: "sum" | "max",
  ) {
    this.#bins = bins;
    this.#values = new Float64Array(series * bins);
    this.#merge = how === "sum" ? (a, b) => a + b : Math.max;
  }

  get binNs(): number {
    return this.#binNs;
  }

  /** Adds an amount that is spread evenly over `from` to `to`. */
  add(series: number, from: number, to: number, amount: number): void {
    this.#makeRoom(to);
    const base = series * this.#bins;
    const [first, last] = [Math.floor(from / this.#binNs), Math.floor(to / this.#binNs)];
    if (first >= last) {
      this.#values[base + last]! += amount;
      return;
    }
    for (let bin = first; bin <= last; bin++) {
      const part = Math.min(to, (bin + 1) * this.#binNs) - Math.max(from, bin * this.#binNs);
      this.#values[base + bin]! += (amount * part) / (to - from);
    }
  }

  /** Raises the bins from `from` to `to` to at least `value`. */
  raise(series: number, from: number, to: number, value: number): void {
    this.#makeRoom(to);
    const base = series * this.#bins;
    const last = Math.floor(to / this.#binNs);
    for (let bin = Math.floor(from / this.#binNs); bin <= last; bin++)
      if (value > this.#values[base + bin]!) this.#values[base + bin] = value;
  }

  /** The bins of one quantity up to `end`. */
  of(series: number, end: number): Float64Array {
    this.#makeRoom(Math.max(0, end - 1));
    const bins = Math.max(1, Math.ceil(end / this.#binNs));
    return this.#values.subarray(series * this.#bins, series * this.#bins + bins);
  }

  #makeRoom(time: number): void {
    while (time >= this.#bins * this.#binNs) this.double();
  }

  /** Two bins become one. */
  double(): void {
    const half = this.#bins / 2;
    for (let base = 0; base < this.#values.length; base += this.#bins) {
      for (let bin = 0; bin < half; bin++)
        this.#values[base + bin] = this.#merge(
          this.#values[base + 2 * bin]!,
          this.#values[base + 2 * bin + 1]!,
        );
      this.#values.fill(0, base + half, base + this.#bins);
    }
    this.#binNs *= 2;
  }
}

/** Gives all of them the same length of bins, long enough for a run up to `end`. */
export function alignBins(all: readonly Bins[], end: number): void {
  for (const bins of all) if (bins.series > 0) bins.of(0, end);
  const longest = Math.max(...all.map(({ binNs }) => binNs));
  for (const bins of all) while (bins.binNs < longest) bins.double();
}

/** Maximum number of listed events of one kind. */
const MAX_LISTED = 5_000;

/** An event that later equal events at the same place may join. */
interface Open {
  event: { -readonly [K in keyof RecordedEvent]: RecordedEvent[K] };
  readonly until: number;
  readonly isListed: boolean;
}

export class EventLog {
  /** Numbers of events; a series for each kind. */
  readonly bins: Bins;
  readonly #listed = new Map<EventKind, RecordedEvent[]>();
  readonly #leftOut = new Map<EventKind, number>();
  readonly #open = new Map<string, Open>();

  constructor(
    bins: number,
    /** Maximum number of listed events of one kind. */
    readonly limit = MAX_LISTED,
  ) {
    this.bins = new Bins(EVENT_KINDS.length, bins, "sum");
  }

  /** Returns whether the event is listed; otherwise it is only counted. */
  add(event: RecordedEvent): boolean {
    const { kind, at, count = 1 } = event;
    this.bins.add(EVENT_KINDS.indexOf(kind), at, at, count);
    let listed = this.#listed.get(kind);
    if (listed === undefined) {
      listed = [];
      this.#listed.set(kind, listed);
    }
    if (listed.length < this.limit) {
      listed.push(event);
      return true;
    }
    this.#leaveOut(kind, count);
    return false;
  }

  /** As {@link add}; events with the same text at the same place within `joinNs` become one event with a count. */
  addJoined(event: RecordedEvent, joinNs: number): void {
    const key = `${event.kind} ${event.node} ${event.link} ${event.flow} ${event.text}`;
    const open = this.#open.get(key);
    const { at, count = 1 } = event;
    if (open === undefined || at > open.until) {
      const own = { ...event };
      this.#open.set(key, { event: own, until: at + joinNs, isListed: this.add(own) });
      return;
    }
    this.bins.add(EVENT_KINDS.indexOf(event.kind), at, at, count);
    if (open.isListed) open.event.count = (open.event.count ?? 1) + count;
    else this.#leaveOut(event.kind, count);
  }

  #leaveOut(kind: EventKind, count: number): void {
    this.#leftOut.set(kind, (this.#leftOut.get(kind) ?? 0) + count);
  }

  /** In time order; events of the same time in the order in which they were added. */
  listed(): RecordedEvent[] {
    return EVENT_KINDS.flatMap((kind) => this.#listed.get(kind) ?? []).sort((a, b) => a.at - b.at);
  }

  counts(end: number): Partial<Record<EventKind, Float64Array>> {
    const there = EVENT_KINDS.filter((kind) => this.#listed.has(kind));
    return Object.fromEntries(there.map((kind) => [kind, this.bins.of(EVENT_KINDS.indexOf(kind), end)]));
  }

  /** One sentence for each kind of which some are not listed. */
  notes(): string[] {
    return [...this.#leftOut].map(
      ([kind, count]) =>
        `The first ${this.limit} events of the kind "${kind}" are listed; ${count} later ones are only counted.`,
    );
  }
}

// What a controller writes to a switch, in a few words.

const WORDS: Readonly<Partial<Record<Update["entity"]["kind"], string>>> = {
  tableEntry: "table entry",
  member: "member",
  group: "group",
  register: "register cell",
  meter: "meter",
  directMeter: "meter of an entry",
  counter: "counter",
  directCounter: "counter of an entry",
  multicastGroup: "multicast group",
};

/** `modify group 3 (4 members)`, `insert table entry x 12`. */
export function updatesText(updates: readonly Update[]): string {
  const counts = new Map<string, number>();
  let detail = "";
  for (const { type, entity } of updates) {
    const what = WORDS[entity.kind] ?? entity.kind;
    const key = `${type.toLowerCase()} ${what}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (updates.length === 1)
      detail =
        entity.kind === "group"
          ? ` ${entity.groupId} (${entity.members.length} members)`
          : entity.kind === "tableEntry"
            ? ` of ${entity.table}`
            : "";
  }
  return [...counts]
    .map(([key, count]) => (count === 1 ? `${key}${detail}` : `${key} x ${count}`))
    .join("; ");
}
