/** docs/tna/accuracy.md from the verdicts of both sides. */
import { type Case, caseName } from "./corpus.js";
import type { Message, Verdict } from "./judge.js";
import { comparable, type RivalVerdict } from "./rival.js";

export type Judged = { one: Case; theirs: RivalVerdict | undefined } & (
  | { skipped: string }
  | { skipped?: never; normal: Verdict; strict: Verdict }
);
type Done = Extract<Judged, { normal: Verdict }>;

/** Rows of a table: a subject and for each group how many of how many. */
interface Measure {
  subject: string;
  holds(one: Done): boolean;
  counts(one: Done): boolean;
}

const language = (outcome: string): boolean => outcome === "language";

/** What p4c's front end says of a program, beside our checker with `--strict`. */
const MEASURES: readonly Measure[] = [
  {
    subject: "the language accepts, as p4c's front end does (`--strict`)",
    counts: ({ theirs }) => theirs !== undefined && !language(theirs.outcome),
    holds: ({ strict }) => !language(strict.outcome) && strict.outcome !== "crash",
  },
  {
    subject: "the language refuses, as p4c's front end does (`--strict`)",
    counts: ({ theirs }) => theirs !== undefined && language(theirs.outcome),
    holds: ({ strict }) => language(strict.outcome),
  },
  {
    subject: "of these, an error on p4c's line, where that is in the program's files",
    counts: ({ theirs, strict }) =>
      language(theirs?.outcome ?? "") && language(strict.outcome) && !elsewhere(theirs),
    holds: (one) => sameLine(one),
  },
  {
    subject: "refused by p4c's stricter rules alone, and accepted with a note without `--strict`",
    counts: ({ strict, normal, theirs }) =>
      language(strict.outcome) && !language(normal.outcome) && theirs !== undefined,
    holds: ({ normal }) => normal.outcome === "accepted",
  },
  {
    subject: "the architecture accepts, as p4c's Tofino mid end does",
    counts: ({ theirs }) => theirs?.outcome === "accepted",
    holds: ({ strict }) => strict.outcome === "accepted",
  },
  {
    subject: "the architecture refuses, as p4c's Tofino mid end does",
    counts: ({ theirs }) => theirs?.outcome === "architecture",
    holds: ({ strict }) => strict.outcome === "architecture",
  },
];

/** Whether the first message of p4c has no place in the program's own files. */
function elsewhere(theirs: RivalVerdict | undefined): boolean {
  return theirs?.line === undefined || theirs.inLibrary;
}

function sameLine({ theirs, strict }: Done): boolean {
  return strict.errors.some(
    ({ file, line }) =>
      line === theirs?.line && (theirs.file === undefined || comparable(file) === theirs.file),
  );
}

export function accuracyPage(judged: readonly Judged[]): string {
  const done = judged.filter((one): one is Done => one.skipped === undefined);
  const designs = done.filter(({ one }) => one.class === "design");
  const compared = done.filter(({ theirs }) => theirs !== undefined);
  const date = new Date().toISOString().slice(0, 10);
  return [
    "# Programs for Tofino: what the compiler accepts and refuses",
    "",
    "This page is written by `CORPUS=DIR RIVAL=DIR npx tsx tools/tna/accuracy.ts`. The programs are a list of public ones, each at a",
    "commit of its repository; they are not in this repository. CORPUS holds the list `corpus.tsv` and the programs as",
    "`OWNER+NAME/PATH`. RIVAL holds `results.json`: what p4c's open Tofino back end (`p4c-barefoot` 9.13.4) did with the designs. A",
    "program for both chips counts for each. p4c's errors of placement are no refusal here: a program that came so far is right.",
    "",
    "A program has three verdicts: the language (preprocessor, parser and checker, beside p4c's front end), the architecture",
    "(lowering, beside its Tofino mid end), and whether it fits, which this page says nothing about.",
    "",
    "## Figures",
    "",
    `<!-- measured once: ${date}, with p4c-barefoot 9.13.4 -->`,
    `| of ${compared.length} programs with a record | all | class \`design\` |`,
    "|---|---:|---:|",
    ...MEASURES.map(
      (measure) =>
        `| ${measure.subject} | ${countOf(compared, measure)} | ${countOf(
          compared.filter(({ one }) => one.class === "design"),
          measure,
        )} |`,
    ),
    "",
    "All programs of the list, also those without a record:",
    "",
    `<!-- measured once: ${date}, with p4c-barefoot 9.13.4 -->`,
    "| class | programs | through language and architecture | refused by the language | by the architecture | crash | not there |",
    "|---|---:|---:|---:|---:|---:|---:|",
    ...classRows(judged),
    "",
    "## Differences from p4c",
    "",
    `Those of ${designs.length} designs; the verdicts of language with \`--strict\`.`,
    "",
    ...differences(compared),
    "",
    "## Refused without a record",
    "",
    "The first message of each program that the language refuses and of which there is no record of p4c's.",
    "",
    ...refusals(done.filter(({ theirs }) => theirs === undefined)),
    "",
  ].join("\n");
}

function countOf(list: readonly Done[], { counts, holds }: Measure): string {
  const all = list.filter(counts);
  return `${all.filter(holds).length} of ${all.length}`;
}

function classRows(judged: readonly Judged[]): string[] {
  const classes = [...new Set(judged.map(({ one }) => one.class))];
  return [...classes, undefined].map((name) => {
    const all = judged.filter(({ one }) => name === undefined || one.class === name);
    const outcome = (wanted: string) =>
      all.filter((one) => one.skipped === undefined && one.normal.outcome === wanted).length;
    const absent = all.filter(({ skipped }) => skipped !== undefined).length;
    const cells = [
      all.length,
      outcome("accepted"),
      outcome("language"),
      outcome("architecture"),
      outcome("crash"),
      absent,
    ];
    return `| ${name ?? "all"} | ${cells.join(" | ")} |`;
  });
}

/** One item a kind of difference, with the programs that have it. */
function differences(list: readonly Done[]): string[] {
  const groups = new Map<string, string[]>();
  for (const one of list) {
    const cause = causeOf(one);
    if (cause === undefined) continue;
    const names = groups.get(cause) ?? [];
    names.push(caseName(one.one));
    groups.set(cause, names);
  }
  return grouped(groups);
}

function causeOf(one: Done): string | undefined {
  const { strict, theirs } = one;
  if (theirs === undefined) return undefined;
  const [first] = strict.errors;
  if (strict.outcome === "crash") return `the compiler fails: ${first?.text.slice(0, 160)}`;
  if (theirs.outcome === strict.outcome) {
    if (strict.outcome !== "language" || elsewhere(theirs) || sameLine(one)) return undefined;
    return `refused on another line; p4c: ${shortened(theirs.message)}`;
  }
  const ours = first === undefined ? "accepted" : `refused: ${general(first)}`;
  const p4c = theirs.outcome === "accepted" ? "accepted" : `refused: ${shortened(theirs.message)}`;
  return `here ${ours}; by p4c ${p4c}`;
}

function refusals(list: readonly Done[]): string[] {
  const groups = new Map<string, string[]>();
  for (const { one, normal } of list) {
    const [first] = normal.errors;
    if (first === undefined || normal.outcome !== "language") continue;
    const cause = general(first);
    groups.set(cause, [...(groups.get(cause) ?? []), caseName(one)]);
  }
  return grouped(groups);
}

function grouped(groups: ReadonlyMap<string, readonly string[]>): string[] {
  if (groups.size === 0) return ["None."];
  return [...groups]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([cause, names]) => {
      const more = names.length > 1 ? ` and ${names.length - 1} more` : "";
      return `- ${cause} (${names.length}): \`${names[0]}\`${more}`;
    });
}

/** A message without the names and places of one program. */
function general({ code, text }: Message): string {
  const plain = text
    .replace(/'[^']*'/g, "'...'")
    .replace(/\b\d+\b/g, "N")
    .replace(/\w+(?:\.\w+)+/g, "...");
  return `${code}, ${plain.slice(0, 140)}`;
}

function shortened(message: string): string {
  return message
    .replace(/^.*?\(\d+\):\s*/, "")
    .replace(/\b\d+B?\b/g, "N")
    .replace(/(?:Parser|RegisterAction) \w+/, (name) => `${name.split(" ")[0]} ...`)
    .replace(/[|`]/g, "")
    .slice(0, 140);
}
