/** What a search has found of a failure, as counted in the rows. */
import { claim } from "../../../../base/index.js";
import type { Finding, NetworkElement } from "../../../paths/index.js";

/**
 * What a search has found of one failure. `set`: the failed element is one of several that are always crossed together; `part`: of two faults
 * one is named, alone or in a set.
 */
const RESULTS = ["right", "set", "part", "wrong", "several", "unnamed"] as const;
/** Columns of their numbers. */
export const RESULT_COLUMNS: readonly { readonly key: Result; readonly title: string }[] = [
  { key: "right", title: claim("localised") },
  { key: "set", title: "in a set" },
  { key: "part", title: "one of both" },
  { key: "wrong", title: "wrong" },
  { key: "several", title: "not one fault" },
  { key: "unnamed", title: "unnamed" },
];

export type Result = (typeof RESULTS)[number];

/** The results that a search for so many faults may have. */
export function resultsOf(faults: number): Result[] {
  return RESULTS.filter((result) => (faults === 1 ? result !== "part" : result !== "several"));
}

/**
 * @param failed the element, or two of them. Two are right where they are the only named pair, in a set where they are one of several, or fail
 * like the named element: what a dead switch does to its links cannot be seen
 */
export function resultOf(finding: Finding, failed: readonly NetworkElement[]): Result {
  if (finding.kind === "open") return "unnamed";
  const isIn = (list: readonly NetworkElement[], { kind, number }: NetworkElement) =>
    list.some((one) => one.kind === kind && one.number === number);
  const areIn = (pairs: readonly (readonly NetworkElement[])[]) =>
    pairs.some((pair) => failed.every((one) => isIn(pair, one)));
  if (failed.length > 1) {
    if (finding.kind === "named") {
      if (areIn(finding.pairs)) return "set";
      return failed.some((one) => isIn(finding.elements, one)) ? "part" : "wrong";
    }
    if (!areIn(finding.sets.map(({ elements }) => elements))) return "wrong";
    return finding.sets.length === 1 ? "right" : "set";
  }
  if (finding.kind === "several") return "several";
  const { elements } = finding;
  if (!failed.every((one) => isIn(elements, one))) return "wrong";
  return elements.length === 1 ? "right" : "set";
}
