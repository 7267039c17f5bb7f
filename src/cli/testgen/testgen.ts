/** `p4loom testgen`: packet tests that are made from a program. */
import { basename } from "node:path";
import { claim, Diagnostics, fail, formatDiagnostic, given, SourceFile } from "../../base/index.js";
import { coverageText } from "../../toolchain/coverage/index.js";
import { loadProgram, type OutputFile, withProject, writeFiles } from "../../toolchain/loading/index.js";
import { type Program, portableOf } from "../../toolchain/program/index.js";
import { readStf, runStf } from "../../toolchain/stf/index.js";
import { type Generated, generateTests, stfOf } from "../../toolchain/testgen/index.js";
import { CODES } from "../codes.js";
import { EXIT, printDiagnostics } from "../outcome.js";
import { wholeNumberOr } from "../trace/trace-options.js";
import { filesOf, formatsOf } from "./formats.js";
import { junitOf } from "./junit.js";
import type { TestgenArguments } from "./testgen-options.js";

/** Exit status 0 when everything is reached or proven to be out of reach, 3 when something is neither. */
export async function testgen(path: string, options: TestgenArguments): Promise<number> {
  const limits = limitsOf(options);
  const formats = formatsOf(options.format);
  const diagnostics = new Diagnostics();
  const { I: include, D: define, U: undefine, p4info, out, junit } = options;
  const files = { path, include, define, undefine, ...given({ p4info }) };
  const { program } = await loadProgram(await withProject(files), diagnostics, "error");
  const other = portableOf(program.bmv2);
  if (other !== undefined)
    fail(
      CODES.notSymbolic,
      undefined,
      `${path} is for ${other}: tests are made of programs for v1model, tna and t2na`,
      "p4loom coverage shows what your own tests reach of it",
    );
  const started = performance.now();
  const hasTime = () => performance.now() - started < 1000 * limits.seconds;
  let paths = 0;
  const generated = await generateTests(program, {
    ...limits,
    allPaths: options.allPaths === true,
    goesOn: () => ++paths <= limits.maxPaths && hasTime(),
    hasTime,
    ...given({ progress: progressOf() }),
  });
  const name = basename(path).replace(/\.(p4|json)$/, "");
  const tests = generated.tests.map((test, i) => ({
    name: `${name}-${i + 1}`,
    text: stfOf(test, `${basename(path)}, seed ${limits.seed}, test ${i + 1}`),
    test,
  }));
  for (const test of tests) await check(test, program);
  const outputs: OutputFile[] =
    out === undefined ? [] : await filesOf(tests, formats, { program, path, seed: limits.seed, out });
  if (junit !== undefined) outputs.push({ path: junit, content: junitOf(path, tests, generated) });
  writeFiles(outputs);
  printDiagnostics(diagnostics.list, options.jsonDiagnostics);
  process.stdout.write(`${options.json ? jsonOf(path, tests, generated) : textOf(path, generated)}\n`);
  return generated.isComplete || isCovered(generated) ? EXIT.success : EXIT.bounded;
}

interface Limits {
  readonly seed: number;
  readonly maxTests: number;
  readonly maxPaths: number;
  readonly seconds: number;
}

function limitsOf({ seed, maxTests, maxPaths, time }: TestgenArguments): Limits {
  return {
    seed: wholeNumberOr("--seed", seed, 1, 0xffff_ffff),
    maxTests: wholeNumberOr("--max-tests", maxTests, 1000, 100_000),
    maxPaths: wholeNumberOr("--max-paths", maxPaths, 2000, 10_000_000),
    seconds: wholeNumberOr("--time", time, 30, 86_400),
  };
}

/** On a terminal alone. */
function progressOf(): ((tests: number) => void) | undefined {
  if (!process.stderr.isTTY) return undefined;
  return (tests) => process.stderr.write(`\r${tests} test${tests === 1 ? "" : "s"}\u001b[K\r`);
}

/** A test that does not hold on the switch that made it is a fault of ours. */
async function check({ name, text }: { name: string; text: string }, program: Program): Promise<void> {
  const found = new Diagnostics();
  await runStf(readStf(new SourceFile(`${name}.stf`, text), found), program, found);
  if (found.hasErrors)
    throw new Error(`the generated test ${name} fails: ${found.list.map(formatDiagnostic).join("; ")}`);
}

function isCovered({ coverage }: Generated): boolean {
  return coverage.items.every(({ hits }) => hits > 0);
}

/** Why the tests are no more. */
function endOf(generated: Generated): string[] {
  const { end, paths, unhandled, untested, isComplete } = generated;
  if (isCovered(generated)) return [];
  if (isComplete) return [claim("outOfReach", { paths })];
  const lines: string[] = [];
  if (end === "time")
    lines.push("the time or the number of paths ended before all paths were followed (--time, --max-paths)");
  if (end === "tests") lines.push("the number of tests ended before all paths were followed (--max-tests)");
  if (end === "memory") lines.push("the conditions of the paths take more memory than the solver has");
  for (const [what, count] of unhandled)
    lines.push(`not followed on ${count} path${count === 1 ? "" : "s"}: ${what}`);
  if (untested > 0)
    lines.push(
      `${untested} path${untested === 1 ? "" : "s"} without a test: decided by time, chance or a hash`,
    );
  return lines;
}

function textOf(path: string, generated: Generated): string {
  const { tests, paths, coverage } = generated;
  const counts = `${path}: ${tests.length} test${tests.length === 1 ? "" : "s"} of ${paths} path${paths === 1 ? "" : "s"}`;
  return [counts, coverageText(coverage), ...endOf(generated).map((line) => `  ${line}`)].join("\n");
}

function jsonOf(
  path: string,
  tests: readonly { name: string; text: string }[],
  generated: Generated,
): string {
  const { paths, coverage, isComplete, unhandled, untested, end } = generated;
  return JSON.stringify({
    program: path,
    tests: tests.map(({ name, text }) => ({ name, text })),
    paths,
    end,
    isComplete,
    untested,
    unhandled: Object.fromEntries(unhandled),
    ...coverage,
  });
}
