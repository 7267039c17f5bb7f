/**
 * Writes the tables of docs/tna/growth-accuracy.md from what grow.ts and advise.ts left in a folder.
 *
 *     GROWN=DIR npx tsx tools/tna/growth-page.ts
 *
 * Reads `grow.jsonl`, `advise.jsonl`, `refused.jsonl` and `asked.jsonl`. A part whose file is not there stays, and so do the texts around the parts.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { linesOf } from "./corpus.js";
import { GROWTHS, type Grown } from "./growing.js";
import { type AskedLine, advisedCounts, type JudgedGrowth, judgedGrowths } from "./growth-judged.js";

export interface GrowthLine {
  readonly case: string;
  readonly kind: Grown["kind"];
  readonly from: number;
  readonly fits: number;
  /** Undefined: not refused up to the largest number tried. */
  readonly refused?: number;
  readonly resource: string;
}

export interface AdviceLine {
  readonly name: string;
  readonly before: string;
  readonly stages: number;
  readonly after: string;
  readonly afterStages: number;
  readonly changes: readonly string[];
  readonly tests?: number;
  readonly packets?: number;
  readonly tables?: number;
  readonly tablesHit?: number;
  /** Tables that no packet hit, with why. */
  readonly unhit?: Readonly<Record<string, string>>;
  /** A packet that shows another behaviour; empty: none does. */
  readonly difference?: string;
}

/** A listed design that the compiler's back end refused. */
export interface RefusedLine {
  readonly name: string;
  /** The resource that the compiler named, in a word. */
  readonly compiler: string;
  /** Our verdict, or that the program does not compile here. */
  readonly verdict: string;
  readonly stages: number;
  /** The resources that our refusal names; empty: the design is placed. */
  readonly ours: string;
  readonly after?: string;
  readonly afterStages?: number;
  readonly changes?: readonly string[];
  readonly packets?: number;
  readonly difference?: string;
}

const PAGE = join(import.meta.dirname, "../../docs/tna/growth-accuracy.md");
const NOTE_LENGTH = 120;
/** How a design grew, in a sentence. */
const WORDS: Readonly<Record<Grown["kind"], string>> = {
  table: "the size of a table",
  tables: "tables",
  fields: "fields",
};
const NOT_MEASURED = "<!-- not measured: needs the public designs -->";

export function growthTable(lines: readonly GrowthLine[]): string {
  const rows = lines.map(({ case: name, kind, from, fits, refused, resource }) => [
    ...[name, kind, String(from), String(fits)],
    ...[refused === undefined ? `not up to ${kind === "table" ? "2^24" : "256"}` : String(refused), resource],
  ]);
  return markdown(["design", "grown", "published", "fits", "refused", "resource"], rows);
}

/** Those that fit after the advice with no difference first, each with what changed. */
export function adviceTable(lines: readonly AdviceLine[]): string {
  const sorted = [...lines].sort((a, b) => Number(isHelped(b)) - Number(isHelped(a)));
  const rows = sorted.map((line) => [
    line.name,
    `${line.before}, ${line.stages}`,
    `${line.after}, ${line.afterStages}`,
    line.changes.length === 0 ? "none" : [...new Set(line.changes.map(inShort))].join("; "),
    line.packets === undefined ? "" : `${line.tests ?? 0} + ${line.packets}`,
    line.tables === undefined ? "" : `${line.tablesHit} of ${line.tables}`,
    line.packets === undefined ? "" : line.difference === "" ? "none" : "yes",
  ]);
  const head = [
    "design",
    "before, stages",
    "after, stages",
    "changes",
    "tests + packets",
    "tables hit",
    "difference",
  ];
  return markdown(head, rows);
}

/** Placed after the advice, and no packet shows a difference. */
export const isHelped = ({ after, difference }: AdviceLine): boolean =>
  after === "placed" && difference === "";

/** `19 of 20 by fields, 5 of 12 by the size of a table`. */
export function summary(lines: readonly AdviceLine[]): string {
  const part = (what: string, list: readonly AdviceLine[]) =>
    list.length === 0 ? [] : [`${list.filter(isHelped).length} of ${list.length} ${what}`];
  const grownBy = (kind: string) => lines.filter(({ name }) => name.endsWith(` grown by ${kind}`));
  return [
    ...[...GROWTHS].reverse().flatMap((kind) => part(`grown by ${WORDS[kind]}`, grownBy(kind))),
    ...part(
      "listed as published",
      lines.filter(({ name }) => !name.includes(" grown by ")),
    ),
  ].join(", ");
}

/** `pipe.In.t (never applied)` of each design whose tables are not all hit. */
export function unhitTable(lines: readonly AdviceLine[]): string {
  const rows = lines.flatMap(({ name, unhit = {} }) => {
    const byReason = new Map<string, string[]>();
    for (const [table, reason] of Object.entries(unhit)) {
      const short = table.split(".").slice(2).join(".") || table;
      byReason.set(reason, [...(byReason.get(reason) ?? []), short]);
    }
    return [...byReason].map(([reason, tables]) => [name, reason, tables.join(", ")]);
  });
  return markdown(["design", "why", "tables"], rows);
}

export function refusedTable(lines: readonly RefusedLine[]): string {
  const rows = lines.map((line) => [
    line.name,
    line.compiler,
    line.stages === 0 ? line.verdict : `${line.verdict}, ${line.stages}`,
    line.ours,
    line.after === undefined
      ? ""
      : line.changes?.length
        ? `${line.after}, ${line.afterStages}: ${[...new Set(line.changes.map(inShort))].join("; ")}`
        : "no change helps",
  ]);
  return markdown(["design", "the compiler refuses", "fit", "fit names", "advice"], rows);
}

/** A change without its line and without the names of its program. */
function inShort(change: string): string {
  return change
    .replace(/^(?:line|[\w.-]+:) ?\d+: /, "")
    .replace(/@stage\(\d+\) for .*begins.*$/, "@stage for a large table")
    .replace(/ for (?!\d|a large).*$/, "")
    .replace(/ of actions of table \S+/, " of actions")
    .replace(/ behind table \S+ before it.*$/, " behind a table, before it and in its actions")
    .replace(
      / with (?:line \d+|\S+:\d+), whose condition excludes it/,
      " of two conditions that exclude each other",
    )
    .replace(/^(?:line \d+|\S+:\d+) and (?:line \d+|\S+:\d+)/, "neighbours")
    .replaceAll("|", "\\|");
}

/** Grown designs with both points of refusal. */
export function judgedTable(growths: readonly JudgedGrowth[]): string {
  const yes = (value: boolean | undefined) => (value === undefined ? "" : value ? "yes" : "no");
  const rows = growths.map((one) => [
    ...[
      one.case,
      one.kind,
      `${one.fits} / ${one.refused ?? "-"}`,
      `${one.placed ?? "-"} / ${one.least ?? "-"}`,
    ],
    ...[yes(one.isSamePoint), one.resource, one.ours, one.note.replaceAll("|", "\\|").slice(0, NOTE_LENGTH)],
  ]);
  const head = ["design", "grown", "fit: places / refuses", "compiler: places / refuses", "within 10 %"];
  return markdown([...head, "compiler names", "fit names", "no answer"], rows);
}

/** The three counts of grown designs, each in a sentence. */
export function judgedSummary(growths: readonly JudgedGrowth[]): string {
  const share = (part: number, whole: number) =>
    `${part} of ${whole} (${whole === 0 ? 0 : ((100 * part) / whole).toFixed(0)} %)`;
  const count = (of: (one: JudgedGrowth) => boolean | undefined) =>
    share(
      growths.filter((one) => of(one) === true).length,
      growths.filter((one) => of(one) !== undefined).length,
    );
  const parts = GROWTHS.flatMap((kind) => {
    const own = growths.filter((one) => one.kind === kind);
    const points = own.filter(({ isSamePoint }) => isSamePoint !== undefined);
    if (points.length === 0) return [];
    return `${share(points.filter(({ isSamePoint }) => isSamePoint === true).length, points.length)} of those grown by ${WORDS[kind]}`;
  });
  return `Of the grown designs that the compiler refuses, \`fit\` refuses ${count(({ isRefused }) => isRefused)} and names the same resource for ${count(({ isSameResource, isRefused }) => (isRefused === undefined ? undefined : isSameResource === true))}.
The points of refusal are within 10 % for ${parts.join(", ")}.`;
}

/** How many of the designs that the compiler refuses it places after the advice, in a sentence. */
export function advisedSummary({ tried, changed, given, placed }: ReturnType<typeof advisedCounts>): string {
  return `Of ${tried} grown designs that the compiler refuses and whose advice was tried, the advice changes ${changed}. ${given} of these were given to the compiler, and **it places ${placed}**.`;
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [NOT_MEASURED, line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

/** The page with the text between `<!-- NAME -->` and `<!-- /NAME -->` replaced. */
export function withPart(page: string, name: string, text: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [page.indexOf(open), page.indexOf(close)];
  if (from < 0 || to < from) throw new Error(`the page has no part ${name}`);
  return `${page.slice(0, from + open.length)}\n\n${text}\n${page.slice(to)}`;
}

/** The last line of each name. */
function lastOf<T>(path: string, nameOf: (line: T) => string): T[] {
  return [...new Map(linesOf<T>(path).map((line) => [nameOf(line), line])).values()];
}

const { GROWN: grown } = process.env;
if (grown !== undefined) {
  const file = (name: string) => join(grown, `${name}.jsonl`);
  const has = (name: string) => existsSync(file(name));
  const advice = lastOf<AdviceLine>(file("advise"), ({ name }) => name);
  const asked = linesOf<AskedLine>(file("asked"));
  const judged = judgedGrowths(linesOf<Grown>(file("grow")), asked);
  const isChanged = new Map(advice.map((line) => [line.name, { isChanged: line.changes.length > 0 }]));
  const growths = lastOf<GrowthLine>(file("grow"), (line) => `${line.case} ${line.kind}`);
  const refused = lastOf<RefusedLine>(file("refused"), ({ name }) => name);
  const parts: readonly (readonly [name: string, from: readonly string[], text: () => string])[] = [
    [
      "judged",
      ["grow", "asked"],
      () => `${NOT_MEASURED}\n${judgedSummary(judged)}\n\n${judgedTable(judged)}`,
    ],
    [
      "accepted",
      ["grow", "asked", "advise"],
      () => `${NOT_MEASURED}\n${advisedSummary(advisedCounts(judged, isChanged, asked))}`,
    ],
    ["growth", ["grow"], () => growthTable(growths)],
    ["helped", ["advise"], () => `${summary(advice)} fit after the advice. ${NOT_MEASURED}`],
    ["advice", ["advise"], () => adviceTable(advice)],
    ["unhit", ["advise"], () => unhitTable(advice)],
    ["refused", ["refused"], () => refusedTable(refused)],
  ];
  let page = readFileSync(PAGE, "utf8");
  for (const [name, from, text] of parts) if (from.every(has)) page = withPart(page, name, text());
  writeFileSync(PAGE, page);
}
