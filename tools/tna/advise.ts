/**
 * Tries `p4loom fit --advise` on designs that `fit` refuses for containers or for placement, and counts for how many it finds a change.
 *
 *     CORPUS=DIR [GROWN=DIR] npx tsx tools/tna/advise.ts [NAME ...]
 *
 * Designs are the listed ones of CORPUS and what `grow.ts` wrote to `GROWN/NAME/refused`. A change is compared by 256 packets with random
 * entries on the embedded switch (`equal` compares v1model programs only). A line a design goes to standard output; a design that fits, or whose
 * operations are refused, has none.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DiagnosticError, Diagnostics, SourceFile } from "../../src/base/index.js";
import { loadTarget } from "../../src/cli/targets.js";
import { advise, compareByPackets } from "../../src/toolchain/advice/index.js";
import { onePipe, pipesOf } from "../../src/toolchain/fit/index.js";
import { compileInput } from "../../src/toolchain/loading/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import { type Case, caseName, chipDefines, programFile, readCases, searchPath } from "./corpus.js";

const PACKETS = 256;
const SEED = 1;

interface Source {
  readonly name: string;
  readonly one: Case;
  readonly path: string;
  readonly include: string[];
}

/** The listed designs, and the grown ones that `fit` refused. */
function* sourcesOf(corpus: string, grown: string | undefined): Iterable<Source> {
  for (const one of readCases(corpus).filter(({ class: kind }) => kind === "design")) {
    const path = programFile(corpus, one);
    const include = searchPath(corpus, one);
    yield { name: caseName(one), one, path, include };
    if (grown === undefined) continue;
    const root = join(corpus, one.repo.replace("/", "+"));
    for (const kind of ["table", "fields"]) {
      const folder = join(grown, `${caseName(one)}-${kind}`.replaceAll("/", "_"), "refused");
      if (!existsSync(folder) || readdirSync(folder).length === 0) continue;
      const moved = (file: string) => file.replace(root, folder);
      yield {
        name: `${caseName(one)} grown by ${kind}`,
        one,
        path: moved(path),
        include: include.map(moved),
      };
    }
  }
}

/** What a trial gave; undefined for a design that fits, that does not compile, or whose operations are refused. */
function tried({
  name,
  one,
  path,
  include,
}: Source): { name: string; changes: readonly string[]; [key: string]: unknown } | undefined {
  const { file, ...options } = compileInput({
    path,
    include,
    define: [...chipDefines(one.chip), ...one.defines],
  });
  const diagnostics = new Diagnostics();
  const program = compile({ ...options, file, form: "hardware" }, diagnostics)?.program;
  if (program === undefined) return undefined;
  const pipe = pipesOf(program)[0];
  const target = loadTarget(one.chip);
  const own = new SourceFile(path, readFileSync(path, "utf8"));
  const advised = advise({
    file: own,
    options,
    target,
    pipeOf: (made) => (pipe === undefined ? made : onePipe(made, pipe)),
    mayShrink: false,
  });
  const { before, after, changes } = advised;
  if (before.verdict === "placed" || before.verdict === "refused") return undefined;
  const tried = Object.fromEntries(advised.tried);
  const line = {
    name,
    before: before.verdict,
    stages: before.stages,
    after: after.verdict,
    afterStages: after.stages,
    changes,
    tried,
  };
  if (changes.length === 0) return line;
  const runs = (source: SourceFile) => {
    const found = new Diagnostics();
    const made = compile({ ...options, file: source, form: "switch" }, found);
    found.throwIfErrors();
    return made!.program;
  };
  const asGiven = runs(own);
  const compared = [advised.file, advised.withOtherValues ?? []]
    .flat()
    .map((file) => compareByPackets(asGiven, runs(file), { packets: PACKETS, seed: SEED }));
  const { packets, sent, entries, reached, points, tables, tablesHit } = compared[0]!;
  const difference = compared.flatMap((one) => one.difference ?? [])[0] ?? "";
  return { ...line, packets, sent, entries, reached, points, tables, tablesHit, difference };
}

const { CORPUS: corpus, GROWN: grown } = process.env;
if (corpus === undefined || !existsSync(join(corpus, "corpus.tsv"))) {
  console.error("advise: skipped; CORPUS names no folder with corpus.tsv");
} else {
  const names = process.argv.slice(2);
  let [all, helped] = [0, 0];
  for (const source of sourcesOf(corpus, grown)) {
    if (names.length > 0 && !names.some((part) => source.name.includes(part))) continue;
    try {
      const line = tried(source);
      if (line === undefined) continue;
      all++;
      if (line["after"] === "placed" && line["difference"] === "") helped++;
      console.log(JSON.stringify(line));
    } catch (error) {
      // A design that does not compile has no advice: docs/tna/accuracy.md has the reasons.
      if (!(error instanceof DiagnosticError)) throw error;
    }
  }
  console.log(`${helped} of ${all} designs that fit refuses fit after the advice`);
}
