/** Max-min fair rates: closed forms, the definition, and linear programs. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Bundles } from "../../../../src/fabric/sim/flow/bundles.js";
import { MaxMin } from "../../../../src/fabric/sim/flow/index.js";
import { type LpFlow, maxMinByPrograms } from "./linear-program.js";

const NONE = Number.POSITIVE_INFINITY;

/** Rates of a unit of weight. */
function ratesOf(flows: readonly LpFlow[], capacity: readonly number[], maxMin?: MaxMin): number[] {
  const bundles = new Bundles(8);
  const first = bundles.add(flows.length);
  for (const [i, { path, weight, limit }] of flows.entries()) {
    bundles.path.set(path, (first + i) * bundles.stride);
    bundles.length[first + i] = path.length;
    bundles.weight[first + i] = weight;
    bundles.limit[first + i] = limit;
  }
  (maxMin ?? new MaxMin(Float64Array.from(capacity))).allocate(bundles);
  return flows.map((_, i) => bundles.rate[first + i]!);
}

const flow = (path: number[], weight = 1, limit = NONE): LpFlow => ({ path, weight, limit });

const cases = fc
  .record({
    capacity: fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 8 }),
    draws: fc.array(
      fc.record({
        path: fc.uniqueArray(fc.nat(7), { minLength: 1, maxLength: 5 }),
        weight: fc.integer({ min: 1, max: 5 }),
        limit: fc.option(fc.integer({ min: 1, max: 40 }), { nil: NONE }),
      }),
      { minLength: 1, maxLength: 12 },
    ),
  })
  .map(({ capacity, draws }) => ({
    capacity,
    flows: draws.map(({ path, weight, limit }) =>
      flow([...new Set(path.map((resource) => resource % capacity.length))], weight, limit),
    ),
  }));

describe("max-min fair rates", () => {
  it("are those of a line: a long flow and one at each link (Bertsekas and Gallager, figure 6.10)", () => {
    const flows = [flow([0, 1, 2]), flow([0]), flow([1]), flow([1]), flow([2])];
    const expected = [1 / 3, 2 / 3, 1 / 3, 1 / 3, 2 / 3];
    for (const [i, rate] of ratesOf(flows, [1, 1, 1]).entries()) expect(rate).toBeCloseTo(expected[i]!, 12);
  });

  it("follow weights and limits: what a limited flow leaves goes to the others", () => {
    expect(ratesOf([flow([0], 3), flow([0], 1, 1)], [10])).toEqual([3, 1]);
    expect(ratesOf([flow([0], 3), flow([0], 2)], [10])).toEqual([2, 2]);
    expect(ratesOf([flow([0], 1, 4)], [10])).toEqual([4]);
  });

  it("are by definition: no resource has too much, and each flow has its limit or a full resource where none has more", () => {
    fc.assert(
      fc.property(cases, ({ flows, capacity }) => {
        const rates = ratesOf(flows, capacity);
        const load = capacity.map((_, resource) =>
          flows.reduce(
            (sum, { path, weight }, i) => sum + (path.includes(resource) ? weight * rates[i]! : 0),
            0,
          ),
        );
        for (const [resource, most] of capacity.entries())
          expect(load[resource]).toBeLessThanOrEqual(most * (1 + 1e-9));
        for (const [i, { path, limit }] of flows.entries()) {
          const isBottleneck = (resource: number) =>
            load[resource]! >= capacity[resource]! * (1 - 1e-9) &&
            flows.every((other, j) => !other.path.includes(resource) || rates[j]! <= rates[i]! * (1 + 1e-9));
          expect(rates[i] === limit || path.some(isBottleneck)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("are what linear programs find", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ flows, capacity }) => {
        const exact = await maxMinByPrograms(flows, capacity);
        for (const [i, rate] of ratesOf(flows, capacity).entries())
          expect(Math.abs(rate / exact[i]! - 1)).toBeLessThan(1e-6);
      }),
      { numRuns: 25 },
    );
  });

  it("are the same for a second set of flows as by a new allocator", () => {
    fc.assert(
      fc.property(cases, cases, (first, { flows }) => {
        const { capacity } = first;
        const own = flows.map(({ path, ...rest }) => ({
          ...rest,
          path: [...new Set(path.map((resource) => resource % capacity.length))],
        }));
        const used = new MaxMin(Float64Array.from(capacity));
        ratesOf(first.flows, capacity, used);
        expect(ratesOf(own, capacity, used)).toEqual(ratesOf(own, capacity));
      }),
    );
  });
});
