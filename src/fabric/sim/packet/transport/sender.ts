/**
 * The sending half of TCP: what may be sent and when, which segments are lost, when they are retransmitted. Positions count the
 * bytes of the stream from 0; a FIN takes the position after the last byte.
 *
 * One file, because loss detection, recovery and the timers read and write the same positions for each acknowledgement;
 * parts with a state of their own are in other files (`scoreboard.ts`, `rack.ts`, `delivery-rate.ts`).
 */

import type { Segment } from "../../../../base/packets/index.js";
import { unwrap } from "../../../../base/packets/index.js";
import { type PathChooser, RoundCounter, type SegmentMarks } from "../../../hosts/index.js";
import type { ConnectionCounters } from "../connection.js";
import type { RetransmissionTimeout } from "../retransmission-timer.js";
import type { AckSample, CongestionControl } from "./congestion/congestion-control.js";
import { DeliveryRate } from "./delivery-rate.js";
import { Rack } from "./rack.js";
import { Scoreboard } from "./scoreboard.js";
import type { TcpOptions } from "./tcp-options.js";

/** Operations of the connection that a sender uses. */
export interface SenderOutput {
  now(): number;
  /**
   * Sends `[start, start + bytes)`, and a FIN after it. `fresh`: for the first time. Returns when its last bit leaves the host.
   */
  sendData(
    start: number,
    bytes: number,
    fin: boolean,
    fresh: boolean,
    selector: number,
    data: number,
  ): number;
  timedOut(attempt: number): void;
  recovered(attempts: number): void;
  /** The user timeout has passed. */
  giveUp(): void;
}

/** Source of a subflow's data; the sender asks, the connection answers by {@link Sender.assign}. */
export interface SubflowSource {
  /** Whether there are data that this subflow could send. */
  readonly hasData: boolean;
  /** A segment could be sent now. */
  onRoom(): void;
  /** `[start, start + bytes)` of the stream of all subflows has arrived. */
  onDelivered(start: number, bytes: number): void;
}

export interface SenderParts {
  source: SubflowSource | undefined;
  output: SenderOutput;
  options: TcpOptions;
  chooser: PathChooser;
  control: CongestionControl;
  timeout: RetransmissionTimeout;
  counters: ConnectionCounters;
}

/** `recovery`: after a loss that was found without a timeout. `loss`: after a timeout. */
type State = "open" | "recovery" | "loss";

const DUPLICATE_THRESHOLD = 3;
/** Segments that leave beyond the window while duplicates have found no loss (RFC 3042; RFC 5681, section 3.2, step 1). */
const LIMITED_TRANSMIT = 2;
/** Full segments that limited transmit may send beyond the window before a loss counts as found (RFC 3042, with SACK). */
const BEYOND_WINDOW = 3;
/** New segments that F-RTO sends (RFC 5682, section 3.1, step 2b). */
const FRTO_SEGMENTS = 2;
const NEVER = Number.POSITIVE_INFINITY;

export class Sender {
  readonly #output: SenderOutput;
  readonly #options: TcpOptions;
  readonly #chooser: PathChooser;
  readonly control: CongestionControl;
  readonly #timeout: RetransmissionTimeout;
  readonly #counters: ConnectionCounters;
  readonly #board = new Scoreboard();
  readonly #rate = new DeliveryRate(this.#board);
  readonly #rack: Rack;
  readonly #rounds: RoundCounter;
  readonly #source: SubflowSource | undefined;
  /** For a subflow: start of the last assigned data, here and in the stream of all subflows. */
  #chunkStart = 0;
  #chunkData = 0;

  /** As negotiated. */
  #open = false;
  #mss: number;
  #sack: boolean;
  #byRack: boolean;

  /** Oldest unacknowledged position, first position that never was sent, end of the data that may be sent. */
  acknowledged = 0;
  next = 0;
  end = 0;
  /** No more data will be added: a FIN follows it. */
  #finishing = false;
  /** First position beyond the other end's window, and the widest window that it ever offered. */
  #edge = 0;
  #widest = 0;
  /** Sequence and acknowledgement number of the segment that moved the edge last (SND.WL1, SND.WL2). */
  #edgeSequence = 0;
  #edgeAck = 0;

  #state: State = "open";
  /** The recovery ends when everything before this position is acknowledged. */
  #recover = -1;
  #duplicateAcks = 0;
  /** Without SACK: bytes that duplicate acknowledgements represent. */
  #presumedArrived = 0;
  /** Without SACK: the segment that a partial acknowledgement shows to be lost, which leaves at once; -1 where none does. */
  #hole = -1;
  /** Whether the first partial acknowledgement of this recovery is still to come (RFC 6582, section 3.2). */
  #impatient = false;
  /** The rescue retransmission of this recovery was sent (RFC 6675, section 4, rule 4). */
  #rescued = false;
  /** F-RTO (RFC 5682, section 3.1): 1 from a timeout on (step 2), 2 after the next acknowledgement of new data (step 3), 0 otherwise. */
  #frto = 0;
  /** New segments that step 2b may still send. */
  #frtoLeft = 0;
  /** Retransmissions of the recovery that have not been reported as duplicates; -1: no recovery can be undone. */
  #undoable = -1;
  #undoFrom = 0;
  /** ECE counts again when this position is acknowledged (RFC 3168, section 6.1.2). */
  #congestionEnd = 0;
  /** The next new segment carries CWR. */
  reduced = false;
  /** Tail loss probe (RFC 8985, section 7): acknowledged at this position, -1 without one; and whether it was old data. */
  #probeEnd = -1;
  #probeIsOld = false;

  /** When each timer expires. */
  #rtoAt = NEVER;
  #probeAt = NEVER;
  #reorderingAt = NEVER;
  #persistAt = NEVER;
  #persistCount = 0;
  /** Number of consecutive timeouts without progress. */
  #attempts = 0;
  #silentSince = 0;
  progressAt = 0;
  /** Time of the last departure of data; -1 before the first. */
  #sentAt = -1;
  /** When the next paced segment may leave; and whether one waits for it. */
  #paceAt = 0;
  #pacing = false;
  #windowLimited = false;
  /** The next position when the window last limited the sender; this counts until the position is acknowledged. */
  #limitedUntil = 0;
  /** Since when the path chooser keeps new data back; and the last segment after which new data waited. -1: neither is so. */
  #heldSince = -1;
  #waitingSince = -1;
  /** When the last two segments leave the host. */
  #lastLeavesAt = 0;
  #lastButOneLeavesAt = 0;
  /** Results of one acknowledgement: round trip and send time of its newest segment that was sent once. */
  #rtt = -1;
  #rttSentAt = -1;
  #originalArrived = false;
  #copyArrived = false;
  readonly #sample: AckSample = {
    nowNs: 0,
    deliveredBytes: 0,
    totalDelivered: 0,
    rttNs: -1,
    smoothedRttNs: -1,
    priorInFlight: 0,
    inFlight: 0,
    lostBytes: 0,
    advanced: false,
    mayGrow: false,
    marked: false,
    inRecovery: false,
    windowLimited: false,
    deliveryRate: -1,
    appLimited: false,
    roundStart: false,
  };

  constructor({ source, output, options, chooser, control, timeout, counters }: SenderParts) {
    this.#output = output;
    this.#source = source;
    this.#options = options;
    this.#chooser = chooser;
    this.control = control;
    this.#timeout = timeout;
    this.#counters = counters;
    this.#rack = new Rack(this.#board, options.reordering);
    this.#rounds = new RoundCounter(chooser);
    this.#mss = options.segmentBytes;
    this.#sack = options.sack;
    this.#byRack = options.sack && options.rack;
  }

  /** Data may be sent from now on; `window` in bytes. */
  start(mss: number, sack: boolean, window: number, sequence: number): void {
    this.#open = true;
    this.#mss = mss;
    this.#sack = sack;
    this.#byRack = sack && this.#options.rack;
    this.#edge = this.acknowledged + window;
    this.#widest = window;
    this.#edgeSequence = sequence;
    this.#edgeAck = this.acknowledged;
  }

  stop(): void {
    this.#open = false;
    this.#rtoAt = this.#probeAt = this.#reorderingAt = this.#persistAt = NEVER;
    this.#pacing = false;
  }

  /** A round trip of a segment that is not data: the handshake's. */
  sampleHandshake(rtt: number): void {
    this.#timeout.sample(rtt);
    this.#rack.minRtt = rtt;
  }

  get deadline(): number {
    return Math.min(this.#rtoAt, this.#probeAt, this.#reorderingAt, this.#persistAt);
  }

  /** When {@link Timed.onSoon} is due for a paced segment. */
  get soon(): number {
    return this.#pacing ? this.#paceAt : NEVER;
  }

  /** The pipe of RFC 6675: estimated bytes in flight. A FIN is none of them, so that its segment has room where others have. */
  get inFlight(): number {
    const board = this.#board;
    const bytes = this.next - this.acknowledged - board.sackedBytes - board.lostBytes - this.#presumedArrived;
    return Math.max(0, this.next > this.end && this.#finInFlight ? bytes - 1 : bytes);
  }

  /** Of a sender that has sent a FIN, which its last segment has: whether that one is neither SACKed nor lost. */
  get #finInFlight(): boolean {
    const board = this.#board;
    return !board.isEmpty && !board.isSacked(board.last - 1) && !board.isLost(board.last - 1);
  }

  /**
   * FlightSize for the threshold after a timeout (RFC 5681, equation 4), without what left beyond the window and limited transmit. If a
   * retransmission is lost, only RACK finds it: until the timer expires, new data leave for all data that SACK blocks report, and the
   * unacknowledged data are then many windows. Half of them is no useful threshold.
   */
  get #flightSize(): number {
    const { steadyWindow = NEVER } = this.control;
    return Math.min(this.next - this.acknowledged, steadyWindow + BEYOND_WINDOW * this.#mss);
  }

  /** FlightSize when a loss is found or reported: what limited transmit sent does not count (RFC 5681, section 3.2, step 2). */
  get #flightWithinWindow(): number {
    return Math.min(this.next - this.acknowledged, this.control.steadyWindow ?? NEVER);
  }

  get finSent(): boolean {
    return this.next > this.end;
  }

  get finAcknowledged(): boolean {
    return this.acknowledged > this.end;
  }

  /** Of a subflow: whether a full segment could be sent at once. */
  get takes(): boolean {
    return (
      this.#open &&
      !this.#finishing &&
      this.#attempts === 0 &&
      this.next === this.end &&
      this.#hasRoom() &&
      this.#output.now() >= this.#freeAt()
    );
  }

  get segmentBytes(): number {
    return this.#mss;
  }

  /** Of a subflow: it sends `[start, start + bytes)` of the stream of all subflows next. */
  assign(start: number, bytes: number): void {
    this.#chunkStart = this.end;
    this.#chunkData = start;
    this.add(bytes);
  }

  /** Of a subflow: calls `visit` with each range of the stream of all subflows that it has sent and that has not arrived. */
  visitOutstanding(visit: (start: number, bytes: number) => void): void {
    const board = this.#board;
    for (let serial = board.first; serial < board.last; serial++) {
      const bytes = this.#payload(serial);
      if (!board.isSacked(serial) && bytes > 0) visit(board.data(serial), bytes);
    }
    if (this.next < this.end) visit(this.#dataAt(this.next), this.end - this.next);
  }

  /** Bytes of a segment without its FIN. */
  #payload(serial: number): number {
    const board = this.#board;
    return board.end(serial) - board.start(serial) - (board.hasFin(serial) ? 1 : 0);
  }

  #dataAt(position: number): number {
    return this.#chunkData + position - this.#chunkStart;
  }

  #hasRoom(): boolean {
    const { inFlight } = this;
    if (this.#board.lostBytes > 0 || this.#frto === 2 || this.#edge - this.next < this.#mss) return false;
    if (this.#holds()) return false;
    return inFlight === 0 || inFlight + this.#mss <= this.control.window;
  }

  /** Whether the path chooser allows no new data before all sent data have arrived. */
  #holds(): boolean {
    return this.#chooser.holds === true && !this.#board.isEmpty;
  }

  /** When the pace and the host's own link let the next segment leave. */
  #freeAt(): number {
    return this.control.pacingRate === NEVER
      ? this.#lastButOneLeavesAt
      : Math.max(this.#lastButOneLeavesAt, this.#paceAt);
  }

  /** For a subflow without assigned data: asks for data if it could send them. */
  #offerRoom(now: number): void {
    const source = this.#source!;
    if (!source.hasData) return;
    if (!this.#hasRoom()) this.#noteLimited();
    else if (now < this.#freeAt()) {
      this.#paceAt = Math.max(this.#paceAt, this.#freeAt());
      this.#pacing = true;
    } else source.onRoom();
  }

  add(bytes: number): void {
    this.end += bytes;
    if (this.#sentAt >= 0 && this.#waitingSince < 0) this.#waitingSince = this.#output.now();
    this.fill();
  }

  finish(): void {
    this.#finishing = true;
    this.fill();
  }

  /**
   * Processes the acknowledgements of a segment of the other end; `base` is the sequence number of position 0. False when it
   * acknowledges data that were never sent.
   */
  acknowledge(
    segment: Segment,
    base: number,
    sequence: number,
    window: number,
    ece: boolean,
    marks?: SegmentMarks,
  ): boolean {
    const ack = unwrap(segment.acknowledgement - base, this.acknowledged);
    // A probe of a closed window sends a byte that is not on the scoreboard.
    const board = this.#board;
    const probed = this.#persistCount > 0 && board.isEmpty && this.next < this.end;
    if (ack > (probed ? this.next + 1 : this.next)) return false;
    const now = this.#output.now();
    const edgeBefore = this.#edge;
    const priorInFlight = this.inFlight;
    const flight = this.#flightWithinWindow;
    const lostBefore = board.lostInAll;
    this.#rate.begin();
    this.#rtt = this.#rttSentAt = -1;
    this.#originalArrived = this.#copyArrived = false;
    const before = this.acknowledged;
    const presumedBefore = this.#presumedArrived;
    const wasRecovering = this.#state === "recovery";
    this.#hole = -1;
    if (ack > before) {
      this.#advance(ack, now);
      // Without SACK the segments above a gap are acknowledged with the retransmission that fills it: how long they waited for it is no
      // round trip (Karn's rule for the whole acknowledgement, as in Linux).
      if (!this.#sack && this.#copyArrived) this.#rtt = -1;
      if (board.isEmpty) this.#chooser.onDrained?.();
    }
    const duplicateSack = this.#sack && segment.sackCount > 0 && this.#readSack(segment, base, ack, now);
    this.#obeyWindow(ack, sequence, window);
    const delivered = this.#rate.newlyDelivered;
    if (this.#rtt >= 0) {
      // RFC 7323, appendix G: many samples a round trip weigh as much as one would.
      this.#timeout.sample(this.#rtt, Math.max(1, Math.ceil(priorInFlight / (2 * this.#mss))));
      this.#timeout.attempts = 0;
    }
    const attempts = this.#attempts;
    if (ack > before) {
      this.#attempts = 0;
      this.progressAt = now;
      // RFC 6582, section 3.2: of a recovery without SACK, only the first partial acknowledgement restarts the timer.
      const patient = this.#sack || this.#state !== "recovery" || this.#impatient || ack >= this.#recover;
      if (board.isEmpty) this.#rtoAt = NEVER;
      else if (patient) this.#rtoAt = now + this.#timeout.current;
    }
    const isDuplicate =
      ack === before &&
      segment.payloadLength === 0 &&
      !board.isEmpty &&
      this.#edge === edgeBefore &&
      (this.#sack ? delivered > 0 : true);
    if (isDuplicate) this.#duplicateAcks++;
    else if (ack > before) this.#duplicateAcks = 0;
    if (delivered > 0) {
      if (marks !== undefined) this.#chooser.onAck(marks, this.#rtt >= 0 ? this.#rtt : undefined);
      this.#rounds.acknowledge(delivered, marks?.marked === true, this.acknowledged, this.next, now);
    }
    if (attempts > 0 && ack > before) this.#output.recovered(attempts);
    if (!this.#open) return true;
    this.#resolveProbe(segment, ack, before, duplicateSack, now);
    if (duplicateSack) this.#countUnneeded(segment, base, ack, now);
    if (this.#frto > 0) {
      const isPlain = segment.payloadLength === 0 && this.#edge === edgeBefore;
      this.#judgeTimeout(ack, before, isPlain, now);
    }
    this.#recoverOrDetect(ack, before, isDuplicate, flight, now);
    // After the state: the acknowledgement that ends a recovery starts the timer of probes (RFC 8985, section 7.2).
    if (ack > before) this.#armProbe(now);
    else if (board.sackedSegments > 0) this.#probeAt = NEVER;
    if (ece) this.#congested(flight, now);
    this.#sample.lostBytes = board.lostInAll - lostBefore;
    this.#sample.advanced = ack > before;
    // The acknowledgement that ends a recovery without SACK leaves the window at ssthresh (RFC 6582, section 3.2, step 3).
    this.#sample.mayGrow = this.#sack
      ? ack > before || this.#rack.reorderingSeen
      : ack > before && !wasRecovering;
    this.#fillSample(before, priorInFlight, ece, now);
    // Without SACK, each duplicate of a recovery counts as one segment, which the next acknowledgement of new data does not count again
    // (RFC 9937, section 5, DeliveredData).
    if (!this.#sack && (wasRecovering || this.#state === "recovery"))
      this.#sample.deliveredBytes = Math.max(0, delivered + this.#presumedArrived - presumedBefore);
    if (this.#sample.deliveredBytes > 0) this.control.onAck(this.#sample);
    // A window that has shrunk since may end below the hole: it then waits until the window opens.
    if (this.#hole >= 0 && board.start(this.#hole) < this.#edge)
      this.#resend(this.#hole, this.#pathOf(this.#hole, now), now);
    this.fill();
    return true;
  }

  /** One of the sender's timers may have expired. */
  onTimer(): void {
    const now = this.#output.now();
    if (now >= this.#reorderingAt) {
      this.#reorderingAt = NEVER;
      this.#detectByRack(now);
      if (this.#board.lostBytes > 0 && this.#state === "open") this.#enterRecovery(now);
      this.fill();
    }
    if (now >= this.#probeAt) this.#sendProbe(now);
    if (now >= this.#rtoAt) this.#onTimeout(now);
    if (now >= this.#persistAt) this.#probeWindow(now);
  }

  #noteLimited(): void {
    this.#windowLimited = true;
    this.#limitedUntil = this.next;
  }

  /** Sends what the windows and the pace allow. */
  fill(): void {
    if (!this.#open) return;
    const now = this.#output.now();
    this.#endIdle(now);
    this.#windowLimited = false;
    this.#pacing = false;
    const board = this.#board;
    // New data that F-RTO was to send may not leave any more.
    if (this.#frto === 2 && this.next === this.#recover && this.#freshBytes() < 0) this.#frto = 0;
    let doubtful = false;
    while (this.#frto !== 2 || this.#frtoLeft > 0) {
      let lost = this.#frto === 2 ? -1 : this.#nextLost();
      let bytes = lost < 0 ? this.#freshBytes() : 0;
      if (lost < 0 && bytes < 0) {
        if (doubtful || this.inFlight + this.#mss > this.control.window) break;
        lost = this.#nextDoubtful();
        if (lost < 0) break;
        doubtful = true;
      }
      if (lost >= 0) bytes = this.#payload(lost);
      const inFlight = this.inFlight;
      if (inFlight > 0 && inFlight + bytes > this.control.window) {
        this.#noteLimited();
        break;
      }
      if (this.#lastButOneLeavesAt > now) {
        // Two segments wait for the host's own link: further ones would only wait after them, or be lost there. Kernels
        // hold a connection back in the same way (TCP small queues), so that connections of a host take turns.
        this.#paceAt = Math.max(this.#paceAt, this.#lastButOneLeavesAt);
        this.#pacing = true;
        break;
      }
      const rate = this.control.pacingRate;
      if (rate !== NEVER) {
        if (now < this.#paceAt) {
          this.#pacing = true;
          break;
        }
        this.#paceAt = Math.ceil(now + (bytes * 1e9) / rate);
      }
      if (lost >= 0) this.#resend(lost, this.#pathOf(lost, now), now);
      else {
        this.#sendFresh(bytes, now);
        this.#frtoLeft--;
      }
    }
    if (this.#source !== undefined && this.next === this.end && !this.#finishing) this.#offerRoom(now);
    if (!this.#windowLimited && !this.#pacing && this.next >= this.end && board.lostBytes === 0)
      this.#rate.onAppLimited(this.inFlight);
    this.#watchWindow(now);
  }

  /** Moves the left edge to `ack`. */
  #advance(ack: number, now: number): void {
    const board = this.#board;
    while (!board.isEmpty && board.end(board.first) <= ack) {
      if (!board.isSacked(board.first)) this.#deliver(board.first, now);
      board.shift();
    }
    if (!board.isEmpty && board.start(board.first) < ack) {
      const bytes = ack - board.start(board.first);
      this.#rate.delivered += bytes;
      this.#rate.newlyDelivered += bytes;
      this.#source?.onDelivered(board.data(board.first), bytes);
      board.trim(ack);
    }
    if (ack > this.next) {
      // The byte of a window probe has found room.
      this.#source?.onDelivered(this.#dataAt(this.next), ack - this.next);
      this.#rate.delivered += ack - this.next;
      this.#rate.newlyDelivered += ack - this.next;
      this.next = ack;
    }
    this.acknowledged = ack;
  }

  /** A segment has arrived, as an acknowledgement or a SACK block says for the first time. */
  #deliver(serial: number, now: number): void {
    const board = this.#board;
    const bytes = this.#payload(serial);
    this.#rate.onDelivered(serial, bytes, now);
    this.#source?.onDelivered(board.data(serial), bytes);
    this.#rack.onDelivered(serial, now);
    if (board.isRetransmitted(serial)) {
      this.#copyArrived = true;
      return;
    }
    if (board.start(serial) < this.#recover) this.#originalArrived = true;
    const sentAt = board.sentAt(serial);
    if (sentAt <= this.#rttSentAt) return;
    this.#rttSentAt = sentAt;
    this.#rtt = now - sentAt;
  }

  /** Marks what SACK blocks report; true when the first block is a DSACK (RFC 2883, section 4). */
  #readSack(segment: Segment, base: number, ack: number, now: number): boolean {
    const board = this.#board;
    const { sackStarts, sackEnds, sackCount } = segment;
    const start = unwrap(sackStarts[0]! - base, ack);
    const end = unwrap(sackEnds[0]! - base, ack);
    const outerStart = sackCount > 1 ? unwrap(sackStarts[1]! - base, ack) : 0;
    const outerEnd = sackCount > 1 ? unwrap(sackEnds[1]! - base, ack) : 0;
    const duplicate = end <= ack || (sackCount > 1 && start >= outerStart && end <= outerEnd);
    for (let block = duplicate ? 1 : 0; block < sackCount; block++) {
      const from = unwrap(sackStarts[block]! - base, ack);
      const to = unwrap(sackEnds[block]! - base, ack);
      if (from >= to || to > this.next || from < ack) continue;
      for (let serial = board.find(from); serial < board.last && board.end(serial) <= to; serial++) {
        if (board.start(serial) < from || board.isSacked(serial)) continue;
        this.#deliver(serial, now);
        board.markSacked(serial);
      }
    }
    return duplicate;
  }

  /** RFC 9293, section 3.10.7.4: only newer segments change the window; it may shrink. */
  #obeyWindow(ack: number, sequence: number, window: number): void {
    if (sequence < this.#edgeSequence || (sequence === this.#edgeSequence && ack < this.#edgeAck)) return;
    this.#edgeSequence = sequence;
    this.#edgeAck = ack;
    this.#edge = ack + window;
    this.#widest = Math.max(this.#widest, window);
    if (this.#persistAt !== NEVER && this.#edge > Math.max(this.next, ack)) {
      this.#persistAt = NEVER;
      this.#persistCount = 0;
    }
  }

  #fillSample(before: number, priorInFlight: number, marked: boolean, now: number): void {
    this.#rate.sample(now, this.#rack.minRtt === NEVER ? 0 : this.#rack.minRtt);
    const sample = this.#sample;
    sample.nowNs = now;
    sample.deliveredBytes = this.#rate.newlyDelivered;
    sample.totalDelivered = this.#rate.delivered;
    sample.rttNs = this.#rtt;
    sample.smoothedRttNs = this.#timeout.smoothedRtt ?? -1;
    sample.priorInFlight = priorInFlight;
    sample.inFlight = this.inFlight;
    sample.marked = marked;
    sample.inRecovery = this.#state !== "open";
    // RFC 3168, section 6.1.2: the window does not grow by an acknowledgement with ECE.
    sample.windowLimited =
      before < this.#limitedUntil && !(marked && this.control.onCongestion !== undefined);
    sample.deliveryRate = this.#rate.rate;
    sample.appLimited = this.#rate.appLimited;
    sample.roundStart = this.#rate.roundStart;
  }

  #recoverOrDetect(ack: number, before: number, isDuplicate: boolean, flight: number, now: number): void {
    const board = this.#board;
    // A retransmission may have overtaken a segment that was sent before it, also where its acknowledgement ends the recovery.
    const resent = this.#state !== "open";
    if (this.#state !== "open" && ack >= this.#recover) {
      this.#state = "open";
      this.#presumedArrived = 0;
      this.#frto = 0;
      this.#rack.onRecovered();
      this.control.onRecovered(now);
    }
    if (this.#sack) {
      if (this.#byRack) {
        // Nothing was overtaken while nothing is SACKed and no retransmission is out.
        if (board.sackedBytes > 0 || resent || this.#reorderingAt !== NEVER) this.#detectByRack(now);
      } else if (this.#rate.newlyDelivered > 0) this.#detectBySack();
      if (board.lostBytes > 0 && this.#state === "open") this.#enterRecovery(now, flight);
      return;
    }
    // RFC 6582 without SACK.
    if (ack > before) {
      if (this.#state === "recovery") {
        this.#presumedArrived = Math.max(0, this.#presumedArrived - (ack - before - this.#mss));
        board.markLost(board.first);
        this.#impatient = false;
        this.#hole = board.first;
      } else this.#presumedArrived = 0;
      return;
    }
    if (!isDuplicate || this.#state === "loss") return;
    // Not again for data that were sent before the last recovery ended (RFC 6582, section 3.2, step 1).
    const enters =
      this.#state === "open" && this.#duplicateAcks === DUPLICATE_THRESHOLD && ack > this.#recover;
    const most =
      enters || this.#state === "recovery"
        ? Math.max(0, this.next - ack - board.lostBytes - this.#mss)
        : LIMITED_TRANSMIT * this.#mss;
    this.#presumedArrived = Math.max(
      this.#presumedArrived,
      Math.min(this.#presumedArrived + this.#mss, most),
    );
    if (enters) {
      board.markLost(board.first);
      this.#enterRecovery(now);
    }
  }

  #detectByRack(now: number): void {
    const window = this.#rack.reorderingWindow(this.#state !== "open", this.#timeout.smoothedRtt ?? 0);
    const wait = this.#rack.detect(window, now);
    this.#reorderingAt = wait > 0 ? now + Math.ceil(wait) : NEVER;
  }

  /** IsLost of RFC 6675, section 4, for each segment; and the first one after three duplicate acknowledgements. */
  #detectBySack(): void {
    const board = this.#board;
    let islands = 0;
    let bytes = 0;
    let inIsland = false;
    for (let serial = board.last - 1; serial >= board.first; serial--) {
      if (board.isSacked(serial)) {
        if (!inIsland) islands++;
        inIsland = true;
        bytes += this.#payload(serial);
        continue;
      }
      inIsland = false;
      const isLost = islands >= DUPLICATE_THRESHOLD || bytes > (DUPLICATE_THRESHOLD - 1) * this.#mss;
      const byCount = serial === board.first && this.#duplicateAcks >= DUPLICATE_THRESHOLD;
      if ((isLost || byCount) && !board.isRetransmitted(serial)) board.markLost(serial);
    }
  }

  #enterRecovery(now: number, flight = this.#flightWithinWindow): void {
    const board = this.#board;
    this.#state = "recovery";
    this.#recover = this.next;
    this.#impatient = true;
    this.#rescued = false;
    this.#probeAt = NEVER;
    this.#probeEnd = -1;
    this.#undoable = 0;
    this.#undoFrom = this.acknowledged;
    this.#counters.fastRetransmits++;
    this.control.onLoss(now, flight, this.inFlight, board.lostBytes);
    this.reduced = true;
    const serial = board.firstLost();
    if (serial < 0 || board.start(serial) >= this.#edge) return;
    // The first retransmission does not wait for the window (RFC 6675, section 5, step 4.3).
    const selectors = this.#chooser.onFastRetransmit?.();
    if (selectors === undefined) this.#resend(serial, this.#pathOf(serial, now), now);
    else this.#resendCopies(serial, selectors, now);
  }

  /** Serial of the lost segment that is to be sent again now; -1 where none is. */
  #nextLost(): number {
    const board = this.#board;
    const lost = board.firstLost();
    return lost >= 0 && board.start(lost) < this.#edge ? lost : -1;
  }

  /**
   * RFC 6675, section 4, rules 3 and 4 of NextSeg: with nothing else to send, one segment that may be lost for each
   * acknowledgement, and once in a recovery the last one, also where nothing is SACKed. -1 where there is none.
   */
  #nextDoubtful(): number {
    const board = this.#board;
    if (this.#state !== "recovery" || !this.#sack || this.#byRack) return -1;
    let highest = -1;
    let sackedAbove = board.sackedSegments;
    for (let serial = board.first; serial < board.last; serial++) {
      if (board.isSacked(serial)) sackedAbove--;
      else {
        highest = serial;
        if (!board.isRetransmitted(serial) && sackedAbove > 0) return serial;
      }
    }
    if (this.#rescued) return -1;
    this.#rescued = true;
    return highest;
  }

  /** Positions that the next new segment takes; -1 where none may be sent now. */
  #freshBytes(): number {
    const room = this.#edge - this.next;
    const left = this.end - this.next;
    if (this.#holds()) {
      if (left > 0 && room > 0 && this.#heldSince < 0) this.#heldSince = this.#output.now();
      return -1;
    }
    if (left <= 0) return this.#finishing && left === 0 && room > 0 ? 1 : -1;
    const bytes = Math.min(this.#mss, left, room);
    if (bytes <= 0) return -1;
    // RFC 9293, section 3.8.6.2.1: no small segments because the window is small; there is no Nagle delay.
    if (bytes < this.#mss && bytes < left && bytes < this.#widest / 2) return -1;
    return bytes;
  }

  #sendFresh(bytes: number, now: number): void {
    const payload = Math.min(bytes, this.end - this.next);
    const stop = this.next + payload;
    const fin = this.#finishing && stop === this.end && stop < this.#edge;
    const start = this.next;
    const idle = this.#board.isEmpty;
    const serial = this.#board.push(start, stop + (fin ? 1 : 0), fin, this.#dataAt(start), now);
    this.#rate.onSend(serial, idle, now);
    this.next = stop + (fin ? 1 : 0);
    if (idle) this.progressAt = now;
    this.#sentAt = now;
    this.#noteSent(now);
    if (this.#heldSince >= 0) {
      this.#counters.heldNs += now - this.#heldSince;
      this.#heldSince = -1;
    }
    if (this.#rtoAt === NEVER) this.#rtoAt = now + this.#timeout.current;
    this.#armProbe(now);
    const selector = this.#pathOf(serial, now);
    this.#noteLeaving(this.#output.sendData(start, payload, fin, true, selector, this.#dataAt(start)));
  }

  /** A segment of data leaves, and new data may wait after it. */
  #noteSent(now: number): void {
    const counters = this.#counters;
    const since = this.#waitingSince;
    if (since >= 0 && now - since > counters.longestSilenceNs) counters.longestSilenceNs = now - since;
    this.#waitingSince = this.next < this.end ? now : -1;
  }

  #noteLeaving(at: number): void {
    this.#lastButOneLeavesAt = this.#lastLeavesAt;
    this.#lastLeavesAt = at;
  }

  #pathOf(serial: number, now: number): number {
    const chooser = this.#chooser;
    if (chooser.selectorFor === undefined) return chooser.selector;
    const position = this.#board.start(serial);
    return chooser.selectorFor({ position, bytes: this.#board.end(serial) - position, nowNs: now });
  }

  #resend(serial: number, selector: number, now: number): void {
    const board = this.#board;
    board.markRetransmitted(serial, now);
    this.#rate.onSend(serial, false, now);
    if (this.#undoable >= 0) this.#undoable++;
    this.#sentAt = now;
    this.#noteSent(now);
    this.#counters.retransmissions++;
    if (this.#rtoAt === NEVER) this.#rtoAt = now + this.#timeout.current;
    const fin = board.hasFin(serial);
    const bytes = this.#payload(serial);
    this.#noteLeaving(
      this.#output.sendData(board.start(serial), bytes, fin, false, selector, board.data(serial)),
    );
  }

  /**
   * One copy for each selector. A DSACK then says only that more than one copy has arrived, not that the first transmission
   * had: the recovery cannot be undone by DSACKs (RFC 3708, section 3.1, assumes one copy).
   */
  #resendCopies(serial: number, selectors: readonly number[], now: number): void {
    if (selectors.length > 1) this.#undoable = -1;
    this.#counters.copiesSent += selectors.length - 1;
    for (const selector of selectors) this.#resend(serial, selector, now);
  }

  #onTimeout(now: number): void {
    const board = this.#board;
    if (board.isEmpty) {
      this.#rtoAt = NEVER;
      return;
    }
    if (this.#attempts === 0) this.#silentSince = now;
    else if (now - this.#silentSince >= this.#options.userTimeout) {
      this.#output.giveUp();
      return;
    }
    const attempt = ++this.#attempts;
    this.#timeout.attempts++;
    this.#counters.timeouts++;
    this.#output.timedOut(attempt);
    if (!this.#open) return;
    // The receiver has forgotten what it had reported (RFC 2018, section 8).
    if (board.isSacked(board.first)) board.clearSacked();
    const flight = this.#flightSize;
    // RFC 5682, section 3.1, step 1: not in a recovery that has begun before. Step 2, in which nothing was acknowledged yet, comes again.
    const isFirst = this.#state === "open" && attempt === 1;
    this.#frto = this.#sack && (isFirst || this.#frto === 1) ? 1 : 0;
    if (attempt === 1) {
      this.#undoable = this.#frto === 1 ? 0 : -1;
      this.#undoFrom = this.acknowledged;
    }
    this.#state = "loss";
    this.#recover = this.next;
    this.#duplicateAcks = 0;
    this.#presumedArrived = 0;
    this.#probeEnd = -1;
    this.#probeAt = this.#reorderingAt = NEVER;
    if (this.#byRack) {
      const window = this.#rack.reorderingWindow(true, this.#timeout.smoothedRtt ?? 0);
      this.#rack.markAfterTimeout(window, now);
    } else for (let serial = board.first; serial < board.last; serial++) board.markLost(serial);
    this.control.onTimeout(now, flight, attempt === 1);
    this.reduced = true;
    this.#rtoAt = now + this.#timeout.current;
    this.#resendCopies(board.first, this.#chooser.onTimeout(attempt), now);
    this.fill();
  }

  /**
   * F-RTO with SACK (RFC 5682, section 3.1, steps 2 and 3). `isPlain`: without data and with the window of the one before, so that it is
   * a duplicate where it acknowledges nothing new (RFC 5681, section 2).
   *
   * Unlike the RFC, data that were sent once and arrive in step 2 prove at once that the timeout was spurious. Linux takes it so, because
   * the end of a flow has no new data to send in step 2 (commit e33099f96d99).
   */
  #judgeTimeout(ack: number, before: number, isPlain: boolean, now: number): void {
    if (this.#frto === 1) {
      if (ack >= this.#recover)
        this.#frto = 0; // 2a
      else if (this.#originalArrived) this.#undo(now);
      else if (ack > before) {
        // 2b; without new data that may leave, because there are none, the other end has no room or the chooser holds them back, the
        // retransmissions go on at once.
        this.#recover = this.next;
        this.#frto = this.next < this.end && this.#freshBytes() >= 0 ? 2 : 0;
        this.#frtoLeft = FRTO_SEGMENTS;
      }
      return;
    }
    if (ack > this.#recover || this.#isSackedFrom(this.#recover))
      this.#frto = 0; // 3a
    else if (this.#originalArrived)
      this.#undo(now); // 3b, also where the whole flight is acknowledged
    else if (ack > before || isPlain) this.#frto = 0; // 3a
  }

  /** Whether a segment that begins at this position or after it is SACKed. */
  #isSackedFrom(position: number): boolean {
    const board = this.#board;
    if (board.sackedSegments === 0) return false;
    for (let serial = board.find(position); serial < board.last; serial++)
      if (board.isSacked(serial)) return true;
    return false;
  }

  #undo(now: number): void {
    this.#frto = 0;
    this.#undoable = -1;
    this.#board.clearLost();
    this.#state = "open";
    this.control.onUndo?.(now);
  }

  /** A DSACK: when all retransmissions of a recovery were unneeded, nothing was lost (RFC 3708, section 3.1). */
  #countUnneeded(segment: Segment, base: number, ack: number, now: number): void {
    this.#rack.onDuplicateSack(ack, this.next);
    const start = unwrap(segment.sackStarts[0]! - base, ack);
    if (this.#undoable <= 0 || start < this.#undoFrom) return;
    if (--this.#undoable === 0) this.#undo(now);
  }

  /** ECE: once a window, and not while a loss has reduced it already (RFC 3168, section 6.1.2). */
  #congested(flight: number, now: number): void {
    if (this.#state !== "open" || this.acknowledged < this.#congestionEnd) return;
    this.#congestionEnd = this.next;
    this.reduced = true;
    this.control.onCongestion?.(now, flight);
  }

  /** RFC 8985, section 7.2: the probe timer, where a tail loss can be. */
  #armProbe(now: number): void {
    const board = this.#board;
    if (
      !this.#byRack ||
      this.#state !== "open" ||
      board.sackedSegments > 0 ||
      this.#probeEnd >= 0 ||
      board.isEmpty
    ) {
      this.#probeAt = NEVER;
      return;
    }
    const smoothed = this.#timeout.smoothedRtt;
    let wait = smoothed === undefined ? this.#options.initial : 2 * smoothed;
    if (board.last - board.first === 1) wait += this.#options.delayedAck.timeout;
    this.#probeAt = Math.min(now + Math.ceil(wait), this.#rtoAt);
  }

  /** RFC 8985, section 7.3. */
  #sendProbe(now: number): void {
    this.#probeAt = NEVER;
    const board = this.#board;
    if (board.isEmpty) return;
    const bytes = this.#freshBytes();
    this.#probeIsOld = bytes < 0;
    if (bytes >= 0) this.#sendFresh(bytes, now);
    else {
      const serial = board.last - 1;
      this.#resend(serial, this.#pathOf(serial, now), now);
    }
    this.#probeEnd = this.next;
    this.#probeAt = NEVER;
    this.#rtoAt = now + this.#timeout.current;
  }

  /** RFC 8985, section 7.4. */
  #resolveProbe(segment: Segment, ack: number, before: number, duplicateSack: boolean, now: number): void {
    if (this.#probeEnd >= 0 && ack >= this.#probeEnd) {
      const plainDuplicate = ack === before && segment.payloadLength === 0 && segment.sackCount === 0;
      if (!this.#probeIsOld || duplicateSack || plainDuplicate) this.#probeEnd = -1;
      else if (ack > this.#probeEnd) {
        // The probe itself has repaired a loss, which would have reduced the window.
        this.#probeEnd = -1;
        if (this.#state === "open") {
          this.control.onLoss(now, this.next - before, this.inFlight, this.#mss);
          this.control.onRecovered(now);
          this.reduced = true;
        }
      }
    }
  }

  /**
   * Starts or stops the timer of window probes, which runs while the other end's window is the only limit (RFC 9293,
   * section 3.8.6.1).
   */
  #watchWindow(now: number): void {
    const board = this.#board;
    const wants = this.next < this.end || (this.#finishing && this.next === this.end);
    const blocked = board.isEmpty ? wants && this.#freshBytes() < 0 : this.#edge <= this.acknowledged;
    if (!blocked) {
      if (this.#persistCount > 0 && this.#edge > this.next) this.#persistCount = 0;
      this.#persistAt = NEVER;
      if (!board.isEmpty && this.#rtoAt === NEVER) this.#rtoAt = now + this.#timeout.current;
      return;
    }
    // Nothing is lost by what the other end has no room for: no retransmission timer.
    this.#rtoAt = this.#probeAt = NEVER;
    if (this.#persistAt === NEVER) this.#persistAt = now + this.#persistWait;
  }

  get #persistWait(): number {
    const { cap } = this.#options;
    return Math.min(this.#timeout.current * 2 ** Math.min(this.#persistCount, 30), cap);
  }

  #probeWindow(now: number): void {
    this.#persistCount++;
    this.#persistAt = now + this.#persistWait;
    const board = this.#board;
    const room = Math.min(this.#edge - this.next, this.end - this.next, this.#mss);
    if (board.isEmpty && room > 0) {
      this.#persistCount = 0;
      this.#persistAt = NEVER;
      this.#sendFresh(room, now);
      return;
    }
    // The probe is one byte, of data that were already sent if there are any; without data, the FIN is the probe.
    const bytes = this.acknowledged < this.end ? 1 : 0;
    const fin = bytes === 0;
    if (fin && board.isEmpty) {
      const serial = board.push(this.next, this.next + 1, true, 0, now);
      this.#rate.onSend(serial, true, now);
      this.next++;
    }
    const data = board.isEmpty ? this.#dataAt(this.next) : board.data(board.first);
    this.#output.sendData(this.acknowledged, bytes, fin, false, this.#chooser.selector, data);
  }

  /** RFC 5681, section 4.1. */
  #endIdle(now: number): void {
    if (this.#sentAt < 0 || !this.#board.isEmpty || this.next >= this.end) return;
    const idle = now - this.#sentAt;
    if (idle < this.#timeout.current) return;
    this.#sentAt = now;
    this.control.onIdle?.(idle);
    this.#chooser.onIdle?.(idle);
  }
}
