/** Which submission is whose, by the names that learning platforms give to submissions. */
import type { Diagnostics } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { identifiersOf, namesOf, type Roster, type Student, studentText, submissionOf } from "./roster.js";

/** Moodle, "Download all submissions": `Ann Lee_123_assignsubmission_file_`, the name and the number of the participant. */
const MOODLE = /^(.+?)_(\d+)_(?:assignsubmission|assignfeedback)_/;
/** Canvas, "Download submissions": `leeann_LATE_4711_123456_work`, without spaces, then the student's ID. */
const CANVAS = /^[^_]+_(?:LATE_)?(\d+)_\d+_/i;

const folded = (text: string): string => text.normalize("NFC").toLowerCase().replaceAll(/\s+/g, " ").trim();

/** The texts by which the owner of a submission can be found: numbers of platforms, and its whole name. */
function wordsOf(submission: string): string[] {
  const [, name, participant] = MOODLE.exec(submission) ?? [];
  const [, id] = CANVAS.exec(submission) ?? [];
  return [
    ...(participant === undefined ? [] : [`Participant ${participant}`]),
    ...(id === undefined ? [] : [id]),
    ...(name === undefined ? [submission] : [name]),
  ].map(folded);
}

/**
 * The submission of each student who has one. A student is found by the column `Submission`, else by an identifier, else by the name.
 * Warnings: P46332 (a submission of nobody on the roster), P46333 (a student without one). Errors: P46334 (one student has several, or several
 * students may have one).
 */
export function matchSubmissions(
  submissions: readonly string[],
  { students, platform }: Roster,
  diagnostics: Diagnostics,
): ReadonlyMap<Student, string> {
  const bySubmission = keysOf(students, (one) => [submissionOf(one)].filter((name) => name !== undefined));
  const byIdentifier = keysOf(students, (one) => identifiersOf(one, platform));
  const byName = keysOf(students, namesOf);
  const found = new Map<Student, string>();
  for (const submission of submissions) {
    const words = wordsOf(submission);
    const candidates =
      ownersIn(bySubmission, [folded(submission)]) ??
      ownersIn(byIdentifier, words) ??
      ownersIn(byName, words) ??
      [];
    const [owner] = candidates;
    const other = owner === undefined ? undefined : found.get(owner);
    if (owner === undefined)
      diagnostics.warning(
        CODES.nobody,
        undefined,
        `submission ${submission}: no student on the roster has it`,
        "a column Submission of the roster names the submission of a student",
      );
    else if (candidates.length > 1)
      diagnostics.error(
        CODES.whose,
        candidates[1]!.span,
        `submission ${submission}: ${candidates.length} students may have it: ${candidates.map(studentText).join("; ")}`,
        "a column Submission of the roster decides",
      );
    else if (other !== undefined)
      diagnostics.error(
        CODES.whose,
        owner.span,
        `${studentText(owner)} has two submissions: ${other} and ${submission}`,
        "remove one, or name the right one in a column Submission of the roster",
      );
    else found.set(owner, submission);
  }
  diagnostics.throwIfErrors();
  for (const student of students)
    if (!found.has(student))
      diagnostics.warning(CODES.noSubmission, student.span, `${studentText(student)} has no submission`);
  return found;
}

type Keys = ReadonlyMap<string, readonly Student[]>;

function keysOf(students: readonly Student[], of: (student: Student) => readonly string[]): Keys {
  const keys = new Map<string, Student[]>();
  for (const student of students)
    for (const key of new Set(of(student).map(folded))) keys.set(key, [...(keys.get(key) ?? []), student]);
  return keys;
}

/** The students that one of the words names; undefined if there is none. */
function ownersIn(keys: Keys, words: readonly string[]): readonly Student[] | undefined {
  return words.map((word) => keys.get(word)).find((students) => students !== undefined);
}
