/** The kind `timeline`: given flows, and faults at given times. A unit is a scheme. */
import type { Fault } from "../../faults/fault.js";
import type { RunKind, Unit } from "../kind.js";
import { timelineOf } from "./check.js";
import { type TimelineRow, timelineRow } from "./flows.js";
import { PORTABLE_FLOWS } from "./portable.js";
import type { TimelineSeries } from "./results.js";
import { type Timeline, type TimelineFile, timelineSchema } from "./schema.js";
import { TIMELINE_VIEW } from "./view.js";

export const TIMELINE: RunKind<
  TimelineFile,
  Timeline,
  Unit,
  TimelineSeries,
  TimelineRow,
  ReadonlyMap<Fault, number>
> = {
  name: "timeline",
  keys: ["flows", "faults"],
  schema: timelineSchema,
  takesRuns: false,
  check: timelineOf,
  units: ({ schemes }) => schemes.map((scheme) => ({ scheme, name: "flows", steps: 1 })),
  async onSimulator(timeline, { scheme }, stage) {
    const { playInSimulator } = await import("./on-simulator.js");
    const records = await playInSimulator(timeline, scheme, stage);
    await stage.stepDone();
    return { scheme, records };
  },
  lab: async () => (await import("./on-lab.js")).TIMELINE_ON_LAB,
  rows: ({ faults }, { scheme, records, load }) =>
    records.map((record, flow) => timelineRow(scheme, flow, record, faults, load)),
  portable: PORTABLE_FLOWS,
  view: TIMELINE_VIEW,
};
