/**
 * Runs the whole suite: `npx tsx tools/suite.ts [--again] [--report FILE]`. The labs run in parallel with all other tests,
 * because labs mostly wait. The other tests run at a lower priority, so that a lab gets a processor when it needs one.
 *
 * `--again`: if at most 6 files failed, and all of them are tests with processes, kernels or browsers, each of them runs
 * once more, alone, after the suite. The second outcome counts. `--report FILE`: writes the outcome and the time of each
 * test file, and the totals, as JSON.
 *
 * The last line says how many tests passed, failed and were skipped. Exit status 0: no test failed.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { getPriority, setPriority, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { endGroup } from "./suite/end-group.js";
import {
  endedWith,
  filesToRunAgain,
  joined,
  lastLine,
  type RunOutcome,
  totalsOf,
  withSecondRun,
} from "./suite/outcome.js";

const { values: options } = parseArgs({
  options: { again: { type: "boolean", default: false }, report: { type: "string" } },
});

/** Priority of all tests except labs (0 is the usual one, 19 the lowest). */
const LOW_PRIORITY = Math.min(19, getPriority() + 10);

const vitest = resolve(import.meta.dirname, "../node_modules/vitest/vitest.mjs");
const reporter = resolve(import.meta.dirname, "suite/reporter.ts");
const folder = mkdtempSync(join(tmpdir(), "p4loom-suite-"));
const running = new Set<ChildProcess>();
let runs = 0;

/** Runs vitest with arguments, and passes on what it prints line by line. */
async function run(args: readonly string[], priority = getPriority()): Promise<RunOutcome> {
  const outcome = join(folder, `${++runs}.json`);
  const child = spawn(
    process.execPath,
    // A snapshot that is not in the repository fails: written here, it would pass here and fail on a fresh clone.
    [vitest, "run", "--update=none", "--reporter=default", `--reporter=${reporter}`, ...args],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, P4LOOM_OUTCOME: outcome },
      // A group of its own, so that the processes that its tests started end with it.
      detached: true,
    },
  );
  running.add(child);
  if (priority !== getPriority()) setPriority(child.pid!, priority);
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => console.log(line));
  const status = await new Promise<number | null>((ended) => child.on("close", ended));
  running.delete(child);
  if (existsSync(outcome)) return endedWith(JSON.parse(readFileSync(outcome, "utf8")) as RunOutcome, status);
  console.log(`vitest ended without an outcome: ${args.join(" ")}`);
  return { files: [], errors: 1 };
}

let stopped = false;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
  process.on(signal, () => {
    stopped = true;
    for (const child of running) endGroup(child, signal);
  });

try {
  let outcome = joined(
    await Promise.all([
      run(["--project=rooms", "--project=processes"], LOW_PRIORITY),
      run(["--project=labs"]),
    ]),
  );
  if (options.again && !stopped)
    for (const file of filesToRunAgain(outcome)) {
      const second = await run([file]);
      outcome = withSecondRun(outcome, second);
      console.log(`ran again alone: ${file}: ${totalsOf(second).failed === 0 ? "passed" : "failed"}`);
    }
  for (const { file, failed } of outcome.files) if (failed > 0) console.log(`failed: ${file}`);
  const totals = totalsOf(outcome);
  if (options.report !== undefined) {
    mkdirSync(dirname(resolve(options.report)), { recursive: true });
    writeFileSync(options.report, `${JSON.stringify({ ...totals, ...outcome }, undefined, 1)}\n`);
  }
  console.log(lastLine(outcome));
  process.exitCode = totals.failed === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
