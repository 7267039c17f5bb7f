/** The layouts of headers: names and widths of their fields, in order, and the numbers that identify the next header. */

import {
  ETHERTYPE_ARP,
  ETHERTYPE_IPV4,
  ETHERTYPE_IPV6,
  ETHERTYPE_VLAN,
  PROTOCOL_ICMP,
  PROTOCOL_IPV4,
  PROTOCOL_IPV6,
  PROTOCOL_TCP,
  PROTOCOL_UDP,
} from "../../base/packets/index.js";

/**
 * Width in bits by name of the field, in the order of the header. The sum is a multiple of 8. A field with width 0 has any
 * number of whole bytes.
 */
export type HeaderLayout = ReadonlyMap<string, number>;

const layout = (fields: Readonly<Record<string, number>>): HeaderLayout => new Map(Object.entries(fields));

/** Values of `type` of `ethernet` and `vlan` (IEEE 802), by the header that comes next. */
export const ETHER_TYPES: Readonly<Record<string, bigint>> = {
  ipv4: BigInt(ETHERTYPE_IPV4),
  arp: BigInt(ETHERTYPE_ARP),
  vlan: BigInt(ETHERTYPE_VLAN),
  ipv6: BigInt(ETHERTYPE_IPV6),
};
/** Values of the protocol of IP (IANA), by the header that comes next. */
export const IP_PROTOCOLS: Readonly<Record<string, bigint>> = {
  icmp: BigInt(PROTOCOL_ICMP),
  ipv4: BigInt(PROTOCOL_IPV4),
  tcp: BigInt(PROTOCOL_TCP),
  udp: BigInt(PROTOCOL_UDP),
  ipv6: BigInt(PROTOCOL_IPV6),
};

/** Headers that every exercise and every lab has, in addition to those of the programs. */
export const HEADER_LAYOUTS: ReadonlyMap<string, HeaderLayout> = new Map([
  ["ethernet", layout({ dst: 48, src: 48, type: 16 })],
  ["vlan", layout({ pcp: 3, dei: 1, vid: 12, type: 16 })],
  [
    "arp",
    layout({
      hardware: 16,
      protocol: 16,
      hardware_length: 8,
      protocol_length: 8,
      operation: 16,
      sender_mac: 48,
      sender_ip: 32,
      target_mac: 48,
      target_ip: 32,
    }),
  ],
  [
    "ipv4",
    layout({
      version: 4,
      ihl: 4,
      dscp: 6,
      ecn: 2,
      length: 16,
      id: 16,
      flags: 3,
      offset: 13,
      ttl: 8,
      protocol: 8,
      checksum: 16,
      src: 32,
      dst: 32,
    }),
  ],
  [
    "ipv6",
    layout({
      version: 4,
      traffic_class: 8,
      flow_label: 20,
      length: 16,
      next_header: 8,
      hop_limit: 8,
      src: 128,
      dst: 128,
    }),
  ],
  ["udp", layout({ src: 16, dst: 16, length: 16, checksum: 16 })],
  [
    "tcp",
    layout({
      src: 16,
      dst: 16,
      sequence: 32,
      acknowledgement: 32,
      offset: 4,
      reserved: 4,
      flags: 8,
      window: 16,
      checksum: 16,
      urgent: 16,
    }),
  ],
  ["icmp", layout({ type: 8, code: 8, checksum: 16, id: 16, sequence: 16 })],
]);

/** Number of bytes of a header. */
export function layoutBytes(fields: HeaderLayout): number {
  let bits = 0;
  for (const width of fields.values()) bits += width;
  return bits / 8;
}

/** Reads a field of `width` bits at a bit offset of a frame; undefined if the frame is too short. */
export function readBits(frame: Uint8Array, at: number, width: number): bigint | undefined {
  if (at + width > 8 * frame.length) return undefined;
  let value = 0n;
  for (let byte = at >> 3; byte <= (at + width - 1) >> 3; byte++)
    value = (value << 8n) | BigInt(frame[byte]!);
  const behind = BigInt(7 - ((at + width - 1) & 7));
  return (value >> behind) & ((1n << BigInt(width)) - 1n);
}

/** Writes a field; the value must fit the width, and the field the frame. */
export function writeBits(frame: Uint8Array, at: number, width: number, value: bigint): void {
  for (let bit = at + width - 1; bit >= at; bit--) {
    const mask = 0x80 >> (bit & 7);
    const byte = bit >> 3;
    frame[byte] = (value & 1n) === 1n ? frame[byte]! | mask : frame[byte]! & ~mask;
    value >>= 1n;
  }
}
