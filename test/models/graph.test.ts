import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allowedNext, hyperX, meanHops, walkFrom } from "./deroute-walk.js";
import { equal, fraction, ONE, sum, toNumber, ZERO } from "./fraction.js";
import {
  crossedTogether,
  distances,
  edgeDisjoint,
  type Graph,
  nextHops,
  nodeDisjoint,
  shortestPaths,
} from "./graph.js";
import { isMaxMin, maxMin } from "./water-filling.js";

const cycle = (nodes: number): Graph => ({
  nodes,
  edges: Array.from({ length: nodes }, (_, i) => [i, (i + 1) % nodes] as const),
});

const complete = (nodes: number): Graph => hyperX([nodes]).graph;

const anyGraph = fc
  .record({
    nodes: fc.integer({ min: 2, max: 7 }),
    drawn: fc.array(fc.tuple(fc.nat(6), fc.nat(6)), { maxLength: 14 }),
  })
  .map(
    ({ nodes, drawn }): Graph => ({
      nodes,
      edges: drawn.map(([a, b]) => [a % nodes, b % nodes] as const).filter(([a, b]) => a !== b),
    }),
  );

describe("graphs", () => {
  it("counts ways in cubes: d! of length d, d disjoint ones", () => {
    const { graph } = hyperX([2, 2, 2]);
    expect(distances(graph, 0)[7]).toBe(3);
    expect(shortestPaths(graph, 7, 0)).toBe(6n);
    expect(nextHops(graph, 7, 0).map(({ to }) => to)).toEqual([3, 5, 6]);
    expect([edgeDisjoint(graph, 0, 7), nodeDisjoint(graph, 0, 7)]).toEqual([3, 3]);
  });

  it("knows cut nodes, parallel edges and pairs without a way", () => {
    const bow: Graph = {
      nodes: 5,
      edges: [
        [0, 1],
        [1, 2],
        [0, 2],
        [2, 3],
        [3, 4],
        [2, 4],
      ],
    };
    expect([edgeDisjoint(bow, 0, 4), nodeDisjoint(bow, 0, 4)]).toEqual([2, 1]);
    const apart: Graph = {
      nodes: 3,
      edges: [
        [0, 1],
        [0, 1],
      ],
    };
    expect([edgeDisjoint(apart, 0, 1), edgeDisjoint(apart, 0, 2), nodeDisjoint(apart, 0, 2)]).toEqual([
      2, 0, 0,
    ]);
    expect([shortestPaths(apart, 0, 1), shortestPaths(apart, 0, 2), distances(apart, 2)[0]]).toEqual([
      2n,
      0n,
      Number.POSITIVE_INFINITY,
    ]);
    expect(nextHops(apart, 0, 2)).toEqual([]);
  });

  it("finds as many disjoint ways as the smallest cut has edges (Menger)", () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        let cut = Number.POSITIVE_INFINITY;
        for (let side = 0; side < 2 ** graph.nodes; side++)
          if ((side & 1) === 1 && ((side >> 1) & 1) === 0)
            cut = Math.min(
              cut,
              graph.edges.filter(([a, b]) => ((side >> a) & 1) !== ((side >> b) & 1)).length,
            );
        expect(edgeDisjoint(graph, 0, 1)).toBe(cut);
        expect(nodeDisjoint(graph, 0, 1)).toBeLessThanOrEqual(cut);
      }),
    );
  });

  it("groups what is always crossed together", () => {
    expect(
      crossedTogether([
        ["a", "x", "b"],
        ["a", "y", "z", "b"],
      ]),
    ).toEqual([["a", "b"], ["x"], ["y", "z"]]);
  });
});

describe("deroutes", () => {
  it("takes the shortest way with n = 0, and as many hops more as it may with n", () => {
    const { graph } = hyperX([3, 3]);
    const straight = walkFrom({ graph, target: 8, deroutes: 0 }, 0);
    expect([...straight.hops]).toEqual([[2, ONE]]);
    for (const deroutes of [1, 2]) {
      const { hops, stuck } = walkFrom({ graph, target: 8, deroutes }, 0);
      expect(stuck).toEqual(ZERO);
      expect(sum([...hops.values()])).toEqual(ONE);
      expect(Math.max(...hops.keys())).toBeLessThanOrEqual(2 + 2 * deroutes);
    }
  });

  it("has the closed form of a complete graph: 1 hop with 1/(S-1), otherwise 2", () => {
    for (const size of [3, 4, 7])
      expect(meanHops(walkFrom({ graph: complete(size), target: 0, deroutes: 1 }, 1))).toEqual(
        fraction(2 * (size - 1) - 1, size - 1),
      );
  });

  it("has the mean of [3,3] with one deroute", () => {
    // Of 4 ports 2 shorten the way (2 hops); the others lead beside it, at the same distance, and 3 hops are made.
    const { graph, coordinates } = hyperX([3, 3]);
    const target = coordinates.findIndex((at) => at.join() === "1,1");
    const walk = { graph, target, deroutes: 1 };
    expect(allowedNext(walk, 0, undefined, 0).length).toBe(4);
    expect(toNumber(meanHops(walkFrom(walk, 0)))).toBeGreaterThan(2.5);
    // Constrained to offset dimensions, no hop leads further away.
    const offset = (node: number, to: number): boolean => {
      const changed = coordinates[node]!.findIndex((value, at) => value !== coordinates[to]![at]);
      return coordinates[node]![changed] !== coordinates[target]![changed];
    };
    expect(Math.max(...walkFrom({ ...walk, allowed: offset }, 0).hops.keys())).toBe(3);
  });

  it("gets stuck in dead ends without the rule, and never with it", () => {
    // 2 hangs on 0 alone: a packet for 1 that is derouted to 2 may only go back.
    const graph: Graph = {
      nodes: 3,
      edges: [
        [0, 1],
        [0, 2],
      ],
    };
    expect(walkFrom({ graph, target: 1, deroutes: 1, deadEnds: true }, 0).stuck).toEqual(fraction(1, 2));
    expect(walkFrom({ graph, target: 1, deroutes: 1 }, 0).stuck).toEqual(ZERO);
    fc.assert(
      fc.property(anyGraph, fc.integer({ min: 0, max: 3 }), (drawn, deroutes) => {
        const edges = [...new Set(drawn.edges.map((edge) => [...edge].sort().join()))].map(
          (edge) => edge.split(",").map(Number) as unknown as readonly [number, number],
        );
        const graph = { nodes: drawn.nodes, edges };
        const far = distances(graph, 0)[1]!;
        if (far === Number.POSITIVE_INFINITY) return;
        const { hops, stuck } = walkFrom({ graph, target: 0, deroutes }, 1);
        expect(stuck).toEqual(ZERO);
        expect(sum([...hops.values()])).toEqual(ONE);
        expect(Math.max(...hops.keys())).toBeLessThanOrEqual(far + 2 * deroutes);
      }),
    );
  });

  it("stops a walk on a ring where both ways are shortest only once", () => {
    const { hops } = walkFrom({ graph: cycle(4), target: 2, deroutes: 0 }, 0);
    expect([...hops]).toEqual([[2, ONE]]);
  });
});

describe("water filling", () => {
  const one = fraction(1);

  it("shares one link by weights, up to limits", () => {
    const rates = maxMin(
      [fraction(10)],
      [
        { links: [0], weight: one },
        { links: [0], weight: fraction(3) },
        { links: [0], weight: one, limit: fraction(1, 2) },
      ],
    );
    expect(rates).toEqual([fraction(19, 8), fraction(57, 8), fraction(1, 2)]);
  });

  it("has the parking lot's rates: C/2 for all", () => {
    const rates = maxMin(
      [one, one, one],
      [{ links: [0, 1, 2], weight: one }, ...[0, 1, 2].map((link) => ({ links: [link], weight: one }))],
    );
    expect(rates.every((rate) => equal(rate, fraction(1, 2)))).toBe(true);
  });

  it("is max-min fair by definition, and any other rates are not", () => {
    const flow = fc.record({
      links: fc.uniqueArray(fc.nat(3), { minLength: 1, maxLength: 4 }),
      weight: fc.integer({ min: 1, max: 4 }).map((w) => fraction(w)),
      limit: fc.option(
        fc.integer({ min: 0, max: 9 }).map((l) => fraction(l, 2)),
        { nil: undefined },
      ),
    });
    fc.assert(
      fc.property(
        fc.array(
          fc.nat(12).map((c) => fraction(c)),
          { minLength: 4, maxLength: 4 },
        ),
        fc.array(flow, { minLength: 1, maxLength: 7 }),
        (capacities, flows) => {
          const rates = maxMin(capacities, flows);
          expect(isMaxMin(capacities, flows, rates)).toBe(true);
          expect(isMaxMin(capacities, flows, [...rates.slice(1), fraction(99)])).toBe(false);
        },
      ),
    );
  });
});
