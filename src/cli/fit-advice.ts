/** `p4loom fit --advise`: the program with changes that make it fit, what they are, and whether packets see a difference. */
import { Diagnostics, fail } from "../base/index.js";
import { type Advised, advise, compareByPackets, type Meaning } from "../toolchain/advice/index.js";
import { type Comparison, comparePrograms } from "../toolchain/equal/index.js";
import { type Target, verdictLine } from "../toolchain/fit/index.js";
import { compileInput, type ProgramFiles, writeFiles } from "../toolchain/loading/index.js";
import { type CompileInput, compile } from "../toolchain/p4/index.js";
import { type Program, portableOf } from "../toolchain/program/index.js";
import { CODES } from "./codes.js";
import { EXIT } from "./outcome.js";

interface Question {
  readonly files: ProgramFiles;
  readonly target: Target;
  readonly pipeOf: (program: Program) => Program;
  /** A file, or `-` for standard output. */
  readonly output: string;
  readonly mayShrink: boolean;
}

const PACKETS = 256;
const SEED = 1;
/** Of a comparison by paths: it ends after so many, whatever the machine. */
const MAX_PATHS = 400;

/** Exit status 0 when the program that is written is placed and no difference was found. */
export async function adviseProgram({ files, output, ...question }: Question): Promise<number> {
  if (!files.path.endsWith(".p4"))
    fail(
      CODES.wrongValue,
      undefined,
      `--advise: ${files.path} is no P4 source`,
      "name the program's .p4 file",
    );
  const { file, ...options } = compileInput(files);
  const portable = portableOf(runs(file, options).bmv2);
  if (portable !== undefined)
    fail(
      CODES.notSymbolic,
      undefined,
      `${files.path} is for ${portable}: --advise changes programs for v1model and Tofino`,
      "change it by hand, and compare both programs by a packet test (p4loom stf)",
    );
  const advised = advise({ file, options, ...question });
  const lines = linesOf(advised);
  const { changes, after } = advised;
  let isSame = true;
  if (changes.length > 0) {
    const [old, changed] = [runs(file, options), runs(advised.file, options)];
    const compared = { packets: PACKETS, seed: SEED };
    const meaning = compareByPackets(old, changed, compared);
    lines.push(meaningLine(meaning));
    isSame = meaning.difference === undefined;
    const comparison = isSame ? await comparedByPaths(old, changed) : undefined;
    if (comparison !== undefined) lines.push(comparisonLine(comparison));
    isSame &&= comparison?.verdict !== "different";
    if (!isSame) lines.push("nothing is written");
    else if (output !== "-") writeFiles([{ path: output, content: advised.file.text }]);
    else process.stdout.write(advised.file.text);
  }
  (output === "-" ? process.stderr : process.stdout).write(`${lines.join("\n")}\n`);
  return isSame && after.verdict === "placed" ? EXIT.success : EXIT.wrongInput;
}

function runs(file: CompileInput["file"], options: Omit<CompileInput, "file" | "form">): Program {
  const diagnostics = new Diagnostics();
  const made = compile({ ...options, file, form: "switch" }, diagnostics);
  diagnostics.throwIfErrors();
  return made!.program;
}

async function comparedByPaths(a: Program, b: Program): Promise<Comparison | undefined> {
  if (a.bmv2.architecture !== undefined) return undefined;
  let paths = 0;
  return comparePrograms(a, b, { seed: SEED, entries: "same", goesOn: () => ++paths <= MAX_PATHS });
}

function linesOf({ before, after, changes, tried }: Advised): string[] {
  if (before.verdict === "placed") return [`${verdictLine(before)}; nothing is changed`];
  const kinds = [...tried].map(([kind, count]) => `${count} of ${kind}`);
  const without = kinds.length === 0 ? [] : [`tried without effect: ${kinds.join(", ")}`];
  if (changes.length === 0)
    return [
      verdictLine(before),
      kinds.length === 0
        ? "none of the changes that --advise makes applies"
        : "no change that was tried helps",
      ...without,
    ];
  const list = changes.map((words) => `  ${words}`);
  return [`before: ${verdictLine(before)}`, "changes:", ...list, `after: ${verdictLine(after)}`, ...without];
}

function meaningLine({ packets, sent, entries, difference, ...counts }: Meaning): string {
  const { reached, points, tables, tablesHit } = counts;
  const with_ = `${packets} packets, of which ${sent} were sent on, ${entries} entries, ${tablesHit} of ${tables} tables hit, ${reached} of ${points} places of the program reached`;
  return difference === undefined
    ? `same behaviour: ${with_}`
    : `other behaviour after ${with_}: ${difference}`;
}

function comparisonLine({ verdict, pairs }: Comparison): string {
  if (verdict === "different") return "other behaviour: equal found a packet with which the programs differ";
  const what = verdict === "equal" ? "are equal" : "no difference found, not all paths compared";
  return `equal: ${what} (${pairs} pairs of paths)`;
}
