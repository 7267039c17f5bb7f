/** Expressions of a BMv2 program as text, and the fields that they read. */
import { describe, expect, it } from "vitest";
import type { bmv2 } from "../../../../src/toolchain/program/index.js";
import { expressionText, fieldsOf } from "../../../../src/toolchain/switch/codegen/expression-text.js";
import { field, header, hex, operation, stack, union } from "../raw-program.js";

const [a, b] = [field("h", "a"), field("h", "b")];
const yes: bmv2.Value = { type: "bool", value: true };

describe("the text of", () => {
  it.each<[string, bmv2.Value]>([
    ["h.a", a],
    ["h.isValid()", field("h", "$valid$")],
    ["metadata.x", field("scalars", "metadata.x")],
    ["metadata.x", field("scalars_0", "metadata.x")],
    ["metadata.x", field("scalars_12", "metadata.x")],
    ["scalarsx.y", field("scalarsx", "y")],
    ["s.x", { type: "stack_field", value: ["s", "x"] }],
    ["us.p.x", { type: "union_stack_field", value: ["us", "p", "x"] }],
    ["r[h.a]", { type: "register", value: ["r", a] }],
    ["parameter 3", { type: "runtime_data", value: 3 }],
    ["parameter 3", { type: "local", value: 3 }],
    ["lookahead(8, 16)", { type: "lookahead", value: [8, 16] } as never],
    ["h.a, h.b", { type: "parameters_vector", value: [a, b] }],
    ["0x1f", hex("0x001f")],
    ["0x0", hex("0x00")],
    ["-0x5", hex("-0x05")],
    ["0x10", hex("0x10")],
    ["true", yes],
    ["(h.a && true)", operation("and", a, yes)],
    ["(h.a || true)", operation("or", a, yes)],
    ["(h.a + h.b)", operation("+", a, b)],
    ["(h.a == (h.a << 0x2))", operation("==", a, operation("<<", a, hex("0x2")))],
    ["-h.a", operation("-", null, a)],
    ["+h.a", operation("+", null, a)],
    ["~h.a", operation("~", null, a)],
    ["!true", operation("not", null, yes)],
    ["h.a", operation("d2b", null, a)],
    ["true", operation("b2d", null, yes)],
    ["h.isValid()", operation("valid", null, header("h"))],
    ["u.isValid()", operation("valid_union", null, union("u"))],
    ["s.lastIndex", operation("last_stack_index", null, stack("s"))],
    ["s.size", operation("size_stack", null, stack("s"))],
    ["s[h.a]", operation("dereference_header_stack", stack("s"), a)],
    ["us[h.a].1", operation("access_union_header", operation("dereference_union_stack", stack("us"), a), 1)],
    ["h.2", operation("access_field", header("h"), 2)],
    ["(int<0x8>) h.a", operation("two_comp_mod", a, hex("0x8"))],
    ["(int<0x8>) h.a", operation("sat_cast", a, hex("0x8"))],
    ["(int<0x8>) h.a", operation("usat_cast", a, hex("0x8"))],
    ["(true ? h.a : h.b)", operation("?", a, b, yes)],
  ])("%s", (text, value) => {
    expect(expressionText(value)).toBe(text);
  });
});

describe("the fields that an expression reads", () => {
  it.each<[string, bmv2.Value, bmv2.FieldRef[]]>([
    [
      "are named once, in the order of the text",
      operation("+", b, operation("*", a, b)),
      [
        ["h", "b"],
        ["h", "a"],
      ],
    ],
    [
      "are those of a condition and both choices",
      operation("?", a, hex("0x1"), operation("<", b, hex("0x2"))),
      [
        ["h", "b"],
        ["h", "a"],
      ],
    ],
    ["are those of an operand alone", operation("~", null, a), [["h", "a"]]],
    [
      "are the validity of a header",
      operation("not", null, operation("valid", null, header("h"))),
      [["h", "$valid$"]],
    ],
    [
      "are no field for the validity of an element",
      operation("valid", null, operation("dereference_header_stack", stack("s"), hex("0x1"))),
      [],
    ],
    ["are those of a register's index", { type: "register", value: ["r", a] }, [["h", "a"]]],
    ["are none in a constant", hex("0x1"), []],
    [
      "leave out those of stacks by index",
      operation("access_field", operation("dereference_header_stack", stack("s"), a), 0),
      [["h", "a"]],
    ],
  ])("%s", (_, value, fields) => {
    expect(fieldsOf(value)).toEqual(fields);
  });
});
