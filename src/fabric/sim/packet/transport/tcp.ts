/**
 * One end of a TCP connection (RFC 9293): its states from the handshake to the close, received segments, and
 * sent segments. {@link Sender} and {@link Receiver} are its two halves.
 *
 * There are no timestamps (RFC 7323): together with the echo they would leave space for two SACK blocks instead of three, the
 * scoreboard gives a round trip for each acknowledgement, DSACK and F-RTO detect spurious recoveries, and connections are too
 * short here for sequence numbers to wrap around.
 */

import type { FlowKey, SegmentBuilder } from "../../../../base/packets/index.js";
import {
  FLAG_ACK,
  FLAG_CWR,
  FLAG_ECE,
  FLAG_FIN,
  FLAG_PSH,
  FLAG_RST,
  FLAG_SYN,
  type Segment,
  TcpOption,
  unwrap,
} from "../../../../base/packets/index.js";
import type { PathChooser, SegmentMarks } from "../../../hosts/index.js";
import {
  type CloseReason,
  type Connection,
  ConnectionCounters,
  type ConnectionHost,
  type ConnectionListener,
} from "../connection.js";
import { RetransmissionTimeout } from "../retransmission-timer.js";
import type { CongestionControl } from "./congestion/congestion-control.js";
import { Reassembly, type ReassemblySettings } from "./reassembly.js";
import { Receiver } from "./receiver.js";
import { Sender, type SenderOutput, type SubflowSource } from "./sender.js";
import type { TcpOptions } from "./tcp-options.js";

/** RFC 9293, section 3.3.2. LISTEN is a state of the host. */
export type TcpState =
  | "SYN-SENT"
  | "SYN-RECEIVED"
  | "ESTABLISHED"
  | "FIN-WAIT-1"
  | "FIN-WAIT-2"
  | "CLOSE-WAIT"
  | "CLOSING"
  | "LAST-ACK"
  | "TIME-WAIT"
  | "CLOSED";

/** Bytes by which the echo makes a segment longer than its payload; the MSS option counts them (RFC 6691). */
const ECHO_BYTES = TcpOption.ECHO.length;

/** Payload of a segment to a host that sends no MSS option (RFC 9293, section 3.7.1). */
const DEFAULT_MSS = 536;

/** States that do not concern the two halves. */
const PHASES = {
  "syn-sent": "SYN-SENT",
  "syn-received": "SYN-RECEIVED",
  "time-wait": "TIME-WAIT",
  closed: "CLOSED",
} as const;

const NEVER = Number.POSITIVE_INFINITY;

/** The connection that a subflow belongs to (`multipath.ts`). */
export interface SubflowParent {
  readonly token: number;
  /** Number of the subflow, and how many there are. */
  readonly subflow: number;
  readonly subflows: number;
  readonly source: SubflowSource;
  /** `bytes` of data arrived whose position has these low 32 bits. */
  arrived(position: number, bytes: number): void;
  /** All subflows count together. */
  readonly counters: ConnectionCounters;
}

export interface TcpParts {
  host: ConnectionHost;
  index: number;
  flow: FlowKey;
  chooser: PathChooser;
  builder: SegmentBuilder;
  options: TcpOptions;
  control: CongestionControl;
  /** The host's policy wants marks: packets can be marked and marks are reported, for any `options.ecn`. */
  marks: boolean;
  /** The host's policy puts segments in order below TCP. */
  reassembly?: ReassemblySettings | undefined;
  /** Absent: the connection is no subflow. */
  parent?: SubflowParent | undefined;
  /** Initial sequence number; of no meaning without a handshake. */
  initialSequence: number;
}

export class TcpConnection implements Connection, SenderOutput {
  readonly index: number;
  readonly flow: FlowKey;
  readonly chooser: PathChooser;
  readonly timeout: RetransmissionTimeout;
  /** Of SYNs. */
  readonly #handshakeTimeout: RetransmissionTimeout;
  readonly counters: ConnectionCounters;
  readonly #parent: SubflowParent | undefined;
  listener: ConnectionListener = {};
  readonly #host: ConnectionHost;
  readonly #builder: SegmentBuilder;
  readonly #options: TcpOptions;
  readonly #sender: Sender;
  readonly #receiver: Receiver;
  readonly #reassembly: Reassembly | undefined;
  /** Handshake and end; {@link state} derives the states in between from the two halves. */
  #phase: keyof typeof PHASES | "open";
  /** Sequence numbers of position 0 in both directions: one after that of the SYN. */
  #outBase = 0;
  #inBase = 0;
  /** Payload of a full segment to the other end, and the shift of the window field that comes from it. */
  #peerSegment = 0;
  #peerScale = 0;
  #sack: boolean;
  /** ECN as negotiated; and whether the host's policy also wants marks. */
  #ecn: boolean;
  readonly #policyMarks: boolean;
  /** Selector of the last segment that came in. */
  #echo = 0;
  /** The other end's FIN arrived before ours had left. */
  #passiveClose = false;
  /** The end of the data was reported. */
  #reportedEnd = 0;
  #handshakeAt = NEVER;
  #handshakeSentAt = 0;
  #handshakeTries = 0;
  #timeWaitEnd = NEVER;
  /** Called for a connection that a host accepted, once it is established. */
  onAccepted: (() => void) | undefined;

  constructor({
    host,
    index,
    flow,
    chooser,
    builder,
    options,
    control,
    marks,
    reassembly,
    parent,
    initialSequence,
  }: TcpParts) {
    this.#host = host;
    this.index = index;
    this.flow = flow;
    this.chooser = chooser;
    this.#builder = builder;
    this.#options = options;
    this.timeout = new RetransmissionTimeout(options);
    const { syn } = options;
    this.#handshakeTimeout =
      syn === undefined ? this.timeout : new RetransmissionTimeout({ ...options, ...syn });
    this.#parent = parent;
    this.counters = parent?.counters ?? new ConnectionCounters();
    const { counters, timeout } = this;
    this.#sender = new Sender({
      source: parent?.source,
      output: this,
      options,
      chooser,
      control,
      timeout,
      counters,
    });
    const feedback = marks ? "accurate" : options.ecn;
    this.#receiver = new Receiver(options, feedback, chooser, counters);
    this.#receiver.scale = scaleOf(options.receiveBuffer);
    this.#reassembly = reassembly && new Reassembly(reassembly);
    this.#sack = options.sack;
    this.#ecn = options.ecn !== "off";
    this.#policyMarks = marks;
    this.#phase = "open";
    builder.ecn = false;
    if (options.handshake) {
      this.#outBase = initialSequence + 1;
      return;
    }
    this.#peerScale = this.#receiver.scale;
    this.#sender.start(options.segmentBytes, options.sack, options.receiveBuffer, 0);
  }

  /** Active open: sends the SYN. */
  connect(): void {
    this.#phase = "syn-sent";
    this.#sendHandshake(this.chooser.selector);
    this.#startHandshakeTimer();
  }

  /** Passive open: answers a SYN. */
  accept(segment: Segment, selector: number): void {
    this.#phase = "syn-received";
    this.#readSyn(segment, selector);
    this.#ecn &&= (segment.flags & FLAG_ECE) !== 0 && (segment.flags & FLAG_CWR) !== 0;
    this.#sendHandshake(this.chooser.selector);
    this.#startHandshakeTimer();
  }

  get state(): TcpState {
    if (this.#phase !== "open") return PHASES[this.#phase];
    const peerFinished = this.#receiver.finished;
    if (!this.#sender.finSent) return peerFinished ? "CLOSE-WAIT" : "ESTABLISHED";
    if (!peerFinished) return this.#sender.finAcknowledged ? "FIN-WAIT-2" : "FIN-WAIT-1";
    return this.#passiveClose ? "LAST-ACK" : "CLOSING";
  }

  /** The half that sends: a multipath connection assigns data to it. */
  get sender(): Sender {
    return this.#sender;
  }

  get congestionControl(): CongestionControl {
    return this.#sender.control;
  }

  get bytesAcknowledged(): number {
    return Math.min(this.#sender.acknowledged, this.#sender.end);
  }

  get bytesReceived(): number {
    return this.#receiver.bytes;
  }

  get repaths(): number | undefined {
    return this.chooser.repaths;
  }

  get bytesInFlight(): number {
    return this.#sender.inFlight;
  }

  get progressAt(): number {
    return this.#sender.progressAt;
  }

  get deadline(): number {
    const own = Math.min(this.#sender.deadline, this.#handshakeAt, this.#timeWaitEnd);
    return this.#reassembly === undefined ? own : Math.min(own, this.#reassembly.deadline);
  }

  get soon(): number {
    return Math.min(this.#receiver.ackAt, this.#sender.soon);
  }

  send(bytes: number): void {
    this.#sender.add(bytes);
    this.#watchTimers();
  }

  /** As a subflow: sends these data of the stream of all subflows next. */
  assign(start: number, bytes: number): void {
    this.#sender.assign(start, bytes);
    this.#watchTimers();
  }

  finish(): void {
    this.#sender.finish();
    this.#watchTimers();
  }

  /** The application stops reading: received data fill the receive buffer, and the window closes. */
  pause(): void {
    this.#receiver.pause();
  }

  /** The application reads all present and later data. */
  resume(): void {
    if (this.#receiver.resume() && this.#phase === "open") this.#sendAck();
  }

  close(): void {
    this.#end("closed");
  }

  receive(segment: Segment, selector: number): void {
    if (this.#phase === "closed") return;
    if (!this.#holds(segment, selector)) {
      this.#pass(segment, selector);
      this.#releaseHeld();
    }
    this.#watchTimers();
  }

  #pass(segment: Segment, selector: number): void {
    if (this.#phase === "syn-sent") this.#receiveInSynSent(segment, selector);
    else this.#receiveSynchronized(segment, selector);
  }

  /** Whether the segment waits below TCP for data of other paths. */
  #holds(segment: Segment, selector: number): boolean {
    if (this.#reassembly === undefined || this.#phase !== "open" || segment.payloadLength === 0) return false;
    const { next, edge } = this.#receiver;
    const start = unwrap(segment.sequence - this.#inBase, next);
    return start < edge && this.#reassembly.holds(segment, selector, start, next, this.now());
  }

  #releaseHeld(): void {
    const reassembly = this.#reassembly;
    if (reassembly === undefined) return;
    for (;;) {
      const held = this.#phase === "closed" ? undefined : reassembly.release(this.#receiver.next, this.now());
      if (held === undefined) return;
      this.#pass(held.segment, held.selector);
    }
  }

  onTimer(): void {
    if (this.#phase === "closed") return;
    const now = this.now();
    if (now >= this.#timeWaitEnd) {
      this.#end("finished");
      return;
    }
    this.#releaseHeld();
    if (now >= this.#handshakeAt) this.#resendHandshake();
    else this.#sender.onTimer();
    this.#watchTimers();
  }

  onSoon(): void {
    if (this.#phase === "closed") return;
    const now = this.now();
    if (now >= this.#receiver.ackAt) this.#sendAck();
    if (now >= this.#sender.soon) this.#sender.fill();
    this.#watchTimers();
  }

  // Operations that the sender uses.

  now(): number {
    return this.#host.now();
  }

  sendData(
    start: number,
    bytes: number,
    fin: boolean,
    fresh: boolean,
    selector: number,
    data: number,
  ): number {
    const { counters } = this;
    if (bytes > 0) {
      counters.segmentsSent++;
      counters.bytesSent += bytes;
    }
    let flags = FLAG_ACK | (bytes > 0 ? FLAG_PSH : 0) | (fin ? FLAG_FIN : 0);
    if (fresh && this.#ecn && this.#sender.reduced) {
      // RFC 3168, section 6.1.2: CWR on the first new data after a reduction.
      flags |= FLAG_CWR;
      this.#sender.reduced = false;
    }
    // RFC 3168, section 6.1.5: no ECT on retransmissions.
    this.#builder.ecn = fresh && bytes > 0 && (this.#ecn || this.#policyMarks);
    this.#builder.optionsLength = 0;
    if (this.#parent !== undefined && bytes > 0) {
      const { MAPPING } = TcpOption;
      this.#builder.optionsLength = TcpOption.putExperiment(this.#builder.options, 0, MAPPING, data);
    }
    const leavesAt = this.#transmit(start, bytes, flags, selector);
    this.#receiver.onAcknowledged();
    return leavesAt;
  }

  timedOut(attempt: number): void {
    this.listener.timedOut?.(attempt);
  }

  recovered(attempts: number): void {
    this.listener.recovered?.(attempts);
  }

  giveUp(): void {
    this.#end("timed out");
  }

  // Received segments.

  /** RFC 9293, section 3.10.7.3. */
  #receiveInSynSent(segment: Segment, selector: number): void {
    const { flags } = segment;
    const acknowledges = (flags & FLAG_ACK) !== 0;
    if (acknowledges && ((segment.acknowledgement - this.#outBase) | 0) !== 0) {
      if ((flags & FLAG_RST) === 0) this.#sendReset(segment.acknowledgement);
      return;
    }
    if ((flags & FLAG_RST) !== 0) {
      if (acknowledges) this.#end("reset");
      return;
    }
    if ((flags & FLAG_SYN) === 0) return;
    this.#readSyn(segment, selector);
    if (!acknowledges) {
      // Both ends have sent a SYN (section 3.5, figure 7).
      this.#ecn = false;
      this.#phase = "syn-received";
      this.#sendHandshake(this.chooser.selector);
      return;
    }
    this.#ecn &&= (flags & FLAG_ECE) !== 0 && (flags & FLAG_CWR) === 0;
    if (this.#handshakeTries === 0) this.#sender.sampleHandshake(this.now() - this.#handshakeSentAt);
    this.#establish(segment);
    if (this.#phase === "open" && this.#receiver.acknowledged < 0) this.#sendAck();
  }

  /** RFC 9293, section 3.10.7.4, in its order, with the checks of RFC 5961. */
  #receiveSynchronized(segment: Segment, selector: number): void {
    const { flags } = segment;
    const receiver = this.#receiver;
    const start = unwrap(segment.sequence - this.#inBase, receiver.next);
    const end = start + segment.payloadLength;
    const fin = (flags & FLAG_FIN) !== 0;
    const length = segment.payloadLength + (fin ? 1 : 0) + ((flags & FLAG_SYN) !== 0 ? 1 : 0);
    if ((flags & FLAG_RST) !== 0) {
      if (start === receiver.next) this.#end("reset");
      else if (start > receiver.next && start < receiver.edge) this.#sendAck();
      return;
    }
    if ((flags & FLAG_SYN) !== 0) {
      // A repeated SYN has not been answered; any other SYN is no part of this connection (RFC 5961, section 4).
      if (this.#phase === "syn-received" && (flags & FLAG_ACK) === 0 && start === -1)
        this.#sendHandshake(this.chooser.selector);
      else if (!(this.#phase === "syn-received" && start === -1)) {
        this.#sendAck();
        return;
      }
      if ((flags & FLAG_ACK) === 0) return;
    }
    // A segment without data that was overtaken by data still has a valid acknowledgement.
    const isAcceptable =
      length === 0 ? start >= receiver.acknowledged && start <= receiver.edge : start < receiver.edge;
    if (!isAcceptable) {
      this.#sendAck();
      return;
    }
    if ((flags & FLAG_ACK) === 0) return;
    if (this.#phase === "syn-received") {
      if (((segment.acknowledgement - this.#outBase) | 0) < 0) {
        this.#sendReset(segment.acknowledgement);
        return;
      }
      if (this.#handshakeTries === 0) this.#sender.sampleHandshake(this.now() - this.#handshakeSentAt);
      this.#establish(segment);
      if (this.state === "CLOSED") return;
    }
    const marks = this.#marksOf(segment, selector);
    const ece = this.#ecn && (flags & FLAG_ECE) !== 0 && (flags & FLAG_SYN) === 0 && !this.chooser.masksMarks;
    const window = segment.window * 2 ** this.#peerScale;
    if (!this.#sender.acknowledge(segment, this.#outBase, start, window, ece, marks)) {
      this.#sendAck();
      return;
    }
    if (this.state === "CLOSED") return;
    if (segment.payloadLength > 0 || fin) this.#receiveData(segment, start, end, fin, marks);
    this.#reportProgress();
  }

  #receiveData(
    segment: Segment,
    start: number,
    end: number,
    fin: boolean,
    marks: SegmentMarks | undefined,
  ): void {
    const receiver = this.#receiver;
    if (this.#phase === "time-wait") {
      // The acknowledgement of the FIN was lost: 2 MSL begin again.
      this.#timeWaitEnd = this.now() + this.#options.timeWait;
      this.#sendAck();
      return;
    }
    if ((segment.flags & FLAG_CWR) !== 0) receiver.onReduced();
    const before = receiver.bytes;
    const wasFinished = receiver.finished;
    if (this.#parent !== undefined && segment.mapping >= 0)
      this.#parent.arrived(segment.mapping, Math.min(end, receiver.edge) - start);
    const finSent = this.#sender.finSent;
    const atOnce = receiver.receive(start, end, fin, segment.marked, marks, this.now(), this.#flush);
    if (atOnce) this.#sendAck();
    if (receiver.bytes > before) this.listener.received?.(receiver.bytes);
    if (this.#phase === "closed" || wasFinished || !receiver.finished) return;
    if (!finSent) this.#passiveClose = true;
    if (this.listener.peerFinished === undefined) this.finish();
    else this.listener.peerFinished();
  }

  readonly #flush = (): void => this.#sendAck();

  #marksOf(segment: Segment, selector: number): SegmentMarks | undefined {
    // A segment without our option comes from another sender, such as a switch: it has no information about paths.
    if (!segment.hasEcho) return undefined;
    this.#echo = selector;
    const { echo } = segment;
    return (segment.flags & FLAG_ECE) === 0 ? { selector, echo } : { selector, echo, marked: true };
  }

  /** After an acknowledgement: all data delivered, or both directions ended. */
  #reportProgress(): void {
    const sender = this.#sender;
    if (sender.acknowledged >= sender.end && sender.end > this.#reportedEnd) {
      this.#reportedEnd = sender.end;
      this.listener.finished?.();
    }
    if (this.#phase !== "open" || !sender.finAcknowledged || !this.#receiver.finished) return;
    if (this.#passiveClose || this.#options.timeWait === 0) {
      this.#end("finished");
      return;
    }
    this.#phase = "time-wait";
    sender.stop();
    this.#timeWaitEnd = this.now() + this.#options.timeWait;
  }

  // The handshake.

  #readSyn(segment: Segment, selector: number): void {
    const options = this.#options;
    this.#inBase = segment.sequence + 1;
    if (segment.hasEcho) this.#echo = selector;
    this.#sack = options.sack && segment.sackPermitted;
    // RFC 7323, section 2.2: both ends scale, or none.
    const scales = segment.windowScale >= 0;
    this.#peerScale = scales ? segment.windowScale : 0;
    if (!scales) this.#receiver.scale = 0;
    const mss = segment.mss === 0 ? DEFAULT_MSS : segment.mss;
    this.#peerSegment = Math.max(1, Math.min(options.segmentBytes, mss - ECHO_BYTES));
    this.#receiver.acknowledged = -1;
  }

  #establish(segment: Segment): void {
    this.#phase = "open";
    this.#handshakeAt = NEVER;
    // RFC 6298, section 5.7: after a lost SYN and without a sample data begin with a longer timeout.
    this.timeout.attempts = 0;
    if (this.#handshakeTries > 0) this.timeout.afterLostHandshake();
    // RFC 5681, section 3.1 asks for one segment after any lost SYN; RFC 6928, section 2 exempts a single retransmission.
    if (this.#handshakeTries > 1) this.#sender.control.onLostHandshake?.();
    // The window of a SYN is not scaled (RFC 7323, section 2.2).
    const scale = (segment.flags & FLAG_SYN) === 0 ? this.#peerScale : 0;
    this.#sender.start(this.#peerSegment, this.#sack, segment.window * 2 ** scale, -1);
    this.onAccepted?.();
    this.listener.established?.();
    if (this.#phase === "open") this.#sender.fill();
  }

  #startHandshakeTimer(): void {
    this.#handshakeSentAt = this.now();
    this.#handshakeAt = this.now() + this.#handshakeTimeout.current;
    this.#watchTimers();
  }

  #resendHandshake(): void {
    const now = this.now();
    if (now - this.#handshakeSentAt >= this.#options.userTimeout) {
      this.#end("timed out");
      return;
    }
    const attempt = ++this.#handshakeTries;
    this.#handshakeTimeout.attempts++;
    this.counters.timeouts++;
    this.listener.timedOut?.(attempt);
    if (this.state === "CLOSED") return;
    this.#handshakeAt = now + this.#handshakeTimeout.current;
    const selectors = this.chooser.onTimeout(attempt);
    this.counters.copiesSent += selectors.length - 1;
    for (const selector of selectors) this.#sendHandshake(selector);
  }

  /** A SYN, or the SYN with an acknowledgement. */
  #sendHandshake(selector: number): void {
    const answers = this.#phase === "syn-received";
    let flags = FLAG_SYN | (answers ? FLAG_ACK : 0);
    // RFC 3168, section 6.1.1.
    if (this.#ecn) flags |= answers ? FLAG_ECE : FLAG_ECE | FLAG_CWR;
    const { segmentBytes, receiveBuffer } = this.#options;
    const { options } = this.#builder;
    let length = TcpOption.putMss(options, 0, Math.min(0xffff, segmentBytes + ECHO_BYTES));
    if (!answers || this.#peerScale > 0 || this.#receiver.scale > 0)
      length = TcpOption.putWindowScale(options, length, this.#receiver.scale);
    if (answers ? this.#sack : this.#options.sack) length = TcpOption.putSackPermitted(options, length);
    if (this.#parent !== undefined) length = TcpOption.putJoin(options, length, this.#parent);
    this.#builder.ecn = false;
    this.#builder.optionsLength = length;
    this.#builder.window = Math.min(0xffff, receiveBuffer);
    const frame = this.#builder.build(
      this.#outBase - 1,
      answers ? this.#inBase : 0,
      0,
      flags,
      selector,
      this.#echo,
    );
    this.#host.transmit(this, frame, selector);
  }

  // Sent segments.

  #sendAck(): void {
    const { selectors } = this.#receiver;
    this.counters.copiesSent += selectors.length - 1;
    const builder = this.#builder;
    builder.ecn = false;
    builder.optionsLength = this.#sack ? this.#receiver.writeSack(builder, this.#inBase) : 0;
    for (const selector of selectors) this.#transmit(this.#sender.next, 0, FLAG_ACK, selector);
    this.#receiver.onAcknowledged();
  }

  #transmit(start: number, bytes: number, flags: number, selector: number): number {
    const receiver = this.#receiver;
    if (receiver.echoesMark && (this.#ecn || this.#policyMarks)) flags |= FLAG_ECE;
    this.#builder.window = receiver.windowField;
    const frame = this.#builder.build(
      start + this.#outBase,
      receiver.next + this.#inBase,
      bytes,
      flags,
      selector,
      this.#echo,
    );
    return this.#host.transmit(this, frame, selector);
  }

  #sendReset(sequence: number): void {
    this.#builder.ecn = false;
    this.#builder.optionsLength = 0;
    const { selector } = this.chooser;
    this.#host.transmit(this, this.#builder.build(sequence, 0, 0, FLAG_RST, selector, this.#echo), selector);
  }

  #watchTimers(): void {
    if (this.deadline !== NEVER) this.#host.setTimer(this);
    if (this.soon !== NEVER) this.#host.setSoon(this);
  }

  #end(reason: CloseReason): void {
    if (this.#phase === "closed") return;
    this.#phase = "closed";
    this.#sender.stop();
    this.#receiver.ackAt = NEVER;
    this.#handshakeAt = this.#timeWaitEnd = NEVER;
    this.#host.release(this);
    this.listener.closed?.(reason);
  }
}

/** The least shift with which the window field can say the size of the buffer (RFC 7323, section 2.3). */
function scaleOf(receiveBuffer: number): number {
  let scale = 0;
  while (scale < TcpOption.MOST_WINDOW_SCALE && receiveBuffer / 2 ** scale > 0xffff) scale++;
  return scale;
}
