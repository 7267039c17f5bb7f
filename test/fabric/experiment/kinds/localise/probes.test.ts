/** Which routes the probes of a search take, and when the search looks at their results. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../../src/base/index.js";
import { linksInto, searchFor } from "../../../../../src/fabric/experiment/kinds/localise/outcome.js";
import { CoverProbes } from "../../../../../src/fabric/experiment/kinds/localise/probes.js";
import {
  ExactWalker,
  elementsOf,
  type Localiser,
  RouteFinder,
} from "../../../../../src/fabric/paths/index.js";
import { schemeNamed } from "../../../../../src/fabric/schemes/index.js";
import { build } from "../../../topology/load.js";

const topology = build({ kind: "leaf_spine", tors: 2, leaves: 2, homing: "single", hosts_per_rack: 6 });
const scheme = schemeNamed("pecmp")!;
const parameters = scheme.parameters.parse({ control: "both", field: "dscp_flow_label" });
const walker = new ExactWalker(topology, scheme.plan(topology, parameters).pathModel!());
const poolOf = (seed: number) => new CoverProbes(new RouteFinder(topology, walker), new Random(seed));
const elements = elementsOf(topology);
const crosses = (links: ArrayLike<number>, element: (typeof elements)[number]) => {
  const meets = linksInto(topology, element);
  return Array.from(links).some((link) => meets[link] === 1);
};

describe("probes over covers", () => {
  it("through an element cross it, whatever it is", () => {
    const random = new Random(2);
    const pool = poolOf(1);
    for (const element of elements) {
      const route = pool.through(element, random);
      expect(route !== undefined && crosses(route.links, element), element.name).toBe(true);
    }
  });

  it("take every link of every host, out and in, once all covers have lost no probe", () => {
    const pool = poolOf(1);
    const next = pool.routes(new Random(3));
    const inCovers = [0, 1, 2, 3, 4, 5, 6, 7].reduce((sum, number) => sum + pool.cover(number).length, 0);
    for (let i = 0; i < inCovers; i++) next([]);
    const ways = elements.filter(({ kind }) => kind === "host_direction");
    expect(ways).toHaveLength(24);
    const routes = ways.map(() => next([]).links);
    for (const way of ways)
      expect(
        routes.some((links) => crosses(links, way)),
        way.name,
      ).toBe(true);
  });
});

describe("a search", () => {
  it("looks at the results when a probe is lost, and at intervals while probes arrive", async () => {
    const looks: number[] = [];
    let probes = 0;
    const localiser = {
      suspects: [],
      add: () => void probes++,
      judge: () => {
        looks.push(probes);
        return { kind: "open" };
      },
    } as unknown as Localiser;
    const [element] = elements.filter(({ kind }) => kind === "direction");
    // The tenth probe and the 200th cross the dead link.
    const next = () => (probes === 9 || probes === 199 ? [element!.number] : []);
    const found = await searchFor(topology, [{ element: element!, loss: 1 }], {
      ...{ localiser, next, random: new Random(1), most: 300 },
    });
    expect(found).toEqual({ finding: { kind: "open" }, probes: -1 });
    expect(looks.filter((at) => at === 10 || at === 200)).toEqual([10, 200]);
    const others = looks.filter((at) => at !== 10 && at !== 200);
    expect(others.length).toBeGreaterThan(5);
    for (const [i, at] of looks.entries())
      if (others.includes(at)) expect(at - looks[i - 1]!).toBeGreaterThanOrEqual(32);
  });
});
