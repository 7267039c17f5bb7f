/**
 * The closed forms behind P-ECMP's table 2 and figures 6 and 11, against counts in compiled matrices: with
 * fan-out n a tier needs n rows for offsets, n + 1 values for next hops, 2n rows for both.
 */
import { describe, expect, it } from "vitest";
import {
  formatReport,
  formatSwitchReport,
  type ReportOptions,
  reportOf,
  table2Report,
} from "../../../../src/fabric/schemes/pecmp/report.js";
import { build, example } from "../../topology/load.js";

/** dual-homed, leaves a pod, spines a plane (0: none) of topologies #1 to #12. */
const TABLE2: [dual: boolean, leaves: number, spines: number][] = [
  [false, 4, 0],
  [true, 4, 0],
  [false, 8, 0],
  [true, 8, 0],
  ...[false, true].flatMap((dual) => [8, 16, 32, 64].map((s): [boolean, number, number] => [dual, 8, s])),
];

const log2 = (n: number) => Math.ceil(Math.log2(n));

function closedForm([dual, leaves, spines]: (typeof TABLE2)[number], options: ReportOptions) {
  const tiers = spines > 0 ? [leaves, spines, leaves] : [leaves];
  const choices = options.legs && dual ? [2, ...tiers, 2] : tiers;
  const perHop = options.versionBit === "per-hop";
  const overall = options.versionBit === "overall" ? 1 : 0;
  const both = choices.reduce((sum, n) => sum + log2((perHop ? 4 : 2) * n), 0) + overall;
  const offset = log2(Math.max(...tiers)) + (options.versionBit === "none" ? 0 : 1);
  const rows = options.control === "both" ? 2 : 1;
  return {
    paths: (dual ? 2 : 1) * leaves * Math.max(spines, 1),
    groups: { tor: rows * leaves, leaf: rows * spines, spine: spines > 0 ? rows * leaves : null },
    selector_bits: { offset, both },
  };
}

describe("table 2", () => {
  const rules: ReportOptions[] = [
    { versionBit: "none", legs: false, control: "both" },
    { versionBit: "overall", legs: false, control: "both" },
    { versionBit: "overall", legs: true, control: "both" },
    { versionBit: "none", legs: true, control: "both" },
    { versionBit: "per-hop", legs: true, control: "both" },
    { versionBit: "none", legs: false, control: "offset" },
  ];
  it.each(rules)("follows the closed forms with %j", (options) => {
    const rows = table2Report(options);
    expect(rows.map((row) => row.topology)).toEqual(TABLE2.map((_, i) => `#${i + 1}`));
    for (const [i, row] of rows.entries()) {
      expect(row).toMatchObject(closedForm(TABLE2[i]!, options));
      expect([row.version_bit, row.legs]).toEqual([options.versionBit, options.legs]);
    }
  });

  it("has the last column of table 2", () => {
    expect(table2Report().map((row) => row.paths)).toEqual([
      ...[4, 8, 8, 16],
      ...[64, 128, 256, 512],
      ...[128, 256, 512, 1024],
    ]);
  });

  it("has the paper's ranges: 2 to 6 bits for offsets, under 20 and up to 24 with a version bit per hop", () => {
    const offsets = table2Report().map((row) => row.selector_bits.offset);
    expect([Math.min(...offsets), Math.max(...offsets)]).toEqual([2, 6]);
    const both = table2Report({ versionBit: "per-hop", legs: true, control: "both" });
    const bits = both.map((row) => row.selector_bits.both);
    expect(Math.max(...bits.slice(4, 8))).toBeLessThan(20);
    expect(Math.max(...bits)).toBe(24);
  });

  it("prints as a table that names the rule", () => {
    expect(formatReport(table2Report())).toMatchSnapshot();
    expect(formatReport([])).toContain("topology");
  });
});

describe("other topologies", () => {
  it("are counted as they are: a spine of planes chooses nothing", () => {
    const row = reportOf("clos", example("clos"));
    expect(row.groups).toEqual({ tor: 8, leaf: 8, spine: 0 });
    expect(row.members).toEqual({ tor: 4 * 4 + 4, leaf: 4 * 4 + 4, spine: 0 });
    expect(row.paths).toBe(2 * 4 * 4);
  });

  it("count members of topology #12 as 64 rows of 64 slots and 64 of one", () => {
    const mesh = build({
      ...{ kind: "clos", pods: 2, tors_per_pod: 2, leaves_per_pod: 8, spines_per_plane: 64 },
      wiring: "mesh",
    });
    expect(reportOf("#12", mesh).members).toEqual({ tor: 72, leaf: 64 * 64 + 64, spine: 72 });
  });

  it("need more bits for offsets where groups are odd", () => {
    const rows = reportOf("asymmetric", example("asymmetric"));
    expect(rows.selector_bits.offset).toBe(3);
    expect(rows.groups.tor).toBeGreaterThan(8);
  });

  it("have no count of paths without tiers", () => {
    expect(reportOf("square", example("square")).paths).toBeNull();
  });

  it("print what the largest switch of a role needs", () => {
    expect(formatSwitchReport(example("clos"))).toMatchSnapshot();
  });
});
