/**
 * Cases of the switch fuzzer. For any packets, programs, writes and commands, the switch must continue; it must reject a program
 * with a diagnostic; a rejected write must not change its state.
 */
import { DiagnosticError, Diagnostics, type Random, SourceFile } from "../../../src/base/index.js";
import { commandHelp } from "../../../src/toolchain/control/commands.js";
import { runCommands } from "../../../src/toolchain/control/index.js";
import {
  type Atomicity,
  DeviceError,
  type ReadQuery,
  type Update,
} from "../../../src/toolchain/device/index.js";
import { type Program, readBmv2 } from "../../../src/toolchain/program/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { mutateJson } from "./json-mutate.js";
import { mutate } from "./mutate.js";
import type { FuzzCase } from "./runner.js";
import { type FuzzProgram, programAt, programCount } from "./switch-programs.js";
import { makeUpdate, someKinds, usedIndexes } from "./switch-updates.js";

/** Maximum time of one case, in milliseconds; no input of this size should take longer. */
const TIME_LIMIT = 20_000;

interface Running {
  device: Switch;
  sent: string[];
  /** Advances the clock by microseconds and runs the due timers. */
  pass(time: number): void;
}

function start(program: Program, queued: boolean): Running {
  let now = 0;
  let due: { time: number; run: () => void }[] = [];
  const sent: string[] = [];
  const device = new Switch(program, {
    seed: 1,
    cpuPort: 510,
    clock: {
      now: () => now,
      at: (time, run) => {
        const item = { time, run };
        due.push(item);
        return () => {
          due = due.filter((other) => other !== item);
        };
      },
    },
    transmit: (port, frame) => sent.push(`${port} ${Buffer.from(frame).toString("hex")}`),
    log: () => {},
    ...(queued ? { queue: { depthPackets: 4, priorities: 2, ratePacketsPerSecond: () => 1e5 } } : {}),
  });
  device.watch((event) => {
    if (event.kind === "packetIn") sent.push(`cpu ${Buffer.from(event.packet.payload).toString("hex")}`);
    else sent.push(event.kind);
  });
  const pass = (time: number) => {
    const until = now + time;
    for (;;) {
      const next = due.filter((item) => item.time <= until).sort((a, b) => a.time - b.time)[0];
      if (next === undefined) break;
      due = due.filter((item) => item !== next);
      now = Math.max(now, next.time);
      next.run();
    }
    now = until;
  };
  return { device, sent, pass };
}

function someProgram(
  random: Random,
  suits: (program: Program) => boolean = () => true,
): FuzzProgram & { program: Program } {
  for (;;) {
    const found = programAt(random.int(programCount));
    if (found.program !== undefined && suits(found.program))
      return found as FuzzProgram & { program: Program };
  }
}

/** Random bytes, or a valid frame with some changed bytes and a shorter or longer end. */
function frameOf(random: Random, good: readonly Uint8Array[]): Uint8Array {
  if (good.length === 0 || random.int(4) === 0)
    return Uint8Array.from({ length: random.int(random.int(50) === 0 ? 3000 : 120) }, () => random.int(256));
  const frame = random.pick(good).slice();
  for (let changes = random.int(5); changes > 0 && frame.length > 0; changes--)
    frame[random.int(frame.length)] = random.int(256);
  if (random.int(3) === 0) return frame.slice(0, random.int(frame.length + 1));
  if (random.int(6) === 0) return Uint8Array.from([...frame, ...frame, ...frame]);
  return frame;
}

function playSome(random: Random, running: readonly Running[], good: readonly Uint8Array[], count: number) {
  for (let i = 0; i < count; i++) {
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

/** The error of an operation of the switch; undefined if it succeeded. Any error that is not a DeviceError is thrown again. */
function refusal(run: () => void): DeviceError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof DeviceError) return error;
    throw error;
  }
}

const EVERYTHING: readonly ReadQuery[] = [
  { kind: "tableEntry", counter: true, meter: true },
  { kind: "tableEntry", isDefault: true },
  { kind: "member" },
  { kind: "group" },
  { kind: "directCounter" },
  { kind: "directMeter" },
  { kind: "multicastGroup" },
  { kind: "cloneSession" },
  { kind: "digest" },
  { kind: "valueSet" },
];

function plain(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    typeof part === "bigint" ? `${part}n` : part instanceof Uint8Array ? [...part] : part,
  );
}

/**
 * The whole readable state of a switch, and the numbers that decide between equal entries and members. The order of entities is
 * ignored where the specification does not define it.
 */
function stateOf(device: Switch): string {
  const { tables, profiles } = device.internals.instance;
  const hidden = [
    ...[...tables.values()].map(({ name, store }) => [
      name,
      [...store.entries.values()].map(({ number, name }) => `${name} ${number}`).sort(),
    ]),
    ...[...profiles.values()].map(({ name, store }) => [
      name,
      [...store.members.values()]
        .filter((member) => !member.hidden)
        .map(({ memberId, handles, uses }) => `${memberId} ${handles} ${uses}`)
        .sort(),
      [...store.groups.values()]
        .filter((group) => !group.hidden)
        .map(({ number, uses }) => `${[...store.slots[number]!]} ${uses}`)
        .sort(),
    ]),
  ];
  const { counters, meters, registers } = device.internals.instance;
  const arrays: ReadQuery[] = [
    ...[...counters.values()].flatMap(({ name, size }) =>
      usedIndexes(size).map((index) => ({ kind: "counter" as const, counter: name, index })),
    ),
    ...[...meters.values()].flatMap(({ name, size }) =>
      usedIndexes(size).map((index) => ({ kind: "meter" as const, meter: name, index })),
    ),
    ...[...registers.values()].flatMap(({ name, size }) =>
      usedIndexes(size).map((index) => ({ kind: "register" as const, register: name, index })),
    ),
  ];
  return [
    ...device.query(arrays).map(plain),
    ...EVERYTHING.map((query) => device.query([query]).map(plain).sort().join("\n")),
    ...hidden.map(plain),
  ].join("\n\n");
}

function apply(device: Switch, updates: readonly Update[], atomicity: Atomicity): DeviceError | undefined {
  return refusal(() => device.apply(updates, atomicity));
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
  for (const { pass } of [one, two]) pass(1e7);
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
  running.pass(1e7);
  stateOf(running.device);
  const taken = performance.now() - began;
  return taken > TIME_LIMIT ? `slow: ${Math.round(taken)} ms (${name})` : undefined;
};

/** A switch that rejected some writes, and a switch that got only the accepted ones, must have the same state. */
const writes: FuzzCase = (random) => {
  const kinds = someKinds(random);
  const wantsProfile = kinds.includes("group") && random.int(3) > 0;
  const { program, frames, name } = someProgram(
    random,
    ({ bmv2 }) => !wantsProfile || bmv2.pipelines.some((pipeline) => pipeline.action_profiles.length > 0),
  );
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
  for (const { pass } of [one, two]) pass(1e7);
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
  running.pass(1e7);
  stateOf(running.device);
  const taken = performance.now() - began;
  return taken > TIME_LIMIT ? `slow: ${Math.round(taken)} ms (${name})` : undefined;
};

export const cases: Readonly<Record<string, FuzzCase>> = { packets, config, writes, commands };
