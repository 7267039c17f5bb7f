/** Removes the remains of runs whose process has ended. It removes nothing of a run whose process is alive, and nothing of other programs. */
import { takeAway } from "./janitor.js";
import { findRuns, type RunRecord } from "./record.js";

export interface CleanedRun {
  readonly id: string;
  readonly record: RunRecord;
  /** `alive`: nothing was removed; `failed`: something could not be removed. */
  readonly outcome: "removed" | "alive" | "failed";
  /** Why it failed. */
  readonly message?: string;
}

/** All recorded runs, with the result for each. */
export async function cleanRuns(): Promise<CleanedRun[]> {
  const cleaned: CleanedRun[] = [];
  for (const { id, record, alive } of findRuns()) {
    if (alive) {
      cleaned.push({ id, record, outcome: "alive" });
      continue;
    }
    const { status, stderr } = await takeAway(id);
    if (status === 0) cleaned.push({ id, record, outcome: "removed" });
    else cleaned.push({ id, record, outcome: "failed", message: stderr.trim() });
  }
  return cleaned;
}
