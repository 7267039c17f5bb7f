/**
 * Output queues. A packet waits between ingress and egress; egress runs when the port takes it, then the
 * frame takes its time on the wire, and it is transmitted when its last bit has left (store and forward).
 */
import type { QueueOptions, SwitchClock } from "../options.js";
import { Fifo, type PacketCopy } from "./packet-copy.js";

interface Waiting {
  readonly copy: PacketCopy;
  readonly since: number;
  readonly depth: number;
}

class Port {
  readonly lines: Fifo<Waiting>[];
  bytes = 0;
  busy = false;
  /** Time before which no packet leaves the queue, by the rate in packets. */
  notBefore = 0;

  constructor(
    readonly number: number,
    priorities: number,
  ) {
    this.lines = Array.from({ length: priorities }, () => new Fifo<Waiting>());
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
  /** Changed by `set_queue_depth` and `set_queue_rate` of the command line; they win over the options. */
  readonly depths = new Map<number, number>();
  readonly rates = new Map<number, number>();
  depthOfAll: number | undefined;
  rateOfAll: number | undefined;

  constructor(
    readonly options: QueueOptions,
    readonly clock: SwitchClock,
    readonly serve: Serve,
    readonly transmit: (port: number, frame: Uint8Array) => void,
  ) {}

  get priorities(): number {
    return this.options.priorities ?? 1;
  }

  /** Takes a packet for its port; false if there is no room. Call {@link run} afterwards. */
  push(copy: PacketCopy, priority: number): boolean {
    let port = this.#ports.get(copy.port);
    if (port === undefined) {
      port = new Port(copy.port, this.priorities);
      this.#ports.set(copy.port, port);
    }
    const line = port.lines[priority];
    if (line === undefined) return false;
    // A port that is free takes the packet at once, so that a depth of 0 still forwards.
    const waits = port.busy || line.length > 0;
    const depth = this.depths.get(copy.port) ?? this.depthOfAll ?? this.options.depthPackets;
    if (waits && depth !== undefined && line.length >= depth) return false;
    const { depthBytes } = this.options;
    if (waits && depthBytes !== undefined && port.bytes + copy.packetLength > depthBytes) return false;
    line.push({ copy, since: this.clock.now(), depth: line.length });
    port.bytes += copy.packetLength;
    if (!port.busy) this.#ready.push(port);
    return true;
  }

  /** Serves the ports that became free; false when there was nothing to do. */
  run(): boolean {
    const port = this.#ready.shift();
    if (port === undefined) return false;
    if (!port.busy) this.#next(port);
    return true;
  }

  #next(port: Port): void {
    const now = this.clock.now();
    if (port.notBefore > now) {
      port.busy = true;
      this.clock.at(port.notBefore, () => this.#resume(port));
      return;
    }
    let priority = port.lines.length - 1;
    while (priority > 0 && port.lines[priority]!.length === 0) priority--;
    const line = port.lines[priority]!;
    const waiting = line.shift();
    if (waiting === undefined) return;
    port.bytes -= waiting.copy.packetLength;
    const packets =
      this.rates.get(port.number) ?? this.rateOfAll ?? this.options.ratePacketsPerSecond?.(port.number);
    if (packets !== undefined) port.notBefore = now + 1e6 / packets;
    const frame = this.serve(waiting.copy, waiting.since, waiting.depth, line.length, priority);
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
      this.#resume(port);
    });
  }

  /** Called by the clock when a port is free again. */
  resumed: (() => void) | undefined;

  #resume(port: Port): void {
    port.busy = false;
    this.#ready.push(port);
    this.resumed?.();
  }
}
