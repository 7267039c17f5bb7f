/**
 * Does a run ten times as long move the means of the shipped comparisons (docs/load.md, "A run ten times as long")?
 *
 *     npx tsx tools/ten-times.ts --out DIR [--seed S] [--cells N] [--seconds T]     checks cells, in an order that the seed draws
 *     ... --file NAME [--point P] [--scheme S]     cells of this file alone, such as rivals, or one of them by its numbers from 0
 *     ... --settled       leaves out cells that have not converged or end in the transient, as their own run says
 *     ... --workers N     processes of each run (default: the number of processors)
 *     ... --json          prints the finished cells as JSON at the end; with --cells 0 nothing runs
 *
 * A cell is a scheme at a point of a file of examples/compare. Its mean slowdown and the interval are those of the file's own run,
 * `DIR/runs/NAME` (with `--resume`, which runs again what is out of date); the long run has ten times the flows, or the duration, under as many seeds,
 * which begin with the same flows. A finished cell is a line of DIR/cells.jsonl and is not run again while the contents of its file are
 * the same, so that a command that was ended continues where it stopped; `--cells` and `--seconds` end it. The first cells of the order are an even
 * sample of all. Cells of which the command itself says that they have not converged are counted apart.
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
import {
  type Cell,
  type Checked,
  cellsOf,
  countsOf,
  drawn,
  type File,
  isSettled,
  longFile,
  moved,
  pointsOf,
} from "./ten-times/cells.js";

const root = resolve(import.meta.dirname, "..");
const FOLDER = join(root, "examples/compare");

/** Files without a mean of a steady state, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  permutation: "each host sends to its partner once: the run has an end of its own",
  "trimming-fabric": "24 messages that start one after the other: the run has an end of its own",
  "spraying-failure": "twelve messages that start together meet a fault: the run has an end of its own",
  "load-testbed": "one seed, as on real switches: no interval",
  "rivals-testbed": "one seed, as on real switches: no interval",
  "rates-testbed": "one seed, as on real switches: no interval",
};

const { values: options } = parseArgs({
  options: {
    out: { type: "string" },
    seed: { type: "string", default: "1" },
    cells: { type: "string", default: "1000000" },
    seconds: { type: "string", default: "1000000" },
    file: { type: "string" },
    settled: { type: "boolean", default: false },
    point: { type: "string" },
    scheme: { type: "string" },
    workers: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
if (options.out === undefined) throw new Error("--out DIR: the folder of runs and finished cells");
const out = resolve(options.out);
mkdirSync(out, { recursive: true });

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

/** Runs a file into a folder, whose results it returns. Throws with the end of the messages. */
function results(path: string, folder: string): File {
  const workers = options.workers === undefined ? [] : ["--workers", options.workers];
  const args = [join(root, "dist/cli/main.js"), "run", path, "--out", folder, "--resume", ...workers];
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
function ownOf(name: string): File {
  const known = ownResults.get(name) ?? results(join(FOLDER, `${name}.yaml`), join(out, "runs", name));
  ownResults.set(name, known);
  return known;
}

function checked(cell: Cell): Checked {
  const hash = hashOf(cell.file);
  const row = rowOf(cell, ownOf(cell.file));
  const long = mkdtempSync(join(out, "long-"));
  try {
    const path = join(long, `${cell.file}.yaml`);
    writeFileSync(path, stringify(longFile(readFile(cell.file), cell, row.seeds, FOLDER)));
    const document = results(path, join(long, "out"));
    return {
      ...cell,
      mean: row.slowdown_mean,
      half: row.slowdown_mean_ci95,
      long: all(document)[0].slowdown_mean,
      seeds: row.seeds,
      ...(row.converged === undefined ? {} : { converged: row.converged }),
      warned: (document.warnings ?? []).some((text: string) => text.includes("transient")),
      hash,
    };
  } finally {
    rmSync(long, { recursive: true, force: true });
  }
}

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

/** Progress; standard output is for `--json`. */
const say = (text: string) => (options.json ? console.error(text) : console.log(text));

const order = drawn(
  names.flatMap((name) => cellsOf(name, readFile(name))),
  Number(options.seed),
);
const is = (asked: string | undefined, value: string | number) =>
  asked === undefined || asked === String(value);
const chosen = order.filter(
  ({ file, point, scheme }) =>
    is(options.file, file) && is(options.point, point) && is(options.scheme, scheme),
);
const wanted = (cell: Cell) => !options.settled || isSettled(rowOf(cell, ownOf(cell.file)));
const end = performance.now() + 1000 * Number(options.seconds);
for (const cell of chosen.slice(0, Number(options.cells))) {
  if (performance.now() > end) break;
  if (finished().some((one) => same(one, cell)) || !wanted(cell)) continue;
  const one = checked(cell);
  appendFileSync(list, `${JSON.stringify(one)}\n`);
  const outcome = `${moved(one) ? ": moved" : ""}${one.converged === "no" ? ", not converged" : ""}`;
  const text = `${one.mean} ± ${one.half}, ten times as long ${one.long}${outcome}`;
  say(`${cell.file}, point ${cell.point}, scheme ${cell.scheme}: ${text}`);
}
const done = finished();
const counts = countsOf(done);
say(`${counts.cells} of ${order.length} cells, ${counts.moved} moved`);
if (counts.open > 0)
  say(`${counts.open} more have not converged, as the command says; ${counts.openMoved} moved`);
if (options.json) console.log(JSON.stringify({ of: order.length, counts, cells: done }));
