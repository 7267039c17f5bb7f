/** Notes on the outcomes that a reader of the results must know. */
import type { Unit } from "../kind.js";
import type { LoadOutcome } from "./outcome.js";
import { SIZE_CLASSES } from "./size-classes.js";

/** One sentence each, on one unit under all its seeds. */
export function loadNotes({ scheme }: Unit, outcomes: readonly LoadOutcome[]): string[] {
  const total = (of: (outcome: LoadOutcome) => number) => outcomes.reduce((sum, one) => sum + of(one), 0);
  const inClasses = (key: "flows" | "unfinished") => (outcome: LoadOutcome) =>
    SIZE_CLASSES.reduce((sum, name) => sum + outcome.flows[name][key], 0);
  const [flows, unfinished] = [total(inClasses("flows")), total(inClasses("unfinished"))];
  const leftOut = total(({ linesLeftOut = 0 }) => linesLeftOut);
  return [
    ...(unfinished === 0
      ? []
      : [
          `${scheme.title}: ${unfinished} of ${flows} measured flows had not ended at the end of the drain; completion times and slowdowns leave them out, and so are better than the real ones.`,
        ]),
    ...(leftOut === 0
      ? []
      : [`${scheme.title}: flows.jsonl leaves out ${leftOut} flows beyond record_limit.`]),
  ];
}
