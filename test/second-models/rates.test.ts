/** Max-min fair rates against exact fractions: weights, limits, links without capacity. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Bundles } from "../../src/fabric/sim/flow/bundles.js";
import { MaxMin } from "../../src/fabric/sim/flow/index.js";
import { fraction, less, times, toNumber } from "../models/fraction.js";
import { type FilledFlow, maxMin } from "../models/water-filling.js";

function ratesOf(capacities: readonly number[], flows: readonly FilledFlow[]): number[] {
  const bundles = new Bundles(8);
  const first = bundles.add(flows.length);
  for (const [i, { links, weight, limit }] of flows.entries()) {
    bundles.path.set(links, (first + i) * bundles.stride);
    bundles.length[first + i] = links.length;
    bundles.weight[first + i] = toNumber(weight);
    bundles.limit[first + i] = limit === undefined ? Number.POSITIVE_INFINITY : toNumber(limit);
  }
  new MaxMin(Float64Array.from(capacities)).allocate(bundles);
  return flows.map((_, i) => bundles.rate[first + i]!);
}

const flow = fc.record({
  links: fc.uniqueArray(fc.nat(5), { minLength: 1, maxLength: 5 }),
  weight: fc.integer({ min: 1, max: 5 }).map((weight) => fraction(weight)),
  limit: fc.option(
    fc.integer({ min: 0, max: 30 }).map((limit) => fraction(limit, 2)),
    { nil: undefined },
  ),
});
const capacities = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 6, maxLength: 6 });

describe("max-min fair rates", () => {
  it("are those of fractions, to the last digits of a number", () => {
    fc.assert(
      fc.property(capacities, fc.array(flow, { minLength: 1, maxLength: 14 }), (links, flows) => {
        const rates = ratesOf(links, flows);
        // Limits and rates of the code are those of a unit of weight.
        const exact = maxMin(
          links.map((capacity) => fraction(capacity)),
          flows.map((one) =>
            one.limit === undefined ? one : { ...one, limit: times(one.limit, one.weight) },
          ),
        );
        for (const [i, rate] of rates.entries()) {
          const wanted = toNumber(exact[i]!) / toNumber(flows[i]!.weight);
          expect(Math.abs(rate - wanted)).toBeLessThanOrEqual(1e-12 * Math.max(1, wanted));
        }
      }),
      { numRuns: 400 },
    );
  });

  it("give nothing over a link without capacity, and no flow more than its limit", () => {
    const one = fraction(1);
    expect(
      ratesOf(
        [0, 10],
        [
          { links: [0, 1], weight: one },
          { links: [1], weight: one },
        ],
      ),
    ).toEqual([0, 10]);
    const limited = ratesOf([10], [{ links: [0], weight: one, limit: fraction(1, 2) }]);
    expect(less(fraction(1, 2), fraction(Math.round(limited[0]! * 1000), 1000))).toBe(false);
  });
});
