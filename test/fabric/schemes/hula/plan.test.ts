/** The tables of HULA's switches: links with their capacity, routes to racks, probes of racks, and what is refused. */
import { describe, expect, it } from "vitest";
import { type FabricPlan, schemeNamed } from "../../../../src/fabric/schemes/index.js";
import {
  computeRoutes,
  nodeNamed,
  switchesOf,
  type Topology,
  withLinksDown,
} from "../../../../src/fabric/topology/index.js";
import type { Update } from "../../../../src/toolchain/device/index.js";
import { build, example, messagesOf } from "../../topology/load.js";

const hula = schemeNamed("hula")!;
const planned = (topology: Topology, parameters: object = {}): FabricPlan =>
  hula.plan(topology, hula.parameters.parse(parameters));
const leafSpine = (more: object = {}) =>
  build({
    kind: "leaf_spine",
    tors: 3,
    leaves: 2,
    homing: "single",
    hosts_per_rack: 2,
    ...more,
  } as Parameters<typeof build>[0]);
const clos = build({
  kind: "clos",
  pods: 2,
  tors_per_pod: 2,
  leaves_per_pod: 2,
  spines_per_plane: 3,
  hosts_per_rack: 2,
});

/** Parameters of the entries of a table, by key. */
function entriesOf(updates: readonly Update[], table: string) {
  return updates.flatMap(({ entity }) => {
    if (entity.kind !== "tableEntry" || entity.table !== `FabricIngress.${table}`) return [];
    if (entity.action?.kind !== "action") throw new Error("an entry without an action");
    const [key] = entity.match;
    const length = key?.kind === "lpm" ? key.prefixLength : 0;
    const value = key?.kind === "lpm" || key?.kind === "exact" ? key.value : 0n;
    return [
      {
        value,
        length,
        action: entity.action.action.replace("FabricIngress.", ""),
        params: entity.action.params,
      },
    ];
  });
}

describe("links", () => {
  const linksOf = (fabric: object, parameters: object) => {
    const topology = leafSpine({ fabric_link: { delay: "1us", ...fabric } });
    const { updates } = planned(topology, parameters).switches.find(
      ({ node }) => node === nodeNamed(topology, "tor0-0")!.index,
    )!;
    return entriesOf(updates, "links").map(({ params }) => [
      Number(params["packet_units"]),
      Number(params["scale"]),
    ]);
  };

  it("have a scale by which the estimator of a full link, capacity times tau, is a utilisation of 1", () => {
    // Scale times estimator is 2^16 (a utilisation of 1) with 24 bits behind the point.
    const scale = (estimator: number) => Math.round(2 ** 40 / estimator);
    // 10 Gbps for 1 ms are 1.25 MB.
    const parameters = { probe_interval: "500us", tau: "1ms" };
    expect(linksOf({ rate: "10Gbps" }, parameters)).toEqual(Array(2).fill([0, scale(1_250_000)]));
    // By default tau is two intervals of probes.
    expect(linksOf({ rate: "10Gbps" }, { probe_interval: "500us" })).toEqual(
      Array(2).fill([0, scale(1_250_000)]),
    );
    // 1000 packets a second, of 1000 units each, are slower than 10 Gbps.
    expect(linksOf({ rate: "10Gbps", rate_pps: 1000 }, { probe_interval: "50ms", tau: "100ms" })).toEqual(
      Array(2).fill([1000, scale(100_000)]),
    );
    // Packets of 1000 bytes at 8 Mbps: as fast, so that bytes count.
    expect(linksOf({ rate: "8Mbps", rate_pps: 1000 }, { probe_interval: "50ms", tau: "100ms" })).toEqual(
      Array(2).fill([0, scale(100_000)]),
    );
    expect(linksOf({ rate: "8Mbps", rate_pps: 1001 }, { probe_interval: "50ms", tau: "100ms" })).toEqual(
      Array(2).fill([0, scale(100_000)]),
    );
  });
});

describe.each([
  ["two tiers", leafSpine()],
  ["racks of two switches in three tiers", clos],
  [
    "a link that is down",
    withLinksDown(clos, [
      clos.links.findIndex(({ a, b }) =>
        [a, b].every(({ node }) => /^(leaf0-0|spine0-1)$/.test(clos.nodes[node]!.name)),
      ),
    ]),
  ],
])("routes: %s", (_name, topology) => {
  it("lead to other racks by a port of a shortest path, and to own hosts by theirs", () => {
    const tables = new Map(computeRoutes(topology).map((table) => [table.node, table]));
    for (const { node, updates } of planned(topology).switches) {
      const found = entriesOf(updates, "ipv4_routes");
      const six = entriesOf(updates, "ipv6_routes");
      expect(six.map(({ params }) => params)).toEqual(found.map(({ params }) => params));
      const { hopSets, routes } = tables.get(node)!;
      const shortest = (address: bigint) => {
        const covering = routes.filter(
          ({ ipv4 }) => address >> BigInt(32 - ipv4.length) === ipv4.address >> BigInt(32 - ipv4.length),
        );
        const best = covering.sort((a, b) => b.ipv4.length - a.ipv4.length)[0];
        return best === undefined ? [] : hopSets[best.hops]!.ports;
      };
      const wanted = new Set<string>();
      for (const { index, ipv4, switches, hosts } of topology.racks) {
        if (switches.includes(node)) {
          for (const host of hosts) {
            const { host: address, mac } = topology.nodes[host]!;
            wanted.add(`${address!.ipv4}/32 to_port`);
            const own = found.find(({ value, length }) => value === address!.ipv4 && length === 32)!;
            expect(topology.nodes[node]!.ports[Number(own.params["port"]) - 1]!.peer).toBe(host);
            expect(own.params["mac"]).toBe(mac);
          }
          continue;
        }
        const ports = shortest(ipv4.address);
        if (ports.length === 0) continue;
        wanted.add(`${ipv4.address}/${ipv4.length} to_rack`);
        const own = found.find(({ value, length }) => value === ipv4.address && length === ipv4.length)!;
        expect([own.action, Number(own.params["rack"])]).toEqual(["to_rack", index]);
        expect(ports).toContain(Number(own.params["first_port"]));
      }
      expect(new Set(found.map(({ value, length, action }) => `${value}/${length} ${action}`))).toEqual(
        wanted,
      );
    }
  });

  it("probes begin at the ToRs of a rack, at all ports to switches", () => {
    for (const { node, updates, generators } of planned(topology, { probe_interval: "200us" }).switches) {
      const own = topology.racks.filter(({ switches }) => switches.includes(node));
      expect(
        (generators ?? []).map(({ periodNs, frame }) => [periodNs, (frame[14]! << 8) | frame[15]!]),
      ).toEqual(own.map(({ index }) => [200_000, index]));
      const groups = new Map(
        updates.flatMap(({ entity }) =>
          entity.kind === "multicastGroup"
            ? [[entity.groupId, entity.replicas.map(({ port }) => port)] as const]
            : [],
        ),
      );
      const origin = entriesOf(updates, "origin");
      expect(origin.length).toBe(own.length === 0 ? 0 : 1);
      if (own.length === 0) continue;
      const ports = topology.nodes[node]!.ports.filter(
        ({ peer, link }) => topology.nodes[peer]!.role !== "host" && !topology.down?.has(link),
      );
      expect(groups.get(Number(origin[0]!.params["probe_group"]))).toEqual(ports.map(({ number }) => number));
    }
  });
});

it("the tables of a program fit the largest switch of its role", () => {
  // One ToR has 16 hosts and two links up, so that it has 18 routes and 18 ports; the others have one host each.
  const topology = build({
    kind: "graph",
    nodes: [
      ...["t0", "t1", "t2"].map((name) => ({ name, role: "tor" as const })),
      ...["l0", "l1"].map((name) => ({ name, role: "leaf" as const })),
      ...Array.from({ length: 18 }, (_, i) => ({ name: `h${i}`, role: "host" as const })),
    ],
    links: [
      ...["t0", "t1", "t2"].flatMap((a) => ["l0", "l1"].map((b) => ({ a, b }))),
      ...Array.from({ length: 18 }, (_, i) => ({ a: `h${i}`, b: `t${Math.max(0, i - 15)}` })),
    ],
  });
  const plan = planned(topology);
  for (const { program, updates } of plan.switches) {
    const { sizes } = plan.programs.find(({ name }) => name === program)!.values as unknown as {
      sizes: { routes: number; links: number; racks: number };
    };
    expect(sizes.routes).toBeGreaterThanOrEqual(entriesOf(updates, "ipv4_routes").length);
    expect(sizes.links).toBeGreaterThanOrEqual(entriesOf(updates, "links").length);
    expect(sizes.racks).toBeGreaterThanOrEqual(3);
  }
  const most = Math.max(...plan.switches.map(({ updates }) => entriesOf(updates, "ipv4_routes").length));
  expect(most).toBe(18);
});

describe("what is refused", () => {
  it("a network without tiers, and paths that are old before their next probe", () => {
    const asked: unknown[] = [];
    const refused = (topology: Topology, parameters: object) =>
      messagesOf(() =>
        hula.plan(topology, hula.parameters.parse(parameters), (path) => void asked.push(path)),
      );
    expect(refused(example("square"), {})).toMatch(
      /error\[P45102\]: probes of HULA run up and down tiers, and "\w+" is in none/,
    );
    expect(refused(leafSpine(), { probe_interval: "1ms", ageing: "999us" })).toContain(
      "error[P45103]: ageing, 0.999 ms, is shorter than probe_interval, 1 ms: every path would be old before its next probe\nnote: write 2ms or more",
    );
    expect(asked).toEqual([["scheme"], [], ["ageing"], []]);
    expect(() => planned(leafSpine(), { probe_interval: "1ms", ageing: "1ms" })).not.toThrow();
  });

  it("times that registers cannot hold, and an estimator that would overflow", () => {
    const invalid = (parameters: object) => hula.parameters.safeParse(parameters).error?.issues[0]?.message;
    for (const key of ["probe_interval", "flowlet_gap", "ageing"]) {
      expect(invalid({ [key]: "999ns" }), key).toBe("expected a time from 1us to 281474976s");
      expect(invalid({ [key]: "281474977s" }), key).toBe("expected a time from 1us to 281474976s");
      expect(invalid({ [key]: "281474976s" }), key).toBeUndefined();
    }
    expect(invalid({ tau: "20.1s" })).toBe("expected a time from 1us to 20s");
    const refused = (parameters: object) => messagesOf(() => planned(leafSpine(), parameters));
    expect(refused({ probe_interval: "10.1s" })).toContain(
      "error[P45105]: tau, 20.2 s, is above 20 s: the error of the program's 1/tau, which has 30 bits after the point, would exceed 1 %",
    );
    // A ToR has four ports. 100 Gbps are 12.5 GB in a second, and four times 2^32 / 4 bytes in 85.899 ms.
    expect(refused({ tau: "86ms" })).toMatch(
      /error\[P45105\]: tau, 86 ms: "tor0-0" may send up to 4\.30e\+9 bytes to its port \d .* 32 bits\nnote: write tau: 85ms or less/,
    );
    expect(() => planned(leafSpine(), { tau: "85ms" })).not.toThrow();
  });

  it("a note says which share of the slowest link probes take", () => {
    // Three racks, 64 bytes on the wire without 4 of check sequence: 60 x 8 x 3 bits each 200 us are 7.2 Mbps.
    const note = (fabric: object) =>
      planned(leafSpine({ fabric_link: { delay: "1us", ...fabric } }), { probe_interval: "200us" }).notes;
    expect(note({ rate: "1Gbps" })).toEqual([
      "HULA: a probe of 60 bytes each 0.2 ms from each of 3 racks takes up to 0.72 % of a link between switches.",
    ]);
    expect(note({ rate: "1Gbps", rate_pps: 150_000 })![0]).toContain("up to 10 % of a link");
    expect(switchesOf(leafSpine()).length).toBe(5);
  });
});
