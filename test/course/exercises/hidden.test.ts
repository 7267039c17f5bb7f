/** What `exercise.yaml` says of hidden tests, and what `hidden/tests.yaml` has. */
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic } from "../../../src/base/index.js";
import { filesOf, maximumPoints, readExercise } from "../../../src/course/exercises/index.js";

const topology = JSON.stringify({
  hosts: { h1: { ip: "10.0.0.1/24", mac: "08:00:00:00:00:01" } },
  switches: { s1: {} },
  links: [["h1", "s1-p1"]],
});
const test = (name: string, points: number): string =>
  `  - { name: ${name}, points: ${points}, steps: [{ wait: 1ms }] }\n`;

function read(said: string, hidden?: string) {
  const diagnostics = new Diagnostics();
  const head = "title: T\nabout: A\nhands_in: [a.p4]\n";
  const texts: Record<string, string> = {
    ...{ "exercise.yaml": `${head}${said}tests:\n${test("seen", 4)}`, "topology.json": topology },
    ...{ "a.p4": "", ...(hidden === undefined ? {} : { "hidden/tests.yaml": hidden }) },
  };
  const exercise = readExercise(filesOf(new Map(Object.entries(texts))), "", diagnostics);
  return { exercise, errors: diagnostics.list.map(formatDiagnostic).join("\n") };
}

const two = `tests:\n${test("one", 1)}${test("two", 2.5)}`;

describe("hidden tests", () => {
  it("come after the visible ones, and have their place in their own file", () => {
    const { exercise, errors } = read("hidden: { tests: 2, points: 3.5 }\n", two);
    expect(errors).toBe("");
    expect(exercise!.tests.map(({ name, hidden }) => [name, hidden])).toEqual([
      ["seen", false],
      ["one", true],
      ["two", true],
    ]);
    expect(maximumPoints(exercise!)).toBe(7.5);
    expect(exercise!.hidden).toEqual({ tests: 2, points: 3.5, here: true });
    expect(exercise!.tests[1]!.span!.file.path).toBe("hidden/tests.yaml");
  });

  it("are known by number and points where their file is not there", () => {
    const { exercise, errors } = read("hidden: { tests: 2, points: 3.5 }\n");
    expect(errors).toBe("");
    expect(exercise!.tests).toHaveLength(1);
    expect(exercise!.hidden).toEqual({ tests: 2, points: 3.5, here: false });
    expect(read("").exercise!.hidden).toBeUndefined();
  });

  it.each([
    ["hidden: { tests: 1, points: 3.5 }\n", two, /exercise\.yaml:4:1: error\[P46308\].*\{ tests: 1, points/],
    ["hidden: { tests: 2, points: 3 }\n", two, /P46308[\s\S]*expected hidden: \{ tests: 2, points: 3\.5 \}/],
    ["", two, /error\[P46308\]: hidden\/tests\.yaml has hidden tests, and exercise\.yaml does not say so/],
    ["hidden: { tests: 0, points: 0 }\n", undefined, /exercise\.yaml:4:18: error\[P43004\]/],
    [
      "hidden: { tests: 1, points: 1 }\n",
      "tests: []\n",
      /hidden\/tests\.yaml:1:1: error\[P43004\]: tests: expected at least one test/,
    ],
    [
      "hidden: { tests: 1, points: 1 }\n",
      "tests:\n  - { name: n, points: 1, steps: [{ ping: { from: h1, to: h9 } }] }\n",
      /hidden\/tests\.yaml:2:59: error\[P46302\]/,
    ],
  ])("%j", (said, hidden, message) => {
    const { exercise, errors } = read(said, hidden);
    expect(exercise).toBeUndefined();
    expect(errors).toMatch(message);
  });
});
