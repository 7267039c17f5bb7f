/** The meter adds up what the tracer finds: loads of links, and of each port of each group. */
import { expect, it } from "vitest";
import { addLoads } from "../../../src/fabric/paths/flows.js";
import { directedLink, FlowTracer, SpreadMeter } from "../../../src/fabric/paths/index.js";
import { schemeNamed } from "../../../src/fabric/schemes/index.js";
import { build } from "../topology/load.js";
import { randomFlows } from "./packet-walk.js";

it("gives the groups of ToRs the loads of their uplinks, and counts flows and weights", () => {
  const topology = build({ kind: "leaf_spine", tors: 3, leaves: 4, homing: "single", hosts_per_rack: 2 });
  const scheme = schemeNamed("hashing")!;
  const parameters = scheme.parameters.parse({ design: "per_stage", weights: [2, 1] });
  const tracer = new FlowTracer(topology, scheme.plan(topology, parameters).pathModel!());
  const meter = new SpreadMeter(tracer);
  const flows = randomFlows(topology, 2000, 3);
  const weights = Float64Array.from({ length: flows.size }, (_, flow) => 1 + (flow % 5));
  meter.add(flows, weights);
  const loads = new Float64Array(2 * topology.links.length);
  expect(addLoads(tracer.of(flows), flows.size, loads, weights)).toBe(0);
  expect(meter.lost).toBe(0);
  expect([...meter.links]).toEqual([...loads]);
  const groups = meter.groups();
  expect(groups.map(({ node }) => topology.nodes[node]!.role)).toEqual(["tor", "tor", "tor"]);
  const rackOf = (node: number) => topology.nodes[node]!.host!.rack;
  for (const { node, ports, slots, loads: own, wanted, flows: seen } of groups) {
    expect([slots, ports.length, wanted]).toEqual([6, 4, [2, 2, 1, 1]]);
    expect(own).toEqual(ports.map((port) => loads[directedLink(topology, node, port)]));
    const leaving = Array.from({ length: flows.size }, (_, flow) => flow).filter(
      (flow) =>
        topology.racks[rackOf(flows.source[flow]!)]!.switches.includes(node) &&
        rackOf(flows.destination[flow]!) !== rackOf(flows.source[flow]!),
    );
    expect(seen).toBe(leaving.length);
    // The first two ports have twice the weight.
    expect((own[0]! + own[1]!) / (own[2]! + own[3]!)).toBeGreaterThan(1.6);
    expect((own[0]! + own[1]!) / (own[2]! + own[3]!)).toBeLessThan(2.5);
  }
});

it("wants the shares of the slots where the choice names no others", () => {
  const topology = build({ kind: "leaf_spine", tors: 3, leaves: 4, homing: "single", hosts_per_rack: 2 });
  const scheme = schemeNamed("ecmp")!;
  const model = scheme.plan(topology, scheme.parameters.parse({})).pathModel!();
  const wantedOf = (wanted: readonly number[] | undefined) => {
    const switches = model.switches.map((own) => ({
      ...own,
      choices: own.choices.map(({ wanted: _, ...choice }) =>
        wanted === undefined ? choice : { ...choice, wanted },
      ),
    }));
    const meter = new SpreadMeter(new FlowTracer(topology, { ...model, switches }));
    const flows = randomFlows(topology, 200, 3);
    meter.add(flows, new Float64Array(flows.size).fill(1));
    return meter.groups().map((group) => group.wanted);
  };
  const slots = wantedOf(undefined);
  expect(slots).toHaveLength(3);
  for (const own of slots) expect([own.length, new Set(own).size]).toEqual([4, 1]);
  expect(wantedOf([4, 3, 2, 1])).toEqual(Array.from({ length: 3 }, () => [4, 3, 2, 1]));
});
