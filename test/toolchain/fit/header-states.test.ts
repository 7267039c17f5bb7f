/** Headers that tables make valid: with which others a packet may have them, and from when on their fields hold something. */
import { describe, expect, it } from "vitest";
import { Lifetimes } from "../../../src/toolchain/fit/phv/lifetimes.js";
import type { PardeParts } from "./programs.js";
import { allocationInputOf, fitWords } from "./tna-fit.js";

const TYPES = "header w_h { bit<8> k; bit<8> a; } header v_h { bit<8> b; bit<8> c; }";
const STATES = `
state first { p.extract(h.k); transition select(h.k.k) { 1: x; 2: y; default: accept; } }
state x { p.extract(h.x); transition select(h.x.b) { 9: z; default: accept; } }
state y { p.extract(h.y); transition accept; }
state z { p.extract(h.z); transition accept; }`;

const fitOf = (apply: string, more: Partial<PardeParts> = {}) =>
  fitWords({
    types: TYPES,
    headers: "v_h made; w_h k; v_h x; v_h y; v_h z;",
    metadata: "bit<8> v; bool f; bool g;",
    states: STATES,
    apply,
    ...more,
  });

describe("headers that no way through the parser has together", () => {
  const excludes = (apply: string) => {
    const { parser } = fitOf(apply).model;
    return [
      parser.exclusiveHeaders("h.x", "h.y"),
      parser.exclusiveHeaders("h.y", "h.x"),
      parser.exclusiveHeaders("h.z", "h.y"),
    ];
  };

  it("may meet where a table makes one valid, whatever the packet has", () => {
    expect(excludes("h.k.a = 1;")).toEqual([true, true, true]);
    expect(excludes("h.y.setInvalid();")).toEqual([true, true, true]);
    expect(excludes("h.y.setValid();")).toEqual([false, false, false]);
  });

  it("exclude each other still where a condition says that the other is not there, and what the parser has with it alone", () => {
    expect(excludes("if (!h.x.isValid()) { h.y.setValid(); }")).toEqual([true, true, true]);
    expect(excludes("if (h.x.isValid()) { h.k.a = 1; } else { h.y.setValid(); }")).toEqual([
      true,
      true,
      true,
    ]);
    expect(excludes("if (!h.x.isValid() && h.k.a == 1) { h.y.setValid(); }")).toEqual([true, true, true]);
    expect(excludes("if (!(h.x.isValid() || h.k.a == 1)) { h.y.setValid(); }")).toEqual([true, true, true]);
    expect(excludes("if (!h.x.isValid() || h.k.a == 1) { h.y.setValid(); }")).toEqual([false, false, false]);
    expect(excludes("if (!h.z.isValid()) { h.y.setValid(); }")).toEqual([false, false, true]);
  });

  it("exclude each other still where a table takes the other one away before, on every way", () => {
    expect(excludes("h.x.setInvalid(); h.z.setInvalid(); h.y.setValid();")).toEqual([true, true, true]);
    expect(excludes("if (h.k.a == 1) { h.x.setInvalid(); } h.y.setValid();")).toEqual([false, false, false]);
    // Where h.x was taken away, h.z can still be there.
    expect(excludes("if (h.k.a == 1) { h.x.setInvalid(); } if (!h.x.isValid()) { h.y.setValid(); }")).toEqual(
      [true, true, false],
    );
  });
});

describe("a field of a header that tables alone make", () => {
  it("holds nothing before a table writes it, or before the deparser", () => {
    const result = fitOf("m.v = h.k.a + 1; h.k.k = m.v; h.made.setValid(); h.made.b = h.k.k;");
    const lifetimes = new Lifetimes(allocationInputOf(result), "ingress");
    const written = lifetimes.of("h.made.b");
    expect(written.from).toBeGreaterThanOrEqual(0);
    expect(lifetimes.of("h.made.c").from).toBeGreaterThan(written.from);
    expect(lifetimes.of("h.x.b").from).toBe(-1);
  });
});

describe("a truth value that the parser sets", () => {
  it("is a constant, and no one where it is false", () => {
    const states = STATES.replace("state first {", "state first { m.f = false; m.g = true;");
    const { parser } = fitOf("if (m.f || m.g) { h.k.a = 1; }", { states }).model;
    expect([...parser.takes("ingress")]).toEqual([]);
    expect([...parser.gives("ingress")].map((field) => field.split(".").at(-1))).toEqual(["g"]);
  });
});
