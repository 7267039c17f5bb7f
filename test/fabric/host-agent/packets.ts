/** TCP packets as a kernel sends them, and their checksums. */
import { expect } from "vitest";
import {
  addWords,
  type Family,
  FLAG_ACK,
  foldSum,
  IPV4,
  IPV6,
  PROTOCOL_TCP,
  put16,
  put32,
} from "../../../src/base/packets/index.js";
import { finishHeader, transportChecksum } from "../../../src/fabric/host-agent/rewriting.js";

export const FAMILIES = [IPV4, IPV6] as const;

/** Folded sum over the TCP segment of a packet and its pseudo header: 0xffff when the checksum is right. */
export function segmentSum(packet: Uint8Array, family: Family): number {
  const tcp = family.length;
  if (family === IPV4) expect(foldSum(addWords(packet, 0, tcp, 0))).toBe(0xffff);
  const pseudo = addWords(packet, family.keyAt, tcp, PROTOCOL_TCP + packet.length - tcp);
  return foldSum(addWords(packet, tcp, packet.length, pseudo));
}

export interface PacketParts {
  readonly options?: Uint8Array;
  readonly data?: Uint8Array;
  readonly flags?: number;
  readonly sequence?: number;
  readonly acknowledgement?: number;
  /** Of both ends: 10.0.0.1 and 10.0.0.2, or fd00::1 and fd00::2. */
  readonly src?: 1 | 2;
  /** Default: from 4000 to 5201. */
  readonly ports?: readonly [number, number];
}

/** A packet from one end to the other. */
export function tcpPacket(family: Family, parts: PacketParts = {}): Uint8Array {
  const { options = new Uint8Array(0), data = new Uint8Array(0), flags = FLAG_ACK, src = 1 } = parts;
  const { sequence = 1_000_000, acknowledgement = 77, ports = [4000, 5201] } = parts;
  const tcp = family.length;
  const header = 20 + options.length;
  const packet = new Uint8Array(tcp + header + data.length);
  packet.set(family === IPV4 ? [0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 6] : [0x60, 0, 0, 0, 0, 0, 6, 64]);
  packet.set(addressOf(family, src), family.keyAt);
  packet.set(addressOf(family, src === 1 ? 2 : 1), family.keyAt + family.addressLength);
  put16(packet, tcp, ports[0]);
  put16(packet, tcp + 2, ports[1]);
  put32(packet, tcp + 4, sequence);
  put32(packet, tcp + 8, acknowledgement);
  packet[tcp + 12] = (header / 4) << 4;
  packet[tcp + 13] = flags;
  put16(packet, tcp + 14, 500);
  packet.set(options, tcp + 20);
  packet.set(data, tcp + header);
  finishHeader(packet, family);
  put16(packet, tcp + 16, transportChecksum(packet, family, PROTOCOL_TCP));
  return packet;
}

export function addressOf(family: Family, end: 1 | 2): Uint8Array {
  const address = new Uint8Array(family.addressLength);
  address[0] = family === IPV4 ? 10 : 0xfd;
  address[family.addressLength - 1] = end;
  return address;
}
