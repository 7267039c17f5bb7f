/** Conditions of checksums that a deparser updates: what the open compiler takes and refuses. */
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

  it.each([
    "md.m == 1",
    "md.session != 0",
    "hdr.d.isValid() || hdr.x.isValid()",
    "md.m == hdr.d.a",
    "md.m[0:0] == 1",
    "hdr.d.isValid() && md.m[0:0] == 1",
  ])("is refused where it is %s", (condition) => expect(under(condition)).toEqual(["P44052"]));

  it("is joined with those of the ifs around it, and of joined ones none is a comparison", () => {
    const nested = (outer: string) =>
      under(
        "hdr.x.isValid()",
        `if (${outer}) { if (hdr.d.isValid()) { hdr.x.sum = sum.update({ hdr.x.v }); } }`,
      );
    expect(nested("hdr.x.isValid()")).toEqual([]);
    expect(nested("md.m == 1")).toEqual(["P44052"]);
  });

  it("concerns updates of checksums alone", () => {
    expect(under("hdr.x.isValid()", "if (md.m == 1) { mirror.emit(md.session); }")).toEqual([]);
  });
});
