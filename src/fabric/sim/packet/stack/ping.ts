/** Echo requests at a fixed interval, and their replies. Times are nanoseconds of the simulation. */

export interface PingOptions {
  /** 32 bits. */
  readonly to: bigint;
  readonly count: number;
  readonly intervalNs: number;
  /** Payload bytes. */
  readonly bytes: number;
  readonly ttl: number;
  /** Time for which the last request waits for its reply. */
  readonly timeoutNs: number;
}

export interface PingListener {
  sent?(sequence: number): void;
  replied?(sequence: number, rttNs: number, ttl: number): void;
  /** A router, the target, or this host itself reports that the request cannot arrive. */
  refused?(sequence: number, why: string, by: bigint): void;
  /** All replies have arrived, or the last request has timed out. */
  ended?(): void;
}

/** Operations of the host that a ping uses. */
export interface PingHost {
  now(): number;
  at(time: number, fn: () => void): () => void;
  sendEcho(ping: Ping, sequence: number): void;
  releasePing(ping: Ping): void;
}

export class Ping {
  sent = 0;
  received = 0;
  refused = 0;
  /** Round-trip times of the replies. */
  readonly rttsNs: number[] = [];
  readonly #sentAt = new Map<number, number>();
  #cancel: () => void = () => {};
  #over = false;

  constructor(
    readonly host: PingHost,
    readonly identifier: number,
    readonly options: PingOptions,
    readonly listener: PingListener,
  ) {}

  /** Sends the first request. */
  start(): void {
    if (!this.#over) this.#send();
  }

  get over(): boolean {
    return this.#over;
  }

  #send(): void {
    const { count, intervalNs, timeoutNs } = this.options;
    const sequence = ++this.sent;
    this.#sentAt.set(sequence & 0xffff, this.host.now());
    this.#cancel =
      this.sent < count
        ? this.host.at(this.host.now() + intervalNs, () => this.#send())
        : this.host.at(this.host.now() + timeoutNs, () => this.stop());
    this.listener.sent?.(sequence);
    this.host.sendEcho(this, sequence);
  }

  reply(sequence: number, ttl: number): void {
    const at = this.#sentAt.get(sequence);
    if (at === undefined) return;
    this.#sentAt.delete(sequence);
    const rtt = this.host.now() - at;
    this.received++;
    this.rttsNs.push(rtt);
    this.listener.replied?.(sequence, rtt, ttl);
    this.#settle();
  }

  refuse(sequence: number, why: string, by: bigint): void {
    if (!this.#sentAt.delete(sequence)) return;
    this.refused++;
    this.listener.refused?.(sequence, why, by);
    this.#settle();
  }

  #settle(): void {
    if (this.sent === this.options.count && this.#sentAt.size === 0) this.stop();
  }

  /** Stops sending and ignores later replies. */
  stop(): void {
    if (this.#over) return;
    this.#over = true;
    this.#cancel();
    this.host.releasePing(this);
    this.listener.ended?.();
  }
}
