/**
 * The verdict of the check of paths against the flows that a second model counts, for drawn chips, designs and topologies. In many of
 * them a choice does depend on an earlier one.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DiagnosticError, Random } from "../../../../src/base/index.js";
import {
  checkPaths,
  type PathCheck,
  type PathModel,
  representativePairs,
} from "../../../../src/fabric/paths/index.js";
import { schemeNamed } from "../../../../src/fabric/schemes/index.js";
import type { Topology } from "../../../../src/fabric/topology/index.js";
import { build, example } from "../../topology/load.js";
import { KNOWN_FUNCTIONS, measure } from "./spread-model.js";

const hashing = schemeNamed("hashing")!;
const FLOWS = 3000;

/** Undefined where the design refuses the chip. */
function assigned(
  topology: Topology,
  parameters: object,
): { model: PathModel; check: PathCheck } | undefined {
  try {
    const { model } = hashing.hashAssignment!(topology, hashing.parameters.parse(parameters));
    return { model, check: checkPaths(topology, model, { pairs: representativePairs(topology) }) };
  } catch (error) {
    if (error instanceof DiagnosticError) return undefined;
    throw error;
  }
}

const jupiter = example("jupiter");
const TOPOLOGIES: Readonly<Record<string, Topology>> = {
  jupiter,
  "leaf and spine": build({ kind: "leaf_spine", tors: 4, leaves: 4, homing: "single" }),
  "fat tree": build({ kind: "fat_tree", k: 4 }),
  spineless: example("spineless"),
};

const slices = ["", ":bits=0-7", ":bits=2-9", ":bits=8-15"];
const chips = fc.oneof(
  fc.constantFrom("six", "rtag7", "ideal"),
  fc.array(
    fc
      .tuple(fc.constantFrom(...KNOWN_FUNCTIONS), fc.constantFrom(...slices))
      .map(([name, bits]) => name + bits),
    { minLength: 1, maxLength: 6 },
  ),
  // Few functions, some of them related.
  fc.uniqueArray(
    fc.constantFrom("crc-16/modbus", "crc-16/usb", "rtag7/crc16-bisync", "ideal", "ideal:bits=2-9"),
    {
      minLength: 2,
      maxLength: 3,
    },
  ),
);
const settings = fc.record({
  topology: fc.constantFrom(...Object.keys(TOPOLOGIES)),
  chip: chips,
  design: fc.constantFrom("one", "per_stage", "per_port", "recombining", "random"),
  seeds: fc.constantFrom("switch", "none"),
  seed: fc.integer({ min: 0, max: 2 ** 31 }),
});

/** The verdict and the measured groups of its worst pair of racks and of a drawn one. */
function compare(topology: Topology, parameters: object, seed: number) {
  const found = assigned(topology, parameters);
  if (found === undefined) return undefined;
  const { model, check } = found;
  const { correlated, uneven } = check;
  const random = new Random(seed);
  const draw = (below: number) => random.int(below);
  const racks = topology.racks.length;
  const from = draw(racks);
  const to = (from + 1 + draw(racks - 1)) % racks;
  const clean = correlated.length === 0 && uneven.length === 0;
  if (clean) {
    // Shares up to 0.005 are ignored: with 16 ports a CV of 0.03.
    for (const { cv, chance, flows } of measure(topology, model, [from, to], FLOWS, draw))
      if (flows > 200) expect(cv).toBeLessThan(0.03 + 2 * chance + 6 * chance);
  } else if (correlated.length > 0) {
    const [worst] = correlated;
    const groups = measure(topology, model, [worst!.from, worst!.to], FLOWS, draw);
    const cvs = groups.filter(({ node, flows }) => node === worst!.second.node && flows > 200);
    // Of equal ports the CV is at least twice the share that must move.
    for (const own of cvs.slice(0, 1))
      expect(Math.max(...cvs.map(({ cv }) => cv))).toBeGreaterThan(
        1.2 * worst!.polarisedShare - 6 * own.chance,
      );
  }
  return clean;
}

describe("the verdict of the check of paths is what flows show", () => {
  it("for drawn chips, designs and topologies", () => {
    const verdicts = { clean: 0, not: 0 };
    fc.assert(
      fc.property(settings, ({ topology, seed, ...parameters }) => {
        const clean = compare(TOPOLOGIES[topology]!, parameters, seed);
        if (clean !== undefined) verdicts[clean ? "clean" : "not"]++;
      }),
      { numRuns: 36 },
    );
    expect(verdicts.clean).toBeGreaterThan(5);
    expect(verdicts.not).toBeGreaterThan(5);
  });
});

describe("a fabric that is polarised is never called free of dependences", () => {
  const polarised: [string, object][] = [
    ["an ideal function without seeds", { chip: "ideal", design: "one" }],
    [
      "an ideal function for each stage, without seeds",
      { chip: "ideal", design: "per_stage", seeds: "none" },
    ],
    ["two names of one polynomial", { chip: ["crc-16/modbus", "crc-16/usb"], design: "per_stage" }],
    ["one name twice", { chip: ["rtag7/xor16", "rtag7/xor16"], design: "per_stage" }],
    [
      "slices that overlap",
      { chip: ["rtag7/crc16-bisync:bits=0-7", "rtag7/crc16-bisync:bits=2-9"], design: "per_stage" },
    ],
    [
      "slices of an ideal function that overlap",
      { chip: ["ideal:bits=0-7", "ideal:bits=2-9"], design: "per_stage", seeds: "none" },
    ],
    [
      "functions of RTAG7 that share a byte",
      { chip: ["rtag7/crc16-bisync:bits=8-15", "rtag7/crc16-bisync-xor8:bits=8-15"], design: "per_stage" },
    ],
  ];
  it.each(polarised)("%s", (_, parameters) => {
    const { check } = assigned(jupiter, parameters)!;
    expect(check.correlated[0]!.polarisedShare).toBeGreaterThanOrEqual(0.25);
    expect(compare(jupiter, parameters, 1)).toBe(false);
  });

  it.each(polarised.slice(2, 6))(
    "and recombining does not use them as two functions: %s",
    (_, { chip }: { chip?: unknown }) => {
      expect(assigned(jupiter, { chip })).toBeUndefined();
    },
  );

  it("RTAG7's functions by stages 2 and 4 are those that do not depend on each other", () => {
    expect(compare(jupiter, { chip: "rtag7", reuse: [2, 4] }, 1)).toBe(true);
    const { check } = assigned(jupiter, { chip: "rtag7", reuse: [2, 4] })!;
    expect(check).toMatchObject({ correlated: [], uneven: [], drawn: [], compared: [] });
  });
});

describe("a function with too few values for a group", () => {
  const wide = build({
    kind: "jupiter",
    server_blocks: 2,
    tors_per_block: 4,
    stage2_per_block: 8,
    stage3_per_block: 8,
    tor_links: 1,
    spine_blocks: 2,
    stage4_per_server_block: 4,
    stage5_per_spine_block: 8,
    hosts_per_rack: 1,
  });

  it("is not taken by recombining: RTAG7's folds to two bits and to one leave ports of eight unused", () => {
    expect(() =>
      hashing.hashAssignment!(wide, hashing.parameters.parse({ chip: "rtag7", reuse: [2, 4] })),
    ).toThrow("or have too few values for its groups");
    expect(compare(wide, { chip: "six", reuse: [2, 4] }, 1)).toBe(true);
  });
});

describe("what is not proved is named", () => {
  it("an ideal function with a seed for each switch: drawn headers alone say that seeds are independent", () => {
    const { check } = assigned(jupiter, { chip: "ideal", design: "per_stage" })!;
    expect(check).toMatchObject({ correlated: [], uneven: [], drawn: [] });
    expect(check.compared).toEqual([{ first: "ideal", second: "ideal" }]);
  });

  it("a function with fewer values than slots is uneven alone", () => {
    const { check } = assigned(jupiter, { chip: ["rtag7/crc16-bisync-xor1:bits=0-7"], design: "one" })!;
    expect(check.uneven[0]).toMatchObject({ slots: 8, movedShare: 0.75 });
  });
});
