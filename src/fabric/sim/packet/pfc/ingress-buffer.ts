/**
 * The buffer of one switch as priority flow control sees it: what waits, counted by the port that it came in by. Up to its threshold a port uses the
 * shared memory, beyond it its own headroom; a packet that fits into neither is dropped. What leaves frees the headroom first.
 */
import type { PfcOptions } from "./pfc-options.js";

/** What came in by one port and waits. */
interface Ingress {
  shared: number;
  headroom: number;
  /** The size of its headroom. */
  readonly room: number;
  /** Its sender has been asked to stop. */
  isAsking: boolean;
  /** By output port. */
  readonly toPort: number[];
  /** Most bytes of the headroom that were in use, and packets for which it had no room. */
  most: number;
  drops: number;
}

export class IngressBuffer {
  readonly #options: PfcOptions;
  /** By number; undefined: what comes in by the port cannot be paused (packets of the control plane). */
  readonly #ports: (Ingress | undefined)[] = [];
  /** In all ports. */
  #shared = 0;
  /** The memory that they share: that of the dynamic threshold. */
  #pool: number;
  /** Ports that ask. */
  #asking = 0;

  /** @param changed called when a port begins (true) or ends to ask its sender to stop */
  constructor(
    options: PfcOptions,
    readonly changed: (port: number, asks: boolean) => void,
  ) {
    this.#options = options;
    const { threshold } = options;
    this.#pool = threshold.kind === "dynamic" ? threshold.buffer : Number.POSITIVE_INFINITY;
  }

  /** Adds a port with so much headroom. */
  add(port: number, room: number): void {
    this.#ports[port] = { shared: 0, headroom: 0, room, isAsking: false, toPort: [], most: 0, drops: 0 };
    this.#pool -= room;
  }

  /** Bytes that may wait of one port before it asks. */
  get threshold(): number {
    return this.#thresholdWith(this.#shared);
  }

  #thresholdWith(shared: number): number {
    const { threshold } = this.#options;
    return threshold.kind === "static" ? threshold.bytes : threshold.alpha * Math.max(0, this.#pool - shared);
  }

  /** Whether what comes in by a port is counted. */
  counts(port: number): boolean {
    return this.#ports[port] !== undefined;
  }

  /** Of a port that counts. False: there is no room. */
  charge(ingressPort: number, egressPort: number, bytes: number): boolean {
    const port = this.#ports[ingressPort]!;
    const { threshold } = this;
    if (port.headroom === 0 && port.shared + bytes <= threshold) {
      port.shared += bytes;
      this.#shared += bytes;
    } else if (port.headroom + bytes <= port.room) {
      port.headroom += bytes;
      if (port.headroom > port.most) port.most = port.headroom;
    } else {
      port.drops++;
      // A pause ends when something leaves: where nothing waits it would never end.
      if (port.shared + port.headroom > 0) this.#ask(ingressPort, port);
      return false;
    }
    port.toPort[egressPort] = (port.toPort[egressPort] ?? 0) + bytes;
    if (port.headroom > 0 || port.shared >= threshold) this.#ask(ingressPort, port);
    return true;
  }

  #ask(number: number, port: Ingress): void {
    if (port.isAsking) return;
    port.isAsking = true;
    this.#asking++;
    this.changed(number, true);
  }

  release(ingressPort: number, egressPort: number, bytes: number): void {
    const port = this.#ports[ingressPort]!;
    const ofHeadroom = Math.min(port.headroom, bytes);
    port.headroom -= ofHeadroom;
    port.shared -= bytes - ofHeadroom;
    this.#shared -= bytes - ofHeadroom;
    port.toPort[egressPort]! -= bytes;
    this.#endAsking(ingressPort, port);
    // A threshold that all ports share rises for all.
    if (this.#asking === 0 || this.#options.threshold.kind === "static") return;
    const ports = this.#ports;
    for (let number = 0; number < ports.length; number++) {
      const other = ports[number];
      if (other !== undefined && other !== port) this.#endAsking(number, other);
    }
  }

  #endAsking(number: number, port: Ingress): void {
    if (!port.isAsking || port.headroom > 0) return;
    if (port.shared > 0 && port.shared + this.#options.xonOffset > this.threshold) return;
    port.isAsking = false;
    this.#asking--;
    this.changed(number, false);
  }

  /** The link of a port has lost its carrier: nobody is asked. What has come in by it still waits. */
  forget(number: number): void {
    const port = this.#ports[number];
    if (port === undefined || !port.isAsking) return;
    port.isAsking = false;
    this.#asking--;
  }

  isAsking(number: number): boolean {
    return this.#ports[number]?.isAsking === true;
  }

  /** Numbers of the ports that ask their senders to stop. */
  asking(): number[] {
    return this.#ports.flatMap((port, number) => (port?.isAsking === true ? [number] : []));
  }

  /** What waits of a port, in bytes; and the headroom: its size, what is in use, the most that was, and packets that it had no room for. */
  of(number: number): {
    readonly shared: number;
    readonly headroom: number;
    readonly room: number;
    readonly most: number;
    readonly drops: number;
  } {
    const { shared, headroom, room, most, drops } = this.#ports[number]!;
    return { shared, headroom, room, most, drops };
  }

  /** Output ports at which something waits that came in by a port. */
  outputsOf(number: number): number[] {
    return (this.#ports[number]?.toPort ?? []).flatMap((bytes, port) => (bytes > 0 ? [port] : []));
  }

  /** Whether a port that asks would still do so if of all that waits only what is at `stuck` outputs were left, and no port got more. */
  staysAsking(number: number, stuck: (egressPort: number) => boolean): boolean {
    const left = (port: Ingress) =>
      port.toPort.reduce((sum, bytes, egress) => (bytes > 0 && stuck(egress) ? sum + bytes : sum), 0);
    const own = left(this.#ports[number]!);
    if (own === 0) return false;
    const shared =
      this.#options.threshold.kind === "static"
        ? 0
        : this.#ports.reduce(
            (sum, port) => (port === undefined ? sum : sum + Math.min(port.shared, left(port))),
            0,
          );
    return own + this.#options.xonOffset > this.#thresholdWith(shared);
  }
}
