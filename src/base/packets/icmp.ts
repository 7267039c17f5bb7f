/** ICMP for IPv4 (RFC 792): a view over the message at `at`, its representation, and the echoes and errors that hosts send. */

import { addWords, finishChecksum, isWhole } from "./checksum.js";
import * as Ethernet from "./ethernet.js";
import * as Ipv4 from "./ipv4.js";
import { ETHERTYPE_IPV4, PROTOCOL_ICMP } from "./numbers.js";
import { get16, put16 } from "./words.js";

/** Type, code, checksum, and four bytes whose meaning the type decides. */
export const LENGTH = 8;
/** Position of the checksum. */
export const CHECKSUM_AT = 2;

export const ECHO_REPLY = 0;
export const UNREACHABLE = 3;
export const ECHO_REQUEST = 8;
export const TIME_EXCEEDED = 11;
/** Code of {@link UNREACHABLE}: the port is closed. */
export const PORT_UNREACHABLE = 3;

const HOP_LIMIT = 64;
/** Number of bytes of the packet that an error quotes: its IP header and eight bytes more. */
const QUOTED_BYTES = Ipv4.LENGTH + 8;

export function type(bytes: Uint8Array, at: number): number {
  return bytes[at]!;
}

export function code(bytes: Uint8Array, at: number): number {
  return bytes[at + 1]!;
}

/** Of an echo. */
export function identifier(bytes: Uint8Array, at: number): number {
  return get16(bytes, at + 4);
}

/** Of an echo. */
export function sequence(bytes: Uint8Array, at: number): number {
  return get16(bytes, at + 6);
}

/** Computes the checksum of the message `bytes[at, end)`. */
export function writeChecksum(bytes: Uint8Array, at: number, end: number): void {
  put16(bytes, at + CHECKSUM_AT, 0);
  put16(bytes, at + CHECKSUM_AT, finishChecksum(addWords(bytes, at, end, 0)));
}

export interface Header {
  readonly type: number;
  readonly code: number;
  /** Of an echo: identifier and sequence number; of an error 0. */
  readonly identifier: number;
  readonly sequence: number;
}

/** Whether `bytes[at, end)` is a whole message with a right checksum. */
export function check(bytes: Uint8Array, at: number, end: number): boolean {
  return end >= at + LENGTH && isWhole(addWords(bytes, at, end, 0));
}

/** Undefined where {@link check} says no. */
export function parse(bytes: Uint8Array, at: number, end: number): Header | undefined {
  if (!check(bytes, at, end)) return undefined;
  return {
    type: type(bytes, at),
    code: code(bytes, at),
    identifier: identifier(bytes, at),
    sequence: sequence(bytes, at),
  };
}

/** Writes the header without its checksum, which {@link writeChecksum} writes after the body. */
export function emit(bytes: Uint8Array, at: number, header: Header): void {
  bytes[at] = header.type;
  bytes[at + 1] = header.code;
  put16(bytes, at + 4, header.identifier);
  put16(bytes, at + 6, header.sequence);
}

/** A message with the fields of the packet around it. */
export interface Message extends Header {
  readonly ttl: number;
  /** 32 bits each. */
  readonly source: number;
  readonly destination: number;
  /** Of an error: the IPv4 header of the packet that it is about, and what follows. */
  readonly body: Uint8Array;
}

/** Undefined when the frame is no whole ICMP message in IPv4 without options, or a checksum is wrong. */
export function parseFrame(frame: Uint8Array): Message | undefined {
  const at = Ethernet.LENGTH;
  if (frame.length < at + Ipv4.LENGTH || Ethernet.type(frame) !== ETHERTYPE_IPV4) return undefined;
  if (!Ipv4.isPlain(frame, at) || Ipv4.protocol(frame, at) !== PROTOCOL_ICMP) return undefined;
  if (!Ipv4.check(frame, at, frame.length)) return undefined;
  const end = at + Ipv4.totalLength(frame, at);
  const header = parse(frame, at + Ipv4.LENGTH, end);
  return (
    header && {
      ...header,
      ttl: Ipv4.ttl(frame, at),
      source: Ipv4.source(frame, at),
      destination: Ipv4.destination(frame, at),
      body: frame.slice(at + Ipv4.LENGTH + LENGTH, end),
    }
  );
}

export interface Ends {
  readonly srcMac: bigint;
  readonly src: bigint;
  readonly dst: bigint;
}

/** A message in a frame whose destination MAC is not filled in yet. */
export function frameOf(
  { srcMac, src, dst }: Ends,
  message: Header & { readonly body: Uint8Array; readonly ttl?: number | undefined },
): Uint8Array {
  const { body, ttl = HOP_LIMIT } = message;
  const ip = Ethernet.LENGTH;
  const at = ip + Ipv4.LENGTH;
  const frame = new Uint8Array(at + LENGTH + body.length);
  Ethernet.emit(frame, { destination: 0n, source: srcMac, type: ETHERTYPE_IPV4 });
  Ipv4.emit(frame, ip, {
    ...Ipv4.ATOMIC,
    dscp: 0,
    ecn: 0,
    ttl,
    protocol: PROTOCOL_ICMP,
    source: src,
    destination: dst,
    payloadLength: LENGTH + body.length,
  });
  emit(frame, at, message);
  frame.set(body, at + LENGTH);
  writeChecksum(frame, at, frame.length);
  return frame;
}

/** An error about a frame that came in: it quotes the IP header and eight bytes (RFC 792). */
export function errorFrame(ends: Ends, type: number, code: number, about: Uint8Array): Uint8Array {
  const body = about.slice(Ethernet.LENGTH, Ethernet.LENGTH + QUOTED_BYTES);
  return frameOf(ends, { type, code, identifier: 0, sequence: 0, body });
}

/** The echo that the body of an error quotes; undefined where it quotes anything else. */
export function quotedEcho(body: Uint8Array): Pick<Header, "identifier" | "sequence"> | undefined {
  if (body.length < QUOTED_BYTES || Ipv4.protocol(body, 0) !== PROTOCOL_ICMP) return undefined;
  return { identifier: identifier(body, Ipv4.LENGTH), sequence: sequence(body, Ipv4.LENGTH) };
}

const UNREACHABLE_TEXTS: Readonly<Record<number, string>> = {
  0: "network unreachable",
  1: "host unreachable",
  3: "port unreachable",
};

/** An error as `ping` prints it; undefined for echo and other messages that are no errors. */
export function errorText({ type, code }: Pick<Header, "type" | "code">): string | undefined {
  if (type === TIME_EXCEEDED) return "time to live exceeded";
  if (type === UNREACHABLE) return UNREACHABLE_TEXTS[code] ?? `destination unreachable, code ${code}`;
  return undefined;
}
