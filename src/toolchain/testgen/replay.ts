/** What the switch does with a stimulus: the packets that leave, as far as they do not depend on time and chance. */
import { Diagnostics, given, SourceFile } from "../../base/index.js";
import { runCommands } from "../control/index.js";
import type { Program } from "../program/index.js";
import { CoverageCounts, Switch } from "../switch/index.js";
import type { Stimulus } from "./concrete.js";
import { RUNS } from "./runs.js";

/** Undefined nibbles depend on the time or on random numbers. */
export interface Expected {
  readonly port: number;
  readonly nibbles: readonly (number | undefined)[];
}

export interface Replayed {
  /** In the order in which they leave each port. */
  readonly expected: readonly Expected[];
  readonly counts: Float64Array;
}

export interface Sent {
  readonly port: number;
  readonly frame: Uint8Array;
}

/** Most packets that leave in one test: more come from a packet that goes round for ever. */
const MAX_SENT = 64;

/** Undefined: the program's decisions depend on the time or on random numbers, the packet goes round for ever, or the switch refuses a command. */
export async function replay(program: Program, stimulus: Stimulus): Promise<Replayed | undefined> {
  const coverage = new CoverageCounts();
  const runs: Sent[][] = [];
  for (const run of RUNS) {
    const sent = await sentBy(program, stimulus, { ...run, ...(runs.length === 0 ? { coverage } : {}) });
    if (sent === undefined || sent.length > MAX_SENT) return undefined;
    runs.push(sent);
  }
  const expected = commonOf(runs);
  const counts = coverage.of(program.bmv2)?.hits;
  return expected === undefined || counts === undefined ? undefined : { expected, counts };
}

interface Start {
  readonly now: number;
  readonly seed: number;
  readonly coverage?: CoverageCounts;
}

/** A switch with entries, which is given one packet after the other. */
export class Sender {
  readonly #sent: Sent[] = [];
  readonly #device: Switch;

  private constructor(program: Program, { now, seed, coverage }: Start) {
    this.#device = new Switch(program, {
      clock: { now: () => now, at: () => () => {} },
      seed,
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
