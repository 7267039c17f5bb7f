/** Rates after changes: an allocator that has counted the bundles before gives what a new one does, and what the textbook's algorithm does. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Bundles } from "../../../../src/fabric/sim/flow/bundles.js";
import { MaxMin } from "../../../../src/fabric/sim/flow/index.js";
import type { LpFlow } from "./linear-program.js";
import { progressiveFilling } from "./progressive-filling.js";

const RESOURCES = 12;
const NONE = Number.POSITIVE_INFINITY;

const path = fc.uniqueArray(fc.nat(RESOURCES - 1), { minLength: 1, maxLength: 5 });
const weight = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom(1 / 3, 1 / 8));
const limit = fc.option(fc.integer({ min: 0, max: 40 }), { nil: NONE });

/** What happens to the bundle with this number, modulo those that are there. */
const change = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("come" as const), path, weight, limit }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("end" as const), which: fc.nat(99) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("weight" as const), which: fc.nat(99), weight }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("limit" as const), which: fc.nat(99), limit }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("path" as const), which: fc.nat(99), path }) },
);

const cases = fc.record({
  capacity: fc.array(fc.integer({ min: 1, max: 100 }), { minLength: RESOURCES, maxLength: RESOURCES }),
  steps: fc.array(fc.array(change, { maxLength: 8 }), { minLength: 2, maxLength: 8 }),
});

/** Rounds alone, rounds first, or one round and then in order. */
const share = fc.constantFrom(0, 0.2, 1);

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

/** Bundles as the simulator keeps them, and the same as a list. */
class Scene {
  readonly bundles = new Bundles(6);
  readonly #open = new Map<number, LpFlow>();

  apply(one: Change): void {
    const { bundles } = this;
    if (one.kind === "come") {
      const bundle = bundles.add();
      this.#set(bundle, one);
      bundles.version[bundle]!++;
      return;
    }
    const numbers = [...this.#open.keys()];
    if (numbers.length === 0) return;
    const bundle = numbers[one.which % numbers.length]!;
    const old = this.#open.get(bundle)!;
    if (one.kind === "end") {
      this.#open.delete(bundle);
      bundles.remove(bundle);
      return;
    }
    this.#set(bundle, { ...old, ...one });
    if (one.kind === "path") bundles.version[bundle]!++;
  }

  #set(bundle: number, { path, weight, limit }: LpFlow): void {
    const { bundles } = this;
    bundles.path.set(path, bundle * bundles.stride);
    bundles.length[bundle] = path.length;
    bundles.weight[bundle] = weight;
    bundles.limit[bundle] = limit;
    this.#open.set(bundle, { path, weight, limit });
  }

  rates(): number[] {
    return [...this.#open.keys()].map((bundle) => this.bundles.rate[bundle]!);
  }

  flows(): LpFlow[] {
    return [...this.#open.values()];
  }
}

describe("max-min fair rates after changes", () => {
  it("are those of a new allocator and those of the textbook's algorithm", () => {
    fc.assert(
      fc.property(cases, share, ({ capacity, steps }, worthwhile) => {
        const scene = new Scene();
        const kept = new MaxMin(Float64Array.from(capacity), worthwhile);
        for (const step of steps) {
          for (const one of step) scene.apply(one);
          kept.allocate(scene.bundles);
          const rates = scene.rates();
          new MaxMin(Float64Array.from(capacity)).allocate(scene.bundles);
          const fresh = scene.rates();
          const plain = progressiveFilling(scene.flows(), capacity);
          for (const [i, rate] of rates.entries()) {
            expect(Math.abs(rate - fresh[i]!)).toBeLessThanOrEqual(1e-9 * fresh[i]!);
            expect(Math.abs(rate - plain[i]!)).toBeLessThanOrEqual(1e-9 * Math.max(plain[i]!, 1));
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it("are those of a new allocator to the last bit, whatever was asked before, with weights of subflows too", () => {
    fc.assert(
      fc.property(cases, fc.constantFrom(undefined, 0, 0.2, 1), ({ capacity, steps }, worthwhile) => {
        const scene = new Scene();
        const kept = new MaxMin(Float64Array.from(capacity), worthwhile);
        for (const step of steps) {
          for (const one of step) scene.apply(one);
          kept.allocate(scene.bundles);
          const rates = scene.rates();
          new MaxMin(Float64Array.from(capacity), worthwhile).allocate(scene.bundles);
          expect(rates).toEqual(scene.rates());
        }
      }),
      { numRuns: 3000, seed: 5 },
    );
  });

  it("are computed again for a bundle that lost its flows and got as many others", () => {
    const scene = new Scene();
    scene.apply({ kind: "come", path: [0], weight: 2, limit: NONE });
    const maxMin = new MaxMin(Float64Array.from([8]));
    maxMin.allocate(scene.bundles);
    expect(scene.rates()).toEqual([4]);
    // As `ActiveBundles.end` and `start`.
    scene.bundles.rate[0] = 0;
    maxMin.allocate(scene.bundles);
    expect(scene.rates()).toEqual([4]);
  });

  it("follow a capacity that changes", () => {
    const scene = new Scene();
    scene.apply({ kind: "come", path: [0], weight: 1, limit: NONE });
    scene.apply({ kind: "come", path: [0, 1], weight: 1, limit: NONE });
    const capacity = Float64Array.from([8, 1]);
    const maxMin = new MaxMin(capacity);
    maxMin.allocate(scene.bundles);
    expect(scene.rates()).toEqual([7, 1]);
    capacity[1] = 0;
    maxMin.capacityChanged();
    maxMin.allocate(scene.bundles);
    expect(scene.rates()).toEqual([8, 0]);
  });

  it("are not computed again where nothing has changed", () => {
    const scene = new Scene();
    scene.apply({ kind: "come", path: [0], weight: 1, limit: NONE });
    scene.apply({ kind: "come", path: [0, 1], weight: 3, limit: NONE });
    const maxMin = new MaxMin(Float64Array.from([8, 100]));
    maxMin.allocate(scene.bundles);
    expect(scene.rates()).toEqual([2, 2]);
    scene.bundles.rate.fill(7);
    maxMin.allocate(scene.bundles);
    expect(scene.rates()).toEqual([7, 7]);
    scene.apply({ kind: "limit", which: 1, limit: 1 });
    maxMin.allocate(scene.bundles);
    expect(scene.rates()).toEqual([5, 1]);
  });
});
