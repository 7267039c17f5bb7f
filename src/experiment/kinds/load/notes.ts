/** What a reader of the results must know of what came out. */
import type { Unit } from "../kind.js";
import type { LoadOutcome } from "./outcome.js";
import { SIZE_CLASSES } from "./size-classes.js";

/** One sentence each, of one unit under all its seeds. */
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
          `${scheme.title}: ${unfinished} of ${flows} measured flows had not ended when the drain was over; they are in no completion time and no slowdown, which makes these look better than they are.`,
        ]),
    ...(leftOut === 0
      ? []
      : [`${scheme.title}: flows.jsonl leaves out ${leftOut} flows beyond record_limit.`]),
  ];
}
