/** Compares results with those of an earlier grading: what changed, and what may be the cause. */
import { z } from "zod";
import { type Diagnostics, formatTable, type SourceFile } from "../../base/index.js";
import { loadDocument } from "../../toolchain/documents/index.js";
import { csvText } from "./csv.js";
import type { GradedSubmission } from "./grade-one.js";
import type { ResultVersions } from "./versions.js";

const points = z.number().nonnegative();

/** The part of `results.json` that a comparison needs. */
const resultsSchema = z.looseObject({
  exercise: z.string(),
  versions: z.looseObject({ p4loom: z.string(), exercise: z.string(), engine: z.string() }),
  submissions: z.array(
    z.looseObject({
      name: z.string(),
      points,
      of: points,
      files: z.string(),
      tests: z.array(z.looseObject({ name: z.string(), points })),
    }),
  ),
});

export type EarlierResults = z.output<typeof resultsSchema>;

/** Reads `results.json` of an earlier grading. Throws errors of its form (P43001 to P43004) at their places. */
export function readEarlierResults(file: SourceFile, diagnostics: Diagnostics): EarlierResults {
  // JSON is YAML, but the YAML parser, which knows the places of errors, is slow for results of hundreds of submissions.
  const read = resultsSchema.safeParse(parsed(file.text));
  if (read.success) return read.data;
  const document = loadDocument(file, resultsSchema, diagnostics);
  diagnostics.throwIfErrors();
  return document!.value;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface ChangedTest {
  readonly name: string;
  /** Points before and now; null: there was, or is, no such test. */
  readonly before: number | null;
  readonly now: number | null;
}

interface ChangedSubmission {
  readonly name: string;
  /** Points before and now; null: the submission was, or is, not among them. */
  readonly before: number | null;
  readonly now: number | null;
  /** Whether its files differ. */
  readonly files: "same" | "changed" | "new" | "gone";
  /** Tests with other points. */
  readonly tests: readonly ChangedTest[];
}

export interface ResultChanges {
  /** Versions that differ: a cause other than the files of a submission. */
  readonly versions: readonly { readonly of: string; readonly before: string; readonly now: string }[];
  /** Submissions whose points, tests or files changed, by name. */
  readonly submissions: readonly ChangedSubmission[];
  /** Number of submissions without a change. */
  readonly same: number;
}

/** What changed since earlier results of the same exercise. */
export function changesSince(
  earlier: EarlierResults,
  versions: ResultVersions,
  submissions: readonly GradedSubmission[],
): ResultChanges {
  const before = new Map(earlier.submissions.map((one) => [one.name, one]));
  const now = new Map(submissions.map((one) => [one.name, one]));
  const names = [...new Set([...before.keys(), ...now.keys()])].sort();
  const changed = names
    .map((name) => compared(name, before.get(name), now.get(name)))
    .filter(({ files, tests, ...one }) => files !== "same" || tests.length > 0 || one.before !== one.now);
  return {
    versions: (["p4loom", "exercise", "engine"] as const).flatMap((of) =>
      earlier.versions[of] === versions[of] ? [] : [{ of, before: earlier.versions[of], now: versions[of] }],
    ),
    submissions: changed,
    same: names.length - changed.length,
  };
}

type Graded = Pick<GradedSubmission, "points" | "files" | "tests">;
type Earlier = EarlierResults["submissions"][number];

function compared(name: string, before: Earlier | undefined, now: Graded | undefined): ChangedSubmission {
  const old = new Map((before?.tests ?? []).map((test) => [test.name, test.points]));
  const own = new Map((now?.tests ?? []).map((test) => [test.name, test.points]));
  const tests = [...new Set([...own.keys(), ...old.keys()])]
    .map((test) => ({ name: test, before: old.get(test) ?? null, now: own.get(test) ?? null }))
    .filter((test) => test.before !== test.now);
  const same = before?.files === now?.files ? "same" : "changed";
  return {
    name,
    before: before?.points ?? null,
    now: now?.points ?? null,
    files: before === undefined ? "new" : now === undefined ? "gone" : same,
    tests: before === undefined || now === undefined ? [] : tests,
  };
}

const shown = (value: number | null): string => (value === null ? "-" : String(value));
const testText = ({ name, before, now }: ChangedTest): string => `${name}: ${shown(before)} -> ${shown(now)}`;

/** The changes as lines for a reader. */
export function changesText({ versions, submissions, same }: ResultChanges): string[] {
  const causes = versions.map(({ of, before, now }) => `${of} ${before} -> ${now}`);
  const rows = submissions.map((one) => [
    one.name,
    shown(one.before),
    shown(one.now),
    one.files,
    one.tests.map(testText).join("; "),
  ]);
  return [
    `versions: ${causes.length === 0 ? "the same" : causes.join(", ")}`,
    ...(rows.length === 0
      ? []
      : formatTable(["submission", "before", "now", "files", "tests with other points"], rows).split("\n")),
    `${submissions.length} changed, ${same} as before`,
  ];
}

/** The changes as a table for a spreadsheet (RFC 4180). */
export function changesCsv({ submissions }: ResultChanges): string {
  return csvText([
    ["submission", "before", "now", "files", "tests"],
    ...submissions.map((one) => [
      one.name,
      one.before ?? "",
      one.now ?? "",
      one.files,
      one.tests.map(testText).join("; "),
    ]),
  ]);
}
