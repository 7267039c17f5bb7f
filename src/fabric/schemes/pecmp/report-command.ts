/** `p4loom generate pecmp --report`: the cost of the control matrices, on a topology or on the twelve of the paper. */
import { z } from "zod";
import { fail } from "../../../base/index.js";
import type { Topology } from "../../topology/index.js";
import { CODES } from "../codes.js";
import type { ReportText, SchemeReport } from "../scheme.js";
import { reductionReport } from "../wcmp/report.js";
import { readWeights } from "./fabric.js";
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

/** The parameters of the scheme; the report reads those of {@link ReportOptions} and the weights. */
const reportSchema = pecmpParameters.extend({
  /** Control for which groups are counted. */
  control: pecmpParameters.shape.control.unwrap().default(DEFAULT_REPORT.control),
  version_bit: z.enum(VERSION_BITS).default(DEFAULT_REPORT.versionBit),
  /** Whether the bits cover the NIC bond and the leaf's choice of a ToR of a pair. */
  legs: z.boolean().default(DEFAULT_REPORT.legs),
});

export const pecmpReport: SchemeReport = {
  topologies: [TABLE_2],
  options: reportSchema,
  make: (subject: Topology | string, options: unknown): ReportText => {
    const given = options as z.output<typeof reportSchema>;
    const { version_bit, legs, control } = given;
    const rule: ReportOptions = { versionBit: version_bit, legs, control };
    if (typeof subject === "string") {
      if (given.weights.length > 0)
        fail(
          CODES.weight,
          undefined,
          `the topologies of ${TABLE_2} have links of one rate, and no weights`,
          "name the file of a topology",
        );
      const rows = table2Report(rule);
      return { rows, text: formatReport(rows) };
    }
    const weights = readWeights(subject, given, () => undefined);
    const rows = [reportOf(subject.name, subject, rule, weights)];
    const text = `${formatReport(rows)}\n\n${formatSwitchReport(subject, control, weights)}`;
    if (!("groupMembers" in weights)) return { rows, text };
    const wcmp = reductionReport(subject, weights.groupMembers);
    return { rows: [{ ...rows[0]!, wcmp: wcmp.rows }], text: `${text}\n\n${wcmp.text}` };
  },
};
