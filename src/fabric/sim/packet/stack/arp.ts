/** Address resolution (RFC 826) for IPv4 on Ethernet: frames, and the table of a host with the frames that wait for an answer. */
import { fromBytes, toBytes } from "../../../../base/index.js";
import { get16, put16 } from "../../../../base/packets/network-headers.js";

export const ETHERTYPE_ARP = 0x0806;
const BROADCAST = 0xffff_ffff_ffffn;
const FRAME_BYTES = 42;

export interface ArpMessage {
  /** 1 request, 2 reply. */
  readonly operation: number;
  readonly senderMac: bigint;
  readonly sender: bigint;
  readonly targetMac: bigint;
  readonly target: bigint;
}

/** Undefined for anything but a request or a reply of IPv4 on Ethernet. */
export function readArp(frame: Uint8Array): ArpMessage | undefined {
  if (frame.length < FRAME_BYTES || get16(frame, 12) !== ETHERTYPE_ARP) return undefined;
  if (get16(frame, 14) !== 1 || get16(frame, 16) !== 0x0800 || frame[18] !== 6 || frame[19] !== 4)
    return undefined;
  const operation = get16(frame, 20);
  if (operation !== 1 && operation !== 2) return undefined;
  const part = (at: number, bytes: number): bigint => fromBytes(frame.subarray(at, at + bytes));
  return {
    operation,
    senderMac: part(22, 6),
    sender: part(28, 4),
    targetMac: part(32, 6),
    target: part(38, 4),
  };
}

/** The frame of a message; a request goes to all, a reply to its target. */
export function arpFrame({ operation, senderMac, sender, targetMac, target }: ArpMessage): Uint8Array {
  const frame = new Uint8Array(FRAME_BYTES);
  frame.set(toBytes(operation === 1 ? BROADCAST : targetMac, 6), 0);
  frame.set(toBytes(senderMac, 6), 6);
  put16(frame, 12, ETHERTYPE_ARP);
  put16(frame, 14, 1);
  put16(frame, 16, 0x0800);
  frame[18] = 6;
  frame[19] = 4;
  put16(frame, 20, operation);
  frame.set(toBytes(senderMac, 6), 22);
  frame.set(toBytes(sender, 4), 28);
  frame.set(toBytes(targetMac, 6), 32);
  frame.set(toBytes(target, 4), 38);
  return frame;
}

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
