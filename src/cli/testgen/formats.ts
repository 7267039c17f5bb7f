/** Generated tests as files. */
import { basename, join, resolve } from "node:path";
import { fail } from "../../base/index.js";
import type { OutputFile } from "../../toolchain/loading/index.js";
import { writeUpdates } from "../../toolchain/p4runtime/index.js";
import type { Program } from "../../toolchain/program/index.js";
import { type GeneratedTest, type PtfTest, ptfOf, updatesOf } from "../../toolchain/testgen/index.js";
import { CODES } from "../codes.js";

export type Format = "stf" | "ptf" | "entries" | "exercise";
const FORMATS: readonly string[] = ["stf", "ptf", "entries", "exercise"] satisfies Format[];

/** @throws DiagnosticError for a word that is no format */
export function formatsOf(list: string | undefined): Format[] {
  const words = (list ?? "stf").split(",").map((word) => word.trim());
  for (const word of words)
    if (!FORMATS.includes(word))
      fail(
        CODES.wrongValue,
        undefined,
        `--format ${list}: ${word || "an empty word"} is none of ${FORMATS.join(", ")}`,
      );
  return [...new Set(words)] as Format[];
}

export interface NamedTest {
  readonly name: string;
  /** The test as STF. */
  readonly text: string;
  readonly test: GeneratedTest;
}

/** The files of a folder, for a program at `path`. */
export async function filesOf(
  tests: readonly NamedTest[],
  formats: readonly Format[],
  { program, path, seed, out }: { program: Program; path: string; seed: number; out: string },
): Promise<OutputFile[]> {
  const files: OutputFile[] = [];
  const stem = basename(path).replace(/\.(p4|json)$/, "");
  if (formats.includes("stf") || formats.includes("exercise"))
    files.push(...tests.map(({ name, text }) => ({ path: join(out, `${name}.stf`), content: text })));
  if (formats.includes("ptf")) {
    const list: PtfTest[] = [];
    for (const { test } of tests) {
      const updates = await updatesOf(program, test.stimulus);
      list.push({
        test,
        request: updates.length === 0 ? "" : String(writeUpdates(program, updates, "json")),
      });
    }
    const title = `Packet tests of ${basename(path)}, made by p4loom testgen with seed ${seed}.`;
    // A module's name, as PTF imports it.
    const module = `test_${stem.replace(/\W/g, "_")}`;
    files.push({ path: join(out, `${module}.py`), content: ptfOf(list, title) });
  }
  if (formats.includes("entries"))
    for (const { name, test } of tests) {
      const content = String(writeUpdates(program, await updatesOf(program, test.stimulus), "text"));
      files.push({ path: join(out, `${name}.entries.txtpb`), content });
    }
  if (formats.includes("exercise"))
    files.push({ path: join(out, "tests.yaml"), content: exerciseOf(tests, path, seed, out) });
  return files;
}

/** The list `tests` of an exercise, a point each. The paths are those in the folder above `out`, which is that of the exercise. */
function exerciseOf(tests: readonly NamedTest[], path: string, seed: number, out: string): string {
  const folder = basename(resolve(out));
  const list = tests.flatMap(({ name, test }, i) => [
    `  - name: ${JSON.stringify(`${i + 1}: ${summaryOf(test)}`)}`,
    "    points: 1",
    `    stf: ${JSON.stringify(`${folder}/${name}.stf`)}`,
  ]);
  const title = `# Packet tests of ${basename(path)}, made by p4loom testgen with seed ${seed}.`;
  return [title, tests.length === 0 ? "tests: []" : "tests:", ...list, ""].join("\n");
}

/** What a student reads of a test. */
function summaryOf({ stimulus, expected }: GeneratedTest): string {
  const ports = [...new Set(expected.map(({ port }) => port))].sort((a, b) => a - b);
  const ends =
    ports.length === 0
      ? "does not leave"
      : `leaves by port${ports.length === 1 ? "" : "s"} ${ports.join(", ")}`;
  const { length } = stimulus.bytes;
  return `a packet of ${length} byte${length === 1 ? "" : "s"} on port ${stimulus.port} ${ends}`;
}
