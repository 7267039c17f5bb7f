/** Arrays of values, in metadata and in headers, and values that pass through `int`. */
import { expect, it } from "vitest";
import { Machine } from "../emit/evaluate.js";
import { compileParts } from "./v1model.js";

it("keeps arrays element by element", () => {
  const { program } = compileParts({
    top: "header h_t { bit<8> n; bit<8>[3] parts; }",
    headers: "h_t h;",
    metadata: "bit<8>[3] m; bit<8> i; bit<8> r;",
    states: "state start { pkt.extract(hdr.h); transition accept; }",
    ingress: `meta.m[0] = 10; meta.m[1] = 20; meta.m[2] = 30;
      meta.m[meta.i] = 99;
      hdr.h.parts = meta.m;
      meta.r = hdr.h.parts[meta.i] + meta.m[0];`,
  });
  const type = program.bmv2.header_types.find((one) => one.name === "h_t");
  expect(type!.fields.map((field) => field[0])).toEqual(["n", "parts[0]", "parts[1]", "parts[2]"]);
  for (const [i, expected] of [
    [0n, 198n],
    [2n, 109n],
  ] as const) {
    const memory = new Map([["scalars.meta_t.i", i]]);
    new Machine(program.bmv2, memory).pipeline(0);
    expect(memory.get("scalars.meta_t.r")).toBe(expected);
    expect(memory.get(`h.parts[${i}]`)).toBe(99n);
  }
});

it("keeps all bits of a value that is an int in between", () => {
  const { program } = compileParts({
    metadata: "int<8> x; int<8> y; int<16> r;",
    ingress: "meta.r = (int<16>) ((int) meta.x * (int) meta.y + 1);",
  });
  const memory = new Map([
    ["scalars.meta_t.x", -100n],
    ["scalars.meta_t.y", 90n],
  ]);
  new Machine(program.bmv2, memory).pipeline(0);
  expect(memory.get("scalars.meta_t.r")).toBe(-8999n);
});
