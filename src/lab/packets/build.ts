/**
 * Packets from headers with fields, or from bytes. What is left out follows from the rest: types and protocols from the
 * next header, lengths and checksums from the whole packet, addresses from the sender.
 */
import {
  addWords,
  didYouMean,
  fail,
  finishChecksum,
  fromHex,
  maskOf,
  toBytes,
  toHex,
} from "../../base/index.js";
import { formatValue, parseValue } from "../../device/index.js";
import { CODES } from "../codes.js";
import type { BuiltPacket, PacketInput } from "../protocol.js";
import type { HeaderFormat } from "./formats.js";

/** Addresses of who sends the packet; those that are absent are 0. */
export interface Sender {
  readonly mac?: bigint;
  readonly ipv4?: bigint;
  readonly ipv6?: bigint;
  /** MAC address that a packet to an IPv4 address goes to. */
  macTowards?(destination: bigint | undefined): bigint | undefined;
}

interface Layer {
  readonly format: HeaderFormat;
  readonly given: ReadonlySet<string>;
  readonly values: Map<string, bigint>;
  /** Bytes of the field of any length. */
  readonly open: Uint8Array;
  at: number;
}

/** Types and protocols of the headers that can follow. */
const ETHERTYPES: Readonly<Record<string, bigint>> = {
  vlan: 0x8100n,
  arp: 0x0806n,
  ipv4: 0x0800n,
  ipv6: 0x86ddn,
};
const PROTOCOLS: Readonly<Record<string, bigint>> = { icmp: 1n, tcp: 6n, udp: 17n, ipv4: 4n, ipv6: 41n };
/** Of IEEE 802 for local experiments: before a header of a program whose type nobody gave. */
const LOCAL_ETHERTYPE = 0x88b5n;
const LOCAL_PROTOCOL = 253n;
const BROADCAST = maskOf(48);
const MAX_BYTES = 9216;

const FIXED: Readonly<Record<string, Readonly<Record<string, bigint>>>> = {
  arp: { htype: 1n, ptype: 0x0800n, hlen: 6n, plen: 4n, operation: 1n },
  ipv4: { version: 4n, ihl: 5n, flags: 2n, ttl: 64n },
  ipv6: { version: 6n, hops: 64n },
  icmp: { type: 8n, id: 1n, sequence: 1n },
  tcp: { sport: 49_152n, dport: 80n, offset: 5n, flags: 2n, window: 65_535n },
  udp: { sport: 49_152n, dport: 5001n },
};

/**
 * The bytes and fields of a packet.
 * Fails with P46004 for a header or field that there is not, or a value that does not fit, and with P46005 for a packet as a whole.
 */
export function buildPacket(
  packet: PacketInput,
  formats: ReadonlyMap<string, HeaderFormat>,
  sender: Sender,
): { readonly frame: Uint8Array; readonly built: BuiltPacket } {
  if ("hex" in packet) return fromBytesOf(packet.hex, formats);
  const layers = packet.layers.map(({ header, fields }) => layerOf(header, fields, formats));
  const payload = payloadOf(packet.payload);
  let at = 0;
  for (const layer of layers) {
    layer.at = at;
    at += sizeOf(layer);
  }
  const frame = new Uint8Array(at + payload.length);
  checkSize(frame);
  fillTypes(layers);
  fillAddresses(layers, sender);
  fillLengths(layers, frame.length);
  frame.set(payload, at);
  for (const layer of layers) write(layer, frame);
  // checksums of inner headers count in those of outer ones
  for (const [i, layer] of [...layers.entries()].reverse()) fillChecksum(layers, i, layer, frame);
  return { frame, built: { hex: toHex(frame), layers: layers.map(viewOf) } };
}

function checkSize(frame: Uint8Array): void {
  if (frame.length < 14 || frame.length > MAX_BYTES)
    fail(
      CODES.packetShape,
      undefined,
      `the packet has ${frame.length} bytes; it should have 14 to ${MAX_BYTES}`,
    );
}

/** The headers of given bytes are read as far as they are well known. */
function fromBytesOf(hex: string, formats: ReadonlyMap<string, HeaderFormat>) {
  const frame = fromHex(hex) ?? fail(CODES.packetShape, undefined, "expected hex digits, two a byte");
  checkSize(frame);
  return { frame, built: { hex: toHex(frame), layers: readLayers(frame, formats) } };
}

const NEXT_BY_TYPE: Readonly<Record<string, string>> = {
  "33024": "vlan",
  "2054": "arp",
  "2048": "ipv4",
  "34525": "ipv6",
};
const NEXT_BY_PROTOCOL: Readonly<Record<string, string>> = { "1": "icmp", "6": "tcp", "17": "udp" };

/** The well-known headers at the start of a frame. */
function readLayers(frame: Uint8Array, formats: ReadonlyMap<string, HeaderFormat>): BuiltPacket["layers"] {
  const layers: BuiltPacket["layers"][number][] = [];
  let at = 0;
  let next: string | undefined = "ethernet";
  while (next !== undefined) {
    const format: HeaderFormat = formats.get(next)!;
    const bits = format.fields.reduce((sum, field) => sum + field.bits, 0);
    if (at + bits / 8 > frame.length) break;
    const values = new Map<string, bigint>();
    let place = 8 * at;
    for (const field of format.fields) {
      values.set(field.name, readBits(frame, place, field.bits));
      place += field.bits;
    }
    layers.push(viewOf({ format, values, given: new Set(), open: new Uint8Array(), at }));
    const type = values.get("type");
    const protocol = values.get("protocol") ?? values.get("next");
    if (next === "ethernet" || next === "vlan") next = NEXT_BY_TYPE[String(type)];
    else if (next === "ipv4" || next === "ipv6") next = NEXT_BY_PROTOCOL[String(protocol)];
    else next = undefined;
    at += format.name === "ipv4" ? 4 * Number(values.get("ihl")) : bits / 8;
  }
  return layers;
}

function readBits(frame: Uint8Array, from: number, bits: number): bigint {
  let value = 0n;
  for (let i = from; i < from + bits; i++)
    value = (value << 1n) | BigInt((frame[i >> 3]! >> (7 - (i & 7))) & 1);
  return value;
}

function layerOf(
  header: string,
  fields: Readonly<Record<string, string | number>>,
  formats: ReadonlyMap<string, HeaderFormat>,
): Layer {
  const format =
    formats.get(header) ??
    fail(
      CODES.packetField,
      undefined,
      `there is no header ${header}${didYouMean(header, [...formats.keys()], "`")}`,
      `headers: ${[...formats.keys()].join(", ")}`,
    );
  const bits = format.fields.reduce((sum, field) => sum + field.bits, 0);
  if (bits % 8 !== 0)
    fail(CODES.packetShape, undefined, `header ${header} has ${bits} bits, which are no whole bytes`);
  const values = new Map(Object.entries(FIXED[header] ?? {}));
  let open: Uint8Array = new Uint8Array();
  for (const [name, text] of Object.entries(fields)) {
    const field =
      format.fields.find((one) => one.name === name) ??
      fail(
        CODES.packetField,
        undefined,
        `header ${header} has no field ${name}`,
        `fields: ${format.fields.map((one) => one.name).join(", ")}`,
      );
    if (field.bits === 0) {
      open =
        fromHex(String(text).replace(/^0x/, "")) ??
        refuse(header, name, `${text} is no even number of hex digits`);
      continue;
    }
    const parsed = parseValue(String(text), field.bits);
    values.set(name, parsed.ok ? parsed.value : refuse(header, name, parsed.message));
  }
  return { format, given: new Set(Object.keys(fields)), values, open, at: 0 };
}

function refuse(header: string, field: string, why: string): never {
  fail(CODES.packetField, undefined, `field ${field} of ${header}: ${why}`);
}

function payloadOf(payload: Exclude<PacketInput, { hex: string }>["payload"]): Uint8Array {
  if (payload === undefined) return new Uint8Array();
  if ("text" in payload) return new TextEncoder().encode(payload.text);
  return (
    fromHex(payload.hex) ?? fail(CODES.packetShape, undefined, "the payload is no even number of hex digits")
  );
}

function sizeOf({ format, open }: Layer): number {
  return format.fields.reduce((sum, { bits }) => sum + bits, 0) / 8 + open.length;
}

/** Sets a field unless the user has given it. */
function imply(layer: Layer, field: string, value: bigint | undefined): void {
  if (value !== undefined && !layer.given.has(field)) layer.values.set(field, value);
}

function fillTypes(layers: readonly Layer[]): void {
  for (const [i, layer] of layers.entries()) {
    const next = layers[i + 1]?.format.name;
    const { name } = layer.format;
    if (name === "ethernet" || name === "vlan")
      imply(layer, "type", next === undefined ? LOCAL_ETHERTYPE : (ETHERTYPES[next] ?? LOCAL_ETHERTYPE));
    else if (name === "ipv4" || name === "ipv6") {
      const value = next === undefined ? LOCAL_PROTOCOL : (PROTOCOLS[next] ?? LOCAL_PROTOCOL);
      imply(layer, name === "ipv4" ? "protocol" : "next", value);
    }
  }
}

function fillAddresses(layers: readonly Layer[], { mac, ipv4, ipv6, macTowards }: Sender): void {
  const ip = layers.find(({ format }) => format.name === "ipv4");
  for (const layer of layers) {
    const { name } = layer.format;
    if (name === "ethernet") {
      imply(layer, "src", mac);
      const isArp = layers.some(({ format }) => format.name === "arp");
      const target = isArp ? BROADCAST : (macTowards?.(ip?.values.get("dst")) ?? BROADCAST);
      imply(layer, "dst", target);
    } else if (name === "ipv4") imply(layer, "src", ipv4);
    else if (name === "ipv6") imply(layer, "src", ipv6);
    else if (name === "arp") {
      imply(layer, "sha", mac);
      imply(layer, "spa", ipv4);
    }
  }
}

function fillLengths(layers: readonly Layer[], total: number): void {
  for (const layer of layers) {
    const { name } = layer.format;
    const rest = BigInt(total - layer.at);
    if (name === "ipv4" || name === "udp") imply(layer, "length", rest);
    if (name === "ipv6") imply(layer, "length", rest - 40n);
  }
}

function write({ format, values, open, at }: Layer, frame: Uint8Array): void {
  let place = 8 * at;
  for (const { name, bits } of format.fields) {
    if (bits === 0) {
      frame.set(open, place >> 3);
      place += 8 * open.length;
      continue;
    }
    const value = values.get(name) ?? 0n;
    for (let i = 0; i < bits; i++, place++) {
      const bit = Number((value >> BigInt(bits - 1 - i)) & 1n);
      const mask = 0x80 >> (place & 7);
      frame[place >> 3] = bit === 1 ? frame[place >> 3]! | mask : frame[place >> 3]! & ~mask;
    }
  }
}

function fillChecksum(layers: readonly Layer[], i: number, layer: Layer, frame: Uint8Array): void {
  const { format, given, values, at } = layer;
  if (given.has("checksum")) return;
  if (!["ipv4", "icmp", "tcp", "udp"].includes(format.name)) return;
  values.set("checksum", 0n);
  write(layer, frame);
  let sum: number;
  if (format.name === "ipv4") sum = addWords(frame, at, at + sizeOf(layer), 0);
  else if (format.name === "icmp") sum = addWords(frame, at, frame.length, 0);
  else {
    const ip = layers.slice(0, i).findLast(({ format: one }) => one.name === "ipv4" || one.name === "ipv6");
    if (ip === undefined) return;
    sum = addWords(frame, at, frame.length, pseudoSum(ip, format.name === "tcp" ? 6 : 17, frame.length - at));
  }
  const checksum = finishChecksum(sum);
  values.set("checksum", BigInt(format.name === "udp" && checksum === 0 ? 0xffff : checksum));
  write(layer, frame);
}

/** RFC 9293, section 3.1, and RFC 8200, section 8.1. */
function pseudoSum({ format, values }: Layer, protocol: number, length: number): number {
  const bytes = format.name === "ipv4" ? 4 : 16;
  const addresses = new Uint8Array(2 * bytes);
  addresses.set(toBytes(values.get("src") ?? 0n, bytes), 0);
  addresses.set(toBytes(values.get("dst") ?? 0n, bytes), bytes);
  return addWords(addresses, 0, addresses.length, protocol + length);
}

function viewOf({ format, values, open, at }: Layer): BuiltPacket["layers"][number] {
  const fields = format.fields.map(({ name, bits }) => {
    if (bits === 0) return [name, toHex(open)] as const;
    const isAddress = bits === 32 && /^(src|dst|spa|tpa)|addr/i.test(name);
    const value = values.get(name) ?? 0n;
    return [name, isAddress ? formatValue(value, 32, "ipv4") : formatValue(value, bits)] as const;
  });
  return { header: format.name, at, fields: Object.fromEntries(fields) };
}
