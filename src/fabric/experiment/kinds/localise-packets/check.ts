/** Checks a file of the kind `localise_packets`: its schemes have a path model, its network has links between switches. */
import { CODES } from "../../codes.js";
import type { CheckContext } from "../kind.js";
import { checkNetwork } from "../localise/check.js";
import { noPathModel } from "../plans-with-paths.js";
import type { FailureClass, LocalisePackets, LocalisePacketsSettings } from "./schema.js";

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
