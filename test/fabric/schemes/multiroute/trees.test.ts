/** Routes of any graph: as many as a max-flow of the test's own finds, nothing in common, and no loop whatever the selector. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rowsOfChoice, switchChoices } from "../../../../src/fabric/schemes/multiroute/choices.js";
import { elementsOf, packTrees } from "../../../../src/fabric/schemes/multiroute/trees.js";
import { type Topology, withLinksDown } from "../../../../src/fabric/topology/index.js";
import { example } from "../../topology/load.js";
import { clos, randomGraph } from "./graphs.js";

/** Paths without a common switch or link between two racks, by the method of Ford and Fulkerson on split switches. */
function maxFlow({ nodes, racks, down }: Topology, from: number, to: number, without?: number): number {
  const goals = racks[to]!.switches;
  const starts = racks[from]!.switches;
  const used = new Map<string, number>();
  const room = new Map<string, number>();
  const next = new Map<string, string[]>();
  const arc = (a: string, b: string, most: number) => {
    room.set(`${a}>${b}`, (room.get(`${a}>${b}`) ?? 0) + most);
    for (const [x, y] of [[a, b] as const, [b, a] as const]) {
      const list = next.get(x) ?? [];
      if (!list.includes(y)) list.push(y);
      next.set(x, list);
    }
  };
  const isAlone = (node: number) =>
    (starts.length === 1 && starts[0] === node) || (goals.length === 1 && goals[0] === node);
  for (const { index, role, ports } of nodes) {
    if (role === "host" || index === without) continue;
    arc(`in${index}`, `out${index}`, isAlone(index) ? 1000 : 1);
    for (const { peer, link } of ports)
      if (nodes[peer]!.role !== "host" && peer !== without && !down?.has(link) && ~link !== without)
        if (!goals.includes(index)) arc(`out${index}`, `in${peer}`, 1);
  }
  for (const start of starts) if (start !== without) arc("source", `in${start}`, 1000);
  for (const goal of goals) if (goal !== without) arc(`out${goal}`, "sink", 1000);
  const free = (a: string, b: string) =>
    (room.get(`${a}>${b}`) ?? 0) - (used.get(`${a}>${b}`) ?? 0) + (used.get(`${b}>${a}`) ?? 0);
  for (let flow = 0; ; flow++) {
    const by = new Map([["source", ""]]);
    for (const vertex of by.keys())
      for (const peer of next.get(vertex) ?? [])
        if (!by.has(peer) && free(vertex, peer) > 0) by.set(peer, vertex);
    if (!by.has("sink")) return flow;
    for (let at = "sink"; at !== "source"; at = by.get(at)!) {
      const back = `${at}>${by.get(at)}`;
      if ((used.get(back) ?? 0) > 0) used.set(back, used.get(back)! - 1);
      else used.set(`${by.get(at)}>${at}`, (used.get(`${by.get(at)}>${at}`) ?? 0) + 1);
    }
  }
}

function expectDisjoint(topology: Topology, paths: number): void {
  const trees = packTrees(topology, { paths, selectors: 1000 });
  expect(trees.short).toEqual([]);
  for (const [to, { from }] of trees.to.entries())
    for (const [rack, routes] of from.entries()) {
      if (rack === to) continue;
      const flow = maxFlow(topology, rack, to);
      const bound = Math.min(flow, paths);
      const list = routes.map((route) => elementsOf(topology, route));
      // Where one element separates the racks there may be a second route that differs elsewhere.
      if (flow === 1) expect([1, 2]).toContain(routes.length);
      else expect(routes.length).toBe(bound);
      expect(new Set(routes.map(({ selector }) => selector)).size).toBe(routes.length);
      for (const [i, one] of list.entries()) {
        expect(new Set(one).size).toBe(one.length);
        for (const other of list.slice(0, i))
          for (const element of one.filter((own) => other.includes(own)))
            expect(maxFlow(topology, rack, to, element)).toBe(0);
      }
    }
}

/** Follows every selector from every switch to every rack, by all ports that the hash may choose. */
function expectNoLoop(topology: Topology, original = topology): void {
  const trees = packTrees(original, { paths: 3, selectors: 1000 });
  const switches = new Map(switchChoices(topology, trees, original).map((own) => [own.node, own]));
  for (const { index: rack, hosts, switches: goals } of topology.racks) {
    if (hosts.length === 0) continue;
    for (let selector = 0; selector <= trees.selectors; selector++) {
      const done = new Set(goals);
      const visit = (node: number, before: ReadonlySet<number>): void => {
        if (done.has(node)) return;
        expect(before.has(node)).toBe(false);
        const { of, choices } = switches.get(node)!;
        const choice = of[rack]! >= 0 ? choices[of[rack]!]! : undefined;
        for (const port of choice === undefined ? [] : rowsOfChoice(choice)[selector]!) {
          const { peer, link } = topology.nodes[node]!.ports[port - 1]!;
          expect(topology.down?.has(link)).not.toBe(true);
          visit(peer, new Set([...before, node]));
        }
        done.add(node);
      };
      for (const node of switches.keys()) visit(node, new Set());
    }
  }
}

const graphs = fc
  .record({ seed: fc.nat(10_000), switches: fc.integer({ min: 2, max: 12 }), extra: fc.nat(14) })
  .map(({ seed, switches, extra }) => randomGraph(seed, switches, extra, switches));
const fabrics = fc
  .record({
    seed: fc.nat(10_000),
    homing: fc.constantFrom("single", "dual"),
    wiring: fc.constantFrom("planes", "mesh"),
    missing: fc.constantFrom(0, 0.05, 0.1, 0.3),
  })
  .map(({ seed, missing, ...own }) =>
    clos(seed, { ...own, pods: 2, tors_per_pod: 4, leaves_per_pod: 3, spines_per_plane: 2 }, missing),
  );

describe("routes of a pair of racks", () => {
  it.each([
    ["random graphs", graphs, 50],
    ["Clos fabrics with missing links", fabrics, 20],
  ] as const)("%s: share what every route has to cross, and nothing else", (_, topologies, numRuns) => {
    fc.assert(fc.property(topologies, fc.constantFrom(2, 4, 16), expectDisjoint), {
      numRuns,
      seed: 20261122,
    });
  });

  it.each(["hyperx", "jellyfish", "square"])("%s", (name) => {
    expectDisjoint(example(name), 16);
  });

  it("are too many for the selectors in some pairs, which are named", () => {
    const topology = example("dring");
    const { short, to } = packTrees(topology, { paths: 4, selectors: 3 });
    expect(short.length).toBeGreaterThan(0);
    for (const { from, to: rack, missing } of short) expect(to[rack]!.from[from]!.length).toBe(4 - missing);
  });
});

describe("packets", () => {
  it("never go round in circles, whatever their selector and the hash", () => {
    fc.assert(
      fc.property(fc.oneof(graphs, fabrics), (topology) => expectNoLoop(topology)),
      {
        numRuns: 35,
        seed: 20261122,
      },
    );
  });

  it("never do while links are down", () => {
    fc.assert(
      fc.property(
        fc.oneof(graphs, fabrics),
        fc.array(fc.nat(60), { minLength: 1, maxLength: 4 }),
        (topology, down) => {
          const links = topology.links.length;
          expectNoLoop(
            withLinksDown(
              topology,
              down.map((link) => link % links),
            ),
            topology,
          );
        },
      ),
      { numRuns: 35, seed: 20261122 },
    );
  });
});
