/**
 * Times `p4loom fit` of public TNA designs beside a compiler with a Tofino back end, each in a process of its own, one after the other.
 *
 *     CORPUS=DIR RIVAL="COMMAND {file} --target {target} --arch {arch} -o {output}" [DESIGNS=N] npx tsx tools/tna/times.ts
 *
 * Takes N designs (20) that are spread evenly over the list. A line a design has the seconds of both from start to end and the largest memory
 * of `fit`; the last line has the medians, the largest of each, and the median of the ratios. Needs `npm run build`.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { ask } from "./compiler.js";
import {
  type Case,
  caseName,
  chipDefines,
  programFile,
  readCases,
  reasonToSkip,
  searchPath,
} from "./corpus.js";
import { partsOf, summaryOf, type TimesRow } from "./times-rows.js";

const DESIGNS = 20;
const COMMAND = join(import.meta.dirname, "../../bin/p4loom.cjs");
/** Tells the largest memory of a process at its end, in kB. */
const TELL_MEMORY =
  '--import=data:text/javascript,process.on("exit",()=>console.error("maxrss",process.resourceUsage().maxRSS))';

/** `fit` as a user starts it: seconds from start to end, and megabytes. */
function timeOfFit(corpus: string, one: Case): { seconds: number; megabytes: number } {
  const options = [
    ...[...chipDefines(one.chip), ...one.defines].map((name) => `-D${name}`),
    ...searchPath(corpus, one).map((folder) => `-I${folder}`),
  ];
  const start = performance.now();
  const { stderr, status } = spawnSync(
    process.execPath,
    [TELL_MEMORY, COMMAND, "fit", programFile(corpus, one), "--target", one.chip, ...options],
    { encoding: "utf8", maxBuffer: 1e8 },
  );
  const seconds = (performance.now() - start) / 1000;
  // 1: it does not fit. A time of an end before the verdict would be no time of fit.
  if (status !== 0 && status !== 1)
    throw new Error(`fit of ${caseName(one)} ended with ${status}: ${stderr}`);
  const [, kilobytes = "0"] = /maxrss (\d+)/.exec(stderr) ?? [];
  return { seconds, megabytes: Number(kilobytes) / 1000 };
}

/** The compiler on a copy of the repository: it writes beside the program. */
async function timeOfCompiler(command: string, corpus: string, one: Case) {
  const root = join(corpus, one.repo.replace("/", "+"));
  const folder = mkdtempSync(join(tmpdir(), "p4loom-times-"));
  try {
    cpSync(root, folder, { recursive: true, dereference: true });
    const moved = (path: string) => join(folder, relative(root, path));
    const include = searchPath(corpus, one).map(moved);
    return await ask(command, one, { main: moved(programFile(corpus, one)), include });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const { CORPUS: corpus, RIVAL: command } = process.env;
if (corpus === undefined || command === undefined || !existsSync(join(corpus, "corpus.tsv")))
  console.error("times: skipped; CORPUS names no folder with corpus.tsv, or RIVAL no compiler");
else {
  const all = readCases(corpus).filter(
    (one) =>
      one.class === "design" && one.duplicateOf === undefined && reasonToSkip(corpus, one) === undefined,
  );
  const wanted = Number(process.env["DESIGNS"] ?? DESIGNS);
  const rows: TimesRow[] = [];
  // A design that the compiler does not place gives its turn to the next one.
  for (const part of partsOf(all, wanted))
    for (const one of part) {
      const theirs = await timeOfCompiler(command, corpus, one);
      if (theirs.said !== "placed") continue;
      const { seconds, megabytes } = timeOfFit(corpus, one);
      rows.push({ ours: seconds, theirs: theirs.seconds, megabytes });
      const text = `fit ${seconds.toFixed(2)} s, ${megabytes.toFixed(0)} MB; compiler ${theirs.seconds} s`;
      console.log(`${caseName(one)}: ${text}`);
      break;
    }
  console.log(summaryOf(rows));
}
