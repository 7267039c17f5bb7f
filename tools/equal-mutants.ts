/**
 * Checks `p4loom equal` against packets, on mutants of twenty programs:
 *
 *     npx tsx tools/equal-mutants.ts [--mutants 10] [--packets 100000] [--seed 1] [--program NAME]
 *
 * Each program gets ten mutants that compile. `equal` compares each with the program. Packets are the second model: generated tests of
 * both programs give entries and first packets; each set of entries gets the same number of packets, which are the first ones with some
 * bytes, the length or the port changed. A mutant of which a packet leaves otherwise differs. So `equal` must never say "equal" of a
 * mutant that differs, and must say "different" of it.
 * Prints a line of JSON for each mutant, and the sums. Exit status 1: a verdict is wrong.
 */
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
  },
});
const seed = Number(values.seed);

/** Seconds that a comparison and a generation may take. */
const SECONDS = { compare: 30, generate: 5 };

/** The programs include the compiler's own files only. */
const resolveInclude = (): undefined => undefined;

function compiled(file: SourceFile): Program | undefined {
  const diagnostics = new Diagnostics();
  const result = compile({ file, resolveInclude }, diagnostics);
  return diagnostics.hasErrors ? undefined : result?.program;
}

const within = (seconds: number) => {
  const started = performance.now();
  return () => performance.now() - started < 1000 * seconds;
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

/** A packet with which two programs do not send the same, with the number of packets that were sent before. */
async function differing(
  programs: readonly [Program, Program],
  tests: readonly GeneratedTest[],
  packets: number,
): Promise<{ packet: string; commands: readonly string[]; after: number } | undefined> {
  const random = new Random(seed);
  const share = Math.max(1, Math.ceil(packets / Math.max(1, tests.length)));
  let after = 0;
  for (const { stimulus } of tests) {
    const [a, b] = [
      await started(programs[0], stimulus.commands),
      await started(programs[1], stimulus.commands),
    ];
    for (let i = 0; i < share; i++, after++) {
      // Registers and meters change: now and then both begin anew.
      const bytes = i === 0 ? stimulus.bytes : changed(stimulus.bytes, random);
      const port = random.int(8) === 0 ? random.int(511) : stimulus.port;
      for (const { device, sent } of [a, b]) {
        sent.length = 0;
        device.receive(port, bytes.slice());
      }
      if (a.sent.join() !== b.sent.join())
        return { packet: `${port} ${toHex(bytes)}`, commands: stimulus.commands, after };
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

async function tried(a: Program, own: readonly GeneratedTest[], file: SourceFile, mutant: Mutant) {
  const b = compiled(new SourceFile(file.path, mutatedText(mutant)));
  if (b === undefined) return undefined;
  const began = performance.now();
  const { verdict, reasons } = await verdictOf(a, b);
  const seconds = (performance.now() - began) / 1000;
  const tests = verdict === "other tables" ? own : [...own, ...(await testsOf(b))];
  const found = await differing([a, b], tests, Number(values.packets));
  const isWrong = verdict === "equal" && found !== undefined;
  return { mutant: mutant.name, change: mutant.change, verdict, reasons, seconds, found, isWrong };
}

const sums: Record<string, number> = {};
for (const path of PROGRAMS) {
  if (values.program !== undefined && !path.includes(values.program)) continue;
  const file = readSource(join(root, path));
  const program = defined(compiled(file));
  const tests = await testsOf(program);
  const all = mutantsOf(file, { resolveInclude }, new Diagnostics());
  let count = 0;
  for (const mutant of shuffled(chooseMutants(all, 3 * Number(values.mutants), seed))) {
    if (count >= Number(values.mutants)) break;
    const result = await tried(program, tests, file, mutant);
    if (result === undefined) continue;
    count++;
    console.log(JSON.stringify({ program: path, ...result }));
    const key = `${result.verdict}, packets ${result.found === undefined ? "do not differ" : "differ"}`;
    sums[key] = (sums[key] ?? 0) + 1;
    if (result.isWrong) process.exitCode = 1;
  }
}
console.log(JSON.stringify(sums, null, 2));

/** In an order that does not follow the program's text. */
function shuffled(mutants: readonly Mutant[]): Mutant[] {
  return new Random(seed).shuffle([...mutants]);
}
