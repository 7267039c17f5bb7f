/** Zeros that tables write, because values have a container in turn, are operations of their actions. */
import { describe, expect, it } from "vitest";
import type { Access, FitModel, Operation } from "../../../src/toolchain/fit/model/model.js";
import type { PhvAllocation } from "../../../src/toolchain/fit/phv/allocation.js";
import { withZeros } from "../../../src/toolchain/fit/phv/zeros.js";

const bits = (field: string, lo: number, width: number): Access => ({ field, lo, width });
const zero = (write: Access): Operation => ({
  kind: "set",
  write,
  sources: [],
  data: true,
  constant: 0n,
  source: undefined,
});

/** By unit and action: the bits that it writes. */
function modelOf(units: readonly (readonly (readonly Access[])[])[]): FitModel {
  return {
    units: units.map((actions, id) => ({
      id,
      actions: actions.map((writes) => ({ writes, operations: writes.map((write) => zero(write)) })),
    })),
  } as unknown as FitModel;
}

/** Slices of containers with the units that give them their zeros. */
const allocationOf = (...containers: readonly (readonly [Access, (readonly number[])?])[][]): PhvAllocation =>
  ({
    containers: containers.map((slices) => ({
      slices: slices.map(([access, zeroedBy]) => (zeroedBy === undefined ? access : { ...access, zeroedBy })),
    })),
  }) as unknown as PhvAllocation;

const writesIn = (model: FitModel, unit: number) => model.units[unit]!.actions.map(({ writes }) => writes);

describe("zeros of values in turn", () => {
  it("are operations of each action that does not write the bits, for all values that the table begins", () => {
    const [v, w, other] = [bits("v", 0, 8), bits("w", 4, 16), bits("x", 0, 8)];
    const model = modelOf([[[other]], [[], [v], [other]], [[w]]]);
    const zeroed = withZeros(model, allocationOf([[v, [1]], [bits("before", 0, 8)]], [[w, [1, 2]]]));
    expect(writesIn(zeroed, 0)).toEqual([[other]]);
    expect(writesIn(zeroed, 1)).toEqual([
      [v, w],
      [v, w],
      [other, v, w],
    ]);
    expect(writesIn(zeroed, 2)).toEqual([[w]]);
    // A zero is a constant that an instruction takes as data; the other operations stay.
    expect(zeroed.units[1]!.actions[2]!.operations).toEqual([other, v, w].map(zero));
  });

  it("are written beside bits of the same field right below and above, not over any that the action writes", () => {
    const middle = bits("v", 8, 8);
    const model = modelOf([
      [[bits("v", 0, 8)], [bits("v", 16, 8)], [bits("v", 0, 9)], [bits("v", 15, 8)], [bits("v", 0, 24)]],
    ]);
    const added = writesIn(withZeros(model, allocationOf([[middle, [0]]])), 0).map(
      (writes) => writes.length - 1,
    );
    expect(added).toEqual([1, 1, 0, 0, 0]);
  });

  it("leave the model as it is where no table writes any", () => {
    const model = modelOf([[[bits("v", 0, 8)]]]);
    expect(withZeros(model, allocationOf([[bits("v", 0, 8)], [bits("w", 0, 8), []]]))).toBe(model);
  });
});
