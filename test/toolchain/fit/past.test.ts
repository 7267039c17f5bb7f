/** Bytes of headers that go past the pipeline, and lists of them that are cut together, on Tofino 2: as the open compiler does it. */
import { describe, expect, it } from "vitest";
import { loadTarget } from "./golden.js";
import { type PardeParts, pardeSource } from "./programs.js";
import { fitTna } from "./tna-fit.js";

/** The parts of the headers of ingress that stand in containers: `field[from..to] in size`. */
function containersOf(parts: PardeParts): string[] {
  const source = pardeSource({ arch: "t2na", ...parts, apply: `tm.ucast_egress_port = 2; ${parts.apply}` });
  const { phv, verdict } = fitTna(source, loadTarget("tofino2"));
  expect(verdict).toBe("placed");
  return phv
    .allocation!.containers.filter(({ gress }) => gress === "ingress")
    .flatMap(({ size, slices }) =>
      slices
        .filter(({ field }) => /^h\.[a-z]+\.[a-z]+$/.test(field) || field.startsWith("scalars.m."))
        .map(({ field, lo, width }) => `${field}[${lo}..${lo + width - 1}] in ${size}`),
    )
    .sort();
}

const twoHeaders = {
  types: "header a_h { bit<32> x; bit<32> y; } header b_h { bit<64> z; }",
  headers: "a_h a; b_h b;",
  states:
    "state first { p.extract(h.a); transition second; } state second { p.extract(h.b); transition accept; }",
};

describe("headers side by side go past the pipeline", () => {
  it("whole, where they stay side by side", () => {
    expect(containersOf({ ...twoHeaders, apply: "" })).toEqual([]);
  });

  it("with three bytes between them, where a table takes the first one away", () => {
    const apply = "if (ig.ingress_port == 3) { h.a.setInvalid(); }";
    expect(containersOf({ ...twoHeaders, apply })).toEqual(["h.a.y[0..15] in 16", "h.a.y[16..23] in 8"]);
  });

  it("with three bytes between them, where a table makes another one that is sent between them", () => {
    const apply = "if (ig.ingress_port == 3) { h.c.setValid(); h.c.w = 5; }";
    const types = `${twoHeaders.types} header c_h { bit<8> w; }`;
    const between = containersOf({ ...twoHeaders, types, headers: "a_h a; c_h c; b_h b;", apply });
    expect(between).toEqual(["h.a.y[0..15] in 16", "h.a.y[16..23] in 8", "h.c.w[0..7] in 8"]);
    const behind = containersOf({ ...twoHeaders, types, headers: "a_h a; b_h b; c_h c;", apply });
    expect(behind).toEqual(["h.c.w[0..7] in 8"]);
  });

  it("with what a table sets at the end of the first one and one byte before it", () => {
    const types = "header a_h { bit<48> x; bit<16> y; } header b_h { bit<64> z; }";
    expect(containersOf({ ...twoHeaders, types, apply: "h.a.y = 7;" })).toEqual([
      "h.a.x[0..7] in 8",
      "h.a.y[0..15] in 16",
    ]);
  });

  it("with what a table sets in the middle of one", () => {
    const types = "header a_h { bit<32> x; bit<16> y; bit<16> w; } header b_h { bit<64> z; }";
    expect(containersOf({ ...twoHeaders, types, apply: "h.a.y = 7;" })).toEqual(["h.a.y[0..15] in 16"]);
  });

  it("without a checksum that is computed under a condition and one byte behind it", () => {
    const types = "header a_h { bit<32> x; bit<16> y; bit<16> w; bit<32> v; } header b_h { bit<64> z; }";
    const deparser = "if (m.on == 1) { h.a.y = sum.update({ h.a.x, h.a.w }); }";
    const places = containersOf({
      ...twoHeaders,
      types,
      metadata: "bit<1> on;",
      deparserLocals: "Checksum() sum;",
      deparser,
      apply: "m.on = 0; if (ig.ingress_port == 3) { m.on = 1; }",
    });
    expect(places).toContain("h.a.y[0..15] in 16");
    expect(places).toContain("h.a.x[0..7] in 8");
  });
});

describe("lists of header bytes that operations tie", () => {
  const lists = {
    types: "header a_h { bit<16> x; bit<16> y; } header b_h { bit<16> z; bit<16> w; }",
    headers: "a_h a; b_h b;",
    metadata: "bit<16> e;",
    states: "state first { p.extract(h.a); p.extract(h.b); transition accept; }",
    controls: `action set(bit<16> v) { m.e = v; } action get() { m.e = h.a.x; } action put(bit<16> v) { h.a.x = m.e; h.a.y = v; }
      action other(bit<16> v) { h.b.z = m.e; h.b.w = v; }
      table t { key = { h.a.y : exact; } actions = { set; get; } size = 64; }
      table u { key = { m.e : exact; } actions = { put; other; } size = 64; }`,
    apply: "t.apply(); u.apply();",
  };

  it("stay whole, and the value between them takes a container as large", () => {
    expect(containersOf(lists)).toEqual([
      "h.a.x[0..15] in 32",
      "h.a.y[0..15] in 32",
      "h.b.w[0..15] in 32",
      "h.b.z[0..15] in 32",
      "scalars.m.e[0..15] in 32",
    ]);
  });

  it("are cut where one of them is shorter", () => {
    const types = "header a_h { bit<16> x; bit<16> y; } header b_h { bit<16> z; }";
    const controls = lists.controls.replace(" h.b.w = v;", " tm.mcast_grp_a = v;");
    expect(containersOf({ ...lists, types, controls })).toEqual([
      "h.a.x[0..15] in 16",
      "h.a.y[0..15] in 16",
      "h.b.z[0..15] in 16",
      "scalars.m.e[0..15] in 16",
    ]);
  });
});
