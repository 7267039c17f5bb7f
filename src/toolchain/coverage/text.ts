/** Coverage as text for a terminal: the sums, then what was not reached. */
import { formatTable, printable } from "../../base/index.js";
import { type Item, KINDS } from "./items.js";
import { type Coverage, KIND_WORDS, percentOf } from "./report.js";

export function coverageText(coverage: Coverage): string {
  const rows = KINDS.filter((kind) => coverage.totals[kind].of > 0).map((kind) => {
    const total = coverage.totals[kind];
    return [KIND_WORDS[kind], total.reached, total.of, `${percentOf(total).toFixed(1)} %`];
  });
  const missed = coverage.items.filter(({ hits }) => hits === 0);
  const list =
    missed.length === 0 ? [] : ["", "not reached", ...missed.map((item) => `  ${missedText(item)}`)];
  return [formatTable(["", "reached", "of", ""], rows), ...list].join("\n");
}

function missedText({ kind, place, text }: Item): string {
  const where = place === undefined ? "" : `${place.filename}:${place.line}:${place.column + 1}: `;
  return printable(`${where}${kind} ${text}`);
}
