/** Choices that determine later ones, in a network small enough to count: t chooses m0 or m1, which choose e0 or e1, which lead to d. */
import { describe, expect, it } from "vitest";
import type { CheckOptions } from "../../../src/fabric/paths/correlated-hops.js";
import { checkPaths, type HashModel } from "../../../src/fabric/paths/index.js";
import { FROM, modelOf, node, TO, topology, type Use } from "./two-choices.js";

/** The XOR of all bytes of its input, which ends with the seed: affine, whatever `affine` says. */
const hashModel = (name: string, affine = true, field: "src_port" | "dst_port" = "src_port"): HashModel => ({
  name,
  affine,
  input: [
    { field, bits: 16 },
    { field: "seed", bits: 8 },
  ],
  hash: (bytes, length) => bytes.subarray(0, length).reduce((sum, byte) => sum ^ byte, 0),
});

const check = (
  t: Use,
  m: Use,
  hashes = [hashModel("A"), hashModel("B", true, "dst_port")],
  options: Partial<CheckOptions> = {},
) => checkPaths(topology, modelOf(t, m, hashes), { pairs: [[FROM, TO]], ...options });

const UP = ["m0", "m1"];
const ON = ["e0", "e1"];

describe("two choices on a path", () => {
  it("by one function: the second has one port left of two, and half of the flows would have to move", () => {
    const { correlated, reuses, pairs } = check({ slots: UP }, { slots: ON });
    expect(pairs).toBe(1);
    expect(reuses).toEqual([]);
    expect(correlated).toEqual(
      ["m1", "m0"].map((second) => ({
        path: ["t", second],
        first: { node: node("t").index, slots: 2 },
        second: { node: node(second).index, slots: 2 },
        hash: "A",
        polarisedShare: 0.5,
        from: FROM,
        to: TO,
      })),
    );
  });

  it.each<[string, Use, Use, HashModel[]?]>([
    ["by two functions", { slots: UP }, { slots: ON, hash: 1 }],
    [
      "by functions that are not affine, of different bits",
      { slots: UP },
      { slots: ON, hash: 1 },
      [hashModel("A", false), hashModel("B", false, "dst_port")],
    ],
    ["of which the first has one slot", { slots: ["m0"] }, { slots: ON }],
    ["of which the second has one slot", { slots: UP }, { slots: ["e0"] }],
    [
      "of which the second reads a bit that the first does not read",
      { slots: UP },
      { slots: ["e0", "e0", "e1", "e1"] },
    ],
    ["with coprime sizes", { slots: UP }, { slots: ["e0", "e1", "e0"] }],
  ])("%s: none polarises the other", (_, t, m, hashes) => {
    expect(check(t, m, hashes).correlated).toEqual([]);
  });

  it.each([0, 1, 2, 3])(
    "with seed %i at the second is polarised as well: a seed only renames the slots",
    (seed) => {
      const { correlated } = check({ slots: UP }, { slots: ON, seed });
      expect(correlated.map(({ polarisedShare }) => polarisedShare)).toEqual([0.5, 0.5]);
    },
  );

  it.each<[string, Use, HashModel[]]>([
    ["of another name that is the same map", { slots: ON, hash: 1 }, [hashModel("A"), hashModel("B")]],
    ["that is not affine, with the same seed", { slots: ON }, [hashModel("A", false)]],
    ["that stands in the list twice", { slots: ON, hash: 1 }, [hashModel("A", false), hashModel("A", false)]],
  ])("by a function %s: half of the flows would have to move", (_, m, hashes) => {
    const { correlated, drawn } = check({ slots: UP }, m, hashes);
    expect(correlated.map(({ polarisedShare }) => polarisedShare)).toEqual([0.5, 0.5]);
    expect(drawn).toEqual([]);
  });

  it.each<[string, Use, HashModel[]]>([
    ["two seeds of a function that is not affine", { slots: ON, seed: 1 }, [hashModel("A", false)]],
    [
      "two names of a map that is not affine",
      { slots: ON, hash: 1 },
      [hashModel("A", false), hashModel("B", false)],
    ],
    [
      "a map that is affine, and its other name",
      { slots: ON, hash: 1 },
      [hashModel("A"), hashModel("B", false)],
    ],
  ])("by %s, of which drawn headers show that they depend on each other", (_, m, hashes) => {
    const { correlated, drawn, compared } = check({ slots: UP }, m, hashes);
    for (const { polarisedShare } of correlated) expect(polarisedShare).toBeCloseTo(0.5, 2);
    expect(correlated).toHaveLength(2);
    expect(drawn).toMatchObject([
      { headers: 65_536, functions: [...new Set(hashes.map(({ name }) => name))] },
    ]);
    expect(drawn[0]!.resolution).toBeLessThan(0.03);
    expect(compared).toEqual([]);
  });

  it("by functions that are not affine and show no dependence are named as compared only", () => {
    const hashes = [hashModel("A", false), hashModel("B", false, "dst_port")];
    expect(check({ slots: UP }, { slots: ON, hash: 1 }, hashes)).toMatchObject({
      correlated: [],
      drawn: [],
      compared: [{ first: "A", second: "B" }],
    });
  });

  it("by a function with fewer values than the group has slots: its ports are uneven, and nothing depends", () => {
    const bit: HashModel = { ...hashModel("A"), hash: (bytes) => bytes[1]! & 1 };
    const { correlated, uneven } = check({ slots: ["m0", "m1", "m0", "m0"] }, { slots: ["e0"] }, [bit]);
    expect(correlated).toEqual([]);
    // The slots 0 and 1 get half of the flows each; m1 is to get a quarter.
    expect(uneven).toEqual([{ node: node("t").index, slots: 4, hash: "A", movedShare: 0.25 }]);
  });

  it("with weights: a quarter of the flows would have to move", () => {
    // Three of four should go to e0: of m0, which has the colours 0 and 2, half go there, of m1 all.
    const { correlated } = check({ slots: UP }, { slots: ["e0", "e0", "e1", "e0"] });
    expect(correlated.map(({ path, polarisedShare }) => [path.at(-1), polarisedShare])).toEqual([
      ["m1", 0.25],
      ["m0", 0.25],
    ]);
  });

  it("are not reported up to the tolerance", () => {
    const of = (tolerance: number) =>
      check({ slots: UP }, { slots: ON }, undefined, { tolerance }).correlated.length;
    expect([of(0.5), of(0.49)]).toEqual([0, 2]);
  });
});

describe("functions that are used again without polarisation", () => {
  const placeOf = (own: number) => `place of ${topology.nodes[own]!.name[0]}`;
  const mixed = ["e0", "e0", "e1", "e1"];

  it("are named by their places, once", () => {
    expect(check({ slots: UP }, { slots: mixed }, undefined, { placeOf }).reuses).toEqual([
      { hash: "A", first: "place of t", second: "place of m" },
    ]);
    expect(check({ slots: UP }, { slots: mixed }).reuses).toEqual([]);
  });

  it("are not named where some switch of the place is polarised", () => {
    expect(check({ slots: UP }, { slots: ON }, undefined, { placeOf }).reuses).toEqual([]);
  });
});

describe("pairs of racks", () => {
  it("are followed one by one; a rack and itself are no pair", () => {
    const pairs: [number, number][] = [
      [FROM, TO],
      [FROM, FROM],
      [FROM, TO],
    ];
    expect(check({ slots: UP }, { slots: ON }, undefined, { pairs })).toMatchObject({ pairs: 2 });
    expect(check({ slots: UP }, { slots: ON }, undefined, { pairs: [] })).toEqual({
      pairs: 0,
      correlated: [],
      reuses: [],
      uneven: [],
      drawn: [],
      compared: [],
    });
  });
});
