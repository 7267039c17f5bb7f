/** The students of a course: a CSV file that a learning platform exports, with a column of ours for names of submissions. */
import type { Diagnostics, SourceFile, Span } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { CsvError, type CsvRow, isFormula, readCsv } from "../csv.js";

/**
 * Canvas: an exported gradebook (its importer reads the same columns, `gradebook_importer.rb` of instructure/canvas-lms). Moodle: an exported
 * gradebook or a grading worksheet (`grade_export_txt.php` and `gradeimport_csv_load_data` of moodle/moodle; docs.moodle.org, "Grade import").
 */
export const PLATFORMS = ["canvas", "moodle"] as const;
export type Platform = (typeof PLATFORMS)[number];

/** The columns that identify a student for a platform, in the order in which it exports them. */
const IDENTIFIERS = {
  canvas: ["ID", "SIS User ID", "SIS Login ID"],
  moodle: ["Username", "ID number", "Email address", "Identifier"],
} as const;

/** The columns with parts of the name. */
const NAMES = { canvas: ["Student"], moodle: ["First name", "Last name", "Surname", "Full name"] } as const;

/** Our own column: the name of the student's submission. */
const SUBMISSION = "Submission";

const MAX_STUDENTS = 20_000;

export interface Student {
  /** Cells of the known columns, by their names; cells that are empty are missing. */
  readonly cells: ReadonlyMap<string, string>;
  readonly span: Span;
}

export interface Roster {
  readonly platform: Platform;
  /** The known columns that the file has, in our order. */
  readonly columns: readonly string[];
  /** All columns of the file. */
  readonly header: readonly string[];
  readonly students: readonly Student[];
}

/** What a person is called in messages. */
export function studentText({ cells }: Student): string {
  const of = (names: readonly string[]): string[] => names.flatMap((name) => cells.get(name) ?? []);
  const name = of([...NAMES.canvas, ...NAMES.moodle]).join(" ");
  return name === ""
    ? (of([...IDENTIFIERS.canvas, ...IDENTIFIERS.moodle])[0] ?? "a student without a name")
    : name;
}

/** The values that belong to one student alone. */
export function identifiersOf({ cells }: Student, platform: Platform): string[] {
  return IDENTIFIERS[platform].flatMap((column) => cells.get(column) ?? []);
}

/** The name of the student's submission, where the roster has it. */
export const submissionOf = ({ cells }: Student): string | undefined => cells.get(SUBMISSION);

/** Forms of a student's name: "Ann Lee", "Lee, Ann", "Lee Ann". */
export function namesOf({ cells }: Student): string[] {
  const first = cells.get("First name");
  const last = cells.get("Last name") ?? cells.get("Surname");
  const whole = cells.get("Student") ?? cells.get("Full name");
  const turned = whole?.split(",").map((part) => part.trim());
  return [
    ...(first === undefined || last === undefined ? [] : [`${first} ${last}`, `${last} ${first}`]),
    ...(whole === undefined ? [] : [whole]),
    ...(turned?.length === 2 ? [`${turned[1]} ${turned[0]}`, `${turned[0]} ${turned[1]}`] : []),
  ];
}

/**
 * Reads a roster. Errors: P46330 (no table, or not one of this platform), P46331 (two rows of one student), P46335 (an identifier that a
 * spreadsheet reads as a formula, and that could not be written without a change).
 */
export function readRoster(file: SourceFile, platform: Platform, diagnostics: Diagnostics): Roster {
  const [header, ...rows] = tableOf(file, diagnostics);
  const names = (header?.cells ?? []).map((name) => name.trim());
  const identifiers: readonly string[] = IDENTIFIERS[platform];
  const known = [...NAMES[platform], ...identifiers, SUBMISSION].filter((name) => names.includes(name));
  if (!known.some((name) => identifiers.includes(name))) {
    diagnostics.error(
      CODES.roster,
      header?.span ?? { file, start: 0, end: 0 },
      `no roster of ${platform}: its first line has none of the columns ${identifiers.join(", ")}`,
      `its columns: ${names.join(", ")}`,
    );
  }
  if (rows.length > MAX_STUDENTS)
    diagnostics.error(CODES.roster, rows[MAX_STUDENTS]!.span, `more than ${MAX_STUDENTS} students`);
  diagnostics.throwIfErrors();
  const students = rows.flatMap((row) => studentOf(row, names, known, diagnostics) ?? []);
  checkDoubles(students, platform, diagnostics);
  diagnostics.throwIfErrors();
  return { platform, columns: known, header: names, students };
}

function tableOf(file: SourceFile, diagnostics: Diagnostics): CsvRow[] {
  try {
    return readCsv(file);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    diagnostics.error(CODES.roster, error.span, error.message, "a roster is a CSV file (RFC 4180)");
    return [];
  }
}

/** Rows of Canvas's export that are no student: the points of each assignment, how grades are posted, the test student. */
const NO_STUDENT = /^\s*Points Possible$|^Student, Test$|^\s*(Muted|Manual Posting.*)?\s*$/;

function studentOf(
  { cells, span }: CsvRow,
  header: readonly string[],
  known: readonly string[],
  diagnostics: Diagnostics,
): Student | undefined {
  if (header[0] === "Student" && NO_STUDENT.test(cells[0] ?? "")) return undefined;
  if (cells.length !== header.length) {
    const message = `a row with ${cells.length} cells; the first line has ${header.length}`;
    diagnostics.error(CODES.roster, span, message);
    return undefined;
  }
  const own = known.flatMap((name) => {
    const text = cells[header.indexOf(name)]!.trim();
    return text === "" ? [] : [[name, text] as const];
  });
  return { cells: new Map(own), span };
}

/** Each identifier belongs to one student, and can be written as it is. */
function checkDoubles(students: readonly Student[], platform: Platform, diagnostics: Diagnostics): void {
  for (const column of [...IDENTIFIERS[platform], SUBMISSION]) {
    const seen = new Map<string, Student>();
    for (const student of students) {
      const value = student.cells.get(column);
      if (value === undefined) continue;
      const key = value.toLowerCase();
      const other = seen.get(key);
      if (other !== undefined)
        diagnostics.error(CODES.twoRows, student.span, `two students have the ${column} ${value}`, {
          message: `the other one: ${studentText(other)}`,
          span: other.span,
        });
      else seen.set(key, student);
      if (column !== SUBMISSION && isFormula(value))
        diagnostics.error(
          CODES.formulaIdentifier,
          student.span,
          `${column} ${JSON.stringify(value)}: a spreadsheet reads this as a formula`,
          "an identifier must be written as it is; correct it, or remove the column and keep another one",
        );
    }
  }
}
