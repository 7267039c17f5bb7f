/** Checks a file of the kind `localise_packets`: its schemes have a path model, its network has links between switches. */

import { z } from "zod";
import { positiveDurationSchema } from "../../../topology/index.js";
import { CODES } from "../../codes.js";
import { type Checked, fabricKeys, ipSchema, machineKeys, whole } from "../../experiment.js";
import type { CheckContext } from "../kind.js";
import { checkNetwork, searchKeys } from "../localise/check.js";
import { noPathModel } from "../plans-with-paths.js";

/** Adds P45210 for a scheme without a path model, P45510 as the kind `localise` does, P43026 for a timeout below the interval. */
export function localisePacketsOf({
  source,
  value: settings,
  topology,
  locate,
  diagnostics,
  plan,
}: CheckContext<LocalisePacketsSettings>): LocalisePackets {
  checkNetwork(topology, locate, diagnostics);
  if (settings.probe_timeout <= settings.probe_interval)
    diagnostics.error(
      CODES.probeTimeout,
      locate(["probe_timeout"]) ?? locate(["probe_interval"]),
      `probe_timeout, ${settings.probe_timeout / 1e6} ms, is not above probe_interval, ${settings.probe_interval / 1e6} ms`,
      "write a probe_timeout above the probe_interval",
    );
  const schemes = plan(settings, 1);
  for (const [i, run] of schemes.entries())
    if (run.plan.pathModel === undefined) noPathModel(run, i, locate, diagnostics);
  return { source, locate, settings, topology, schemes };
}

/** In the order of the results. */
export function failureClasses({ elements, loss }: LocalisePacketsSettings): FailureClass[] {
  return elements.flatMap((what) => loss.map((share) => ({ what, loss: share })));
}

// The experiment file of the kind `localise_packets`: probes as packets that find the element which loses packets.

export const localisePacketsSchema = z.strictObject({
  kind: z.literal("localise_packets").optional(),
  ...fabricKeys,
  ...searchKeys,
  /** Maximum number of probes for one failure; without a name by then, it stays unnamed. */
  most_probes: whole("a number of probes", 1, 1e6).default(20_000),
  /** Number of probes in flight together: their results determine the next ones. */
  probes_at_once: whole("a number of probes", 1, 1000).default(32),
  /** Time between two probes of one host. */
  probe_interval: positiveDurationSchema.default(1_000_000),
  /** A probe without an answer after this time is lost. */
  probe_timeout: positiveDurationSchema.default(300_000_000),
  /** Share of the probes that are lost on paths without a failure: on a busy machine an answer may arrive too late. */
  noise: z
    .number()
    .gt(0, "expected a share above 0 and below 0.1")
    .lt(0.1, "expected a share above 0 and below 0.1")
    .default(1e-4),
  traffic: z.strictObject({ ip: ipSchema }).prefault({}),
  ...machineKeys,
});

/** The file with defaults filled in. */
export type LocalisePacketsSettings = z.output<typeof localisePacketsSchema>;

/** The element that fails in a row of the results, and its loss. */
export interface FailureClass {
  readonly what: LocalisePacketsSettings["elements"][number];
  readonly loss: number;
}

export type LocalisePackets = Checked<LocalisePacketsSettings>;
