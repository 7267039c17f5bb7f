/** Probes over exact next hops, and the solver that names what loses them. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../src/base/index.js";
import {
  ExactWalker,
  elementsOf,
  emptyFlows,
  FlowTracer,
  linksBetweenSwitches,
  MAX_LINKS,
  type NetworkElement,
  RouteFinder,
} from "../../../src/fabric/paths/index.js";
import { LossSolver } from "../../../src/fabric/paths/loss-solver.js";
import { schemeNamed } from "../../../src/fabric/schemes/index.js";
import { hostsOf, withLinksDown } from "../../../src/fabric/topology/index.js";
import { build } from "../topology/load.js";

const modelOf = (topology: ReturnType<typeof build>, name: string, given: object) => {
  const scheme = schemeNamed(name)!;
  return scheme.plan(topology, scheme.parameters.parse(given)).pathModel!();
};

const isSame = (one: NetworkElement) => (other: NetworkElement) =>
  one.kind === other.kind && one.number === other.number;

/** ln of the integral of p^(lost - 1) (1 - p)^(sent - lost) over p from 0 to 1, as a sum. */
function logBeta(lost: number, sent: number): number {
  const factorial = (n: number) =>
    Array.from({ length: n }, (_, i) => Math.log(i + 1)).reduce((a, b) => a + b, 0);
  return factorial(lost - 1) + factorial(sent - lost) - factorial(sent);
}

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

describe.each(FABRICS)("covers of a %s", (_, topology) => {
  const walker = new ExactWalker(
    topology,
    modelOf(topology, "pecmp", { control: "both", field: "dscp_flow_label" }),
  );
  const finder = new RouteFinder(topology, walker);
  const wanted = linksBetweenSwitches(topology);

  it("have a route through every directed link between switches, which its selector names", () => {
    for (const link of wanted) {
      const route = finder.through(link, new Random(link))!;
      expect(route.links).toContain(link);
      const all = walker.all(route.source, route.destination);
      expect(all).toContainEqual(route);
    }
  });

  it("cross all of them with less than twice the fewest routes that could", () => {
    for (let seed = 0; seed < 5; seed++) {
      const routes = finder.cover(new Random(seed));
      const crossed = new Set(routes.flatMap(({ links }) => links));
      expect(wanted.filter((link) => !crossed.has(link))).toEqual([]);
      // A route crosses four links between switches at most.
      expect(routes.length).toBeLessThan(wanted.length / 2);
    }
  });
});

it("covers leave out a link that no shortest path uses, and links that are down", () => {
  const topology = build({
    kind: "graph",
    nodes: [
      ...["a", "b", "c"].map((name) => ({ name, role: "switch" as const })),
      ...["x", "y"].map((name) => ({ name, role: "host" as const })),
    ],
    links: [
      { a: "a", b: "b" },
      { a: "a", b: "c" },
      { a: "c", b: "b" },
      { a: "x", b: "a" },
      { a: "y", b: "b" },
    ],
  });
  // No choice anywhere: every scheme names the only next hop.
  const walker = new ExactWalker(topology, modelOf(topology, "ecmp", {}));
  const finder = new RouteFinder(topology, walker);
  expect(linksBetweenSwitches(topology)).toHaveLength(6);
  const routes = finder.cover(new Random(1));
  expect(new Set(routes.flatMap(({ switches }) => switches)).size).toBe(2);
  expect(routes).toHaveLength(2);
  const without = withLinksDown(topology, [0]);
  expect(linksBetweenSwitches(without)).toHaveLength(4);
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
      : route.links.some((link) => (kind.endsWith("link") ? link >> 1 : link) === number);

  it("names every single dead switch, link and direction, with all ways probed twice", () => {
    // Links between switches, and links of hosts.
    expect(elements).toHaveLength(20 + 3 * 32 + 3 * 16);
    for (const failed of elements) {
      const solver = new LossSolver(topology);
      for (let round = 0; round < 2; round++)
        for (const route of routes) solver.add(route.links, !crosses(route, failed));
      expect(solver.judge()).toMatchObject({ element: failed, loss: 1 });
      expect(solver.judge().confidence).toBeGreaterThan(0.999);
    }
  });

  it("names a link that loses a tenth, with the share that it loses", () => {
    const failed = elements.find(({ kind }) => kind === "link")!;
    const solver = new LossSolver(topology);
    const random = new Random(5);
    for (let round = 0; round < 8; round++)
      for (const route of routes) solver.add(route.links, !crosses(route, failed) || random.float() >= 0.1);
    const { element, confidence, loss } = solver.judge();
    expect([element, confidence > 0.99]).toEqual([failed, true]);
    expect(Math.abs(loss - 0.1)).toBeLessThan(0.03);
  });

  it("gives every element the confidence of the definition, whichever probes are lost", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ route: fc.nat(routes.length - 1), lost: fc.boolean() }), { maxLength: 60 }),
        (probes) => {
          const solver = new LossSolver(topology);
          for (const { route, lost } of probes) solver.add(routes[route]!.links, !lost);
          const { suspects, element, confidence } = solver.judge();
          const sizeOf = (own: NetworkElement) => elements.filter(({ kind }) => kind === own.kind).length;
          const logs = [...elements, undefined].map((own) => {
            const prior = own === undefined ? 0 : -Math.log(sizeOf(own));
            const crossing = probes.filter(({ route }) => own !== undefined && crosses(routes[route]!, own));
            const lost = crossing.filter((probe) => probe.lost).length;
            const elsewhere = probes.filter((probe) => probe.lost).length - lost;
            const noise = elsewhere * Math.log(1e-9);
            const shares = lost === 0 ? 0 : logBeta(lost, crossing.length) - Math.log(Math.log(1e4));
            return prior + noise + shares;
          });
          const most = Math.max(...logs);
          const sum = logs.reduce((all, log) => all + Math.exp(log - most), 0);
          const share = (log: number) => Math.exp(log - most) / sum;
          for (const suspect of suspects)
            expect(suspect.confidence).toBeCloseTo(
              share(logs[elements.findIndex(isSame(suspect.element))]!),
              6,
            );
          expect(confidence).toBeCloseTo(share(most), 6);
          if (element === undefined) expect(logs.at(-1)).toBeCloseTo(most, 6);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("names nothing where the noise explains the losses better, by the closed form", () => {
    const route = routes.find(({ links }) => links.length === 6)!;
    const [sent, lost, noise] = [64, 32, 0.35];
    const solver = new LossSolver(topology, noise);
    for (let i = 0; i < sent; i++) solver.add(route.links, i >= lost);
    // Twenty switches, 32 links and 64 directions between them, 16 links of hosts with 32 directions; the route crosses five
    // switches with four links between them, and two links of hosts.
    const priors = 5 / 20 + 4 / 32 + 4 / 64 + 2 / 16 + 2 / 32;
    const none = lost * Math.log(noise) + (sent - lost) * Math.log(1 - noise);
    const share = Math.exp(logBeta(lost, sent) - Math.log(Math.log(1e4)) - none);
    const sum = 6 - priors + priors * share;
    const { element, confidence, loss, suspects } = solver.judge();
    expect([element, loss, suspects.length]).toEqual([undefined, 0, 17]);
    expect(confidence).toBeCloseTo(1 / sum, 9);
    for (const suspect of suspects) {
      const prior = {
        switch: 1 / 20,
        link: 1 / 32,
        direction: 1 / 64,
        host_link: 1 / 16,
        host_direction: 1 / 32,
      }[suspect.element.kind];
      expect(suspect.confidence / (prior * share)).toBeCloseTo(1 / sum, 9);
    }
  });

  it("counts a probe that comes back on the same links once for each element", () => {
    const { links } = routes.find((route) => route.links.length === 6)!;
    const back = [...links].reverse().map((link) => link ^ 1);
    const solver = new LossSolver(topology);
    for (let i = 0; i < 4; i++) solver.add([...links, ...back], i < 2);
    const { element, loss } = solver.judge();
    // Of all elements on the way the 16 links of hosts have the greatest prior.
    expect([element?.kind, loss]).toEqual(["host_link", 0.5]);
  });

  it("names nothing without a loss, and neither of two elements that probes do not distinguish", () => {
    const solver = new LossSolver(topology);
    for (const route of routes.slice(0, 100)) solver.add(route.links, true);
    expect(solver.judge().element).toBeUndefined();
    const route = routes.find(({ links }) => links.length === 6);
    const lost = new LossSolver(topology);
    lost.add(route!.links, false);
    expect(lost.judge().confidence).toBeLessThan(0.5);
  });
});
