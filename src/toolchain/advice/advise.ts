/**
 * Changes of a program's text that make it fit: what repairs a refusal at its line first, then single changes, each tried by compiling and
 * fitting again. A change stays when the fit is better; the search ends when the program is placed or nothing helps.
 */
import { Diagnostics, type SourceFile, type Span, spanText } from "../../base/index.js";
import { type FitResult, fitProgram, type Target } from "../fit/index.js";
import { analyse, type CompileInput, compile } from "../p4/index.js";
import type { Program } from "../program/index.js";
import { candidatesOf } from "./candidates.js";
import { lineOf, type Rewrite, rewritten } from "./rewrite.js";

export interface AdviseInput {
  /** The program's own file, the only one that is changed. */
  readonly file: SourceFile;
  readonly options: Omit<CompileInput, "file" | "form">;
  readonly target: Target;
  /** The pipe that is fitted, of a compiled program. */
  readonly pipeOf: (program: Program) => Program;
  /** Whether tables may get fewer entries, which a controller notices. */
  readonly mayShrink: boolean;
}

export interface Advised {
  readonly before: FitResult;
  readonly after: FitResult;
  /** The changes in the order in which they were made; none where nothing helps. */
  readonly changes: readonly string[];
  readonly file: SourceFile;
  /** What was tried, with how many changes of its kind made nothing better. */
  readonly tried: ReadonlyMap<Rewrite["kind"], number>;
}

/** Changes that are tried one at a time, over all rounds. */
const MAX_TRIALS = 160;
const MAX_ROUNDS = 12;

/** Fits the program, and changes of it. Throws the compiler's errors of the program as it is. */
export function advise(input: AdviseInput): Advised {
  const search = new Search(input);
  return search.run();
}

/** Smaller is better, the first difference counts. */
type Score = readonly number[];

function scoreOf({ diagnostics, placement, phv, stages, target }: FitResult): Score {
  const refusals = diagnostics.filter(({ severity }) => severity === "error").length;
  return [refusals, placement.unplaced.length, phv.exceeded.length, Math.max(0, stages - target.stages)];
}

function isLess(a: Score, b: Score): boolean {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at >= 0 && a[at]! < b[at]!;
}

class Search {
  readonly #tried = new Map<Rewrite["kind"], number>();
  readonly #changes: string[] = [];
  #trials = 0;

  constructor(readonly input: AdviseInput) {}

  run(): Advised {
    const diagnostics = new Diagnostics();
    const before = this.#fit(this.input.file, diagnostics);
    diagnostics.throwIfErrors();
    let file = this.input.file;
    let result = before!;
    for (let round = 0; round < MAX_ROUNDS && result.verdict !== "placed"; round++) {
      const better = this.#repaired(file, result) ?? this.#oneChange(file, result);
      if (better === undefined) break;
      ({ file, result } = better);
    }
    return { before: before!, after: result, changes: this.#changes, file, tried: this.#tried };
  }

  #fit(file: SourceFile, diagnostics = new Diagnostics()): FitResult | undefined {
    const made = compile({ ...this.input.options, file, form: "hardware" }, diagnostics);
    if (made === undefined) return undefined;
    return fitProgram(this.input.pipeOf(made.program), this.input.target);
  }

  #candidates(file: SourceFile): Rewrite[] {
    const { unit } = analyse(file, this.input.options, new Diagnostics());
    return candidatesOf(file, unit);
  }

  /** All changes at lines with a refusal together, then those that alone make fewer refusals. */
  #repaired(file: SourceFile, result: FitResult): { file: SourceFile; result: FitResult } | undefined {
    const lines = new Set(
      result.diagnostics
        .filter(({ severity, span }) => severity === "error" && span?.file.path === file.path)
        .map(({ span }) => lineOf(span!)),
    );
    if (lines.size === 0) return undefined;
    const repairs = this.#candidates(file).filter(({ kind }) => kind === "arithmetic" || kind === "branch");
    // The smallest part around each line: a condition may contain the whole of its branch.
    const at = apart(
      [...lines].flatMap((line) => {
        const around = repairs
          .filter(({ span }) => isOn(line, span))
          .sort((a, b) => lengthOf(a) - lengthOf(b));
        return around.slice(0, 1);
      }),
    );
    if (this.#trials >= MAX_TRIALS) return undefined;
    const all = this.#better(file, result, at);
    if (all !== undefined) return all;
    for (const rewrite of at.length > 1 ? at : []) {
      if (this.#trials >= MAX_TRIALS) break;
      const one = this.#better(file, result, [rewrite]);
      if (one !== undefined) return one;
    }
    return undefined;
  }

  /** The single change that gives the best fit; of equal ones the first. */
  #oneChange(file: SourceFile, result: FitResult): { file: SourceFile; result: FitResult } | undefined {
    if (result.diagnostics.some(({ severity }) => severity === "error")) return undefined;
    let best: { rewrite: Rewrite; file: SourceFile; result: FitResult } | undefined;
    for (const rewrite of this.#ranked(file, result)) {
      if (this.#trials >= MAX_TRIALS) break;
      const changed = this.#try(file, [rewrite]);
      if (changed === undefined || !isLess(scoreOf(changed.result), scoreOf(best?.result ?? result))) {
        this.#count(rewrite.kind);
        continue;
      }
      best = { rewrite, ...changed };
      if (changed.result.verdict === "placed") break;
    }
    if (best !== undefined) this.#changes.push(best.rewrite.words);
    return best;
  }

  /** What changes no meaning first, then, when asked for, sizes. */
  #ranked(file: SourceFile, result: FitResult): Rewrite[] {
    const list = this.#candidates(file).filter(
      (rewrite) => rewrite.kind !== "order" || isIndependent(rewrite, result),
    );
    const kinds: Rewrite["kind"][] = ["pragma", "key", "branch", "arithmetic", "order"];
    if (this.input.mayShrink) kinds.push("size");
    return kinds.flatMap((kind) => list.filter((rewrite) => rewrite.kind === kind));
  }

  #better(
    file: SourceFile,
    result: FitResult,
    rewrites: readonly Rewrite[],
  ): { file: SourceFile; result: FitResult } | undefined {
    if (rewrites.length === 0) return undefined;
    const changed = this.#try(file, rewrites);
    if (changed !== undefined && isLess(scoreOf(changed.result), scoreOf(result))) {
      this.#changes.push(...rewrites.map(({ words }) => words));
      return changed;
    }
    for (const { kind } of rewrites) this.#count(kind);
    return undefined;
  }

  #try(file: SourceFile, rewrites: readonly Rewrite[]): { file: SourceFile; result: FitResult } | undefined {
    this.#trials++;
    const changed = rewritten(file, rewrites);
    const result = this.#fit(changed);
    return result === undefined ? undefined : { file: changed, result };
  }

  #count(kind: Rewrite["kind"]): void {
    this.#tried.set(kind, (this.#tried.get(kind) ?? 0) + 1);
  }
}

const lengthOf = ({ span }: Rewrite): number => span.end - span.start;

/** Each once, without those that overlap an earlier one. */
function apart(rewrites: readonly Rewrite[]): Rewrite[] {
  const kept: Rewrite[] = [];
  for (const one of [...rewrites].sort((a, b) => a.span.start - b.span.start))
    if (one.span.start >= (kept[kept.length - 1]?.span.end ?? 0)) kept.push(one);
  return kept;
}

function isOn(line: number, span: Rewrite["span"]): boolean {
  return lineOf(span) <= line && line <= span.file.position(span.end).line;
}

/** No dependency and no shared memory between what two statements do: fit's own graph says so. */
function isIndependent({ halves }: Rewrite, { problem }: FitResult): boolean {
  if (halves === undefined) return false;
  const [first, second] = [unitsIn(halves[0], problem), unitsIn(halves[1], problem)];
  if (first.size === 0 || second.size === 0) return false;
  const relates = (from: number, to: number) =>
    (first.has(from) && second.has(to)) || (second.has(from) && first.has(to));
  if (problem.graph.edges.some(({ from, to }) => relates(from, to))) return false;
  return ![...first].some((id) => problem.companions[id]?.some((other) => second.has(other)));
}

/** Units of a statement: those at its lines, and the tables that it applies, which stand where they are declared. */
function unitsIn(span: Span, { model }: FitResult["problem"]): Set<number> {
  const [from, to] = [lineOf(span), span.file.position(span.end).line];
  const applied = [...spanText(span).matchAll(/(\w+)\s*\.\s*apply\b/g)].map((match) => `.${match[1]}`);
  const isThere = ({ source, table, kind }: FitResult["model"]["units"][number]) =>
    (kind !== "match" && source?.filename === span.file.path && source.line >= from && source.line <= to) ||
    applied.some((name) => table?.endsWith(name));
  return new Set(model.units.filter(isThere).map(({ id }) => id));
}
