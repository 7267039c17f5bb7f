/** `p4loom hash`: what hash functions of switches have in common. */
import { fail } from "../../base/index.js";
import { writeFiles } from "../../toolchain/loading/index.js";
import { CODES } from "../codes.js";
import { EXIT } from "../outcome.js";
import { assignReport } from "./assign.js";
import { delta } from "./delta.js";
import { type HashArguments, type HashSettings, type HashSubject, hashSettings } from "./hash-options.js";
import { pathmapReport } from "./pathmap.js";
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
