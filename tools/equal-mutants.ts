/**
 * Checks `p4loom equal` against packets, on mutants of twenty programs:
 *
 *     [P4LOOM_BMV2=/path/of/simple_switch_grpc] npx tsx tools/equal-mutants.ts [--mutants 10] [--packets 100000] [--bmv2 2000] [--seed 1]
 *         [--program NAME,...] [--store FILE]
 *
 * Each program gets ten mutants that compile. `equal` compares each with the program. Packets are the second model: generated tests of
 * both programs give entries and first packets; each set of entries gets the same number of packets, which are the first ones with some
 * bytes, the length or the port changed. A mutant of which a packet leaves otherwise differs. So `equal` must never say "equal" of a
 * mutant that differs, and must say "different" of it. BMv2 is the third model: it gets some of the packets (`--bmv2`, with one
 * set of entries) and those up to the first that shows a difference, with both programs.
 * Prints a line of JSON for each mutant, and the sums. `--store`: lines are kept there, and mutants that have one are not compared again. Exit
 * status 1: a verdict is wrong.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Diagnostics, defined, Random, SourceFile, toHex } from "../src/base/index.js";
import { runCommands } from "../src/toolchain/control/index.js";
import { comparePrograms, tableDifference } from "../src/toolchain/equal/index.js";
import { readSource } from "../src/toolchain/loading/index.js";
import { chooseMutants, type Mutant, mutantsOf, mutatedText } from "../src/toolchain/mutation/index.js";
import { compile } from "../src/toolchain/p4/index.js";
import type { Program } from "../src/toolchain/program/index.js";
import { Switch } from "../src/toolchain/switch/index.js";
import { type GeneratedTest, generateTests } from "../src/toolchain/testgen/index.js";
import { BMV2, NO_BMV2 } from "../test/parity/bmv2.js";
import { OnBmv2, type OnBoth, type Packet, packetsLike } from "./equal-on-bmv2.js";

const root = resolve(import.meta.dirname, "..");
const golden = (name: string) => `test/golden/${name}/${name}.p4`;
const course = (folder: string, name: string) => `examples/course/${folder}/solution/${name}.p4`;

const PROGRAMS = [
  ...["arith", "arith_misc", "arith_signed", "control", "cpu", "hash", "l3", "memory", "parse", "queue"].map(
    golden,
  ),
  ...["replicate", "selector"].map(golden),
  course("01-forwarding", "forwarding"),
  course("02-lpm-ttl", "routing"),
  course("03-source-routing", "route"),
  course("05-counters-meters", "limit"),
  course("07-clone-digest", "monitor"),
  course("08-multicast", "flood"),
  course("11-bitmaps", "bitmaps"),
  course("13-fit", "scores"),
];

const { values } = parseArgs({
  options: {
    mutants: { type: "string", default: "10" },
    packets: { type: "string", default: "100000" },
    seed: { type: "string", default: "1" },
    program: { type: "string" },
    bmv2: { type: "string", default: "2000" },
    store: { type: "string" },
  },
});
const seed = Number(values.seed);

/** Seconds of processor time that a comparison and a generation may take. */
const SECONDS = { compare: 30, generate: 5 };

/** The programs include the compiler's own files only. */
const resolveInclude = (): undefined => undefined;

function compiled(file: SourceFile): Program | undefined {
  const diagnostics = new Diagnostics();
  const result = compile({ file, resolveInclude }, diagnostics);
  return diagnostics.hasErrors ? undefined : result?.program;
}

/** Other processes of the machine do not count. */
const within = (seconds: number) => {
  const started = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(started);
    return user + system < 1e6 * seconds;
  };
};

async function testsOf(program: Program): Promise<readonly GeneratedTest[]> {
  const goesOn = within(SECONDS.generate);
  return (await generateTests(program, { seed, maxTests: 100, allPaths: false, goesOn, hasTime: goesOn }))
    .tests;
}

interface Device {
  readonly device: Switch;
  readonly sent: string[];
}

async function started(program: Program, commands: readonly string[]): Promise<Device> {
  const sent: string[] = [];
  const device = new Switch(program, {
    clock: { now: () => 0, at: () => () => {} },
    seed,
    cpuPort: 510,
    transmit: (port, frame) => sent.push(`${port} ${toHex(frame)}`),
  });
  await runCommands(device, new SourceFile("commands", commands.join("\n")), new Diagnostics());
  return { device, sent };
}

function changed(bytes: Uint8Array, random: Random): Uint8Array {
  const length = random.int(8) === 0 ? random.int(bytes.length + 9) : bytes.length;
  const other = new Uint8Array(length);
  other.set(bytes.subarray(0, length));
  for (let i = random.int(4); i > 0 && length > 0; i--) {
    const at = random.int(length);
    other[at] = random.int(2) === 0 ? random.int(256) : defined(other[at]) ^ (1 << random.int(8));
  }
  return other;
}

/** Ports beside that of a test's packet, for each set of entries. */
const OTHER_PORTS = 24;

/** Sets of entries of the program's tests that BMv2 gets, and the most packets of a sequence that shows a difference. */
const BMV2_SETS = 1;
const BMV2_MOST = 3000;

interface Differing {
  readonly packet: string;
  readonly commands: readonly string[];
  /** Packets that were sent before. */
  readonly after: number;
  /** Those with these entries up to this one. */
  readonly sequence: readonly Packet[];
}

/** A packet with which two programs do not send the same. */
async function differing(
  programs: readonly [Program, Program],
  tests: readonly GeneratedTest[],
  packets: number,
): Promise<Differing | undefined> {
  const random = new Random(seed);
  const share = Math.max(1, Math.ceil(packets / Math.max(1, tests.length)));
  let after = 0;
  for (const { stimulus } of tests) {
    const [a, b] = [
      await started(programs[0], stimulus.commands),
      await started(programs[1], stimulus.commands),
    ];
    const others = Array.from({ length: OTHER_PORTS }, () => random.int(511));
    const sequence: Packet[] = [];
    for (let i = 0; i < share; i++, after++) {
      // Registers and meters change: now and then both begin anew.
      const bytes = i === 0 ? stimulus.bytes : changed(stimulus.bytes, random);
      const port = random.int(8) === 0 ? defined(others[random.int(OTHER_PORTS)]) : stimulus.port;
      if (sequence.length < BMV2_MOST) sequence.push({ port, bytes });
      for (const { device, sent } of [a, b]) {
        sent.length = 0;
        device.receive(port, bytes.slice());
      }
      if (a.sent.join() !== b.sent.join())
        return { packet: `${port} ${toHex(bytes)}`, commands: stimulus.commands, after, sequence };
    }
  }
  return undefined;
}

async function verdictOf(a: Program, b: Program): Promise<{ verdict: string; reasons?: string[] }> {
  const tables = tableDifference(a, b);
  if (tables !== undefined) return { verdict: "other tables", reasons: [tables] };
  const goesOn = within(SECONDS.compare);
  const options = { seed, entries: "same", goesOn, hasTime: goesOn } as const;
  const { verdict, reasons } = await comparePrograms(a, b, options);
  return { verdict, reasons: [...reasons.keys()] };
}

async function tried(
  a: Program,
  own: readonly GeneratedTest[],
  file: SourceFile,
  mutant: Mutant,
  known: OnBmv2,
) {
  const b = compiled(new SourceFile(file.path, mutatedText(mutant)));
  if (b === undefined) return undefined;
  const began = process.cpuUsage();
  const { verdict, reasons } = await verdictOf(a, b);
  const { user, system } = process.cpuUsage(began);
  const seconds = (user + system) / 1e6;
  const tests = verdict === "other tables" ? own : [...own, ...(await testsOf(b))];
  const found = await differing([a, b], tests, Number(values.packets));
  const bmv2 = verdict === "other tables" ? [] : await onBmv2([a, b], own, found, known);
  const isWrong = verdict === "equal" && (found !== undefined || bmv2.some(isDifference));
  const { sequence: _, ...shown } = found ?? { sequence: [] };
  const differs = found === undefined ? undefined : shown;
  return {
    mutant: mutant.name,
    change: mutant.change,
    verdict,
    reasons,
    seconds,
    found: differs,
    bmv2,
    isWrong,
  };
}

/** A difference on BMv2 that is none of time or chance. */
const isDifference = ({ bmv2, byChance }: OnBoth): boolean => bmv2 && byChance !== true;

/** Packets of some of the program's tests, then those of a difference. */
async function onBmv2(
  programs: readonly [Program, Program],
  own: readonly GeneratedTest[],
  found: Differing | undefined,
  known: OnBmv2,
): Promise<OnBoth[]> {
  if (BMV2 === undefined || Number(values.bmv2) === 0) return [];
  const step = Math.max(1, Math.floor(own.length / BMV2_SETS));
  const sets = own.filter((_, i) => i % step === 0).slice(0, BMV2_SETS);
  const count = Math.ceil(Number(values.bmv2) / Math.max(1, sets.length));
  const jobs = sets.map((test, i) =>
    known.compare(programs, test.stimulus.commands, packetsLike(test, count, seed + i, changed), `${i}`),
  );
  if (found !== undefined && found.sequence.length <= BMV2_MOST)
    jobs.push(known.compare(programs, found.commands, found.sequence));
  const ended = await Promise.allSettled(jobs);
  for (const one of ended) if (one.status === "rejected") console.error(`not played on BMv2: ${one.reason}`);
  return ended.flatMap((one) => (one.status === "fulfilled" && one.value !== undefined ? [one.value] : []));
}

interface Line {
  readonly program: string;
  readonly mutant: string;
  readonly verdict: string;
  readonly found?: object;
  readonly bmv2: readonly OnBoth[];
  readonly isWrong: boolean;
}

function stored(): Line[] {
  if (values.store === undefined || !existsSync(values.store)) return [];
  return readFileSync(values.store, "utf8")
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line) as Line);
}

/** In an order that does not follow the program's text. */
function shuffled(mutants: readonly Mutant[]): Mutant[] {
  return new Random(seed).shuffle([...mutants]);
}

async function main(): Promise<void> {
  if (BMV2 === undefined) console.error(NO_BMV2);
  const before = stored();
  const lines: Line[] = [];
  for (const path of PROGRAMS) {
    if (values.program !== undefined && !values.program.split(",").some((name) => path.includes(name)))
      continue;
    const file = readSource(join(root, path));
    const program = defined(compiled(file));
    const tests = await testsOf(program);
    const known = new OnBmv2();
    const all = mutantsOf(file, { resolveInclude }, new Diagnostics());
    let count = 0;
    for (const mutant of shuffled(chooseMutants(all, 3 * Number(values.mutants), seed))) {
      if (count >= Number(values.mutants)) break;
      const old = before.find((line) => line.program === path && line.mutant === mutant.name);
      const result = old ?? (await tried(program, tests, file, mutant, known));
      if (result === undefined) continue;
      count++;
      const line = { ...result, program: path } as Line;
      lines.push(line);
      if (old !== undefined) continue;
      console.log(JSON.stringify(line));
      if (values.store !== undefined) appendFileSync(values.store, `${JSON.stringify(line)}\n`);
    }
  }
  summarize(lines);
}

function summarize(lines: readonly Line[]): void {
  const sums = new Map<string, number>();
  const add = (key: string) => sums.set(key, (sums.get(key) ?? 0) + 1);
  for (const { verdict, found, bmv2, isWrong } of lines) {
    const shows = bmv2.some(isDifference);
    const third = bmv2.length === 0 ? "BMv2 not asked" : `on BMv2 they ${shows ? "differ" : "do not differ"}`;
    add(`${verdict}, packets ${found === undefined ? "do not differ" : "differ"}, ${third}`);
    for (const one of bmv2) {
      add(
        `sequences on BMv2: ${one.ours === one.bmv2 ? "both switches say the same" : one.byChance ? "by chance" : "switches disagree"}`,
      );
    }
    if (isWrong) process.exitCode = 1;
  }
  console.log(JSON.stringify(Object.fromEntries(sums), null, 2));
}

await main();
