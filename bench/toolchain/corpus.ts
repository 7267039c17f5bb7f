/**
 * Runs the packet tests of a folder of v1model programs (p4c's `testdata/p4_16_samples` for one): every `.stf` with a
 * program of the same name beside it, compiled by our compiler and played on our switch.
 *
 *     npx tsx bench/toolchain/corpus.ts FOLDER [-I FOLDER]... [--only TEXT] [--compiled FOLDER]
 *
 * With `--compiled` the programs are the BMv2 JSON files of that folder instead, made by another compiler, with
 * NAME.p4info.txtpb beside them if there is one; then programs need not be P4-16.
 *
 * If BMv2 is installed, it also loads each kind of expression that our compiler writes as a parameter of a primitive
 * once, because BMv2 checks these expressions when it loads a program.
 *
 * Prints a line for each test that does not pass, then the number of those that do. Exit status 1 when one failed.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DiagnosticError, Diagnostics, formatDiagnostic, SourceFile } from "../../src/base/index.js";
import { compile, type IncludeResolver } from "../../src/toolchain/p4/index.js";
import { type Program, readBmv2, readP4Info } from "../../src/toolchain/program/index.js";
import { readStf, runStf } from "../../src/toolchain/stf/index.js";
import { BMV2, playOnBmv2 } from "../../test/parity/bmv2.js";

interface Arguments {
  folder: string;
  includes: string[];
  only: string;
  compiled: string | undefined;
}

interface Verdict {
  kind: "passed" | "no program" | "test unread" | "failed" | "fault";
  why: string;
}

const source = (path: string) => new SourceFile(path, readFileSync(path, "utf8"));

function resolver(folders: readonly string[]): IncludeResolver {
  return (name, from, system) => {
    for (const folder of [...(system ? [] : [dirname(from.path)]), ...folders]) {
      const path = join(folder, name);
      if (existsSync(path)) return source(path);
    }
    return undefined;
  };
}

function firstError(diagnostics: Diagnostics): string {
  const error = diagnostics.list.find(({ severity }) => severity === "error");
  return error === undefined ? "" : formatDiagnostic(error);
}

function compiledProgram(path: string, diagnostics: Diagnostics) {
  const bmv2 = readBmv2(source(path), diagnostics);
  const p4infoPath = path.replace(/\.json$/, ".p4info.txtpb");
  if (bmv2 === undefined || !existsSync(p4infoPath)) return bmv2 && { bmv2 };
  const p4info = readP4Info(source(p4infoPath), "text", diagnostics);
  return p4info && { bmv2, p4info };
}

const loadedKinds = new Set<string>();

/** An expression without its numbers and names: its types and operators. */
function kindOf(value: unknown): string {
  if (value === null || typeof value !== "object") return "";
  const { type, op, value: inner, left, right, cond } = value as Record<string, unknown>;
  const parts = [inner, cond, left, right].map(kindOf).filter((part) => part !== "");
  return `${String(type ?? op ?? "")}(${parts.join(" ")})`;
}

/** Loads a program into BMv2 if it has a kind of parameter that no earlier program had; rejects when BMv2 refuses it. */
async function loadNewKinds(program: Program): Promise<void> {
  const { actions, parsers } = program.bmv2;
  const ops = parsers.flatMap((parser) => parser.parse_states.flatMap((state) => state.parser_ops));
  const primitives = [...actions.flatMap((action) => action.primitives), ...ops];
  const kinds = primitives.flatMap(({ op, parameters }) =>
    parameters.map((one, i) => `${op} ${i} ${kindOf(one)}`),
  );
  if (kinds.every((kind) => loadedKinds.has(kind))) return;
  await playOnBmv2({ program, updates: [], packets: [], ports: 1, expected: 0 });
  for (const kind of kinds) loadedKinds.add(kind);
}

async function runTest(program: string, test: string, includes: readonly string[]): Promise<Verdict> {
  const diagnostics = new Diagnostics();
  try {
    const runnable = program.endsWith(".json")
      ? compiledProgram(program, diagnostics)
      : compile({ file: source(program), resolveInclude: resolver(includes) }, diagnostics)?.program;
    if (runnable === undefined) return { kind: "no program", why: firstError(diagnostics) };
    const { bmv2, p4info } = runnable;
    if (BMV2 !== undefined && p4info !== undefined) await loadNewKinds({ bmv2, p4info });
    const commands = readStf(source(test), diagnostics);
    if (diagnostics.hasErrors) return { kind: "test unread", why: firstError(diagnostics) };
    const { passed, failed } = await runStf(commands, runnable, diagnostics);
    if (failed > 0) return { kind: "failed", why: firstError(diagnostics) };
    return { kind: "passed", why: `${passed} expectations` };
  } catch (error) {
    if (error instanceof DiagnosticError) return { kind: "no program", why: error.message };
    return {
      kind: "fault",
      why: (error as Error).stack?.split("\n").slice(0, 5).join("\n") ?? String(error),
    };
  }
}

/** Tests with a v1model program; with `compiled`, those with a compiled program. */
function testsOf({ folder, only, compiled }: Arguments): { name: string; program: string }[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".stf") && name.includes(only))
    .map((file) => file.slice(0, -".stf".length))
    .sort()
    .map((name) => ({
      name,
      program: compiled === undefined ? join(folder, `${name}.p4`) : join(compiled, `${name}.json`),
    }))
    .filter(({ program }) => existsSync(program))
    .filter(
      ({ program }) =>
        compiled !== undefined || /#include\s*[<"](.*\/)?v1model\.p4[>"]/.test(readFileSync(program, "utf8")),
    );
}

function argumentsOf(args: readonly string[]): Arguments | undefined {
  const result: Partial<Arguments> & { includes: string[] } = { includes: [] };
  for (let i = 0; i < args.length; i++) {
    if (args[i] === "-I") result.includes.push(args[++i] ?? ".");
    else if (args[i] === "--only") result.only = args[++i] ?? "";
    else if (args[i] === "--compiled") result.compiled = args[++i];
    else result.folder = args[i]!;
  }
  const { folder, includes, only = "", compiled } = result;
  return folder === undefined ? undefined : { folder, includes, only, compiled };
}

async function main(args: readonly string[]): Promise<number> {
  const given = argumentsOf(args);
  if (given === undefined) {
    console.error(
      "usage: npx tsx bench/toolchain/corpus.ts FOLDER [-I FOLDER]... [--only TEXT] [--compiled FOLDER]",
    );
    return 2;
  }
  const counts = new Map<Verdict["kind"], number>();
  let expectations = 0;
  const tests = testsOf(given);
  for (const { name, program } of tests) {
    const { kind, why } = await runTest(program, join(given.folder, `${name}.stf`), given.includes);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    if (kind === "passed") expectations += Number.parseInt(why, 10);
    else console.log(`${name}: ${kind}\n    ${why.replaceAll("\n", "\n    ")}`);
  }
  const passed = counts.get("passed") ?? 0;
  console.log(`${passed} of ${tests.length} tests pass, with ${expectations} expectations`);
  if (BMV2 !== undefined) console.log(`${loadedKinds.size} kinds of parameters load into BMv2`);
  for (const [kind, count] of counts) if (kind !== "passed") console.log(`${count} ${kind}`);
  return passed === tests.length ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
