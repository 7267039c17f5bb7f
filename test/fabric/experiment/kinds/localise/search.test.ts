/**
 * What a search may say, over drawn topologies and faults: with one fault the element, or a set of elements that no probe can tell
 * apart; with two faults, that it is not one. The sets are compared with all routes of a fabric, each counted by itself.
 */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../../src/base/index.js";
import { searchFor } from "../../../../../src/fabric/experiment/kinds/localise/outcome.js";
import { CoverProbes } from "../../../../../src/fabric/experiment/kinds/localise/probes.js";
import {
  ExactWalker,
  elementsOf,
  Localiser,
  type NetworkElement,
  RouteFinder,
} from "../../../../../src/fabric/paths/index.js";
import { Twins } from "../../../../../src/fabric/paths/twins.js";
import { schemeNamed } from "../../../../../src/fabric/schemes/index.js";
import { hostsOf, type Topology } from "../../../../../src/fabric/topology/index.js";
import { build } from "../../../topology/load.js";

function fabricOf(topology: Topology) {
  const scheme = schemeNamed("pecmp")!;
  const parameters = scheme.parameters.parse({ control: "both", field: "dscp_flow_label" });
  const model = scheme.plan(topology, parameters).pathModel!();
  const walker = new ExactWalker(topology, model);
  const pool = new CoverProbes(new RouteFinder(topology, walker), new Random(5));
  return { topology, model, walker, pool, elements: elementsOf(topology) };
}

const FABRICS = [
  ["fat tree", fabricOf(build({ kind: "fat_tree", k: 4 }))],
  [
    "three pods",
    fabricOf(
      build({
        kind: "clos",
        pods: 3,
        tors_per_pod: 2,
        leaves_per_pod: 2,
        spines_per_plane: 3,
        hosts_per_rack: 3,
      }),
    ),
  ],
  [
    "two pods",
    fabricOf(
      build({
        kind: "clos",
        pods: 2,
        tors_per_pod: 2,
        leaves_per_pod: 3,
        spines_per_plane: 2,
        hosts_per_rack: 3,
      }),
    ),
  ],
  [
    "dual-homed",
    fabricOf(build({ kind: "leaf_spine", tors: 4, leaves: 4, homing: "dual", hosts_per_rack: 3 })),
  ],
] as const;
type Fabric = (typeof FABRICS)[number][1];

const isIn = (list: readonly NetworkElement[], { kind, number }: NetworkElement) =>
  list.some((one) => one.kind === kind && one.number === number);

/** Results of searches, each with this number of drawn faults. */
async function searches(
  { topology, model, pool, elements }: Fabric,
  kinds: readonly NetworkElement["kind"][],
  count: number,
  loss: number,
  runs = 20,
) {
  const results = { right: 0, set: 0, wrong: 0, several: 0, open: 0 };
  for (let i = 0; i < runs; i++) {
    const random = new Random(`${kinds.join()} ${count} ${loss} ${i}`);
    const failed: { element: NetworkElement; loss: number }[] = [];
    while (failed.length < count) {
      const kind = random.pick(kinds);
      const element = random.pick(elements.filter((one) => one.kind === kind));
      if (!failed.some((one) => one.element === element)) failed.push({ element, loss });
    }
    const localiser = new Localiser(new Twins(topology, model, false), { confidence: 0.99 });
    const routes = pool.routes(random);
    const next: Parameters<typeof searchFor>[2]["next"] = (suspects) => routes(suspects).links;
    const most = count === 0 ? 1000 : 6000;
    const { finding } = await searchFor(topology, failed, {
      localiser,
      next,
      random: random.fork("loss"),
      most,
    });
    if (finding.kind !== "named") results[finding.kind]++;
    else if (finding.pairs.some((pair) => failed.every(({ element }) => isIn(pair, element)))) results.set++;
    else if (!failed.some(({ element }) => isIn(finding.elements, element))) {
      // Both directions of a link are the link.
      const [one, other] = failed.map(({ element }) => element);
      const isLink =
        one?.kind === "direction" &&
        other?.kind === "direction" &&
        one.number >> 1 === other.number >> 1 &&
        isIn(finding.elements, { ...one, kind: "link", number: one.number >> 1 });
      results[isLink ? "right" : "wrong"]++;
    } else results[finding.elements.length === 1 ? "right" : "set"]++;
  }
  return results;
}

const INNER = ["switch", "link", "direction"] as const;

describe.each(FABRICS)("a search in a fabric: %s", (name, fabric) => {
  it("finds nothing where nothing is lost", async () => {
    expect(await searches(fabric, INNER, 0, 1)).toMatchObject({ open: 20 });
  });

  it("names what has failed, or a set with it", async () => {
    const { right, set } = await searches(fabric, INNER, 1, 1);
    expect(right + set).toBe(20);
    if (name !== "two pods") expect(set).toBe(0);
    else expect(set).toBeGreaterThan(5);
  });

  it("names what loses a fifth of the packets, and is wrong now and then as its confidence says", async () => {
    const { right, set } = await searches(fabric, INNER, 1, 0.2);
    expect(right + set).toBeGreaterThanOrEqual(18);
  });

  it("names the link of a host that is dead or loses packets, not its switch", async () => {
    expect((await searches(fabric, ["host_link", "host_direction"], 1, 1)).right).toBe(20);
    expect((await searches(fabric, ["host_link", "host_direction"], 1, 0.3)).right).toBeGreaterThanOrEqual(
      19,
    );
  });

  it("does not name a healthy element where two have failed: it says that this is not one fault", async () => {
    let healthy = 0;
    for (const loss of [1, 0.2]) {
      const { several, wrong } = await searches(fabric, INNER, 2, loss, 40);
      healthy += wrong;
      expect(several).toBeGreaterThanOrEqual(20);
    }
    expect(healthy).toBeLessThanOrEqual(1);
  });

  it("does not name the switch where two links of its hosts are dead", async () => {
    const { several, wrong } = await searches(fabric, ["host_link"], 2, 1, 40);
    expect(wrong).toBeLessThanOrEqual(1);
    expect(several).toBeGreaterThanOrEqual(20);
  });
});

describe.each(FABRICS)("elements that no probe can tell apart: %s", (_name, fabric) => {
  const { topology, model, walker, elements } = fabric;
  const hosts = hostsOf(topology);
  const rackOf = (node: number) => topology.nodes[node]!.host!.rack;
  const crosses = (links: readonly number[], { kind, number }: NetworkElement) =>
    links.some((link) => {
      const { a, b } = topology.links[link >> 1]!;
      if (kind === "switch") return ((link & 1) === 0 ? b : a).node === number;
      return (kind === "link" || kind === "host_link" ? link >> 1 : link) === number;
    });
  const routes = hosts.flatMap(({ index: from }) =>
    hosts.flatMap(({ index: to }) => (rackOf(from) === rackOf(to) ? [] : walker.all(from, to))),
  );

  it.each([false, true])(
    "are those that every route crosses together; probes are answered: %s",
    (isAnswered) => {
      const twins = new Twins(topology, model, isAnswered);
      const bitsOf = (element: NetworkElement) =>
        routes.map(({ links }) => (crosses(links, element) ? 1 : 0)).join("");
      // A probe with its answer is a route and any route back: it crosses an element where one of the two does.
      const back = new Map<string, number[]>();
      for (const [i, { source, destination }] of routes.entries()) {
        const key = `${destination} ${source}`;
        back.set(key, [...(back.get(key) ?? []), i]);
      }
      const together = (a: string, b: string) => {
        if (!isAnswered) return a === b;
        return routes.every(({ source, destination }, i) =>
          (back.get(`${source} ${destination}`) ?? []).every(
            (j) => (a[i] === "1" || a[j] === "1") === (b[i] === "1" || b[j] === "1"),
          ),
        );
      };
      const random = new Random(3);
      const drawn = Array.from({ length: 60 }, () => [random.pick(elements), random.pick(elements)] as const);
      // Neighbours are the interesting ones.
      const near = elements.slice(0, -1).map((element, i) => [element, elements[i + 1]!] as const);
      // A switch, and two of its links: they are all of its links, or not.
      const linksOf = ({ number }: NetworkElement) =>
        elements.filter(
          (one) =>
            (one.kind === "link" || one.kind === "host_link") &&
            [topology.links[one.number]!.a.node, topology.links[one.number]!.b.node].includes(number),
        );
      const parts = elements
        .filter(({ kind }) => kind === "switch")
        .map((one) => [[one], random.shuffle(linksOf(one)).slice(0, 2)] as const);
      const unionOf = (set: readonly NetworkElement[]) => {
        const all = set.map(bitsOf);
        return [...all[0]!].map((_, i) => (all.some((bits) => bits[i] === "1") ? "1" : "0")).join("");
      };
      const pairs = [...drawn, ...random.shuffle(near).slice(0, 60)]
        .filter(([a, b]) => a !== b)
        .map(([a, b]) => [[a], [b]] as const);
      for (const [a, b] of [...pairs, ...parts]) {
        const names = [a, b].map((set) => set.map(({ name }) => name).join());
        expect([...names, twins.areTwins(a, b)]).toEqual([...names, together(unionOf(a), unionOf(b))]);
      }
    },
  );
});
