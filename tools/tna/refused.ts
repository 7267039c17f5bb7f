/**
 * What `p4loom fit` says of the listed designs that the open compiler's back end refused, or placed in more stages than the chip has, and what
 * `--advise` makes of them.
 *
 *     CORPUS=DIR RIVAL=DIR [OUTPUT=FILE] npx tsx tools/tna/refused.ts [NAME ...]
 *
 * RIVAL has `results.json` and `adapted.json`, one record a design and chip; internal errors of that compiler are left out. A line a design
 * goes to standard output and to OUTPUT, from which growth-page.ts makes a table.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DiagnosticError, Diagnostics, SourceFile } from "../../src/base/index.js";
import { loadTarget } from "../../src/cli/targets.js";
import { advise, compareByPackets } from "../../src/toolchain/advice/index.js";
import { fitProgram, onePipe, pipesOf } from "../../src/toolchain/fit/index.js";
import { compileInput } from "../../src/toolchain/loading/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import type { Program } from "../../src/toolchain/program/index.js";
import { type Case, caseName, chipDefines, programFile, readCases, searchPath } from "./corpus.js";
import type { RefusedLine } from "./growth-page.js";
import { compilerResource, fitResource } from "./resources.js";

interface Refusal {
  readonly repo: string;
  readonly path: string;
  readonly target: string;
  readonly phase?: string;
  readonly error?: string;
  readonly exceeds_device_stages?: boolean;
  readonly stages?: { readonly total: number };
}

const PACKETS = 256;
const SEED = 1;

/** Refusals of the back end and placements beyond the chip. */
function refusalsIn(rival: string): Refusal[] {
  const all = ["results.json", "adapted.json"].flatMap(
    (name) => JSON.parse(readFileSync(join(rival, name), "utf8")) as Refusal[],
  );
  return all.filter(
    ({ phase, error = "", exceeds_device_stages }) =>
      (phase === "backend" && !error.startsWith("Compiler Bug")) || exceeds_device_stages === true,
  );
}

function line(folder: string, one: Case, refusal: Refusal): RefusedLine {
  const path = programFile(folder, one);
  const name = caseName(one);
  const start = { name, compiler: compilerResource(refusal.error ?? "") };
  const { file, ...options } = compileInput({
    path,
    include: searchPath(folder, one),
    define: [...chipDefines(one.chip), ...one.defines],
  });
  const own = new SourceFile(path, file.text);
  const found = new Diagnostics();
  const program = compile({ ...options, file: own, form: "hardware" }, found)?.program;
  if (program === undefined || found.hasErrors) {
    const [first] = found.list.filter(({ severity }) => severity === "error");
    return { ...start, verdict: "does not compile", stages: 0, ours: first?.code ?? "" };
  }
  const target = loadTarget(one.chip);
  const results = pipesOf(program).map((pipe) => [pipe, fitProgram(onePipe(program, pipe), target)] as const);
  const [pipe, result] = results.find(([, { verdict }]) => verdict !== "placed") ?? results[0]!;
  const said = { ...start, verdict: result.verdict, stages: result.stages, ours: fitResource(result) };
  if (result.verdict === "placed") return said;
  const pipeOf = (made: Program) => onePipe(made, pipe);
  const advised = advise({ file: own, options, target, pipeOf, mayShrink: false });
  const { after, changes } = advised;
  const runs = (source: SourceFile) => {
    const diagnostics = new Diagnostics();
    const made = compile({ ...options, file: source, form: "switch" }, diagnostics);
    diagnostics.throwIfErrors();
    return made!.program;
  };
  const meaning =
    changes.length === 0
      ? undefined
      : compareByPackets(runs(own), runs(advised.file), { packets: PACKETS, seed: SEED });
  const packets =
    meaning === undefined ? {} : { packets: meaning.packets, difference: meaning.difference ?? "" };
  return { ...said, after: after.verdict, afterStages: after.stages, changes, ...packets };
}

const { CORPUS: corpus, RIVAL: rival, OUTPUT: output } = process.env;
if (corpus === undefined || rival === undefined || !existsSync(join(corpus, "corpus.tsv")))
  console.error("refused: skipped; CORPUS names no folder with corpus.tsv, or RIVAL none with results");
else {
  const names = process.argv.slice(2);
  const refusals = refusalsIn(rival);
  for (const one of readCases(corpus).filter(({ class: kind }) => kind === "design")) {
    if (names.length > 0 && !names.some((part) => caseName(one).includes(part))) continue;
    const refusal = refusals.find(
      ({ repo, path, target }) => repo === one.repo && path === one.path && target === one.chip,
    );
    if (refusal === undefined || one.variant !== "") continue;
    try {
      const text = JSON.stringify(line(corpus, one, refusal));
      console.log(text);
      if (output !== undefined) appendFileSync(output, `${text}\n`);
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
      console.log(JSON.stringify({ name: caseName(one), error: error.diagnostics[0]?.message }));
    }
  }
}
