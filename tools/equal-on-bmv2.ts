/**
 * Packets of two programs on BMv2 beside the embedded switch: whether both say the same of a difference between the programs.
 * What BMv2 sends is compared as a set with multiples, since its ports have threads of their own.
 */
import { defined, Random, toHex } from "../src/base/index.js";
import type { Program } from "../src/toolchain/program/index.js";
import { type GeneratedTest, Sender, type Stimulus, updatesOf } from "../src/toolchain/testgen/index.js";
import { playOnBmv2 } from "../test/parity/bmv2.js";

export interface Packet {
  readonly port: number;
  readonly bytes: Uint8Array;
}

/** What both switches say of the same packets with the same entries. */
export interface OnBoth {
  readonly packets: number;
  /** Whether the two programs send something else. */
  readonly ours: boolean;
  readonly bmv2: boolean;
  /** Programs of which no run on BMv2 sends what the embedded switch sends: the first one, the second one. */
  readonly apart: readonly ("first" | "second")[];
  /** Such runs of one program differ from each other, too: times, random numbers or the load of the machine decide. */
  readonly byChance?: boolean;
}

interface Played {
  readonly sent: Line[];
  readonly isApart: boolean;
  readonly isByChance: boolean;
}

/** simple_switch's drop port: the first one that cannot have an interface. */
const DROP_PORT = 511;
const PORTS = 16;
/** Runs on BMv2 until one sends what the embedded switch sends: on a busy machine some lose packets. */
const RUNS = 3;
/** Most copies of one packet: more would not fit BMv2's queues. */
const MOST_SENT = 64;

type Line = string;
const lineOf = (port: number, frame: Uint8Array): Line => `${port} ${toHex(frame)}`;

/** What each packet sends on the embedded switch. Undefined: the switch refuses the commands. */
async function onOurs(
  programs: readonly Program[],
  commands: readonly string[],
  packets: readonly Packet[],
): Promise<{ count: number; sent: Line[][] } | undefined> {
  const senders: Sender[] = [];
  for (const program of programs) {
    const sender = await Sender.with(program, commands);
    if (sender === undefined) return undefined;
    senders.push(sender);
  }
  const sent: Line[][] = senders.map(() => []);
  let count = 0;
  for (const { port, bytes } of packets) {
    const each = senders.map((sender) => sender.send({ port, bytes: bytes.slice() } as Stimulus));
    // BMv2 would send such a packet round until it is ended.
    if (senders.some(({ loops }) => loops !== undefined) || each.some((one) => one.length > MOST_SENT)) break;
    for (const [i, frames] of each.entries())
      for (const { port: out, frame } of frames) if (out < DROP_PORT) sent[i]!.push(lineOf(out, frame));
    count++;
  }
  return { count, sent };
}

const same = (a: readonly Line[], b: readonly Line[]): boolean =>
  [...a].sort().join("\n") === [...b].sort().join("\n");

/** Of one program: what BMv2 sent for the same packets before. */
export class OnBmv2 {
  readonly #known = new Map<string, Promise<Played>>();

  /** @param key names the entries and packets, of which only their number may vary; undefined: they come once */
  async compare(
    programs: readonly [Program, Program],
    commands: readonly string[],
    packets: readonly Packet[],
    key?: string,
  ): Promise<OnBoth | undefined> {
    const ours = await onOurs(programs, commands, packets);
    if (ours === undefined || ours.count === 0) return undefined;
    const { count, sent } = ours;
    const played = packets.slice(0, count);
    const ports = [
      ...played.map(({ port }) => port),
      ...sent.flat().map((line) => Number.parseInt(line, 10)),
    ];
    const play = (i: 0 | 1) =>
      this.#likeOurs(programs[i], commands, played, { ports, expected: defined(sent[i]) });
    const whole = `${key} ${count} ${[...new Set(ports)].sort()}`;
    const first = (key === undefined ? undefined : this.#known.get(whole)) ?? play(0);
    if (key !== undefined) {
      this.#known.set(whole, first);
      first.catch(() => this.#known.delete(whole));
    }
    const [a, b] = await Promise.all([first, play(1)]);
    const apart = (["first", "second"] as const).filter((_, i) => [a, b][i]?.isApart);
    return {
      packets: count,
      ours: !same(defined(sent[0]), defined(sent[1])),
      bmv2: !same(a.sent, b.sent),
      apart,
      ...(a.isByChance || b.isByChance ? { byChance: true } : {}),
    };
  }

  async #likeOurs(
    program: Program,
    commands: readonly string[],
    packets: readonly Packet[],
    { ports, expected }: { readonly ports: readonly number[]; readonly expected: readonly Line[] },
  ): Promise<Played> {
    const runs: Line[][] = [];
    while (runs.length < RUNS) {
      const sent = await this.#play(program, commands, packets, { ports, expected: expected.length });
      if (same(sent, expected)) return { sent, isApart: false, isByChance: false };
      runs.push(sent);
    }
    const sent = defined(runs[0]);
    return { sent, isApart: true, isByChance: runs.some((run) => !same(run, sent)) };
  }

  async #play(
    program: Program,
    commands: readonly string[],
    packets: readonly Packet[],
    { ports, expected }: { readonly ports: readonly number[]; readonly expected: number },
  ): Promise<Line[]> {
    const { sent } = await playOnBmv2({
      program,
      updates: await updatesOf(program, { commands }),
      packets: packets.map(({ port, bytes }) => ({ port, frame: bytes })),
      ports: [...new Set([...Array.from({ length: PORTS }, (_, port) => port), ...ports])],
      expected: Math.max(1, expected),
    });
    return sent.map(({ port, frame }) => lineOf(port, frame));
  }
}

/** Packets like that of a test, by ports that BMv2 gets. */
export function packetsLike(
  { stimulus }: GeneratedTest,
  count: number,
  seed: number,
  change: (bytes: Uint8Array, random: Random) => Uint8Array,
): Packet[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, i) => {
    const bytes = i === 0 ? stimulus.bytes : change(stimulus.bytes, random);
    const port = random.int(8) === 0 ? random.int(PORTS) : stimulus.port;
    // A pcap file has no empty frame.
    return { port, bytes: bytes.length === 0 ? stimulus.bytes : bytes };
  }).filter(({ bytes }) => bytes.length > 0);
}
