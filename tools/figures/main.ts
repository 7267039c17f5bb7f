/**
 * `make figures`: makes the blocks of measured figures on the pages (docs/testing.md, "Figures by command").
 *
 *     npx tsx tools/figures/main.ts [--page PAGE] [--block NAME] [--slow]     runs blocks, stores their results, rewrites pages
 *     ... --resume DIR       runs of experiments stay in folders of DIR, and continue where an earlier command was ended
 *     npx tsx tools/figures/main.ts --render                                  rewrites pages from the store
 *     npx tsx tools/figures/main.ts --check                                   compares pages with the store; names what is out of date
 *     npx tsx tools/figures/main.ts --remake quick                            runs the quick blocks again and compares with the store
 *     npx tsx tools/figures/main.ts --page PAGE --block NAME --keep NOTE [--results FILE] [--date DATE] [--commit COMMIT]
 *         keeps the results of the store (or takes those of FILE) without a run; the page shows NOTE
 *
 * Without a block: the quick ones and those without results; with `--slow` also those that are slow. Exit status 0: all blocks
 * were made and agree; 1: not.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { pageName } from "./block.js";
import { commitOf, made, Runner, today } from "./execute.js";
import { type Problem, shown } from "./markdown.js";
import {
  chosenForCi,
  definedPages,
  type Entry,
  entriesOf,
  markdownFiles,
  problemsOfBlocks,
  remakeCommand,
  renderedPage,
} from "./project.js";
import { hashesOf, isQuick, linesOf, storePath, writeStored } from "./store.js";

const root = resolve(import.meta.dirname, "../..");

const { values: options } = parseArgs({
  options: {
    page: { type: "string" },
    block: { type: "string" },
    slow: { type: "boolean", default: false },
    render: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    remake: { type: "string" },
    resume: { type: "string" },
    keep: { type: "string" },
    results: { type: "string" },
    date: { type: "string" },
    commit: { type: "string" },
  },
});

const pages = await definedPages(root);
const entries = () => entriesOf(root, pages);
const label = ({ on, name }: Entry) => `${on}:${name}`;

/** Builds the command when a source is newer. */
function build(): void {
  const { status } = spawnSync(process.execPath, ["tools/build-command.mjs", "--if-stale"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  if (status !== 0) throw new Error("the command cannot be built");
}

/** Writes the figures of the store into all pages, or only compares. */
function render(write: boolean): Problem[] {
  const problems: Problem[] = [];
  const all = entries();
  for (const path of markdownFiles(root)) {
    const { text, problems: found } = renderedPage(root, path, all);
    problems.push(...found);
    if (text === readFileSync(join(root, path), "utf8")) continue;
    if (write) {
      writeFileSync(join(root, path), text);
      console.log(`wrote ${path}`);
    } else
      problems.push({
        path,
        line: 1,
        message: "its figures differ from docs/figures: make figures RENDER=1",
      });
  }
  return problems;
}

/** The blocks that the options name. */
function chosen(): Entry[] {
  const { page, block: name } = options;
  const on = page === undefined ? undefined : pageName(page);
  const named = entries().filter(
    (entry) => (on === undefined || entry.on === on) && (name === undefined || entry.name === name),
  );
  if (named.length === 0) {
    const known = entries().filter((entry) => on === undefined || entry.on === on);
    const list = (known.length > 0 ? known : entries()).map(label).join(", ");
    throw new Error(`no block ${name ?? ""} of page ${page ?? "(any)"}; there are: ${list || "none"}`);
  }
  if (name !== undefined || options.slow) return named;
  return named.filter(
    ({ block, stored }) => isQuick(block, stored) || (stored === undefined && !block.slow && !block.timed),
  );
}

async function make(): Promise<void> {
  const runner = new Runner(root, options.resume && resolve(options.resume));
  for (const entry of chosen()) {
    const stored = await made(runner, entry.block);
    writeStored(root, entry.on, entry.name, stored);
    const time = stored.processor_seconds;
    console.log(`${label(entry)}: ${time === undefined ? "made" : `${time} s of processor time`}`);
  }
}

/** Takes results over without a run, with the reason. */
function keep(note: string): void {
  const [entry, ...others] = chosen();
  if (options.block === undefined || others.length > 0) throw new Error("--keep needs --page and --block");
  const { block, stored, on, name } = entry!;
  const results =
    options.results === undefined ? stored?.results : JSON.parse(readFileSync(options.results, "utf8"));
  if (results === undefined) throw new Error(`${label(entry!)} has no results: --results FILE`);
  writeStored(root, on, name, {
    ...(stored ?? {}),
    runs: linesOf(block),
    inputs: hashesOf(root, block),
    date: options.date ?? stored?.date ?? today(),
    commit: options.commit ?? stored?.commit ?? commitOf(root),
    note,
    results,
  });
  console.log(`wrote ${storePath(on, name)}`);
}

/** The lines of two JSON texts that differ. */
function difference(before: unknown, after: unknown): string[] {
  const [old, now] = [before, after].map((value) => JSON.stringify(value, undefined, 1).split("\n")) as [
    string[],
    string[],
  ];
  const only = (here: string[], there: string[], sign: string) => {
    const others = new Set(there);
    return here.filter((line) => !others.has(line)).map((line) => `  ${sign} ${line.trim()}`);
  };
  return [...only(old, now, "-"), ...only(now, old, "+")].slice(0, 60);
}

/** Runs blocks again and compares their results with the store. */
async function remake(): Promise<number> {
  const queue = chosenForCi(entries());
  const total = entries().length;
  const count = queue.length;
  const runner = new Runner(root);
  let differing = 0;
  const worker = async () => {
    for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) {
      const now = await runner.results(entry.block).then(
        ({ results }) => results,
        (error: Error) => ({ failed: error.message }),
      );
      if (isDeepStrictEqual(now, entry.stored!.results)) continue;
      differing++;
      console.log(`${label(entry)}: differs from ${storePath(entry.on, entry.name)}`);
      for (const line of difference(entry.stored!.results, now)) console.log(line);
      console.log(`  if this is right: ${remakeCommand(entry.on, entry.name)}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  console.log(`figures: remade ${count} of ${total} blocks, ${differing} differ`);
  return differing;
}

async function main(): Promise<number> {
  if (options.check) {
    const problems = [...render(false), ...problemsOfBlocks(root, pages, entries())];
    for (const problem of problems) console.log(shown(problem));
    return problems.length;
  }
  if (options.remake !== undefined) {
    if (options.remake !== "quick") throw new Error(`--remake ${options.remake}: only "quick" can be remade`);
    build();
    return remake();
  }
  if (options.keep !== undefined) keep(options.keep);
  else if (!options.render) {
    build();
    await make();
  }
  const page = options.page === undefined ? undefined : pageName(options.page);
  const problems = render(true).filter(({ path }) => page === undefined || pageName(path) === page);
  for (const problem of problems) console.log(shown(problem));
  return problems.length;
}

try {
  process.exitCode = (await main()) === 0 ? 0 : 1;
} catch (error) {
  console.error(`figures: ${(error as Error).message}`);
  process.exitCode = 1;
}
