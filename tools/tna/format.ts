/**
 * Formats the programs of the public TNA corpus, with the files that they include, and compares what they compile to:
 *
 *     CORPUS=DIR npx tsx tools/tna/format.ts [TEXT]
 *
 * CORPUS holds `corpus.tsv` and the programs as `OWNER+NAME/PATH`; TEXT selects those whose name has it. Formatting twice
 * must give the same text as once. A program that is lowered must be lowered to the same program, and have the same P4Info,
 * before and after; places in the text do not count. Prints a line for each difference, then counts. Exit status 1 after a
 * difference. Without the folder it says so and ends.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../src/base/index.js";
import { format } from "../../src/toolchain/formatting/index.js";
import { compileInput } from "../../src/toolchain/loading/index.js";
import { build, type CompileInput } from "../../src/toolchain/p4/index.js";
import { writeP4InfoText } from "../../src/toolchain/program/index.js";
import {
  type Case,
  caseName,
  chipDefines,
  programFile,
  readCases,
  reasonToSkip,
  searchPath,
} from "./corpus.js";

const counts = {
  programs: 0,
  files: 0,
  changed: 0,
  refused: 0,
  lowered: 0,
  refusedByCompiler: 0,
  differences: 0,
};

/** The formatted files by path: a header that many programs include is formatted once. */
const formattedFiles = new Map<string, SourceFile>();

function differs(name: string, what: string): void {
  counts.differences++;
  console.log(`${name}: ${what}`);
}

/** A file of the corpus as the formatter writes it; itself, where the formatter takes no such text. */
function formatted(file: SourceFile): SourceFile {
  const known = formattedFiles.get(file.path);
  if (known !== undefined) return known;
  counts.files++;
  const diagnostics = new Diagnostics();
  const text = format(file, diagnostics);
  if (text === undefined) {
    counts.refused++;
    console.log(`not formatted: ${formatDiagnostic(diagnostics.list[0]!).split("\n")[0]}`);
  } else {
    if (text !== file.text) counts.changed++;
    if (format(new SourceFile(file.path, text), new Diagnostics()) !== text)
      differs(file.path, "a second time gives another text");
  }
  const result = text === undefined ? file : new SourceFile(file.path, text);
  formattedFiles.set(file.path, result);
  return result;
}

/**
 * Everything that a value reaches, as text: an object that was met before is its number. Source files and the places in them
 * are left out.
 */
function graphText(root: unknown): string {
  const numbers = new Map<object, number>();
  const parts: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) {
      parts.push(typeof value === "bigint" ? `${value}n` : String(JSON.stringify(value)));
      return;
    }
    if (value instanceof SourceFile) return;
    const number = numbers.get(value);
    if (number !== undefined) {
      parts.push(`#${number}`);
      return;
    }
    numbers.set(value, numbers.size);
    if ("file" in value && "start" in value && "end" in value) return;
    const entries =
      value instanceof Map
        ? [...value]
        : value instanceof Set
          ? [...value.keys()].entries()
          : Object.entries(value);
    parts.push(`${value.constructor?.name ?? ""}{`);
    for (const [key, part] of entries) {
      visit(key);
      parts.push(":");
      visit(part);
      parts.push(",");
    }
    parts.push("}");
  };
  visit(root);
  return parts.join("");
}

/** What a program is lowered to, with its P4Info; undefined with an error. */
function loweredText(input: CompileInput): string | undefined {
  const result = build(input, new Diagnostics());
  if (result === undefined) return undefined;
  const p4info = result.output === undefined ? "" : writeP4InfoText(result.output.program.p4info);
  return `${graphText(result.lowered)}\n${p4info}`;
}

function tryOne(corpus: string, one: Case): void {
  const name = caseName(one);
  const define = [...chipDefines(one.chip), ...one.defines];
  const input = compileInput({ path: programFile(corpus, one), include: searchPath(corpus, one), define });
  if (typeof input.file === "string") throw new Error("a program from a path is a file");
  counts.programs++;
  const after: CompileInput = {
    ...input,
    file: formatted(input.file),
    resolveInclude: (file, from, system) => {
      const found = input.resolveInclude?.(file, from, system);
      return found?.path.startsWith(resolve(corpus)) ? formatted(found) : found;
    },
  };
  const [left, right] = [loweredText(input), loweredText(after)];
  if (left === undefined) counts.refusedByCompiler++;
  else counts.lowered++;
  if (left === right) return;
  const [a, b] = [left ?? "refused", right ?? "refused"];
  let at = 0;
  while (a[at] === b[at]) at++;
  differs(name, `lowered to something else: ${a.slice(at - 80, at + 60)} -> ${b.slice(at - 80, at + 60)}`);
}

function main({ CORPUS: corpus = "" }: NodeJS.ProcessEnv, [text = ""]: readonly string[]): number {
  if (!existsSync(join(corpus, "corpus.tsv"))) {
    console.log("skipped: CORPUS names no folder with corpus.tsv and the programs");
    return 0;
  }
  const cases = readCases(resolve(corpus)).filter((one) => caseName(one).includes(text));
  for (const one of cases) if (reasonToSkip(resolve(corpus), one) === undefined) tryOne(resolve(corpus), one);
  console.log(JSON.stringify(counts));
  return counts.differences === 0 ? 0 : 1;
}

process.exitCode = main(process.env, process.argv.slice(2));
