/** What a search has found of a failure, as counted in the rows. */
import type { Finding, NetworkElement } from "../../../paths/index.js";

/** What a search has found of one failure. `set`: the failed element is one of several that are always crossed together. */
export const RESULTS = ["right", "set", "wrong", "several", "unnamed"] as const;
export type Result = (typeof RESULTS)[number];

export function resultOf(finding: Finding, failed: NetworkElement): Result {
  if (finding.kind !== "named") return finding.kind === "several" ? "several" : "unnamed";
  const { elements } = finding;
  if (!elements.some(({ kind, number }) => kind === failed.kind && number === failed.number)) return "wrong";
  return elements.length === 1 ? "right" : "set";
}
