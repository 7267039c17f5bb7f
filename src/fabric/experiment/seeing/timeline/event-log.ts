/** Events of a run: all are counted in bins, and a limited number of each kind is listed. */
import { Bins } from "./bins.js";
import { EVENT_KINDS, type EventKind, type RecordedEvent } from "./record.js";

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
