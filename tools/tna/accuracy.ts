/**
 * Judges the programs of the public TNA corpus and compares with what the open Tofino compiler did:
 *
 *     CORPUS=DIR RIVAL=DIR npx tsx tools/tna/accuracy.ts
 *
 * CORPUS holds `corpus.tsv` and the programs as `OWNER+NAME/PATH`, RIVAL holds `results.json`. Verdicts go to
 * `CORPUS/verdicts.jsonl`, a line each; a second run judges only what has no line of the present compiler (`FRESH=1`: all).
 * At the end it writes docs/tna/accuracy.md. Without a folder it says so and ends.
 */
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { type Case, caseName, readCases, reasonToSkip } from "./corpus.js";
import { judge, type Verdict } from "./judge.js";
import { accuracyPage, type Judged } from "./page.js";
import { Rival } from "./rival.js";

const root = resolve(import.meta.dirname, "../..");

/** Changes with every source of the compiler. */
function compilerVersion(): string {
  const hash = createHash("sha256");
  for (const folder of ["src/toolchain/p4", "src/base", "p4"])
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).sort())
      if (/\.(ts|p4)$/.test(name)) hash.update(name).update(readFileSync(join(root, folder, name)));
  return hash.digest("hex").slice(0, 16);
}

interface Line {
  compiler: string;
  name: string;
  normal: Verdict;
  strict: Verdict;
}

function storedLines(path: string, compiler: string): Map<string, Line> {
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  const read = lines.filter((line) => line.endsWith("}")).map((line) => JSON.parse(line) as Line);
  return new Map(read.filter((line) => line.compiler === compiler).map((line) => [line.name, line]));
}

function main({ CORPUS: corpus = "", RIVAL: rivalFolder = "" }: NodeJS.ProcessEnv): void {
  if (!existsSync(join(corpus, "corpus.tsv"))) {
    console.log("skipped: CORPUS names no folder with corpus.tsv and the programs");
    return;
  }
  if (!existsSync(join(rivalFolder, "results.json"))) {
    console.log("skipped: RIVAL names no folder with results.json");
    return;
  }
  const rival = new Rival(rivalFolder);
  const compiler = compilerVersion();
  const path = join(corpus, "verdicts.jsonl");
  if (process.env["FRESH"] === "1") rmSync(path, { force: true });
  const stored = storedLines(path, compiler);
  const cases = readCases(corpus);
  const judged: Judged[] = [];
  for (const [index, one] of cases.entries()) {
    const name = caseName(one);
    const theirs = rival.of(one);
    const skipped = reasonToSkip(corpus, one);
    if (skipped !== undefined) {
      judged.push({ one, theirs, skipped });
      continue;
    }
    const line = stored.get(name) ?? { compiler, name, ...verdicts(corpus, one, theirs?.withoutFolder) };
    if (!stored.has(name)) appendFileSync(path, `${JSON.stringify(line)}\n`);
    judged.push({ one, theirs, normal: line.normal, strict: line.strict });
    if ((index + 1) % 100 === 0) console.log(`${index + 1} of ${cases.length}`);
  }
  mkdirSync(join(root, "docs/tna"), { recursive: true });
  writeFileSync(join(root, "docs/tna/accuracy.md"), accuracyPage(judged));
}

/** Strictly again only where a note says that there is a difference. */
function verdicts(corpus: string, one: Case, withoutFolder: string | undefined) {
  const settings = {
    ...one,
    includeFolders: one.includeFolders.filter((folder) => folder !== withoutFolder),
  };
  const normal = judge(corpus, settings, false);
  const lenient = ["P40614", "P40615", "P40620"].some((code) => normal.remarks[code] !== undefined);
  return { normal, strict: lenient ? judge(corpus, settings, true) : normal };
}

main(process.env);
