/** Designs: who has which function, what the check of all paths finds, and what is refused with which words. */
import { describe, expect, it } from "vitest";
import { checkPaths, representativePairs } from "../../../../src/fabric/paths/index.js";
import { schemeNamed } from "../../../../src/fabric/schemes/index.js";
import type { Topology } from "../../../../src/fabric/topology/index.js";
import { build, example, messagesOf } from "../../topology/load.js";

const hashing = schemeNamed("hashing")!;

function planned(topology: Topology, parameters: object) {
  return hashing.plan(topology, hashing.parameters.parse(parameters));
}

function checked(topology: Topology, parameters: object) {
  const plan = planned(topology, parameters);
  const used = Number(/: (\d+) of/.exec(plan.notes![0]!)![1]);
  return { used, ...checkPaths(topology, plan.pathModel!(), { pairs: representativePairs(topology) }) };
}

const jupiter = example("jupiter");
/** A ring of six blocks, each linked with four others; the two links of a switch of the third stage to a block are not neighbours. */
const mesh = build({
  kind: "spineless",
  wiring: "ring",
  blocks: 6,
  tors_per_block: 2,
  stage2_per_block: 2,
  stage3_per_block: 2,
  links_per_pair: 4,
  hosts_per_rack: 1,
});
const EIGHT = ["21", "35", "49", "51", "6b", "77", "8d", "99"].map((byte) => `crc16/0x10${byte}`);

describe("a Jupiter-like Clos", () => {
  it("needs eight functions by port, and six where stages 2 and 4 use theirs again downwards (figure 8)", () => {
    expect(checked(jupiter, { design: "per_port", chip: EIGHT })).toMatchObject({ used: 8, correlated: [] });
    expect(checked(jupiter, { design: "recombining", reuse: [2, 4] })).toMatchObject({
      used: 6,
      correlated: [],
    });
  });

  it("needs five where each stage may, and two where stages that are all linked with each other recombine", () => {
    expect(checked(jupiter, { reuse: "stage" })).toMatchObject({ used: 5, correlated: [] });
    expect(checked(jupiter, { reuse: "any" })).toMatchObject({ used: 2, correlated: [] });
  });

  it("is polarised by one function, whatever the seeds: the first choice decides the second (theorem 1)", () => {
    for (const seeds of ["none", "switch"]) {
      const { correlated } = checked(jupiter, { design: "one", seeds });
      // The ToR's 8 slots and the 4 next hops of the second stage share two bits: one of the four is left.
      expect(correlated[0]).toMatchObject({ polarisedShare: 0.75, hash: "rtag7/crc16-bisync" });
      const first = correlated.find(({ path }) => path.length === 2)!;
      expect(first.path).toEqual(["tor0-0", expect.stringMatching(/^s2b0-/)]);
      expect(jupiter.nodes[first.first.node]!.name).toBe("tor0-0");
    }
  });
});

describe("a spineless mesh with transit", () => {
  it("meets a function of the third stage twice on a path, and coprime sizes cure it", () => {
    const [worst] = checked(mesh, { design: "per_port", routing: "transit" }).correlated;
    // Up from the third stage, over the third and second stage of the transit block, to its third stage (figure 10).
    expect(worst!.path.map((name) => name.replace(/\d*-.*/, ""))).toEqual([
      "tor",
      "s2b",
      "s3b",
      "s3b",
      "s2b",
      "s3b",
    ]);
    expect(worst).toMatchObject({ polarisedShare: 0.5, hash: "rtag7/crc32-high", second: { slots: 2 } });
    for (const sizes of [undefined, [16, 57]])
      expect(checked(mesh, { design: "coprime", routing: "transit", sizes }).correlated).toEqual([]);
  });

  it("needs no cure with direct links alone (figure 9)", () => {
    expect(checked(mesh, { design: "per_port" }).correlated).toEqual([]);
  });
});

describe("what is refused", () => {
  const refused = (topology: Topology, parameters: object) => messagesOf(() => planned(topology, parameters));

  it("a polynomial of the wrong width, and an even one", () => {
    expect(refused(jupiter, { chip: ["crc16/0x18005"] })).toContain(
      'error[P45201]: "crc16/0x18005": the polynomial has 17 bits\nnote: a CRC of 16 bits has 16 below its top term, which is not written: 0x8005',
    );
    expect(refused(jupiter, { chip: ["crc32/0x04c11db6"] })).toContain("the polynomial is even");
  });

  it("an unknown function, and a slice that it does not have", () => {
    expect(refused(jupiter, { chip: ["rtag7/crc16-bisinc"] })).toContain(
      'did you mean "rtag7/crc16-bisync"?',
    );
    expect(refused(jupiter, { chip: ["rtag7/xor16:bits=8-16"] })).toContain("it has bits 0 to 15");
  });

  it("more functions than the chip has", () => {
    expect(refused(jupiter, { design: "per_port" })).toContain(
      "error[P45204]: per_port needs 8 functions, and the chip has 6",
    );
    expect(refused(jupiter, { reuse: [2], chip: EIGHT.slice(0, 6) })).toContain(
      "recombining needs more than the 6 functions",
    );
  });

  it("sizes that are not coprime, or larger than a group of the chip", () => {
    const coprime = { design: "coprime", routing: "transit" };
    expect(refused(mesh, { ...coprime, sizes: [16, 58] })).toContain(
      "error[P45203]: 16 and 58 are not coprime\nnote: with 16, the best size up to 128 is 127",
    );
    expect(refused(mesh, { ...coprime, sizes: [128, 129] })).toContain(
      "error[P45207]: a group has 129 entries",
    );
  });

  it("a path that no stage recombines", () => {
    expect(refused(mesh, { design: "recombining", routing: "transit" })).toMatch(
      /error\[P45205\]: no stage between s3b0-\d and s3b\d-\d recombines the colours[^\n]*\nnote: the path is tor/,
    );
  });

  it("transit where there are no blocks, and weights of 0", () => {
    expect(refused(jupiter, { routing: "transit" })).toContain(
      "error[P45206]: jupiter is no mesh of server blocks",
    );
    expect(() => hashing.parameters.parse({ weights: [2, 0] })).toThrow("expected a weight, at least 1");
  });
});

describe("what people are told of an assignment", () => {
  const notesOf = (topology: Topology, parameters: object) =>
    hashing.hashAssignment!(topology, hashing.parameters.parse(parameters)).notes;

  it("groups that no function can fill evenly are named with their CV (theorem 2 on a Clos)", () => {
    const clos = build({
      kind: "jupiter",
      server_blocks: 3,
      tors_per_block: 6,
      stage2_per_block: 4,
      stage3_per_block: 4,
      tor_links: 2,
      spine_blocks: 2,
      stage4_per_server_block: 4,
      stage5_per_spine_block: 8,
      hosts_per_rack: 1,
    });
    // Slots of 8 next hops of which five have 2 and three have 1: standard deviation 0.484, mean 1.625.
    const floor =
      /^Groups of \d+ slots for \d next hops are uneven by their slots alone: CV 0\.[1-9]\d\d\. Larger groups, or a design with equal slots, make them even\.$/;
    expect(notesOf(clos, { design: "coprime" })[1]).toMatch(floor);
    expect(planned(clos, { design: "coprime" }).notes![1]).toMatch(floor);
    expect(notesOf(clos, { design: "per_stage" })).toHaveLength(1);
    // Two next hops with 2 slots, four with 1: standard deviation 0.471, mean 1.333.
    expect(notesOf(mesh, { design: "coprime", routing: "transit", sizes: [8, 13] })[1]).toContain(
      "Groups of 8 slots for 6 next hops are uneven by their slots alone: CV 0.354.",
    );
  });

  it("a fabric without choices uses no function", () => {
    const single = build({ kind: "leaf_spine", tors: 2, leaves: 1, homing: "single" });
    expect(notesOf(single, {})).toEqual([
      "Design recombining: no switch chooses between next hops, so no function is in use.",
    ]);
  });

  it("the chip's numbers of groups and members hold for an assignment as for a program", () => {
    expect(() => notesOf(jupiter, { chip_groups: 1, chip_members: 2 })).toThrow("P45207");
  });
});
