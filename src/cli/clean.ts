/** `p4loom clean`: removes what labs left whose process has ended. */
import { cleanRuns } from "../fabric/testbed/index.js";
import { EXIT } from "./outcome.js";

export interface CleanOptions {
  json?: boolean;
}

export async function clean(options: CleanOptions): Promise<number> {
  const runs = await cleanRuns();
  if (options.json) {
    const rows = runs.map(({ id, record, outcome, message }) => ({ id, lab: record.lab, outcome, message }));
    process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  } else {
    for (const { id, record, outcome, message } of runs) {
      const of = `run ${id} (${record.lab}, process ${record.owner.pid})`;
      if (outcome === "alive") process.stdout.write(`${of} is running: left alone\n`);
      else if (outcome === "removed") process.stdout.write(`${of}: removed\n`);
      else process.stdout.write(`${of}: not removed: ${message}\n`);
    }
    if (runs.length === 0) process.stdout.write("no ended runs found\n");
  }
  return runs.some(({ outcome }) => outcome === "failed") ? EXIT.wrongInput : EXIT.success;
}
