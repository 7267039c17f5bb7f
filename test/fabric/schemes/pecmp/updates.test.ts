import { describe, expect, it } from "vitest";
import { FIELD_BITS } from "../../../../src/base/packets/index.js";

import { compileFabric } from "../../../../src/fabric/schemes/pecmp/fabric.js";
import { pecmp } from "../../../../src/fabric/schemes/pecmp/index.js";
import { nextHop } from "../../../../src/fabric/schemes/pecmp/matrix.js";
import { type PecmpParameters, pecmpParameters } from "../../../../src/fabric/schemes/pecmp/parameters.js";
import type { PecmpProgram } from "../../../../src/fabric/schemes/pecmp/program.js";
import { computeRoutes, nodeNamed, type Topology } from "../../../../src/fabric/topology/index.js";
import { build, example } from "../../topology/load.js";
import { ModelSwitch } from "../model-switch.js";

const planOf = (topology: Topology, parameters: Parameters<typeof pecmpParameters.parse>[0] = {}) =>
  pecmp.plan(topology, pecmpParameters.parse(parameters));

const mesh = build({
  ...{ kind: "clos", pods: 3, tors_per_pod: 4, leaves_per_pod: 4, spines_per_plane: 8, hosts_per_rack: 1 },
  wiring: "mesh",
});

describe("what a switch gets", () => {
  const cases: [string, Topology, object][] = [
    ["clos, offsets", example("clos"), {}],
    ["mesh, offsets with a version bit", mesh, { version_bit: "overall" }],
    ["mesh, hops", mesh, { control: "hops", field: "flow_label" }],
    ["mesh, both", mesh, { control: "both", field: "flow_label" }],
    ["asymmetric, primes", example("asymmetric"), {}],
    ["no tiers", example("square"), {}],
    [
      "weights",
      mesh,
      {
        offsets: "primes",
        weights: [
          ["tor0-0", "leaf0-1", 3],
          ["spine1", "leaf2-0", 2],
        ],
      },
    ],
  ];
  it.each(cases)(
    "forwards by C[s mod M, Hash(f)], members in the order they were made: %s",
    (_, topology, input) => {
      const parameters: PecmpParameters = pecmpParameters.parse(input);
      const plan = pecmp.plan(topology, parameters);
      const { switches, layout } = compileFabric(topology, parameters, () => undefined);
      let choices = 0;
      for (const [i, { node, routing, ofHops }] of switches.entries()) {
        expect(plan.switches[i]!.node).toBe(node);
        const model = new ModelSwitch(plan.switches[i]!);
        for (const route of routing.routes) {
          const matrix = ofHops[route.hops];
          if (matrix === undefined) continue;
          for (const family of ["ipv4", "ipv6"] as const) {
            for (let s = 0; s < 2 ** layout.slices[matrix.hop]!.width; s++) {
              for (let hash = 0; hash < matrix.matrix.base.length; hash++) {
                const both = { up: hash, down: hash };
                for (const version of [0, 1] as const) {
                  const address = route[family].address + 1n;
                  const step = model.forward(family, address, { up: s, down: s }, both, version);
                  expect(step).toEqual({ port: matrix.ports[nextHop(matrix.matrix, s, hash)] });
                  choices++;
                }
              }
            }
          }
        }
      }
      expect(choices).toBeGreaterThan(0);
    },
  );

  it("maps every value of the slice to s mod M, and has every route in both versions", () => {
    const topology = example("clos");
    const tor = nodeNamed(topology, "tor0-0")!.index;
    const plan = planOf(topology, { version_bit: "overall" });
    const model = new ModelSwitch(plan.switches.find((planned) => planned.node === tor)!);
    const rows = model
      .entries("row_of_selector")
      .map(({ match, action }) => [
        ...match.map((part) => (part.kind === "exact" ? Number(part.value) : -1)),
        "params" in action ? Number(action.params["row"]) : -1,
      ]);
    expect(rows).toEqual([0, 1, 2, 3].map((s) => [4, s, s]));
    const versions = model
      .entries("ipv4_routes")
      .map(({ match }) => match.find(({ field }) => field === "meta.version")!)
      .map((key) => (key.kind === "exact" ? Number(key.value) : -1));
    expect(versions.filter((version) => version === 0).length).toBe(versions.length / 2);
    expect(new Set(versions)).toEqual(new Set([0, 1]));
  });

  it("wraps values above M: M = 2 legs under a slice of two bits", () => {
    const topology = example("clos");
    const leaf = nodeNamed(topology, "leaf0-0")!.index;
    const model = new ModelSwitch(planOf(topology).switches.find((planned) => planned.node === leaf)!);
    const rows = model
      .entries("row_of_selector")
      .filter(({ match }) => match[0]?.kind === "exact" && match[0].value === 2n)
      .map(({ action }) => ("params" in action ? Number(action.params["row"]) : -1));
    expect(rows).toEqual([0, 1, 0, 1]);
  });

  it("needs 2N - 1 members for N offset rows, in a program that has room", () => {
    const plan = planOf(mesh);
    for (const { program, updates } of plan.switches) {
      const values = plan.programs.find(({ name }) => name === program)!.values as PecmpProgram;
      for (const way of ["up", "down"] as const) {
        const own = updates.filter(
          ({ entity }) => "profile" in entity && entity.profile === `FabricIngress.${way}_members`,
        );
        const count = (kind: string) => own.filter(({ entity }) => entity.kind === kind).length;
        expect(count("member")).toBeLessThanOrEqual(values[way]?.members ?? 0);
        expect(count("group")).toBeLessThanOrEqual(values[way]?.groups ?? 0);
      }
    }
    const tor = plan.switches.find(({ program }) => program === "tor")!;
    expect(tor.updates.filter(({ entity }) => entity.kind === "member")).toHaveLength(7);
  });

  it("sends packets on to the MAC of the next node", () => {
    const topology = example("clos");
    const spine = nodeNamed(topology, "spine0-0")!;
    const { updates } = planOf(topology).switches.find(({ node }) => node === spine.index)!;
    const routes = updates.flatMap(({ entity }) =>
      entity.kind === "tableEntry" && entity.table === "FabricIngress.ipv4_routes" ? [entity] : [],
    );
    expect(routes.map((entity) => entity.action)).toEqual(
      ["leaf0-0", "leaf1-0"].map((name, i) => ({
        kind: "action",
        action: "FabricIngress.to_port",
        params: { port: BigInt(i + 1), mac: nodeNamed(topology, name)!.mac },
      })),
    );
  });

  it("gives all switches of a tier one seed, and each switch its own where that is asked for", () => {
    const topology = example("clos");
    const seeds = (scope: "tier" | "switch", role: string) =>
      planOf(topology, { seed_scope: scope })
        .switches.filter(({ program }) => program === role)
        .map((planned) => new ModelSwitch(planned).seeds["up"]);
    expect(new Set(seeds("tier", "tor")).size).toBe(1);
    expect(seeds("tier", "tor")[0]).not.toBe(seeds("tier", "leaf")[0]);
    expect(new Set(seeds("switch", "tor")).size).toBe(8);
  });
});

describe("programs", () => {
  it("are one a role, with the slices that the role reads", () => {
    const { programs } = planOf(mesh, { control: "both", field: "flow_label", version_bit: "per-hop" });
    expect(programs.map(({ name, template }) => [name, template])).toEqual([
      ["tor", "pecmp/tor"],
      ["leaf", "pecmp/leaf"],
      ["spine", "pecmp/spine"],
    ]);
    expect(programs.map(({ values }) => ("up" in values || "down" in values ? values : {}))).toMatchObject([
      { up: { slice: { low: 3, width: 3, version: 6 } } },
      {
        up: { slice: { low: 7, width: 4, version: 11 } },
        down: { slice: { low: 16, width: 2, version: 18 } },
      },
      { down: { slice: { low: 12, width: 3, version: 15 } } },
    ]);
  });

  it("go both ways where switches have no tier", () => {
    expect(planOf(example("square")).programs.map(({ template }) => template)).toEqual(["pecmp/leaf"]);
  });

  it("have tables as large as the largest switch of the role needs", () => {
    const topology = example("asymmetric");
    const plan = planOf(topology);
    const tables = computeRoutes(topology);
    for (const { name, values } of plan.programs) {
      const own = tables.filter(({ node }) => topology.nodes[node]!.role === name);
      expect((values as PecmpProgram).sizes.routes).toBeGreaterThanOrEqual(
        Math.max(...own.map(({ routes }) => routes.length)),
      );
    }
    expect(FIELD_BITS[plan.field]).toBe(6);
  });
});
