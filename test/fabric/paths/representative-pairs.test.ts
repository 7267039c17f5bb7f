/** Pairs of racks that stand for all pairs of a topology. */
import { expect, it } from "vitest";
import { representativePairs } from "../../../src/fabric/paths/index.js";
import { withLinksDown } from "../../../src/fabric/topology/index.js";
import { build } from "../topology/load.js";

it("are one pair in a leaf-spine fabric, and a pair in a pod and one between pods in a fat tree", () => {
  const leafSpine = build({ kind: "leaf_spine", tors: 3, leaves: 2, homing: "single", hosts_per_rack: 2 });
  expect(representativePairs(leafSpine)).toEqual([[0, 1]]);
  expect(representativePairs(build({ kind: "fat_tree", k: 4 }))).toEqual([
    [0, 1],
    [0, 2],
  ]);
});

it("distinguish a rack with a link that is down from the others", () => {
  const topology = build({ kind: "leaf_spine", tors: 4, leaves: 2, homing: "single", hosts_per_rack: 2 });
  const [tor] = topology.racks[0]!.switches;
  const uplink = topology.nodes[tor!]!.ports.find(({ peer }) => topology.nodes[peer]!.role !== "host")!.link;
  expect(representativePairs(withLinksDown(topology, [uplink]))).toEqual([
    [0, 1],
    [1, 0],
    [1, 2],
  ]);
});

it("distinguish racks by the number of their hosts", () => {
  const hosts = { A: "a", B: "b", C: "b", D: "c", E: "c" };
  const topology = build({
    kind: "graph",
    nodes: [
      ...["a", "b", "c"].map((name) => ({ name, role: "tor" as const })),
      { name: "s", role: "spine" },
      ...Object.keys(hosts).map((name) => ({ name, role: "host" as const })),
    ],
    links: [
      ...["a", "b", "c"].map((a) => ({ a, b: "s" })),
      ...Object.entries(hosts).map(([a, b]) => ({ a, b })),
    ],
  });
  // b and c have two hosts each.
  expect(representativePairs(topology)).toEqual([
    [0, 1],
    [1, 0],
    [1, 2],
  ]);
});
