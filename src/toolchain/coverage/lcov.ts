/**
 * Coverage in the format of lcov (geninfo(1), "FILES"): DA has the lines with statements, BRDA the branches, FN and FNDA the parser states and
 * the actions of tables as functions.
 */
import type { Item } from "./items.js";
import { type Coverage, linesOf } from "./report.js";

/** `test`: the name of the test, letters, digits and underscores. */
export function lcovText(coverage: Coverage, test = ""): string {
  const records = [...linesOf(coverage)].flatMap(([file, lines]) => {
    const items = lines.flatMap((line) => line.items);
    return [
      `TN:${test}`,
      `SF:${file}`,
      ...functions(items),
      ...branches(items),
      ...lines.flatMap(({ line, hits }) => (hits === undefined ? [] : [`DA:${line},${hits}`])),
      ...sums(
        "L",
        lines.flatMap(({ hits }) => (hits === undefined ? [] : [hits])),
      ),
      "end_of_record",
    ];
  });
  return records.map((line) => `${line}\n`).join("");
}

function functions(items: readonly Item[]): string[] {
  const own = items.filter(({ kind }) => kind === "action" || kind === "state");
  // A comma ends a field of a record.
  const name = ({ kind, text }: Item) => `${kind} ${text}`.replaceAll(",", " ");
  return [
    ...own.map((item) => `FN:${item.place?.line ?? 0},${name(item)}`),
    ...own.map((item) => `FNDA:${item.hits},${name(item)}`),
    ...sums(
      "FN",
      own.map(({ hits }) => hits),
    ),
  ];
}

function branches(items: readonly Item[]): string[] {
  const own = items.filter(({ kind }) => kind === "branch");
  const blocks = new Map<string, { number: number; ways: number; reached: boolean }>();
  for (const item of own) {
    const key = blockOf(item);
    const block = blocks.get(key) ?? { number: blocks.size, ways: 0, reached: false };
    block.reached ||= item.hits > 0;
    blocks.set(key, block);
  }
  const lines = own.map((item) => {
    const block = blocks.get(blockOf(item))!;
    // A dash: the decision itself was never reached.
    return `BRDA:${item.place?.line ?? 0},${block.number},${block.ways++},${block.reached ? item.hits : "-"}`;
  });
  return [
    ...lines,
    ...sums(
      "BR",
      own.map(({ hits }) => hits),
    ),
  ];
}

function blockOf({ place, decision }: Item): string {
  const isSelect = decision?.startsWith("select") === true;
  return `${isSelect ? "" : `${place?.line}:${place?.column}`} ${decision}`;
}

function sums(what: "L" | "FN" | "BR", hits: readonly number[]): string[] {
  const [found, hit] = what === "L" ? ["LF", "LH"] : [`${what}F`, `${what}H`];
  return [`${found}:${hits.length}`, `${hit}:${hits.filter((count) => count > 0).length}`];
}
