import { describe, expect, it } from "vitest";
import { isSolverFailure } from "../../../src/toolchain/fit/place/exact.js";

describe("failures of the solver", () => {
  it("are the solver's own, not those of the program that it is given or of our code", () => {
    expect(isSolverFailure(new Error("Unable to solve the problem. HiGHS error -1"))).toBe(true);
    expect(isSolverFailure(new RangeError("Unable to allocate WebAssembly memory"))).toBe(true);
    expect(isSolverFailure(Object.assign(new Error("unreachable"), { name: "RuntimeError" }))).toBe(true);
    expect(isSolverFailure(new Error("Unable to read LP model (see HiGHS log). HiGHS error -1"))).toBe(false);
    expect(isSolverFailure(new TypeError("x is undefined"))).toBe(false);
  });
});
