/**
 * Grows public TNA designs until `p4loom fit` refuses them: each of the largest tables by its size, and fields that live through its control.
 *
 *     CORPUS=DIR GROWN=DIR [RIVAL="COMMAND"] [DESIGNS=N] npx tsx tools/tna/grow.ts [NAME ...]
 *
 * Writes the grown sources, the largest that fits and the smallest that is refused, to GROWN, and a line a growth to `GROWN/grow.jsonl`; a
 * second run goes on where the first ended. Both sources are compiled and fitted as they are written. RIVAL is a compiler, as one command
 * with `{file}`, `{target}` and `{output}`: it gets both sources, and its exit status and its first message stand in the line, too. It is
 * stopped after 15 minutes, which counts as no answer.
 */
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DiagnosticError, Diagnostics } from "../../src/base/index.js";
import { loadTarget } from "../../src/cli/targets.js";
import { type FitResult, fitProgram, onePipe, pipesOf } from "../../src/toolchain/fit/index.js";
import { loadProgram } from "../../src/toolchain/loading/index.js";
import type { Program } from "../../src/toolchain/program/index.js";
import { type Case, caseName, chipDefines, programFile, readCases, searchPath } from "./corpus.js";
import { type Growing, grownText, type Place, writeGrown } from "./grown-source.js";

const MAX_SIZE = 2 ** 24;
const MAX_FIELDS = 256;
/** The point of refusal is found to one part in so many. */
const PRECISION = 16;
/** Fields that are tried first. */
const FIRST_FIELDS = 16;
const RIVAL_SECONDS = 900;

/** A line of the results. */
interface Grown {
  readonly case: string;
  readonly table: string;
  readonly kind: Growing["kind"];
  /** Entries or fields: as published, the most that fits, the least that is refused. */
  readonly from: number;
  readonly fits: number;
  readonly refused: number | undefined;
  /** What the refused program has too much of. */
  readonly resource: string;
  readonly rival: { readonly fits: RivalAnswer; readonly refused: RivalAnswer | undefined } | undefined;
}

type RivalAnswer = { readonly status: number | "no answer"; readonly message: string };

interface Design {
  readonly one: Case;
  readonly root: string;
  readonly main: string;
  readonly files: readonly string[];
  readonly program: Program;
}

interface Fitted {
  readonly result: FitResult;
  readonly program: Program;
  readonly files: readonly string[];
}

/** Compiles and fits a program: the first pipe that is refused, else the first. */
async function fitted(one: Case, path: string, include: string[]): Promise<Fitted> {
  const define = [...chipDefines(one.chip), ...one.defines];
  const { program, sources } = await loadProgram(
    { path, include, define, form: "hardware" },
    new Diagnostics(),
    "ignore",
  );
  return {
    result: fitAll(program, one),
    program,
    files: [...sources.keys()].map((file) => resolve(file)),
  };
}

function fitAll(program: Program, { chip }: Case, sizes?: ReadonlyMap<string, number>): FitResult {
  const target = loadTarget(chip);
  const results = pipesOf(program).map((name) =>
    fitProgram(onePipe(program, name), target, sizes === undefined ? {} : { sizes }),
  );
  return results.find(({ verdict }) => verdict !== "placed") ?? results[0]!;
}

/** What a refused program has too much of, in a word. */
function resourceOf({ verdict, placement, bounds, phv, target, stages }: FitResult): string {
  if (verdict === "placed") return "";
  const [unplaced] = placement.unplaced;
  if (unplaced !== undefined) return unplaced.resource;
  const bound = bounds.find((one) => one.stages > target.stages);
  if (bound !== undefined) return bound.name;
  if (phv.exceeded.length > 0) return "phv";
  return stages > target.stages ? "stages" : "refused";
}

class Growth {
  constructor(
    readonly corpus: string,
    readonly output: string,
    readonly rival: string | undefined,
  ) {}

  /** The largest table with memory, and its control. */
  async design(
    one: Case,
  ): Promise<{ design: Design; place: Place; size: number; label: string } | undefined> {
    const main = resolve(programFile(this.corpus, one));
    const { result, program, files } = await fitted(one, main, searchPath(this.corpus, one));
    if (result.verdict !== "placed") return undefined;
    const root = resolve(this.corpus, one.repo.replace("/", "+"));
    const inside = files.filter((file) => file.startsWith(`${root}/`));
    const tables = result.model.units
      .filter(
        ({ kind, algorithmic, source, constEntries }) =>
          kind === "match" && algorithmic === undefined && constEntries === undefined && source !== undefined,
      )
      .sort((a, b) => b.size - a.size || a.id - b.id);
    for (const unit of tables) {
      const file = resolve(unit.source!.filename);
      const name = unit.label.split(".").at(-1)!;
      const place = { file, line: unit.source!.line, name };
      if (!inside.includes(file) || grownText(place, { kind: "table", table: name, size: 1 }) === undefined)
        continue;
      return {
        design: { one, root, main, files: inside, program },
        place,
        size: unit.size,
        label: unit.label,
      };
    }
    return undefined;
  }

  /** Writes and fits one growth; undefined when the grown source does not compile. */
  async try(design: Design, place: Place, growing: Growing, folder: string) {
    const text = grownText(place, growing);
    if (text === undefined) return undefined;
    const main = writeGrown(folder, design, { file: place.file, text });
    const include = searchPath(this.corpus, design.one).map((path) =>
      resolve(path).replace(design.root, folder),
    );
    try {
      return { main, include, result: (await fitted(design.one, main, include)).result };
    } catch (error) {
      if (error instanceof DiagnosticError) return undefined;
      throw error;
    }
  }

  async grow(
    design: Design,
    place: Place,
    { label, kind, from, most }: { label: string; kind: Growing["kind"]; from: number; most: number },
  ): Promise<Grown | undefined> {
    const name = `${caseName(design.one)}-${kind}`.replaceAll("/", "_");
    const growing = (amount: number): Growing =>
      kind === "table"
        ? { kind, table: place.name, size: amount }
        : { kind, table: place.name, fields: amount };
    const at = (part: string) => join(this.output, name, part);
    const fitsAt = async (amount: number) => {
      // Sizes need no new compile to search; both ends are compiled below.
      if (kind === "table")
        return fitAll(design.program, design.one, new Map([[label, amount]])).verdict === "placed";
      const tried = await this.try(design, place, growing(amount), at("trial"));
      return tried === undefined ? undefined : tried.result.verdict === "placed";
    };
    let low = from;
    let high = Math.max(FIRST_FIELDS, 2 * from);
    for (; high <= most; [low, high] = [high, 2 * high]) {
      const fits = await fitsAt(high);
      if (fits === undefined) return undefined;
      if (!fits) break;
    }
    const isRefused = high <= most;
    while (isRefused && high - low > Math.max(1, Math.floor(low / PRECISION))) {
      const middle = Math.floor((low + high) / 2);
      if ((await fitsAt(middle)) === true) low = middle;
      else high = middle;
    }
    const fits = await this.try(design, place, growing(Math.max(1, low)), at("fits"));
    const refused = isRefused ? await this.try(design, place, growing(high), at("refused")) : undefined;
    if (fits === undefined) return undefined;
    const rival =
      this.rival === undefined
        ? undefined
        : { fits: this.#ask(design.one, fits), refused: refused && this.#ask(design.one, refused) };
    const resource = refused === undefined ? "" : resourceOf(refused.result);
    return {
      case: caseName(design.one),
      table: label,
      kind,
      from,
      fits: low,
      refused: isRefused ? high : undefined,
      resource,
      rival,
    };
  }

  #ask(
    { chip, defines }: Case,
    { main, include }: { main: string; include: readonly string[] },
  ): RivalAnswer {
    const values: Record<string, string> = { file: main, target: chip, output: `${main}.out` };
    const words = this.rival!.split(/\s+/).map((word) =>
      word.replace(/\{(\w+)\}/g, (_, key: string) => values[key] ?? ""),
    );
    const options = [
      ...[...chipDefines(chip), ...defines].map((name) => `-D${name}`),
      ...include.map((folder) => `-I${folder}`),
    ];
    const [command, ...rest] = words;
    const ended = spawnSync(command!, [...rest, ...options], {
      timeout: 1000 * RIVAL_SECONDS,
      encoding: "utf8",
    });
    const message = ended.stderr?.split("\n").find((line) => line.includes("error")) ?? "";
    return { status: ended.status ?? "no answer", message };
  }
}

async function main(corpus: string, output: string): Promise<void> {
  mkdirSync(output, { recursive: true });
  const results = join(output, "grow.jsonl");
  const known = existsSync(results)
    ? readFileSync(results, "utf8")
        .trimEnd()
        .split("\n")
        .filter((line) => line !== "")
        .map((line): { case: string; kind: string } => JSON.parse(line))
    : [];
  const growth = new Growth(corpus, output, process.env["RIVAL"]);
  const names = process.argv.slice(2);
  const wanted = Number(process.env["DESIGNS"] ?? Number.POSITIVE_INFINITY);
  let designs = new Set(known.map((one) => one.case)).size;
  for (const one of readCases(corpus).filter(
    ({ class: kind, variant }) => kind === "design" && variant === "",
  )) {
    const name = caseName(one);
    if (names.length > 0 && !names.some((part) => name.includes(part))) continue;
    if (known.some((other) => other.case === name)) continue;
    if (designs >= wanted) break;
    try {
      const found = await growth.design(one);
      if (found === undefined) continue;
      const { design, place, size, label } = found;
      let count = 0;
      for (const [kind, from, most] of [
        ["table", size, MAX_SIZE],
        ["fields", 0, MAX_FIELDS],
      ] as const) {
        const grown = await growth.grow(design, place, { label, kind, from, most });
        if (grown === undefined) continue;
        count++;
        appendFileSync(results, `${JSON.stringify(grown)}\n`);
        console.log(JSON.stringify(grown));
      }
      if (count > 0) designs++;
    } catch (error) {
      // A design that does not compile is not grown: docs/tna/accuracy.md has the reasons.
      if (!(error instanceof DiagnosticError)) throw error;
    }
  }
}

const { CORPUS: corpus, GROWN: output } = process.env;
if (corpus === undefined || !existsSync(join(corpus, "corpus.tsv")) || output === undefined)
  console.error("grow: skipped; CORPUS names no folder with corpus.tsv, or GROWN none for the results");
else await main(corpus, output);
