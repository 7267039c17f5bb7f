/** `p4loom generate pecmp --report`: what the control matrices cost, on a topology or on the twelve of the paper. */
import { z } from "zod";
import type { Topology } from "../../topology/index.js";
import type { ReportText, SchemeReport } from "../scheme.js";
import { VERSION_BITS } from "./layout.js";
import { pecmpParameters } from "./parameters.js";
import {
  DEFAULT_REPORT,
  formatReport,
  formatSwitchReport,
  type ReportOptions,
  reportOf,
  table2Report,
} from "./report.js";

/** Name of the twelve topologies of Table 2. */
const TABLE_2 = "table2";

/** The parameters of the scheme, of which the report reads two, with defaults of its own. */
const reportSchema = pecmpParameters.extend({
  /** What the counted groups control. */
  control: pecmpParameters.shape.control.unwrap().default(DEFAULT_REPORT.control),
  version_bit: z.enum(VERSION_BITS).default(DEFAULT_REPORT.versionBit),
  /** Whether the bits cover the NIC bond and the leaf's choice of a ToR of a pair. */
  legs: z.boolean().default(DEFAULT_REPORT.legs),
});

export const pecmpReport: SchemeReport = {
  topologies: [TABLE_2],
  options: reportSchema,
  make: (subject: Topology | string, options: unknown): ReportText => {
    const { version_bit, legs, control } = options as z.output<typeof reportSchema>;
    const rule: ReportOptions = { versionBit: version_bit, legs, control };
    if (typeof subject === "string") {
      const rows = table2Report(rule);
      return { rows, text: formatReport(rows) };
    }
    const rows = [reportOf(subject.name, subject, rule)];
    return { rows, text: `${formatReport(rows)}\n\n${formatSwitchReport(subject, control)}` };
  },
};
