/** The kind `timeline`: given flows, and faults at given times. A unit is a scheme. */
import { withSchemes } from "../../experiment.js";
import { eachSeed, type Kind, type SchemeUnit } from "../kind.js";
import { onFabric } from "../runners.js";
import { timelineOf } from "./check.js";
import { type TimelineRow, timelineRow } from "./flows.js";
import { PORTABLE_FLOWS } from "./portable.js";
import type { TimelineSeries } from "./results.js";
import { type Timeline, type TimelineFile, timelineSchema } from "./schema.js";
import { TIMELINE_VIEW } from "./view.js";

export const TIMELINE: Kind<TimelineFile, Timeline, SchemeUnit, TimelineSeries, TimelineRow> = {
  name: "timeline",
  keys: ["flows", "faults"],
  schema: withSchemes(timelineSchema),
  takesRuns: false,
  check: timelineOf,
  units: ({ schemes }) => schemes.map((scheme) => ({ scheme, name: "flows", steps: 1 })),
  runner: onFabric({
    async onSimulator(timeline, { scheme }, stage) {
      const { playInSimulator } = await import("./on-simulator.js");
      const records = await playInSimulator(timeline, scheme, stage);
      await stage.stepDone();
      return { scheme, records };
    },
    lab: async () => (await import("./on-lab.js")).TIMELINE_ON_LAB,
  }),
  rows: eachSeed(({ faults }, _unit, { scheme, records, load }) =>
    records.map((record, flow) => timelineRow(scheme, flow, record, faults, load)),
  ),
  portable: PORTABLE_FLOWS,
  view: TIMELINE_VIEW,
  isOneRun: true,
};
