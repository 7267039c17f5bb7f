/**
 * Output queues. A packet waits between ingress and egress; egress runs when the port takes it, then the
 * frame takes its time on the wire, and it is transmitted when its last bit has left (store and forward).
 * A port serves the highest priority that has a packet whose time has come; a queue with a rate lets its
 * packets go one interval after the other, and the lower ones meanwhile.
 */
import type { QueueOptions, SwitchClock } from "../options.js";
import { Fifo, type PacketCopy } from "./packet-copy.js";
import type { QueueLimits } from "./queue-limits.js";

interface Waiting {
  readonly copy: PacketCopy;
  readonly since: number;
  readonly depth: number;
  /** Time before which it does not leave, by the rate in packets. */
  readonly notBefore: number;
}

/** One queue of a port. */
class Line {
  readonly waiting = new Fifo<Waiting>();

  /** @param last time that the rate in packets gave to the last packet that was taken */
  constructor(public last: number) {}
}

class Port {
  readonly lines: Line[];
  bytes = 0;
  /** A frame is on the wire. */
  busy = false;
  /** Cancels the timer for the next packet that waits for its time. */
  cancel: (() => void) | undefined;

  constructor(
    readonly number: number,
    priorities: number,
    last: number,
  ) {
    this.lines = Array.from({ length: priorities }, () => new Line(last));
  }
}

/** Runs egress on a packet that leaves its queue: gives the frame, or undefined if none comes out. */
export type Serve = (
  copy: PacketCopy,
  since: number,
  depthBefore: number,
  depthAfter: number,
  priority: number,
) => Uint8Array | undefined;

export class Queues {
  readonly #ports = new Map<number, Port>();
  readonly #ready = new Fifo<Port>();
  readonly #timed: boolean;
  #waiting = 0;
  #closed = false;

  constructor(
    readonly options: QueueOptions,
    /** What the control plane set; wins over the options. */
    readonly limits: QueueLimits,
    readonly clock: SwitchClock,
    readonly serve: Serve,
    readonly transmit: (port: number, frame: Uint8Array) => void,
  ) {
    this.#timed = options.rateBitsPerSecond !== undefined || options.ratePacketsPerSecond !== undefined;
  }

  get priorities(): number {
    return this.options.priorities ?? 1;
  }

  /** Packets that wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Nothing waits and nothing limits any port: a packet may go on to egress without its queue. */
  get isOpen(): boolean {
    return !this.#timed && !this.limits.any && this.#ready.length === 0;
  }

  /**
   * Makes the queues of a port, if it has none yet. Where the control plane set rates, their time counts from now on:
   * a first packet waits one interval.
   */
  open(number: number): Port {
    let port = this.#ports.get(number);
    if (port === undefined) {
      const last = this.limits.any ? this.clock.now() : Number.NEGATIVE_INFINITY;
      port = new Port(number, this.priorities, last);
      this.#ports.set(number, port);
    }
    return port;
  }

  /** Takes a packet for its port, or says why not. Call {@link run} afterwards. */
  push(copy: PacketCopy, priority: number): "queue_full" | "no_such_queue" | undefined {
    const port = this.open(copy.port);
    const line = port.lines[priority];
    if (line === undefined) return "no_such_queue";
    const now = this.clock.now();
    const rate = this.limits.rate(copy.port, priority) ?? this.options.ratePacketsPerSecond?.(copy.port) ?? 0;
    const notBefore = rate > 0 ? Math.max(now, line.last + 1e6 / rate) : now;
    const { length } = line.waiting;
    const set = this.limits.depth(copy.port, priority);
    if (set !== undefined) {
      if (length >= set) return "queue_full";
    } else if (port.busy || length > 0 || notBefore > now) {
      // A port that is free takes the packet at once, so that a depth of 0 still forwards.
      const { depthPackets, depthBytes } = this.options;
      if (depthPackets !== undefined && length >= depthPackets) return "queue_full";
      if (depthBytes !== undefined && port.bytes + copy.packetLength > depthBytes) return "queue_full";
    }
    line.last = notBefore;
    line.waiting.push({ copy, since: now, depth: length, notBefore });
    port.bytes += copy.packetLength;
    this.#waiting++;
    if (!port.busy) this.#ready.push(port);
    return undefined;
  }

  /** Serves the ports that became free; false when there was nothing to do. */
  run(): boolean {
    const port = this.#ready.shift();
    if (port === undefined) return false;
    if (!port.busy) this.#next(port);
    return true;
  }

  /** Takes out, without serving them, the packets whose time has come at ports that are free; the others wait on. */
  discardReady(drop: (copy: PacketCopy) => void): void {
    const now = this.clock.now();
    for (let port = this.#ready.shift(); port !== undefined; port = this.#ready.shift()) {
      if (port.busy) continue;
      let next = Number.POSITIVE_INFINITY;
      for (const { waiting } of port.lines) {
        for (let first = waiting.first; first !== undefined; first = waiting.first) {
          if (first.notBefore > now) {
            next = Math.min(next, first.notBefore);
            break;
          }
          waiting.shift();
          port.bytes -= first.copy.packetLength;
          this.#waiting--;
          drop(first.copy);
        }
      }
      this.#wakeAt(port, next);
    }
  }

  /** Sets the port's timer anew; to no time at all if that is infinite. */
  #wakeAt(port: Port, time: number): void {
    port.cancel?.();
    port.cancel = time < Number.POSITIVE_INFINITY ? this.clock.at(time, () => this.#wake(port)) : undefined;
  }

  #next(port: Port): void {
    const now = this.clock.now();
    let next = Number.POSITIVE_INFINITY;
    let priority = port.lines.length - 1;
    for (; priority >= 0; priority--) {
      const time = port.lines[priority]!.waiting.first?.notBefore;
      if (time === undefined) continue;
      if (time <= now) break;
      next = Math.min(next, time);
    }
    this.#wakeAt(port, priority < 0 ? next : Number.POSITIVE_INFINITY);
    if (priority < 0) return;
    const { waiting } = port.lines[priority]!;
    const { copy, since, depth } = waiting.shift()!;
    port.bytes -= copy.packetLength;
    this.#waiting--;
    const frame = this.serve(copy, since, depth, waiting.length, priority);
    const rate = frame === undefined ? undefined : this.options.rateBitsPerSecond?.(port.number);
    if (frame === undefined || rate === undefined) {
      if (frame !== undefined) this.transmit(port.number, frame);
      this.#ready.push(port);
      return;
    }
    port.busy = true;
    const bits = 8 * (frame.length + (this.options.overheadBytes ?? 0));
    this.clock.at(now + (bits * 1e6) / rate, () => {
      this.transmit(port.number, frame);
      port.busy = false;
      if (!this.#closed) this.#wake(port);
    });
  }

  /** Called by the clock when a port may have something to do again. */
  resumed: (() => void) | undefined;

  #wake(port: Port): void {
    port.cancel = undefined;
    this.#ready.push(port);
    this.resumed?.();
  }

  /** Lets go of all that waits and gives how many packets these were; a frame on the wire still leaves. */
  close(): number {
    this.#closed = true;
    const waiting = this.#waiting;
    for (const port of this.#ports.values()) port.cancel?.();
    this.#waiting = 0;
    this.#ports.clear();
    return waiting;
  }
}
