/** The recorded programs: loading one into a switch, and playing its stimuli. */
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Diagnostics, fromHex, Random, SourceFile, toHex } from "../../../src/base/index.js";
import { runCommands } from "../../../src/toolchain/control/index.js";
import {
  type Bmv2Program,
  createP4Info,
  type P4Info,
  type Program,
} from "../../../src/toolchain/program/index.js";
import { Switch, type SwitchOptions } from "../../../src/toolchain/switch/index.js";

export interface Output {
  port: number;
  hex: string;
}

export interface Stimulus {
  in: Output;
  out: Output[];
}

const root = resolve(import.meta.dirname, "../../golden");

export function goldenText(name: string, file: string): string | undefined {
  const path = resolve(root, name, file);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

export function goldenJson<T>(name: string, file: string): T {
  return JSON.parse(goldenText(name, file)!) as T;
}

/** A clock that the test moves; what is due runs when it does. */
export class ManualClock {
  time = 0;
  #due: { time: number; run: () => void }[] = [];

  now(): number {
    return this.time;
  }

  at(time: number, run: () => void): () => void {
    const item = { time, run };
    this.#due.push(item);
    return () => {
      this.#due = this.#due.filter((other) => other !== item);
    };
  }

  /** Runs what is due until then, in order. */
  advance(to: number): void {
    for (;;) {
      const next = this.#due.filter(({ time }) => time <= to).sort((a, b) => a.time - b.time)[0];
      if (next === undefined) break;
      this.#due = this.#due.filter((item) => item !== next);
      this.time = Math.max(this.time, next.time);
      next.run();
    }
    this.time = Math.max(this.time, to);
  }
}

/** The same program as an object of its own, for which a switch makes its code anew: no test depends on the code of another one. */
export function fresh(program: Program): Program {
  return { ...program, bmv2: structuredClone(program.bmv2) };
}

export function startProgram(
  bmv2: Bmv2Program,
  p4info: P4Info = createP4Info(),
  options: Partial<SwitchOptions> = {},
): {
  device: Switch;
  outputs: Output[];
  clock: ManualClock;
  play(port: number, hex: string): Output[];
  /** Text for simple_switch_CLI; throws at its first mistake. */
  run(commands: string): Promise<void>;
} {
  const clock = new ManualClock();
  const outputs: Output[] = [];
  const device = new Switch(
    { bmv2, p4info },
    { clock, transmit: (port, frame) => outputs.push({ port, hex: toHex(frame) }), ...options },
  );
  const play = (port: number, hex: string) => {
    outputs.length = 0;
    device.receive(port, fromHex(hex)!);
    return outputs
      .map((output, i) => ({ output, i }))
      .sort((a, b) => a.output.port - b.output.port || a.i - b.i)
      .map(({ output }) => ({ ...output }));
  };
  const run = async (commands: string) => {
    const diagnostics = new Diagnostics();
    await runCommands(device, new SourceFile("commands.txt", commands), diagnostics);
    diagnostics.throwIfErrors();
  };
  return { device, outputs, clock, play, run };
}

/** The golden program of that name as it was compiled, without its commands. */
export function startUnconfigured(name: string, p4info?: P4Info, options?: Partial<SwitchOptions>) {
  return startProgram(goldenJson<Bmv2Program>(name, `${name}.json`), p4info, options);
}

/** The golden program of that name, with its commands run unless `config` says otherwise. */
export async function startGolden(
  name: string,
  config = "config.txt",
  p4info?: P4Info,
  options?: Partial<SwitchOptions>,
) {
  const started = startUnconfigured(name, p4info, options);
  await started.run(goldenText(name, config) ?? "");
  return started;
}

/** The frames that BMv2 was given, and as many that are cut, longer, or changed at a bit. */
export function framesOf(name: string): { port: number; hex: string }[] {
  const random = new Random(7);
  const stimuli = goldenJson<Stimulus[]>(name, "packets.json").filter((_, i) => i % 3 === 0);
  return stimuli.flatMap(({ in: input }) => {
    const bytes = fromHex(input.hex)!;
    const changed = new Uint8Array(
      random.int(4) === 0 ? random.int(bytes.length + 1) : bytes.length + random.int(3),
    );
    changed.set(bytes.subarray(0, changed.length));
    if (changed.length > 0) changed[random.int(changed.length)]! ^= 1 << random.int(8);
    return [input, { port: input.port, hex: toHex(changed) }];
  });
}

/** All that a switch holds after its packets, in one text. */
export function stateOf(device: Switch): string {
  const kinds = ["counter", "register", "meter", "directCounter", "tableEntry"] as const;
  const { drops, ...stats } = device.stats;
  return JSON.stringify([stats, drops, ...kinds.map((kind) => device.query([{ kind }]))], (_, value) =>
    typeof value === "bigint" ? String(value) : value,
  );
}
