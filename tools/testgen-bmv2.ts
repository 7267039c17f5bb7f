/**
 * Plays what `p4loom testgen` makes of the project's v1model programs on BMv2, a fresh switch for each test:
 *
 *     P4LOOM_BMV2=/path/of/simple_switch_grpc [MOST=24] npx tsx tools/testgen-bmv2.ts [TEXT ...]
 *
 * Programs: those of p4/, the solutions of the course, and the recorded ones of test/golden; each TEXT keeps those whose path has it. A line a
 * program says how many tests BMv2 confirms; a test that it contradicts is printed whole, with what differs. At the end it prints the table of
 * docs/testgen.md. Ends with status 1 where a test is contradicted.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { type Diagnostic, DiagnosticError, Diagnostics, formatDiagnostic } from "../src/base/index.js";
import { loadProgram } from "../src/toolchain/loading/index.js";
import { BMV2, NO_BMV2 } from "../test/parity/bmv2.js";
import { type OnBmv2, playGenerated } from "../test/parity/generated-tests.js";

const SEED = 1;
const root = resolve(import.meta.dirname, "..");

const SETS: readonly (readonly [name: string, folder: string, includes: (path: string) => boolean])[] = [
  ["programs of p4/", "p4", () => true],
  ["solutions of the course", "examples/course", (path) => path.includes("/solution/")],
  ["recorded programs", "test/golden", (path) => !path.includes("/fit/")],
];

interface Sum {
  programs: number;
  tests: number;
  wrong: number;
}

/** P4 programs for v1model below a folder. */
function programsIn(folder: string, includes: (path: string) => boolean): string[] {
  return (readdirSync(join(root, folder), { recursive: true }) as string[])
    .map((name) => join(root, folder, name))
    .filter((path) => path.endsWith(".p4") && includes(path))
    .filter((path) => /^#include <v1model.p4>/m.test(readFileSync(path, "utf8")))
    .sort();
}

/** Warnings may stand before it. */
function firstError({ diagnostics }: DiagnosticError): Diagnostic {
  return diagnostics.find(({ severity }) => severity === "error") ?? diagnostics[0]!;
}

/** Undefined where the program does not compile, or its tests cannot be made: the reason is printed. */
async function play(path: string, most: number): Promise<OnBmv2 | undefined> {
  try {
    const { program } = await loadProgram({ path, include: [], define: [] }, new Diagnostics(), "ignore");
    return await playGenerated(program, SEED, most);
  } catch (error) {
    const text = error instanceof DiagnosticError ? formatDiagnostic(firstError(error)) : String(error);
    console.log(`${relative(root, path)}: ${text.split("\n")[0]}`);
    return undefined;
  }
}

if (BMV2 === undefined) console.log(NO_BMV2);
else {
  const texts = process.argv.slice(2);
  const most = Number(process.env["MOST"] ?? 24);
  const sums = new Map<string, Sum>();
  for (const [name, folder, includes] of SETS) {
    const sum: Sum = { programs: 0, tests: 0, wrong: 0 };
    sums.set(name, sum);
    for (const path of programsIn(folder, includes)) {
      if (texts.length > 0 && !texts.some((text) => path.includes(text))) continue;
      const found = await play(path, most);
      if (found === undefined) continue;
      const { played, left, wrong } = found;
      sum.programs++;
      sum.tests += played;
      sum.wrong += wrong.length;
      console.log(
        `${relative(root, path)}: ${played - wrong.length} of ${played}${left === 0 ? "" : `, ${left} by other ports or with value sets not played`}`,
      );
      for (const lines of wrong) console.log(lines.join("\n"));
    }
  }
  console.log("| programs | number | tests | contradicted by BMv2 |\n|---|---:|---:|---:|");
  for (const [name, { programs, tests, wrong }] of sums)
    console.log(`| ${name} | ${programs} | ${tests} | ${wrong} |`);
  process.exitCode = [...sums.values()].some(({ wrong }) => wrong > 0) ? 1 : 0;
}
