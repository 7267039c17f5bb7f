/** Port groups of the flow simulator's switches: which ports each has, and which group a destination has (sections 3.1 and 4.2.2). */
import { describe, expect, it } from "vitest";
import type { Locate } from "../../../../src/base/index.js";
import {
  checkCoordinates,
  type GroupPlan,
  groupsOfDimensions,
  groupsOfNextHops,
  oneGroup,
} from "../../../../src/fabric/schemes/dahu/fluid/group-plan.js";
import { Distances, FAR, FlowNetwork } from "../../../../src/fabric/sim/flow/index.js";
import {
  buildTopology,
  type Topology,
  type TopologyInput,
  topologySchema,
  withLinksDown,
} from "../../../../src/fabric/topology/index.js";
import { dahuOf } from "./fabric.js";

const LINK = { rate: "1Gbps", delay: "1us" } as const;
const LINKS = { host_link: LINK, fabric_link: LINK };
const built = (input: object): Topology => buildTopology(topologySchema.parse(input as TopologyInput));
const hyperx = (...shape: number[]) => built({ kind: "hyperx", shape, hosts_per_switch: 1, ...LINKS });
const fatTree = built({ kind: "fat_tree", k: 4, ...LINKS });
const VIRTUAL_PORTS = 32;
const INITIAL = { count: VIRTUAL_PORTS, seed: 1 };
const nowhere = () => undefined;

/** Ports of a group, ascending. */
function membersOf(plan: GroupPlan, own: number, group: number): number[] {
  const { ports, members, groups } = plan.groups[own]!;
  expect(group).toBeLessThan(groups);
  return [...Array(ports).keys()].filter((port) => members[group * ports + port] === 1);
}

const portsOf = (network: FlowNetwork, own: number) => [...Array(network.portsOf(own)).keys()];
const switchesOf = ({ switches }: FlowNetwork) => [...Array(switches).keys()];

it("one group has all ports to switches, for each destination", () => {
  const network = new FlowNetwork(hyperx(3, 2));
  const plan = oneGroup(network, INITIAL);
  for (const own of switchesOf(network)) {
    expect(plan.groups[own]!.groups).toBe(1);
    expect(plan.groups[own]!.virtualPorts).toBe(VIRTUAL_PORTS);
    expect(membersOf(plan, own, 0)).toEqual(portsOf(network, own));
    for (const destination of switchesOf(network)) expect(plan.groupOf(own, destination)).toBe(0);
  }
});

describe("groups by offset dimensions", () => {
  it("have the ports along the dimensions in which the destination differs", () => {
    const topology = hyperx(3, 2, 2);
    const network = new FlowNetwork(topology);
    const plan = groupsOfDimensions(network, INITIAL, nowhere);
    const differing = (a: number, b: number) => {
      const [here, there] = [a, b].map((own) => topology.nodes[network.nodeOf[own]!]!.coordinates!);
      return [0, 1, 2].filter((d) => here![d] !== there![d]);
    };
    for (const own of switchesOf(network)) {
      expect(plan.groups[own]!.groups).toBe(8);
      for (const destination of switchesOf(network)) {
        if (destination === own) continue;
        const wanted = differing(own, destination);
        const along = portsOf(network, own).filter((port) =>
          wanted.includes(differing(own, network.peer[network.firstPort[own]! + port]!)[0]!),
        );
        expect(membersOf(plan, own, plan.groupOf(own, destination))).toEqual(along);
      }
    }
  });

  it("have one number for each set of dimensions, at each switch", () => {
    const network = new FlowNetwork(hyperx(3, 2, 2));
    const plan = groupsOfDimensions(network, INITIAL, nowhere);
    for (const own of switchesOf(network)) {
      const numbers = new Set(switchesOf(network).map((destination) => plan.groupOf(own, destination)));
      expect([...numbers].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      expect(plan.groupOf(own, own)).toBe(0);
    }
  });

  it("need coordinates: other topologies are refused at `port_groups`", () => {
    const network = new FlowNetwork(fatTree);
    const asked: unknown[] = [];
    const locate = (path: readonly PropertyKey[]) => void asked.push(path);
    for (const refused of [
      () => checkCoordinates(network, locate),
      () => groupsOfDimensions(network, INITIAL, locate),
    ])
      expect(refused).toThrow(/offset_dimensions needs a HyperX; switches of ".*" have no coordinates/);
    expect(asked).toEqual([["port_groups"], ["port_groups"]]);
    expect(() => checkCoordinates(new FlowNetwork(hyperx(2, 2)), locate)).not.toThrow();
  });
});

describe("groups by next hops", () => {
  it.each([
    ["a fat tree", fatTree],
    ["a HyperX", hyperx(3, 3)],
    ["a HyperX without one of its links", withLinksDown(hyperx(3, 3), [20])],
  ])("have the ports of the shortest paths to the destination: %s", (_name, topology) => {
    const network = new FlowNetwork(topology);
    const distances = new Distances(network);
    const plan = groupsOfNextHops(network, distances, INITIAL, nowhere);
    for (const own of switchesOf(network)) {
      const sets = new Set<string>();
      for (const destination of new Set(network.switchOfRack)) {
        if (destination === own) continue;
        const distance = distances.to(destination);
        const nearer = portsOf(network, own).filter(
          (port) => distance[network.peer[network.firstPort[own]! + port]!]! < distance[own]!,
        );
        expect(membersOf(plan, own, plan.groupOf(own, destination))).toEqual(nearer);
        sets.add(nearer.join(" "));
      }
      // Destinations with the same next hops share a group.
      // The last group has all ports: for destinations that faults leave without a port of their own group.
      const { groups } = plan.groups[own]!;
      expect(groups).toBe(sets.size + 1);
      expect(membersOf(plan, own, groups - 1)).toEqual(portsOf(network, own));
    }
  });

  it("skip destinations without a path, and switches without ports", () => {
    const whole = built({
      kind: "graph",
      nodes: [
        ...["a", "b", "c"].map((name) => ({ name, role: "switch" })),
        ...["ha", "hb", "hc"].map((name) => ({ name, role: "host" })),
      ],
      links: [
        { a: "a", b: "b" },
        { a: "b", b: "c" },
        ...["a", "b", "c"].map((name) => ({ a: `h${name}`, b: name })),
      ],
    });
    const indexOf = (name: string) => whole.nodes.findIndex((node) => node.name === name);
    const cut = whole.links.findIndex(({ a, b }) => a.node === indexOf("b") && b.node === indexOf("c"));
    const network = new FlowNetwork(withLinksDown(whole, [cut]));
    const [a, b, c] = ["a", "b", "c"].map((name) => network.switchOf[indexOf(name)]!) as [
      number,
      number,
      number,
    ];
    const distances = new Distances(network);
    expect(distances.to(c)[a]).toBe(FAR);
    const plan = groupsOfNextHops(network, distances, INITIAL, nowhere);
    expect(plan.groups[c]).toBeUndefined();
    expect(plan.groups[a]!.groups).toBe(2);
    expect(membersOf(plan, a, plan.groupOf(a, b))).toEqual([0]);
    expect(oneGroup(network, INITIAL).groups.map((groups) => groups?.ports)).toEqual([1, 1, undefined]);
  });

  it("are refused where a switch would need more than 64 (section 5), as for packets", () => {
    // In a HyperX of n x n, n^2 - 1 destinations have next hops of their own, or share one port; and one group has all ports.
    const topologyOf = (n: number) => hyperx(n, n);
    const planOf = (n: number, locate: Locate = nowhere) => {
      const network = new FlowNetwork(topologyOf(n));
      return groupsOfNextHops(network, new Distances(network), INITIAL, locate);
    };
    expect(planOf(8).groups[0]!.groups).toBe(64);
    expect(dahuOf(topologyOf(8), { deroutes: 0, virtual_ports: 16 }).own[0]!.layout.members).toHaveLength(64);
    const asked: unknown[] = [];
    const refusal = /"switch0-0" would need 81 port groups: a switch has 64/;
    expect(() => planOf(9, (path) => void asked.push(path))).toThrow(refusal);
    expect(asked).toEqual([["port_groups"], ["deroutes"]]);
    expect(() => dahuOf(topologyOf(9), { deroutes: 0, virtual_ports: 16 })).toThrow(refusal);
  });
});

describe("groups by seven offset dimensions", () => {
  it("are refused where a switch would need more than 64, as for packets", () => {
    const topology = hyperx(2, 2, 2, 2, 2, 2, 2);
    const refusal = /"switch0-0-0-0-0-0-0" would need 128 port groups: a switch has 64/;
    expect(() => groupsOfDimensions(new FlowNetwork(topology), INITIAL, nowhere)).toThrow(refusal);
    expect(() => dahuOf(topology, { port_groups: "offset_dimensions", virtual_ports: 16 })).toThrow(refusal);
  });
});
