/** The teacher's page has each exercise with its points, and a plan with each of them. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { Diagnostics } from "../../src/base/index.js";
import { maximumPoints, readExercise } from "../../src/course/exercises/index.js";
import { diskFiles } from "../../src/toolchain/loading/index.js";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/teaching.md"), "utf8");
const course = join(root, "examples/course");

it("lists the exercises with their points", () => {
  const rows = [...page.matchAll(/^\| (\d\d-[a-z0-9-]+) \| [^|]+ \| [\d.]+ \| (\d+) \| [^|]+ \|$/gm)];
  const points = readdirSync(course)
    .sort()
    .map((name) => [
      name,
      String(maximumPoints(readExercise(diskFiles, join(course, name), new Diagnostics())!)),
    ]);
  expect(rows.map(([, name, of]) => [name, of])).toEqual(points);
});

it("has each exercise in the plan of a term", () => {
  const plan = page.slice(page.indexOf("## A term"), page.indexOf("Six weeks"));
  for (const name of readdirSync(course)) expect(plan, name).toMatch(new RegExp(`\\b${name.slice(0, 2)}\\b`));
});
