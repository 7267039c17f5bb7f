/** Sizes of selectors' groups, and selectors that tables share: what the open compiler takes and refuses. */
import { describe, expect, it } from "vitest";
import { tnaSource } from "./programs.js";
import { fitTna } from "./tna-fit.js";

const codesOf = (parts: Parameters<typeof tnaSource>[0]) =>
  fitTna(tnaSource(parts)).diagnostics.flatMap(({ code, severity }) => (severity === "error" ? [code] : []));

describe("a selector of two tables", () => {
  const shared = (size: number, second = "s") =>
    codesOf({
      ingress: `
  Hash<bit<51>>(HashAlgorithm_t.CRC32) h;
  ActionProfile(1024) ap;
  ActionSelector(ap, h, SelectorMode_t.FAIR, ${size}, 4) s;
  ActionSelector(ap, h, SelectorMode_t.FAIR, ${size}, 4) other;
  action go(bit<32> v) { hdr.d.c = v; }
  table t { key = { hdr.d.a : exact; hdr.d.b : selector; } actions = { go; } size = 64; implementation = s; }
  table u { key = { hdr.d.i : exact; hdr.d.b : selector; } actions = { go; } size = 64; implementation = ${second}; }`,
      apply: "if (hdr.d.t == 1) { t.apply(); } else { u.apply(); }",
    });

  it("has groups of one word of memory", () => {
    expect(shared(120)).toEqual([]);
    expect(shared(121)).toEqual(["P44051"]);
  });

  it("is one selector, and not two of one profile", () => {
    expect(shared(121, "other")).toEqual([]);
  });

  it("has groups of at least one member and at most the memory of one", () => {
    expect(shared(0, "other")).toContain("P44050");
    expect(shared(119_041, "other")).toContain("P44050");
    expect(shared(119_040, "other")).toEqual([]);
  });
});
