/** Equivalent parts of networks: every network here is small enough to see which parts can be exchanged. */
import { describe, expect, it } from "vitest";
import { rackClasses, type TopologyInput, typicalPods } from "../../../src/fabric/topology/index.js";
import { build } from "./load.js";

const CLOS = {
  kind: "clos",
  pods: 4,
  tors_per_pod: 4,
  leaves_per_pod: 2,
  spines_per_plane: 2,
  hosts_per_rack: 1,
} as const;

describe("classes of racks", () => {
  const classesOf = (input: TopologyInput) => {
    const { classOf, representatives, switches } = rackClasses(build(input));
    return { classOf: [...classOf], representatives, switches };
  };

  it("are one a pod where no link is missing", () => {
    const { classOf, representatives } = classesOf(CLOS);
    expect(classOf).toEqual([0, 0, 1, 1, 2, 2, 3, 3]);
    expect(representatives).toEqual([0, 2, 4, 6]);
  });

  it("are apart where a rack lacks a link", () => {
    const { classOf, representatives } = classesOf({
      ...CLOS,
      pods: 1,
      tors_per_pod: 8,
      missing_links: [["tor0-3", "leaf0-1"]],
    });
    expect(classOf).toEqual([0, 1, 0, 0]);
    expect(representatives).toEqual([0, 1]);
  });

  it("pair the switches of two racks of a class by their neighbours, whatever their order", () => {
    // The second ToR of rack 0 and the first one of rack 1 lack the same leaf.
    const topology = build({
      ...CLOS,
      pods: 1,
      missing_links: [
        ["tor0-1", "leaf0-1"],
        ["tor0-2", "leaf0-1"],
      ],
    });
    const { classOf, switches } = rackClasses(topology);
    expect([...classOf]).toEqual([0, 0]);
    const names = switches.map((rack) => rack.map((node) => topology.nodes[node]!.name));
    expect(names).toEqual([
      ["tor0-0", "tor0-1"],
      ["tor0-3", "tor0-2"],
    ]);
  });

  it("are single where racks share a switch, or where switches differ in their role", () => {
    const graph = (roles: ("tor" | "leaf" | "switch")[], links: [string, string][]): TopologyInput => ({
      kind: "graph",
      nodes: [
        ...roles.map((role, i) => ({ name: `s${i}`, role })),
        ...["h0", "h1"].map((name) => ({ name, role: "host" as const })),
      ],
      links: links.map(([a, b]) => ({ a, b })),
    });
    const shared = graph(
      ["tor", "tor", "tor"],
      [
        ["h0", "s0"],
        ["h0", "s1"],
        ["h1", "s1"],
        ["h1", "s2"],
      ],
    );
    expect(classesOf(shared).classOf).toEqual([0, 1]);
    const alone: [string, string][] = [
      ["h0", "s0"],
      ["h1", "s1"],
      ["s0", "s2"],
      ["s1", "s2"],
    ];
    expect(classesOf(graph(["tor", "tor", "leaf"], alone)).classOf).toEqual([0, 0]);
    expect(classesOf(graph(["tor", "leaf", "leaf"], alone)).classOf).toEqual([0, 1]);
  });
});

describe("typical pods", () => {
  const typical = (input: TopologyInput) => [...typicalPods(build(input))];

  it("are two of each wiring", () => {
    expect(typical(CLOS)).toEqual([0, 1]);
    expect(typical({ ...CLOS, pods: 1 })).toEqual([0]);
    expect(typical({ ...CLOS, missing_links: [["tor2-0", "leaf2-1"]] })).toEqual([0, 1, 2]);
    const alike: [string, string][] = [1, 2, 3].map((pod) => [`tor${pod}-0`, `leaf${pod}-1`]);
    expect(typical({ ...CLOS, missing_links: alike })).toEqual([0, 1, 2]);
    // The same number of links, at another ToR, or to another spine.
    expect(
      typical({
        ...CLOS,
        missing_links: [
          ["tor2-0", "leaf2-1"],
          ["tor3-1", "leaf3-1"],
        ],
      }),
    ).toEqual([0, 1, 2, 3]);
    expect(
      typical({
        ...CLOS,
        missing_links: [
          ["leaf2-0", "spine0-0"],
          ["leaf3-0", "spine0-1"],
        ],
      }),
    ).toEqual([0, 1, 2, 3]);
  });

  it("are all pods of a graph, whose switches belong to no pod", () => {
    const racks = 600;
    expect(
      typical({
        kind: "graph",
        nodes: [
          { name: "top", role: "switch" },
          ...Array.from({ length: racks }, (_, i) => ({ name: `s${i}`, role: "switch" as const })),
          ...Array.from({ length: racks }, (_, i) => ({ name: `h${i}`, role: "host" as const })),
        ],
        links: Array.from({ length: racks }, (_, i) => ({ a: `h${i}`, b: `s${i}` })),
      }),
    ).toEqual([0, 1, 2]);
  });
});
