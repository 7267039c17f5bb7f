/** Units that every packet passes before it comes to another one, beside all paths of random graphs. */
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeFlow } from "../../../src/toolchain/fit/model/flow.js";
import type { FitModel } from "../../../src/toolchain/fit/model/model.js";
import { AT_DEPARSER, Dominators } from "../../../src/toolchain/fit/phv/dominators.js";
import { runs } from "../../fuzz-seed.js";

interface Graph {
  readonly successors: readonly (readonly (number | null)[])[];
  /** By unit: it is a condition, not a table. */
  readonly conditions: readonly boolean[];
}

/** Graphs whose edges lead to larger numbers or to the end, and in which packets come from unit 0 to every unit. */
const graphs: fc.Arbitrary<Graph> = fc.integer({ min: 1, max: 7 }).chain((count) =>
  fc
    .record({
      before: fc.tuple(...Array.from({ length: count - 1 }, (_, i) => fc.integer({ min: 0, max: i }))),
      more: fc.array(fc.tuple(fc.nat(count - 1), fc.nat(count)), { maxLength: 6 }),
      conditions: fc.array(fc.boolean(), { minLength: count, maxLength: count }),
    })
    .map(({ before, more, conditions }) => {
      const successors: (number | null)[][] = Array.from({ length: count }, () => []);
      for (const [i, from] of before.entries()) successors[from]!.push(i + 1);
      for (const [from, to] of more)
        if (to === count) successors[from]!.push(null);
        else if (to > from) successors[from]!.push(to);
      for (const list of successors) if (list.length === 0) list.push(null);
      return { successors, conditions };
    }),
);

function pathsFrom({ successors }: Graph, from: number): number[][] {
  return successors[from]!.flatMap((next) =>
    next === null ? [[from]] : pathsFrom({ successors, conditions: [] }, next).map((path) => [from, ...path]),
  );
}

/** Units other than this one on all paths from unit 0 to it; without a unit, on all paths to the end. */
function passedBefore(paths: readonly number[][], unit?: number): number[] {
  const ways = paths
    .filter((path) => unit === undefined || path.includes(unit))
    .map((path) => (unit === undefined ? path : path.slice(0, path.indexOf(unit))));
  return ways[0]!.filter((one) => ways.every((way) => way.includes(one)));
}

/** The graph as units 1 to n of egress, behind one unit of ingress. */
function dominatorsOf(graph: Graph, isBeforeDeparser: boolean): Dominators {
  const lists = [[null], ...graph.successors.map((list) => list.map((to) => (to === null ? null : to + 1)))];
  const gresses = lists.map((_, id) => (id === 0 ? "ingress" : "egress"));
  const units = gresses.map((gress, id) => ({
    ...{ id, gress },
    condition: id > 0 && graph.conditions[id - 1]! ? {} : undefined,
  }));
  const model = { units, flow: makeFlow(lists, gresses) };
  return new Dominators(model as unknown as FitModel, "egress", isBeforeDeparser);
}

describe("what every packet passes before", () => {
  const idOf = (unit: { readonly id: number } | undefined) => (unit === undefined ? undefined : unit.id - 1);

  it("is what stands on all paths before", () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const paths = pathsFrom(graph, 0);
        const dominators = dominatorsOf(graph, false);
        const lastTable = (units: readonly number[]) => units.findLast((unit) => !graph.conditions[unit]);
        for (const b of graph.successors.keys()) {
          const before = passedBefore(paths, b);
          for (const a of graph.successors.keys())
            expect(dominators.isAbove(a + 1, b + 1), `${a} above ${b}`).toBe(before.includes(a));
          expect(dominators.isAbove(AT_DEPARSER, b + 1)).toBe(false);
          expect(idOf(dominators.tableAbove(b + 1))).toBe(lastTable(b === 0 ? [0] : before));
        }
        const last = lastTable(passedBefore(paths));
        expect(idOf(dominators.tableAbove(AT_DEPARSER))).toBe(last);
        for (const a of graph.successors.keys())
          expect(dominators.isAbove(a + 1, AT_DEPARSER)).toBe(
            last !== undefined && passedBefore(paths, last).includes(a),
          );
      }),
      runs(300),
    );
  });

  it("of several units is what stands before all of them", () => {
    fc.assert(
      fc.property(graphs, fc.array(fc.nat(6), { minLength: 1, maxLength: 3 }), (graph, some) => {
        const count = graph.successors.length;
        const units = [...new Set(some.map((unit) => unit % count))];
        const paths = pathsFrom(graph, 0);
        const before = units
          .map((unit) => passedBefore(paths, unit))
          .reduce((a, b) => a.filter((unit) => b.includes(unit)));
        const expected = before.findLast((unit) => !graph.conditions[unit]);
        const found = dominatorsOf(graph, false).tableAboveAll(units.map((unit) => unit + 1));
        expect(idOf(found)).toBe(expected);
      }),
      runs(300),
    );
  });

  it("of the deparser are all units where the chip takes them so, and none of an empty gress", () => {
    const graph = { successors: [[1, 2], [2], [null]], conditions: [false, false, false] };
    const dominators = dominatorsOf(graph, true);
    expect([1, 2, 3].map((unit) => dominators.isAbove(unit, AT_DEPARSER))).toEqual([true, true, true]);
    expect(dominators.isAbove(AT_DEPARSER, AT_DEPARSER)).toBe(false);
    const empty = { units: [], flow: makeFlow([], []) } as unknown as FitModel;
    expect(new Dominators(empty, "ingress", false).tableAbove(AT_DEPARSER)).toBeUndefined();
  });
});
