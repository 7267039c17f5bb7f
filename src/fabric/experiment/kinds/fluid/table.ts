/** The rows of a fluid experiment as a table for a terminal. */
import { type Cell, formatTable } from "../../../../base/index.js";
import { type FluidRow, gainOf } from "./rows.js";

const COLUMNS: readonly (readonly [key: string, head: string, digits: number])[] = [
  ["throughput_gbps", "Gbps", 1],
  ["offered_gbps", "offered", 1],
  ["mean_links", "links", 3],
  ["idle_links_percent", "idle links %", 2],
  ["flows", "flows", 0],
  ["open_flows", "open", 0],
  ["stalled_flows", "stalled", 0],
  ["fct_p50_ms", "fct p50 ms", 2],
  ["fct_p99_ms", "p99 ms", 2],
];

/** `swept`: keys that a sweep adds to the rows. */
export function fluidTable(rows: readonly FluidRow[], swept: readonly string[]): string {
  const columns = COLUMNS.filter(([key]) => rows.some((row) => row[key] !== undefined));
  const seeds = new Set(rows.map((row) => row["seed"])).size > 1 ? ["seed"] : [];
  const first = rows[0]?.["scheme"];
  const header = [
    "scheme",
    ...swept,
    ...seeds,
    ...columns.map(([, head]) => head),
    `gain over ${first ?? "first"} %`,
  ];
  const cells = rows.map((row): Cell[] => {
    const gain = gainOf(row, rows, swept);
    return [
      row["scheme"] as string,
      ...[...swept, ...seeds].map((key) => shown(row[key])),
      ...columns.map(([key, , digits]) => {
        const value = row[key];
        return typeof value === "number" ? value.toFixed(digits) : null;
      }),
      gain === undefined ? null : gain.toFixed(1),
    ];
  });
  return formatTable(header, cells);
}

function shown(value: unknown): Cell {
  return typeof value === "number" || typeof value === "string" ? value : JSON.stringify(value);
}
