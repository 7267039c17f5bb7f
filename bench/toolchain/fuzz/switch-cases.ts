/**
 * Cases of the switch fuzzer. For any packets, programs, writes and commands, the switch must continue; it must reject a program
 * with a diagnostic; a rejected write must not change its state.
 */
import { DiagnosticError, Diagnostics, type Random, SourceFile } from "../../../src/base/index.js";
import { commandHelp } from "../../../src/toolchain/control/commands.js";
import { runCommands } from "../../../src/toolchain/control/index.js";
import { type Program, readBmv2 } from "../../../src/toolchain/program/index.js";
import { mutateJson } from "./json-mutate.js";
import { mutate } from "./mutate.js";
import type { FuzzCase } from "./runner.js";
import { type FuzzProgram, programAt, programCount } from "./switch-programs.js";
import { apply, frameOf, plain, type Running, refusal, start, stateOf } from "./switch-rig.js";
import { makeUpdate, someKinds } from "./switch-updates.js";

/** Maximum time of one case, in milliseconds; no input of this size should take longer. */
const TIME_LIMIT = 20_000;

/** The program of a case. */
export type Chooser = (
  random: Random,
  number: number,
  suits: (program: Program) => boolean,
) => Runnable | undefined;

type Runnable = FuzzProgram & { program: Program };

function someProgram(
  random: Random,
  _number?: number,
  suits: (program: Program) => boolean = () => true,
): Runnable {
  for (;;) {
    const found = programAt(random.int(programCount));
    if (found.program !== undefined && suits(found.program)) return found as Runnable;
  }
}

function playSome(random: Random, running: readonly Running[], good: readonly Uint8Array[], count: number) {
  for (let i = 0; i < count; i++) {
    // A program that makes copies endlessly does so with each packet, up to the limit of passes.
    if (running.some(({ device }) => device.stats.drops.loop > 0)) return;
    const [port, frame, wait] = [random.int(512), frameOf(random, good), random.int(100)];
    const isPacketOut = random.int(30) === 0;
    const down = random.int(40) === 0 ? random.int(5) : -1;
    const isUp = random.int(2) === 0;
    for (const { device, pass } of running) {
      if (down >= 0) device.setPortState(down, isUp);
      if (isPacketOut) refusal(() => device.sendPacketOut({ payload: frame, metadata: {} }));
      else device.receive(port, frame);
      pass(wait);
    }
  }
}

const packets: FuzzCase = (random) => {
  const { program, frames, name } = someProgram(random);
  const began = performance.now();
  const queued = random.int(3) === 0;
  const [one, two] = [start(program, queued), start(program, queued)];
  for (let i = random.int(20); i > 0; i--) {
    const update = makeUpdate(random, one.device);
    for (const { device } of [one, two]) apply(device, [update], "continueOnError");
  }
  playSome(random, [one, two], frames, 40);
  for (const { pass } of [one, two]) pass(1e5);
  if (one.sent.join() !== two.sent.join()) return `two switches differ (${name})`;
  if (stateOf(one.device) !== stateOf(two.device)) return `two switches end in different states (${name})`;
  const taken = performance.now() - began;
  return taken > TIME_LIMIT ? `slow: ${Math.round(taken)} ms (${name})` : undefined;
};

const config: FuzzCase = (random) => {
  const { program, frames, name } = someProgram(random);
  const began = performance.now();
  const whole = JSON.stringify(program.bmv2);
  const text = random.int(10) === 0 ? mutate(whole, random, [whole]) : mutateJson(whole, random);
  const diagnostics = new Diagnostics();
  const bmv2 = readBmv2(new SourceFile("program.json", text), diagnostics);
  if (bmv2 === undefined) {
    if (!diagnostics.hasErrors) return "no program and no error";
    return diagnostics.list.some(({ span }) => span === undefined) ? "an error without its place" : undefined;
  }
  let running: Running;
  try {
    running = start({ bmv2, p4info: program.p4info }, false);
  } catch (error) {
    if (error instanceof DiagnosticError) return undefined;
    throw error;
  }
  for (let i = 0; i < 10 && running.device.internals.instance.tables.size > 0; i++)
    apply(running.device, [makeUpdate(random, running.device)], "continueOnError");
  playSome(random, [running], frames, 15);
  running.pass(1e5);
  stateOf(running.device);
  const taken = performance.now() - began;
  return taken > TIME_LIMIT ? `slow: ${Math.round(taken)} ms (${name})` : undefined;
};

/** A switch that rejected some writes, and a switch that got only the accepted ones, must have the same state. */
export const writesOf =
  (choose: Chooser): FuzzCase =>
  (random, number, note) => {
    const kinds = someKinds(random);
    const wantsProfile = kinds.includes("group") && random.int(3) > 0;
    const suits = ({ bmv2 }: Program): boolean =>
      !wantsProfile || bmv2.pipelines.some((pipeline) => pipeline.action_profiles.length > 0);
    const chosen = choose(random, number, suits);
    if (chosen === undefined) return undefined;
    const { program, frames, name } = chosen;
    const queued = random.int(4) === 0;
    const [one, two] = [start(program, queued), start(program, queued)];
    for (let round = 0; round < 25; round++) {
      const updates = Array.from({ length: 1 + random.int(random.int(2) === 0 ? 8 : 1) }, () =>
        makeUpdate(random, one.device, kinds),
      );
      const atomicity = random.pick(["continueOnError", "rollbackOnError", "dataplaneAtomic"] as const);
      const before = stateOf(one.device);
      const error = apply(one.device, updates, atomicity);
      const after = stateOf(one.device);
      const description = `${name}, ${atomicity}, ${plain(updates)}`;
      if (error !== undefined) {
        if (error.updates?.length !== updates.length) return `not one status an update: ${description}`;
        if (error.updates.every(({ code }) => code === "OK"))
          return `an error with no bad status: ${description}`;
        if ((atomicity !== "continueOnError" || updates.length === 1) && before !== after)
          return `a refused write changed the state: ${description}\nbefore\n${before}\nafter\n${after}`;
      }
      const good =
        error === undefined
          ? updates
          : atomicity === "continueOnError"
            ? updates.filter((_, i) => error.updates![i]!.code === "OK")
            : [];
      if (good.length > 0) {
        const second = apply(two.device, good, "continueOnError");
        if (second !== undefined) return `refused without the bad ones: ${second.message}: ${description}`;
      }
      if (stateOf(two.device) !== after)
        return `differs from one that saw the good ones only: ${description}\n${after}\nother\n${stateOf(two.device)}`;
      if (random.int(3) === 0) playSome(random, [one, two], frames, 3);
      if (one.sent.join() !== two.sent.join()) return `packets differ after refused writes: ${description}`;
      if (one.sent.length > 2000) {
        one.sent.length = 0;
        two.sent.length = 0;
      }
    }
    playSome(random, [one, two], frames, 20);
    for (const { pass } of [one, two]) pass(1e5);
    note(`${name} ${one.sent.join()} ${stateOf(one.device)}`);
    if (one.sent.join() !== two.sent.join()) return `packets differ after refused writes (${name})`;
    return undefined;
  };

const commands: FuzzCase = async (random) => {
  const { program, frames, name, commands } = someProgram(random);
  const began = performance.now();
  const running = start(program, random.int(2) === 0);
  const { tables, profiles, counters, registers, meters } = running.device.internals.instance;
  const names = [tables, profiles, counters, registers, meters].flatMap((map) => [...map.keys()]);
  const made = Array.from({ length: 12 }, () => {
    const words = random.pick(commandHelp()).split(" ");
    return words
      .map((word, i) =>
        i === 0
          ? word
          : names.length > 0 && random.int(3) === 0
            ? random.pick(names)
            : random.pick(["0", "1", "2", "=>", "0x10", "1/8", "1&&&3", "0->4", "1:5", "x", "-1", "70000"]),
      )
      .join(" ");
  }).join("\n");
  const help = commandHelp().join("\n");
  const text = mutate(`${commands.slice(0, 5000)}\n${made}`, random, [help, commands || help]);
  const file = new SourceFile("commands.txt", text);
  const diagnostics = new Diagnostics();
  await runCommands(running.device, file, diagnostics, () => {});
  if (diagnostics.list.some(({ span }) => span === undefined)) return "an error without its place";
  playSome(random, [running], frames, 10);
  running.pass(1e5);
  stateOf(running.device);
  const taken = performance.now() - began;
  return taken > TIME_LIMIT ? `slow: ${Math.round(taken)} ms (${name})` : undefined;
};

export const cases: Readonly<Record<string, FuzzCase>> = {
  packets,
  config,
  writes: writesOf(someProgram),
  commands,
};
