/** The control flow of a pipeline beside an enumeration of all its paths, and the dependency graph beside its definition. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Dependency, graphOf } from "../../../src/toolchain/fit/dependencies.js";
import { makeFlow } from "../../../src/toolchain/fit/model/flow.js";
import { runs } from "../../fuzz-seed.js";

/** Edges of a graph without cycles: each leads to a larger number, or to the end (null). */
const successorLists = fc.integer({ min: 1, max: 6 }).chain((count) =>
  fc.tuple(
    ...Array.from({ length: count }, (_, from) => {
      const next = fc.oneof(
        fc.constant(null),
        fc.integer({ min: Math.min(from + 1, count - 1), max: count - 1 }),
      );
      return fc
        .array(next, { maxLength: 3 })
        .map((list) => list.map((to) => (to !== null && to > from ? to : null)));
    }),
  ),
);

/** All paths from a node to the end. */
function pathsFrom(successors: readonly (readonly (number | null)[])[], from: number): number[][] {
  const nexts = successors[from]!;
  if (nexts.length === 0) return [[from]];
  return nexts.flatMap((next) =>
    next === null ? [[from]] : pathsFrom(successors, next).map((path) => [from, ...path]),
  );
}

describe("control flow", () => {
  it("is that of its paths", () => {
    fc.assert(
      fc.property(successorLists, (successors) => {
        const flow = makeFlow(
          successors,
          successors.map(() => "ingress"),
        );
        for (const [u, nexts] of successors.entries()) {
          const paths = pathsFrom(successors, u);
          const always = (from: number, v: number) =>
            pathsFrom(successors, from).every((path) => path.includes(v));
          expect(flow.successors(u)).toEqual([...new Set(nexts)].filter((v) => v !== null));
          for (const v of successors.keys()) {
            const reaches = u !== v && paths.some((path) => path.includes(v));
            const back = u !== v && pathsFrom(successors, v).some((path) => path.includes(u));
            expect([u, v, flow.reaches(u, v)]).toEqual([u, v, reaches]);
            expect([u, v, flow.exclusive(u, v)]).toEqual([u, v, u !== v && !reaches && !back]);
            // One way leads to v in any case, another may not.
            const decides = !always(u, v) && nexts.some((next) => next !== null && always(next, v));
            expect([u, v, flow.decides(u, v)]).toEqual([u, v, decides]);
          }
        }
      }),
      runs(80),
    );
  });

  it("passes both gresses, also beyond 32 units", () => {
    const ingress = Array.from({ length: 40 }, (_, u) => [u < 39 ? u + 1 : null]);
    const egress = Array.from({ length: 40 }, (_, u) => [u < 39 ? u + 41 : null]);
    const flow = makeFlow(
      [...ingress, ...egress],
      [...ingress.map(() => "ingress"), ...egress.map(() => "egress")],
    );
    expect([flow.reaches(0, 39), flow.reaches(0, 40), flow.reaches(40, 79), flow.reaches(7, 39)]).toEqual([
      true,
      false,
      true,
      true,
    ]);
    expect([flow.exclusive(3, 50), flow.exclusive(3, 5)]).toEqual([false, false]);
  });
});

const edgeLists = fc.integer({ min: 2, max: 9 }).chain((count) =>
  fc
    .array(
      fc
        .tuple(fc.nat({ max: count - 1 }), fc.nat({ max: count - 1 }), fc.nat({ max: 1 }))
        .filter(([from, to]) => from < to),
      { maxLength: 16 },
    )
    .map((list) => {
      const byPair = new Map(list.map((edge) => [`${edge[0]} ${edge[1]}`, edge]));
      return { count, list: [...byPair.values()] };
    }),
);

describe("a dependency graph", () => {
  it("has the longest distances before and after each unit, and a chain of the longest one", () => {
    fc.assert(
      fc.property(edgeLists, ({ count, list }) => {
        const edges = list.map(
          ([from, to, distance]): Dependency => ({
            from,
            to,
            distance,
            kind: distance === 1 ? "match" : "control",
            field: undefined,
          }),
        );
        const graph = graphOf(count, edges);
        const before = (unit: number): number =>
          Math.max(0, ...edges.filter((e) => e.to === unit).map((e) => before(e.from) + e.distance));
        const after = (unit: number): number =>
          Math.max(0, ...edges.filter((e) => e.from === unit).map((e) => after(e.to) + e.distance));
        const all = Array.from({ length: count }, (_, unit) => unit);
        expect(graph.earliest).toEqual(all.map(before));
        expect(graph.below).toEqual(all.map(after));
        expect(graph.criticalPath).toBe(1 + Math.max(...all.map(before)));
        for (const unit of all) {
          expect(new Set(graph.incoming[unit])).toEqual(new Set(edges.filter((e) => e.to === unit)));
          expect(new Set(graph.outgoing[unit])).toEqual(new Set(edges.filter((e) => e.from === unit)));
        }
        expect(graph.edges.map((e) => [e.from, e.to])).toEqual(
          list.map(([from, to]) => [from, to]).sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]!),
        );
        // The chain is a path along edges; its distances are those of the critical path.
        const chain = graph.criticalUnits;
        let distance = 0;
        for (const [i, unit] of chain.entries()) {
          if (i === 0) continue;
          const edge = edges.find((e) => e.from === chain[i - 1] && e.to === unit);
          expect(edge).toBeDefined();
          distance += edge!.distance;
        }
        expect(distance).toBe(graph.criticalPath - 1);
      }),
      runs(80),
    );
  });

  it("is empty without units", () => {
    expect(graphOf(0, [])).toMatchObject({ criticalPath: 0, criticalUnits: [], earliest: [] });
  });
});
