/** What the switch does with a stimulus: the packets that leave, as far as they do not depend on time and chance. */
import { Diagnostics, given, SourceFile } from "../../base/index.js";
import { runCommands } from "../control/index.js";
import type { Program } from "../program/index.js";
import { CoverageCounts, isRecirculation, Switch } from "../switch/index.js";
import type { Stimulus } from "./concrete.js";
import { RUNS, runsOf } from "./runs.js";

/** Undefined nibbles depend on the time or on random numbers. */
export interface Expected {
  readonly port: number;
  readonly nibbles: readonly (number | undefined)[];
}

export interface Replayed {
  /** In the order in which they leave each port. */
  readonly expected: readonly Expected[];
  readonly counts: Float64Array;
  /** Whether the ports that lead back to ingress are those of the path that was followed. */
  readonly isAsFollowed: boolean;
}

export interface Sent {
  readonly port: number;
  readonly frame: Uint8Array;
}

/** Most packets that leave in one test: more come from a packet that goes round for ever. */
const MAX_SENT = 64;

/**
 * Undefined: the program's decisions depend on the time or on random numbers, a packet goes round for ever, or the switch refuses a command. Of a Tofino's
 * copies that go round for ever, the ports lead out by which they went back: a test that expects packets there says so.
 */
export async function replay(program: Program, stimulus: Stimulus): Promise<Replayed | undefined> {
  const first = await replayOnce(program, stimulus, stimulus.leadsOut);
  if (first === undefined || first.loops.size === 0) return first;
  const again = await replayOnce(program, stimulus, first.loops);
  return again === undefined || again.loops.size > 0 ? undefined : { ...again, isAsFollowed: false };
}

async function replayOnce(
  program: Program,
  stimulus: Stimulus,
  leadsOut: ReadonlySet<number>,
): Promise<(Replayed & { readonly loops: ReadonlySet<number> }) | undefined> {
  const coverage = new CoverageCounts();
  const runs: Sent[][] = [];
  for (const run of runsOf(program.bmv2)) {
    const isFirst = runs.length === 0;
    const start = { ...run, leadsOut, ...(isFirst ? { coverage } : {}) };
    const sender = await Sender.with(program, stimulus.commands, start);
    const sent = sender?.send(stimulus);
    if (sender === undefined || sent === undefined) return undefined;
    const { loops } = sender;
    if (loops !== undefined)
      return loops.size === 0 ? undefined : { expected: [], counts: NONE, isAsFollowed: false, loops };
    if (sent.length > MAX_SENT) return undefined;
    runs.push(sent);
  }
  const expected = commonOf(runs);
  const counts = coverage.of(program.bmv2)?.hits;
  if (expected === undefined || counts === undefined) return undefined;
  // A test says by what it expects that a port leads out.
  if ([...leadsOut].some((port) => expected.every((one) => one.port !== port))) return undefined;
  return { expected, counts, isAsFollowed: true, loops: new Set() };
}

const NONE = new Float64Array(0);

interface Start {
  readonly now: number;
  readonly seed: number;
  readonly coverage?: CoverageCounts;
  /** Ports of a Tofino that lead out and not back to ingress. */
  readonly leadsOut?: ReadonlySet<number>;
}

/** A switch with entries, which is given one packet after the other. */
export class Sender {
  readonly #sent: Sent[] = [];
  readonly #device: Switch;
  /** Ports that led a packet back to ingress. */
  readonly #back = new Set<number>();

  private constructor(program: Program, { now, seed, coverage, leadsOut }: Start) {
    this.#device = new Switch(program, {
      clock: { now: () => now, at: () => () => {} },
      seed,
      recirculates: (port) => {
        const isBack = isRecirculation(port) && leadsOut?.has(port) !== true;
        if (isBack) this.#back.add(port);
        return isBack;
      },
      transmit: (port, frame) => this.#sent.push({ port, frame }),
      ...given({ coverage }),
    });
  }

  /** Undefined: the switch refuses a command. */
  static async with(
    program: Program,
    commands: readonly string[],
    start: Start = RUNS[0],
  ): Promise<Sender | undefined> {
    const sender = new Sender(program, start);
    const diagnostics = new Diagnostics();
    await runCommands(sender.#device, new SourceFile("commands", commands.join("\n")), diagnostics);
    return diagnostics.hasErrors ? undefined : sender;
  }

  /** Where a packet went round for ever: the ports that led packets back to ingress; none: it did so in another way. */
  get loops(): ReadonlySet<number> | undefined {
    return this.#device.stats.drops.loop > 0 ? this.#back : undefined;
  }

  /** What leaves, by port, then in its order. */
  send({ port, bytes }: Stimulus): Sent[] {
    this.#device.receive(port, bytes);
    return this.#sent.splice(0).sort((a, b) => a.port - b.port);
  }
}

/** What leaves a fresh switch. Undefined: the switch refuses a command. */
export async function sentBy(
  program: Program,
  stimulus: Stimulus,
  start: Start = RUNS[0],
): Promise<Sent[] | undefined> {
  return (await Sender.with(program, stimulus.commands, start))?.send(stimulus);
}

function commonOf(runs: readonly (readonly Sent[])[]): Expected[] | undefined {
  const [first = [], ...others] = runs;
  const expected: Expected[] = [];
  for (const [i, { port, frame }] of first.entries()) {
    const same = others.map((run) => run[i]);
    if (same.some((one) => one === undefined || one.port !== port || one.frame.length !== frame.length))
      return undefined;
    const nibble = (bytes: Uint8Array, k: number) => ((bytes[k >> 1] ?? 0) >> (k % 2 === 0 ? 4 : 0)) & 15;
    const nibbles = Array.from({ length: 2 * frame.length }, (_, k) => {
      const value = nibble(frame, k);
      return same.every((one) => nibble(one!.frame, k) === value) ? value : undefined;
    });
    expected.push({ port, nibbles });
  }
  return others.some((run) => run.length !== first.length) ? undefined : expected;
}
