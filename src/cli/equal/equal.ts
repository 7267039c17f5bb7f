/** `p4loom equal`: whether two programs do the same. */
import { claim, Diagnostics, fail, given, SourceFile, toHex } from "../../base/index.js";
import { runCommands } from "../../toolchain/control/index.js";
import { type Comparison, comparePrograms, type Difference } from "../../toolchain/equal/index.js";
import { loadProgram, withProject } from "../../toolchain/loading/index.js";
import { type Program, portableOf } from "../../toolchain/program/index.js";
import { type PacketTrace, Switch } from "../../toolchain/switch/index.js";
import { SourceLines, Story } from "../../toolchain/trace/index.js";
import { CODES } from "../codes.js";
import { EXIT, printDiagnostics } from "../outcome.js";
import { wholeNumberOr } from "../trace/trace-options.js";
import { STANDING } from "../trace/try-packet.js";
import { entriesFor } from "./entries.js";
import type { EqualArguments } from "./equal-options.js";

/** Which entries a verdict is about. */
const ENTRIES = { same: "and entries", none: "without entries of a controller," };

/** What a comparison never looks beyond. */
const BOUNDS = "one clone, groups of one member, two passes of a packet";

/** Exit status 0 when they are equal, 1 when they differ, 3 when neither is known. */
export async function equal(first: string, second: string, options: EqualArguments): Promise<number> {
  const { seed, maxPaths, time } = options;
  const limits = {
    seed: wholeNumberOr("--seed", seed, 1, 0xffff_ffff),
    paths: wholeNumberOr("--max-paths", maxPaths, 20_000, 10_000_000),
    seconds: wholeNumberOr("--time", time, 60, 86_400),
  };
  const diagnostics = new Diagnostics();
  const a = await load(first, options, diagnostics);
  const loaded = await load(second, options, diagnostics);
  const { entries, second: b } = entriesFor(options.entries ?? "same", [a, loaded], [first, second]);
  const started = performance.now();
  const hasTime = () => performance.now() - started < 1000 * limits.seconds;
  let paths = 0;
  const comparison = await comparePrograms(a, b, {
    seed: limits.seed,
    entries,
    goesOn: () => ++paths <= limits.paths && hasTime(),
    hasTime,
  });
  printDiagnostics(diagnostics.list, options.jsonDiagnostics);
  const { difference } = comparison;
  const traces = difference === undefined ? [] : [await traceOf(a, difference), await traceOf(b, difference)];
  const text = options.json
    ? JSON.stringify(jsonOf(comparison, [first, second], traces))
    : textOf(comparison, [first, second], traces);
  process.stdout.write(`${text}\n`);
  return { equal: EXIT.success, different: EXIT.wrongInput, bounded: EXIT.bounded }[comparison.verdict];
}

async function load(path: string, options: EqualArguments, diagnostics: Diagnostics): Promise<Program> {
  const { I: include, D: define, U: undefine } = options;
  const { program } = await loadProgram(
    await withProject({ path, include, define, undefine }),
    diagnostics,
    "error",
  );
  const other = program.bmv2.architecture?.name ?? portableOf(program.bmv2);
  if (other !== undefined)
    fail(
      CODES.notSymbolic,
      undefined,
      `${path} is for ${other}: v1model programs are compared`,
      "a packet test that both programs pass compares them by examples (p4loom stf)",
    );
  return program;
}

async function traceOf(program: Program, { stimulus }: Difference): Promise<PacketTrace | undefined> {
  const device = new Switch(program, { clock: STANDING, seed: 1, transmit: () => {} });
  await runCommands(device, new SourceFile("commands", stimulus.commands.join("\n")), new Diagnostics());
  const traces: PacketTrace[] = [];
  device.trace = (packet) => traces.push(packet);
  device.receive(stimulus.port, stimulus.bytes);
  device.trace = undefined;
  return traces[0];
}

function textOf(
  { verdict, entries, difference, pairs, reasons }: Comparison,
  names: readonly [string, string],
  traces: readonly (PacketTrace | undefined)[],
): string {
  if (difference === undefined) {
    if (verdict === "equal")
      return claim("programsEqual", { entries: ENTRIES[entries], bounds: BOUNDS, pairs });
    const why = [...reasons].map(([reason, times]) => `  ${reason} (${times})`);
    return [`no difference in ${pairs} pairs of paths, but not all is compared (${BOUNDS}):`, ...why].join(
      "\n",
    );
  }
  const { stimulus, sent } = difference;
  const story = new Story(new SourceLines(undefined, () => undefined), false);
  const lines = [
    "different: this packet with these entries",
    ...stimulus.commands.map((command) => `  ${command}`),
    `  packet ${stimulus.port} ${toHex(stimulus.bytes)}`,
  ];
  names.forEach((name, i) => {
    const frames = (sent[i] ?? []).map(({ port, frame }) => `  sends ${port} ${toHex(frame)}`);
    const trace = traces[i];
    lines.push("", name, ...(frames.length === 0 ? ["  sends nothing"] : frames));
    if (trace !== undefined) lines.push(...story.of(trace).map((line) => `    ${line}`));
  });
  return lines.join("\n");
}

function jsonOf(
  { verdict, entries, difference, pairs, reasons }: Comparison,
  programs: readonly [string, string],
  traces: readonly (PacketTrace | undefined)[],
): unknown {
  const packets = (sent: Difference["sent"][number]) =>
    sent.map(({ port, frame }) => ({ port, packet: toHex(frame) }));
  return {
    programs,
    verdict,
    entries,
    bounds: BOUNDS,
    pairs,
    reasons: Object.fromEntries(reasons),
    ...given({
      difference:
        difference === undefined
          ? undefined
          : {
              commands: difference.stimulus.commands,
              port: difference.stimulus.port,
              packet: toHex(difference.stimulus.bytes),
              sent: difference.sent.map(packets),
              traces,
            },
    }),
  };
}
