/**
 * pcapng files as bytes, written block by block: one section, interfaces with stamps in nanoseconds, packets of any of them.
 * `pcapng-decoder.ts` reads them. Format: draft-ietf-opsawg-pcapng, sections 3 and 4.
 */

/** Types of blocks that are written or read; others are passed over. */
export const BLOCK = {
  section: 0x0a0d0d0a,
  interface: 1,
  packet: 2,
  simplePacket: 3,
  enhancedPacket: 6,
} as const;

export const BYTE_ORDER_MAGIC = 0x1a2b3c4d;

/** Codes of options, each of its block. */
export const OPTION = {
  end: 0,
  comment: 1,
  application: 4,
  interfaceName: 2,
  interfaceDescription: 3,
  interfaceSpeed: 8,
  timeResolution: 9,
  timeOffset: 14,
  packetFlags: 2,
} as const;

/** Direction in the flags of a packet. */
export const INBOUND = 1;
export const OUTBOUND = 2;

const TICKS_A_SECOND = 1_000_000_000n;
const NANOSECONDS = 9;

export interface PcapngInterface {
  readonly name: string;
  readonly description?: string | undefined;
  /** 1, Ethernet, unless given. */
  readonly linkType?: number | undefined;
  /** Bits per second. */
  readonly speedBps?: number | undefined;
}

export interface PcapngPacket {
  /** Number of the interface in its section, from 0. */
  readonly interface: number;
  /** Whole seconds since the epoch, and the nanoseconds (below 10^9) after them. */
  readonly seconds: number;
  readonly nanoseconds: number;
  /** What was kept of the frame. */
  readonly frame: Uint8Array;
  /** Of the whole frame; that of `frame` unless given. */
  readonly length?: number | undefined;
  /** Sent by the interface, or received; absent: not said. */
  readonly outbound?: boolean | undefined;
  readonly comment?: string | undefined;
}

/** The beginning of a file: a section header block. */
export function pcapngSection(given: { readonly application?: string } = {}): Uint8Array {
  const body = new Uint8Array(16);
  const view = new DataView(body.buffer);
  view.setUint32(0, BYTE_ORDER_MAGIC, true);
  view.setUint16(4, 1, true);
  // The length of the section is not known.
  view.setBigInt64(8, -1n, true);
  return block(BLOCK.section, body, [text(OPTION.application, given.application)]);
}

/** An interface description block; interfaces are numbered by their order in the file, each before its first packet. */
export function pcapngInterface({ name, description, linkType = 1, speedBps }: PcapngInterface): Uint8Array {
  const body = new Uint8Array(8);
  new DataView(body.buffer).setUint16(0, linkType, true);
  const speed = new Uint8Array(8);
  new DataView(speed.buffer).setBigUint64(0, BigInt(Math.round(speedBps ?? 0)), true);
  return block(BLOCK.interface, body, [
    text(OPTION.interfaceName, name),
    text(OPTION.interfaceDescription, description),
    speedBps === undefined ? undefined : { code: OPTION.interfaceSpeed, value: speed },
    { code: OPTION.timeResolution, value: Uint8Array.of(NANOSECONDS) },
  ]);
}

/** An enhanced packet block. */
export function pcapngPacket(packet: PcapngPacket): Uint8Array {
  const { frame, length = frame.length, outbound, comment } = packet;
  const body = new Uint8Array(20 + padded(frame.length));
  const view = new DataView(body.buffer);
  const ticks = BigInt(packet.seconds) * TICKS_A_SECOND + BigInt(packet.nanoseconds);
  view.setUint32(0, packet.interface, true);
  view.setUint32(4, Number(ticks >> 32n), true);
  view.setUint32(8, Number(ticks & 0xffffffffn), true);
  view.setUint32(12, frame.length, true);
  view.setUint32(16, length, true);
  body.set(frame, 20);
  const flags = Uint8Array.of(outbound ? OUTBOUND : INBOUND, 0, 0, 0);
  return block(BLOCK.enhancedPacket, body, [
    text(OPTION.comment, comment),
    outbound === undefined ? undefined : { code: OPTION.packetFlags, value: flags },
  ]);
}

interface Option {
  readonly code: number;
  readonly value: Uint8Array;
}

function text(code: number, value: string | undefined): Option | undefined {
  return value === undefined ? undefined : { code, value: new TextEncoder().encode(value) };
}

/** To the next multiple of 4. */
export function padded(length: number): number {
  return (length + 3) & ~3;
}

/** A block with its type and length around it; `body`: a multiple of 4 bytes. */
function block(type: number, body: Uint8Array, options: readonly (Option | undefined)[]): Uint8Array {
  const given = options.filter((option) => option !== undefined);
  const end = given.length > 0 ? 4 : 0;
  const length = given.reduce((sum, { value }) => sum + 4 + padded(value.length), 12 + body.length + end);
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, type, true);
  view.setUint32(4, length, true);
  bytes.set(body, 8);
  let at = 8 + body.length;
  for (const { code, value } of given) {
    view.setUint16(at, code, true);
    view.setUint16(at + 2, value.length, true);
    bytes.set(value, at + 4);
    at += 4 + padded(value.length);
  }
  view.setUint32(length - 4, length, true);
  return bytes;
}
