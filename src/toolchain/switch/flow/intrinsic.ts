/**
 * The metadata in front of a packet in the parsers of a Tofino, as bytes. The layouts are those of `ingress_intrinsic_metadata_t` and
 * `egress_intrinsic_metadata_t` in the architecture files of both generations, which differ in the width of two times and a last byte.
 */

/** What an architecture puts in front of a packet. */
export interface Intrinsic {
  /** Intrinsic metadata, then the metadata of the port or of the resubmission. */
  readonly ingressBytes: number;
  readonly egressBytes: number;
  /** Bits of the times in the queue. */
  readonly timeBits: number;
}

export const INTRINSIC: Readonly<Record<"tna" | "t2na", Intrinsic>> = {
  tna: { ingressBytes: 16, egressBytes: 27, timeBits: 18 },
  t2na: { ingressBytes: 32, egressBytes: 28, timeBits: 32 },
};

/** Bytes of `ingress_intrinsic_metadata_t`, the same in both generations. */
const INGRESS_BYTES = 8;

function putNumber(to: Uint8Array, at: number, bytes: number, value: number): void {
  let rest = value;
  for (let i = at + bytes - 1; i >= at; i--) {
    to[i] = rest & 255;
    rest = Math.floor(rest / 256);
  }
}

/** @param nanoseconds time of arrival; `front`: resubmitted data, or the metadata of the port */
export function putIngress(
  to: Uint8Array,
  { ingressBytes }: Intrinsic,
  packet: { port: number; nanoseconds: number; isResubmitted: boolean; front: Uint8Array | undefined },
): void {
  to.fill(0, 0, ingressBytes);
  putNumber(to, 0, 2, (packet.isResubmitted ? 0x8000 : 0) | packet.port);
  putNumber(to, 2, 6, packet.nanoseconds);
  if (packet.front !== undefined)
    to.set(packet.front.subarray(0, ingressBytes - INGRESS_BYTES), INGRESS_BYTES);
}

export interface EgressPacket {
  readonly port: number;
  readonly rid: number;
  readonly isFirst: boolean;
  readonly queue: number;
  readonly serviceClass: number;
  /** Packets in the queue when this one came and left; nanoseconds of its arrival and of its wait. */
  readonly depthBefore: number;
  readonly depthAfter: number;
  readonly arrived: number;
  readonly waited: number;
  readonly length: number;
}

export function putEgress(to: Uint8Array, { egressBytes, timeBits }: Intrinsic, packet: EgressPacket): void {
  const cut = (time: number): number => time % 2 ** timeBits;
  to.fill(0, 0, egressBytes);
  putNumber(to, 0, 2, packet.port);
  putNumber(to, 2, 3, Math.min(packet.depthBefore, 0x7ffff));
  putNumber(to, 6, 4, cut(packet.arrived));
  putNumber(to, 10, 3, Math.min(packet.depthAfter, 0x7ffff));
  putNumber(to, 15, 4, cut(packet.waited));
  putNumber(to, 19, 2, packet.rid);
  to[21] = packet.isFirst ? 1 : 0;
  to[22] = packet.queue;
  to[23] = packet.serviceClass;
  putNumber(to, 25, 2, packet.length & 0xffff);
}

/** A packet that ends too early: PARSER_ERROR_PARTIAL_HDR, and PARSER_ERROR_SRC_EXT for the bytes that are not there. */
const TOO_SHORT = 0x22;

/** Bits of `parser_err` by the name of the error (`PARSER_ERROR_...` of the architecture files). */
const ERROR_BITS: Readonly<Record<string, number>> = {
  NoError: 0,
  NoMatch: 1,
  PacketTooShort: TOO_SHORT,
  HeaderTooShort: TOO_SHORT,
  CounterRange: 4,
  Timeout: 8,
  ParserTimeout: 16,
  PhvOwner: 128,
  MultiWrite: 256,
};

/** The bits for each error number of a program. */
export function errorBits(errors: readonly (readonly [name: string, number: number])[]): Int32Array {
  const bits = new Int32Array(Math.max(0, ...errors.map(([, number]) => number)) + 1);
  for (const [name, number] of errors) bits[number] = ERROR_BITS[name] ?? 1;
  return bits;
}
