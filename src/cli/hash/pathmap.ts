/** `p4loom hash pathmap`: by how much each control bit of a header moves the choice of each hop of a topology. */
import { schemeWith, subjectOf } from "./assign.js";
import type { HashSettings } from "./hash-options.js";
import type { HashReport } from "./report.js";

/** @param names the topology's file */
export function pathmapReport(names: readonly string[], { set }: HashSettings): HashReport {
  const scheme = schemeWith("pathmap");
  const { topology, parameters } = subjectOf("pathmap", names, scheme, set);
  const map = scheme.pathmap!(topology, parameters.value, parameters.locate);
  const { bits, hops, buckets, paths, reached } = map;
  return {
    title: `Pathmap of ${topology.name}`,
    tables: [
      {
        title: `Offset of the bucket by control bit; ${buckets} buckets`,
        header: ["bit", ...hops.map(({ hop }) => hop)],
        rows: [
          ["next hops", ...hops.map(({ sizes }) => sizes.join(", "))],
          ...bits.map((name, bit) => [name, ...hops.map(({ offsets }) => offsets[bit])]),
        ],
      },
    ],
    notes: [
      "The offset of a change of several bits is the XOR of theirs.",
      `From any header the control bits reach ${reached} of the ${paths} paths through these hops.`,
      `${map.changes_of_most_hops} changes move every flow at ${map.most_changed_hops} of the ${hops.length} hops; no change does at more.`,
      ...map.notes,
    ],
    json: { topology: topology.name, ...map },
  };
}
