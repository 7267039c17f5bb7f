/** The kind `timeline`: given flows, and faults at given times. A unit is a scheme. */

import { given } from "../../../../base/index.js";
import { nodeNamed } from "../../../topology/index.js";
import { withSchemes } from "../../experiment.js";
import type { RunLoad } from "../../testbed/machine-load.js";
import type { Kind, SchemeUnit } from "../kind.js";
import { eachSeed, onFabric } from "../registered-kind.js";
import { timelineOf } from "./check.js";
import { type FlowRecord, type TimelineFlow, type TimelineRow, timelineRow } from "./flows.js";
import type { TimelineSeries } from "./results.js";
import { type Timeline, type TimelineFile, timelineSchema } from "./schema.js";
import { TIMELINE_VIEW } from "./view.js";

interface FlowsJson {
  readonly records: readonly (Omit<FlowRecord, "flow"> & {
    readonly flow: Omit<TimelineFlow, "from" | "to"> & { readonly from: string; readonly to: string };
  })[];
  readonly load?: RunLoad;
}

type Portable = NonNullable<Kind<TimelineFile, Timeline, SchemeUnit, TimelineSeries, object>["portable"]>;

const PORTABLE_FLOWS: Portable = {
  toJson: ({ records, load }): FlowsJson => ({
    records: records.map((record) => ({
      ...record,
      flow: { ...record.flow, from: record.flow.from.name, to: record.flow.to.name },
    })),
    ...given({ load }),
  }),
  fromJson: (json, { scheme }, { topology }) => {
    const { records, load } = json as FlowsJson;
    return {
      scheme,
      // JSON leaves out what is undefined.
      records: records.map(({ flow, completion, outages, broken, ...record }) => ({
        ...record,
        flow: {
          ...flow,
          from: nodeNamed(topology, flow.from)!,
          to: nodeNamed(topology, flow.to)!,
          bytes: flow.bytes,
        },
        completion,
        outages: outages.map((outage) => ({ ...outage, to: outage.to })),
        broken,
      })),
      ...given({ load }),
    };
  },
};

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
