/**
 * Solutions without their lesson: what an exercise is about is left out, or done in a way that looks alike. A review found that such programs
 * kept all points. None does; and the test of the lesson itself gives none.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import { maximumPoints, readExercise } from "../../../src/course/exercises/index.js";
import { runTests } from "../../../src/course/grading/index.js";
import { testsOnThisMachine } from "../../../src/course/submissions/index.js";
import { diskFiles } from "../../../src/toolchain/loading/index.js";

const course = resolve(import.meta.dirname, "../../../examples/course");

/** Runs the tests of an exercise on its solution with some lines changed. */
async function grade(name: string, change: (text: string) => string) {
  const exercise = readExercise(diskFiles, join(course, name), new Diagnostics())!;
  const file = exercise.handsIn[0]!;
  const solution = readFileSync(join(course, name, "solution", file), "utf8");
  const text = change(solution);
  expect(text).not.toBe(solution);
  const options = { ...testsOnThisMachine(exercise), story: false };
  const results = await runTests(exercise, new Map([[file, text]]), options);
  return {
    points: results.reduce((sum, one) => sum + one.points, 0),
    of: maximumPoints(exercise),
    failed: results.filter(({ passed }) => !passed).map((one) => one.name),
  };
}

const without = (pattern: RegExp) => (text: string) => text.replaceAll(pattern, "");
const FACK = "the sender gets a FACK for its data";

describe("a solution without its lesson", () => {
  it.each([
    ["12-fack", "cuts no payload off", without(/truncate\(54\);/g), FACK],
    ["12-fack", "keeps the length of the data's header", without(/hdr\.tcp\.offset = 5;/g), FACK],
    [
      "12-fack",
      "writes a new checksum into all data",
      (text: string) => text.replace("update_checksum(meta.is_fack", "update_checksum(hdr.tcp.isValid()"),
      "data and acknowledgements pass unchanged",
    ],
    [
      "06-flowlets",
      "alternates between the paths, packet by packet",
      (text: string) => text.replace("now - before > GAP_US", "now != before"),
      "a flow without pauses stays on its path",
    ],
  ])("%s that %s has fewer points, and fails the test of what is missing", async (name, _, change, test) => {
    const { points, of, failed } = await grade(name, change);
    expect(failed).toContain(test);
    expect(points).toBeLessThan(of);
  });

  it("13-fit without its scores and sums has fewer points", async () => {
    const { points, of } = await grade("13-fit", without(/^ *meta\.score\w* = .*;\n/gm));
    expect(points).toBeLessThan(of);
  });

  it("13-fit without any one of its scores or sums has fewer points", { timeout: 120_000 }, async () => {
    const solution = readFileSync(join(course, "13-fit/solution/scores.p4"), "utf8");
    const statements = [...solution.matchAll(/^ *meta\.score\w* = .*;\n/gm)];
    expect(statements).toHaveLength(28);
    for (const { 0: line, index } of statements) {
      const { points, of } = await grade(
        "13-fit",
        (text) => text.slice(0, index) + text.slice(index + line.length),
      );
      expect(points, line.trim()).toBeLessThan(of);
    }
  });
});
