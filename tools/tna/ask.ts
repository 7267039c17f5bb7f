/**
 * Asks a compiler with a Tofino back end about what grow.ts and advise.ts wrote, and `fit` about the same sources.
 *
 *     CORPUS=DIR GROWN=DIR RIVAL="COMMAND {file} --target {target} --arch {arch} -o {output}" npx tsx tools/tna/ask.ts [NAME ...]
 *
 * Of each growth of `GROWN/grow.jsonl` the compiler gets the largest source that `fit` places and the smallest that it refuses; where it
 * decides otherwise, further ones (a tenth less or more, then half or twice as much), until its own point of refusal is known. Of each changed
 * program (`GROWN/NAME.advised.p4`) it gets that one. A line a source goes to `GROWN/asked.jsonl`; a second run goes on where the first ended.
 * The compiler is stopped after 15 minutes of processor time, and has 12 GB. `AGAIN=1` only fits the least sources that the compiler refuses again.
 */
import { appendFileSync, cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DiagnosticError } from "../../src/base/index.js";
import { type Answer, ask } from "./compiler.js";
import { type Case, caseName, linesOf, programFile, readCases, searchPath } from "./corpus.js";
import {
  fitted,
  type Grown,
  type GrowthPlace,
  growingOf,
  growthFolder,
  growthPlace,
  refusedFolder,
  tryGrowth,
} from "./growing.js";
import { type AskedLine, nextAmount, pointOf } from "./growth-judged.js";
import { fitResource } from "./resources.js";

class Asking {
  readonly #lines: AskedLine[];

  constructor(
    readonly corpus: string,
    readonly grown: string,
    readonly command: string,
  ) {
    this.#lines = linesOf(this.#file);
  }

  get #file(): string {
    return join(this.grown, "asked.jsonl");
  }

  #known(one: Case, kind: string): AskedLine[] {
    return this.#lines.filter((line) => line.case === caseName(one) && line.kind === kind);
  }

  /** Asks about amounts of one growth until the compiler's point of refusal is known. */
  async growth(one: Case, line: Grown): Promise<void> {
    let place: GrowthPlace | undefined;
    let isAsked = false;
    for (;;) {
      const amount = nextAmount(line, this.#known(one, line.kind));
      if (amount === undefined) break;
      place ??= await growthPlace(this.corpus, one, line.table);
      if (place === undefined) return;
      const folder = join(this.grown, growthFolder(caseName(one), line.kind), "asked");
      const growing = growingOf(line.kind, place.place.name, amount);
      const trial = await tryGrowth(this.corpus, place, growing, folder);
      if (trial === undefined) return;
      const { verdict } = trial.result;
      const ours = { verdict, resource: fitResource(trial.result), stages: trial.result.stages };
      this.#note({ case: caseName(one), kind: line.kind, amount, ours, theirs: await this.#ask(one, trial) });
      isAsked = true;
    }
    const { least } = pointOf(this.#known(one, line.kind));
    const folder = join(this.grown, growthFolder(caseName(one), line.kind), "least");
    if (least === undefined || (existsSync(folder) && !isAsked)) return;
    place ??= await growthPlace(this.corpus, one, line.table);
    if (place !== undefined)
      await tryGrowth(this.corpus, place, growingOf(line.kind, place.place.name, least), folder);
  }

  /** Fits the least refused source of a growth again, with no question to the compiler. */
  async again(one: Case, line: Grown): Promise<void> {
    const known = this.#known(one, line.kind);
    const { least } = pointOf(known);
    const asked = known.find(({ amount, theirs }) => amount === least && theirs.said === "refused");
    if (asked === undefined) return;
    const place = await growthPlace(this.corpus, one, line.table);
    if (place === undefined) return;
    const growing = growingOf(line.kind, place.place.name, asked.amount);
    const folder = join(this.grown, growthFolder(caseName(one), line.kind), "least");
    const trial = await tryGrowth(this.corpus, place, growing, folder);
    if (trial === undefined) return;
    const { result } = trial;
    const ours = { verdict: result.verdict, resource: fitResource(result), stages: result.stages };
    this.#note({ ...asked, ours });
  }

  /** Asks about the changed program of a growth that the compiler refuses, if there is one. */
  async advised(one: Case, kind: Grown["kind"]): Promise<void> {
    const changed = join(
      this.grown,
      `${caseName(one)} grown by ${kind}`.replaceAll("/", "_").concat(".advised.p4"),
    );
    const { least } = pointOf(this.#known(one, kind));
    if (least === undefined || !existsSync(changed) || this.#known(one, `${kind} advised`).length > 0) return;
    const folder = join(this.grown, growthFolder(caseName(one), kind), "advised");
    cpSync(refusedFolder(this.grown, one, kind), folder, { recursive: true });
    const moved = (path: string) => path.replace(join(this.corpus, one.repo.replace("/", "+")), folder);
    const main = moved(programFile(this.corpus, one));
    const include = searchPath(this.corpus, one).map(moved);
    writeFileSync(main, readFileSync(changed, "utf8"));
    const { result } = await fitted(one, main, include);
    const ours = { verdict: result.verdict, resource: fitResource(result), stages: result.stages };
    const theirs = await this.#ask(one, { main, include });
    this.#note({ case: caseName(one), kind: `${kind} advised`, amount: least, ours, theirs });
  }

  #ask(one: Case, source: { main: string; include: readonly string[] }): Promise<Answer> {
    return ask(this.command, one, source);
  }

  #note(line: AskedLine): void {
    this.#lines.push(line);
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
    console.log(JSON.stringify(line));
  }
}

/** `NAME grown by KIND`, or a part of NAME. */
function isMeant(name: string, part: string): boolean {
  return part.includes("grown by ") ? name.endsWith(part) : name.includes(part);
}

const { CORPUS: corpus, GROWN: grown, RIVAL: command } = process.env;
if (corpus === undefined || grown === undefined || command === undefined)
  console.error("ask: skipped; CORPUS or GROWN names no folder, or RIVAL no compiler");
else {
  const names = process.argv.slice(2);
  const asking = new Asking(corpus, grown, command);
  const growths = linesOf<Grown>(join(grown, "grow.jsonl"));
  const cases = readCases(corpus).filter(({ variant }) => variant === "");
  for (const line of growths) {
    const name = `${line.case} grown by ${line.kind}`;
    if (names.length > 0 && !names.some((part) => isMeant(name, part))) continue;
    const one = cases.find((other) => caseName(other) === line.case);
    if (one === undefined) continue;
    try {
      if (process.env["AGAIN"] === "1") await asking.again(one, line);
      else {
        await asking.growth(one, line);
        await asking.advised(one, line.kind);
      }
    } catch (error) {
      // A design that no longer compiles is not asked about.
      if (!(error instanceof DiagnosticError)) throw error;
    }
  }
}
