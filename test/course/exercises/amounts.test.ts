/** Ranges of numbers and shares in the tests of exercises. */
import { describe, expect, it } from "vitest";
import { inRange, rangeSchema, rangeText } from "../../../src/course/exercises/amounts.js";

const range = (text: string | number) => rangeSchema.safeParse(text);

describe("a range", () => {
  it.each([
    [3, "3"],
    ["3..5", "3..5"],
    ["3..", "3.."],
    ["..5", "..5"],
    ["40%..60%", "40%..60%"],
    ["40% .. 60%", "40%..60%"],
  ])("%s is read", (text, shown) => {
    const read = range(text);
    expect(read.success).toBe(true);
    expect(rangeText(read.data!)).toBe(shown);
  });

  it.each(["", "..", "5%6", "6..5", "40%..60", "40..60%", "x"])("%s is none", (text) => {
    expect(range(text).success).toBe(false);
  });

  it("of shares counts parts of the whole, bounds included", () => {
    const share = range("40%..60%").data!;
    expect([39, 40, 60, 61].map((value) => inRange(share, value, 100))).toEqual([false, true, true, false]);
    expect(inRange(share, 0, 0)).toBe(false);
  });
});
