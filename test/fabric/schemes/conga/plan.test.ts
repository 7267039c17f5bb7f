/** The plan of CONGA's switches: what they know of themselves, routes as sets of uplinks, links with their scale, and what is refused. */
import { describe, expect, it } from "vitest";
import { conga } from "../../../../src/fabric/schemes/registry.js";
import {
  computeRoutes,
  nodeNamed,
  type Topology,
  withLinksDown,
} from "../../../../src/fabric/topology/index.js";
import type { Update } from "../../../../src/toolchain/device/index.js";
import { build, example, messagesOf } from "../../topology/load.js";
import { fabric } from "./bench.js";

const planned = (topology: Topology, parameters: object = {}) =>
  conga.plan(topology, conga.parameters.parse(parameters));

/** Parameters of the action entries of a table. */
function entriesOf(updates: readonly Update[], table: string): Record<string, bigint>[] {
  return updates.flatMap(({ entity }) =>
    entity.kind === "tableEntry" && entity.table.endsWith(`.${table}`) && entity.action?.kind === "action"
      ? [{ ...entity.action.params }]
      : [],
  );
}
const switchNamed = (topology: Topology, name: string, plan = planned(topology)) =>
  plan.switches.find(({ node }) => node === nodeNamed(topology, name)!.index)!;
const racksOf = (updates: readonly Update[]) =>
  entriesOf(updates, "ipv4_routes").flatMap(({ rack, usable }) =>
    rack === undefined ? [] : [[Number(rack), Number(usable)]],
  );

describe("a ToR", () => {
  it("knows its rack, its tags and the ports of its uplinks", () => {
    const { updates } = switchNamed(fabric, "tor0-1");
    expect(entriesOf(updates, "self")).toEqual([
      { rack: 1n, first_tag: 0n, port_0: 3n, port_1: 4n, port_2: 5n, port_3: 6n },
    ]);
    expect(entriesOf(updates, "uplinks").map(({ port }) => port)).toEqual([3n, 4n, 5n, 6n]);
  });

  it("of a pair has the tags after those of the other one", () => {
    const clos = example("clos");
    for (const rack of clos.racks) {
      const own = rack.switches.map((node) => switchNamed(clos, clos.nodes[node]!.name));
      expect(own.map(({ updates }) => entriesOf(updates, "self")[0]!["first_tag"])).toEqual([0n, 4n]);
    }
  });

  it("may use the uplinks of shortest paths, by the same numbers when a link is down", () => {
    const down = fabric.links.findIndex(({ a, b }) => {
      const names = [a, b].map(({ node }) => fabric.nodes[node]!.name);
      return names.includes("tor0-2") && names.includes("leaf0-1");
    });
    const reduced = withLinksDown(fabric, [down]);
    expect(racksOf(switchNamed(fabric, "tor0-0").updates)).toEqual([
      [1, 0b1111],
      [2, 0b1111],
    ]);
    expect(racksOf(switchNamed(reduced, "tor0-0").updates)).toEqual([
      [1, 0b1111],
      [2, 0b1101],
    ]);
    expect(racksOf(switchNamed(reduced, "tor0-2").updates)).toEqual([
      [0, 0b1101],
      [1, 0b1101],
    ]);
    expect(entriesOf(switchNamed(reduced, "tor0-2").updates, "uplinks")).toHaveLength(4);
    // A controller that learns of it plans the same.
    const { replanning, switches } = planned(fabric);
    const planner = replanning!.planner();
    for (const { node } of switches) planner.learn(node, []);
    const again = planner.plan(reduced).find(({ node }) => node === nodeNamed(fabric, "tor0-0")!.index)!;
    expect(racksOf(again.updates)).toEqual([
      [1, 0b1111],
      [2, 0b1101],
    ]);
  });

  it("of a pair reaches a host that it has lost by the other one", () => {
    const clos = example("clos");
    const named = (one: { a: { node: number }; b: { node: number } }) =>
      [one.a, one.b].map(({ node }) => clos.nodes[node]!.name).join(" ");
    const lost = clos.links.findIndex((one) => named(one) === "host0-0-0 tor0-0");
    const { updates } = switchNamed(withLinksDown(clos, [lost]), "tor0-0");
    expect(racksOf(updates)).toContainEqual([0, 0b1111]);
    expect(racksOf(switchNamed(fabric, "tor0-0").updates).map(([rack]) => rack)).not.toContain(0);
  });

  it("has a port for each host of its rack, and no other route", () => {
    const { updates } = switchNamed(fabric, "tor0-0");
    const ports = entriesOf(updates, "ipv4_routes").flatMap(({ port }) => (port === undefined ? [] : [port]));
    expect(ports).toEqual([1n, 2n]);
    expect(
      computeRoutes(fabric).find(({ node }) => node === switchNamed(fabric, "tor0-0").node),
    ).toBeDefined();
  });
});

it("the estimator of a full link is 2^24 in every unit", () => {
  const scale = (link: object, parameters: object) => {
    const topology = build({
      kind: "leaf_spine",
      tors: 2,
      leaves: 2,
      homing: "single",
      fabric_link: link,
    } as never);
    return entriesOf(switchNamed(topology, "leaf0-0", planned(topology, parameters)).updates, "links").map(
      ({ packet_units, scale }) => [Number(packet_units), Number(scale)],
    );
  };
  // 10 Gbps for 160 us are 200,000 bytes.
  expect(scale({ rate: "10Gbps" }, {})).toEqual(Array(2).fill([0, Math.round(2 ** 40 / 200_000)]));
  // 1000 packets a second of 1000 units each.
  expect(scale({ rate: "10Gbps", rate_pps: 1000 }, { tau: "160ms" })).toEqual(
    Array(2).fill([1000, Math.round(2 ** 40 / 160_000)]),
  );
});

describe("what is refused", () => {
  const refused = (topology: Topology, parameters: object = {}) =>
    messagesOf(() => planned(topology, parameters));

  it("a period that is not whole", () => {
    expect(refused(fabric, { tau: "100us" })).toContain(
      "error[P45110]: tau, 100 us, times alpha, 0.125, is an estimator's period of 12.5 us, and the programs' clock counts whole microseconds\nnote: write tau: 104us, or another alpha",
    );
    expect(refused(fabric, { tau: "1us", alpha: 0.25 })).toContain("write tau: 4us");
    expect(() => planned(fabric, { tau: "100us", alpha: 0.1 })).not.toThrow();
    expect(() => planned(fabric, { tau: "20s", alpha: 1 / 64 })).not.toThrow();
  });

  it("hosts at switches that are no ToRs", () => {
    expect(refused(example("square"))).toMatch(
      /error\[P45111\]: ToRs decide under CONGA, and hosts are linked to "\w+", which has the role/,
    );
  });

  it("a rack with more uplinks than tags", () => {
    const wide = build({ kind: "leaf_spine", tors: 2, leaves: 17, homing: "single", hosts_per_rack: 1 });
    expect(refused(wide)).toContain(
      'error[P45112]: the rack of "tor0-0" has 17 uplinks, and CONGA\'s programs tell 16 apart',
    );
    expect(() => planned(build({ kind: "leaf_spine", tors: 2, leaves: 16, homing: "single" }))).not.toThrow();
  });

  it("values outside of their bounds", () => {
    const invalid = (parameters: object) => conga.parameters.safeParse(parameters).error?.issues[0]?.message;
    expect(invalid({ tau: "999ns" })).toBe("expected a time from 1us to 20s");
    expect(invalid({ tau: "21s" })).toBe("expected a time from 1us to 20s");
    for (const wrong of [
      { bits: 0 },
      { bits: 7 },
      { alpha: 0.6 },
      { alpha: 0.01 },
      { flowlets: 0 },
      { ageing: "0.5us" },
    ])
      expect(invalid(wrong), JSON.stringify(wrong)).toBeDefined();
  });
});
