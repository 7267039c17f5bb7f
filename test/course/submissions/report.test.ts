/** The tables of results. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Exercise } from "../../../src/course/exercises/index.js";
import type { TestResult } from "../../../src/course/grading/index.js";
import type { GradedSubmission } from "../../../src/course/submissions/grade-one.js";
import { reportFiles } from "../../../src/course/submissions/report.js";
import { failureLines } from "../../../src/course/submissions/result-lines.js";

/** What Gradescope reads of an autograder (gradescope-autograders.readthedocs.io, "Output format"); other keys are an error here. */
const visibility = z.enum(["hidden", "after_due_date", "after_published", "visible"]);
const textFormat = z.enum(["text", "html", "simple_format", "md", "ansi"]);
const gradescopeSchema = z.strictObject({
  score: z.number().nonnegative(),
  execution_time: z.number().optional(),
  output: z.string().optional(),
  output_format: textFormat.optional(),
  test_output_format: textFormat.optional(),
  test_name_format: textFormat.optional(),
  visibility: visibility.optional(),
  stdout_visibility: visibility.optional(),
  extra_data: z.record(z.string(), z.unknown()).optional(),
  tests: z.array(
    z.strictObject({
      score: z.number(),
      max_score: z.number().positive(),
      status: z.enum(["passed", "failed"]),
      name: z.string().min(1),
      name_format: textFormat.optional(),
      number: z.string(),
      output: z.string(),
      output_format: textFormat,
      tags: z.array(z.string()).optional(),
      visibility,
      extra_data: z.record(z.string(), z.unknown()).optional(),
    }),
  ),
});

const versions = { p4loom: "1.2.3", exercise: "0123456789abcdef", engine: "sim" };

const csvOf = (name: string): string => {
  const graded = { name, points: 1, of: 2, tests: [{ name: "t", points: 1 }] } as unknown as GradedSubmission;
  const files = reportFiles(
    { title: "T", tests: [{ name: "t" }] } as unknown as Exercise,
    [graded],
    "out",
    versions,
  );
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

describe("the files of results", () => {
  const test = (more: Partial<TestResult>): TestResult => ({
    ...{ name: "t", passed: false, points: 0, of: 3, details: [], story: [] },
    ...more,
  });
  const failed = test({
    ...{ name: "second", expected: "a packet", seen: "none", place: "x.yaml:3", hint: "Do TODO 1" },
    ...{ details: ["d1", "d2"], story: ["s1: in", "s1: out"] },
  });
  const passed = test({ name: "first", passed: true, points: 3 });
  const ann: GradedSubmission = { name: "ann", points: 3, of: 6, files: "a", tests: [passed, failed] };
  const bob: GradedSubmission = { name: "bob", points: 0, of: 6, files: "b", tests: [failed, failed] };
  const exercise = { title: "T", tests: [{ name: "first" }, { name: "second" }] } as unknown as Exercise;
  const filesOf = () =>
    new Map(
      reportFiles(exercise, [ann, bob], "out", versions).map(({ path, content }) => [path, String(content)]),
    );

  it("are JSON with all that is known, a table, and a folder of Gradescope for each submission", () => {
    const files = filesOf();
    expect([...files.keys()]).toEqual([
      ...["out/results.json", "out/results.csv"],
      ...["out/students/ann.txt", "out/gradescope/ann/results.json"],
      ...["out/students/bob.txt", "out/gradescope/bob/results.json"],
    ]);
    expect(JSON.parse(files.get("out/results.json")!)).toEqual({
      ...{ exercise: "T", versions, submissions: [ann, bob] },
    });
    expect(files.get("out/results.csv")).toBe(
      "submission,points,of,first,second\r\nann,3,6,3,0\r\nbob,0,6,0,0\r\n",
    );
  });

  it("have for Gradescope a number, the points and the report of each test, visible to students", () => {
    const common = { max_score: 3, output_format: "text", visibility: "visible" };
    expect(JSON.parse(filesOf().get("out/gradescope/ann/results.json")!)).toEqual({
      score: 3,
      tests: [
        { ...common, number: "1", name: "first", score: 3, status: "passed", output: "" },
        {
          ...{ ...common, number: "2", name: "second", score: 0, status: "failed" },
          output: failureLines(failed).join("\n"),
        },
      ],
    });
  });

  it("have for Gradescope the published keys alone, hidden tests among them as one test", () => {
    const secret = test({ name: "secret", hidden: true });
    const carol: GradedSubmission = {
      name: "carol",
      points: 3,
      of: 9,
      files: "c",
      tests: [passed, failed, secret],
    };
    for (const { path, content } of reportFiles(exercise, [ann, bob, carol], "out", versions)) {
      if (!path.includes("gradescope/")) continue;
      const { score, tests } = gradescopeSchema.parse(JSON.parse(String(content)));
      expect(score).toBe(tests.reduce((sum, one) => sum + one.score, 0));
      expect(String(content)).not.toContain("secret");
      expect(tests).toHaveLength(path.includes("carol") ? 3 : 2);
    }
    expect(gradescopeSchema.safeParse({ score: 1, tests: [], points: 2 }).success).toBe(false);
  });

  it("tell of a failed test what was expected and seen, where, a hint, and the path of its packets", () => {
    expect(failureLines(failed)).toEqual([
      ...["expected: a packet", "seen:     none", "test:     x.yaml:3", "hint:     Do TODO 1"],
      ...["  d1", "  d2", "path of the packets:", "  s1: in", "  s1: out"],
    ]);
    expect(failureLines(test({ expected: "a", seen: "b" }))).toEqual(["expected: a", "seen:     b"]);
    expect(failureLines(passed)).toEqual([]);
  });
});
