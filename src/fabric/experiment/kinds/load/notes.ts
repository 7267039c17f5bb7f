/** Notes on the outcomes that a reader of the results must know. */
import type { SchemeUnit } from "../kind.js";
import type { LoadOutcome } from "./load-figures.js";
import { SIZE_CLASSES } from "./size-classes.js";

/** One sentence each, on one unit under all its seeds. */
export function loadNotes({ scheme }: SchemeUnit, outcomes: readonly LoadOutcome[]): string[] {
  const total = (of: (outcome: LoadOutcome) => number) => outcomes.reduce((sum, one) => sum + of(one), 0);
  const inClasses = (key: "flows" | "unfinished") => (outcome: LoadOutcome) =>
    SIZE_CLASSES.reduce((sum, name) => sum + outcome.flows[name][key], 0);
  const [flows, unfinished] = [total(inClasses("flows")), total(inClasses("unfinished"))];
  const outside = outcomes.filter(({ outsideWindow }) => outsideWindow !== undefined);
  const leftOut = total(({ linesLeftOut = 0 }) => linesLeftOut);
  return [
    ...(unfinished === 0
      ? []
      : [
          `${scheme.title}: ${unfinished} of ${flows} measured flows had not ended at the end of the drain; completion times and slowdowns leave them out, and so are better than the real ones.`,
        ]),
    ...(outside.length === 0 ? [] : [windowNote(scheme.title, outside, outcomes.length)]),
    ...windowNotes(scheme.title, outcomes),
    ...(leftOut === 0
      ? []
      : [`${scheme.title}: flows.jsonl leaves out ${leftOut} flows beyond record_limit.`]),
  ];
}

/** The window ends with the last arrival; of few or long flows most payload arrives later. */
function windowNote(title: string, outside: readonly LoadOutcome[], all: number): string {
  const { outsideWindow, window } = outside[0]!;
  const { within, after } = outsideWindow!;
  const share = Math.round((100 * after) / (within + after));
  const [from, to] = window.map((ns) => `${Number((ns / 1e6).toPrecision(6))}`);
  const seeds = all === 1 ? "" : ` (under ${outside.length} of ${all} seeds; these figures are of the first)`;
  return `${title}: goodput, links and queues are measured from ${from} to ${to} ms, and ${share} % of the payload of the window and later arrived after it${seeds}: they do not describe these flows. traffic.duration gives the window another end.`;
}

function windowNotes(title: string, outcomes: readonly LoadOutcome[]): string[] {
  const leftOut = outcomes.reduce((sum, { windowsLeftOut = 0 }) => sum + windowsLeftOut, 0);
  return leftOut === 0
    ? []
    : [
        `${title}: windows.csv leaves out ${leftOut} samples: write a longer windows.interval, or fewer flows.`,
      ];
}
