/** Probes over exact next hops, and the solver that names what loses them. */
import { describe, expect, it } from "vitest";
import { Random } from "../../src/base/index.js";
import {
  ExactWalker,
  elementsOf,
  emptyFlows,
  FlowTracer,
  LossSolver,
  MAX_LINKS,
} from "../../src/paths/index.js";
import { schemeNamed } from "../../src/schemes/index.js";
import { hostsOf } from "../../src/topology/index.js";
import { build } from "../topology/load.js";

const modelOf = (topology: ReturnType<typeof build>, name: string, given: object) => {
  const scheme = schemeNamed(name)!;
  return scheme.plan(topology, scheme.parameters.parse(given)).pathModel!();
};

const FABRICS = [
  ["fat tree", build({ kind: "fat_tree", k: 4 }), 4],
  [
    "dual-homed Clos",
    build({
      kind: "clos",
      pods: 3,
      tors_per_pod: 2,
      leaves_per_pod: 2,
      spines_per_plane: 3,
      hosts_per_rack: 2,
    }),
    24,
  ],
] as const;

describe.each(FABRICS)("routes by exact next hops in a %s", (_, topology, ways) => {
  const model = modelOf(topology, "pecmp", { control: "both", field: "dscp_flow_label" });
  const walker = new ExactWalker(topology, model);
  const hosts = hostsOf(topology);
  const [source, destination] = [hosts[0]!, hosts.at(-1)!];

  it("are all ways between two hosts, each once", () => {
    expect(walker.isExact).toBe(true);
    const routes = walker.all(source.index, destination.index);
    expect(routes).toHaveLength(ways);
    expect(new Set(routes.map(({ links }) => links.join())).size).toBe(ways);
  });

  it("are the ways of packets with these selectors, whatever their ports hash to", () => {
    const routes = walker.all(source.index, destination.index);
    const random = new Random(3);
    const size = routes.length;
    const flows = { ...emptyFlows(size, 6), selector: new Uint32Array(size), nic: new Uint8Array(size) };
    for (const [i, { selector, nic }] of routes.entries()) {
      flows.source[i] = source.index;
      flows.destination[i] = destination.index;
      flows.sourcePort[i] = random.int(65_536);
      flows.destinationPort[i] = random.int(65_536);
      flows.selector[i] = selector;
      flows.nic[i] = nic;
    }
    const traced = new FlowTracer(topology, model).of(flows);
    const out = new Int32Array(MAX_LINKS);
    for (const [i, { links }] of routes.entries())
      expect([...out.subarray(0, traced.linksOf(i, out))]).toEqual([...links]);
  });

  it("are none where hashes alone choose", () => {
    expect(new ExactWalker(topology, modelOf(topology, "ecmp", {})).isExact).toBe(false);
  });
});

describe("the solver", () => {
  const topology = build({ kind: "fat_tree", k: 4 });
  const elements = elementsOf(topology);
  const walker = new ExactWalker(
    topology,
    modelOf(topology, "pecmp", { control: "both", field: "dscp_flow_label" }),
  );
  const hosts = hostsOf(topology);
  const routes = hosts.flatMap(({ index: from }) =>
    hosts.flatMap(({ index: to }) => (from === to ? [] : walker.all(from, to))),
  );
  const crosses = (route: (typeof routes)[number], { kind, number }: (typeof elements)[number]) =>
    kind === "switch"
      ? route.switches.includes(number)
      : route.links.some((link) => (kind === "link" ? link >> 1 : link) === number);

  it("names every single dead switch, link and direction, with all ways probed twice", () => {
    expect(elements).toHaveLength(20 + 3 * 32);
    for (const failed of elements) {
      const solver = new LossSolver(elements);
      for (let round = 0; round < 2; round++)
        for (const route of routes) solver.add(route.links, route.switches, !crosses(route, failed));
      expect(solver.verdict()).toMatchObject({ element: failed, loss: 1 });
      expect(solver.verdict().confidence).toBeGreaterThan(0.999);
    }
  });

  it("names a link that loses a tenth, with the share that it loses", () => {
    const failed = elements.find(({ kind }) => kind === "link")!;
    const solver = new LossSolver(elements);
    const random = new Random(5);
    for (let round = 0; round < 8; round++)
      for (const route of routes)
        solver.add(route.links, route.switches, !crosses(route, failed) || random.float() >= 0.1);
    const { element, confidence, loss } = solver.verdict();
    expect([element, confidence > 0.99]).toEqual([failed, true]);
    expect(Math.abs(loss - 0.1)).toBeLessThan(0.03);
  });

  it("names nothing where nothing is lost, and no one of two that probes do not tell apart", () => {
    const solver = new LossSolver(elements);
    for (const route of routes.slice(0, 100)) solver.add(route.links, route.switches, true);
    expect(solver.verdict().element).toBeUndefined();
    const route = routes.find(({ links }) => links.length === 6);
    const lost = new LossSolver(elements);
    lost.add(route!.links, route!.switches, false);
    expect(lost.verdict().confidence).toBeLessThan(0.5);
  });
});
