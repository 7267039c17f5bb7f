/**
 * Plans of ECMP and of the schemes that use its tables (PRR, WCMP): what is written means the routes of the topology, fits into the programs,
 * and is what the path model says.
 */
import { describe, expect, it } from "vitest";
import { ecmpFlowSim } from "../../../../src/fabric/schemes/ecmp/flow-sim.js";
import { EcmpGroups } from "../../../../src/fabric/schemes/ecmp/plan.js";
import { type FabricPlan, schemeNamed } from "../../../../src/fabric/schemes/index.js";
import { REPLANNING_ROOM } from "../../../../src/fabric/schemes/scheme.js";
import { Distances, FlowNetwork } from "../../../../src/fabric/sim/flow/index.js";
import {
  computeRoutes,
  type HopSet,
  hostsOf,
  type Topology,
  withLinksDown,
} from "../../../../src/fabric/topology/index.js";
import type { Update } from "../../../../src/toolchain/device/index.js";
import { build, example } from "../../topology/load.js";
import { ModelSwitch } from "../model-switch.js";

const planned = (name: string, topology: Topology, parameters: object = {}): FabricPlan => {
  const scheme = schemeNamed(name)!;
  return scheme.plan(topology, scheme.parameters.parse(parameters));
};
const clos = build({
  kind: "clos",
  pods: 2,
  tors_per_pod: 2,
  leaves_per_pod: 2,
  spines_per_plane: 3,
  hosts_per_rack: 2,
});
const uneven = withLinksDown(clos, [
  clos.links.findIndex(({ a, b }) =>
    [a, b].every(({ node }) => /^(leaf0-0|spine0-1)$/.test(clos.nodes[node]!.name)),
  ),
]);
/** A ToR has two links with one host: they count as one port. */
const parallel = build({
  kind: "graph",
  nodes: [
    ...["t1", "t2"].map((name) => ({ name, role: "tor" as const })),
    ...["l1", "l2"].map((name) => ({ name, role: "leaf" as const })),
    ...["h1", "h2"].map((name) => ({ name, role: "host" as const })),
  ],
  links: [
    { a: "h1", b: "t1" },
    { a: "h1", b: "t1" },
    { a: "h2", b: "t2" },
    ...["t1", "t2"].flatMap((a) => ["l1", "l2"].map((b) => ({ a, b }))),
  ],
});

interface Direction {
  readonly name: "up" | "down";
  readonly hash: { readonly algorithm: string; readonly order: string; readonly fields: readonly string[] };
  readonly goesUp: boolean;
  readonly groups: number;
  readonly members: number;
}
interface Values {
  readonly role: string;
  readonly directions: readonly Direction[];
  readonly bothDirections: boolean;
  readonly sizes: { readonly routes: number };
  readonly routeActions: readonly string[];
}
const valuesOf = (programs: FabricPlan["programs"], name: string) =>
  programs.find((own) => own.name === name)!.values as unknown as Values;

const CASES: readonly [string, string, Topology, object][] = [
  ["ECMP in a Clos", "ecmp", clos, {}],
  [
    "ECMP with a seed for each switch",
    "ecmp",
    clos,
    { seed_scope: "switch", hash: { leaf: { down: { function: "csum16" } } } },
  ],
  ["ECMP after a failure", "ecmp", uneven, {}],
  ["ECMP without tiers", "ecmp", example("square"), {}],
  ["ECMP with parallel links of a host", "ecmp", parallel, {}],
  ["PRR", "prr", clos, { field: "flow_label" }],
  ["WCMP", "wcmp", uneven, { group_members: 8 }],
];

const count = (updates: readonly Update[], what: (entity: Update["entity"]) => boolean) =>
  updates.filter(({ entity }) => what(entity)).length;

describe.each(CASES)("%s", (_name, scheme, topology, parameters) => {
  it("sends to the ports of shortest paths, in the slots of the path model, in both families", () => {
    const plan = planned(scheme, topology, parameters);
    const model = plan.pathModel!();
    const routes = new Map(computeRoutes(topology).map((table) => [table.node, table]));
    const covers = (prefix: { address: bigint; length: number }, address: bigint) =>
      address >> BigInt(32 - prefix.length) === prefix.address >> BigInt(32 - prefix.length);
    for (const own of plan.switches) {
      const device = new ModelSwitch(own);
      const modelled = model.switches.find(({ node }) => node === own.node)!;
      const { hopSets, routes: known } = routes.get(own.node)!;
      for (const { index, host } of hostsOf(topology)) {
        const best = known
          .filter(({ ipv4 }) => covers(ipv4, host!.ipv4))
          .sort((a, b) => b.ipv4.length - a.ipv4.length)[0];
        const hops: HopSet | undefined = best && hopSets[best.hops];
        const chosen = (hash: number, family: "ipv4" | "ipv6" = "ipv4") =>
          device.forward(family, host![family], { up: 0, down: 0 }, { up: hash, down: hash });
        if (hops === undefined || hops.ports.length === 0) {
          expect(chosen(0)).toHaveProperty("drop");
          continue;
        }
        const isLocal = topology.racks[host!.rack]!.switches.includes(own.node);
        const choice = modelled.choices[modelled.next[host!.rack]!];
        // A host's parallel links count as one.
        const slots = isLocal ? hops.ports.slice(0, 1) : Array.from(choice!.rows[0]!);
        expect(new Set(slots)).toEqual(new Set(isLocal ? slots : hops.ports));
        for (let hash = 0; hash < 2 * slots.length; hash++) {
          expect(chosen(hash)).toEqual({ port: slots[hash % slots.length] });
          expect(chosen(hash, "ipv6")).toEqual(chosen(hash));
        }
        if (isLocal) expect(topology.nodes[own.node]!.ports[slots[0]! - 1]!.peer).toBe(index);
        if (slots.length < 2) continue;
        const way = hops.direction === "up" ? "up" : "down";
        expect(choice!.seed).toBe(device.seeds[way]);
        const { algorithm, order } = valuesOf(plan.programs, own.program).directions.find(
          ({ name }) => name === way,
        )!.hash;
        const hash = model.hashes[choice!.hash]!;
        expect(hash.name).toBe(`${algorithm} ${order}`);
        expect(hash.affine).toBe(algorithm !== "csum16");
      }
    }
  });

  it("fits into the programs, now and when routes are planned again", () => {
    const plan = planned(scheme, topology, parameters);
    for (const { program, updates } of plan.switches) {
      const later = valuesOf(plan.replanning!.programs, program);
      const own = valuesOf(plan.programs, program);
      const routes = count(
        updates,
        (entity) => entity.kind === "tableEntry" && /ipv4_routes$/.test(entity.table),
      );
      for (const [values, times] of [
        [own, 1],
        [later, REPLANNING_ROOM],
      ] as const) {
        expect(values.sizes.routes).toBeGreaterThanOrEqual(times * routes);
        for (const { name, groups, members } of values.directions) {
          const profile = `FabricIngress.${name}_members`;
          const is = (kind: string) => (entity: Update["entity"]) =>
            entity.kind === kind && "profile" in entity && entity.profile === profile;
          expect(groups).toBeGreaterThanOrEqual(times * count(updates, is("group")));
          expect(members).toBeGreaterThanOrEqual(times * count(updates, is("member")));
        }
      }
      // Each profile that is written belongs to a direction of the program.
      const written = new Set(
        updates.flatMap(({ entity }) =>
          "profile" in entity ? [entity.profile.replace(/.*\.|_members/g, "")] : [],
        ),
      );
      const names = own.directions.map(({ name }) => name as string);
      for (const way of written) expect(names).toContain(way);
      expect(own.routeActions).toEqual(["to_port", ...names.map((way) => `to_${way}links`)]);
      expect(own.bothDirections).toBe(names.length === 2);
      for (const { goesUp, name } of own.directions) expect(goesUp).toBe(name === "up");
    }
  });
});

it("programs are for their role; switches without a tier are those of a fabric", () => {
  const roles = (topology: Topology) =>
    planned("ecmp", topology).programs.map(({ values }) => (values as unknown as Values).role);
  expect(roles(clos)).toEqual(["tor", "leaf", "spine"]);
  expect(roles(example("square"))).toEqual(["fabric"]);
  const ways = (role: string) =>
    valuesOf(planned("ecmp", clos).programs, role).directions.map(({ name }) => name);
  // A ToR chooses upwards alone, a spine downwards.
  expect([ways("tor"), ways("leaf"), ways("spine")]).toEqual([["up"], ["up", "down"], ["down"]]);
});

it("the selector is a part of the hash's input under PRR alone", () => {
  const hashed = (name: string) =>
    planned(name, clos).programs.flatMap(({ values }) =>
      (values as unknown as Values).directions.map(
        ({ hash }) => hash.fields.filter((field) => field === "selector").length,
      ),
    );
  expect(new Set(hashed("prr"))).toEqual(new Set([1]));
  expect(new Set(hashed("ecmp"))).toEqual(new Set([0]));
});

describe("ids of groups and members", () => {
  const member = (memberId: number, port: number) =>
    ({
      kind: "member",
      profile: "p",
      memberId,
      action: { action: "to_next_hop", params: { port: BigInt(port) } },
    }) as const;
  const group = (groupId: number, ...memberIds: number[]) =>
    ({
      kind: "group",
      profile: "p",
      groupId,
      members: memberIds.map((memberId) => ({ memberId, weight: 1 })),
      maxSize: memberIds.length,
    }) as const;

  it("count from 1, and stay with a set of ports", () => {
    const ids = new EcmpGroups();
    const first = ids.of([3, 5]);
    expect(first).toEqual({ groupId: 1, memberIds: [1, 2] });
    expect(ids.of([5, 7, 9])).toEqual({ groupId: 2, memberIds: [3, 4, 5] });
    expect(ids.of([3, 5])).toBe(first);
  });

  it("continue from those that the switch has", () => {
    const ids = new EcmpGroups([member(12, 5), member(4, 3), member(9, 8), group(6, 12, 4), group(3, 9)]);
    expect(ids.of([3, 5])).toEqual({ groupId: 6, memberIds: [4, 12] });
    expect(ids.of([8])).toEqual({ groupId: 3, memberIds: [9] });
    expect(ids.of([5, 3])).toEqual({ groupId: 7, memberIds: [13, 14] });
  });
});

describe("ECMP in the flow simulator", () => {
  const topology = build({ kind: "hyperx", shape: [3, 3, 2], hosts_per_switch: 1 });
  const routerOf = (of: Topology, bundles: readonly (readonly [from: number, to: number])[], seed = 1) => {
    const network = new FlowNetwork(of);
    const router = ecmpFlowSim.router(
      network,
      {},
      seed,
    )({
      from: Int32Array.from(bundles, ([from]) => from),
      to: Int32Array.from(bundles, ([, to]) => to),
      hash: Int32Array.from(bundles, (_, i) => Math.imul(i + 1, 0x9e3779b1)),
    });
    const out = new Int32Array(router.maxLinks);
    const path = (bundle: number) => {
      const links = router.linksOf(bundle, out);
      return links < 0 ? undefined : [...out.subarray(0, links)];
    };
    return { network, router, path };
  };

  it("uses all shortest paths about equally, and no other", () => {
    const bundles = Array.from({ length: 600 }, () => [0, 17] as const);
    const { network, router, path } = routerOf(topology, bundles);
    expect(router.maxLinks).toBe(3);
    const distance = new Distances(network).to(17);
    const seen = new Map<string, number>();
    for (const bundle of bundles.keys()) {
      const links = path(bundle)!;
      let own = 0;
      for (const link of links) {
        const at = network.portOfLink[link]!;
        expect(at).toBeGreaterThanOrEqual(network.firstPort[own]!);
        expect(at).toBeLessThan(network.firstPort[own + 1]!);
        expect(distance[network.peer[at]!]).toBe(distance[own]! - 1);
        own = network.peer[at]!;
      }
      expect(own).toBe(17);
      seen.set(links.join(" "), (seen.get(links.join(" ")) ?? 0) + 1);
    }
    // Orders of the three dimensions: 100 bundles each.
    expect(seen.size).toBe(6);
    for (const number of seen.values()) expect(number).toBeGreaterThan(60);
    const other = routerOf(topology, bundles, 2);
    expect(bundles.some((_, bundle) => String(other.path(bundle)) !== String(path(bundle)))).toBe(true);
  });

  it("has no path to its own switch's hosts to find, and none where there is none", () => {
    expect(routerOf(topology, [[4, 4]]).path(0)).toEqual([]);
    const two = build({ kind: "hyperx", shape: [2], hosts_per_switch: 1 });
    const cut = two.links.findIndex(({ a, b }) =>
      [a, b].every(({ node }) => two.nodes[node]!.role !== "host"),
    );
    expect(routerOf(withLinksDown(two, [cut]), [[0, 1]]).path(0)).toBeUndefined();
  });
});
