/**
 * Does a run ten times as long move the means of the shipped comparisons (docs/load.md, "A run ten times as long")?
 *
 *     npx tsx tools/ten-times.ts --out DIR [--seed S] [--cells N] [--seconds T]     checks cells, in an order that the seed draws
 *     ... --file NAME     cells of this file alone, such as rivals
 *     ... --json          prints the finished cells as JSON at the end; with --cells 0 nothing runs
 *
 * A cell is a scheme at a point of a file of examples/compare. Its mean slowdown and the interval are those of the file's own run,
 * `DIR/runs/NAME` (with `--resume`, which runs again what is out of date); the long run has ten times the flows, or the duration, under as many seeds,
 * which begin with the same flows. A finished cell is a line of DIR/cells.jsonl and is not run again while the contents of its file are
 * the same, so that a command that was ended continues where it stopped; `--cells` and `--seconds` end it. The first cells of the order are an even
 * sample of all.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { parse, stringify } from "yaml";
import { Random } from "../src/base/index.js";

const root = resolve(import.meta.dirname, "..");
const FOLDER = join(root, "examples/compare");
const TIMES = 10;

/** Files without a mean of a steady state, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  permutation: "each host sends to its partner once: the run has an end of its own",
  "spraying-failure": "twelve messages that start together meet a fault: the run has an end of its own",
  "load-testbed": "one seed, as on real switches: no interval",
  "rivals-testbed": "one seed, as on real switches: no interval",
  "rates-testbed": "one seed, as on real switches: no interval",
};

// biome-ignore lint/suspicious/noExplicitAny: the contents of an experiment file.
type File = any;
type Values = Readonly<Record<string, unknown>>;

interface Cell {
  readonly file: string;
  /** Number of the point and of the scheme, from 0, in the order of the rows. */
  readonly point: number;
  readonly scheme: number;
}

/** A finished cell: the mean and half of its 95 % interval of the file's run, and the mean of the long run. */
interface Checked extends Cell {
  readonly mean: number;
  readonly half: number;
  readonly long: number;
  readonly seeds: number;
  readonly warned: boolean;
  /** Hash of the contents of the file. */
  readonly hash: string;
}

const textOf = (name: string): string => readFileSync(join(FOLDER, `${name}.yaml`), "utf8");
const readFile = (name: string): File => parse(textOf(name));
const hashOf = (name: string): string => createHash("sha256").update(textOf(name)).digest("hex").slice(0, 16);

/** Files of load with an interval. */
const names = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => name.replace(".yaml", ""))
  .filter((name) => !(name in LEFT_OUT))
  .filter((name) => readFile(name).traffic !== undefined)
  .sort();

/** The values of the swept keys of all points, in the order of the rows: the last key varies first. */
function pointsOf({ sweep = {} }: File): Values[] {
  const dimensions = Object.entries(sweep as Record<string, unknown>)
    .filter(([key]) => key !== "seeds")
    .map(([key, list]) =>
      (list as unknown[]).map((value): Values => (key === "points" ? (value as Values) : { [key]: value })),
    );
  return dimensions.reduce<Values[]>(
    (points, values) => points.flatMap((point) => values.map((value) => ({ ...point, ...value }))),
    [{}],
  );
}

function cellsOf(name: string): Cell[] {
  const file = readFile(name);
  return pointsOf(file).flatMap((_, point) =>
    file.schemes.map((_scheme: unknown, scheme: number) => ({ file: name, point, scheme })),
  );
}

/** `flows`, `measured_flows` and `duration`, ten times as large; values as in a file: numbers, times with a unit. */
function lengthened(value: unknown, key = ""): unknown {
  const last = key.split(".").at(-1);
  if ((last === "flows" || last === "measured_flows") && typeof value === "number") return TIMES * value;
  if (last === "duration" && typeof value === "string")
    return value.replace(/^[\d.]+/, (number) => String(TIMES * Number(number)));
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, lengthened(part, name)]));
}

const labelOf = (scheme: File): string | undefined =>
  typeof scheme === "string" ? scheme : (scheme.label ?? scheme.scheme);

/** The file of the cell alone, ten times as long, under `seeds` seeds. */
function longFile({ file: name, point, scheme: index }: Cell, seeds: number): File {
  const { until, sweep: _swept, ...file } = readFile(name);
  const scheme = file.schemes[index];
  if (typeof scheme === "object") scheme.scheme = scheme.scheme.replace(/^\.\.\//, `${root}/examples/`);
  // A parameter of another scheme is no key of this file.
  const values = Object.entries(pointsOf(readFile(name))[point]!).filter(
    ([key]) => !key.startsWith("schemes.") || key.startsWith(`schemes.${labelOf(scheme)}.`),
  );
  const points = values.length === 0 ? {} : { points: [lengthened(Object.fromEntries(values))] };
  const { traffic, measured_flows } = file;
  return {
    ...file,
    // The default of a file with `until`.
    ...(until === undefined ? {} : { warm_up: file.warm_up ?? "auto" }),
    ...(lengthened({ traffic, measured_flows }) as File),
    kind: "load",
    schemes: [scheme],
    sweep: { ...points, seeds },
  };
}

/** Runs a file into a folder, whose results it returns. Throws with the end of the messages. */
function results(path: string, folder: string): File {
  const args = [join(root, "dist/cli/main.js"), "run", path, "--out", folder, "--resume"];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 2 ** 28 });
  if (status !== 0) throw new Error(`p4loom run ${path}: exit status ${status}\n${stderr.slice(-2000)}`);
  return JSON.parse(readFileSync(join(folder, "results.json"), "utf8"));
}

const all = ({ rows }: File): File[] => rows.filter(({ size }: File) => size === "all");

/** The cell's row in the results of the file. */
function rowOf({ file: name, point, scheme }: Cell, document: File): File {
  const file = readFile(name);
  const rows = all(document);
  if (rows.length !== pointsOf(file).length * file.schemes.length)
    throw new Error(`${name}: ${rows.length} rows, and not one for each point and scheme`);
  return rows[point * file.schemes.length + scheme];
}

/** The results of the files' own runs, by name. */
const ownResults = new Map<string, File>();

/** The results of the file's own run. The first call for a file runs those of its jobs that are missing or out of date. */
function ownOf(name: string, out: string): File {
  const known = ownResults.get(name) ?? results(join(FOLDER, `${name}.yaml`), join(out, "runs", name));
  ownResults.set(name, known);
  return known;
}

function checked(cell: Cell, out: string): Checked {
  const hash = hashOf(cell.file);
  const row = rowOf(cell, ownOf(cell.file, out));
  const long = mkdtempSync(join(out, "long-"));
  try {
    const path = join(long, `${cell.file}.yaml`);
    writeFileSync(path, stringify(longFile(cell, row.seeds)));
    const document = results(path, join(long, "out"));
    return {
      ...cell,
      mean: row.slowdown_mean,
      half: row.slowdown_mean_ci95,
      long: all(document)[0].slowdown_mean,
      seeds: row.seeds,
      warned: document.warnings.some((text: string) => text.includes("transient")),
      hash,
    };
  } finally {
    rmSync(long, { recursive: true, force: true });
  }
}

/** All cells in the order that the seed draws (Fisher and Yates). */
function drawn(seed: number): Cell[] {
  const cells = names.flatMap(cellsOf);
  const random = new Random(seed);
  for (let i = cells.length - 1; i > 0; i--) {
    const j = Math.floor(random.float() * (i + 1));
    [cells[i], cells[j]] = [cells[j]!, cells[i]!];
  }
  return cells;
}

const { values: options } = parseArgs({
  options: {
    out: { type: "string" },
    seed: { type: "string", default: "1" },
    cells: { type: "string", default: "1000000" },
    seconds: { type: "string", default: "1000000" },
    file: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
if (options.out === undefined) throw new Error("--out DIR: the folder of runs and finished cells");
const out = resolve(options.out);
mkdirSync(out, { recursive: true });
const list = join(out, "cells.jsonl");
/** The finished cells of files whose contents are still the same. */
const finished = (): Checked[] =>
  existsSync(list)
    ? readFileSync(list, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line): Checked => JSON.parse(line))
        .filter(({ file, hash }) => names.includes(file) && hash === hashOf(file))
    : [];
const same = (a: Cell, b: Cell) => a.file === b.file && a.point === b.point && a.scheme === b.scheme;
const moved = ({ mean, half, long }: Checked) => Math.abs(long - mean) > half;

/** Progress; standard output is for `--json`. */
const say = (text: string) => (options.json ? console.error(text) : console.log(text));

const order = drawn(Number(options.seed));
const chosen = order.filter(({ file }) => options.file === undefined || file === options.file);
const end = performance.now() + 1000 * Number(options.seconds);
for (const cell of chosen.slice(0, Number(options.cells))) {
  if (performance.now() > end) break;
  if (finished().some((one) => same(one, cell))) continue;
  const one = checked(cell, out);
  appendFileSync(list, `${JSON.stringify(one)}\n`);
  const text = `${one.mean} ± ${one.half}, ten times as long ${one.long}${moved(one) ? ": moved" : ""}`;
  say(`${cell.file}, point ${cell.point}, scheme ${cell.scheme}: ${text}`);
}
const done = finished();
say(`${done.length} of ${order.length} cells, ${done.filter(moved).length} moved`);
if (options.json) console.log(JSON.stringify({ of: order.length, cells: done }));
