/** Questions about places that the passes ask: whether two can be the same storage, what an expression reads, and what statements change. */
import { describe, expect, it } from "vitest";
import {
  binary,
  cast,
  elementAt,
  field,
  number,
  valid,
  variable,
} from "../../../../src/toolchain/p4/lower/build.js";
import type { AggregateType, Expr, IrTable, IrType, Stmt } from "../../../../src/toolchain/p4/lower/ir.js";
import { bits } from "../../../../src/toolchain/p4/lower/ir-types.js";
import {
  indexesOf,
  isFixedPlace,
  isPlace,
  mayChange,
  mayOverlap,
  readsFrom,
  rootOf,
  samePlace,
} from "../../../../src/toolchain/p4/lower/places.js";
import { effectsOf, mapExpr, mapOperands, operandsOf } from "../../../../src/toolchain/p4/lower/walk.js";

const byte = bits(8);
const fields = (...names: string[]) => names.map((name) => ({ name, type: byte, annotations: [] }));
const header: AggregateType = { kind: "header", name: "h_t", fields: fields("p", "q") };
const union: AggregateType = {
  kind: "union",
  name: "u_t",
  fields: ["a", "b"].map((name) => ({ name, type: header, annotations: [] })),
};
const stack: IrType = { kind: "stack", element: header, size: 3 };
const struct: AggregateType = {
  kind: "struct",
  name: "s_t",
  fields: [
    { name: "h", type: header, annotations: [] },
    { name: "u", type: union, annotations: [] },
    { name: "k", type: stack, annotations: [] },
    { name: "n", type: byte, annotations: [] },
  ],
};
const local = (name: string, type: IrType, role: "local" | "parameter" = "local"): Expr =>
  variable({ name, type, role, span: undefined });

const s = local("s", struct);
const t = local("t", struct);
const i = local("i", byte);
const data = local("data", byte, "parameter");
const h = field(s, "h");
const u = field(s, "u");
const k = field(s, "k");
const at = (index: Expr): Expr => ({ kind: "element", base: k, index, type: header, span: undefined });
const next: Expr = { kind: "stackProperty", base: k, property: "next", type: header, span: undefined };
const lastIndex: Expr = {
  kind: "stackProperty",
  base: k,
  property: "lastIndex",
  type: bits(32),
  span: undefined,
};
const slice = (operand: Expr): Expr => ({
  kind: "slice",
  operand,
  high: 3,
  low: 0,
  type: bits(4),
  span: undefined,
});
const lookahead: Expr = { kind: "lookahead", offset: 0, type: byte, span: undefined };
const one = number(1n, byte);

/** Expressions by name, for tables of cases. */
const E: Record<string, Expr> = {
  s,
  t,
  i,
  data,
  one,
  next,
  lastIndex,
  lookahead,
  "s.h": h,
  "s.h.p": field(h, "p"),
  "s.h.q": field(h, "q"),
  "t.h.p": field(field(t, "h"), "p"),
  "s.n": field(s, "n"),
  "s.u": u,
  "s.u.a": field(u, "a"),
  "s.u.b": field(u, "b"),
  "s.u.b.p": field(field(u, "b"), "p"),
  "s.k": k,
  "s.k[0]": elementAt(k, 0),
  "s.k[0].p": field(elementAt(k, 0), "p"),
  "s.k[1]": elementAt(k, 1),
  "s.k[1].p": field(elementAt(k, 1), "p"),
  "s.k[1].q": field(elementAt(k, 1), "q"),
  "s.k[i]": at(i),
  "s.k[i].p": field(at(i), "p"),
  "s.k[s.n].p": field(at(field(s, "n")), "p"),
  "s.k[i + 1].p": field(at(binary("+", i, one, byte)), "p"),
  "s.n[3:0]": slice(field(s, "n")),
  "s.k[i].p[3:0]": slice(field(at(i), "p")),
  "s.n + i": binary("+", field(s, "n"), i, byte),
  "data + 1": binary("+", data, one, byte),
  "(bit<4>) s.h.p": cast(field(h, "p"), bits(4)),
  "s.h.isValid()": valid(h),
  "next.p": field(next, "p"),
};
const of = (name: string): Expr => {
  const found = E[name];
  if (found === undefined) throw new Error(`no expression ${name}`);
  return found;
};

describe("an expression", () => {
  it.each<[string, place: boolean, fixed: boolean]>([
    ["s", true, true],
    ["s.h.p", true, true],
    ["s.k[1].p", true, true],
    ["s.k[i].p", true, false],
    ["next", true, false],
    ["next.p", true, false],
    ["lastIndex", false, false],
    ["s.n[3:0]", false, false],
    ["one", false, false],
    ["s.n + i", false, false],
    ["s.h.isValid()", false, false],
  ])("%s is a place: %s, the same whenever it is evaluated: %s", (name, place, fixed) => {
    expect([isPlace(of(name)), isFixedPlace(of(name))]).toEqual([place, fixed]);
  });

  it("belongs to the variable at its root", () => {
    const root = (name: string) => rootOf(of(name))?.name;
    expect(["s", "s.h.p", "s.k[i].p", "next.p", "s.k[i].p[3:0]"].map(root)).toEqual([
      "s",
      "s",
      "s",
      "s",
      "s",
    ]);
    expect(["one", "s.n + i", "s.h.isValid()"].map(root)).toEqual([undefined, undefined, undefined]);
  });

  it("has the indexes on the way to it", () => {
    const inner = field(at(field(at(i), "p")), "q");
    expect(indexesOf(inner)).toEqual([field(at(i), "p")]);
    expect(indexesOf(of("s.k[i].p[3:0]"))).toEqual([i]);
    expect(indexesOf(of("next.p"))).toEqual([]);
    expect(indexesOf(of("s.n + i"))).toEqual([]);
  });
});

describe("two places", () => {
  it.each<[string, string, overlap: boolean, same: boolean]>([
    ["s", "s", true, true],
    ["s", "t", false, false],
    ["s", "s.h.p", true, false],
    ["s.h.p", "s.h.p", true, true],
    ["s.h.p", "s.h.q", false, false],
    ["s.h.p", "t.h.p", false, false],
    ["s.h.p", "s.n", false, false],
    ["s.u.a", "s.u.b", true, false],
    ["s.u.a", "s.u.b.p", true, false],
    ["s.k[0]", "s.k[1]", false, false],
    ["s.k[1]", "s.k[1]", true, true],
    ["s.k[0].p", "s.k[1].p", false, false],
    ["s.k[1].p", "s.k[1].p", true, true],
    ["s.k[1].p", "s.k[1].q", false, false],
    ["s.k[1].q", "s.k[i].p", false, false],
    ["s.k[i].p", "s.k[1].p", true, false],
    ["s.k[i]", "s.k[i]", true, false],
    ["s.k", "next", true, false],
    ["next.p", "s.k[1].p", true, false],
    ["next.p", "s.h.p", false, false],
    ["s.n[3:0]", "s.n", true, false],
    ["s.h", "s.k[0]", false, false],
    ["s.n", "s.k[0]", false, false],
    ["one", "s.n", false, false],
    ["s.n", "s.n + i", false, false],
  ])("%s and %s can overlap: %s, are the same: %s", (a, b, overlap, same) => {
    expect([mayOverlap(of(a), of(b)), mayOverlap(of(b), of(a))]).toEqual([overlap, overlap]);
    expect([samePlace(of(a), of(b)), samePlace(of(b), of(a))]).toEqual([same, same]);
  });
});

describe("reading", () => {
  it.each<[string, string, boolean]>([
    ["s.n", "s.n", true],
    ["s.n", "i", false],
    ["s.n + i", "i", true],
    ["s.n + i", "s.h.p", false],
    ["(bit<4>) s.h.p", "s.h", true],
    ["s.h.isValid()", "s.h", true],
    ["s.h.isValid()", "s.n", false],
    ["s.n[3:0]", "s.n", true],
    ["s.k[i].p", "i", true],
    ["s.k[i].p", "s.k[1].q", false],
    ["s.k[s.n].p", "s.n", true],
    ["s.k[i + 1].p", "i", true],
    ["s.k[i].p[3:0]", "i", true],
    ["lastIndex", "s.k", true],
    ["one", "s", false],
  ])("%s depends on %s: %s", (expr, place, depends) => {
    expect(readsFrom(of(expr), of(place))).toBe(depends);
  });
});

describe("statements that can change a value", () => {
  const assign = (left: string, right = "one"): Stmt => ({
    kind: "assign",
    left: of(left),
    right: of(right),
    span: undefined,
  });
  const inside = (...body: Stmt[]): Stmt => ({
    kind: "if",
    condition: of("s.h.isValid()"),
    whenTrue: [],
    whenFalse: body,
    span: undefined,
  });
  const apply: Stmt = { kind: "apply", table: {} as IrTable, branches: undefined, span: undefined };

  it.each<[string, Stmt[], string, boolean]>([
    ["none", [], "s.n", false],
    ["of another place", [assign("i")], "s.n", false],
    ["of the place", [assign("s.n")], "s.n", true],
    ["of an operand", [assign("i")], "s.n + i", true],
    ["of an index", [assign("i")], "s.k[i].p", true],
    ["that read it only", [assign("i", "s.n")], "s.n", false],
    ["inside another statement", [inside(assign("s.n"))], "s.n", true],
    ["first of two", [assign("s.n"), assign("i")], "s.n", true],
    ["last of two", [assign("i"), assign("s.n")], "s.n", true],
    ["a table, whose actions can write everything", [apply], "s.n", true],
    ["a table, and data of an action, which nothing can write", [apply], "data + 1", false],
    ["a table, and a constant", [apply], "one", false],
    ["a table, and what lies ahead in the packet", [apply], "lookahead", true],
    ["of a header", [{ kind: "validity", header: h, valid: true, span: undefined }], "s.h.isValid()", true],
    [
      "of another header",
      [{ kind: "validity", header: at(one), valid: true, span: undefined }],
      "s.h.isValid()",
      false,
    ],
  ])("%s", (_, body, expr, changes) => {
    expect(mayChange(body, of(expr))).toBe(changes);
  });
});

describe("walking through an expression", () => {
  const condition = of("s.h.isValid()");
  const choice: Expr = {
    kind: "conditional",
    condition,
    whenTrue: i,
    whenFalse: one,
    type: byte,
    span: undefined,
  };
  const list: Expr = { kind: "aggregate", elements: [i, one], type: header, span: undefined };
  const negation: Expr = { kind: "unary", op: "~", operand: i, type: byte, span: undefined };
  const cases: [string, Expr, Expr[]][] = [
    ["field", h, [s]],
    ["stackProperty", next, [k]],
    ["element", at(i), [k, i]],
    ["slice", slice(i), [i]],
    ["unary", negation, [i]],
    ["cast", cast(i, bits(4)), [i]],
    ["binary", binary("+", i, one, byte), [i, one]],
    ["conditional", choice, [condition, i, one]],
    ["valid", condition, [h]],
    ["aggregate", list, [i, one]],
    ["number", one, []],
    ["variable", i, []],
  ];

  it.each(cases)("meets each operand of a %s once, in order, and replaces it", (kind, expr, operands) => {
    expect(expr.kind).toBe(kind);
    expect(operandsOf(expr)).toEqual(operands);
    const replaced = mapOperands(expr, (operand) => (operand === operands.at(-1) ? data : operand));
    expect(operandsOf(replaced)).toEqual(
      operands.map((operand) => (operand === operands.at(-1) ? data : operand)),
    );
    expect({ ...replaced, ...expr }).toEqual(expr);
    const first = mapOperands(expr, (operand) => (operand === operands[0] ? data : operand));
    expect(operandsOf(first)).toEqual(operands.map((operand) => (operand === operands[0] ? data : operand)));
    expect(operandsOf(expr)).toEqual(operands);
  });

  it("keeps the object where nothing changes, so that passes cost nothing where they have nothing to do", () => {
    for (const [kind, expr] of cases)
      if (kind !== "conditional" && kind !== "aggregate") expect(mapExpr(expr, (part) => part)).toBe(expr);
  });

  it("goes from the inside to the outside", () => {
    const seen: string[] = [];
    mapExpr(of("s.n + i"), (part) => {
      seen.push(part.kind);
      return part;
    });
    expect(seen).toEqual(["variable", "field", "variable", "binary"]);
  });
});

describe("what a statement writes and reads", () => {
  const extern = (outs: number[], ...args: string[]): Stmt => ({
    kind: "extern",
    name: "hash",
    instance: undefined,
    args: args.map(of),
    outs,
    result: undefined,
    about: {},
    span: undefined,
  });
  it.each<[string, Stmt, writes: string[], reads: string[]]>([
    ["an assignment", { kind: "assign", left: of("i"), right: of("s.n"), span: undefined }, ["i"], ["s.n"]],
    ["a validity", { kind: "validity", header: h, valid: true, span: undefined }, ["s.h"], []],
    ["a shift", { kind: "shift", stack: k, count: 1, op: "push", span: undefined }, ["s.k"], []],
    ["an extract with a size", { kind: "extract", header: h, size: i, span: undefined }, ["s.h"], ["i"]],
    ["an extract", { kind: "extract", header: h, size: undefined, span: undefined }, ["s.h"], []],
    ["an advance", { kind: "advance", size: i, span: undefined }, [], ["i"]],
    ["an emit", { kind: "emit", header: h, span: undefined }, [], ["s.h"]],
    ["an extern with a result", extern([0], "i", "one", "s.n"), ["i"], ["one", "s.n"]],
    ["an extern with two results", extern([1, 2], "s.n", "i", "s.h"), ["i", "s.h"], ["s.n"]],
    ["an extern without results", extern([], "one", "i"), [], ["one", "i"]],
  ])("%s", (_, stmt, writes, reads) => {
    const effects = effectsOf(stmt);
    expect(effects.writes).toEqual(writes.map(of));
    expect([...effects.reads]).toEqual(reads.map(of));
  });
});
