/** The sending half of the message transport: what may leave and when, which packets are lost, what is sent again. */
import { BITMAP_PACKETS, bitmapBase, type MessageHeader, unwrap } from "../../../../../base/packets/index.js";
import { type PathChooser, RoundCounter, type SegmentMarks } from "../../../../hosts/index.js";
import type { ConnectionCounters, ConnectionListener } from "../../connection.js";
import { RetransmissionTimeout } from "../../retransmission-timer.js";
import { Flight, type SentPacket } from "./flight.js";
import type { MessageControl } from "./message-control.js";
import type { MessageOptions } from "./message-options.js";

const NEVER = Number.POSITIVE_INFINITY;

/** Of a frame whose departure nobody waits for. */
export const NO_TAG = -1;
/** A tag is the number of a packet and, below it, the number of the attempt. */
const ATTEMPTS = 256;

/** What the sender uses of its connection. */
export interface SenderEnd {
  readonly options: MessageOptions;
  readonly chooser: PathChooser;
  readonly counters: ConnectionCounters;
  readonly control: MessageControl;
  readonly listener: ConnectionListener;
  readonly isClosed: boolean;
  now(): number;
  /** Sends a packet; returns the bytes of its frame, and when its last bit leaves the host: Infinity where {@link MessageSender.left} will be told. */
  transmit(
    packet: SentPacket,
    selector: number,
    tag: number,
  ): { readonly bytes: number; readonly leavesAt: number };
  /** The deadlines have changed. */
  wake(): void;
}

/** A run of bytes that the application has handed over at once; Infinity: without an end. */
interface Message {
  end: number;
}

export class MessageSender {
  readonly #end: SenderEnd;
  readonly #flight = new Flight();
  readonly timeout: RetransmissionTimeout;
  readonly #rounds: RoundCounter;
  readonly #messages: Message[] = [];
  /** Bytes that were handed over, and that were put into packets. */
  #handed = 0;
  #taken = 0;
  bytesAcknowledged = 0;
  progressAt = 0;
  deadline = NEVER;
  soon = NEVER;
  /** When the control's rate allows the next packet. */
  #paceAt = 0;
  /** When the last and the one before it leave the host. */
  #leavesAt = 0;
  #leftAt = 0;
  #lastTag = NO_TAG;
  #tagBefore = NO_TAG;
  #sentAt = 0;

  constructor(end: SenderEnd) {
    this.#end = end;
    this.timeout = new RetransmissionTimeout(end.options);
    this.#rounds = new RoundCounter(end.chooser);
  }

  /** Adds a message. */
  send(bytes: number): void {
    this.#handed += bytes;
    this.#messages.push({ end: this.#handed });
    this.#fill();
  }

  close(): void {
    this.deadline = NEVER;
    this.soon = NEVER;
  }

  onSoon(): void {
    if (this.soon > this.#end.now()) {
      if (this.soon !== NEVER) this.#end.wake();
      return;
    }
    this.soon = NEVER;
    this.#fill();
  }

  /** The retransmission timer: it is that of the earliest transmission in flight. */
  onTimer(): void {
    if (this.deadline === NEVER) return;
    const now = this.#end.now();
    if (now < this.deadline) {
      this.#end.wake();
      return;
    }
    const { options, counters, chooser, control, listener } = this.#end;
    const expired = this.timeout.current;
    const attempt = ++this.timeout.attempts;
    counters.timeouts++;
    listener.timedOut?.(attempt);
    if (this.#end.isClosed) return;
    control.onTimeout(attempt, now);
    if (options.recovery === "go_back_n") this.#flight.loseFrom(this.#flight.first);
    else
      for (let packet = this.#flight.oldest(); packet !== undefined; packet = this.#flight.oldest()) {
        if (packet.leavesAt + expired > now) break;
        this.#flight.lose(packet);
      }
    const selectors = chooser.onTimeout(attempt);
    if (this.#flight.hasLost) this.#resend(selectors);
    this.#fill();
    this.#restart();
  }

  /** An acknowledgement or a NACK, with its header read; `hops`: the switches that the packet which it answers had passed. */
  receive(header: MessageHeader, marks: SegmentMarks, hops: number): void {
    const { control, chooser, options } = this.#end;
    const now = this.#end.now();
    if (header.kind === "cnp") {
      if (chooser.masksMarks !== true) control.onNotification(now);
      return;
    }
    const flight = this.#flight;
    const cumulative = unwrap(header.cumulative, flight.first);
    if (cumulative > flight.next) return;
    const answered = header.kind === "ack" ? flight.packet(unwrap(header.sequence, cumulative)) : undefined;
    const rttNs = answered === undefined ? undefined : this.#sample(answered, header, now);
    const packets = this.#report(header, cumulative);
    if (packets > 0) {
      const attempts = this.timeout.attempts;
      this.timeout.attempts = 0;
      this.progressAt = now;
      control.onAck({ now, packets, rttNs, hops });
      if (flight.inFlight === 0 && !flight.hasLost) chooser.onDrained?.();
      chooser.onAck(marks, rttNs);
      this.#rounds.acknowledge(
        packets * options.segmentBytes,
        marks.marked === true,
        cumulative,
        flight.next,
        now,
      );
      if (attempts > 0) this.#end.listener.recovered?.(attempts);
      if (this.#end.isClosed) return;
    }
    this.#findLosses(header, cumulative, now);
    if (this.bytesAcknowledged === this.#handed && this.#handed > 0) {
      this.close();
      if (packets > 0) this.#end.listener.finished?.();
      return;
    }
    this.#fill();
    this.#restart();
  }

  /** Karn's rule: a round trip of a packet that was sent again belongs to the attempt that the answer names. */
  #sample(packet: SentPacket, header: MessageHeader, now: number): number | undefined {
    if (packet.state !== "flight" || (packet.attempt & 0xff) !== header.attempt) return undefined;
    this.#flight.arrivedBy(packet);
    const rttNs = now - packet.leavesAt;
    this.timeout.sample(rttNs, Math.max(1, this.#flight.inFlight));
    return rttNs;
  }

  /** Returns the number of packets that are reported for the first time. */
  #report(header: MessageHeader, cumulative: number): number {
    const flight = this.#flight;
    const { packets, bytes } = flight.acknowledge(cumulative);
    this.bytesAcknowledged += bytes;
    if (header.kind === "nack" && this.#end.options.recovery === "go_back_n") return packets;
    const sequence = unwrap(header.sequence, cumulative);
    const base = bitmapBase(cumulative, sequence);
    let early = 0;
    for (let i = 0; i < BITMAP_PACKETS; i++)
      if ((header.bitmap[i >>> 5]! & (1 << (i & 31))) !== 0 && flight.arrived(base + i)) early++;
    return packets + early;
  }

  #findLosses(header: MessageHeader, cumulative: number, now: number): void {
    const { options, control, counters, chooser } = this.#end;
    const flight = this.#flight;
    const isNack = header.kind === "nack";
    let rttNs: number | undefined;
    if (options.recovery === "go_back_n") {
      if (!isNack || flight.inFlight === 0) return;
      flight.loseFrom(cumulative);
    } else {
      if (isNack) rttNs = this.#loseNamed(header, cumulative, now);
      if (flight.loseBefore(options.reorderingPackets) === 0 && rttNs === undefined) return;
    }
    counters.fastRetransmits++;
    control.onLoss(now, rttNs);
    const selectors = chooser.onFastRetransmit?.();
    if (selectors !== undefined) this.#resend(selectors);
  }

  /** Selective repeat: a NACK names the transmission whose data a switch has cut off. Returns its round trip; undefined where another one is on its way. */
  #loseNamed(header: MessageHeader, cumulative: number, now: number): number | undefined {
    const packet = this.#flight.packet(unwrap(header.sequence, cumulative));
    if (packet?.state !== "flight" || (packet.attempt & 0xff) !== header.attempt) return undefined;
    this.#flight.lose(packet);
    return now - packet.leavesAt;
  }

  /** The first lost packet again, once on each selector, at once. */
  #resend(selectors: readonly number[]): void {
    const packet = this.#flight.takeLost();
    this.#end.counters.copiesSent += selectors.length - 1;
    selectors.forEach((selector, i) => {
      if (i === 0) this.#transmit(packet, selector);
      else this.#copy(packet, selector);
    });
  }

  /** A copy has no place in the flight: it is the same transmission. */
  #copy(packet: SentPacket, selector: number): void {
    this.#count(packet, true);
    this.#end.transmit(packet, selector, NO_TAG);
  }

  /** A packet that waited in the host, at a NIC that can be paused, begins to leave; its last bit leaves at `at`. */
  left(tag: number, at: number): void {
    const packet = this.#flight.packet(Math.floor(tag / ATTEMPTS));
    if (packet?.state === "flight" && (packet.attempt & 0xff) === tag % ATTEMPTS) packet.leavesAt = at;
    if (tag === this.#lastTag) this.#leavesAt = at;
    else if (tag === this.#tagBefore) this.#leftAt = at;
    this.#fill();
    this.#restart();
  }

  #fill(): void {
    const { chooser, control, isClosed } = this.#end;
    if (isClosed) return;
    const now = this.#end.now();
    const flight = this.#flight;
    if (flight.inFlight === 0 && !flight.hasLost && this.#sentAt > 0 && this.#taken < this.#handed) {
      const idle = now - this.#sentAt;
      if (idle >= this.timeout.current) chooser.onIdle?.(idle);
    }
    for (;;) {
      const isNew = !flight.hasLost;
      if (isNew && this.#taken >= this.#handed) return;
      if (isNew && chooser.holds === true && flight.inFlight > 0) return;
      if (flight.inFlight > 0 && flight.inFlight + 1 > control.window) return;
      // Two packets wait for the host's own link: connections of a host take turns, as with TCP.
      const at = Math.max(this.#paceAt, this.#leftAt);
      if (at > now) {
        this.soon = at;
        this.#end.wake();
        return;
      }
      const packet = isNew ? this.#take() : flight.takeLost();
      this.#transmit(packet, this.#selectorOf(packet, now));
      this.#startTimer();
    }
  }

  #selectorOf({ position, bytes }: SentPacket, nowNs: number): number {
    const { chooser } = this.#end;
    return chooser.selectorFor === undefined
      ? chooser.selector
      : chooser.selectorFor({ position, bytes, nowNs });
  }

  /** The next new packet: no packet has data of two messages. */
  #take(): SentPacket {
    const { segmentBytes } = this.#end.options;
    const { end } = this.#messages[0]!;
    const bytes = Math.min(segmentBytes, end - this.#taken);
    const position = this.#taken;
    this.#taken += bytes;
    const isLast = this.#taken === end;
    if (isLast) this.#messages.shift();
    return this.#flight.add(bytes, position, isLast);
  }

  #transmit(packet: SentPacket, selector: number): void {
    const { control } = this.#end;
    const now = this.#end.now();
    this.#count(packet, packet.attempt >= 0);
    this.#sentAt = now;
    const tag = packet.number * ATTEMPTS + ((packet.attempt + 1) & 0xff);
    const { bytes, leavesAt } = this.#end.transmit(packet, selector, tag);
    this.#flight.sent(packet, leavesAt);
    this.#leftAt = this.#leavesAt;
    this.#leavesAt = leavesAt;
    this.#tagBefore = this.#lastTag;
    this.#lastTag = tag;
    control.onSent(bytes, now);
    const rate = control.rateAt(now);
    let gap = rate === NEVER ? 0 : (bytes * 8e9) / rate;
    // A window below one packet: a packet leaves every round trip over the window.
    if (control.window < 1) gap = Math.max(gap, (this.timeout.smoothedRtt ?? 0) / control.window);
    this.#paceAt = Math.ceil(Math.max(this.#paceAt, now) + gap);
  }

  #count({ bytes }: SentPacket, isAgain: boolean): void {
    const { counters } = this.#end;
    counters.segmentsSent++;
    counters.bytesSent += bytes;
    if (isAgain) counters.retransmissions++;
  }

  #startTimer(): void {
    if (this.deadline !== NEVER) return;
    if (this.#flight.inFlight === 1) this.progressAt = this.#end.now();
    this.#restart();
  }

  #restart(): void {
    const oldest = this.#flight.oldest();
    // Progress ends a backoff: then a packet may be overdue at once.
    this.deadline =
      oldest === undefined ? NEVER : Math.max(oldest.leavesAt + this.timeout.current, this.#end.now());
    if (oldest !== undefined) this.#end.wake();
  }
}
