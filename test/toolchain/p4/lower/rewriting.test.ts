/**
 * The passes between elaboration and BMv2's JSON keep the meaning of a program: loops that are written out or stay, statements that cannot
 * run, tables in several places, hidden actions and their names.
 */
import { describe, expect, it } from "vitest";
import { SourceFile } from "../../../../src/base/index.js";
import { fault, known, ofKind } from "../../../../src/toolchain/p4/lower/ir.js";
import { values } from "./packets.js";
import { compileParts, type Parts, tryCompile, v1model } from "./v1model.js";

/** The body of ingress after a pass. */
function ingressAfter(pass: string, parts: Parts): string {
  const text = compileParts({ metadata: "bit<8> x; bit<8> y; bit<16> w; bit<8>[4] l;", ...parts }).dumps.get(
    pass,
  )!;
  const control = text.slice(text.indexOf("\ncontrol I {"), text.indexOf("\ncontrol E {"));
  return control.slice(control.indexOf("    apply {"));
}

const hasLoop = (parts: Parts): boolean => ingressAfter("unroll-loops", parts).includes("for (");
const counted = (count: number, body = "meta.w = meta.w + 1;") =>
  `for (bit<16> i = 0; i < ${count}; i = i + 1) { ${body} }`;
const TABLE =
  "action a() { meta.x = 5; } table t { key = { meta.y: exact; } actions = { a; } const default_action = a(); }";

describe("a loop", () => {
  it.each<[string, Parts, boolean]>([
    ["of 3 iterations is written out", { ingress: counted(3) }, false],
    ["of 256 iterations is written out", { ingress: counted(256) }, false],
    ["of 257 iterations stays", { ingress: counted(257) }, true],
    [
      "in an action stays, since an action can jump back",
      { locals: `action b() { ${counted(3)} }`, ingress: "b();" },
      true,
    ],
    ["that applies a table stays", { locals: TABLE, ingress: counted(3, "t.apply();") }, true],
    [
      "that applies a table in a branch stays",
      { locals: TABLE, ingress: counted(3, "if (meta.x == 1) { t.apply(); }") },
      true,
    ],
    ["whose body changes its variable stays", { ingress: counted(3, "i = i + 1;") }, true],
    [
      "whose end a packet decides stays",
      { ingress: "for (bit<8> i = 0; i < meta.x; i = i + 1) { meta.y = 1; }" },
      true,
    ],
    [
      "whose end is a local with a known value is written out",
      { ingress: `bit<16> n = 3; for (bit<16> i = 0; i < n; i = i + 1) { meta.w = i; }` },
      false,
    ],
    [
      "whose end is a computed known value is written out",
      { ingress: `bit<16> n = 3; n = n + 2; for (bit<16> i = 0; i < n; i = i + 1) { meta.w = i; }` },
      false,
    ],
    [
      "whose end the packet has changed stays",
      { ingress: `bit<16> n = 3; n = meta.w; for (bit<16> i = 0; i < n; i = i + 1) { meta.y = 1; }` },
      true,
    ],
    [
      "whose end a branch has changed stays",
      {
        ingress: `bit<16> n = 3; if (meta.x == 1) { n = 5; } for (bit<16> i = 0; i < n; i = i + 1) { meta.y = 1; }`,
      },
      true,
    ],
    [
      "whose end a register has changed stays",
      {
        locals: "register<bit<16>>(1) r;",
        ingress: `bit<16> n = 3; r.read(n, 0); for (bit<16> i = 0; i < n; i = i + 1) { meta.y = 1; }`,
      },
      true,
    ],
    [
      "whose end an action of a table can change stays",
      {
        locals: `bit<16> n; action b() { n = 5; } table u { actions = { b; NoAction; } }`,
        ingress: `n = 3; u.apply(); for (bit<16> i = 0; i < n; i = i + 1) { meta.y = 1; }`,
      },
      true,
    ],
    [
      "whose end a slice has changed stays",
      {
        ingress: `bit<16> n = 3; n[2:2] = meta.x[0:0]; for (bit<16> i = 0; i < n; i = i + 1) { meta.y = 1; }`,
      },
      true,
    ],
    [
      "inside one that stays is written out",
      { ingress: `for (bit<8> i = 0; i < meta.x; i = i + 1) { ${counted(2)} }` },
      true,
    ],
  ])("%s", (_, parts, stays) => {
    expect(hasLoop(parts)).toBe(stays);
  });

  it("inside one that stays is written out", () => {
    const text = ingressAfter("unroll-loops", {
      ingress: `for (bit<8> j = 0; j < meta.x; j = j + 1) { ${counted(2, "meta.w = i;")} }`,
    });
    expect(text.match(/for \(/g)).toHaveLength(1);
    expect(text).toMatch(/meta\.w = 16w1;/);
  });

  it("that is written out has the value of its variable in each copy: as a value, as an index, in a slice", () => {
    const text = ingressAfter("unroll-loops", {
      ingress: "for (bit<8> i = 0; i < 2; i = i + 1) { meta.l[i] = i + 1; meta.l[i][3:0] = 2; }",
    });
    for (const line of ["meta.l[8w0] = 8w1;", "meta.l[8w1] = 8w2;", "meta.l[8w1][3:0] = 4w2;"])
      expect(text).toContain(line);
  });

  it.each<[string, string, [number, number, number]]>([
    [
      "of 257 iterations",
      "hdr.io.w = 0; for (bit<16> i = 0; i < 257; i = i + 1) { hdr.io.w = hdr.io.w + 1; }",
      [5, 3, 257],
    ],
    [
      "leaves its variable with the last value",
      "bit<8> i; for (i = 0; i < 4; i = i + 1) { hdr.io.b = i; } hdr.io.a = i;",
      [4, 3, 0x102],
    ],
    [
      "leaves its variable at a break",
      "bit<8> i; for (i = 0; i < 9; i = i + 1) { if (i == hdr.io.b) { break; } } hdr.io.a = i;",
      [3, 3, 0x102],
    ],
    [
      "leaves its variable at a break out of a branch, with another one that the update changes",
      "bit<8> i; bit<8> j = 10; for (i = 0; i < 9; i = i + 1, j = j + 2) { if (i == hdr.io.b) { hdr.io.w = 7; break; } } hdr.io.a = i; hdr.io.b = j;",
      [3, 16, 7],
    ],
    ["leaves its variable at a return of a function", "hdr.io.a = first(hdr.io.b);", [3, 3, 0x102]],
    [
      "counts down, by two, with two variables",
      "hdr.io.a = 0; for (bit<8> i = 9, bit<8> j = 1; i > j; i = i - 2, j = j + 1) { hdr.io.a = hdr.io.a + i; hdr.io.b = j; }",
      [21, 3, 0x102],
    ],
    ["never runs", "for (bit<8> i = 0; i > 3; i = i + 1) { hdr.io.a = 0; }", [5, 3, 0x102]],
    [
      "in a loop that ends by the outer one's value",
      "hdr.io.a = 0; for (bit<8> i = 0; i < 3; i = i + 1) { for (bit<8> j = 0; j < i; j = j + 1) { hdr.io.a = hdr.io.a + 1; } }",
      [3, 3, 0x102],
    ],
    [
      "with a bool as condition",
      "bool more = true; hdr.io.a = 0; for (bit<8> i = 0; more; i = i + 1) { hdr.io.a = hdr.io.a + 1; if (i == 2) { more = false; } }",
      [3, 3, 0x102],
    ],
    [
      "whose end an extern writes",
      "bit<8> n = 9; hash(n, HashAlgorithm.identity, 8w0, { hdr.io.b }, 16w256); hdr.io.a = 0; for (bit<8> i = 0; i < n; i = i + 1) { hdr.io.a = hdr.io.a + 1; }",
      [3, 3, 0x102],
    ],
  ])("%s", (_, ingress, expected) => {
    const top =
      "bit<8> first(in bit<8> n) { bit<8> i; for (i = 0; i < 9; i = i + 1) { if (i == n) { return i; } } return 99; }";
    expect(values(ingress, { top })).toEqual(expected);
  });
});

describe("simplification", () => {
  const simplified = (ingress: string, locals = "") => ingressAfter("simplify", { ingress, locals });
  it.each([
    ["after exit", "exit; meta.x = 77;"],
    ["after return", "return; meta.x = 77;"],
    ["after an `if` that leaves on both ways", "if (meta.y == 1) { exit; } else { return; } meta.x = 77;"],
    [
      "after an `if` whose branches end with one",
      "if (meta.y == 1) { if (meta.y == 2) { exit; } else { exit; } } else { meta.y = 1; exit; } meta.x = 77;",
    ],
    ["after a block that leaves", "{ exit; } meta.x = 77;"],
    ["in a branch that is never taken", "if (1 == 2) { meta.x = 77; }"],
    ["in a loop that never runs", "for (bit<8> i = 0; 1 > 2; i = i + 1) { meta.x = 77; }"],
  ])("removes what cannot run: %s", (_, ingress) => {
    expect(simplified(ingress)).not.toContain("77");
  });

  it.each([
    ["after an `if` that leaves on one way", "if (meta.y == 1) { exit; } meta.x = 77;"],
    ["after an `if` with an empty branch", "if (meta.y == 1) { exit; } else { } meta.x = 77;"],
    ["after a loop that is left", "for (bit<8> i = 0; i < meta.y; i = i + 1) { break; } meta.x = 77;"],
    ["after a switch that leaves in each case", "switch (meta.y) { 1: { exit; } } meta.x = 77;"],
  ])("keeps what can: %s", (_, ingress) => {
    expect(simplified(ingress)).toContain("77");
  });

  it("gives a condition one form", () => {
    expect(simplified("if (!(meta.x == 1)) { meta.y = 1; } else { meta.y = 2; }")).toMatch(
      /if \(\(meta\.x == 8w1\)\) \{\s+meta\.y = 8w2;\s+\} else \{\s+meta\.y = 8w1;/,
    );
    expect(simplified("if (meta.x == 1) { } else { meta.y = 2; }")).toMatch(
      /if \(!\(meta\.x == 8w1\)\) \{\s+meta\.y = 8w2;\s+\}/,
    );
    expect(simplified("if (!(meta.x == 1)) { meta.y = 1; }")).toMatch(/if \(!\(meta\.x == 8w1\)\) \{/);
    expect(simplified("if (meta.x == 1) { } else { }")).not.toContain("if (");
  });

  it("drops branches of a table where all are empty, and keeps them where one is not", () => {
    const switched = (one: string, two: string, rest: string) =>
      simplified(
        `switch (t.apply().action_run) { a: { ${one} } b: { ${two} } default: { ${rest} } }`,
        "action a() {} action b() {} action c() {} table t { actions = { a; b; c; } default_action = a; }",
      );
    expect(switched("", "", "")).toContain("I.t.apply();");
    for (const [at, body] of [
      ["meta.x = 1;", "", ""],
      ["", "meta.x = 1;", ""],
      ["", "", "meta.x = 1;"],
    ].entries())
      expect([at, switched(body[0]!, body[1]!, body[2]!).includes("action_run")]).toEqual([at, true]);
    const hit = (yes: string, no: string) =>
      simplified(
        `if (t.apply().hit) { ${yes} } else { ${no} }`,
        "action a() {} table t { actions = { a; } default_action = a; }",
      );
    expect(hit("", "")).toContain("I.t.apply();");
    expect(hit("meta.x = 1;", "")).toContain(".hit");
    expect(hit("", "meta.x = 1;")).toContain(".hit");
  });

  it("drops an assignment of a local to itself, and keeps one of another", () => {
    expect(
      simplified("bit<8> v = meta.x; bit<8> u = meta.y; v = v; meta.x = v; u = v; meta.y = u;"),
    ).not.toContain("v = v;");
    expect(simplified("bit<8> v = meta.x; bit<8> u = meta.y; meta.x = v; u = v; meta.y = u;")).toContain(
      "u = v;",
    );
  });
});

describe("values without bits", () => {
  const parts: Parts = {
    metadata: "bit<0> none; bit<8> r;",
    top: "header p_t { bit<8> p; }",
    headers: "p_t h;",
  };
  const states = (keys: string, cases: string) =>
    `state start { pkt.extract(hdr.io); transition select(${keys}) { ${cases} } } state one { meta.r = 1; transition accept; } state two { meta.r = 2; transition accept; }`;
  it.each<[string, string, string, number]>([
    ["every pattern matches one: the first case counts", "meta.none", "0: one; default: two;", 1],
    ["beside a key that decides", "meta.none, hdr.io.b", "(0, 4): one; (_, 3): two; default: one;", 2],
    ["beside two keys", "hdr.io.a, meta.none, hdr.io.b", "(5, _, 4): one; (5, 0, 3): two; default: one;", 2],
  ])("as keys of select: %s", (_, keys, cases, expected) => {
    expect(values("hdr.io.a = meta.r;", { ...parts, states: states(keys, cases) })[0]).toBe(expected);
  });

  it("are not written, by no statement and no extern", () => {
    const text = ingressAfter("simplify", {
      metadata: parts.metadata!,
      ingress:
        "meta.none = 0; random(meta.none, 0, 0); hash(meta.none, HashAlgorithm.crc16, 16w0, { meta.r }, 16w1); meta.r = 1;",
    });
    expect(text).not.toMatch(/none|random|hash/);
    expect(text).toContain("meta.r = 8w1;");
  });
});

describe("a table in several places", () => {
  const locals =
    "action add() { hdr.io.w = hdr.io.w + 1; } table t { actions = { add; } const default_action = add(); }";
  it.each([1, 2, 3, 256, 257])("%i times in sequence", (count) => {
    const ingress = `hdr.io.w = 0; ${"t.apply(); hdr.io.a = hdr.io.a + 2; ".repeat(count)}`;
    expect(values(ingress, { locals })).toEqual([(5 + 2 * count) % 256, 3, count]);
  });
});

describe("hidden actions", () => {
  const names = (path: string, ingress = "meta.x = 1;") => {
    const { result } = tryCompile(v1model({ metadata: "bit<8> x;", locals: "action a() {}", ingress }), path);
    return result!.program.bmv2.actions.map(({ name }) => name.replace(/\d+$/, "#"));
  };
  it.each([
    ["prog.p4", "prog#"],
    ["some/dir/prog.v2.p4", "prog#"],
    ["12-prog-9.p4", "prog9l#"],
    ["my prog.p4", "myprog#"],
    ["_under.p4", "under#"],
    ["42.+", "act"],
  ])("of the file %s have names like %s", (path, name) => {
    expect(names(path)).toEqual([name]);
  });
});

describe("what the checker must have left", () => {
  const file = new SourceFile("a.p4", "ab\ncd");
  const span = { file, start: 4, end: 5 };
  it("is given as it is, or ends the compiler with the place", () => {
    expect(known(0, span, "gone")).toBe(0);
    expect(() => known(undefined, span, "gone")).toThrow("internal: gone (a.p4:2:2)");
    expect(ofKind({ kind: "a", n: 1 }, "a", span, "gone")).toEqual({ kind: "a", n: 1 });
    expect(() => ofKind<{ kind: string }, string>({ kind: "b" }, "a", span, "no a")).toThrow(
      "internal: no a (a.p4:2:2)",
    );
    expect(() => ofKind<{ kind: string }, string>(undefined, "a", undefined, "no a")).toThrow(
      "internal: no a",
    );
    expect(() => fault(undefined, "gone")).toThrow(/^internal: gone$/);
  });
});
