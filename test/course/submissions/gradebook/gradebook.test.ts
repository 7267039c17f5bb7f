/** Gradebooks: who owns which submission, and the files that the platforms import. */
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../../src/base/index.js";
import { readCsv } from "../../../../src/course/submissions/csv.js";
import type { GradedSubmission } from "../../../../src/course/submissions/grade-one.js";
import {
  gradebookText,
  matchSubmissions,
  type Platform,
  readRoster,
} from "../../../../src/course/submissions/gradebook/index.js";

const CANVAS = `Student,ID,SIS User ID,SIS Login ID,Section,Forwarding (4711),Current Score
    Points Possible,,,,,7,(read only)
"Lee, Ann",11,S1,ann@x.edu,One,,
"O'Brien, Bob",12,S2,bob@x.edu,One,,
"=HYPERLINK(""x"")",13,S3,eve@x.edu,One,,
"Student, Test",99,,,One,,
`;
const MOODLE = `First name,Last name,ID number,Institution,Email address
Ann,Lee,S1,,ann@x.edu
Bob,"O'Brien, jr.",S2,,bob@x.edu
`;

const test = (name: string, passed: boolean, hidden = false) =>
  ({ name, passed, points: passed ? 2 : 0, of: 2, ...(hidden ? { hidden: true } : {}) }) as never;
const graded = (name: string, more: Partial<GradedSubmission> = {}): GradedSubmission => ({
  ...{ name, points: 2.5, of: 7, files: "f" },
  tests: [test("first", true), test("second, or third", false), test("secret", false, true)],
  ...more,
});

function gradebook(
  platform: Platform,
  roster: string,
  results: readonly GradedSubmission[],
  title = "Forwarding",
) {
  const diagnostics = new Diagnostics();
  const messages = () => diagnostics.list.map((one) => formatDiagnostic(one).split("\n")[0]);
  try {
    const read = readRoster(new SourceFile("roster.csv", roster), platform, diagnostics);
    const owners = matchSubmissions(
      results.map(({ name }) => name),
      read,
      diagnostics,
    );
    const text = gradebookText({ roster: read, owners, results, title, of: 7 });
    return {
      rows: readCsv(new SourceFile("g.csv", text)).map(({ cells }) => cells),
      messages: messages(),
      text,
    };
  } catch (error) {
    if (!diagnostics.hasErrors) throw error;
    return { rows: [], messages: messages(), text: "" };
  }
}

describe("a gradebook of Canvas", () => {
  const found = ["leeann_11_555_work", "S2", "eve@x.edu"].map((name) => graded(name));

  it("has the columns of its export, the possible points, and the assignment with its number", () => {
    const { rows, messages } = gradebook("canvas", CANVAS, found);
    expect(messages).toEqual([]);
    expect(rows).toEqual([
      ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Forwarding (4711)"],
      ["    Points Possible", "", "", "", "", "7"],
      ["Lee, Ann", "11", "S1", "ann@x.edu", "", "2.5"],
      ["O'Brien, Bob", "12", "S2", "bob@x.edu", "", "2.5"],
      [`'=HYPERLINK("x")`, "13", "S3", "eve@x.edu", "", "2.5"],
    ]);
    // What `gradebook_importer.rb` asks of the first line: row_has_student_headers?, header?, update_column_count.
    const [header] = rows;
    expect(header![0]).toContain("Student");
    expect(header![1]).toContain("ID");
    expect(header![2]).toMatch(/SIS\s+User\s+ID/);
    expect(header![3]).toMatch(/SIS\s+Login\s+ID/);
    expect(header![4]).toContain("Section");
  });

  it("has a new assignment of another title, and no cell that begins a formula", () => {
    const { rows, text } = gradebook("canvas", CANVAS, found, "=Lab 2");
    expect(rows[0]![5]).toBe("'=Lab 2");
    expect(text).not.toMatch(/(^|,|\n)"?[=+@-]/);
  });

  it("has no row of a student without a submission, or with one that was not graded", () => {
    const { rows, messages } = gradebook("canvas", CANVAS, [
      graded("11"),
      graded("12", { fault: "no network" }),
    ]);
    expect(rows.slice(2).map((row) => [row[1], row[5]])).toEqual([["11", "2.5"]]);
    expect(messages).toEqual([
      expect.stringMatching(/^roster\.csv:5:1: warning\[P46333\]: =HYPERLINK\("x"\) has no submission$/),
    ]);
  });
});

describe("a gradebook of Moodle", () => {
  it("has the students as they were exported, the points, and what a student may read", () => {
    const { rows, messages } = gradebook("moodle", MOODLE, [
      graded("Ann Lee_123_assignsubmission_file_"),
      graded("BOB@x.edu", { points: 7, tests: [test("first", true)] }),
    ]);
    expect(messages).toEqual([]);
    expect(rows).toEqual([
      ["First name", "Last name", "ID number", "Email address", "Forwarding (Real)", "Forwarding (Feedback)"],
      [
        ...["Ann", "Lee", "S1", "ann@x.edu", "2.5"],
        "2.5 of 7 points. Failed: second, or third. 1 hidden test, 1 failed.",
      ],
      ["Bob", "O'Brien, jr.", "S2", "bob@x.edu", "7", "7 of 7 points."],
    ]);
  });

  it("has no row of a student without a submission: an empty cell would take a grade away", () => {
    const { rows } = gradebook("moodle", MOODLE, [graded("S2")]);
    expect(rows.slice(1).map((row) => row[2])).toEqual(["S2"]);
  });

  it("knows a participant of a grading worksheet by its number", () => {
    const worksheet =
      "Identifier,Full name,Email address,Grade\nParticipant 123,Ann Lee,a@x,\nParticipant 124,Ann Lee,b@x,\n";
    const { rows, messages } = gradebook("moodle", worksheet, [
      graded("Ann Lee_124_assignsubmission_file_", { points: 1 }),
      graded("Ann Lee_123_assignsubmission_file_"),
    ]);
    expect(messages).toEqual([]);
    expect(rows.slice(1).map((row) => [row[0], row[3]])).toEqual([
      ["Ann Lee", "2.5"],
      ["Ann Lee", "1"],
    ]);
  });
});

describe("students and submissions", () => {
  const two = "First name,Last name,Email address\nAnn,Lee,a@x\nAnn,Lee,b@x\n";

  it.each([
    [
      "a submission of nobody",
      MOODLE,
      ["Ann Lee", "S2", "zoe"],
      ["warning[P46332]: submission zoe: no student"],
    ],
    [
      "a student without one",
      MOODLE,
      ["S1"],
      ["roster.csv:3:1: warning[P46333]: Bob O'Brien, jr. has no submission"],
    ],
    [
      "two of one student",
      MOODLE,
      ["S1", "ann@x.edu", "S2"],
      ["roster.csv:2:1: error[P46334]: Ann Lee has two submissions: S1 and ann@x.edu"],
    ],
    [
      "one of two students",
      two,
      ["Ann Lee"],
      ["roster.csv:3:1: error[P46334]: submission Ann Lee: 2 students may have it: Ann Lee; Ann Lee"],
    ],
    [
      "a double row",
      `${MOODLE}Anna,Lee,s1,,c@x\n`,
      ["S1"],
      ["roster.csv:4:1: error[P46331]: two students have the ID number s1"],
    ],
    [
      "a formula as identifier",
      "Email address\n=cmd|' /C calc'!A0\n",
      ["x"],
      ["roster.csv:2:1: error[P46335]: Email address"],
    ],
    ["no roster", "a,b\n1,2\n", ["x"], ["roster.csv:1:1: error[P46330]: no roster of moodle"]],
    ["nothing", "", ["x"], ["roster.csv:1:1: error[P46330]: no roster of moodle"]],
    [
      "a short row",
      "First name,Email address\nAnn\n",
      ["x"],
      ["roster.csv:2:1: error[P46330]: a row with 1 cells; the first line has 2"],
    ],
    ["no CSV", 'Email address\n"a\n', ["x"], ["roster.csv:2:1: error[P46330]: a quoted cell does not end"]],
  ])("%s is reported at its place", (_, roster, names, expected) => {
    const { messages } = gradebook(
      "moodle",
      roster,
      names.map((name) => graded(name)),
    );
    expect(messages.filter((one) => expected.every((text) => one!.startsWith(text)))).toHaveLength(1);
  });

  it("are brought together by the column Submission before all else", () => {
    const roster = "First name,Last name,Email address,Submission\nAnn,Lee,a@x,bob\nBob,Ray,b@x,team 7\n";
    const { rows, messages } = gradebook("moodle", roster, [graded("bob"), graded("Team 7", { points: 4 })]);
    expect(messages).toEqual([]);
    expect(rows.slice(1).map((row) => [row[0], row[3]])).toEqual([
      ["Ann", "2.5"],
      ["Bob", "4"],
    ]);
    expect(rows[0]).not.toContain("Submission");
  });
});
