/**
 * Compares the benchmarks of two checkouts: `npx tsx bench/pairs.ts BEFORE [NOW] [--pairs 10] [--names sim,switch] [--core 1]`.
 *
 * Runs each benchmark of `baseline.json` in turn in both checkouts, in pairs whose order changes, and prints one line a figure: the ratio of
 * the medians now/before and its 95 % interval (bootstrap over the pairs, 10,000 draws, one seed). A time or a size is slower if the
 * interval lies above 1.03, a rate if it lies below 1/1.03. `--core` pins both to one processor. Each checkout needs its packages
 * and a build (`npm run build`), and should be quiet: the machine's other work makes intervals wide.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Random } from "../src/base/index.js";
import { ascending, quantile } from "../src/fabric/statistics/index.js";

const LIMIT = 1.03;
const DRAWS = 10_000;
/** The benchmarks whose figures `baseline.json` has. */
const BASELINE = "sim,pecmp,switch,p4runtime,compile,fit";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pairs: { type: "string", default: "10" },
    names: { type: "string", default: BASELINE },
    core: { type: "string" },
  },
});
const [before, now = "."] = positionals;
if (before === undefined || !existsSync(join(before, "bench/main.ts")))
  throw new Error("usage: npx tsx bench/pairs.ts BEFORE [NOW]: folders of two checkouts");

interface Figure {
  unit: string;
  values: [before: number, now: number][];
}

/** One run of a benchmark in a checkout: its figures by name. */
function measured(checkout: string, name: string): Map<string, { unit: string; value: number }> {
  const pin = options.core === undefined ? [] : ["taskset", "-c", options.core];
  const command = [...pin, process.execPath, "--import", "tsx", "bench/main.ts", name];
  const text = execFileSync(command[0]!, command.slice(1), {
    cwd: resolve(checkout),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 1 << 26,
  });
  const lines = text.split("\n").filter((line) => line.startsWith("{"));
  return new Map(
    lines.map((line) => JSON.parse(line)).map(({ name, unit, value }) => [name, { unit, value }]),
  );
}

function median(values: readonly number[]): number {
  const sorted = ascending(values);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}

/** The ratio of the medians now/before of pairs; 1 where both are the same, also 0. */
function ratioOf(pairs: readonly [before: number, now: number][]): number {
  const [before, now] = [median(pairs.map((pair) => pair[0])), median(pairs.map((pair) => pair[1]))];
  return before === now ? 1 : now / before;
}

function report(name: string, { unit, values }: Figure): void {
  const random = new Random(1);
  const drawn = () => ratioOf(values.map(() => values[random.int(values.length)]!));
  const ratios = ascending(Array.from({ length: DRAWS }, drawn));
  const [low, high] = [quantile(ratios, 0.025), quantile(ratios, 0.975)];
  const isRate = unit.endsWith("/s");
  const slower = isRate ? high < 1 / LIMIT : low > LIMIT;
  const round = (value: number) => Number(value.toPrecision(4));
  const result = { ratio: round(ratioOf(values)), low: round(low), high: round(high), slower };
  console.log(JSON.stringify({ name, unit, pairs: values.length, ...result }));
}

for (const name of options.names.split(",")) {
  const figures = new Map<string, Figure>();
  for (let pair = 0; pair < Number(options.pairs); pair++) {
    const order = pair % 2 === 0 ? [before, now] : [now, before];
    const results = new Map(order.map((checkout) => [checkout, measured(checkout, name)]));
    for (const [figure, { unit, value }] of results.get(before)!) {
      const other = results.get(now)!.get(figure);
      if (other === undefined) continue;
      if (!figures.has(figure)) figures.set(figure, { unit, values: [] });
      figures.get(figure)!.values.push([value, other.value]);
    }
  }
  for (const [figure, values] of figures) report(figure, values);
}
