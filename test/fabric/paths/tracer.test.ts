/** The tracer finds the links that packets take through the compiled programs. */
import { describe, expect, it } from "vitest";
import { addLoads } from "../../../src/fabric/paths/flows.js";
import { directedLink, emptyFlows, FlowTracer, MAX_LINKS } from "../../../src/fabric/paths/index.js";
import { schemeNamed } from "../../../src/fabric/schemes/index.js";
import { example, messagesOf } from "../topology/load.js";
import { PacketWalk, randomFlows } from "./packet-walk.js";

const CASES: readonly [topology: string, scheme: string, parameters: object, version: 4 | 6][] = [
  ["clos", "ecmp", {}, 4],
  ["clos", "ecmp", { seed_scope: "switch" }, 6],
  ["clos", "prr", {}, 4],
  ["clos", "prr", { field: "flow_label" }, 6],
  ["clos", "pecmp", {}, 4],
  ["clos", "pecmp", { control: "both", field: "vlan", version_bit: "overall" }, 4],
  ["asymmetric", "wcmp", {}, 4],
  ["fat-tree", "ecmp", { hash: { leaf: { down: { function: "crc16", order: "forward" } } } }, 4],
  ["leaf-spine", "wcmp", {}, 6],
  ["hyperx", "ecmp", { seed_scope: "switch" }, 4],
  ["dring", "pecmp", {}, 4],
  ["dring", "multiroute", {}, 4],
  ["jellyfish", "multiroute", { field: "flow_label" }, 6],
  ["asymmetric", "multiroute", { paths: 2 }, 4],
  ["jellyfish", "prr", {}, 4],
  ["clos", "clove", {}, 4],
  ["leaf-spine", "clove", { field: "flow_label" }, 6],
  ["square", "ecmp", {}, 4],
  ["jupiter", "ecmp", {}, 4],
  ["jupiter", "hashing", { design: "recombining" }, 4],
  ["jupiter", "hashing", { design: "per_stage", chip: "rtag7" }, 6],
  ["spineless", "hashing", { design: "coprime", routing: "transit", sizes: [16, 57] }, 4],
  ["spineless", "hashing", { design: "one", chip: "ideal", seeds: "switch", weights: [2, 1] }, 4],
  ["stargate", "hashing", { design: "random", chip: ["crc16/0x8BB7", "crc-32/iscsi", "rtag7/xor16"] }, 4],
];

describe("paths are those of packets through the compiled programs", () => {
  it.each(CASES)("%s under %s %o, IPv%i", async (name, schemeName, parameters, version) => {
    const topology = example(name);
    const scheme = schemeNamed(schemeName)!;
    const plan = scheme.plan(topology, scheme.parameters.parse(parameters));
    const flows = randomFlows(topology, 150, 7, version);
    const source = new FlowTracer(topology, plan.pathModel!()).of(flows);
    const walk = new PacketWalk(topology, plan);
    const links = new Int32Array(MAX_LINKS);
    const used = new Set<number>();
    for (let flow = 0; flow < flows.size; flow++) {
      const count = source.linksOf(flow, links);
      const packets = await walk.linksOf(flows, flow);
      expect([flow, ...links.subarray(0, Math.max(0, count))]).toEqual([flow, ...packets]);
      expect(packets.length).toBeGreaterThan(1);
      for (const link of packets) used.add(link);
    }
    expect(used.size).toBeGreaterThan(topology.links.length / 2);
  });
});

describe("tracer", () => {
  it("numbers a link by its ends: a to b even, b to a odd", () => {
    const topology = example("square");
    for (const { index, a, b } of topology.links) {
      expect(directedLink(topology, a.node, a.port)).toBe(2 * index);
      expect(directedLink(topology, b.node, b.port)).toBe(2 * index + 1);
    }
  });

  it("adds 1 for each flow without weights, and refuses fewer weights than flows", () => {
    const topology = example("square");
    const linksOf = (flow: number, out: Int32Array): number => {
      out.fill(flow);
      return flow === 2 ? -1 : 2;
    };
    const source = { linksOf };
    const loads = new Float64Array(2 * topology.links.length);
    expect([addLoads(source, 4, loads), ...loads.subarray(0, 5)]).toEqual([1, 2, 2, 0, 2, 0]);
    expect(messagesOf(() => addLoads(source, 4, loads, Float64Array.of(1, 1, 1)))).toContain(
      "error[P45200]: 3 weights for 4 flows",
    );
    expect(addLoads(source, 4, loads, Float64Array.of(5, 1, 1, 3))).toBe(1);
    expect([...loads.subarray(0, 5)]).toEqual([12, 4, 0, 8, 0]);
  });

  it("refuses a flow from a switch or to one, wherever it stands", () => {
    const topology = example("square");
    const scheme = schemeNamed("ecmp")!;
    const tracer = new FlowTracer(topology, scheme.plan(topology, scheme.parameters.parse({})).pathModel!());
    const hosts = topology.nodes.flatMap(({ index, host }) => (host === undefined ? [] : [index]));
    const other = topology.nodes.find(({ host }) => host === undefined)!.index;
    for (const wrong of [other, -1, 1000])
      for (const column of ["source", "destination"] as const) {
        const flows = emptyFlows(3);
        flows.source.fill(hosts[0]!);
        flows.destination.fill(hosts[1]!);
        expect(tracer.of(flows).linksOf(2, new Int32Array(MAX_LINKS))).toBeGreaterThan(0);
        flows[column][2] = wrong;
        expect(messagesOf(() => tracer.of(flows))).toContain(`flow 2: node ${wrong} is no host`);
      }
  });

  it("refuses a flow from a switch", () => {
    const topology = example("square");
    const scheme = schemeNamed("ecmp")!;
    const tracer = new FlowTracer(topology, scheme.plan(topology, scheme.parameters.parse({})).pathModel!());
    const flows = emptyFlows(1);
    flows.source[0] = 2;
    expect(messagesOf(() => tracer.of(flows))).toContain("error[P45200]: flow 0: node 2 is no host");
  });
});
