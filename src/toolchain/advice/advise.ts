/**
 * Changes of a program's text that make it fit: what repairs a refusal at its line first, then single changes, each tried by compiling and
 * fitting again. A change stays when the fit is better; the search ends when the program is placed or nothing helps.
 */
import { Diagnostics, type SourceFile, type Span, spanText } from "../../base/index.js";
import { type FitResult, fitProgram, type Target } from "../fit/index.js";
import { analyse, type CompileInput, compile, sourceOf } from "../p4/index.js";
import type { Program } from "../program/index.js";
import { actLater } from "./act-later.js";
import { actSooner } from "./act-sooner.js";
import { ahead } from "./ahead.js";
import { candidatesOf } from "./candidates.js";
import { joinedBranches } from "./exclusive.js";
import { edited, ownText } from "./own-text.js";
import { editsOf, lineOf, type Rewrite, type RewriteKind } from "./rewrite.js";
import { laterStarts, TableTexts, tablePragmas } from "./tables.js";
import { turns } from "./turns.js";

export interface AdviseInput {
  /** The program's own file. Where a change concerns a file that it includes, that file's text takes the place of its `#include`. */
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
  readonly tried: ReadonlyMap<RewriteKind, number>;
}

/** Changes that are tried, over all rounds. */
const MAX_TRIALS = 80;
const MAX_ROUNDS = 24;

/** Fits the program, and changes of it. Throws the compiler's errors of the program as it is. */
export function advise(input: AdviseInput): Advised {
  const search = new Search(input);
  return search.run();
}

/** Smaller is better, the first difference counts. */
type Score = readonly number[];

/** Refusals, tables without a place, stages beyond the last one, and what stands in them. */
function placementScore({ diagnostics, placement, stages, target }: FitResult): Score {
  const refusals = diagnostics.filter(({ severity }) => severity === "error").length;
  const beyond = placement.parts
    .filter(({ stage }) => stage >= target.stages)
    .reduce(
      (sum, { stage, layout }) => sum + (stage - target.stages + 1) * (1 + layout.srams + 3 * layout.tcams),
      0,
    );
  return [refusals, placement.unplaced.length, Math.max(0, stages - target.stages), beyond];
}

/** What the placement has too much of, then bits without a container and broken rules of the allocation. */
function scoreOf(result: FitResult): Score {
  const { phv, model, exceeded } = result;
  const without = phv.allocation?.unallocated.filter(({ rule }) => rule === "container") ?? [];
  const fields = new Set(without.flatMap((one) => one.fields));
  const bits = [...fields].reduce((sum, field) => sum + (model.fields.get(field)?.width ?? 1), 0);
  return [...placementScore(result), bits, exceeded.length];
}

function isLess(a: Score, b: Score): boolean {
  const at = a.findIndex((value, i) => value !== b[i]);
  return at >= 0 && a[at]! < b[at]!;
}

/** A text, its fit, and the changes that made it. */
interface State {
  readonly file: SourceFile;
  readonly result: FitResult;
  readonly changes: readonly Rewrite[];
}

class Search {
  readonly #tried = new Map<RewriteKind, number>();
  #trials = 0;

  constructor(readonly input: AdviseInput) {}

  run(): Advised {
    const diagnostics = new Diagnostics();
    const { file: given, options } = this.input;
    const before = this.#fit(given, diagnostics);
    diagnostics.throwIfErrors();
    const start: State = { file: ownText(given, options.resolveInclude), result: before!, changes: [] };
    let state: State = start;
    for (let round = 0; round < MAX_ROUNDS && state.result.verdict !== "placed"; round++) {
      const better = this.#repaired(state) ?? this.#oneChange(state);
      if (better === undefined) break;
      state = better;
    }
    if (state.result.verdict === "placed") state = this.#withoutNeedless(start, state);
    const changes = state.changes.map(({ words }) => words);
    const own = this.#inMainFile(start, state);
    return {
      before: before!,
      after: state.result,
      changes,
      file: changes.length === 0 ? given : (own ?? state.file),
      tried: this.#tried,
    };
  }

  /** Undefined for a program that does not compile, or whose tables alone are no better than those of `than`. */
  #fit(file: SourceFile, diagnostics = new Diagnostics(), than?: FitResult): FitResult | undefined {
    const made = compile({ ...this.input.options, file, form: "hardware" }, diagnostics);
    if (made === undefined) return undefined;
    const program = this.input.pipeOf(made.program);
    const { target } = this.input;
    if (than !== undefined && placementScore(than).some((value) => value > 0)) {
      const tables = placementScore(fitProgram(program, target, { tablesOnly: true }));
      if (!isLess(tables, placementScore(than))) return undefined;
    }
    return fitProgram(program, target);
  }

  /** What changes no meaning first, then, when asked for, sizes. */
  #candidates({ file, result }: State): Rewrite[] {
    const { unit } = analyse(file, this.input.options, new Diagnostics());
    const texts = new TableTexts(file, unit);
    const list = [
      ...candidatesOf(file, unit).filter((one) => one.kind !== "order" || isIndependent(one, result)),
      ...tablePragmas(texts, result),
      ...actLater(texts, result, unit),
      ...actSooner(texts, result, unit),
      ...joinedBranches(texts, unit),
      ...ahead(texts, result, unit),
      ...laterStarts(texts, result),
      ...turns(texts, result, unit),
    ];
    const isPhv = result.placement.unplaced.length === 0 && result.stages <= result.target.stages;
    return (isPhv ? PHV_ORDER : ORDER).flatMap((kind) => {
      if (kind === "size" && !this.input.mayShrink) return [];
      return list.filter((rewrite) => rewrite.kind === kind);
    });
  }

  /** All changes at lines with a refusal together, then those that alone make fewer refusals. */
  #repaired(state: State): State | undefined {
    const { file, result } = state;
    const spans = result.diagnostics.flatMap(({ severity, span }) =>
      severity === "error" && span !== undefined ? [span] : [],
    );
    const lines = new Set(
      spans.filter((span) => sourceOf(span.file) === file || span.file.path === file.path).map(lineOf),
    );
    if (lines.size === 0) return undefined;
    const repairs = this.#candidates(state).filter(({ kind }) => kind === "arithmetic" || kind === "branch");
    // The smallest part around each line: a condition may contain the whole of its branch.
    const at = apart(
      [...lines].flatMap((line) => {
        const around = repairs
          .filter(({ span }) => isOn(line, span))
          .sort((a, b) => lengthOf(a) - lengthOf(b));
        return around.slice(0, 1);
      }),
    );
    const all = this.#better(state, at);
    if (all !== undefined) return all;
    for (const rewrite of at.length > 1 ? at : []) {
      const one = this.#better(state, [rewrite]);
      if (one !== undefined) return one;
    }
    return undefined;
  }

  /** The first single change with a better fit; groups of values take turns once, so that all numbers of turns are tried for the best one. */
  #oneChange(state: State): State | undefined {
    if (state.result.diagnostics.some(({ severity }) => severity === "error")) return undefined;
    let best = state;
    for (const rewrite of this.#candidates(state)) {
      if (best !== state && rewrite.kind !== "turns") break;
      const better = this.#better(state, [rewrite], best.result);
      if (better === undefined) continue;
      if (rewrite.kind !== "turns" || better.result.verdict === "placed") return better;
      best = better;
    }
    return best === state ? undefined : best;
  }

  /** The text with the changes, where its fit is better than another one. */
  #better(
    { file, result, changes }: State,
    rewrites: readonly Rewrite[],
    than: FitResult = result,
  ): State | undefined {
    if (rewrites.length === 0 || this.#trials >= MAX_TRIALS) return undefined;
    this.#trials++;
    const changed = edited(file, editsOf(rewrites));
    const after = this.#fit(changed, new Diagnostics(), result);
    if (after !== undefined && isLess(scoreOf(after), scoreOf(than)))
      return { file: changed, result: after, changes: [...changes, ...rewrites] };
    for (const { kind } of rewrites) this.#tried.set(kind, (this.#tried.get(kind) ?? 0) + 1);
    return undefined;
  }

  /** The program that is placed, without changes that it does not need: each is left out once. */
  #withoutNeedless(start: State, placed: State): State {
    let best = placed;
    for (const { words } of placed.changes) {
      if (best.changes.length < 2) break;
      const rest = best.changes.filter((other) => other.words !== words);
      const again = this.#made(start, rest);
      if (again?.result.verdict === "placed") best = again;
    }
    return best;
  }

  /** The changes once more from a text, found by their words; undefined where one is not offered any more. */
  #made(start: State, changes: readonly Rewrite[]): State | undefined {
    let state = start;
    for (const { words } of changes) {
      const found = this.#candidates(state).find((one) => one.words === words);
      if (found === undefined) return undefined;
      const file = edited(state.file, editsOf([found]));
      const result = this.#fit(file);
      if (result === undefined) return undefined;
      state = { file, result, changes: [...state.changes, found] };
    }
    return state;
  }

  /** The changes in the program's own file alone, where they all stand in it. */
  #inMainFile({ result }: State, { result: after, changes }: State): SourceFile | undefined {
    const again = this.#made({ file: this.input.file, result, changes: [] }, changes);
    return again?.result.verdict === after.verdict ? again.file : undefined;
  }
}

/** Kinds of changes in the order in which they are tried. */
const ORDER: readonly RewriteKind[] = [
  "pragma",
  "ternary",
  "alpm",
  "later",
  "sooner",
  "exclusive",
  "ahead",
  "start",
  "key",
  "branch",
  "priority",
  "arithmetic",
  "order",
  "size",
];
/** The order where all tables have a place, and fields have none. */
const PHV_ORDER: readonly RewriteKind[] = ["pragma", "turns", "later", "branch", "arithmetic"];

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
export function isIndependent({ halves }: Rewrite, { problem }: FitResult): boolean {
  if (halves === undefined) return false;
  // What a control does stands elsewhere in the text, so that its units are not among those of the statement.
  const isTable = (name: string) =>
    problem.model.units.some(({ kind, table }) => kind === "match" && table?.endsWith(name));
  if (!halves.every((half) => appliedIn(half).every(isTable))) return false;
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
  const applied = appliedIn(span);
  const isThere = ({ source, table, kind }: FitResult["model"]["units"][number]) =>
    (kind !== "match" && source?.filename === span.file.path && source.line >= from && source.line <= to) ||
    applied.some((name) => table?.endsWith(name));
  return new Set(model.units.filter(isThere).map(({ id }) => id));
}

/** `.t` for each `t.apply` of a text. */
const appliedIn = (span: Span): string[] =>
  [...spanText(span).matchAll(/(\w+)\s*\.\s*apply\b/g)].map((match) => `.${match[1]}`);
