/** The process that the runner gives its cases to: `worker.ts MODULE`, then batches by message. */
import { pathToFileURL } from "node:url";
import { type Batch, type FuzzCase, tryCase } from "./runner.js";

const { cases } = (await import(pathToFileURL(process.argv[2]!).href)) as { cases: Record<string, FuzzCase> };

process.on("message", async ({ kind, seed, from, count }: Batch) => {
  const faults: { number: number; fault: string }[] = [];
  for (let number = from; number < from + count; number++) {
    const fault = await tryCase(cases[kind]!, kind, seed, number);
    if (fault !== undefined) faults.push({ number, fault });
  }
  process.send!(faults);
});
