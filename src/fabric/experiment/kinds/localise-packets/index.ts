/**
 * The kind `localise_packets`: probes as packets, on the simulator and on real switches, name the element that loses packets. A unit is
 * a scheme: a lab is booted once for all of its failures.
 */
import { withSchemes } from "../../experiment.js";
import type { Kind, SchemeUnit } from "../kind.js";
import { onFabric } from "../registered-kind.js";
import { failureClasses, localisePacketsOf } from "./check.js";
import { type LocalisePacketsRow, localisePacketsRows } from "./rows.js";
import { type LocalisePackets, type LocalisePacketsSettings, localisePacketsSchema } from "./schema.js";
import type { LocaliseOnEngine } from "./search.js";
import { LOCALISE_PACKETS_VIEW } from "./view.js";

export const LOCALISE_PACKETS: Kind<
  LocalisePacketsSettings,
  LocalisePackets,
  SchemeUnit,
  LocaliseOnEngine,
  LocalisePacketsRow
> = {
  name: "localise_packets",
  keys: ["probes_at_once", "probe_timeout"],
  schema: withSchemes(localisePacketsSchema),
  takesRuns: false,
  check: localisePacketsOf,
  units: ({ schemes, settings }) => {
    const steps = settings.failures * failureClasses(settings).length;
    return schemes.map((scheme) => ({ scheme, name: "probes", steps }));
  },
  runner: onFabric({
    async onSimulator(experiment, { scheme }, stage) {
      const { localiseInSimulator } = await import("./on-simulator.js");
      return { failures: await localiseInSimulator(experiment, scheme, stage) };
    },
    lab: async () => (await import("./on-lab.js")).LOCALISE_ON_LAB,
  }),
  rows: ({ settings }, { scheme }, outcomes) =>
    localisePacketsRows(scheme, failureClasses(settings), outcomes),
  view: LOCALISE_PACKETS_VIEW,
};
