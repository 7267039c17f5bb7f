/** What a grading says of an earlier one. */
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import type { GradedSubmission } from "../../../src/course/submissions/grade-one.js";
import {
  changesCsv,
  changesSince,
  changesText,
  readEarlierResults,
} from "../../../src/course/submissions/regrade.js";
import { digestOf } from "../../../src/course/submissions/versions.js";

const versions = { p4loom: "1.2.3", exercise: "0123456789abcdef", engine: "sim" };

function graded(name: string, points: Readonly<Record<string, number>>, files = "same"): GradedSubmission {
  const tests = Object.entries(points).map(([test, own]) => ({
    ...{ name: test, points: own, of: 5, passed: own > 0, details: [], story: [] },
  }));
  return { name, points: tests.reduce((sum, one) => sum + one.points, 0), of: 10, files, tests };
}

const read = (text: string) => readEarlierResults(new SourceFile("results.json", text), new Diagnostics());
const results = (submissions: readonly GradedSubmission[], more: object = {}) =>
  read(JSON.stringify({ exercise: "T", versions: { ...versions, ...more }, submissions }));

describe("a regrade", () => {
  it("says nothing of what is as before", () => {
    const all = [graded("ann", { one: 2 }), graded("bob", { one: 0 })];
    const changes = changesSince(results(all), versions, all);
    expect(changes).toEqual({ versions: [], submissions: [], same: 2 });
    expect(changesText(changes)).toEqual(["versions: the same", "0 changed, 2 as before"]);
  });

  it("names submissions with other points, with their tests, and versions that differ", () => {
    const before = results(
      [
        graded("ann", { one: 2, two: 0, old: 1 }),
        graded("bob", { one: 2 }),
        graded("carl", { one: 2 }),
        graded("eve", { one: 0, two: 3 }, "a"),
      ],
      { exercise: "fedcba9876543210" },
    );
    const now = [
      graded("ann", { one: 2, two: 3, new: 0 }),
      graded("bob", { one: 2 }),
      graded("dan", { one: 2 }),
      graded("eve", { one: 3, two: 0 }, "b"),
    ];
    const changes = changesSince(before, versions, now);
    expect(changes).toEqual({
      versions: [{ of: "exercise", before: "fedcba9876543210", now: "0123456789abcdef" }],
      submissions: [
        {
          ...{ name: "ann", before: 3, now: 5, files: "same" },
          tests: [
            { name: "two", before: 0, now: 3 },
            { name: "new", before: null, now: 0 },
            { name: "old", before: 1, now: null },
          ],
        },
        { name: "carl", before: 2, now: null, files: "gone", tests: [] },
        { name: "dan", before: null, now: 2, files: "new", tests: [] },
        {
          ...{ name: "eve", before: 3, now: 3, files: "changed" },
          tests: [
            { name: "one", before: 0, now: 3 },
            { name: "two", before: 3, now: 0 },
          ],
        },
      ],
      same: 1,
    });
    const text = changesText(changes);
    expect(text[0]).toBe("versions: exercise fedcba9876543210 -> 0123456789abcdef");
    expect(text[3]).toMatch(/^ann +3 +5 +same +two: 0 -> 3; new: - -> 0; old: 1 -> -$/);
    expect(text.at(-1)).toBe("4 changed, 1 as before");
    expect(changesCsv(changes).split("\r\n").slice(0, 3)).toEqual([
      "submission,before,now,files,tests",
      "ann,3,5,same,two: 0 -> 3; new: - -> 0; old: 1 -> -",
      "carl,2,,gone,",
    ]);
  });

  it("names a submission whose files changed, with the same points", () => {
    const changes = changesSince(results([graded("ann", { one: 2 }, "a")]), versions, [
      graded("ann", { one: 2 }, "b"),
    ]);
    expect(changes.submissions).toEqual([{ name: "ann", before: 2, now: 2, files: "changed", tests: [] }]);
  });

  it.each([
    ["{", /results\.json:1:.*P43001/],
    ['{ "exercise": "T", "submissions": [] }', /results\.json:1:.*P43003.*versions/],
    [
      '{ "exercise": "T", "versions": { "p4loom": "1", "exercise": "a", "engine": "sim" }, "submissions": [{ "name": 1 }] }',
      /results\.json:1:.*P4300[34]/,
    ],
  ])("reports at their place errors of a file that is no results.json: %s", (text, message) => {
    const diagnostics = new Diagnostics();
    expect(() => readEarlierResults(new SourceFile("results.json", text), diagnostics)).toThrow();
    expect(diagnostics.list.map(formatDiagnostic).join("\n")).toMatch(message);
  });
});

describe("the digest of files", () => {
  it("does not depend on their order, and tells names from texts", () => {
    const one = digestOf([
      ["a.p4", "x"],
      ["b.p4", "y"],
    ]);
    expect(one).toMatch(/^[0-9a-f]{16}$/);
    expect(
      digestOf([
        ["b.p4", "y"],
        ["a.p4", "x"],
      ]),
    ).toBe(one);
    for (const other of [
      [["a.p4", "xb.p4y"]],
      [
        ["a.p4", "y"],
        ["b.p4", "x"],
      ],
      [["a.p4", "x"]],
    ] as [string, string][][])
      expect(digestOf(other)).not.toBe(one);
  });
});
