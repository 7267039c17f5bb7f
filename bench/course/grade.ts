/**
 * Grading: 200 submissions of the second exercise, half of them solutions and half starters, on two workers, with all
 * isolation that the machine has. The command must have been built (`npm run build`).
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Diagnostics } from "../../src/base/index.js";
import { findSubmissions, gradeAll, openExerciseFolder } from "../../src/course/submissions/index.js";
import type { Benchmark } from "../benchmark.js";

const COUNT = 200;
const WORKERS = 2;
const folder = resolve(import.meta.dirname, "../../examples/course/02-lpm-ttl");

export const run: Benchmark = async (report) => {
  process.env["P4LOOM_COMMAND"] ??= resolve(import.meta.dirname, "../../dist/cli/main.js");
  const submissions = mkdtempSync(join(tmpdir(), "p4loom-grade-"));
  try {
    for (let i = 0; i < COUNT; i++) {
      const from = i % 2 === 0 ? join(folder, "solution/routing.p4") : join(folder, "routing.p4");
      cpSync(from, join(submissions, `${String(i).padStart(3, "0")}.p4`));
    }
    const diagnostics = new Diagnostics();
    const exercise = openExerciseFolder(folder, diagnostics);
    const found = findSubmissions(submissions, exercise.handsIn, diagnostics);
    const start = performance.now();
    const results = await gradeAll(found, exercise, folder, diagnostics, { workers: WORKERS });
    const seconds = (performance.now() - start) / 1000;
    const wrong = results.filter(({ points, of }, index) => (index % 2 === 0 ? points !== of : points !== 0));
    if (wrong.length > 0) throw new Error(`${wrong.length} of ${COUNT} have other points than they should`);
    process.stderr.write(`load ${loadavg()[0]!.toFixed(1)} on ${availableParallelism()} processors\n`);
    report({ name: `grade: ${COUNT} submissions, ${WORKERS} workers`, unit: "s", value: seconds });
  } finally {
    rmSync(submissions, { recursive: true, force: true });
  }
};
