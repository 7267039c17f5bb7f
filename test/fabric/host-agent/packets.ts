/** TCP packets as a kernel sends them, and their checksums. */
import { expect } from "vitest";
import { addWords, FLAG_ACK, foldSum, Ip, PROTOCOL_TCP, Tcp } from "../../../src/base/packets/index.js";

export const FAMILIES = [Ip.IPV4, Ip.IPV6] as const;

/** Folded sum over the TCP segment of a packet and its pseudo header: 0xffff when the checksum is right. */
export function segmentSum(packet: Uint8Array, family: Ip.Family): number {
  const tcp = family.length;
  if (family === Ip.IPV4) expect(foldSum(addWords(packet, 0, tcp, 0))).toBe(0xffff);
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
export function tcpPacket(family: Ip.Family, parts: PacketParts = {}): Uint8Array {
  const { options = new Uint8Array(0), data = new Uint8Array(0), flags = FLAG_ACK, src = 1 } = parts;
  const { sequence = 1_000_000, acknowledgement = 77, ports = [4000, 5201] } = parts;
  const tcp = family.length;
  const header = Tcp.LENGTH + options.length;
  const packet = new Uint8Array(tcp + header + data.length);
  packet.set(family === Ip.IPV4 ? [0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 6] : [0x60, 0, 0, 0, 0, 0, 6, 64]);
  packet.set(addressOf(family, src), family.keyAt);
  packet.set(addressOf(family, src === 1 ? 2 : 1), family.keyAt + family.addressLength);
  const [srcPort, dstPort] = ports;
  const fixed = { srcPort, dstPort, sequence, acknowledgement, flags, window: 500, urgent: 0 };
  Tcp.emit(packet, tcp, { ...fixed, options: [] });
  Tcp.setHeaderLength(packet, tcp, header);
  packet.set(options, tcp + Tcp.LENGTH);
  packet.set(data, tcp + header);
  Ip.finish(packet, 0, family, packet.length);
  const pseudo = Ip.pseudoSum(packet, 0, family, PROTOCOL_TCP, packet.length - tcp);
  Tcp.writeChecksum(packet, tcp, packet.length, pseudo);
  return packet;
}

export function addressOf(family: Ip.Family, end: 1 | 2): Uint8Array {
  const address = new Uint8Array(family.addressLength);
  address[0] = family === Ip.IPV4 ? 10 : 0xfd;
  address[family.addressLength - 1] = end;
  return address;
}
