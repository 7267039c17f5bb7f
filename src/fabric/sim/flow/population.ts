/** The flows of a run, and the effect of a step of time on them. */

/** A flow that starts. */
export interface FlowStart {
  readonly startNs: number;
  /** Node indexes of hosts. */
  readonly source: number;
  readonly destination: number;
  /** Infinite for a flow without an end. */
  readonly bytes: number;
}

/** A flow has ended: the time of its admission, and the time of its last byte. */
export type FlowEnd = (admittedNs: number, endNs: number) => void;

/** The flows of a run. */
export interface Population {
  /** Flows that have not ended. */
  readonly open: number;
  /** Flows that come together, in the order of their starts. */
  admit(flows: readonly FlowStart[], nowNs: number): void;
  /** Before rates are given for a step: no flow gets more than it has left to send in the step. */
  limit(stepNs: number): void;
  /** Serves all flows from `nowNs` on by the rates of their bundles; returns the bytes. */
  serve(nowNs: number, stepNs: number): number;
}
