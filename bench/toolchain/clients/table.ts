/** What a suite of a third-party client gave on both switches, for the table of docs/p4runtime.md. */
import { explain } from "./explained.js";
import type { Outcome } from "./run-suite.js";

export interface Row {
  readonly suite: string;
  readonly ours: Outcome;
  readonly bmv2: Outcome | undefined;
}

/** Passed tests of executed ones. */
export const counts = (outcome: Outcome | undefined): string => {
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

/** Differences by what they are: still to fix, or intended (with the reason). */
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
