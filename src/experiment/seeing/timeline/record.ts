/** What a timeline page shows of one run, whatever engine played it. Times are nanoseconds from its start. */

/** Kinds of events, in the order of the page. */
export const EVENT_KINDS = [
  "fault",
  "repair",
  "order",
  "write",
  "packet-in",
  "packet-out",
  "digest",
  "timeout",
  "retransmission",
  "path",
  "drop",
  "failed",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** Something that happens at an instant. */
export interface RecordedEvent {
  readonly at: number;
  readonly kind: EventKind;
  readonly text: string;
  /** Where: indexes of the record. */
  readonly node?: number;
  readonly link?: number;
  readonly flow?: number;
  /** How many of them this stands for; absent: 1. */
  readonly count?: number;
}

export interface RecordedNode {
  readonly name: string;
  /** 0: a host. */
  readonly tier: number;
  /** From 0 to 1. */
  readonly x: number;
  readonly y: number;
}

/** A flow. A figure that the engine cannot tell is absent. */
export interface RecordedFlow {
  /** As the results call it. */
  readonly number: number;
  readonly from: number;
  readonly to: number;
  readonly start: number;
  /** Undefined: it had not ended. */
  readonly end: number | undefined;
  readonly bytes: number | undefined;
  readonly timeouts: number;
  readonly retransmissions?: number;
  /** Times at which its data left another way than before; those of `paths` are the first of them. */
  readonly moves?: number;
  /** From when on its data took which directed links (2 * link, or + 1 from its end `b`). */
  readonly paths?: readonly (readonly [at: number, directions: readonly number[]])[];
}

/** A time for which something is out of order. */
export interface RecordedFault {
  readonly text: string;
  readonly from: number;
  readonly to: number | undefined;
  readonly node?: number;
  readonly link?: number;
}

/** One output port of a switch: the greatest length of its queue in each bin. */
export interface RecordedQueue {
  readonly node: number;
  readonly port: number;
  /** The directed link behind it. */
  readonly direction: number;
  readonly bytes: Float64Array;
}

export interface RunRecord {
  readonly title: string;
  readonly scheme: string;
  readonly engine: string;
  readonly seed: number;
  readonly end: number;
  readonly nodes: readonly RecordedNode[];
  readonly links: readonly { readonly a: number; readonly b: number; readonly rateBps: number }[];
  readonly binNs: number;
  readonly bins: number;
  /** By directed link: share of its rate in each bin, 0 to 1; undefined: nothing passed, or it was not measured. */
  readonly use: readonly (Float64Array | undefined)[];
  /** Ports at which something waited; undefined: the engine does not tell. */
  readonly queues: readonly RecordedQueue[] | undefined;
  readonly flows: readonly RecordedFlow[];
  readonly faults: readonly RecordedFault[];
  /** In time order. */
  readonly events: readonly RecordedEvent[];
  /** How many events of each kind there were in each bin, those that are not listed too. */
  readonly counts: Readonly<Partial<Record<EventKind, Float64Array>>>;
  /** What is not in the record, and how its figures are to be read: one sentence each. */
  readonly notes: readonly string[];
}
