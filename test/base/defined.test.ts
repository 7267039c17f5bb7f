import { describe, expect, it } from "vitest";
import { defined } from "../../src/base/index.js";

describe("defined", () => {
  it("gives every value but undefined, also those that count as false", () => {
    for (const value of [0, 0n, "", false, null, Number.NaN]) expect(defined<unknown>(value)).toBe(value);
  });

  it("throws where an element or an entry is missing", () => {
    expect(() => defined([1, 2][2])).toThrow("a value is missing");
    expect(() => defined(new Map([["a", 1]]).get("b"))).toThrow("a value is missing");
  });
});
