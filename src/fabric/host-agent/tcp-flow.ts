/**
 * One end of one TCP connection, as far as the agent can follow it from its segments.
 *
 * The kernel runs TCP. The agent infers what the kernel does, since choosers act on it: which segments are new,
 * which are retransmissions after a timeout, which received data are known, which acknowledgements are progress.
 * SYN and FIN count as one byte of data each, as in TCP. Times are nanoseconds, sequence numbers those of the
 * wire.
 */
import { type FlowKey, type Ip, unwrap } from "../../base/packets/index.js";
import { type PathChooser, ReceiveWindow, RoundCounter } from "../hosts/index.js";
import type { Mark } from "./marking.js";

/**
 * Measures round-trip times of one sender, one segment at a time (RFC 6298, section 3): a segment that may have been sent more than once
 * is not measured. Positions are those of the stream, times are nanoseconds.
 */
class RoundTrips {
  /** End of the segment that is timed, and the time of its departure; undefined when none is. */
  #timedEnd: number | undefined;
  #timedAt = 0;
  #smoothed: number | undefined;
  #variation = 0;

  /** @param leastNs the minimum by which a retransmission timeout exceeds a round trip */
  constructor(readonly leastNs: number) {}

  /** New data up to a position leave. */
  sent(end: number, now: number): void {
    if (this.#timedEnd !== undefined) return;
    this.#timedEnd = end;
    this.#timedAt = now;
  }

  /** Data are retransmitted. */
  sentAgain(): void {
    this.#timedEnd = undefined;
  }

  /** All data before a position are acknowledged. Returns the round-trip time, if one was measured. */
  acknowledged(position: number, now: number): number | undefined {
    if (this.#timedEnd === undefined || position < this.#timedEnd) return undefined;
    this.#timedEnd = undefined;
    const rtt = now - this.#timedAt;
    if (this.#smoothed === undefined) {
      this.#smoothed = rtt;
      this.#variation = rtt / 2;
    } else {
      this.#variation += (Math.abs(this.#smoothed - rtt) - this.#variation) / 4;
      this.#smoothed += (rtt - this.#smoothed) / 8;
    }
    return rtt;
  }

  /** The retransmission timeout of Linux; before the first measurement 1 s (RFC 6298, section 2). */
  get timeoutNs(): number {
    if (this.#smoothed === undefined) return 1e9;
    return this.#smoothed + Math.max(this.leastNs, 4 * this.#variation);
  }
}

/** Maximum number of copies of one acknowledgement. */
const MOST_COPIES = 4;
/** Maximum number of gaps of a stream that are tracked; a kernel's receive buffer has fewer except for hostile streams. */
const MOST_ISLANDS = 1024;

/** Maximum number of segments that wait: more than the window of a kernel's connection has. */
const MOST_HELD = 16_384;

/** Duplicate acknowledgements that show a loss (RFC 5681). */
export const DUPLICATES_FOR_LOSS = 3;

/** What {@link TcpFlow.acknowledge} returns for an acknowledgement of nothing new. */
export const NO_PROGRESS = -1;

/** Is notified of the events of a flow that this process sends. */
export interface FlowWatcher {
  /** Number of bytes that it will send; absent: unknown. */
  readonly bytes?: number | undefined;
  timedOut(flow: TcpFlow, selectors: readonly number[]): void;
  /** Data were acknowledged after `attempts` timeouts. */
  recovered(flow: TcpFlow, attempts: number): void;
  /** New data were acknowledged, and the kernel has processed the acknowledgement. */
  progressed(): void;
  /** Whether the kernel has had a timeout since the last progress. */
  inLossState(): boolean;
}

/** Properties of a flow. */
interface FlowParts {
  readonly family: Ip.Family;
  /** Source and destination address and ports, as this end sends them. */
  readonly key: Uint8Array;
  readonly tuple: FlowKey;
  readonly chooser: PathChooser;
  /** Number of earlier connections with this key. */
  readonly generation: number;
  /** The minimum by which the retransmission timeout exceeds a round trip. */
  readonly leastRtoNs: number;
  markOf(flow: TcpFlow, selector: number): Mark;
  /** Whether a retransmission after this number of duplicate acknowledgements comes from the retransmission timer. */
  isTimeout(flow: TcpFlow, duplicates: number): boolean;
}

export class TcpFlow {
  readonly parts: FlowParts;
  readonly chooser: PathChooser;
  /** By selector. */
  readonly #marks = new Map<number, Mark>();
  /** Selector of the last segment that came in. */
  echo = 0;
  /** Selectors of the next acknowledgement, where they differ from the chooser's ordinary one. */
  answers: readonly number[] | undefined;
  watcher: FlowWatcher | undefined;

  // The sending half.
  /** Sequence number of the first segment; undefined: none was sent. */
  first: number | undefined;
  #unacknowledged = 0;
  #next = 0;
  /** Bytes that the last progress acknowledged. */
  #progress = 0;
  /** Last departure of the first unacknowledged segment, and arrival of the last acknowledgement. */
  #headSent = 0;
  #acknowledged = 0;
  /** Number of duplicate acknowledgements since the first unacknowledged segment was last sent. */
  #duplicates = 0;
  #window = -1;
  /** Position in the stream of the first unacknowledged byte: data begin at 0, a SYN precedes them. */
  #position = 0;
  /** Last departure of data; undefined before the first. */
  #dataSent: number | undefined;
  /** Number of duplicate acknowledgements since the last progress or timeout. */
  #duplicatesSinceProgress = 0;
  readonly #roundTrips: RoundTrips;
  readonly #rounds: RoundCounter;
  /** Selectors of the chooser for the retransmission that duplicate acknowledgements have caused. */
  #resend: readonly number[] | undefined;
  /** Whether the chooser was asked since the last progress or timeout. */
  #asked = false;
  /** Round-trip time that the last progress measured. */
  rttNs: number | undefined;
  /** Timeouts since the last progress, and total. */
  attempts = 0;
  timeouts = 0;
  /** Departure of the last retransmission after a timeout. */
  triedAt = 0;

  /** Segments that the chooser holds back. */
  #held: Uint8Array[] = [];
  /** End of the last of these. */
  #heldEnd = 0;

  // The receiving half.
  /** Sequence number of the other end's SYN; undefined: it was not seen. */
  peerFirst: number | undefined;
  #received: ReceiveWindow | undefined;
  /** End of the highest data received, in the positions of {@link #received}. */
  #highestReceived = 0;
  /** Whether marked data arrived that no acknowledgement has reported yet. */
  owesMark = false;
  /** Directions that have ended: bit 0 is ours, bit 1 the other end's. */
  ends = 0;

  constructor(parts: FlowParts) {
    this.parts = parts;
    this.chooser = parts.chooser;
    this.#roundTrips = new RoundTrips(parts.leastRtoNs);
    this.#rounds = new RoundCounter(parts.chooser);
  }

  mark(selector: number): Mark {
    let mark = this.#marks.get(selector);
    if (mark === undefined) {
      mark = this.parts.markOf(this, selector);
      this.#marks.set(selector, mark);
    }
    return mark;
  }

  /**
   * Data leave; `isSyn`: with a SYN. Returns "timeout" when the kernel's retransmission timer expired: the first unacknowledged segment
   * leaves again, `quiet` nanoseconds or more after its last departure and after the last acknowledgement that could have made the
   * kernel send. If duplicate acknowledgements arrived in between, `isTimeout` decides. Returns "fast" when these made the kernel
   * retransmit it.
   */
  sent(
    sequence: number,
    length: number,
    isSyn: boolean,
    now: number,
    quiet: number,
  ): "new" | "again" | "fast" | "timeout" {
    if (this.first === undefined) {
      this.first = sequence;
      this.#unacknowledged = sequence;
      this.#next = sequence;
      this.#position = isSyn ? -1 : 0;
    }
    const end = (sequence + length) | 0;
    if (((sequence - this.#next) | 0) >= 0) {
      if (((this.#unacknowledged - this.#next) | 0) === 0) this.#headSent = now;
      this.#next = end;
      this.#roundTrips.sent(this.positionOf(end), now);
      return "new";
    }
    if (((end - this.#next) | 0) > 0) this.#next = end;
    this.#roundTrips.sentAgain();
    // Is the first unacknowledged byte in this segment?
    if ((this.#unacknowledged - sequence) >>> 0 >= length) return "again";
    const silence = now - Math.max(this.#headSent, this.#acknowledged);
    const duplicates = this.#duplicates;
    this.#headSent = now;
    this.#duplicates = 0;
    if (silence < quiet || (duplicates > 0 && !this.parts.isTimeout(this, duplicates)))
      return duplicates > 0 ? "fast" : "again";
    this.#forgetDuplicates();
    this.attempts++;
    this.timeouts++;
    this.triedAt = now;
    return "timeout";
  }

  /** Selectors of the retransmission that duplicate acknowledgements have caused; undefined: those of an ordinary segment. */
  resent(): readonly number[] | undefined {
    // The kernel did not wait for the third one.
    if (!this.#asked && this.attempts === 0) this.#ask();
    const selectors = this.#resend;
    this.#resend = undefined;
    return selectors;
  }

  #ask(): void {
    this.#asked = true;
    this.#resend = this.chooser.onFastRetransmit?.();
  }

  #forgetDuplicates(): void {
    this.#duplicatesSinceProgress = 0;
    this.#asked = false;
    this.#resend = undefined;
  }

  /** The pause before a segment of new data; undefined where it was shorter than a retransmission timeout. */
  idleBefore(sequence: number, now: number): number | undefined {
    const before = this.#dataSent;
    this.#dataSent = now;
    const isAlone = ((sequence - this.#next) | 0) === 0 && ((this.#unacknowledged - this.#next) | 0) === 0;
    if (before === undefined || !isAlone || now - before < this.#roundTrips.timeoutNs) return undefined;
    return now - before;
  }

  /** Whether all data that were sent are acknowledged. */
  get isDrained(): boolean {
    // Sequence numbers of 32 bits, which are equal with a sign or without.
    return ((this.#next - this.#unacknowledged) | 0) === 0;
  }

  /** Whether a segment with new data must wait, because other data are in flight or wait already. */
  waits(sequence: number, length: number): boolean {
    const isNew = this.first !== undefined && ((sequence + length - this.#next) | 0) > 0;
    return isNew && (!this.isDrained || this.#held.length > 0) && this.#held.length < MOST_HELD;
  }

  /** Holds a segment of the kernel until {@link release}; its retransmission is ignored while it waits. */
  hold(packet: Uint8Array, sequence: number, length: number): void {
    const end = (sequence + length) | 0;
    if (this.#held.length > 0 && ((end - this.#heldEnd) | 0) <= 0) return;
    this.#held.push(packet);
    this.#heldEnd = end;
  }

  /** The segments that need not wait any more; undefined: none. */
  release(): readonly Uint8Array[] | undefined {
    if (this.#held.length === 0 || (!this.isDrained && this.chooser.holds === true)) return undefined;
    const held = this.#held;
    this.#held = [];
    return held;
  }

  /** Position in the stream of a sequence number near the first unacknowledged one. */
  positionOf(sequence: number): number {
    return this.#position + ((sequence - this.#unacknowledged) | 0);
  }

  /**
   * An acknowledgement arrived; `isPure`: without data. Returns the number of timeouts that its progress ends, 0 for progress
   * without timeouts, {@link NO_PROGRESS} where it acknowledges nothing new.
   */
  acknowledge(number: number, isPure: boolean, window: number, now: number): number {
    if (this.first === undefined) return NO_PROGRESS;
    const progress = (number - this.#unacknowledged) >>> 0;
    const underWay = (this.#next - this.#unacknowledged) >>> 0;
    if (progress === 0) {
      if (isPure && window === this.#window && underWay !== 0) {
        this.#duplicates++;
        this.#acknowledged = now;
        if (++this.#duplicatesSinceProgress === DUPLICATES_FOR_LOSS && this.attempts === 0 && !this.#asked)
          this.#ask();
      }
      this.#window = window;
      return NO_PROGRESS;
    }
    if (progress > underWay) return NO_PROGRESS;
    this.#window = window;
    this.#position += progress;
    this.#unacknowledged = number;
    this.#acknowledged = now;
    this.#duplicates = 0;
    this.#forgetDuplicates();
    this.rttNs = this.#roundTrips.acknowledged(this.#position, now);
    this.#progress = progress;
    const { attempts } = this;
    this.attempts = 0;
    return attempts;
  }

  /** Counts the last progress, and notifies the chooser of a round that it ended. */
  countRound(isMarked: boolean, now: number): void {
    this.#rounds.acknowledge(this.#progress, isMarked, this.#position, this.positionOf(this.#next), now);
  }

  /** The kernel repeats its SYN-ACK for a repeated SYN of the other end: that is no timeout. */
  answersAgain(now: number): void {
    this.#acknowledged = now;
  }

  /** Data arrived; true when all of them were known. The chooser is notified of new data below the highest. */
  arrived(sequence: number, length: number): boolean {
    if (this.#received === undefined) {
      this.#received = new ReceiveWindow(MOST_ISLANDS);
      this.#received.next = sequence;
      this.#highestReceived = sequence;
    }
    const start = unwrap(sequence, this.#received.next);
    const isNew = this.#received.add(start, start + length);
    if (isNew && start < this.#highestReceived) this.chooser.onReordering?.(this.#highestReceived - start);
    this.#highestReceived = Math.max(this.#highestReceived, start + length);
    return !isNew;
  }

  /** Sets the selectors of the acknowledgement of the data that arrived last. */
  answerOn(selectors: readonly number[]): void {
    if (this.answers === undefined) {
      if (selectors.length !== 1 || selectors[0] !== this.chooser.selector) this.answers = selectors;
      return;
    }
    const more = selectors.filter((selector) => !this.answers!.includes(selector));
    this.answers = [...this.answers, ...more.slice(0, Math.max(MOST_COPIES - this.answers.length, 0))];
  }
}
