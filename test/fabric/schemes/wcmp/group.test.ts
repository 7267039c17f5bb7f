/** Members of weighted groups: exact where they fit, near the weights where they do not. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oversubscription, replicas } from "../../../../src/fabric/schemes/wcmp/group.js";

describe("replicas", () => {
  it("are the smallest numbers in the ratio of the capacities, where these fit", () => {
    expect(replicas([100e9, 100e9, 100e9], 128)).toEqual([1, 1, 1]);
    expect(replicas([200e9, 300e9, 300e9], 128)).toEqual([2, 3, 3]);
    expect(replicas([40e9, 100e9], 7)).toEqual([2, 5]);
    expect(replicas([7], 2)).toEqual([1]);
    expect(replicas([63, 64], 127)).toEqual([63, 64]);
  });

  it("are nearest to them in a group that is too small", () => {
    // 4.9 : 1 in at most six members is 5 : 1.
    expect(replicas([49, 10], 6)).toEqual([5, 1]);
    // Of 63 : 64 in up to ten members, 1 : 1 is off by 0.8 % and needs two.
    expect(replicas([63, 64], 10)).toEqual([1, 1]);
    // 2 : 3 : 3 in up to seven: 1 : 2 : 2 gives the last two 40 % for 37.5 %.
    expect(replicas([2, 3, 3], 7)).toEqual([1, 2, 2]);
  });

  it("keep within the size and give every next hop a member, and no other group of that size is better", () => {
    const capacities = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(capacities, fc.integer({ min: 3, max: 12 }), (list, most) => {
        const counts = replicas(list, most);
        expect(counts.length).toBe(list.length);
        expect(Math.min(...counts)).toBeGreaterThanOrEqual(1);
        const size = counts.reduce((a, b) => a + b);
        expect(size).toBeLessThanOrEqual(most);
        let best = Number.POSITIVE_INFINITY;
        const search = (prefix: number[], left: number): void => {
          if (prefix.length === list.length) best = Math.min(best, oversubscription(prefix, list));
          else for (let count = 1; count <= left; count++) search([...prefix, count], left - count);
        };
        search([], most);
        expect(oversubscription(counts, list)).toBeCloseTo(best, 9);
      }),
    );
  });
});

describe("oversubscription", () => {
  it("is the largest share that is got over the share that is due", () => {
    expect(oversubscription([1, 1], [1, 1])).toBe(1);
    expect(oversubscription([1, 1], [1, 3])).toBe(2);
    expect(oversubscription([3, 1], [1, 1])).toBe(1.5);
  });
});
