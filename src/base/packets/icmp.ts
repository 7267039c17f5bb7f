/** ICMP for IPv4 (RFC 792): echo, and the errors that hosts and routers send. */

import { given } from "../index.js";
import { addWords, finishChecksum, foldSum } from "./checksum.js";
import { prepareHeaders } from "./network-headers.js";
import { ETHERTYPE_IPV4, PROTOCOL_ICMP } from "./numbers.js";
import { get16, put16 } from "./words.js";

export const ECHO_REPLY = 0;
export const UNREACHABLE = 3;
export const ECHO_REQUEST = 8;
const TIME_EXCEEDED = 11;
/** Code of {@link UNREACHABLE}: the port is closed. */
export const PORT_UNREACHABLE = 3;

const ETHERNET_BYTES = 14;
const IPV4_BYTES = 20;
/** Type, code, checksum, and four bytes whose meaning the type decides. */
const ICMP_BYTES = 8;
/** Number of bytes of the packet that an error quotes: its IP header and eight bytes more. */
const QUOTED_BYTES = IPV4_BYTES + 8;

export interface IcmpAddresses {
  readonly srcMac: bigint;
  readonly src: bigint;
  readonly dst: bigint;
}

export interface IcmpMessage {
  readonly type: number;
  readonly code: number;
  /** Of an echo: identifier and sequence number; of an error 0. */
  readonly identifier: number;
  readonly sequence: number;
  readonly ttl: number;
  /** 32 bits each. */
  readonly source: number;
  readonly destination: number;
  /** Of an error: the IPv4 header of the packet that it is about, and what follows. */
  readonly body: Uint8Array;
}

/** Undefined when the frame is no whole ICMP message in IPv4, or a checksum is wrong. */
export function readIcmp(frame: Uint8Array): IcmpMessage | undefined {
  const at = ETHERNET_BYTES;
  if (frame.length < at + IPV4_BYTES + ICMP_BYTES || get16(frame, 12) !== ETHERTYPE_IPV4) return undefined;
  if (frame[at] !== 0x45 || frame[at + 9] !== PROTOCOL_ICMP) return undefined;
  const end = at + get16(frame, at + 2);
  const icmp = at + IPV4_BYTES;
  if (end > frame.length || end < icmp + ICMP_BYTES) return undefined;
  if (foldSum(addWords(frame, at, icmp, 0)) !== 0xffff) return undefined;
  if (foldSum(addWords(frame, icmp, end, 0)) !== 0xffff) return undefined;
  const word = (from: number): number => get16(frame, from) * 65_536 + get16(frame, from + 2);
  return {
    type: frame[icmp]!,
    code: frame[icmp + 1]!,
    identifier: get16(frame, icmp + 4),
    sequence: get16(frame, icmp + 6),
    ttl: frame[at + 8]!,
    source: word(at + 12),
    destination: word(at + 16),
    body: frame.slice(icmp + ICMP_BYTES, end),
  };
}

/** A message in a frame whose destination MAC is not filled in yet. */
export function icmpFrame(
  { srcMac, src, dst }: IcmpAddresses,
  message: {
    readonly type: number;
    readonly code: number;
    readonly identifier: number;
    readonly sequence: number;
    readonly body: Uint8Array;
    readonly ttl?: number;
  },
): Uint8Array {
  const { body, ttl } = message;
  const prepared = prepareHeaders(
    { ipVersion: 4, srcMac, dstMac: 0n, src, dst, srcPort: 0, dstPort: 0 },
    { dscp: 0, vlan: undefined, flowLabel: 0, ...given({ ttl }) },
    PROTOCOL_ICMP,
    ICMP_BYTES,
  );
  const icmp = prepared.transportAt;
  const frame = new Uint8Array(icmp + ICMP_BYTES + body.length);
  frame.set(prepared.bytes);
  put16(frame, prepared.ipAt + 2, frame.length - prepared.ipAt);
  put16(frame, prepared.ipAt + 10, 0);
  put16(frame, prepared.ipAt + 10, finishChecksum(addWords(frame, prepared.ipAt, icmp, 0)));
  frame[icmp] = message.type;
  frame[icmp + 1] = message.code;
  put16(frame, icmp + 4, message.identifier);
  put16(frame, icmp + 6, message.sequence);
  frame.set(body, icmp + ICMP_BYTES);
  put16(frame, icmp + 2, finishChecksum(addWords(frame, icmp, frame.length, 0)));
  return frame;
}

/** An error about a frame that came in: it quotes the IP header and eight bytes (RFC 792). */
export function icmpError(
  addresses: IcmpAddresses,
  type: number,
  code: number,
  about: Uint8Array,
): Uint8Array {
  const body = about.slice(ETHERNET_BYTES, ETHERNET_BYTES + QUOTED_BYTES);
  return icmpFrame(addresses, { type, code, identifier: 0, sequence: 0, body });
}

const UNREACHABLE_TEXTS: Readonly<Record<number, string>> = {
  0: "network unreachable",
  1: "host unreachable",
  3: "port unreachable",
};

/** An error as `ping` prints it; undefined for echo and other messages that are no errors. */
export function icmpErrorText({ type, code }: Pick<IcmpMessage, "type" | "code">): string | undefined {
  if (type === TIME_EXCEEDED) return "time to live exceeded";
  if (type === UNREACHABLE) return UNREACHABLE_TEXTS[code] ?? `destination unreachable, code ${code}`;
  return undefined;
}
