/** Conditions of checksums that a deparser updates: what the open compiler takes and refuses, and selectors that tables share. */
import { describe, expect, it } from "vitest";
import { tnaSource } from "./programs.js";
import { fitTna } from "./tna-fit.js";

const codesOf = (parts: Parameters<typeof tnaSource>[0]) =>
  fitTna(tnaSource(parts)).diagnostics.flatMap(({ code, severity }) => (severity === "error" ? [code] : []));

describe("a condition of a deparser's checksum", () => {
  const headers = ["x"];
  const parser = "pkt.extract(hdr.x); transition accept; }";
  const under = (condition: string, more = "") =>
    codesOf({
      headers,
      parser,
      apply: "md.session = hdr.d.i[9:0]; md.m = hdr.d.b;",
      deparser: `if (${condition}) { hdr.x.sum = sum.update({ hdr.x.v, hdr.x.w }); } ${more}`,
    });

  it.each(["hdr.d.isValid()", "!hdr.d.isValid()", "hdr.d.isValid() && hdr.x.isValid()"])(
    "is taken where it is %s",
    (condition) => expect(under(condition)).toEqual([]),
  );

  it.each(["md.m == 1", "md.session != 0", "hdr.d.isValid() || hdr.x.isValid()", "md.m == hdr.d.a"])(
    "is refused where it is %s",
    (condition) => expect(under(condition)).toEqual(["P44052"]),
  );

  it("concerns updates of checksums alone", () => {
    expect(under("hdr.x.isValid()", "if (md.m == 1) { mirror.emit(md.session); }")).toEqual([]);
  });
});

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
