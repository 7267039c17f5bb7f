/**
 * A second model of a fabric's hash functions, bit by bit: it follows drawn flows of one pair of racks through given tables, and counts
 * the flows of every port. It shares no code with the functions of chips and the check of paths.
 */
import type { PathModel, SwitchModel } from "../../../../src/fabric/paths/index.js";
import type { Topology } from "../../../../src/fabric/topology/index.js";

/** A flow of two hosts of the racks; addresses are numbers of IPv4. */
interface DrawnFlow {
  readonly src: number;
  readonly dst: number;
  readonly sourcePort: number;
  readonly destinationPort: number;
}

/** The flows of each port of a group. */
export interface MeasuredGroup {
  readonly node: number;
  readonly slots: number;
  readonly flows: number;
  /** Standard deviation of the ports' flows over their mean, each divided by the port's number of slots. */
  readonly cv: number;
  /** The CV of random choices of as many flows, about. */
  readonly chance: number;
}

/** RTAG7's thirteen bins and the seed, as bits. */
function binsOf(flow: DrawnFlow, seed: number): number[] {
  const bits: number[] = [];
  const put = (value: number, width: number) => {
    for (let bit = width - 1; bit >= 0; bit--) bits.push(Math.floor(value / 2 ** bit) % 2);
  };
  const folded = (address: number) => (Math.floor(address / 65_536) ^ (address % 65_536)) >>> 0;
  put(0, 24);
  put(6, 8);
  put(flow.destinationPort, 16);
  put(flow.sourcePort, 16);
  put(0, 16);
  put(folded(flow.dst), 16);
  put(folded(flow.src), 16);
  put(0, 96);
  put(seed, 32);
  return bits;
}

/** Long division of the message by the polynomial. `reflected`: bytes are read from their low bit, the result is read backwards. */
function crc(
  bits: readonly number[],
  width: number,
  poly: number,
  init: number,
  reflected: boolean,
  xor: number,
) {
  let state = init >>> 0;
  const top = 2 ** (width - 1);
  for (let at = 0; at < bits.length; at++) {
    const bit = reflected ? bits[(at & ~7) + 7 - (at & 7)]! : bits[at]!;
    const out = (state & top) !== 0 ? 1 : 0;
    state = (state << 1) >>> 0;
    if (width < 32) state &= 2 ** width - 1;
    if (out !== bit) state = (state ^ poly) >>> 0;
  }
  if (reflected) {
    let turned = 0;
    for (let bit = 0; bit < width; bit++) if ((state >>> bit) & 1) turned += 2 ** (width - 1 - bit);
    state = turned;
  }
  return (state ^ xor) >>> 0;
}

const word = (bits: readonly number[], at: number) =>
  bits.slice(at, at + 16).reduce((value, bit) => 2 * value + bit, 0);

function xor16(bits: readonly number[]): number {
  let value = 0;
  for (let at = 0; at < bits.length; at += 16) value ^= word(bits, at);
  return value;
}

const arc = (bits: readonly number[]) => crc(bits, 16, 0x8005, 0, true, 0);
const crc32 = (bits: readonly number[]) => crc(bits, 32, 0x04c11db7, 0xffffffff, true, 0xffffffff);

/** The high byte of CRC-16/ARC, and the XOR of all groups of some bits. */
function fold(bits: readonly number[], width: number): number {
  let low = 0;
  for (let at = 0; at < bits.length; at += width)
    low ^= bits.slice(at, at + width).reduce((value, bit) => 2 * value + bit, 0);
  return (arc(bits) & 0xff00) | low;
}

const FUNCTIONS: Readonly<Record<string, (bits: readonly number[]) => number>> = {
  "rtag7/crc16-bisync": arc,
  "rtag7/crc16-bisync-xor1": (bits) => fold(bits, 1),
  "rtag7/crc16-bisync-xor2": (bits) => fold(bits, 2),
  "rtag7/crc16-bisync-xor4": (bits) => fold(bits, 4),
  "rtag7/crc16-bisync-xor8": (bits) => fold(bits, 8),
  "rtag7/xor16": xor16,
  "rtag7/crc16-ccitt": (bits) => crc(bits, 16, 0x1021, 0xffff, false, 0),
  "rtag7/crc32-low": (bits) => crc32(bits) & 0xffff,
  "rtag7/crc32-high": (bits) => crc32(bits) >>> 16,
  "crc-16/modbus": (bits) => crc(bits, 16, 0x8005, 0xffff, true, 0),
  "crc-16/usb": (bits) => crc(bits, 16, 0x8005, 0xffff, true, 0xffff),
  "crc16/0x8BB7": (bits) => crc(bits, 16, 0x8bb7, 0xffff, false, 0),
  "crc16/0xC867": (bits) => crc(bits, 16, 0xc867, 0xffff, false, 0),
  // The finaliser of MurmurHash3 over a CRC.
  ideal: (bits) => {
    let h = crc32(bits);
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    return (h ^ (h >>> 16)) >>> 0;
  },
};

/** Names of functions that the model has; each can have a slice. */
export const KNOWN_FUNCTIONS = Object.keys(FUNCTIONS);

function hashOf(name: string, bits: readonly number[]): number {
  const [base, slice] = name.split(":bits=");
  const value = FUNCTIONS[base!]!(bits);
  if (slice === undefined) return value;
  const [low, high] = slice.split("-").map(Number);
  return Math.floor(value / 2 ** low!) % 2 ** (high! - low! + 1);
}

/** @param draw a whole number below its argument */
export function measure(
  topology: Topology,
  { switches, hashes }: PathModel,
  [from, to]: readonly [number, number],
  count: number,
  draw: (below: number) => number,
): MeasuredGroup[] {
  const { nodes, racks } = topology;
  const byNode = new Map(switches.map((own) => [own.node, own]));
  const groups = new Map<string, { own: SwitchModel; row: number[]; flows: Map<number, number> }>();
  const hostOf = (rack: number) => {
    const { hosts } = racks[rack]!;
    return nodes[hosts[draw(hosts.length)]!]!;
  };
  for (let i = 0; i < count; i++) {
    const [source, destination] = [hostOf(from), hostOf(to)];
    const flow = {
      src: Number(source.host!.ipv4),
      dst: Number(destination.host!.ipv4),
      sourcePort: draw(65_536),
      destinationPort: draw(65_536),
    };
    const values = new Map<string, number>();
    const value = (name: string, seed: number) => {
      const key = `${name} ${seed}`;
      const known = values.get(key) ?? hashOf(name, binsOf(flow, seed));
      values.set(key, known);
      return known;
    };
    let { peer: at, peerPort: ingress } = source.ports[0]!;
    for (;;) {
      const own = byNode.get(at)!;
      const kind = (own.portClass?.[ingress] ?? 0) + (own.sourceClass?.[from] ?? 0);
      const next = own.next[kind * racks.length + to]!;
      if (next < 0) break;
      const { rows, hash, seed } = own.choices[next]!;
      const row = Array.from(rows[0]!);
      const port = row.length === 1 ? row[0]! : row[value(hashes[hash]!.name, seed) % row.length]!;
      if (row.length > 1) {
        const group = groups.get(`${at} ${kind}`) ?? { own, row, flows: new Map<number, number>() };
        groups.set(`${at} ${kind}`, group);
        group.flows.set(port, (group.flows.get(port) ?? 0) + 1);
      }
      ({ peer: at, peerPort: ingress } = nodes[at]!.ports[port - 1]!);
    }
  }
  return [...groups.values()].map(({ own, row, flows }): MeasuredGroup => {
    const ports = [...new Set(row)];
    const shares = ports.map((port) => row.filter((slot) => slot === port).length / row.length);
    const total = [...flows.values()].reduce((sum, one) => sum + one, 0);
    const loads = ports.map((port, i) => (flows.get(port) ?? 0) / total / shares[i]!);
    const square = loads.reduce((sum, load) => sum + (load - 1) ** 2, 0) / ports.length;
    const variance = shares.reduce((sum, share) => sum + (1 - share) / share, 0) / ports.length / total;
    return {
      node: own.node,
      slots: row.length,
      flows: total,
      cv: Math.sqrt(square),
      chance: Math.sqrt(variance),
    };
  });
}
