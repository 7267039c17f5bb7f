/** Congestion controls of the message transport: a window in packets, a rate, or both. */

/** An acknowledgement that reported new packets. */
export interface MessageAck {
  readonly now: number;
  /** Number of packets that it reported first. */
  readonly packets: number;
  /** From the departure of the packet that it answers from its host; undefined where that packet was sent more than once. */
  readonly rttNs: number | undefined;
  /** Switches that the packet had passed. */
  readonly hops: number;
}

export interface MessageControl {
  /** Packets that may be in flight; below 1 a packet leaves every round trip over this number. */
  readonly window: number;
  /** Payload and headers, bits per second; Infinity: the host's own link alone limits it. */
  rateAt(now: number): number;
  /** A packet leaves, with its headers so many bytes. */
  onSent(bytes: number, now: number): void;
  onAck(ack: MessageAck): void;
  /** A loss was found without a timeout; `rttNs`: the round trip of a packet whose data a switch has cut off, and of the NACK that says so. */
  onLoss(now: number, rttNs?: number): void;
  /** The retransmission timer expired, for the `attempt`-th time since the last progress. */
  onTimeout(attempt: number, now: number): void;
  /** A congestion notification packet arrived (DCQCN). */
  onNotification(now: number): void;
}

/** Values of the sender's end. */
export interface MessageControlContext {
  /** Packets: the window of `fixed`, the start and the largest one of Swift, a limit beside DCQCN's rate. */
  readonly window: number;
  /** Bits per second of the host's link. */
  readonly lineRateBps: number;
}

export type MessageControlMaker = (context: MessageControlContext) => MessageControl;

/** A constant window. */
export class FixedWindow implements MessageControl {
  readonly window: number;

  constructor({ window }: MessageControlContext) {
    this.window = window;
  }

  rateAt(): number {
    return Number.POSITIVE_INFINITY;
  }

  onSent(): void {}
  onAck(): void {}
  onLoss(): void {}
  onTimeout(): void {}
  onNotification(): void {}
}
