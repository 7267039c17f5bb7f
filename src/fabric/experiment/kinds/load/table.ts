/** The rows of a load experiment as a table for a terminal. */
import { type Cell, formatTable } from "../../../../base/index.js";
import type { LoadRow } from "./rows.js";

/** Columns by key, with their headings; those that no row has are left out. */
const COLUMNS: readonly (readonly [key: string, head: string, digits: number])[] = [
  ["flows", "flows", 0],
  ["unfinished", "unfinished", 0],
  ["fct_mean_ms", "fct mean ms", 3],
  ["fct_p50_ms", "p50 ms", 3],
  ["fct_p99_ms", "p99 ms", 3],
  ["slowdown_mean", "slowdown mean", 2],
  ["slowdown_p50", "p50", 2],
  ["slowdown_p99", "p99", 2],
  ["rct_p99_ms", "request p99 ms", 3],
  ["slowdown_mean_first", "1st half", 2],
  ["slowdown_mean_second", "2nd half", 2],
  ["offered_load", "offered load", 3],
  ["achieved_load", "achieved load", 3],
  ["goodput_gbps", "goodput Gbps", 3],
  ["retransmissions", "retransm.", 0],
  ["timeouts", "timeouts", 0],
  ["drops", "drops", 0],
  ["held_flows", "held flows", 0],
  ["held_p50_ms", "held p50 ms", 3],
  ["held_p99_ms", "p99 ms", 3],
  ["held_max_ms", "max ms", 3],
  ["silence_max_ms", "silence ms", 3],
  ["goodput_before_gbps", "before Gbps", 3],
  ["goodput_since_gbps", "since Gbps", 3],
  ["link_cv", "link CV", 3],
  ["queue_p99_bytes", "queue p99 B", 0],
];

/** `swept`: keys that a sweep adds to the rows. */
export function loadTable(rows: readonly LoadRow[], swept: readonly string[]): string {
  const columns = COLUMNS.filter(([key]) => rows.some((row) => row[key] !== undefined));
  const header = ["scheme", ...swept, "size", "seeds", ...columns.map(([, head]) => head)];
  const cells = rows.map((row): Cell[] => [
    row.scheme,
    ...swept.map((key) => text(row[key])),
    row.size,
    row["seeds"] as number,
    ...columns.map(([key, , digits]) => figure(row, key, digits)),
  ]);
  return formatTable(header, cells);
}

function text(value: unknown): Cell {
  return typeof value === "number" || typeof value === "string" ? value : JSON.stringify(value);
}

function figure(row: LoadRow, key: string, digits: number): Cell {
  const value = row[key];
  if (typeof value !== "number") return null;
  const interval = row[`${key}_ci95`];
  const shown = value.toFixed(digits);
  return typeof interval === "number" && interval > 0 ? `${shown} ±${interval.toFixed(digits)}` : shown;
}
