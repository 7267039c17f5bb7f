/** A set-up file of vitest: writes the processor time of each test file, with that of the processes that it started, where P4LOOM_TEST_TIMES names a file. */
import { appendFileSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";

const MS_A_TICK = 10;

/** Milliseconds of this process and of its processes that have ended. */
function processorTime(): number {
  const fields = readFileSync("/proc/self/stat", "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return MS_A_TICK * fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
}

const file = process.env["P4LOOM_TEST_TIMES"];
if (file !== undefined) {
  let start = 0;
  beforeAll(() => {
    start = processorTime();
  });
  afterAll(() => {
    const path = relative(process.cwd(), expect.getState().testPath!);
    appendFileSync(file, `${JSON.stringify([path, processorTime() - start])}\n`);
  });
}
