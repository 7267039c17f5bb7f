/** What a search has found of a failure, as counted in the rows. */
import { claim } from "../../../../base/index.js";
import type { Finding, NetworkElement } from "../../../paths/index.js";

/** What a search has found of one failure. `set`: the failed element is one of several that are always crossed together. */
export const RESULTS = ["right", "set", "wrong", "several", "unnamed"] as const;
/** Columns of their numbers. */
export const RESULT_COLUMNS: readonly { readonly key: Result; readonly title: string }[] = [
  { key: "right", title: claim("localised") },
  { key: "set", title: "in a set" },
  { key: "wrong", title: "wrong" },
  { key: "several", title: "not one fault" },
  { key: "unnamed", title: "unnamed" },
];

export type Result = (typeof RESULTS)[number];

export function resultOf(finding: Finding, failed: NetworkElement): Result {
  if (finding.kind !== "named") return finding.kind === "several" ? "several" : "unnamed";
  const { elements } = finding;
  if (!elements.some(({ kind, number }) => kind === failed.kind && number === failed.number)) return "wrong";
  return elements.length === 1 ? "right" : "set";
}
