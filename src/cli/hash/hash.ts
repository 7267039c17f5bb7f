/** `p4loom hash`: what hash functions of switches have in common. */
import { fail } from "../../base/index.js";
import { writeFiles } from "../../toolchain/loading/index.js";
import { CODES } from "../codes.js";
import { EXIT } from "../outcome.js";
import { assignReport, schemeWith, subjectOf } from "./assign.js";
import { delta } from "./delta.js";
import { type HashArguments, type HashSettings, type HashSubject, hashSettings } from "./hash-options.js";
import { type HashReport, reportPage, reportText } from "./report.js";
import { catalogue, collide, correlateAll, linear } from "./subjects.js";

const REPORTS: Readonly<
  Record<HashSubject, (names: readonly string[], settings: HashSettings) => HashReport>
> = {
  catalogue,
  linear,
  correlate: correlateAll,
  collide,
  delta,
  assign: assignReport,
  pathmap: pathmapReport,
};

/** Prints the report, and writes it as a page where that is asked for. */
export async function hash(
  subject: HashSubject,
  names: readonly string[],
  args: HashArguments,
): Promise<number> {
  const report = await reportOf(subject, names, args);
  if (args.html !== undefined) writeFiles([{ path: args.html, content: reportPage(report) }]);
  process.stdout.write(args.json ? `${JSON.stringify(report.json, null, 2)}\n` : reportText(report));
  return EXIT.success;
}

async function reportOf(
  subject: HashSubject,
  names: readonly string[],
  args: HashArguments,
): Promise<HashReport> {
  const settings = hashSettings(args);
  if (args.switch === undefined) return REPORTS[subject](names, settings);
  if (subject !== "linear" || names.length > 0)
    fail(
      CODES.wrongValue,
      undefined,
      `hash ${subject}: --switch ${args.switch} belongs to linear, without functions`,
      `write p4loom hash linear --switch ${args.switch}`,
    );
  // gRPC is loaded only when it is used.
  const { linearOfSwitch } = await import("./running.js");
  return await linearOfSwitch(args.switch, settings);
}

// `p4loom hash pathmap`: by how much each control bit of a header moves the choice of each hop of a topology.

/** @param names the topology's file */
function pathmapReport(names: readonly string[], { set }: HashSettings): HashReport {
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
