/**
 * Grows public TNA designs until `p4loom fit` refuses them: the largest table by its size, and the table's control by tables at its end and by
 * fields that live through it.
 *
 *     CORPUS=DIR GROWN=DIR [DESIGNS=N] npx tsx tools/tna/grow.ts [NAME ...]
 *
 * Writes the grown sources, the largest that fits and the smallest that is refused, to GROWN, and a line a growth to `GROWN/grow.jsonl`; a
 * second run goes on where the first ended. Both sources are compiled and fitted as they are written. `ask.ts` gives them to a compiler.
 */
import { appendFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DiagnosticError } from "../../src/base/index.js";
import { caseName, linesOf, readCases } from "./corpus.js";
import {
  fitAll,
  GROWTHS,
  type Grown,
  type GrowthPlace,
  growingOf,
  growthFolder,
  growthPlace,
  resourceOf,
  tryGrowth,
} from "./growing.js";
import type { Growing } from "./grown-source.js";

const MAX_SIZE = 2 ** 24;
/** Most fields or tables that are added. */
const MAX_ADDED = 256;
/** The point of refusal is found to one part in so many. */
const PRECISION = 16;
/** Fields or tables that are tried first. */
const FIRST_ADDED = 16;

/** Grows one design in one way; undefined when a grown source does not compile. */
async function grow(
  corpus: string,
  output: string,
  at: GrowthPlace,
  { kind, from, most }: { kind: Growing["kind"]; from: number; most: number },
): Promise<Grown | undefined> {
  const { design, place, label } = at;
  const name = caseName(design.one);
  const tried = (amount: number, part: string) =>
    tryGrowth(corpus, at, growingOf(kind, place.name, amount), join(output, growthFolder(name, kind), part));
  const fitsAt = async (amount: number) => {
    // Sizes need no new compile to search; both ends are compiled below.
    if (kind === "table")
      return fitAll(design.program, design.one, new Map([[label, amount]])).verdict === "placed";
    const trial = await tried(amount, "trial");
    return trial === undefined ? undefined : trial.result.verdict === "placed";
  };
  let low = from;
  let high = Math.max(FIRST_ADDED, 2 * from);
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
  const fits = await tried(Math.max(1, low), "fits");
  const refused = isRefused ? await tried(high, "refused") : undefined;
  if (fits === undefined) return undefined;
  return {
    ...{ case: name, table: label, kind, from, fits: low },
    refused: isRefused ? high : undefined,
    resource: refused === undefined ? "" : resourceOf(refused.result),
  };
}

async function main(corpus: string, output: string): Promise<void> {
  mkdirSync(output, { recursive: true });
  const results = join(output, "grow.jsonl");
  const known = linesOf<Grown>(results);
  const names = process.argv.slice(2);
  const wanted = Number(process.env["DESIGNS"] ?? Number.POSITIVE_INFINITY);
  let designs = new Set(known.map((one) => one.case)).size;
  for (const one of readCases(corpus).filter(
    ({ class: kind, variant }) => kind === "design" && variant === "",
  )) {
    const name = caseName(one);
    if (names.length > 0 && !names.some((part) => name.includes(part))) continue;
    if (GROWTHS.every((kind) => known.some((other) => other.case === name && other.kind === kind))) continue;
    if (designs >= wanted && !known.some((other) => other.case === name)) continue;
    try {
      const found = await growthPlace(corpus, one);
      if (found === undefined) continue;
      let count = 0;
      for (const [kind, from, most] of [
        ["table", found.size, MAX_SIZE],
        ["tables", 0, MAX_ADDED],
        ["fields", 0, MAX_ADDED],
      ] as const) {
        if (known.some((other) => other.case === name && other.kind === kind)) continue;
        const grown = await grow(corpus, output, found, { kind, from, most });
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
