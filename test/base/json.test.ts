import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { notJson } from "../../src/base/index.js";

describe("notJson", () => {
  it("finds nothing in a value that JSON gives back as it was", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(notJson(value)).toBeUndefined();
      }),
    );
  });

  class Version {
    number = 1;
  }

  it.each([
    ["a function", { rates: { at: () => 1 } }, "rates.at", "a function"],
    ["a map", { flows: [1, new Map()] }, "flows.1", "an object of class Map"],
    ["an object of a class", { version: new Version() }, "version", "an object of class Version"],
    ["a bigint", { address: 1n }, "address", "a bigint"],
    ["NaN", [Number.NaN], "0", "NaN"],
    ["undefined", { left: undefined }, "left", "undefined"],
    ["a symbol", Symbol("s"), "", "a symbol"],
  ])("finds %s with its place", (_what, value, path, what) => {
    expect(notJson(value)).toEqual({ path, what });
  });
});
