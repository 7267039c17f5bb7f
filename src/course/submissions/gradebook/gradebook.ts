/** Results as the CSV files that gradebooks of learning platforms import. Columns of results have only what a student may read. */
import { csvText } from "../csv.js";
import type { GradedSubmission } from "../grade-one.js";
import { hiddenLine } from "../result-lines.js";
import { studentView } from "../student-view.js";
import type { Roster, Student } from "./roster.js";

interface Graded {
  readonly roster: Roster;
  /** Names of submissions by student. */
  readonly owners: ReadonlyMap<Student, string>;
  readonly results: readonly GradedSubmission[];
  /** Name of the assignment in the gradebook. */
  readonly title: string;
  readonly of: number;
}

/**
 * A row for each student with a result, in the order of the roster. A student without a submission, or whose submission this machine could not
 * grade, has none: both importers take an empty cell for a grade that is taken away (`import_new_grade_item` and `update_grade_item` of Moodle's
 * `load_data.php`, `no_change_to_value?` of Canvas's `gradebook_importer.rb`).
 */
export function gradebookText(graded: Graded): string {
  return csvText(graded.roster.platform === "canvas" ? canvasRows(graded) : moodleRows(graded));
}

type Row = readonly (string | number)[];

/**
 * Canvas: the columns of its export with the points that are possible in the second row (`gradebook_exporter.rb` of instructure/canvas-lms,
 * `csv_data`). The importer finds an assignment by the title with its number in parentheses, or by the title alone, and finds a student by ID,
 * SIS User ID, SIS Login ID or name, in this order (`gradebook_importer.rb`, `parse_assignments`, `process_student`).
 */
function canvasRows({ roster, owners, results, title, of }: Graded): Row[] {
  const own = ["Student", "ID", "SIS User ID", "SIS Login ID"];
  const column = roster.header.find((name) => name === title || isNumbered(name, title)) ?? title;
  return [
    [...own, "Section", column],
    ["    Points Possible", "", "", "", "", of],
    ...resultsOf(roster, owners, results).map(([{ cells }, { points }]) => [
      ...own.map((name) => cells.get(name) ?? ""),
      "",
      points,
    ]),
  ];
}

/** Whether a column is the assignment with its number: `Forwarding (4711)`. */
function isNumbered(column: string, title: string): boolean {
  return column.startsWith(`${title} (`) && /^\d+\)$/.test(column.slice(title.length + 2));
}

/**
 * Moodle: the columns of the roster that identify a student, as Moodle exports them, then the grade and the feedback, whose columns its export
 * names `TITLE (Real)` and `TITLE (Feedback)`. Its import asks which column is what (docs.moodle.org, "Grade import").
 */
function moodleRows({ roster, owners, results, title }: Graded): Row[] {
  const own = roster.columns.filter((name) => name !== "Submission");
  return [
    [...own, `${title} (Real)`, `${title} (Feedback)`],
    ...resultsOf(roster, owners, results).map(([{ cells }, result]) => [
      ...own.map((name) => cells.get(name) ?? ""),
      result.points,
      feedbackOf(result),
    ]),
  ];
}

function resultsOf(
  roster: Roster,
  owners: Graded["owners"],
  results: readonly GradedSubmission[],
): (readonly [Student, GradedSubmission])[] {
  return roster.students.flatMap((student) => {
    const name = owners.get(student);
    const result = results.find((one) => one.name === name && one.fault === undefined);
    return result === undefined ? [] : [[student, result] as const];
  });
}

/** What the student reads: the points, the tests that failed, and how many hidden ones did. */
function feedbackOf(result: GradedSubmission): string {
  const { points, of, tests, hidden } = studentView(result);
  const failed = tests.filter(({ passed }) => !passed).map(({ name }) => name);
  return [
    `${points} of ${of} points.`,
    ...(failed.length === 0 ? [] : [`Failed: ${failed.join("; ")}.`]),
    ...(hidden === undefined ? [] : [`${hiddenLine(hidden)}.`]),
  ].join(" ");
}
