/**
 * Measures how the choice of a running switch depends on the bits of a header (RePaC, section 4.1, "offline pathmap collection"). A
 * reference header, and the same with one bit changed, give the offset of each bit; random headers show whether the choice is
 * linear, so that the offsets hold for every header.
 */
import type { Random } from "../../base/index.js";
import type { ProbeHeader } from "./probe-frame.js";
import { DROPPED, type Prober } from "./prober.js";

/** A bit of the header that is probed. */
export interface ProbeBit {
  readonly name: string;
  flip(header: ProbeHeader): ProbeHeader;
}

/** Low bits of the source port, then of the field. */
export function controlProbeBits(portBits: number, field: string, fieldBits: number): ProbeBit[] {
  return [
    ...Array.from({ length: portBits }, (_, bit) => ({
      name: `source port bit ${bit}`,
      flip: (header: ProbeHeader) => ({ ...header, srcPort: header.srcPort ^ (1 << bit) }),
    })),
    ...Array.from({ length: fieldBits }, (_, bit) => ({
      name: `${field} bit ${bit}`,
      flip: (header: ProbeHeader) => ({ ...header, selector: header.selector ^ (1 << bit) }),
    })),
  ];
}

export interface ChoiceProbe {
  /** Version, addresses and protocol of all probes; the destination determines the group. */
  readonly reference: ProbeHeader;
  /** Number of the lowest bits of the source address that are random in the tests. */
  readonly sourceBits: number;
  readonly bits: readonly ProbeBit[];
  /** Ports of the group in the order of its next hops; absent: the ports that random headers lead to, sorted. */
  readonly ports?: readonly number[];
  /** Pairs of random headers, each with a random change. */
  readonly tests: number;
  readonly random: Random;
}

/** Two headers that the same change of bits moves by different offsets. */
export interface ProbeCounterexample {
  readonly header: ProbeHeader;
  readonly changed: ProbeHeader;
  /** Names of the bits that differ. */
  readonly bits: readonly string[];
  /** Index of the next hop of `changed`, and the one that a linear choice would give. */
  readonly got: number;
  readonly expected: number;
}

export interface ProbedChoice {
  readonly ports: readonly number[];
  /** By bit: offset of the index of the next hop. */
  readonly offsets: readonly number[];
  readonly tests: number;
  readonly counterexample?: ProbeCounterexample;
  /** A port outside of `ports` that a probe would have taken. */
  readonly stray?: number;
}

const DISCOVERY = 512;

/** Probes one choice of one switch. Rejects as {@link Prober.ports} does. */
export async function probeChoice(prober: Prober, probe: ChoiceProbe): Promise<ProbedChoice> {
  const { reference, bits, random } = probe;
  const draw = (): ProbeHeader => drawHeader(probe);
  let ports = probe.ports;
  if (ports === undefined) {
    const seen = await prober.ports([reference, ...Array.from({ length: DISCOVERY }, draw)]);
    ports = [...new Set(seen)].filter((port) => port !== DROPPED).sort((a, b) => a - b);
  }
  const known = ports;
  const first = await prober.ports([reference, ...bits.map((bit) => bit.flip(reference))]);
  const zero = known.indexOf(first[0]!);
  const offsets = first.slice(1).map((port) => known.indexOf(port) ^ zero);
  const stray = first.find((port) => !known.includes(port));
  const result = { ports: known, offsets };
  if (stray !== undefined) return { ...result, tests: 0, stray };
  const pairs = Array.from({ length: probe.tests }, () => {
    const header = draw();
    const chosen = bits.flatMap((_, i) => (random.int(2) === 0 ? [] : [i]));
    return { header, chosen, changed: chosen.reduce((made, i) => bits[i]!.flip(made), header) };
  });
  const answers = await prober.ports(pairs.flatMap(({ header, changed }) => [header, changed]));
  for (const [i, { header, changed, chosen }] of pairs.entries()) {
    const [before, got] = [known.indexOf(answers[2 * i]!), known.indexOf(answers[2 * i + 1]!)];
    if (before < 0 || got < 0)
      return { ...result, tests: i, stray: answers[before < 0 ? 2 * i : 2 * i + 1]! };
    const expected = chosen.reduce((index, bit) => index ^ offsets[bit]!, before);
    if (got !== expected)
      return {
        ...result,
        tests: i + 1,
        counterexample: { header, changed, bits: chosen.map((bit) => bits[bit]!.name), got, expected },
      };
  }
  return { ...result, tests: pairs.length };
}

function drawHeader({ reference, sourceBits, bits, random }: ChoiceProbe): ProbeHeader {
  const mask = (1n << BigInt(sourceBits)) - 1n;
  const source = (reference.src & ~mask) | (BigInt(random.uint32()) & mask);
  const header = { ...reference, src: source, srcPort: random.int(65536), dstPort: random.int(65536) };
  return bits.reduce((made, bit) => (random.int(2) === 0 ? made : bit.flip(made)), header);
}
