/** Address resolution (RFC 826) for IPv4 on Ethernet: the table of a host, with the frames that wait for an answer. */

/** As Linux: three requests, a second apart (`mcast_solicit`, `retrans_time_ms`), then the host counts as unreachable. */
const MAX_REQUESTS = 3;
const REQUEST_GAP_NS = 1_000_000_000;
/** Maximum number of frames that wait for one address; the oldest is dropped first. */
const MAX_WAITING = 64;

interface Asked {
  readonly frames: Uint8Array[];
  requests: number;
  cancel(): void;
}

/** Operations of the host that the table uses. */
export interface ArpHost {
  now(): number;
  at(time: number, fn: () => void): () => void;
  request(address: bigint): void;
  /** The address is known: the frame can be sent. */
  release(frame: Uint8Array, mac: bigint): void;
  /** No host has answered for this address. */
  unreachable(address: bigint, frames: readonly Uint8Array[]): void;
}

export class ArpTable {
  readonly #known: Map<bigint, bigint>;
  readonly #permanent: ReadonlySet<bigint>;
  readonly #asked = new Map<bigint, Asked>();

  /** @param permanent addresses that need no request, and that no message changes */
  constructor(
    readonly host: ArpHost,
    permanent: ReadonlyMap<bigint, bigint>,
  ) {
    this.#known = new Map(permanent);
    this.#permanent = new Set(permanent.keys());
  }

  /** Addresses with their MAC addresses, in the order in which they were learned. */
  get entries(): ReadonlyMap<bigint, bigint> {
    return this.#known;
  }

  isPermanent(address: bigint): boolean {
    return this.#permanent.has(address);
  }

  lookUp(address: bigint): bigint | undefined {
    return this.#known.get(address);
  }

  /** Keeps the frame until the address is known, and sends a request unless one is pending. */
  await(address: bigint, frame: Uint8Array): void {
    const asked = this.#asked.get(address);
    if (asked !== undefined) {
      if (asked.frames.length >= MAX_WAITING) asked.frames.shift();
      asked.frames.push(frame);
      return;
    }
    const fresh: Asked = { frames: [frame], requests: 0, cancel: () => {} };
    this.#asked.set(address, fresh);
    this.#ask(address, fresh);
  }

  #ask(address: bigint, asked: Asked): void {
    if (asked.requests === MAX_REQUESTS) {
      this.#asked.delete(address);
      this.host.unreachable(address, asked.frames);
      return;
    }
    asked.requests++;
    asked.cancel = this.host.at(this.host.now() + REQUEST_GAP_NS, () => this.#ask(address, asked));
    this.host.request(address);
  }

  learn(address: bigint, mac: bigint): void {
    if (!this.#permanent.has(address)) this.#known.set(address, mac);
    const asked = this.#asked.get(address);
    if (asked === undefined) return;
    this.#asked.delete(address);
    asked.cancel();
    for (const frame of asked.frames) this.host.release(frame, this.#known.get(address)!);
  }
}
