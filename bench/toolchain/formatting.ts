/**
 * Tests the formatter on all programs of some folders: formatting twice must give the same text as once, and a program that
 * compiles must give the same BMv2 JSON and P4Info before and after, except for places in the source.
 *
 *     npx tsx bench/toolchain/formatting.ts FOLDER... [-I FOLDER]... [--only TEXT] [--no-compile]
 *
 * Prints a line for each file with an error, then counts. A file that the formatter rejects is an error only if it compiles. Exit
 * status 1 after an error.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../src/base/index.js";
import { format } from "../../src/toolchain/formatting/index.js";
import type { IncludeResolver } from "../../src/toolchain/p4/index.js";
import { compiledForm } from "../../test/toolchain/formatting/compiled-form.js";

interface Counts {
  files: number;
  unchanged: number;
  refused: number;
  compiled: number;
  wrong: number;
}

function resolver(folders: readonly string[]): IncludeResolver {
  return (name, from, system) => {
    for (const folder of [...(system ? [] : [dirname(from.path)]), ...folders]) {
      const path = join(folder, name);
      if (existsSync(path)) return new SourceFile(path, readFileSync(path, "utf8"));
    }
    return undefined;
  };
}

/** The errors of formatting one file. */
function problemsOf(
  file: SourceFile,
  resolveInclude: IncludeResolver,
  compiles: boolean,
  counts: Counts,
): string[] {
  const diagnostics = new Diagnostics();
  let formatted: string | undefined;
  try {
    formatted = format(file, diagnostics);
  } catch (error) {
    return [String(error)];
  }
  const before = compiles ? compiledForm(file, resolveInclude) : undefined;
  if (before !== undefined) counts.compiled++;
  if (formatted === undefined) {
    counts.refused++;
    return before === undefined ? [] : [`refused: ${formatDiagnostic(diagnostics.list[0]!)}`];
  }
  if (formatted === file.text) counts.unchanged++;
  const problems: string[] = [];
  const again = format(new SourceFile(file.path, formatted), new Diagnostics());
  if (again !== formatted)
    problems.push(`a second time gives another text: ${firstDifference(formatted, again ?? "")}`);
  const after =
    before === undefined ? undefined : compiledForm(new SourceFile(file.path, formatted), resolveInclude);
  if (before !== undefined && after !== before)
    problems.push(`compiles to something else: ${change(before, after ?? "")}`);
  return problems;
}

/** The first difference of two long lines. */
function change(before: string, after: string): string {
  let at = 0;
  while (before[at] === after[at]) at++;
  return [before, after].map((text) => text.slice(Math.max(0, at - 30), at + 30)).join(" -> ");
}

function firstDifference(a: string, b: string): string {
  const [left, right] = [a.split("\n"), b.split("\n")];
  const line = left.findIndex((text, index) => text !== right[index]);
  return `line ${line + 1}: ${JSON.stringify(left[line])} ${JSON.stringify(right[line])}`;
}

function main(argv: string[]): number {
  const folders: string[] = [];
  const includes: string[] = [];
  let only = "";
  let compiles = true;
  for (let i = 0; i < argv.length; i++) {
    if (argv[i] === "-I") includes.push(argv[++i]!);
    else if (argv[i] === "--only") only = argv[++i]!;
    else if (argv[i] === "--no-compile") compiles = false;
    else folders.push(argv[i]!);
  }
  const counts: Counts = { files: 0, unchanged: 0, refused: 0, compiled: 0, wrong: 0 };
  for (const folder of folders)
    for (const name of (readdirSync(folder, { recursive: true }) as string[]).sort()) {
      if (!name.endsWith(".p4") || !name.includes(only) || name.includes("node_modules")) continue;
      const path = join(folder, name);
      const file = new SourceFile(path, readFileSync(path, "utf8"));
      counts.files++;
      for (const problem of problemsOf(file, resolver(includes), compiles, counts)) {
        counts.wrong++;
        console.log(`${path}: ${problem}`);
      }
    }
  console.log(JSON.stringify(counts));
  return counts.wrong === 0 ? 0 : 1;
}

process.exitCode = main(process.argv.slice(2));
