/** What each stage waits for, by what the units in it touch: one rule of the compiler's a test. */
import { describe, expect, it } from "vitest";
import { chainOf, padded, type Wait, waitsOf } from "../../../src/toolchain/fit/latency/waits.js";
import type { Access, Unit } from "../../../src/toolchain/fit/model/model.js";
import type { PhvAllocation } from "../../../src/toolchain/fit/phv/allocation.js";
import type { Placement } from "../../../src/toolchain/fit/place/placement.js";

interface Touches {
  key?: readonly string[];
  reads?: readonly string[];
  writes?: readonly string[];
  operands?: readonly string[];
  address?: readonly string[];
  gress?: "ingress" | "egress";
  spill?: boolean;
}

/** `a` is a field of 8 bits, `a:4` its upper half, `a.4` its lower one. */
const bits = (text: string): Access => ({
  field: text[0]!,
  lo: text.endsWith(":4") ? 4 : 0,
  width: text.length > 1 ? 4 : 8,
});
const accesses = (names: readonly string[] = []) => names.map(bits);

/** By stage: its units. Containers hold `a` with `b`, `c` in halves, `m` in a mocha one; `x` has none. */
function waits(
  stages: readonly (readonly Touches[])[],
  change: Partial<Parameters<typeof waitsOf>[3]> = {},
): Wait[] {
  const parts = stages.flatMap((units, stage) =>
    units.map(({ key, reads, writes, operands, address, gress = "ingress", spill = false }) => ({
      stage,
      spill: spill ? {} : undefined,
      unit: {
        ...{ gress, hashes: [], condition: undefined, implementation: undefined },
        key: accesses(key).map((access) => ({ access })),
        actions: [{ reads: accesses(reads), writes: accesses(writes) }],
        attached: [{ operands: accesses(operands), address: { inputs: accesses(address) } }],
      } as unknown as Unit,
    })),
  );
  const container = (index: number, names: readonly string[], more: object = {}) => ({
    ...{ kind: "normal", size: 16, index, gress: "ingress" },
    slices: accesses(names),
    ...more,
  });
  const containers = [
    container(0, ["a", "b"]),
    container(1, ["c:4"]),
    container(2, ["c.4"]),
    container(3, ["m"], { kind: "mocha" }),
    // The other gress has a container in which both are.
    container(4, ["d", "e"], { gress: "egress" }),
  ];
  return waitsOf({ parts } as unknown as Placement, { containers } as unknown as PhvAllocation, "ingress", {
    stages: stages.length,
    chip: { always_waits: null, mocha_waits: false } as Parameters<typeof waitsOf>[3]["chip"],
    reaches: () => true,
    ...change,
  });
}

const first = (writes: string): Touches => ({ writes: [writes] });

describe("a stage waits", () => {
  it("for results that a key, an operand of an ALU or an address has", () => {
    expect(waits([[], []])).toEqual(["match", "none"]);
    expect(waits([[first("a")], [{ key: ["a"] }]])).toEqual(["match", "match"]);
    expect(waits([[first("a")], [{ operands: ["a"] }]])).toEqual(["match", "match"]);
    expect(waits([[first("a")], [{ address: ["a"] }]])).toEqual(["match", "match"]);
    expect(waits([[first("a")], [{ key: ["m"] }]])).toEqual(["match", "none"]);
  });

  it("for actions where an action reads or writes the container", () => {
    expect(waits([[first("a")], [{ reads: ["a"] }]])).toEqual(["match", "action"]);
    expect(waits([[first("a")], [{ writes: ["b"] }]])).toEqual(["match", "action"]);
    expect(waits([[first("a")], [{ writes: ["m"] }]])).toEqual(["match", "none"]);
    // The longest of what it waits for.
    expect(waits([[first("a")], [{ writes: ["b"] }, { key: ["b"] }]])).toEqual(["match", "match"]);
  });

  it("by containers: those of other bits of a field are others, a field without one stands for itself", () => {
    expect(waits([[first("c.4")], [{ key: ["c:4"] }]])).toEqual(["match", "none"]);
    expect(waits([[first("c.4")], [{ key: ["c"] }]])).toEqual(["match", "match"]);
    expect(waits([[first("x")], [{ key: ["x"] }]])).toEqual(["match", "match"]);
    expect(waits([[first("x")], [{ key: ["y"] }]])).toEqual(["match", "none"]);
    expect(waits([[first("d")], [{ key: ["e"] }]])).toEqual(["match", "none"]);
  });

  it("for units of its gress that a packet can have been in, and not for blocks of a register that continues", () => {
    expect(waits([[first("a")], [{ key: ["a"] }]], { reaches: () => false })).toEqual(["match", "none"]);
    expect(waits([[{ ...first("a"), gress: "egress" }], [{ key: ["a"] }]])).toEqual(["match", "none"]);
    expect(waits([[{ ...first("a"), spill: true }], [{ key: ["a"] }]])).toEqual(["match", "none"]);
  });

  it("for what was written since the last stage that waited for results, that stage included", () => {
    const other = { key: ["m"], reads: ["c"] };
    expect(waits([[first("a")], [other], [{ key: ["a"] }]])).toEqual(["match", "none", "match"]);
    // The second stage waits, so the third one has what the first wrote.
    expect(waits([[first("a")], [{ key: ["a"] }], [{ key: ["a"] }]])).toEqual(["match", "match", "none"]);
    expect(waits([[], [first("a")], [first("c")], [{ key: ["c"], reads: ["a"] }]])).toEqual([
      ...["match", "none", "none", "match"],
    ]);
  });

  it("always where the chip says so, and for a mocha container that it looks at", () => {
    const chip = (always: number | null, mocha: boolean) => ({
      chip: { always_waits: always, mocha_waits: mocha } as Parameters<typeof waitsOf>[3]["chip"],
    });
    expect(waits([[], [], []], chip(1, false))).toEqual(["match", "match", "none"]);
    const stages = [[], [{ key: ["m"] }], [{ reads: ["m"] }], [{ key: ["a"] }]];
    expect(waits(stages, chip(null, true))).toEqual(["match", "match", "none", "none"]);
    expect(waits(stages, chip(null, false))).toEqual(["match", "none", "none", "none"]);
  });
});

describe("a chain of stages", () => {
  it("begins with one that waits for results and ends before the next one", () => {
    const list: Wait[] = ["match", "none", "action", "match", "none"];
    expect(list.map((_, stage) => chainOf(list, stage))).toEqual([
      ...Array.from({ length: 3 }, () => ({ from: 0, to: 2 })),
      ...Array.from({ length: 2 }, () => ({ from: 3, to: 4 })),
    ]);
  });
});

describe("stages that wait to make a gress longer", () => {
  it("are the first ones, as few as are enough", () => {
    const cyclesOf = (list: readonly Wait[]) => 10 * list.filter((one) => one === "match").length;
    const short: Wait[] = ["match", "none", "action", "none"];
    expect(padded(short, 10, cyclesOf)).toEqual(short);
    expect(padded(short, 25, cyclesOf)).toEqual(["match", "match", "match", "none"]);
    expect(padded(short, 90, cyclesOf)).toEqual(["match", "match", "match", "match"]);
  });
});
