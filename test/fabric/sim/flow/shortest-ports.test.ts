/** Bitmaps of the ports of shortest paths compared with the distances that they represent. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  Distances,
  FlowNetwork,
  hasPort,
  portAt,
  portCount,
  ShortestPorts,
} from "../../../../src/fabric/sim/flow/index.js";
import { buildTopology, type TopologyInput, topologySchema } from "../../../../src/fabric/topology/index.js";

const LINK = { rate: "1Gbps", delay: "1us" };

describe("bitmaps of ports", () => {
  it.each<[string, TopologyInput]>([
    [
      "a HyperX",
      { kind: "hyperx", shape: [3, 2, 4], hosts_per_switch: 1, host_link: LINK, fabric_link: LINK },
    ],
    // 41 ports to switches: two words a switch.
    ["a full mesh", { kind: "hyperx", shape: [42], hosts_per_switch: 1, host_link: LINK, fabric_link: LINK }],
    ["a fat tree", { kind: "fat_tree", k: 4, host_link: LINK, fabric_link: LINK }],
  ])("have the ports whose peers are nearer to the destination: %s", (_, input) => {
    const network = new FlowNetwork(buildTopology(topologySchema.parse(input)));
    const distances = new Distances(network);
    const shortest = new ShortestPorts(network, distances);
    const { words } = shortest;
    for (let destination = 0; destination < network.switches; destination++)
      for (let own = 0; own < network.switches; own++) {
        const distance = distances.to(destination);
        const nearer = Array.from({ length: network.portsOf(own) }, (_unused, port) => port).filter(
          (port) => distance[network.peer[network.firstPort[own]! + port]!]! < distance[own]!,
        );
        const bitmaps = shortest.to(destination);
        expect(portCount(bitmaps, own * words, words)).toBe(nearer.length);
        expect(nearer.map((_port, index) => portAt(bitmaps, own * words, words, index))).toEqual(nearer);
      }
  });

  it("are counted and read bit by bit, in any number of words", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(127), { maxLength: 128 }), (drawn) => {
        const ports = drawn.sort((a, b) => a - b);
        const bitmap = new Int32Array(5);
        for (const port of ports) bitmap[1 + (port >> 5)]! |= 1 << port;
        expect(portCount(bitmap, 1, 4)).toBe(ports.length);
        expect(ports.map((_, index) => portAt(bitmap, 1, 4, index))).toEqual(ports);
        expect(portAt(bitmap, 1, 4, ports.length)).toBe(-1);
        for (let port = 0; port < 128; port++) expect(hasPort(bitmap, 1, port)).toBe(ports.includes(port));
      }),
    );
  });
});
