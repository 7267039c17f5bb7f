/** Conversions of addresses and flow keys: bytes as in packets, numbers for policies, text for people. */
import { isIPv4, isIPv6 } from "node:net";
import { fromBytes, toBytes } from "../../base/index.js";
import { type FlowKey, get16 } from "../../base/packets/index.js";
import { formatValue, parseValue } from "../../toolchain/device/index.js";

/** Four or sixteen bytes; undefined where `text` is no address. */
export function addressBytes(text: string): Uint8Array | undefined {
  if (!isIPv4(text) && !isIPv6(text)) return undefined;
  const length = isIPv4(text) ? 4 : 16;
  const parsed = parseValue(text, 8 * length);
  return parsed.ok ? toBytes(parsed.value, length) : undefined;
}

export function addressText(bytes: Uint8Array): string {
  return formatValue(fromBytes(bytes), 8 * bytes.length, bytes.length === 4 ? "ipv4" : "ipv6");
}

/** The key of a flow as bytes, in the order of packets: both addresses, then both ports. */
export function flowKey(src: Uint8Array, dst: Uint8Array, srcPort: number, dstPort: number): Uint8Array {
  const ports = [srcPort >> 8, srcPort & 0xff, dstPort >> 8, dstPort & 0xff];
  return Uint8Array.of(...src, ...dst, ...ports);
}

/** The key of the other direction. */
export function reverseKey(key: Uint8Array): Uint8Array {
  const { src, dst, srcPort, dstPort } = splitKey(key);
  return flowKey(dst, src, dstPort, srcPort);
}

function splitKey(key: Uint8Array): {
  src: Uint8Array;
  dst: Uint8Array;
  srcPort: number;
  dstPort: number;
} {
  const length = (key.length - 4) / 2;
  return {
    src: key.subarray(0, length),
    dst: key.subarray(length, 2 * length),
    srcPort: get16(key, 2 * length),
    dstPort: get16(key, 2 * length + 2),
  };
}

/** The five-tuple in the form that policies get. */
export function flowOf(key: Uint8Array, protocol: number): FlowKey {
  const { src, dst, srcPort, dstPort } = splitKey(key);
  return { src: fromBytes(src), dst: fromBytes(dst), protocol, srcPort, dstPort };
}

export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
