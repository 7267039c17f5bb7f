/** TCP and UDP frames with right checksums, and the events of a P4TE switch for its control plane. */
import { toBytes } from "../../../../src/base/index.js";
import { checksum } from "../frames.js";

export const ACK = 0x10;
export const SYN = 0x02;

export interface TcpFrame {
  readonly family: "ipv4" | "ipv6";
  readonly src: bigint;
  readonly dst: bigint;
  readonly srcPort: number;
  readonly dstPort: number;
  readonly sequence: number;
  readonly acknowledgement: number;
  readonly flags: number;
  readonly window: number;
  /** Bytes of payload. */
  readonly payload: number;
  /** Bytes of options, in words. */
  readonly options?: number;
  readonly dscp: number;
  readonly ttl: number;
  readonly srcMac: bigint;
  readonly dstMac: bigint;
  readonly vlan?: number;
}

const bytesOf = (value: number | bigint, length: number) => [...toBytes(BigInt(value), length)];

export function tcpFrame(frame: TcpFrame): Uint8Array {
  const { family, src, dst, options = 0, payload, dscp, ttl } = frame;
  const addressBytes = family === "ipv4" ? 4 : 16;
  const addresses = [...bytesOf(src, addressBytes), ...bytesOf(dst, addressBytes)];
  const length = 20 + options + payload;
  const segment = (sum: number) => [
    ...bytesOf(frame.srcPort, 2),
    ...bytesOf(frame.dstPort, 2),
    ...bytesOf(frame.sequence >>> 0, 4),
    ...bytesOf(frame.acknowledgement >>> 0, 4),
    ((20 + options) / 4) << 4,
    frame.flags,
    ...bytesOf(frame.window, 2),
    ...bytesOf(sum, 2),
    0,
    0,
    ...new Array<number>(options).fill(1),
    ...Array.from({ length: payload }, (_, i) => i & 0xff),
  ];
  const even = (bytes: number[]) => (bytes.length % 2 === 0 ? bytes : [...bytes, 0]);
  const sum = checksum(even([...addresses, ...bytesOf(6, 2), ...bytesOf(length, 2), ...segment(0)]));
  const ip = family === "ipv4" ? ipv4(addresses, dscp, ttl, length) : ipv6(addresses, dscp, ttl, length);
  const tag = frame.vlan === undefined ? [] : [0x81, 0, ...bytesOf(frame.vlan, 2)];
  return Uint8Array.from([
    ...bytesOf(frame.dstMac, 6),
    ...bytesOf(frame.srcMac, 6),
    ...tag,
    ...bytesOf(family === "ipv4" ? 0x0800 : 0x86dd, 2),
    ...ip,
    ...segment(sum),
  ]);
}

function ipv4(addresses: number[], dscp: number, ttl: number, length: number): number[] {
  const header = [0x45, dscp << 2, ...bytesOf(20 + length, 2), 0, 0, 0, 0, ttl, 6, 0, 0, ...addresses];
  const sum = checksum(header);
  header[10] = sum >> 8;
  header[11] = sum & 0xff;
  return header;
}

function ipv6(addresses: number[], dscp: number, ttl: number, length: number): number[] {
  return [...bytesOf((6n << 28n) | (BigInt(dscp) << 22n), 4), ...bytesOf(length, 2), 6, ttl, ...addresses];
}

/** Header `event_t` of the template. Events: 0 none, 1 increase, 2 decrease; colours 0 green, 1 yellow, 2 red. */
export interface TrafficEvent {
  readonly port: number;
  readonly queueEvent?: number;
  readonly depth?: number;
  readonly rateEvent?: number;
  readonly color?: number;
}

export function eventFrame({ port, queueEvent = 0, depth = 0, rateEvent = 0, color = 0 }: TrafficEvent) {
  const fields: [number, bigint][] = [
    [port, 9n],
    [queueEvent, 2n],
    [depth, 19n],
    [rateEvent, 2n],
    [color, 2n],
    [0, 6n],
  ];
  const all = fields.reduce((value, [field, bits]) => (value << bits) | BigInt(field), 0n);
  return toBytes(all, 5);
}
