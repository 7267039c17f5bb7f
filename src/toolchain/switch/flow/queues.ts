/**
 * Output queues. A packet waits between ingress and egress; egress runs when the port takes it, then the
 * frame takes its time on the wire. It is given to `transmit` when its last bit has left (store and forward), or with
 * the first bit where the medium models the time on the wire.
 * A port serves the highest priority that has a packet whose time has come. A queue with a rate releases one packet an
 * interval; between these, queues of lower priority are served.
 *
 * A medium may pause a port (priority flow control): then nothing leaves its queues until the pause ends. Where buffers are accounted for
 * ({@link BufferAccount}), the account decides whether a packet of a port that it counts finds room, in place of the depths of the options.
 *
 * Where packets are trimmed ({@link PacketTrimmer}) a port has one more queue, for headers, above those of the priorities.
 */
import type {
  AlarmClock,
  BufferAccount,
  PacketTrimmer,
  QueueOptions,
  Sleeper,
  SwitchClock,
} from "../options.js";
import { alarmsOf } from "./alarm.js";
import { Fifo, type PacketCopy } from "./packet-copy.js";
import type { QueueLimits } from "./queue-limits.js";

/** Destination of frames that have left their queue and egress. */
export interface Output {
  transmit(port: number, frame: Uint8Array): void;
}

/** Times that differ by less count as equal: half of the step of the finest clock, in microseconds. */
const TOLERANCE_US = 0.00051;

/** How far the times of a port may lag behind a clock whose timers are late, in microseconds. */
const MAX_LAG_US = 4000;

/** One queue of a port: a linked list of packets, so that its ends are at fixed places for any length. */
class Line {
  #first: PacketCopy | undefined;
  #last: PacketCopy | undefined;
  length = 0;
  /** The length in packets, or in cells of the buffer. */
  depth = 0;

  /** @param last earliest time at which the last packet that was queued leaves, by the rate in packets */
  constructor(public last: number) {}

  get first(): PacketCopy | undefined {
    return this.#first;
  }

  push(copy: PacketCopy): void {
    copy.next = undefined;
    if (this.#first === undefined) this.#first = copy;
    else this.#last!.next = copy;
    this.#last = copy;
    this.length++;
  }

  /** Takes out the first packet, of a queue that has one. */
  shift(): PacketCopy {
    const copy = this.#first!;
    this.#first = copy.next;
    this.length--;
    return copy;
  }
}

class Port implements Sleeper {
  packets = 0;
  bytes = 0;
  /** Time in microseconds at which the last bit of the frame on the wire leaves. */
  busyUntil = Number.NEGATIVE_INFINITY;
  /** Time in microseconds until which nothing may leave, or at which the last pause ended. */
  pausedUntil = Number.NEGATIVE_INFINITY;
  /** Number of the alarm that goes off for the next packet that waits for its time, or for the wire. */
  readonly alarm: number;
  /** The queues by their priorities, and the first of them. */
  readonly lines: Line[];
  readonly line: Line;
  /** The queue for headers, the last of {@link lines}; its bytes, and how many packets of it left one after the other. */
  readonly headers: Line | undefined;
  headerBytes = 0;
  headersInRow = 0;

  constructor(
    readonly number: number,
    priorities: number,
    hasHeaders: boolean,
    last: number,
    readonly alarms: AlarmClock,
    readonly wake: (port: Port) => void,
  ) {
    this.lines = Array.from({ length: priorities + (hasHeaders ? 1 : 0) }, () => new Line(last));
    this.line = this.lines[0]!;
    this.headers = hasHeaders ? this.lines[priorities] : undefined;
    this.alarm = alarms.add(this);
  }

  /** Wakes the port at a time in microseconds, and not at one that was set before; Infinity: never. */
  sleep(time: number): void {
    this.alarms.set(this.alarm, time);
  }

  goOff(): void {
    this.wake(this);
  }
}

/** Runs egress on a packet that leaves its queue; returns the frame, or undefined when the packet does not leave. */
export type Serve = (copy: PacketCopy, depthAfter: number, priority: number) => Uint8Array | undefined;

export class Queues {
  /** By number. */
  #ports: (Port | undefined)[] = [];
  readonly #ready = new Fifo<Port>();
  readonly #timed: boolean;
  readonly #early: boolean;
  /** Bytes of a cell of the buffer, where depths count cells; undefined: they count packets. */
  cellBytes: number | undefined;
  /** Called with the depth of a queue whenever it has changed. */
  depthChanged: ((port: number, priority: number, depth: number) => void) | undefined;
  readonly #alarms: AlarmClock;
  readonly #account: BufferAccount | undefined;
  readonly #trimmer: PacketTrimmer | undefined;
  #waiting = 0;
  #closed = false;

  constructor(
    readonly options: QueueOptions,
    /** The limits that the control plane set; they override the options. */
    readonly limits: QueueLimits,
    readonly clock: SwitchClock,
    readonly serve: Serve,
    readonly output: Output,
  ) {
    this.#timed = options.rateBitsPerSecond !== undefined || options.ratePacketsPerSecond !== undefined;
    this.#early = options.handOver === "first";
    this.#alarms = alarmsOf(clock);
    this.#account = options.account;
    this.#trimmer = options.trimmer;
  }

  get priorities(): number {
    return this.options.priorities ?? 1;
  }

  /** Number of packets that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Whether no packet waits and no port has a limit, so that packets may go to egress without their queue. */
  get isOpen(): boolean {
    return !this.#timed && !this.limits.any && this.#ready.length === 0;
  }

  /**
   * Whether a packet may go to egress without its queue, since it would leave the queue at once. The frame that egress
   * makes goes to {@link start}.
   */
  passes(number: number, priority: number): boolean {
    if (priority >= this.priorities || this.#ready.length > 0 || this.limits.any) return false;
    if (!this.#timed) return true;
    if (this.options.ratePacketsPerSecond !== undefined) return false;
    const port = this.#ports[number];
    if (port === undefined) return true;
    if (port.packets > 0) return false;
    const now = this.clock.now();
    return !this.#isBusy(port, now) && !this.#isPaused(port, now);
  }

  /** Nothing leaves the queues of a port until this time in microseconds, or until {@link resume}. A frame on the wire still leaves. */
  pause(number: number, until: number): void {
    this.open(number).pausedUntil = until;
  }

  /** Ends a pause. */
  resume(number: number): void {
    const port = this.open(number);
    const now = this.clock.now();
    if (!this.#isPaused(port, now)) return;
    port.pausedUntil = now;
    if (port.packets > 0) this.#wake(port);
  }

  /** The wire of a port is taken for a frame of this length that did not wait in its queues, after the frame that is on it. */
  occupy(number: number, bytes: number): void {
    const port = this.open(number);
    const rate = this.options.rateBitsPerSecond?.(number);
    if (rate === undefined) return;
    port.busyUntil = Math.max(port.busyUntil, this.clock.now()) + this.#timeOf(bytes, rate);
    // A frame of the queues would wake its port when it has left; this one has no such call.
    if (!this.#early) port.sleep(port.busyUntil);
  }

  /** Packets and bytes that wait at a port, without the frame on the wire. */
  backlog(number: number): { packets: number; bytes: number } {
    const port = this.#ports[number];
    return { packets: port?.packets ?? 0, bytes: port?.bytes ?? 0 };
  }

  #isBusy(port: Port, now: number): boolean {
    return port.busyUntil - now > TOLERANCE_US;
  }

  #isPaused(port: Port, now: number): boolean {
    return port.pausedUntil - now > TOLERANCE_US;
  }

  /** Microseconds for which a frame takes the wire. */
  #timeOf(bytes: number, rate: number): number {
    const { leastBytes = 0, overheadBytes = 0 } = this.options;
    return (8e6 * (Math.max(bytes, leastBytes) + overheadBytes)) / rate;
  }

  /**
   * Makes the queues of a port, if it has none yet. Where the control plane set rates, their intervals start now: a first
   * packet waits one interval.
   */
  open(number: number): Port {
    return this.#ports[number] ?? this.#make(number);
  }

  #make(number: number): Port {
    const last = this.limits.any ? this.clock.now() : Number.NEGATIVE_INFINITY;
    const hasHeaders = this.#trimmer !== undefined;
    const port = new Port(number, this.priorities, hasHeaders, last, this.#alarms, this.#wake);
    this.#ports[number] = port;
    return port;
  }

  /** Queues a packet at its port, or returns why it was not queued. Call {@link serveReady} afterwards. */
  push(copy: PacketCopy, priority: number): "queue_full" | "no_such_queue" | undefined {
    const port = this.open(copy.port);
    const trimmer = this.#trimmer;
    const kind = trimmer === undefined ? "data" : trimmer.classOf(copy.frame);
    if (trimmer !== undefined && kind === "header") {
      if (this.#pushHeader(port, copy, trimmer)) return undefined;
      trimmer.refused(port.number);
      return "queue_full";
    }
    if (priority >= this.priorities) return "no_such_queue";
    const line = priority === 0 ? port.line : port.lines[priority]!;
    const now = this.clock.now();
    const busy = this.#isBusy(port, now);
    copy.since = now;
    copy.notBefore = this.#notBefore(line, copy.port, priority, now);
    if (this.#hasRoom(port, line, copy, priority, busy || copy.notBefore > now)) {
      this.#add(port, line, copy, priority, busy);
      return undefined;
    }
    if (trimmer === undefined || kind !== "trimmable") return "queue_full";
    // Headers that ingress added or removed are not in the frame yet; they are in the packet's length.
    const length = trimmer.lengthOf(copy.frame) + copy.packetLength - copy.frame.length;
    if (copy.packetLength <= length) {
      if (this.#pushHeader(port, copy, trimmer)) return undefined;
      trimmer.refused(port.number);
      return "queue_full";
    }
    copy.packetLength = length;
    copy.isTrimmed = true;
    const waits = this.#pushHeader(port, copy, trimmer);
    trimmer.trimmed(port.number, waits);
    return waits ? undefined : "queue_full";
  }

  /** Queues a packet with the headers, if it finds room there. */
  #pushHeader(port: Port, copy: PacketCopy, trimmer: PacketTrimmer): boolean {
    const line = port.headers!;
    const now = this.clock.now();
    const busy = this.#isBusy(port, now);
    copy.since = now;
    copy.notBefore = this.#notBefore(line, copy.port, this.priorities, now);
    const waits = busy || line.length > 0 || copy.notBefore > now;
    if (waits && port.headerBytes + copy.packetLength > trimmer.queueBytes) return false;
    port.headerBytes += copy.packetLength;
    if (waits) trimmer.waits(port.number, port.headerBytes);
    this.#add(port, line, copy, this.priorities, busy);
    return true;
  }

  /** When a packet that is queued now may leave its queue, by the rate in packets. */
  #notBefore(line: Line, number: number, priority: number, now: number): number {
    const rate = this.limits.rate(number, priority) ?? this.options.ratePacketsPerSecond?.(number) ?? 0;
    return rate > 0 ? Math.max(now, line.last + 1e6 / rate) : now;
  }

  /** @param waits the packet could not leave at once, even if the queue were empty */
  #hasRoom(port: Port, line: Line, copy: PacketCopy, priority: number, waits: boolean): boolean {
    const { length } = line;
    const set = this.limits.depth(copy.port, priority);
    if (set !== undefined && length >= set) return false;
    if (this.#account?.counts(copy.ingressPort))
      return this.#account.charge(copy.ingressPort, copy.port, copy.packetLength);
    // The limit that the control plane set is the only one. A port that is free takes the packet at once, so that a depth of 0 still forwards.
    if (set !== undefined || !(waits || length > 0)) return true;
    const { depthPackets, depthBytes } = this.options;
    if (depthPackets !== undefined && length >= depthPackets) return false;
    return depthBytes === undefined || port.bytes - port.headerBytes + copy.packetLength <= depthBytes;
  }

  #add(port: Port, line: Line, copy: PacketCopy, priority: number, busy: boolean): void {
    line.last = copy.notBefore;
    copy.depth = line.depth;
    line.push(copy);
    line.depth += this.#sizeOf(copy);
    this.depthChanged?.(port.number, priority, line.depth);
    port.bytes += copy.packetLength;
    port.packets++;
    this.#waiting++;
    this.options.lengthChanged?.(port.number, port.packets, port.bytes);
    if (!busy) this.#ready.push(port);
    else if (this.#early) port.sleep(port.busyUntil);
  }

  /** The frame check sequence takes a place in the buffer, too. */
  #sizeOf({ packetLength }: PacketCopy): number {
    return this.cellBytes === undefined ? 1 : Math.ceil((packetLength + 4) / this.cellBytes);
  }

  /** Whether {@link serveReady} has something to do. */
  get hasReady(): boolean {
    return this.#ready.length > 0;
  }

  /** Serves a port that became free; returns false when there is no such port. */
  serveReady(): boolean {
    const port = this.#ready.shift();
    if (port === undefined) return false;
    this.#next(port);
    return true;
  }

  /** Removes the packets whose time has come at free ports, without serving them; the other packets still wait. */
  discardReady(drop: (copy: PacketCopy) => void): void {
    const now = this.clock.now();
    for (let port = this.#ready.shift(); port !== undefined; port = this.#ready.shift()) {
      if (this.#isBusy(port, now)) continue;
      if (this.#isPaused(port, now)) {
        port.sleep(port.pausedUntil);
        continue;
      }
      let next = Number.POSITIVE_INFINITY;
      for (const line of port.lines) {
        for (let first = line.first; first !== undefined; first = line.first) {
          if (first.notBefore - now > TOLERANCE_US) {
            next = Math.min(next, first.notBefore);
            break;
          }
          line.shift();
          this.#took(port, line, first);
          drop(first);
        }
      }
      port.sleep(next);
    }
  }

  #took(port: Port, line: Line, copy: PacketCopy): void {
    line.depth -= this.#sizeOf(copy);
    this.depthChanged?.(port.number, port.lines.indexOf(line), line.depth);
    port.bytes -= copy.packetLength;
    port.packets--;
    if (line === port.headers) port.headerBytes -= copy.packetLength;
    this.#waiting--;
    if (this.#account?.counts(copy.ingressPort))
      this.#account.release(copy.ingressPort, copy.port, copy.packetLength);
    this.options.lengthChanged?.(port.number, port.packets, port.bytes);
  }

  /** Serves the first packet of a free port whose time has come, and sets the timer for the next. */
  #next(port: Port): void {
    const now = this.clock.now();
    if (this.#isBusy(port, now)) {
      if (this.#early && port.packets > 0) port.sleep(port.busyUntil);
      return;
    }
    if (this.#isPaused(port, now)) {
      if (port.packets > 0) port.sleep(port.pausedUntil);
      return;
    }
    let next = Number.POSITIVE_INFINITY;
    let priority = this.#highest(port, now);
    for (; priority >= 0; priority--) {
      const time = (priority === 0 ? port.line : port.lines[priority]!).first?.notBefore;
      if (time === undefined) continue;
      if (time - now <= TOLERANCE_US) break;
      next = Math.min(next, time);
    }
    port.sleep(priority < 0 ? next : Number.POSITIVE_INFINITY);
    if (priority < 0) return;
    const line = priority === 0 ? port.line : port.lines[priority]!;
    const copy = line.shift();
    this.#took(port, line, copy);
    if (port.headers !== undefined) port.headersInRow = line === port.headers ? port.headersInRow + 1 : 0;
    // The copy is used again as soon as it is served.
    const ready = Math.max(copy.since, copy.notBefore);
    const { isTrimmed } = copy;
    const served = this.serve(copy, line.depth, priority);
    const frame = isTrimmed && served !== undefined ? this.#trimmer!.finish(served) : served;
    if (frame === undefined) this.#ready.push(port);
    else this.#send(port, frame, now, ready);
  }

  /** The highest queue that may be served now: not the one for headers where enough of them have left and other packets wait. */
  #highest(port: Port, now: number): number {
    const last = port.lines.length - 1;
    const most = this.#trimmer?.perPacket;
    if (most === undefined || port.headersInRow < most) return last;
    for (let priority = 0; priority < last; priority++) {
      const { first } = port.lines[priority]!;
      if (first !== undefined && first.notBefore - now <= TOLERANCE_US) return last - 1;
    }
    return last;
  }

  /** Sends a frame by a port for which {@link passes} returned true. Call {@link serveReady} afterwards. */
  start(number: number, frame: Uint8Array): void {
    if (this.options.rateBitsPerSecond === undefined) this.output.transmit(number, frame);
    else {
      const now = this.clock.now();
      this.#send(this.open(number), frame, now, now);
    }
  }

  /** @param ready when the packet could have left, had the port been free */
  #send(port: Port, frame: Uint8Array, now: number, ready: number): void {
    const rate = this.options.rateBitsPerSecond?.(port.number);
    if (rate === undefined) {
      this.output.transmit(port.number, frame);
      if (port.packets > 0) this.#ready.push(port);
      return;
    }
    // A timer that is late does not lower the rate: the frame counts from the time at which it could have left.
    const due = Math.max(port.busyUntil, port.pausedUntil, ready, now - MAX_LAG_US);
    let begin = now - due > TOLERANCE_US ? due : now;
    // Releasing the packet may have sent a frame ahead of it: see `occupy`.
    if (this.#account !== undefined) begin = Math.max(begin, port.busyUntil);
    port.busyUntil = begin + this.#timeOf(frame.length, rate);
    if (this.#early) {
      if (port.packets > 0) port.sleep(port.busyUntil);
      this.output.transmit(port.number, frame);
      return;
    }
    this.clock.at(port.busyUntil, () => {
      // The clock may be early by less than its step.
      port.busyUntil = Math.min(port.busyUntil, this.clock.now());
      this.output.transmit(port.number, frame);
      if (!this.#closed) this.#wake(port);
    });
  }

  /** Called by the clock when a port may have something to do again. */
  resumed: (() => void) | undefined;

  readonly #wake = (port: Port): void => {
    this.#ready.push(port);
    this.resumed?.();
  };

  /** Drops the packets that wait and returns their number; a frame on the wire still leaves. */
  close(): number {
    this.#closed = true;
    const waiting = this.#waiting;
    const ports = this.#ports;
    this.#waiting = 0;
    this.#ports = [];
    for (const port of ports) {
      if (port === undefined) continue;
      port.sleep(Number.POSITIVE_INFINITY);
      if (this.#account !== undefined)
        for (const line of port.lines)
          for (let copy = line.first; copy !== undefined; copy = copy.next)
            if (this.#account.counts(copy.ingressPort))
              this.#account.release(copy.ingressPort, port.number, copy.packetLength);
      if (port.packets > 0) this.options.lengthChanged?.(port.number, 0, 0);
    }
    this.#account?.closed();
    return waiting;
  }
}
