/**
 * Builds the packets that a page requests, by headers with fields as texts, or by bytes. Tests of exercises build
 * frames in the same way.
 */
import { didYouMean, fail, fromHex, toHex } from "../../../base/index.js";
import { Ethernet } from "../../../base/packets/index.js";
import { formatValue, parseValue } from "../../../toolchain/device/index.js";
import {
  buildFrame,
  ETHER_TYPES,
  type FrameDefaults,
  type FrameSender,
  type HeaderLayout,
  IP_PROTOCOLS,
  layoutBytes,
  readBits,
  type StackPart,
} from "../../exercises/index.js";
import { CODES } from "../codes.js";
import type { BuiltPacket, PacketInput } from "../protocol.js";

type Part = Extract<StackPart, { readonly header: string }>;

const MAX_BYTES = 9216;
/** Values of fields that the user left out: the numbers that are reserved for local experiments (IEEE 802, RFC 3692). */
const DEFAULTS: FrameDefaults = {
  etherType: 0x88b5n,
  protocol: 253n,
  fields: {
    ipv4: { flags: 2n },
    icmp: { id: 1n, sequence: 1n },
    tcp: { src: 49_152n, dst: 80n, flags: 2n },
    udp: { src: 49_152n, dst: 5001n },
  },
};

/**
 * Builds the bytes and fields of a packet.
 * Fails with P46004 for an unknown header or field, or a value that does not fit, and with P46005 for an error of the
 * whole packet.
 */
export function buildPacket(
  packet: PacketInput,
  formats: ReadonlyMap<string, HeaderLayout>,
  sender: FrameSender,
): { readonly frame: Uint8Array; readonly built: BuiltPacket } {
  if ("hex" in packet) {
    const frame =
      fromHex(packet.hex) ?? fail(CODES.packetShape, undefined, "expected hex digits, two for each byte");
    checkSize(frame);
    return { frame, built: { hex: toHex(frame), layers: readLayers(frame, formats) } };
  }
  const parts = packet.layers.map(({ header, fields }) => partOf(header, fields, formats));
  const frame = buildFrame([...parts, { bytes: payloadOf(packet.payload) }], sender, DEFAULTS);
  checkSize(frame);
  let at = 0;
  const layers = parts.map((part) => {
    const layer = layerAt(frame, at, part);
    at += layoutBytes(part.layout) + (part.open?.length ?? 0);
    return layer;
  });
  return { frame, built: { hex: toHex(frame), layers } };
}

function checkSize(frame: Uint8Array): void {
  if (frame.length >= Ethernet.LENGTH && frame.length <= MAX_BYTES) return;
  const wanted = `expected ${Ethernet.LENGTH} to ${MAX_BYTES}`;
  fail(CODES.packetShape, undefined, `the packet has ${frame.length} bytes; ${wanted}`);
}

function partOf(
  header: string,
  texts: Readonly<Record<string, string | number>>,
  formats: ReadonlyMap<string, HeaderLayout>,
): Part {
  const layout =
    formats.get(header) ??
    fail(
      CODES.packetField,
      undefined,
      `there is no header ${header}${didYouMean(header, [...formats.keys()], "`")}`,
      `headers: ${[...formats.keys()].join(", ")}`,
    );
  const bits = 8 * layoutBytes(layout);
  if (bits % 8 !== 0)
    fail(
      CODES.packetShape,
      undefined,
      `header ${header} has ${bits} bits, which is not a whole number of bytes`,
    );
  const fields = new Map<string, bigint>();
  let open: Uint8Array = new Uint8Array();
  for (const [name, text] of Object.entries(texts)) {
    const width =
      layout.get(name) ??
      fail(
        CODES.packetField,
        undefined,
        `header ${header} has no field ${name}${didYouMean(name, [...layout.keys()], "`")}`,
        `fields: ${[...layout.keys()].join(", ")}`,
      );
    if (width === 0) {
      const bytes = fromHex(String(text).replace(/^0x/, ""));
      open = bytes ?? refuse(header, name, `${text} is not an even number of hex digits`);
      continue;
    }
    const parsed = parseValue(String(text), width);
    fields.set(name, parsed.ok ? parsed.value : refuse(header, name, parsed.message));
  }
  return { header, layout, fields, open };
}

function refuse(header: string, field: string, why: string): never {
  fail(CODES.packetField, undefined, `field ${field} of ${header}: ${why}`);
}

function payloadOf(payload: Exclude<PacketInput, { hex: string }>["payload"]): Uint8Array {
  if (payload === undefined) return new Uint8Array();
  if ("text" in payload) return new TextEncoder().encode(payload.text);
  return (
    fromHex(payload.hex) ??
    fail(CODES.packetShape, undefined, "the payload is not an even number of hex digits")
  );
}

/** The fields of a header at an offset of a frame; undefined if the frame is too short. */
function layerAt(
  frame: Uint8Array,
  at: number,
  { header, layout, open = new Uint8Array() }: Pick<Part, "header" | "layout" | "open">,
): BuiltPacket["layers"][number] {
  let bit = 8 * at;
  const fields = [...layout].map(([name, width]) => {
    const from = bit;
    bit += width === 0 ? 8 * open.length : width;
    if (width === 0) return [name, toHex(open)] as const;
    const isAddress = width === 32 && /^(src|dst|sender_ip|target_ip)|addr/i.test(name);
    const value = readBits(frame, from, width)!;
    return [name, isAddress ? formatValue(value, 32, "ipv4") : formatValue(value, width)] as const;
  });
  return { header, at, fields: Object.fromEntries(fields) };
}

const nameOf = (numbers: Readonly<Record<string, bigint>>, number: bigint | undefined) =>
  Object.keys(numbers).find((name) => numbers[name] === number);

/** The well-known headers at the start of a frame. */
function readLayers(frame: Uint8Array, formats: ReadonlyMap<string, HeaderLayout>): BuiltPacket["layers"] {
  const layers: BuiltPacket["layers"][number][] = [];
  let at = 0;
  let header: string | undefined = "ethernet";
  while (header !== undefined) {
    const layout: HeaderLayout = formats.get(header)!;
    if (at + layoutBytes(layout) > frame.length) break;
    layers.push(layerAt(frame, at, { header, layout }));
    const start = 8 * at;
    const field = (wanted: string): bigint | undefined => {
      let bit = start;
      for (const [name, width] of layout) {
        if (name === wanted) return readBits(frame, bit, width);
        bit += width;
      }
      return undefined;
    };
    // a length of 0 to 4 words is wrong; it must not make the same header start again
    at += Math.max(layoutBytes(layout), header === "ipv4" ? 4 * Number(field("ihl")) : 0);
    if (header === "ethernet" || header === "vlan") header = nameOf(ETHER_TYPES, field("type"));
    else if (header === "ipv4" || header === "ipv6")
      header = nameOf(IP_PROTOCOLS, field("protocol") ?? field("next_header"));
    else header = undefined;
  }
  return layers;
}
