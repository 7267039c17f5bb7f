/**
 * The metadata in front of a packet in the parsers of a Tofino, as bytes. The layouts are those of `ingress_intrinsic_metadata_t` and
 * `egress_intrinsic_metadata_t` in the architecture files of both generations, which differ in the width of two times and a last byte.
 */

/** What an architecture puts in front of a packet. */
export interface Intrinsic {
  /** Intrinsic metadata, then the metadata of the port or of the resubmission. */
  readonly ingressBytes: number;
  readonly egressBytes: number;
  /** The bits of the times in the queue. */
  readonly timeMask: number;
  /** Bytes of a cell of the traffic manager's buffer (`BF_TM_..._CELL_SIZE` of the open drivers); depths of queues count cells. */
  readonly cellBytes: number;
}

export const INTRINSIC: Readonly<Record<"tna" | "t2na", Intrinsic>> = {
  tna: { ingressBytes: 16, egressBytes: 27, timeMask: 0x3ffff, cellBytes: 80 },
  t2na: { ingressBytes: 32, egressBytes: 28, timeMask: -1, cellBytes: 176 },
};

/** Bytes of `ingress_intrinsic_metadata_t`, the same in both generations. */
const INGRESS_BYTES = 8;

/** A number of up to 32 bits. */
function putWord(to: Uint8Array, at: number, value: number): void {
  to[at] = value >>> 24;
  to[at + 1] = value >>> 16;
  to[at + 2] = value >>> 8;
  to[at + 3] = value;
}

/** For few bytes a loop is faster than a call of `fill`. */
export function clear(to: Uint8Array, start: number, end: number): void {
  for (let i = start; i < end; i++) to[i] = 0;
}

function putHalf(to: Uint8Array, at: number, value: number): void {
  to[at] = value >>> 8;
  to[at + 1] = value;
}

/** What the ingress parser finds in front of a packet; `front`: resubmitted data, or the metadata of the port. Times are in nanoseconds. */
export interface IngressPacket {
  port: number;
  nanoseconds: number;
  isResubmitted: boolean;
  front: Uint8Array | undefined;
}

export function putIngress(to: Uint8Array, { ingressBytes }: Intrinsic, packet: IngressPacket): void {
  clear(to, INGRESS_BYTES, ingressBytes);
  putHalf(to, 0, (packet.isResubmitted ? 0x8000 : 0) | packet.port);
  putHalf(to, 2, packet.nanoseconds * 2 ** -32);
  putWord(to, 4, packet.nanoseconds);
  if (packet.front !== undefined)
    to.set(packet.front.subarray(0, ingressBytes - INGRESS_BYTES), INGRESS_BYTES);
}

/** What the egress parser finds in front of a packet. */
export interface EgressPacket {
  port: number;
  rid: number;
  isFirst: boolean;
  queue: number;
  serviceClass: number;
  /** Cells in the queue when this one came and left; nanoseconds of its arrival and of its wait. */
  depthBefore: number;
  depthAfter: number;
  arrived: number;
  waited: number;
  length: number;
}

export function putEgress(to: Uint8Array, { egressBytes, timeMask }: Intrinsic, packet: EgressPacket): void {
  clear(to, 0, egressBytes);
  putHalf(to, 0, packet.port);
  putHalf(to, 3, packet.depthBefore);
  putWord(to, 6, packet.arrived & timeMask);
  putHalf(to, 11, packet.depthAfter);
  putWord(to, 15, packet.waited & timeMask);
  putHalf(to, 19, packet.rid);
  to[21] = packet.isFirst ? 1 : 0;
  to[22] = packet.queue;
  to[23] = packet.serviceClass;
  putHalf(to, 25, packet.length);
}

/** A packet that ends too early: PARSER_ERROR_PARTIAL_HDR, and PARSER_ERROR_SRC_EXT for the bytes that are not there. */
export const TOO_SHORT = 0x22;

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
