/** Writes the page and the rows of a record into the folder of the results. */
import { join } from "node:path";
import { OutputFile } from "../output-file.js";
import { timelineLines } from "./lines.js";
import { timelinePage } from "./page.js";
import type { RunRecord } from "./record.js";

/** `timelines/NAME.html` and `timelines/NAME.jsonl`. Throws DiagnosticError P43011. */
export function writeTimeline(record: RunRecord, folder: string, name: string): void {
  const page = new OutputFile(join(folder, "timelines", `${name}.html`));
  try {
    page.write(Buffer.from(timelinePage(record)));
  } finally {
    page.close();
  }
  const rows = new OutputFile(join(folder, "timelines", `${name}.jsonl`));
  try {
    for (const line of timelineLines(record)) rows.write(Buffer.from(line));
  } finally {
    rows.close();
  }
}
