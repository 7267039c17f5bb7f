/** What the address plan and the ports of a switch have room for, the rules of graphs, and the addresses as documented. */
import { describe, expect, it } from "vitest";
import { DiagnosticError } from "../../../src/base/index.js";
import {
  buildTopology,
  hostsOf,
  nodeNamed,
  switchesOf,
  type TopologyInput,
  type TopologySpec,
  topologySchema,
} from "../../../src/fabric/topology/index.js";
import { build, messagesOf } from "./load.js";

const CLOS = { kind: "clos", pods: 1, tors_per_pod: 2, leaves_per_pod: 1, spines_per_plane: 1 } as const;
const LEAF_SPINE = { kind: "leaf_spine", tors: 2, leaves: 1 } as const;
const graphOf = (links: [string, string][]): TopologyInput => ({
  kind: "graph",
  nodes: [
    { name: "s", role: "switch" },
    { name: "h", role: "host" },
    { name: "g", role: "host" },
  ],
  links: links.map(([a, b]) => ({ a, b })),
});
const refusal = (input: TopologyInput) => messagesOf(() => build(input));

describe("a diagnostic", () => {
  it.each([
    [{ ...CLOS, pods: 0 }, ["pods"]],
    [{ ...CLOS, tors_per_pod: 3 }, ["tors_per_pod"]],
    [{ ...LEAF_SPINE, tors: 514 }, ["tors"]],
    [{ ...CLOS, hosts_per_rack: 255 }, ["hosts_per_rack"]],
    [{ ...CLOS, leaves_per_pod: 509 }, ["leaves_per_pod"]],
    [{ ...CLOS, missing_links: [["tor0-0", "spine0-0"]] }, ["missing_links", 0]],
    [{ ...CLOS, missing_links: [["tor0-0", "x"]] }, ["missing_links", 0, 1]],
    [graphOf([["h", "x"]]), ["links", 0, "b"]],
    [graphOf([["x", "h"]]), ["links", 0, "a"]],
    [graphOf([["s", "s"]]), ["links", 0]],
    [
      graphOf([
        ["h", "s"],
        ["h", "g"],
      ]),
      ["links", 1],
    ],
    [graphOf([["h", "s"]]), ["nodes", 2]],
    [{ kind: "graph", nodes: [{ name: "s", role: "tor" }], links: [] }, []],
  ] as [TopologyInput, (string | number)[]][])("%j points at %j", (input, place) => {
    const asked: (readonly PropertyKey[])[] = [];
    const locate = (path: readonly PropertyKey[]) => {
      asked.push(path);
      return undefined;
    };
    expect(() => buildTopology(topologySchema.parse(input), locate)).toThrow(DiagnosticError);
    expect(asked.at(-1)).toEqual(place);
  });
});

describe("numbers of parts", () => {
  it.each([
    ["pods", { ...CLOS, pods: 0 }],
    ["tors_per_pod", { ...CLOS, tors_per_pod: 0 }],
    ["leaves_per_pod", { ...CLOS, leaves_per_pod: 0 }],
    ["spines_per_plane", { ...CLOS, spines_per_plane: 0 }],
    ["hosts_per_rack", { ...CLOS, hosts_per_rack: 0 }],
    ["tors", { ...LEAF_SPINE, tors: 0 }],
    ["leaves", { ...LEAF_SPINE, leaves: -1 }],
    ["hosts_per_rack", { ...LEAF_SPINE, hosts_per_rack: 0 }],
  ] as [string, TopologyInput][])("%s is at least 1", (key, input) => {
    expect(refusal(input)).toContain(`error[P42101]: ${key} is `);
  });

  it("ToRs come in pairs where hosts have two NICs, else in any number", () => {
    expect(refusal({ ...CLOS, tors_per_pod: 3 })).toContain("error[P42102]: tors_per_pod is 3");
    expect(refusal({ ...LEAF_SPINE, tors: 5 })).toContain("write 6, or homing: single");
    expect(build({ ...LEAF_SPINE, tors: 3, homing: "single" }).racks).toHaveLength(3);
  });
});

describe("the address plan", () => {
  it("has room for 256 pods", () => {
    expect(build({ ...CLOS, pods: 256, hosts_per_rack: 1 }).pods).toHaveLength(256);
    expect(refusal({ ...CLOS, pods: 257 })).toContain("error[P42103]: 257 pods");
  });

  it("has room for 256 racks in a pod", () => {
    const single = { ...LEAF_SPINE, homing: "single", hosts_per_rack: 1 } as const;
    expect(build({ ...single, tors: 256 }).racks).toHaveLength(256);
    expect(refusal({ ...single, tors: 257 })).toContain("error[P42103]: 257 racks in a pod");
    // A pair of ToRs is one rack.
    expect(build({ ...LEAF_SPINE, tors: 258, hosts_per_rack: 1 }).racks).toHaveLength(129);
    expect(refusal({ ...LEAF_SPINE, tors: 514 })).toContain("error[P42103]: 257 racks in a pod");
  });

  it("has room for 254 hosts in a rack", () => {
    expect(hostsOf(build({ ...CLOS, hosts_per_rack: 254 }))).toHaveLength(254);
    expect(refusal({ ...CLOS, hosts_per_rack: 255 })).toContain("error[P42103]: 255 hosts in a rack");
  });

  it("has room for 254 hosts at one switch of a graph", () => {
    const star = (hosts: number): TopologyInput => ({
      kind: "graph",
      nodes: [
        { name: "s", role: "switch" },
        ...Array.from({ length: hosts }, (_, i) => ({ name: `h${i}`, role: "host" as const })),
      ],
      links: Array.from({ length: hosts }, (_, i) => ({ a: "s", b: `h${i}` })),
    });
    expect(hostsOf(build(star(254)))).toHaveLength(254);
    expect(refusal(star(255))).toContain(
      "error[P42103]: the address plan has room for 254 hosts at one switch",
    );
  });

  it("has room for 65,536 racks", () => {
    const racks = 65_537;
    const spec: TopologySpec = {
      kind: "graph",
      name: undefined,
      nodes: [
        ...Array.from({ length: racks }, (_, i) => ({ name: `s${i}`, role: "switch" as const })),
        ...Array.from({ length: racks }, (_, i) => ({ name: `h${i}`, role: "host" as const })),
      ],
      links: Array.from({ length: racks }, (_, i) => ({ a: `h${i}`, b: `s${i}`, rate: 1e9, delay: 0 })),
    };
    expect(messagesOf(() => buildTopology(spec))).toContain(
      "error[P42103]: the address plan has room for 65536 racks",
    );
  });

  it("numbers pods, racks and hosts in the bytes of addresses, and nodes in MACs", () => {
    const topology = build({ ...CLOS, pods: 3, tors_per_pod: 4, hosts_per_rack: 2 });
    const host = nodeNamed(topology, "host2-1-1")!;
    expect(host.host).toEqual({
      rack: 5,
      ipv4: 0x0a020102n,
      ipv6: 0xfd00_0000_0002_0001_0000_0000_0000_0002n,
    });
    expect(host.mac).toBe(0x020000000001n + BigInt(host.index));
    expect(host).toMatchObject({ role: "host", pod: 2, position: 3 });
    expect(topology.racks[5]).toMatchObject({
      index: 5,
      pod: 2,
      ipv4: { address: 0x0a020100n, length: 24 },
      ipv6: { address: 0xfd00_0000_0002_0001_0000_0000_0000_0000n, length: 64 },
    });
    expect(topology.pods[2]).toMatchObject({
      index: 2,
      racks: [4, 5],
      ipv4: { address: 0x0a020000n, length: 16 },
      ipv6: { address: 0xfd00_0000_0002_0000_0000_0000_0000_0000n, length: 48 },
    });
  });

  it("numbers the racks of a graph one after the other, 256 in a pod", () => {
    const racks = 258;
    const topology = build({
      kind: "graph",
      nodes: [
        ...Array.from({ length: racks }, (_, i) => ({ name: `s${i}`, role: "switch" as const })),
        ...Array.from({ length: racks }, (_, i) => ({ name: `h${i}`, role: "host" as const })),
      ],
      links: Array.from({ length: racks }, (_, i) => ({ a: `h${i}`, b: `s${i}` })),
    });
    expect(topology.pods.map((pod) => pod.racks.length)).toEqual([256, 2]);
    expect(nodeNamed(topology, "h255")!.host!.ipv4).toBe(0x0a00ff01n);
    expect(nodeNamed(topology, "h257")!.host!.ipv4).toBe(0x0a010101n);
  });
});

describe("positions", () => {
  it("count the nodes of a role: spines through all planes, other nodes within their pod", () => {
    const topology = build({ ...CLOS, pods: 2, leaves_per_pod: 2, spines_per_plane: 3 });
    const positions = (name: string) => nodeNamed(topology, name)!.position;
    expect(switchesOf(topology, "spine").map(({ position }) => position)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(["spine1-2", "leaf1-1", "tor1-0", "host1-0-1"].map(positions)).toEqual([5, 1, 0, 1]);
  });
});

describe("ports", () => {
  it("are at most 510 at a spine, a leaf and a ToR", () => {
    const mesh = { ...CLOS, pods: 255, leaves_per_pod: 2, wiring: "mesh", hosts_per_rack: 1 } as const;
    expect(switchesOf(build(mesh), "spine")[0]!.ports).toHaveLength(510);
    expect(refusal({ ...mesh, pods: 256 })).toContain("error[P42104]: a spine would need 512 ports");
    // In planes, a spine has one port a pod.
    expect(switchesOf(build({ ...mesh, pods: 256, wiring: "planes" }), "spine")[0]!.ports).toHaveLength(256);

    expect(switchesOf(build({ ...CLOS, spines_per_plane: 508 }), "leaf")[0]!.ports).toHaveLength(510);
    expect(refusal({ ...CLOS, spines_per_plane: 509 })).toContain(
      "error[P42104]: a leaf would need 511 ports",
    );
    expect(refusal({ ...LEAF_SPINE, tors: 512 })).toContain("error[P42104]: a leaf would need 512 ports");

    expect(switchesOf(build({ ...CLOS, leaves_per_pod: 508 }), "tor")[0]!.ports).toHaveLength(510);
    expect(refusal({ ...CLOS, leaves_per_pod: 509 })).toContain("error[P42104]: a ToR would need 511 ports");
    expect(switchesOf(build({ ...LEAF_SPINE, leaves: 508 }), "tor")[0]!.ports).toHaveLength(510);
    expect(refusal({ ...LEAF_SPINE, leaves: 509 })).toContain("error[P42104]: a ToR would need 511 ports");
  });

  it("are at most 510 at a switch of a graph", () => {
    const star = (links: number): TopologyInput => ({
      kind: "graph",
      nodes: [
        { name: "s", role: "leaf" },
        { name: "h", role: "host" },
        { name: "t", role: "tor" },
      ],
      links: [{ a: "h", b: "t" }, ...Array.from({ length: links }, () => ({ a: "t", b: "s" }))],
    });
    expect(nodeNamed(build(star(509)), "s")!.ports).toHaveLength(509);
    expect(nodeNamed(build(star(509)), "t")!.ports).toHaveLength(510);
    expect(refusal(star(510))).toContain('error[P42104]: a switch such as "t" would need 511 ports');
  });
});

describe("missing links", () => {
  it("name links that the generator would make", () => {
    expect(refusal({ ...CLOS, missing_links: [["tor0-0", "spine0-0"]] })).toContain(
      'error[P42105]: there is no link between "tor0-0" and "spine0-0"',
    );
    expect(refusal({ ...LEAF_SPINE, missing_links: [["tor0-0", "tor0-1"]] })).toContain(
      'error[P42105]: there is no link between "tor0-0" and "tor0-1"',
    );
    expect(refusal({ ...LEAF_SPINE, missing_links: [["nobody", "tor0-1"]] })).toContain(
      'error[P42105]: no node is called "nobody"',
    );
  });
});

describe("a graph", () => {
  const graph = (links: readonly [string, string][]): TopologyInput => ({
    kind: "graph",
    nodes: [
      { name: "h1", role: "host" },
      { name: "h2", role: "host" },
      { name: "t", role: "tor" },
      { name: "u", role: "leaf" },
      { name: "w", role: "switch" },
    ],
    links: links.map(([a, b]) => ({ a, b })),
  });

  it("has links between nodes that exist, two of them, not both hosts", () => {
    expect(refusal(graph([["h1", "x"]]))).toContain('error[P42105]: no node is called "x"');
    expect(refusal(graph([["y", "t"]]))).toContain('error[P42105]: no node is called "y"');
    expect(refusal(graph([["t", "t"]]))).toContain('error[P42106]: a link leads from "t" to itself');
    expect(refusal(graph([["h1", "h2"]]))).toContain('error[P42106]: a link joins two hosts, "h1" and "h2"');
    expect(refusal(graph([["h1", "t"]]))).toContain('error[P42107]: host "h2" has no link');
  });

  it("has hosts", () => {
    expect(refusal({ kind: "graph", nodes: [{ name: "s", role: "switch" }], links: [] })).toContain(
      "error[P42107]: the network has no hosts",
    );
  });

  it("turns links upwards, and leaves those within a tier as they are", () => {
    const { links, nodes } = build(
      graph([
        ["t", "h1"],
        ["h2", "t"],
        ["u", "t"],
        ["w", "u"],
        ["u", "w"],
      ]),
    );
    expect(links.map(({ a, b }) => `${nodes[a.node]!.name} ${nodes[b.node]!.name}`)).toEqual([
      "h1 t",
      "h2 t",
      "t u",
      "w u",
      "u w",
    ]);
  });

  it("numbers the nodes of each role, and groups hosts with the same switches into racks", () => {
    const { nodes, racks } = build(
      graph([
        ["h1", "w"],
        ["h1", "t"],
        ["h2", "t"],
        ["h2", "w"],
        ["h2", "t"],
      ]),
    );
    expect(nodes.map(({ position }) => position)).toEqual([0, 1, 0, 0, 0]);
    expect(racks).toMatchObject([{ switches: [2, 4], hosts: [0, 1], pod: 0 }]);
  });

  it("takes the name and the links of its file, and defaults for the rest", () => {
    expect(
      build({
        ...graph([
          ["h1", "t"],
          ["h2", "t"],
        ]),
        name: "testbed",
      }).name,
    ).toBe("testbed");
    expect(
      build(
        graph([
          ["h1", "t"],
          ["h2", "t"],
        ]),
      ).name,
    ).toBe("graph");
    expect(build(CLOS).name).toBe("clos");
    expect(build(LEAF_SPINE).name).toBe("leaf_spine");
    expect(build(LEAF_SPINE).links[0]).toMatchObject({ rateBps: 100e9, delayNs: 1000 });
  });
});

describe("lists of nodes", () => {
  it("hold the hosts, the switches, or the switches of one role, in the order of the nodes", () => {
    const topology = build(CLOS);
    const names = (nodes: readonly { name: string }[]) => nodes.map(({ name }) => name);
    expect(names(hostsOf(topology))).toEqual(["host0-0-0", "host0-0-1"]);
    expect(names(switchesOf(topology))).toEqual(["tor0-0", "tor0-1", "leaf0-0", "spine0-0"]);
    expect(names(switchesOf(topology, "tor"))).toEqual(["tor0-0", "tor0-1"]);
    expect(nodeNamed(topology, "spine0-0")?.role).toBe("spine");
    expect(nodeNamed(topology, "spine0-1")).toBeUndefined();
  });
});
