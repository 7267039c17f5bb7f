/** Words of the groups of an action selector, and the bits that choose among them, from the sizes alone. */
import { describe, expect, it } from "vitest";
import {
  groupLengthBits,
  hasWideGroups,
  mostMembers,
  selectorHashBits,
  selectorLines,
  wordChoiceBits,
} from "../../../src/toolchain/fit/memory/selectors.js";
import type { Implementation } from "../../../src/toolchain/fit/model/model.js";
import { loadTarget } from "./golden.js";

const tofino = loadTarget("tofino");
const rmt = loadTarget("rmt");

const selector = (maxGroup: number, groups = 4, isResilient = false) => ({
  ...{ name: undefined, inputs: [], maxGroup, groups, isResilient },
});
const withGroups = (maxGroup: number): Implementation => ({
  ...{ name: "s", named: true, members: 64, selector: selector(maxGroup) },
});

describe("groups of an action selector", () => {
  it("have a word for 120 members, at least one, for each group", () => {
    const lines = [0, 1, 120, 121, 240, 241].map((most) => selectorLines(selector(most, 5), tofino));
    expect(lines).toEqual([5, 5, 5, 10, 10, 15]);
    expect(selectorLines(selector(100_000, 5), rmt)).toBe(5);
  });

  it("have at most 31 words 32 times", () => {
    expect(mostMembers(tofino)).toBe(120 * 31 * 32);
    expect(mostMembers(rmt)).toBeUndefined();
  });

  it("are wide with more than one word", () => {
    expect([120, 121].map((most) => hasWideGroups(withGroups(most), tofino))).toEqual([false, true]);
    expect(hasWideGroups(undefined, tofino)).toBe(false);
    expect(hasWideGroups({ ...withGroups(9), selector: undefined }, tofino)).toBe(false);
  });

  it("state their length as a number up to 31 and how far it is moved, and choose by a remainder and as many bits", () => {
    const words = [1, 2, 3, 4, 7, 8, 31, 32, 62, 63, 124, 128, 992];
    const bits = words.map((count) => {
      const group = withGroups(120 * count);
      return [count, groupLengthBits(group, tofino), wordChoiceBits(group, tofino)];
    });
    // 63 words are more than 31 moved by one place.
    expect(bits).toEqual([
      [1, 0, 0],
      [2, 2, 10],
      [3, 2, 10],
      [4, 3, 10],
      [7, 3, 10],
      [8, 4, 10],
      [31, 5, 10],
      [32, 6, 11],
      [62, 6, 11],
      [63, 6, 11],
      [124, 7, 12],
      [128, 7, 13],
      [992, 8, 15],
    ]);
  });

  it("have more bits of a hash where a member that fails moves only its own packets", () => {
    const [fair, resilient] = [false, true].map((one) => selectorHashBits(selector(8, 4, one), tofino));
    expect([fair, resilient]).toEqual([tofino.selector.hash_bits, tofino.selector.resilient_hash_bits]);
    expect(resilient!).toBeGreaterThan(fair!);
    const none = { ...tofino, selector: { ...tofino.selector, hash_bits: null, resilient_hash_bits: null } };
    expect(selectorHashBits(selector(8), none)).toBe(0);
  });
});
