/**
 * What hosts send, in the form that the engines use: flows one after the other in the order of their starts, and packets of a
 * recording. Nothing holds a list of all flows: a workload draws or reads each flow on demand.
 */

/** Flows that are measured together: a request with its answers, the senders of one incast, or the steps of a collective operation. */
export interface FlowGroup {
  /** From 0, in the order of the starts. */
  readonly id: number;
  /** Nanoseconds from the start of the traffic to the start of its first flow. */
  readonly startNs: number;
  /** Flows of the group, those that start later because of a completion included. The group is complete when all are. */
  readonly flows: number;
  /** The shortest time of the group in nanoseconds, from those of its flows; absent where that is not the sum of a rule. */
  idealNs?(timeOf: (flow: FlowArrival) => number | undefined): number | undefined;
}

/** One flow, from the instant at which its source has the data. */
export interface FlowArrival {
  /** From 0, in the order in which the workload gives flows; unique. */
  readonly id: number;
  /** Whole nanoseconds after the start of the traffic. */
  readonly startNs: number;
  /** Indexes of hosts in `Topology.nodes`; they differ. */
  readonly source: number;
  readonly destination: number;
  /** Payload, at least 1. */
  readonly bytes: number;
  readonly protocol: "tcp" | "udp";
  /** Payload rate in bits per second: of UDP flows, and of TCP flows whose application writes at a rate. */
  readonly rateBps?: number | undefined;
  /** Port of the receiver. */
  readonly port: number;
  /** Absent: the flow is measured alone. */
  readonly group?: FlowGroup;
}

/** Flows in the order of their starts, drawn or read one at a time. */
export interface Workload {
  /** Bits of payload per second that all hosts together offer on average; absent where it follows from the network. */
  readonly offeredBps?: number | undefined;
  /** The next flow; its start is not before that of the previous flow. Undefined after the last flow. */
  next(): FlowArrival | undefined;
  /**
   * To be called when a flow is complete, with the time since the start of the traffic: gives the flows that start because
   * of it (answers, the next request), none before `nowNs`. Absent: completions start nothing.
   */
  completed?(flow: FlowArrival, nowNs: number): readonly FlowArrival[];
}

/** A frame that a host sends at a given time, whatever answers it gets. */
export interface TimedFrame {
  /** Whole nanoseconds after the start of the traffic. */
  readonly timeNs: number;
  /** Index of the sending host in `Topology.nodes`. */
  readonly host: number;
  /** Ethernet, without frame check sequence. */
  readonly frame: Uint8Array;
}

/** Recorded packets in the order of their times, read one at a time. */
export interface PacketSource {
  /** The next frame; undefined after the last, and from then on. */
  next(): TimedFrame | undefined;
}
