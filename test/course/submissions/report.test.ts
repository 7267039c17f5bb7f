/** The tables of results. */
import { describe, expect, it } from "vitest";
import type { Exercise } from "../../../src/course/exercises/index.js";
import type { GradedSubmission } from "../../../src/course/submissions/grade-one.js";
import { reportFiles } from "../../../src/course/submissions/report.js";

const csvOf = (name: string): string => {
  const graded = { name, points: 1, of: 2, tests: [{ name: "t", points: 1 }] } as unknown as GradedSubmission;
  const files = reportFiles({ title: "T", tests: [{ name: "t" }] } as unknown as Exercise, [graded], "out");
  return String(files.find(({ path }) => path.endsWith("results.csv"))!.content).split("\r\n")[1]!;
};

describe("results.csv", () => {
  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\tx"])("has no formula of the name %j", (name) => {
    expect(csvOf(name)).toBe(`'${name},1,2,1`);
  });

  it("quotes what would end a cell, and leaves all else as it is", () => {
    expect(csvOf('a,"b"\r')).toBe('"a,""b""\r",1,2,1');
    expect(csvOf("ann @ home")).toBe("ann @ home,1,2,1");
  });
});
