import { type Checked, moved } from "../../ten-times/cells.js";
import { block, page, type RunDocument, run, script } from "../block.js";
import { fixed, percent, pickKeys, table } from "../text.js";

const FILE = "examples/compare/load-testbed.yaml";

interface Row {
  readonly scheme: string;
  readonly size: string;
  readonly fct_p50_ms: number;
  readonly fct_p99_ms: number;
  readonly retransmissions: number;
}

const rows = (document: RunDocument): Row[] =>
  document.rows.map((row: Row) =>
    pickKeys(row, ["scheme", "size", "fct_p50_ms", "fct_p99_ms", "retransmissions"]),
  );

/** Cells of a file that were run ten times as long, and how many of them moved. */
interface Longer {
  readonly file: string;
  readonly cells: number;
  readonly moved: number;
}

function longerByFile({ cells }: { readonly cells: readonly Checked[] }): Longer[] {
  const files = [...new Set(cells.map(({ file }) => file))].sort();
  return files.map((file) => {
    const own = cells.filter((cell) => cell.file === file && cell.converged !== "no");
    return { file, cells: own.length, moved: own.filter(moved).length };
  });
}

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);

export default page("docs/load.md", {
  /** A sample of the cells of examples/compare, ten times as long. Hours. */
  longer: block({
    slow: true,
    runs: {
      longer: script("tools/ten-times.ts", "--settled", "--out", "out/ten-times", "--cells", "60", "--json"),
    },
    pick: { longer: longerByFile },
    render: ({ longer }) =>
      table(
        ["file", "cells checked", "outside of the interval"],
        longer.map(({ file, cells, moved: outside }) => [`\`${file}.yaml\``, String(cells), String(outside)]),
      ),
    values: ({ longer }) => {
      const cells = sum(longer.map((one) => one.cells));
      const outside = sum(longer.map((one) => one.moved));
      return { moved: `${outside} of ${cells}`, share: percent(outside / cells, 0) };
    },
  }),
  /** The same load in the simulator and on real switches. */
  testbed: block({
    timed: true,
    runs: {
      simulator: run(FILE),
      ours: run(FILE, "--engine", "switch"),
      bmv2: run(FILE, "--engine", "bmv2"),
    },
    pick: { simulator: rows, ours: rows, bmv2: rows },
    render: ({ simulator, ours, bmv2 }) => {
      const engines = [simulator, ours, bmv2];
      const cells = (place: number, key: "fct_p50_ms" | "fct_p99_ms" | "retransmissions") =>
        engines.map((list) => fixed(list[place]![key]));
      const columns = (what: string) => [`${what}: simulator`, "our switch", "BMv2"];
      return table(
        ["scheme, size", ...columns("p50, ms"), ...columns("p99, ms"), ...columns("retransmissions")],
        simulator.map(({ scheme, size }, place) => [
          `${scheme}, ${size}`,
          ...cells(place, "fct_p50_ms"),
          ...cells(place, "fct_p99_ms"),
          ...cells(place, "retransmissions"),
        ]),
      );
    },
  }),
});
