import type { RetransmissionOptions } from "../../retransmission-timer.js";
import type { MessageControlMaker } from "./message-control.js";

/**
 * `selective_repeat`: the receiver keeps what arrives above a gap and reports it, the sender repeats what is lost. `go_back_n`: the receiver discards it
 * and sends a NACK, the sender repeats everything from the gap on, as RoCE does.
 */
export const RECOVERIES = ["selective_repeat", "go_back_n"] as const;
export type Recovery = (typeof RECOVERIES)[number];

/** The message transport; times in nanoseconds. */
export interface MessageOptions extends RetransmissionOptions {
  readonly protocol: "messages";
  /** Payload bytes of a full packet. */
  readonly segmentBytes: number;
  readonly recovery: Recovery;
  /** Selective repeat: a packet is lost when one that was sent so many packets after it has arrived. */
  readonly reorderingPackets: number;
  /** Packets; see `MessageControlContext`. */
  readonly window: number;
  readonly control: MessageControlMaker;
  /** Whether packets are ECN-capable; those of a policy that wants marks are anyway. */
  readonly ecn: boolean;
  /** The receiver sends at most one notification packet a flow in this time; absent: none. */
  readonly notificationInterval?: number;
}
