/** The quick choice of a port beside the pipeline of section 3.2, step by step. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { PortChoice } from "../../../../src/fabric/schemes/dahu/fluid/port-choice.js";
import { Routes } from "../../../../src/fabric/schemes/dahu/fluid/routes.js";
import { PortGroups } from "../../../../src/fabric/schemes/dahu/policy/port-groups.js";
import { Distances, FlowNetwork, indexOf, mixed } from "../../../../src/fabric/sim/flow/index.js";
import { buildTopology, topologySchema } from "../../../../src/fabric/topology/index.js";

const LINK = { rate: "1Gbps", delay: "1us" };
/** 27 ports to switches. */
const network = new FlowNetwork(
  buildTopology(
    topologySchema.parse({
      kind: "hyperx",
      shape: [14, 14, 2],
      hosts_per_switch: 1,
      host_link: LINK,
      fabric_link: LINK,
    }),
  ),
);
const distances = new Distances(network);
const PORTS = 27;

/** Virtual ports in the order in which the switch program tries them. */
function tries(hash: number, virtualPorts: number): { order: number[]; last: number } {
  const order: number[] = [];
  let drawn = hash;
  for (let round = 0; round < 2; round++) {
    for (let k = 0; k < 16; k++) order.push(((drawn & 0xffff) + k * ((drawn >>> 16) | 1)) % virtualPorts);
    drawn = mixed(drawn + 0x6d2b79f5);
  }
  return { order, last: drawn };
}

const cases = fc.record({
  destination: fc.integer({ min: 1, max: 391 }),
  hash: fc.integer(),
  ingress: fc.integer({ min: -1, max: PORTS - 1 }),
  further: fc.boolean(),
  virtualPorts: fc.constantFrom(8, 60, 1024),
  members: fc.uniqueArray(fc.nat(PORTS - 1), { minLength: 1, maxLength: PORTS }),
  moves: fc.array(fc.record({ virtualPort: fc.nat(1023), member: fc.nat(99) }), { maxLength: 40 }),
  held: fc.option(fc.uniqueArray(fc.nat(PORTS - 1)), { nil: undefined }),
});

it("is the first of 32 virtual ports that leads to an allowed port, or else an allowed port by hash", () => {
  const by = { hash: 0, none: 0, fallback: 0 };
  fc.assert(
    fc.property(cases, fc.boolean(), (made, counts) => {
      const { destination, hash, ingress, further, virtualPorts, members, moves, held } = made;
      const list = [...members].sort((a, b) => a - b);
      const groups = new PortGroups(PORTS, virtualPorts, [list]);
      const plan = { groups: [groups], groupOf: () => 0 };
      const routes = new Routes(network, distances, plan);
      const { shortest } = routes;
      const choice = new PortChoice(
        routes,
        virtualPorts,
        held && ((_own, _destination, port) => held.includes(port)),
        counts,
      );
      const ask = () => choice.of(0, destination, shortest.to(destination), hash, ingress, further);
      // Once before the moves, so that what it keeps of the map has to change with it.
      ask();
      for (const { virtualPort, member } of moves) {
        const [at, to] = [virtualPort % virtualPorts, list[member % list.length]!];
        const remap = { group: 0, virtualPort: at, from: groups.portOf(0, at), to };
        groups.remap(0, at, to);
        choice.move(0, remap);
      }
      const distance = distances.to(destination);
      const allowed = list.filter(
        (port) =>
          port !== ingress &&
          (distance[network.peer[port]!]! < distance[0]! || (further && !(held?.includes(port) ?? false))),
      );
      const { order, last } = tries(hash, virtualPorts);
      const hit = order.find((virtualPort) => allowed.includes(groups.portOf(0, virtualPort)));
      const port = ask();
      if (allowed.length === 0) expect(port).toBe(-1);
      else if (hit !== undefined) {
        expect(port).toBe(groups.portOf(0, hit));
        if (counts) expect(choice.found).toBe(hit);
      } else {
        expect(port).toBe(allowed[indexOf(last, allowed.length)]);
        expect(choice.found).toBe(-1);
      }
      by[allowed.length === 0 ? "none" : hit === undefined ? "fallback" : "hash"]++;
    }),
    { numRuns: 1500, seed: 1 },
  );
  // All three ways are taken.
  expect(Math.min(by.hash, by.none, by.fallback)).toBeGreaterThan(10);
});
