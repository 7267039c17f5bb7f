/**
 * Records what a compiler with a Tofino back end does with public programs, in the form of the records of the listed designs: tables by stage,
 * resources by stage, containers.
 *
 *     CORPUS=DIR OUTSIDE=DIR COMPILER="COMMAND {file} --target {target} --arch {arch} -o {output}" npx tsx tools/tna/record.ts [NAME ...]
 *
 * The command has `-g` and the log levels `table_summary:3` and `allocate_phv:1`. Without names, the programs are those of `outsideCases`; with
 * names, all of the list whose name contains one. Each is stopped after 10 minutes of processor time. The compiler's output goes to `OUTSIDE/logs`, the records to
 * `OUTSIDE/results.json`; a second run compiles only what has no output. `FRESH=1` compiles all again.
 */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { compile } from "./compiler.js";
import { type Case, caseName, programFile, readCases, reasonToSkip, searchPath } from "./corpus.js";
import { outsideCases, type Rival } from "./outside.js";
import { type Ended, recordOf } from "./recorded.js";

const SECONDS = 600;

/** The folder by a name that the compiler's preprocessor takes: it parts paths at blanks. */
function withoutBlanks(outside: string, folder: string): string {
  if (!folder.includes(" ")) return folder;
  const link = join(outside, "links", folder.replaceAll(/[ /]/g, "_"));
  mkdirSync(dirname(link), { recursive: true });
  if (!existsSync(link)) symlinkSync(folder, link);
  return link;
}

async function ended(
  { corpus, outside, command }: Record<"corpus" | "outside" | "command", string>,
  one: Case,
  output: string,
): Promise<Ended> {
  const file = join(output, "ended.json");
  if (process.env["FRESH"] === undefined && existsSync(file)) return JSON.parse(readFileSync(file, "utf8"));
  const main = resolve(programFile(corpus, one));
  const result = await compile(command, one, {
    main: join(withoutBlanks(outside, dirname(main)), basename(main)),
    include: searchPath(corpus, one).map((folder) => withoutBlanks(outside, resolve(folder))),
    ...{ output, seconds: SECONDS },
  });
  writeFileSync(file, JSON.stringify(result));
  return result;
}

const { CORPUS: corpus, OUTSIDE: folder, COMPILER: command } = process.env;
if (
  corpus === undefined ||
  folder === undefined ||
  command === undefined ||
  !existsSync(join(corpus, "corpus.tsv"))
)
  console.error("record: skipped; CORPUS names no folder with corpus.tsv, or OUTSIDE or COMPILER is not set");
else {
  const outside = resolve(folder);
  const names = process.argv.slice(2);
  const all = readCases(corpus);
  const chosen =
    names.length === 0
      ? outsideCases(all)
      : all.filter((one) => names.some((part) => caseName(one).includes(part)));
  const outputOf = (one: Case) => join(outside, "logs", caseName(one).replaceAll(/[ /]/g, "_"));
  const known = (one: Case) => (existsSync(join(outputOf(one), "ended.json")) ? 0 : 1);
  const records: Rival[] = [];
  // What has output comes first, so that the records are soon complete again.
  for (const one of chosen.sort((a, b) => known(a) - known(b))) {
    if (reasonToSkip(corpus, one) !== undefined) continue;
    const output = outputOf(one);
    const record = recordOf(one, output, await ended({ corpus, outside, command }, one, output));
    records.push(record);
    console.log(caseName(one), record.result, record.stages?.total ?? record.error ?? "");
    writeFileSync(join(outside, "results.json"), `${JSON.stringify(records)}\n`);
  }
}
