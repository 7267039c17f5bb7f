/** Flows that begin on a route through a waypoint: packets pass it, both ways and under both IP versions; and lists that name none. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import type { FlowKey } from "../../../../src/base/packets/index.js";
import { CLIENT, type HostPolicy } from "../../../../src/fabric/hosts/index.js";
import { emptyFlows } from "../../../../src/fabric/paths/index.js";
import { schemeNamed } from "../../../../src/fabric/schemes/index.js";
import { nodeNamed, type Topology } from "../../../../src/fabric/topology/index.js";
import { PacketWalk } from "../../paths/packet-walk.js";
import { build, messagesOf } from "../../topology/load.js";

const scheme = schemeNamed("pecmp")!;
const topology = build({
  ...{ kind: "clos", pods: 2, tors_per_pod: 4, leaves_per_pod: 4, spines_per_plane: 2 },
  ...{ homing: "dual", hosts_per_rack: 1 },
});
const VIA = [
  ["host0-0-0", "leaf0-2", "host1-1-0"],
  ["host1-1-0", "spine2-1", "leaf0-2", "host0-0-0"],
];

function planned(more: object, of: Topology = topology) {
  return scheme.plan(of, scheme.parameters.parse({ control: "both", field: "dscp_flow_label", ...more }));
}

function policyOf(plan: ReturnType<typeof planned>, name: string): HostPolicy {
  const clock = { now: () => 0, at: () => () => {} };
  const context = { name, nics: 2, clock, random: new Random(1), tell: () => {} };
  return scheme.hosts(JSON.parse(JSON.stringify(plan.hosts)), context);
}

/** Names of the switches that a packet of the host's policy passes. */
async function passed(walk: PacketWalk, from: string, to: string, version: 4 | 6, sourcePort: number) {
  const [source, destination] = [nodeNamed(topology, from)!, nodeNamed(topology, to)!];
  const address = (node: typeof source) => (version === 4 ? node.host!.ipv4 : node.host!.ipv6);
  const columns = emptyFlows(1, version);
  columns.source[0] = source.index;
  columns.destination[0] = destination.index;
  columns.sourcePort[0] = sourcePort;
  const flow: FlowKey = {
    ...{ src: address(source), dst: address(destination), protocol: columns.protocol[0]! },
    ...{ srcPort: sourcePort, dstPort: columns.destinationPort[0]! },
  };
  const policy = policyOf(walk.plan as ReturnType<typeof planned>, from);
  const { selector } = policy.open(flow, new Random(7), CLIENT);
  const nic = policy.nic(flow, selector, 2);
  const links = await walk.linksOf(
    { ...columns, selector: Uint32Array.of(selector), nic: Uint8Array.of(nic) },
    0,
  );
  return links.map((link) => {
    const { a, b } = topology.links[link >> 1]!;
    return topology.nodes[(link & 1) === 0 ? b.node : a.node]!.name;
  });
}

describe("via", () => {
  it.each([
    [4, "vlan"],
    [6, "dscp_flow_label"],
  ] as const)("leads packets of IPv%i through its nodes, whatever the flow", async (version, field) => {
    const walk = new PacketWalk(topology, planned({ via: VIA, field }));
    const otherwise = new Set<string>();
    for (let port = 4000; port < 4012; port++)
      for (const list of VIA) {
        const [from, to] = [list[0]!, list.at(-1)!];
        const names = await passed(walk, from, to, version, port);
        expect(names.filter((name) => list.includes(name))).toEqual(list.slice(1));
        const others = await passed(
          walk,
          from,
          to === "host1-1-0" ? "host1-0-0" : "host0-1-0",
          version,
          port,
        );
        for (const name of others) otherwise.add(name);
      }
    // Flows to other hosts are left to the hash.
    for (const leaf of ["leaf0-0", "leaf0-1", "leaf0-2", "leaf0-3"]) expect(otherwise).toContain(leaf);
  });

  it.each([
    [{ via: [["host0-0-0", "leaf0-9", "host1-0-0"]] }, 'P45542]: no node is called "leaf0-9"'],
    [{ via: [["leaf0-0", "spine0-0", "host1-0-0"]] }, 'P45542]: "leaf0-0" is no host'],
    [{ via: [["host0-0-0", "leaf0-1", "leaf0-2", "host1-0-0"]] }, "P45542]: no shortest route from"],
    [{ via: [...VIA, VIA[0]] }, "has a second route to"],
    [{ via: VIA, control: "offset" }, "P45542]: control: offset has no selectors"],
    [{ via: VIA, spray: "random" }, "P45520]: via and spray exclude each other"],
    [
      { via: VIA, field: "dscp_flow_label", version_bit: "overall", update: { mode: "transaction" } },
      "P45520]: via and update exclude each other",
    ],
  ])("refuses %j", (more, message) => {
    expect(messagesOf(() => planned(more))).toContain(message);
  });

  it("names the place of the entry that no route passes", () => {
    const places: unknown[] = [];
    const more = { via: [["host0-0-0", "leaf0-1", "leaf0-2", "host1-0-0"]] };
    const parameters = scheme.parameters.parse({ control: "both", field: "flow_label", ...more });
    expect(() => scheme.plan(topology, parameters, (path) => void places.push(path))).toThrow("P45542");
    expect(places.at(-1)).toEqual(["via", 0, 2]);
  });

  it("refuses a list without a waypoint", () => {
    const { error } = scheme.parameters.safeParse({ via: [["host0-0-0", "host1-0-0"]] });
    expect(error!.issues[0]!.message).toContain("names of nodes");
  });
});
