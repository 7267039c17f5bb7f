/** Numbers of bundles: which are new, and which are used again. */
import { describe, expect, it } from "vitest";
import { Bundles } from "../../../../src/fabric/sim/flow/bundles.js";

describe("the numbers of bundles", () => {
  it("of one bundle are those that were removed last, then new ones; of several bundles they are new and consecutive", () => {
    const bundles = new Bundles(4);
    expect([bundles.add(), bundles.add(3), bundles.add()]).toEqual([0, 1, 4]);
    bundles.remove(0);
    bundles.remove(2);
    expect([bundles.add(2), bundles.add(), bundles.add(), bundles.add()]).toEqual([5, 2, 0, 7]);
    expect(bundles.size).toBe(8);
  });

  it("keep their values when more bundles come than there was room for", () => {
    const bundles = new Bundles(2);
    bundles.add();
    bundles.weight[0] = 3;
    bundles.length[0] = 2;
    bundles.path.set([7, 8]);
    expect(bundles.add(5000)).toBe(1);
    expect([bundles.weight[0], bundles.length[0], ...bundles.path.subarray(0, 2)]).toEqual([3, 2, 7, 8]);
    expect(bundles.path).toHaveLength(2 * bundles.from.length);
    expect(bundles.from.length).toBeGreaterThanOrEqual(5001);
  });
});
