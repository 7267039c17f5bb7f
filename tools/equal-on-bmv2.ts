/**
 * Packets of two programs on BMv2 beside the embedded switch: whether both say the same of a difference between the programs.
 * What BMv2 sends is compared as a set with multiples, since its ports have threads of their own.
 */
import { Random, toHex } from "../src/base/index.js";
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
  /** Programs of which BMv2 does not send what the embedded switch sends: the first one, the second one. */
  readonly apart: readonly ("first" | "second")[];
  /** The first program does not send the same on BMv2 twice: times or random numbers decide. */
  readonly byChance?: boolean;
}

/** simple_switch's drop port: the first one that cannot have an interface. */
const DROP_PORT = 511;
const PORTS = 16;
/** What a switch may still send when as many frames as expected do not come. */
const PATIENCE_MS = 6000;
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
  readonly #known = new Map<string, Promise<Line[]>>();

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
      this.#play(programs[i], commands, played, { ports, expected: sent[i]!.length });
    const whole = `${key} ${count} ${[...new Set(ports)].sort()}`;
    const first = (key === undefined ? undefined : this.#known.get(whole)) ?? play(0);
    if (key !== undefined) this.#known.set(whole, first);
    const [a, b] = await Promise.all([first, play(1)]);
    const differs = !same(a, b);
    const apart = (["first", "second"] as const).filter((_, i) => !same(i === 0 ? a : b, sent[i]!));
    const found = { packets: count, ours: !same(sent[0]!, sent[1]!), bmv2: differs, apart };
    return apart.includes("first") ? { ...found, byChance: !same(await play(0), a) } : found;
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
      patienceMs: PATIENCE_MS,
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
