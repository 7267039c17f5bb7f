/** The names that keys without @name have for the control plane (P4-16 section 18.3.2): the expression as it is written. */
import { describe, expect, it } from "vitest";
import { compileParts, type Parts, tryCompile, v1model } from "./v1model.js";

const PARTS: Parts = {
  top: `header h_t { bit<8> a; @name("other") bit<8> b; @name(".whole") bit<8> c; } struct s_t { @name("inner") bit<8> d; bit<8> e; } header_union U { h_t one; }
    const bit<8> MASK = 0x0f;`,
  headers: "h_t h; h_t[3] s; U u;",
  metadata: "bit<8> x; s_t sub; bit<8>[2] l; tuple<bit<8>, bit<16>> t;",
};
const withKey = (key: string): Parts => ({
  ...PARTS,
  locals: `bit<8> mine; action a() {} table t { key = { ${key}; } actions = { a; } default_action = a; }`,
  ingress: "mine = 1; t.apply();",
});

describe("a key", () => {
  it.each([
    ["mine", "mine"],
    ["meta.x", "meta.x"],
    ["hdr.h.a", "hdr.h.a"],
    ["hdr.h.b", "hdr.h.other"],
    ["hdr.h.c", "whole"],
    ["meta.sub.d", "meta.sub.inner"],
    ["meta.sub.e", "meta.sub.e"],
    ["hdr.u.one.b", "hdr.u.one.other"],
    ["hdr.s[1].a", "hdr.s[1].a"],
    ["hdr.s[0x2].a", "hdr.s[0x2].a"],
    ["hdr.s[32w0x1].b", "hdr.s[0x1].other"],
    ["hdr.s[32w1].b", "hdr.s[1].other"],
    ["hdr.s[meta.x].a", "hdr.s[meta.x].a"],
    ["meta.l[1]", "meta.l[1]"],
    ["meta.t[0]", "meta.t[0]"],
    ["meta.x[7:4]", "meta.x[7:4]"],
    ["meta.x[0x7:0x4]", "meta.x[0x7:0x4]"],
    ["hdr.h.isValid()", "hdr.h.$valid$"],
    ["hdr.s[2].isValid()", "hdr.s[2].$valid$"],
    ["hdr.u.isValid()", "hdr.u.$valid$"],
    ["meta.x & 0xF0", "meta.x & 0xf0"],
    ["meta.x & 8w0XF0", "meta.x & 0xf0"],
    ["meta.x & 15", "meta.x & 15"],
    ["meta.x & meta.sub.e", "meta.x & meta.sub.e"],
    ["sm.ingress_port", "sm.ingress_port"],
  ])("%s is called %s", (key, name) => {
    const { program } = compileParts(withKey(`${key}: exact`));
    const [table] = program.p4info.tables;
    expect(table!.matchFields.map((field) => field.name)).toEqual([name]);
  });

  it.each([
    "meta.x + 1",
    "meta.x | 1",
    "~meta.x",
    "(bit<8>) meta.sub.e",
    "meta.x ++ meta.x",
    "hdr.s[meta.x + 1].a",
    "meta.x & (meta.sub.e + 1)",
    "(meta.x + 1)[3:0]",
    "meta.x == 1",
  ])("%s needs a name", (key) => {
    expect(tryCompile(v1model(withKey(`${key}: exact`))).codes).toEqual(["P40414"]);
    const { program } = compileParts(withKey(`${key}: exact @name("mine")`));
    expect(program.p4info.tables[0]!.matchFields.map((field) => field.name)).toEqual(["mine"]);
  });
});

it("computed keys have a place of their own, which is filled before each application", () => {
  const { dumps } = compileParts({
    ...PARTS,
    locals: `action a() {} table t { key = { meta.x + 1: exact @name("sum"); meta.x: exact; hdr.h.isValid(): exact; hdr.u.isValid(): exact; } actions = { a; } default_action = a; }`,
    ingress: "t.apply(); meta.x = 9; t.apply();",
  });
  const text = dumps.get("elaborate")!;
  expect(text.match(/key = \(meta\.x \+ 8w1\);/g)).toHaveLength(2);
  expect(text.match(/key_0 = hdr\.u\.isValid\(\);/g)).toHaveLength(2);
  expect(text).toMatch(
    /key: exact @name\("sum"\);\s+meta\.x: exact @name\("meta\.x"\);\s+hdr\.h\.isValid\(\): exact/,
  );
});
