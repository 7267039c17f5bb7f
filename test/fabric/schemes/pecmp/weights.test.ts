/** Weights from capacities: the base groups of P-ECMP's matrices against the hop sets of the scheme `wcmp`. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { schemeNamed } from "../../../../src/fabric/schemes/index.js";
import { compileMatrices } from "../../../../src/fabric/schemes/pecmp/compile.js";
import { pecmp } from "../../../../src/fabric/schemes/pecmp/index.js";
import { pecmpParameters } from "../../../../src/fabric/schemes/pecmp/parameters.js";
import { weightedRoutes } from "../../../../src/fabric/schemes/wcmp/weighted-routes.js";
import { computeRoutes, type Topology, withLinksDown } from "../../../../src/fabric/topology/index.js";
import { build, example } from "../../topology/load.js";

const parametersOf = (more: object) => pecmpParameters.parse({ weights: "capacity", ...more });

/** A leaf-spine network whose second leaf has links of 40 Gbps, all others of 100 Gbps. */
const uneven = build({
  kind: "graph",
  nodes: [
    ...["t0", "t1"].map((name) => ({ name, role: "tor" as const })),
    ...["l0", "l1", "l2"].map((name) => ({ name, role: "leaf" as const })),
    ...["h0", "h1"].map((name) => ({ name, role: "host" as const })),
  ],
  links: [
    ...["l0", "l1", "l2"].flatMap((leaf) =>
      ["t0", "t1"].map((tor) => ({ a: tor, b: leaf, rate: leaf === "l1" ? "40Gbps" : "100Gbps" })),
    ),
    { a: "h0", b: "t0" },
    { a: "h1", b: "t1" },
  ],
});

/** By switch: the ports of its base groups, each as often as it occurs there, sorted. */
function basesOf(topology: Topology, groupMembers: number): Map<string, number[][]> {
  const bases = new Map<string, number[][]>();
  for (const { node, ofHops } of compileMatrices(topology, "both", { groupMembers }))
    bases.set(
      topology.nodes[node]!.name,
      ofHops.flatMap((matrix) =>
        matrix === undefined
          ? []
          : [Array.from(matrix.matrix.base, (cell) => matrix.ports[cell]!).sort((a, b) => a - b)],
      ),
    );
  return bases;
}

describe("weights: capacity", () => {
  it("gives next hops slots in the ratio of the rates, within the limit", () => {
    expect(basesOf(uneven, 12).get("t0")).toEqual([[1, 1, 1, 1, 1, 2, 2, 3, 3, 3, 3, 3]]);
    // Of 5 : 2 : 5 in six slots, 2 : 1 : 2 gives the outer ones 40 % for 41.7 %, and the middle one 20 % for 16.7 %.
    const [six] = basesOf(uneven, 6).get("t0")!;
    expect(six!.length).toBeLessThanOrEqual(6);
    expect(new Set(six)).toEqual(new Set([1, 2, 3]));
  });

  it("has the groups of the scheme wcmp at every switch of a fabric with missing links", () => {
    const whole = example("clos");
    const between = whole.links.filter(
      ({ a, b }) => whole.nodes[a.node]!.role !== "host" && whole.nodes[b.node]!.role !== "host",
    );
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(between.length - 1), { maxLength: 4 }), (lost) => {
        const topology = withLinksDown(
          whole,
          lost.map((i) => between[i]!.index),
        );
        const bases = basesOf(topology, 128);
        for (const { node, hopSets } of weightedRoutes(topology, 128)) {
          const several = hopSets.filter(({ ports, direction }) => direction !== "local" && ports.length > 1);
          expect(bases.get(topology.nodes[node]!.name)).toEqual(several.map(({ ports }) => [...ports]));
        }
      }),
      { numRuns: 30 },
    );
  });

  it("is the same as no weights where all capacities are equal", () => {
    const topology = example("clos");
    const weighted = pecmp.plan(topology, parametersOf({}));
    const plain = pecmp.plan(topology, pecmpParameters.parse({}));
    expect(weighted.switches).toEqual(plain.switches);
    expect(weighted.hosts).toEqual(plain.hosts);
    expect(weighted.closedForm).toBe(plain.closedForm);
    expect(computeRoutes(topology).every(({ hopSets }) => hopSets.every(isPlain))).toBe(true);
  });

  it("computes weights again when links fail", () => {
    const topology = example("clos");
    const plan = pecmp.plan(topology, parametersOf({ field: "dscp_flow_label" }));
    const spine = topology.nodes.find(({ role }) => role === "spine")!;
    const reduced = withLinksDown(topology, [spine.ports[0]!.link]);
    const planned = plan.replanning!.planner().plan(reduced);
    const fresh = pecmp.plan(reduced, parametersOf({ field: "dscp_flow_label" }));
    for (const [i, { node, updates }] of planned.entries()) {
      expect(node).toBe(fresh.switches[i]!.node);
      const members = (list: typeof updates) =>
        list.flatMap(({ entity }) => (entity.kind === "member" ? [entity.action] : []));
      expect(members(updates)).toEqual(members(fresh.switches[i]!.updates));
    }
    // The leaf that has lost one of its spines gets less of what its ToRs send into other pods.
    const bases = basesOf(reduced, 128);
    expect([...bases.values()].flat().some((ports) => !isPlain({ ports }))).toBe(true);
  });

  it("reports what its limit costs, as wcmp does", () => {
    const report = pecmp.report!;
    const [row] = report.make(uneven, report.options.parse({ weights: "capacity", group_members: 6 })).rows;
    const wcmp = schemeNamed("wcmp")!.report!;
    expect(row).toMatchObject({ wcmp: wcmp.make(uneven, wcmp.options.parse({ group_members: 6 })).rows });
    expect(row).toMatchObject({ wcmp: [{ exact_group: 12 }] });
  });
});

describe("wrong values", () => {
  it.each([
    [{ weights: "rates" }, "expected capacity, or a list of"],
    [{ weights: [["t0", "l0", 0]] }, ">=1"],
    [{ weights: [["t0", "l0"]] }, "expected capacity, or a list of"],
    [{ weights: "capacity", group_members: 1 }, ">=2"],
  ])("%j", (given, message) => {
    const { error } = pecmpParameters.safeParse(given);
    expect(JSON.stringify(error!.issues.map((issue) => issue.message))).toContain(message);
  });

  it("say that smaller groups need fewer bits and less room", () => {
    const narrow = { switches: { tor: { groups: 8, members: 64 } } };
    expect(() => pecmp.plan(uneven, parametersOf(narrow))).toThrow("P42201");
    expect(() => pecmp.plan(uneven, parametersOf({ ...narrow, group_members: 6 }))).not.toThrow();
    expect(() => pecmp.plan(uneven, parametersOf({ version_bit: "overall" }))).toThrow("P42202");
    const short = { version_bit: "overall", group_members: 6 };
    expect(() => pecmp.plan(uneven, parametersOf(short))).not.toThrow();
    const report = pecmp.report!;
    expect(() => report.make("table2", report.options.parse({ weights: "capacity" }))).toThrow("P42204");
  });
});

function isPlain({ ports }: { readonly ports: readonly number[] }): boolean {
  return new Set(ports).size === ports.length;
}
