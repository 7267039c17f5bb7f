/**
 * One end of one TCP connection, as the agent sees it pass by.
 *
 * The kernel does the work. The agent has to tell what the kernel does, since choosers act on it: which segments are new,
 * which ones are sent again after a timeout, which data that arrive are known, which acknowledgements are progress.
 * SYN and FIN count as one byte of data each, as TCP counts them. Times are nanoseconds, sequence numbers those of the
 * wire.
 */
import { type FlowKey, type PathChooser, ReceiveWindow, RoundCounter, unwrap } from "../hosts/index.js";
import type { Mark } from "./marking.js";
import type { Family } from "./packet.js";
import { RoundTrips } from "./round-trips.js";

/** Copies of one acknowledgement at most, whatever has been asked for since the last one. */
const MOST_COPIES = 4;
/** Holes of a stream that are remembered; a kernel's receive buffer has fewer in all but hostile streams. */
const MOST_ISLANDS = 1024;

/** Segments that wait at most: more than the window of a kernel's connection has. */
const MOST_HELD = 16_384;

/** Duplicate acknowledgements that show a loss (RFC 5681). */
export const DUPLICATES_FOR_LOSS = 3;

/** What {@link TcpFlow.acknowledge} returns for an acknowledgement of nothing new. */
export const NO_PROGRESS = -1;

/** Hears of a flow: who sends it, in this process. */
export interface FlowWatcher {
  /** Bytes that it will send; absent: it does not know. */
  readonly bytes?: number | undefined;
  timedOut(flow: TcpFlow, selectors: readonly number[]): void;
  /** Data were acknowledged after `attempts` timeouts. */
  recovered(flow: TcpFlow, attempts: number): void;
  /** New data were acknowledged, and the kernel knows of it. */
  progressed(): void;
  /** Whether the kernel has had a timeout since the last progress. */
  inLossState(): boolean;
}

/** What a flow is made of. */
export interface FlowParts {
  readonly family: Family;
  /** Source and destination address and ports, as this end sends them. */
  readonly key: Uint8Array;
  readonly tuple: FlowKey;
  readonly chooser: PathChooser;
  /** How many connections had this key before. */
  readonly generation: number;
  /** The least retransmission timeout beyond a round trip. */
  readonly leastRtoNs: number;
  markOf(flow: TcpFlow, selector: number): Mark;
  /** Whether a retransmission after so many duplicate acknowledgements comes from the retransmission timer. */
  isTimeout(flow: TcpFlow, duplicates: number): boolean;
}

export class TcpFlow {
  readonly parts: FlowParts;
  readonly chooser: PathChooser;
  /** By selector. */
  readonly #marks = new Map<number, Mark>();
  /** Selector of the last segment that came in. */
  echo = 0;
  /** Selectors that the next acknowledgement leaves on, where it is not the chooser's alone. */
  answers: readonly number[] | undefined;
  watcher: FlowWatcher | undefined;

  // The sending half.
  /** Sequence number of the first segment; undefined: none was sent. */
  first: number | undefined;
  #unacknowledged = 0;
  #next = 0;
  /** Bytes that the last progress acknowledged. */
  #progress = 0;
  /** When the first unacknowledged segment left last, and when an acknowledgement came last. */
  #headSent = 0;
  #acknowledged = 0;
  /** Duplicate acknowledgements since the first unacknowledged segment left. */
  #duplicates = 0;
  #window = -1;
  /** Position in the stream of the first unacknowledged byte: data begin at 0, a SYN stands before them. */
  #position = 0;
  /** When data left last; undefined before the first. */
  #dataSent: number | undefined;
  /** Duplicate acknowledgements since the last progress or timeout. */
  #heard = 0;
  readonly #roundTrips: RoundTrips;
  readonly #rounds: RoundCounter;
  /** What the chooser wants for the retransmission that duplicate acknowledgements have asked for. */
  #resend: readonly number[] | undefined;
  /** Whether it was asked since the last progress or timeout. */
  #asked = false;
  /** Round-trip time that the last progress measured. */
  rttNs: number | undefined;
  /** Timeouts since the last progress, and in all. */
  attempts = 0;
  timeouts = 0;
  /** When the last retransmission of a timeout left. */
  triedAt = 0;

  /** Segments that the chooser holds back. */
  #held: Uint8Array[] = [];
  /** End of the last of these. */
  #heldEnd = 0;

  // The receiving half.
  /** Sequence number of the other end's SYN; undefined: it was not seen. */
  peerFirst: number | undefined;
  #received: ReceiveWindow | undefined;
  /** End of the highest data that came in, in the positions of {@link #received}. */
  #highestReceived = 0;
  /** Whether marked data came in that no acknowledgement has reported yet. */
  owesMark = false;
  /** Directions that are over: bit 0 is ours, bit 1 the other end's. */
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
   * Data leave; `isSyn`: with a SYN. "timeout" when the kernel's retransmission timer ran out: the first unacknowledged segment
   * leaves again, `quiet` nanoseconds or more after it left last and after the last acknowledgement that could have made the
   * kernel send. Where duplicate acknowledgements have come in between, `isTimeout` decides. "fast" when these made the kernel
   * send it again.
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

  /** Selectors of the retransmission that duplicate acknowledgements have caused; undefined: as an ordinary segment. */
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
    this.#heard = 0;
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

  /** All data that left is acknowledged. */
  get isDrained(): boolean {
    // Sequence numbers of 32 bits, which are equal with a sign or without.
    return ((this.#next - this.#unacknowledged) | 0) === 0;
  }

  /** Whether a segment with new data would leave while other data is under way, or behind such segments that wait. */
  waits(sequence: number, length: number): boolean {
    const isNew = this.first !== undefined && ((sequence + length - this.#next) | 0) > 0;
    return isNew && (!this.isDrained || this.#held.length > 0) && this.#held.length < MOST_HELD;
  }

  /** A segment as the kernel made it waits until {@link release}; one that the kernel sends again waits already. */
  hold(packet: Uint8Array, sequence: number, length: number): void {
    const end = (sequence + length) | 0;
    if (this.#held.length > 0 && ((end - this.#heldEnd) | 0) <= 0) return;
    this.#held.push(packet);
    this.#heldEnd = end;
  }

  /** The segments that need not wait any more; undefined: none, or they still wait. */
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
   * An acknowledgement came; `isPure`: without data. Returns the number of timeouts that its progress ends, 0 for progress
   * without any, {@link NO_PROGRESS} where it acknowledges nothing new.
   */
  acknowledge(number: number, isPure: boolean, window: number, now: number): number {
    if (this.first === undefined) return NO_PROGRESS;
    const progress = (number - this.#unacknowledged) >>> 0;
    const underWay = (this.#next - this.#unacknowledged) >>> 0;
    if (progress === 0) {
      if (isPure && window === this.#window && underWay !== 0) {
        this.#duplicates++;
        this.#acknowledged = now;
        if (++this.#heard === DUPLICATES_FOR_LOSS && this.attempts === 0 && !this.#asked) this.#ask();
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

  /** Counts the last progress; the chooser hears of a round that it ended. */
  countRound(isMarked: boolean, now: number): void {
    this.#rounds.acknowledge(this.#progress, isMarked, this.#position, this.positionOf(this.#next), now);
  }

  /** The kernel answers the other end's repeated SYN with its own one again: that is no timeout. */
  answersAgain(now: number): void {
    this.#acknowledged = now;
  }

  /** Data came in; true when all of them were known. The chooser hears of new ones below the highest. */
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

  /** The acknowledgement of what came in is to leave on these selectors. */
  answerOn(selectors: readonly number[]): void {
    if (this.answers === undefined) {
      if (selectors.length !== 1 || selectors[0] !== this.chooser.selector) this.answers = selectors;
      return;
    }
    const more = selectors.filter((selector) => !this.answers!.includes(selector));
    this.answers = [...this.answers, ...more.slice(0, Math.max(MOST_COPIES - this.answers.length, 0))];
  }
}
