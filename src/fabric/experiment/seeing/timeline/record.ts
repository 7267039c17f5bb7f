/** The data that a timeline page shows of one run, from any engine. Times are nanoseconds from its start. */
import { TIER, type Topology } from "../../../topology/index.js";

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
  /** Indexes of the node or link of the event in the record. */
  readonly node?: number;
  readonly link?: number;
  readonly flow?: number;
  /** Number of events that this entry stands for; absent: 1. */
  readonly count?: number;
}

interface RecordedNode {
  readonly name: string;
  /** 0: a host. */
  readonly tier: number;
  /** From 0 to 1. */
  readonly x: number;
  readonly y: number;
}

/** A flow. A figure that the engine cannot report is absent. */
export interface RecordedFlow {
  /** Its number in the results. */
  readonly number: number;
  readonly from: number;
  readonly to: number;
  readonly start: number;
  /** Undefined: it had not ended. */
  readonly end: number | undefined;
  readonly bytes: number | undefined;
  readonly timeouts: number;
  readonly retransmissions?: number;
  /** How often its data left a node by another link than earlier data; `paths` has the first of these changes. */
  readonly moves?: number;
  /** Paths of its data with the times from which they were taken, as directed links (2 * link, plus 1 from its end `b`). */
  readonly paths?: readonly (readonly [at: number, directions: readonly number[]])[];
}

/** An interval in which a fault acts. */
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
  /** The directed link of the port. */
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
  /** Ports at which something waited; undefined: the engine does not report queues. */
  readonly queues: readonly RecordedQueue[] | undefined;
  readonly flows: readonly RecordedFlow[];
  readonly faults: readonly RecordedFault[];
  /** In time order. */
  readonly events: readonly RecordedEvent[];
  /** Number of events of each kind in each bin, including those that are not listed. */
  readonly counts: Readonly<Partial<Record<EventKind, Float64Array>>>;
  /** What the record leaves out, and how its figures are to be read: one sentence each. */
  readonly notes: readonly string[];
}

// Positions of the nodes of a topology in a drawing.

/** Tiers in rows, hosts at the bottom, in the order of the topology; a network without tiers in a circle, hosts around it. */
export function layout({ nodes }: Topology): RecordedNode[] {
  const flat = nodes.some(({ role }) => role === "switch");
  if (!flat) {
    const tiers = [...new Set(nodes.map(({ role }) => TIER[role]))].sort();
    const sizes = tiers.map((tier) => nodes.filter(({ role }) => TIER[role] === tier).length);
    const seen = tiers.map(() => 0);
    return nodes.map(({ name, role }) => {
      const row = tiers.indexOf(TIER[role]);
      const x = (seen[row]!++ + 0.5) / sizes[row]!;
      const y = tiers.length === 1 ? 0.5 : 0.92 - (0.84 * row) / (tiers.length - 1);
      return { name, tier: TIER[role], x: round(x), y: round(y) };
    });
  }
  const switches = nodes.filter(({ role }) => role !== "host");
  const angleOf = (index: number) =>
    (2 * Math.PI * switches.findIndex((one) => one.index === index)) / switches.length;
  return nodes.map(({ name, role, index, ports }) => {
    let [angle, radius] = [angleOf(index), 0.3];
    if (role === "host") {
      const tor = nodes[ports[0]!.peer]!;
      const hosts = tor.ports.filter(({ peer }) => nodes[peer]!.role === "host").map(({ peer }) => peer);
      const spread = (2 * Math.PI) / switches.length;
      angle = angleOf(tor.index) + spread * ((hosts.indexOf(index) + 0.5) / hosts.length - 0.5);
      radius = 0.46;
    }
    return {
      name,
      tier: TIER[role],
      x: round(0.5 + radius * Math.sin(angle)),
      y: round(0.5 - radius * Math.cos(angle)),
    };
  });
}

function round(value: number): number {
  return Number(value.toFixed(4));
}
