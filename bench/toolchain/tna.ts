/**
 * `CORPUS=DIR [RIVAL=DIR] npm run bench -- tna`: what `p4loom check` costs for public programs for Tofino, each in a process of its own
 * (the built command): processor time, wall time and memory over the size of the program. CORPUS holds `corpus.tsv` and the programs
 * (tools/tna/corpus.ts); they are not in this repository, and without them nothing is measured.
 *
 * RIVAL holds `results.json`, the records of p4c's open Tofino back end. Programs that its middle end refused are those of which its time
 * up to there is recorded: they are measured as well, with the recorded time as `quoted`. It was not measured in this run, nor on this
 * machine.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type Case,
  caseName,
  chipDefines,
  programFile,
  readCases,
  reasonToSkip,
  searchPath,
} from "../../tools/tna/corpus.js";
import { Rival } from "../../tools/tna/rival.js";
import type { Benchmark } from "../benchmark.js";

const COMMAND = join(import.meta.dirname, "../../bin/p4loom.cjs");

/** Prints what the process used when it ends, after a mark that no diagnostic has. */
const HOOK = `data:text/javascript,process.on("exit",()=>process._rawDebug("\\u0001"+JSON.stringify(process.resourceUsage())))`;

/** How many designs are measured, from the smallest to the largest in equal steps. */
const SAMPLE = 60;

interface Cost {
  /** Milliseconds of processor time, all threads. */
  readonly cpu: number;
  readonly wall: number;
  /** MB at most. */
  readonly memory: number;
}

/** One cold process. A program that is refused costs its time, too. */
function costOf(corpus: string, one: Case): Cost {
  const options = [
    ...searchPath(corpus, one).flatMap((folder) => ["-I", folder]),
    ...[...chipDefines(one.chip), ...one.defines].flatMap((define) => ["-D", define]),
  ];
  const start = performance.now();
  const { stderr, error } = spawnSync(
    process.execPath,
    ["--import", HOOK, COMMAND, "check", "--Wdisable", ...options, programFile(corpus, one)],
    { encoding: "utf8", maxBuffer: 2 ** 28 },
  );
  const wall = performance.now() - start;
  // Threads inherit the hook: the process prints last.
  const usage = stderr?.split("\u0001").slice(1).at(-1);
  if (usage === undefined) throw error ?? new Error(`${caseName(one)}: ${stderr}`);
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(usage.split("\n")[0]!) as NodeJS.ResourceUsage;
  return { cpu: (userCPUTime + systemCPUTime) / 1000, wall, memory: maxRSS / 1024 };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** Of a power law through the points: 1 is linear. Least squares on logarithms. */
function exponent(points: readonly (readonly [size: number, cost: number])[]): number {
  const logs = points.map(([size, cost]) => [Math.log(size), Math.log(cost)] as const);
  const mean = (part: 0 | 1) => logs.reduce((sum, one) => sum + one[part], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  const above = logs.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0);
  return above / logs.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
}

export const run: Benchmark = async (report) => {
  const corpus = process.env["CORPUS"] ?? "";
  if (!existsSync(join(corpus, "corpus.tsv"))) {
    console.error("tna: skipped, CORPUS names no folder with corpus.tsv and the programs");
    return;
  }
  const designs = readCases(corpus)
    .filter((one) => one.class === "design" && one.duplicateOf === undefined && one.lines > 0)
    .filter((one) => reasonToSkip(corpus, one) === undefined)
    .sort((a, b) => a.lines - b.lines);
  const step = Math.max(1, (designs.length - 1) / (SAMPLE - 1));
  const measured = Array.from({ length: Math.min(SAMPLE, designs.length) }, (_, index) => {
    const one = designs[Math.round(index * step)]!;
    return { one, cost: costOf(corpus, one) };
  });
  const points = measured.map(({ one, cost }) => [one.lines, cost.cpu] as const);
  report({
    name: "tna/processor time, median",
    unit: "ms",
    value: median(points.map(([, cpu]) => cpu)),
    more: { programs: points.length },
  });
  report({ name: "tna/processor time over lines, exponent", unit: "1", value: exponent(points) });
  for (let quarter = 0; quarter < 4; quarter++) {
    const part = measured.slice((quarter * measured.length) / 4, ((quarter + 1) * measured.length) / 4);
    const lines = `${part[0]?.one.lines} to ${part.at(-1)?.one.lines} lines`;
    report({
      name: `tna/processor time, quarter ${quarter + 1}`,
      unit: "ms",
      value: median(part.map(({ cost }) => cost.cpu)),
      more: { lines },
    });
  }
  const largest = measured.at(-1);
  if (largest !== undefined) {
    const more = {
      program: caseName(largest.one),
      lines: largest.one.lines,
      wall_ms: Math.round(largest.cost.wall),
    };
    report({ name: "tna/largest, processor time", unit: "ms", value: largest.cost.cpu, more });
  }
  report({
    name: "tna/most memory",
    unit: "MB",
    value: Math.max(...measured.map(({ cost }) => cost.memory)),
  });
  await besideRecords(corpus, designs, report);
};

/** The programs of which the records tell the time up to the middle end. */
async function besideRecords(
  corpus: string,
  designs: readonly Case[],
  report: Parameters<Benchmark>[0],
): Promise<void> {
  const folder = process.env["RIVAL"] ?? "";
  if (!existsSync(join(folder, "results.json"))) {
    console.error("tna: no recorded times, RIVAL names no folder with results.json");
    return;
  }
  const rival = new Rival(folder);
  const ratios: number[] = [];
  for (const one of designs) {
    const seconds = rival.of(one)?.middleEndSeconds;
    if (seconds === undefined) continue;
    const { cpu, memory } = costOf(corpus, one);
    const ratio = cpu / 1000 / seconds;
    ratios.push(ratio);
    const more = {
      quoted: "p4c-barefoot, record",
      quoted_ms: seconds * 1000,
      quoted_ratio: ratio,
      memory_mb: Math.round(memory),
    };
    report({ name: `tna/${caseName(one)}`, unit: "ms", value: cpu, more });
  }
  if (ratios.length > 0) {
    const more = { programs: ratios.length, most: Math.max(...ratios) };
    report({ name: "tna/of the recorded times, median", unit: "1", value: median(ratios), more });
  }
}
