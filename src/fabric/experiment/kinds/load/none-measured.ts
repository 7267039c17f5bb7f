/** Refuses a run in which no flow is measured. */
import { fail } from "../../../../base/index.js";
import { CODES } from "../../codes.js";
import type { Load } from "./schema.js";

/** `count`: number of flows that started; `lastNs`: start of the last one, from the start of the traffic. Throws DiagnosticError P43060. */
export function noneMeasured(
  { settings, locate }: Load,
  { count, lastNs }: { readonly count: number; readonly lastNs: number },
): never {
  fail(
    CODES.nothingToMeasure,
    locate(["warm_up"]) ?? locate(["traffic"]) ?? locate([]),
    count === 0
      ? "no flow starts"
      : `no flow starts after warm_up, ${settings.warm_up / 1e6} ms: there is nothing to measure`,
    count === 0
      ? "write a longer duration, more flows, or a higher load"
      : `${count} flows start, the last one at ${lastNs / 1e6} ms; write a shorter warm_up, or more traffic`,
  );
}
