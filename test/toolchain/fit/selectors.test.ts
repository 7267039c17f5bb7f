/** Memory and hashes of action selectors by the sizes that a program states, each number as the open compiler gave it. */
import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import { loadTarget } from "../../../src/cli/targets.js";
import { fitProgram, onePipe, pipesOf } from "../../../src/toolchain/fit/index.js";
import type { Resource } from "../../../src/toolchain/fit/place/stage.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { tnaSource } from "./programs.js";

interface Selector {
  readonly constructed?: string;
  readonly pragmas?: string;
  readonly key?: string;
  readonly size?: number;
  /** Fields that an action sets. */
  readonly fields?: number;
  readonly members?: number;
  readonly hasSecondAction?: boolean;
}

function resourcesOf(selector: Selector, ...names: readonly Resource[]): number[] {
  const { constructed = "ap, h, SelectorMode_t.FAIR, 32, 4", pragmas = "", members = 1024 } = selector;
  const { key = "hdr.d.i : exact; hdr.d.t : exact;", size = 8000, fields = 1 } = selector;
  const targets = ["hdr.d.c", "hdr.d.b", "md.m"].slice(0, fields);
  const ingress = `
  Hash<bit<51>>(HashAlgorithm_t.CRC32) h;
  ActionProfile(${members}) ap;
  ActionSelector(${constructed}) s;
  action go(${targets.map((_, i) => `bit<32> v${i}`).join(", ")}) { ${targets.map((to, i) => `${to} = v${i};`).join(" ")} }
  ${pragmas} table t {
    key = { ${key} hdr.d.a : selector; }
    actions = { go; ${selector.hasSecondAction ? "NoAction;" : ""} }
    size = ${size}; implementation = s;
  }`;
  const diagnostics = new Diagnostics();
  const made = compile({ file: tnaSource({ ingress, apply: "t.apply();" }), form: "hardware" }, diagnostics);
  diagnostics.throwIfErrors();
  const { program } = made!;
  const { stages } = fitProgram(onePipe(program, pipesOf(program)[0]!), loadTarget("tofino")).placement;
  return names.map((name) => stages.reduce((sum, stage) => sum + stage[name], 0));
}

const of = (max: number, groups: number, mode = "FAIR"): Selector => ({
  constructed: `ap, h, SelectorMode_t.${mode}, ${max}, ${groups}`,
});
const TERNARY = { key: "hdr.d.b : ternary;", size: 1024 };
const LARGE = { size: 40_000, fields: 3, members: 4096 };

describe("blocks and map RAMs of an action selector", () => {
  it.each<[string, Selector, number, number]>([
    ["one word for a group of up to 120 members", of(120, 4), 7, 2],
    ["1,024 groups in one block", of(32, 1024), 7, 2],
    ["one group more", of(32, 1025), 8, 3],
    ["5,000 groups", of(32, 5000), 11, 6],
    ["two words for 121 members, and one entry in a word of the table", of(121, 4), 11, 2],
    ["two words for 240 members", of(240, 100), 11, 2],
    ["five words for 600 members", of(600, 1000), 15, 6],
    ["31 words, the most without a shift", of(3720, 64), 12, 3],
    ["32 words", of(3721, 64), 12, 3],
    ["as many words as a group can have", of(119_040, 2), 12, 3],
    ["a ternary table", { ...TERNARY, ...of(32, 2000) }, 5, 3],
    ["a ternary table with larger groups", { ...TERNARY, ...of(500, 500) }, 6, 4],
    ["a large table with action data of three fields", { ...LARGE, ...of(32, 2048) }, 25, 3],
    [
      "a large table with larger groups and two actions",
      { ...LARGE, ...of(240, 2048), hasSecondAction: true },
      47,
      5,
    ],
    ["the old constructor, with members of its own", { constructed: "1024, h, SelectorMode_t.FAIR" }, 7, 2],
  ])("%s", (_, selector, srams, mapRams) => {
    expect(resourcesOf(selector, "srams", "map_rams")).toEqual([srams, mapRams]);
  });
});

describe("what a selector takes of hashes", () => {
  const plain = () => resourcesOf(of(120, 4), "hash_bits", "hash_dist_units");
  const more = (selector: Selector) =>
    resourcesOf(selector, "hash_bits", "hash_dist_units").map((one, i) => one - plain()[i]!);

  it("is 14 bits, or 51 where groups keep their packets", () => {
    expect(more(of(120, 4, "RESILIENT"))).toEqual([51 - 14, 0]);
  });

  it("is with larger groups a unit more, for the word of the group: 10 bits up to 31 words, with five more for 992", () => {
    const bits = [121, 3720, 3721, 10_000, 119_040].map((max) => more(of(max, 2)));
    // With one entry a word the four ways have two blocks each.
    const ways = 4;
    expect(bits).toEqual([10, 10, 11, 12, 15].map((choice) => [ways + choice, 1]));
  });
});

describe("what a constructor says of a selector", () => {
  it("goes before the pragmas of its table", () => {
    const pragmas = '@selector_max_group_size(600) @selector_num_max_groups(1000) @mode("resilient")';
    const named = ["srams", "map_rams", "hash_bits"] as const;
    expect(resourcesOf({ ...of(32, 5000), pragmas }, ...named)).toEqual(resourcesOf(of(32, 5000), ...named));
  });
});
