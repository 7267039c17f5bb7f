/** What the paths of both portable architectures share: packets that are bytes between their passes, queues, digests, the controller's port. */
import { NO_LIMIT } from "../state/packet-state.js";
import { Forwarder } from "./forwarder.js";
import type { PacketCopy } from "./packet-copy.js";
import type { MirrorSession } from "./replication.js";

/** `PSA_PORT_CPU`, `PNA_PORT_CPU`. */
const CPU = 0xfffffffd;

/** The highest port that can have queues. */
const MAX_PORT = 0xffff;

export abstract class Portable extends Forwarder {
  /** What leaves by a port of a packet that does not wait; undefined: nothing. */
  protected abstract passOn(port: number, frame: Uint8Array): Uint8Array | undefined;

  /** Makes a packet the present one, as bytes; the fields stay as they are. */
  protected begin(frame: Uint8Array, ownsFrame: boolean): void {
    const { state } = this;
    state.frame = frame;
    state.ownsFrame = ownsFrame;
    state.start = 0;
    state.end = frame.length;
    state.packetLength = frame.length;
    state.ingressLength = frame.length;
    state.limit = NO_LIMIT;
    state.clearRequests();
  }

  protected putTime(at: number): void {
    const now = this.clock.now();
    const { phv } = this.state;
    phv[at] = now;
    phv[at + 1] = now / 4294967296;
  }

  protected sendDigest(): void {
    const { digest, phv } = this.state;
    if (digest === 0) return;
    this.tracer?.digest(digest);
    this.learn(digest, phv);
  }

  protected drop(where: "ingress" | "egress"): void {
    this.stats.dropped++;
    this.stats.drops[where]++;
    this.tracer?.drop(this.tracer.node, "drop_flag");
  }

  /** To one port: at once, where no packet waits. */
  protected send(port: number, frame: Uint8Array, serviceClass: number): void {
    const { queues } = this;
    const line = this.lineOf(serviceClass);
    const mustWait = queues !== undefined && port <= MAX_PORT && !queues.passes(port, line);
    if (this.work!.egress.length > 0 || mustWait) {
      const copy = this.copyOf(frame, true);
      copy.node = this.tracer?.node;
      this.queue(copy, port, line);
      return;
    }
    const left = this.passOn(port, frame);
    if (left === undefined) return;
    if (queues === undefined || port > MAX_PORT) this.output.transmit(port, left);
    else queues.start(port, left);
  }

  /** Copies of bytes go to the ports of a session. `fill` gives a copy what it takes along beside them. */
  protected clone(
    cause: "ingress_clone" | "egress_clone",
    packet: Uint8Array,
    session: number,
    fill?: (copy: PacketCopy, found: MirrorSession, instance: number) => void,
  ): void {
    const found: MirrorSession | undefined = this.replication.sessions.get(session);
    this.tracer?.cloneSession(session, found);
    if (found === undefined) return;
    const limit = found.lengthLimit > 0 ? found.lengthLimit : packet.length;
    const original = this.tracer?.node;
    this.tracer?.use(this.tracer.fork(cause));
    for (const { port, instance } of found.replicas) {
      const copy = this.copyOf(packet.slice(0, limit), true);
      fill?.(copy, found, instance);
      copy.node = this.tracer?.fork("replica", port, instance);
      this.queue(copy, this.portOf(port), this.lineOf(found.classOfService));
    }
    this.tracer?.forked("clone");
    this.tracer?.use(original);
  }

  /** Ports of the switch have queues; the port of recirculation, and others that the switch cannot have, do not. */
  protected queue(copy: PacketCopy, port: number, line: number): void {
    if (port <= MAX_PORT) {
      this.enqueue(copy, port, line);
      return;
    }
    copy.port = port;
    this.skipQueue(copy);
  }

  /** The queue of a class of service; a switch with fewer queues puts all others into the first. */
  protected lineOf(serviceClass: number): number {
    return serviceClass < (this.queues?.priorities ?? 1) ? serviceClass : 0;
  }

  /** A waiting packet with the present fields. */
  protected copyOf(frame: Uint8Array, ownsFrame: boolean): PacketCopy {
    const copy = this.work!.pool.take(frame);
    copy.phv.set(this.state.phv);
    copy.ownsFrame = ownsFrame;
    copy.start = 0;
    copy.end = frame.length;
    copy.packetLength = frame.length;
    copy.ingressLength = frame.length;
    copy.limit = NO_LIMIT;
    return copy;
  }

  /** The port of the switch that a port of the program is: both have a number of their own for the controller's. */
  protected portOf(port: number): number {
    return port === CPU ? (this.cpuPort ?? port) : port;
  }

  protected named(port: number): number {
    return port === this.cpuPort ? CPU : port;
  }
}
