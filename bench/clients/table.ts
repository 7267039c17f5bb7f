/** The comparison of third-party clients as a table of docs/p4runtime.md, rewritten row by row. */
import { readFileSync, writeFileSync } from "node:fs";
import { explain } from "./explained.js";
import type { Outcome } from "./run-suite.js";

const BEGIN = "<!-- clients: written by `npm run bench -- clients` -->";
const END = "<!-- clients: end -->";

export interface Row {
  readonly suite: string;
  readonly ours: Outcome;
  readonly bmv2: Outcome | undefined;
}

const counts = (outcome: Outcome | undefined): string => {
  if (outcome === undefined) return "not run";
  const { passed, failed, skipped } = outcome;
  return `${passed}/${passed + failed}${skipped > 0 ? ` (${skipped} skipped)` : ""}`;
};

/** Names that one switch fails and the other does not; for scripts, the steps whose results differ. */
function differences({ ours, bmv2 }: Row): { ours: string[]; bmv2: string[] } {
  if (bmv2 === undefined) return { ours: [...ours.details], bmv2: [] };
  const without = (a: readonly string[], b: readonly string[]) => a.filter((name) => !b.includes(name));
  return { ours: without(ours.details, bmv2.details), bmv2: without(bmv2.details, ours.details) };
}

/** Differences by what they are: still to mend, or meant (with the reason). */
export function sortDifferences(row: Row): { open: string[]; explained: { what: string; reason: string }[] } {
  const { ours, bmv2 } = differences(row);
  const open: string[] = [];
  const explained: { what: string; reason: string }[] = [];
  for (const what of ours) {
    const reason = explain(row.suite, what);
    if (reason === undefined) open.push(what);
    else explained.push({ what, reason });
  }
  // Tests that only the other switch fails: a test that we pass needs no explanation. Steps of a script come in pairs.
  const lonely = bmv2.filter((name) => !name.startsWith("step "));
  for (const what of lonely) explained.push({ what, reason: "only simple_switch_grpc fails" });
  return { open, explained };
}

/** Puts the rows into the page; rows of suites that were not run stay as they are. Throws where the marks are missing. */
export function writeTable(page: string, rows: readonly Row[]): void {
  const text = readFileSync(page, "utf8");
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${page}: no place for the table of clients`);
  const kept = text
    .slice(from + BEGIN.length, to)
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| suite") && !line.startsWith("|---"));
  const lines = new Map(kept.map((line) => [line.split("|")[1]!.trim(), line]));
  for (const row of rows) {
    const { open, explained } = sortDifferences(row);
    const cell = `${open.length} | ${explained.length}`;
    lines.set(row.suite, `| ${row.suite} | ${counts(row.ours)} | ${counts(row.bmv2)} | ${cell} |`);
  }
  const table = [
    "| suite | p4loom | simple_switch_grpc | to mend | explained |",
    "|---|---|---|---|---|",
    ...lines.values(),
  ];
  writeFileSync(page, `${text.slice(0, from)}${BEGIN}\n\n${table.join("\n")}\n\n${text.slice(to)}`);
}
