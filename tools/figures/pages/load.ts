import { block, page, type RunDocument, run } from "../block.js";
import { fixed, pickKeys, table } from "../text.js";

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

export default page("docs/load.md", {
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
