/** The cost of a limit of members, against groups worked out by hand. */
import { describe, expect, it } from "vitest";
import { schemeNamed } from "../../../../src/fabric/schemes/index.js";
import { build, example } from "../../topology/load.js";

const report = schemeNamed("wcmp")!.report!;
const rowsOf = (...[topology, given]: [ReturnType<typeof build>, object]) =>
  report.make(topology, report.options.parse(given)).rows as Record<string, number>[];

/** One switch with three ways to another one, over links of 100, 40 and 30 Gbps. */
const uneven = build({
  kind: "graph",
  nodes: [
    ...["a", "x", "y", "z", "b"].map((name) => ({ name, role: "switch" as const })),
    ...["h1", "h2"].map((name) => ({ name, role: "host" as const })),
  ],
  links: [
    { a: "h1", b: "a" },
    { a: "h2", b: "b" },
    ...(
      [
        ["x", "100Gbps"],
        ["y", "40Gbps"],
        ["z", "30Gbps"],
      ] as const
    ).flatMap(([via, rate]) => [
      { a: "a", b: via, rate },
      { a: via, b: "b", rate },
    ]),
  ],
});

describe("the report of WCMP", () => {
  it("has no error where the limit allows 10, 4 and 3 members", () => {
    const [row] = rowsOf(uneven, { group_members: 17 });
    expect(row).toMatchObject({
      exact_group: 17,
      largest_group: 17,
      next_hops: 3,
      worst_error: 0,
      mean_error: 0,
    });
  });

  it("reports the error of the best group of at most 6 members", () => {
    const [row] = rowsOf(uneven, { group_members: 6 });
    expect(row!["exact_group"]).toBe(17);
    // All groups of at most 6 members with each next hop once at least.
    const share = [10 / 17, 4 / 17, 3 / 17];
    let best = Number.POSITIVE_INFINITY;
    for (let x = 1; x <= 4; x++)
      for (let y = 1; x + y <= 5; y++)
        for (let z = 1; x + y + z <= 6; z++)
          best = Math.min(best, Math.max(...[x, y, z].map((n, i) => n / (x + y + z) / share[i]!)));
    expect(row!["worst_error"]).toBeCloseTo(best - 1, 10);
    expect(row!["worst_error"]).toBeGreaterThan(0.05);
  });

  it("counts in the fabric of figure 4: even links, uneven ways", () => {
    const rows = rowsOf(example("asymmetric"), {});
    expect(rows.map((row) => row["role"])).toEqual(["tor", "leaf"]);
    for (const row of rows) expect(row["worst_error"]).toBe(0);
  });
});
