/** The outcome of a unit of the kind `timeline` as JSON: hosts by their names. */
import { given } from "../../../../base/index.js";
import { nodeNamed } from "../../../topology/index.js";
import type { RunLoad } from "../../testbed/machine-load.js";
import type { Kind, SchemeUnit } from "../kind.js";
import type { FlowRecord, TimelineFlow } from "./flows.js";
import type { TimelineSeries } from "./results.js";
import type { Timeline, TimelineFile } from "./schema.js";

interface FlowsJson {
  readonly records: readonly (Omit<FlowRecord, "flow"> & {
    readonly flow: Omit<TimelineFlow, "from" | "to"> & { readonly from: string; readonly to: string };
  })[];
  readonly load?: RunLoad;
}

type Portable = NonNullable<Kind<TimelineFile, Timeline, SchemeUnit, TimelineSeries, object>["portable"]>;

export const PORTABLE_FLOWS: Portable = {
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
