/** Checks before anything starts whether a testbed provides what the host policies of an experiment need. */
import { fail } from "../../../base/index.js";
import { restingHost, type Signal } from "../../hosts/index.js";
import type { SwitchEngine } from "../../testbed/index.js";
import { CODES } from "../codes.js";
import type { FabricExperiment } from "../experiment.js";

/** Fails with P43070, at the first scheme whose policy needs a signal that is missing; `why` explains it. */
export function checkSignals(
  { schemes, locate }: FabricExperiment,
  engine: SwitchEngine,
  missing: ReadonlyMap<Signal, string>,
): void {
  for (const [i, { label, hosts }] of schemes.entries()) {
    const lacking = (hosts(restingHost()).needs ?? []).find((need) => missing.has(need));
    if (lacking === undefined) continue;
    fail(
      CODES.missingSignal,
      locate(["schemes", i]),
      `engine ${engine} cannot run scheme ${label}: its hosts need ${lacking}`,
      missing.get(lacking)!,
    );
  }
}
