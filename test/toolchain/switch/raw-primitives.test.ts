/** Primitives and expressions of the BMv2 JSON ("BMv2 JSON input format") that compilers for v1model rarely write, or never. */
import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../../src/base/index.js";
import type { bmv2 } from "../../../src/toolchain/program/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { ManualClock } from "./golden.js";
import {
  changed,
  digits,
  doing,
  field,
  header,
  hex,
  operation,
  PACKET,
  stack,
  union,
  unionStack,
  type Written,
} from "./raw-program.js";

/** What leaves the switch for {@link PACKET}; undefined: nothing. The variant of the code that traces sends the same. */
function sent(...primitives: readonly Written[]): string | undefined {
  const program = doing(...primitives);
  const [plain, traced] = [undefined, () => {}].map((trace) => {
    const frames: string[] = [];
    const device = new Switch(program, {
      clock: new ManualClock(),
      transmit: (_, frame) => frames.push(toHex(frame)),
      ...(trace === undefined ? {} : { trace }),
    });
    device.receive(1, fromHex(digits(...Object.values(PACKET)))!);
    return frames;
  });
  expect(traced).toEqual(plain);
  return plain![0];
}

const packet = (parts: Partial<Record<keyof typeof PACKET | "z" | "w" | "ut" | "k", string>>): string => {
  const all = { ...PACKET, z: "", w: "", ut: "", k: "", ...parts };
  return digits(all.h, all.i, all.s, all.z, all.u, all.w, all.us, all.ut, all.v, all.k);
};

const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => field("h", name)) as [
  bmv2.Value,
  bmv2.Value,
  bmv2.Value,
  bmv2.Value,
];

/** `PACKET.h` with other fields. */
const h = ({ a = "01", b = "0002", c = "00000003", d = "0000000000000004" }): string => digits(a, b, c, d);

describe("a primitive of arithmetic", () => {
  it.each<[string, Written, string]>([
    ["sets a field, cut to its width", ["modify_field", a, hex("0x1ff")], h({ a: "ff" })],
    ["adds to a field, modulo its width", ["add_to_field", a, hex("0xff")], h({ a: "00" })],
    ["subtracts from a field", ["subtract_from_field", a, hex("0x2")], h({ a: "ff" })],
    ["adds", ["add", b, hex("0xfffe"), field("i", "b")], h({ b: "0004" })],
    ["subtracts", ["subtract", b, hex("0x2"), field("i", "b")], h({ b: "fffc" })],
    ["takes bits of one of two", ["bit_xor", b, hex("0xff05"), field("i", "b")], h({ b: "ff03" })],
    ["takes bits of any of two", ["bit_or", b, hex("0xff01"), field("i", "b")], h({ b: "ff07" })],
    ["takes bits of both", ["bit_and", b, hex("0xff05"), field("i", "b")], h({ b: "0004" })],
    ["shifts left", ["shift_left", b, field("i", "b"), hex("0xe")], h({ b: "8000" })],
    [
      "shifts right, with zeros",
      ["shift_right", d, field("i", "d"), hex("0x3")],
      h({ d: "1000000000000001" }),
    ],
    ["does nothing", ["no_op"], h({})],
  ])("%s", (_, primitive, expected) => {
    expect(sent(primitive)).toBe(packet({ h: expected }));
  });
});

describe("a primitive of headers", () => {
  it.each<[string, Written[], Parameters<typeof packet>[0]]>([
    ["copies a header", [["copy_header", header("h"), header("i")]], { h: PACKET.i }],
    ["copies a header that is invalid", [["assign_header", header("u.p"), header("w.p")]], { u: "" }],
    ["makes a header valid with its fields", [["add_header_fast", header("z[1]")]], { z: "00" }],
    [
      "makes a header valid with zeros",
      [
        ["modify_field", field("z[1]", "x"), hex("0x7")],
        ["add_header", header("z[1]")],
      ],
      { z: "00" },
    ],
    ["leaves a valid header as it is", [["add_header", header("h")]], {}],
    ["copies a stack", [["assign_header_stack", stack("z"), stack("s")]], { z: PACKET.s }],
    ["copies a union", [["assign_union", union("w"), union("u")]], { w: PACKET.u }],
    ["copies a union without a valid header", [["assign_union", union("u"), union("w")]], { u: "" }],
    [
      "copies a stack of unions",
      [["assign_union_stack", unionStack("ut"), unionStack("us")]],
      { ut: PACKET.us },
    ],
    [
      "copies fields of variable length",
      [
        ["add_header", header("k")],
        ["assign_VL", field("k", "data"), field("v", "data")],
      ],
      { k: "00 0c0d" },
    ],
    ["makes the other member of a union invalid", [["add_header", header("u.q")]], { u: "0000" }],
    [
      "makes the other member of a copied union invalid",
      [["copy_header", header("u.q"), header("us[0].q")]],
      { u: "0102" },
    ],
    ["pushes", [["push", stack("s"), hex("0x1")]], {}],
    ["pushes an element out", [["push", stack("s"), hex("0x2")]], { s: "09" }],
    ["pushes all elements out", [["push", stack("s"), hex("0x7")]], { s: "" }],
    ["pops", [["pop", stack("s"), hex("0x1")]], { s: "0a" }],
    ["pops all elements", [["pop", stack("s"), hex("0x7")]], { s: "" }],
    ["pushes no element", [["push", stack("s"), hex("0x0")]], {}],
    ["pops the elements of a stack of unions", [["pop", unionStack("us"), hex("0x1")]], { us: "" }],
    ["pushes the elements of a stack of unions", [["push", unionStack("us"), hex("0x1")]], {}],
  ])("%s", (_, primitives, expected) => {
    expect(sent(...primitives)).toBe(packet(expected));
  });

  it.each<[string, Written]>([
    ["drops the packet", ["drop"]],
    ["drops the packet where an assertion fails", ["assert", { type: "bool", value: false }]],
    ["drops the packet where an assumption fails", ["assume", { type: "bool", value: false }]],
  ])("%s", (_, primitive) => {
    expect(sent(primitive)).toBeUndefined();
  });

  it.each<[string, Written, Parameters<typeof packet>[0]]>([
    [
      "sets a member of the last element of a stack of unions",
      ["assign", { type: "union_stack_field", value: ["us", "q", "y"] }, hex("0xabcd")],
      { us: "abcd" },
    ],
    [
      "sets a field of the last element of a stack",
      ["assign", { type: "stack_field", value: ["s", "x"] }, hex("0xab")],
      { s: "09 ab" },
    ],
    [
      "sets a field by its number",
      ["assign", operation("access_field", header("h"), 0), hex("0xab")],
      { h: h({ a: "ab" }) },
    ],
    [
      "sets a field of an element by its number",
      [
        "assign",
        operation("access_field", operation("dereference_header_stack", stack("s"), hex("0x1")), 0),
        hex("0xab"),
      ],
      { s: "09 ab" },
    ],
    ["copies metadata onto themselves", ["copy_header", header("scalars"), header("scalars")], {}],
    ["leaves metadata valid", ["remove_header", header("scalars")], {}],
  ])("%s", (_, primitive, expected) => {
    expect(sent(primitive)).toBe(packet(expected));
  });

  it("ends the control where an assumption fails", () => {
    for (const [holds, counts] of [
      [false, 0n],
      [true, 1n],
    ] as const) {
      const device = new Switch(doing(["assume", { type: "bool", value: holds }]), {
        clock: new ManualClock(),
        transmit: () => {},
      });
      device.receive(1, fromHex(digits(...Object.values(PACKET)))!);
      const [first] = device.query([{ kind: "counter", counter: "TheIngress.hits", index: 0 }]);
      expect(first).toMatchObject({ data: { packets: counts } });
      expect(device.stats.drops.assertion).toBe(holds ? 0 : 1);
    }
  });
});

/** The element of a stack at an index. */
const at = (index: bmv2.Value): bmv2.Value => operation("dereference_header_stack", stack("s"), index);
const last = (name: string, member: string): bmv2.Value => ({ type: "stack_field", value: [name, member] });

describe("an expression", () => {
  it.each<[string, bmv2.Value, bigint]>([
    ["- x", operation("-", null, b), 2n ** 64n - 2n],
    ["+ x", operation("+", null, b), 2n],
    ["~ x", operation("~", null, b), 2n ** 64n - 3n],
    ["x * y, wider than 32 bits", operation("*", hex("0xffffffff"), hex("0xffffffff")), 0xfffffffe00000001n],
    ["x / y", operation("/", field("i", "c"), b), 3n],
    ["x % y", operation("%", field("i", "c"), b), 1n],
    ["x << y beyond the width", operation("<<", b, hex("0x50")), 0n],
    ["x >> y beyond the width", operation(">>", field("i", "d"), hex("0x50")), 0n],
    ["a negative constant", hex("-0x3"), 2n ** 64n - 3n],
    ["a field by its number", operation("access_field", header("h"), hex("0x2")), 3n],
    ["two's complement of the largest width", operation("two_comp_mod", b, hex("0x2000")), 2n],
    ["true as a number", { type: "bool", value: true }, 1n],
    ["a comparison as a number", operation("<", b, c), 1n],
    ["b2d of a comparison", operation("b2d", null, operation(">=", b, c)), 0n],
    ["x ? y : z", operation("?", hex("0x11"), hex("0x22"), operation("==", b, hex("0x2"))), 0x11n],
    ["x ? y : z, otherwise", operation("?", hex("0x11"), hex("0x22"), operation("!=", b, hex("0x2"))), 0x22n],
    ["two's complement", operation("two_comp_mod", hex("0x18f"), hex("0x8")), 2n ** 64n - 0x71n],
    ["signed saturation, above", operation("sat_cast", hex("0x80"), hex("0x8")), 0x7fn],
    ["signed saturation, below", operation("sat_cast", hex("-0x81"), hex("0x8")), 2n ** 64n - 0x80n],
    ["unsigned saturation, above", operation("usat_cast", hex("0x100"), hex("0x8")), 0xffn],
    ["unsigned saturation, below", operation("usat_cast", hex("-0x1"), hex("0x8")), 0n],
    ["the number of elements that were extracted", operation("size_stack", null, stack("s")), 2n],
    ["the index of the last element", operation("last_stack_index", null, stack("s")), 1n],
    ["the last element", last("s", "x"), 0x0an],
    ["the last element of a stack without one: the first", operation("+", last("z", "x"), hex("0x1")), 1n],
    ["validity of the last element", last("z", "$valid$"), 0n],
    ["an element by a field", operation("access_field", at(operation("-", c, b)), 0), 0x0an],
    ["an element beyond the end: the last one", operation("access_field", at(field("i", "d")), 0), 0n],
    ["the first element", operation("access_field", at(hex("0x0")), 0), 0x09n],
    ["validity of a union", field("u", "$valid$"), 1n],
    ["validity of a union without a valid header", field("w", "$valid$"), 0n],
    ["validity of a header", field("i", "$valid$"), 1n],
    [
      "the last element of a stack of unions",
      { type: "union_stack_field", value: ["us", "q", "y"] },
      0x0102n,
    ],
  ])("%s", (_, value, expected) => {
    const text = expected.toString(16).padStart(16, "0");
    expect(sent(["assign", d, value])).toBe(packet({ h: h({ d: text }) }));
    expect(sent(["assign", wrapped(d), wrapped(value)])).toBe(packet({ h: h({ d: text }) }));
  });
});

it("a field is set by its number, also where that is written as digits", () => {
  for (const number of [1, hex("0x1")])
    expect(sent(["assign", operation("access_field", header("h"), number), hex("0xab")])).toBe(
      packet({ h: h({ b: "00ab" }) }),
    );
});

it("mark_to_drop of a header that is a copy of the standard metadata sets its field alone", () => {
  const program = changed((made) => {
    const text = JSON.stringify(made).replaceAll('["h","b"]', '["h","egress_spec"]');
    Object.assign(made, JSON.parse(text));
    const type = made.header_types.find(({ fields }) => fields.some(([name]) => name === "d"))!;
    type.fields[1]![0] = "egress_spec";
    const act = made.actions.find(({ name }) => name === "TheIngress.act")!;
    act.primitives = [{ op: "mark_to_drop", parameters: [header("h")] }];
  });
  const frames: string[] = [];
  const transmit = (_: number, frame: Uint8Array) => frames.push(toHex(frame));
  new Switch(program, { clock: new ManualClock(), transmit }).receive(
    1,
    fromHex(digits(...Object.values(PACKET)))!,
  );
  expect(frames).toEqual([packet({ h: h({ b: "01ff" }) })]);
});

describe("a log message", () => {
  const string = (value: string) => ({ type: "string", value }) as bmv2.Value;
  const list = (...value: bmv2.Value[]): bmv2.Value => ({ type: "parameters_vector", value });
  it.each<[string, bmv2.Value[], string]>([
    ["without numbers", [string("all")], "all"],
    ["with numbers", [string("{} and {}"), list(b, d)], "2 and 4"],
    ["with a negative number", [string("<{}>"), list(operation("-", c, hex("0x5")))], "<-2>"],
    ["with a number of two words", [string("{}"), list(field("i", "d"))], String(0x8000000000000008n)],
    ["with more places than numbers", [string("{}, {}"), list(b)], "2, "],
  ])("%s", (_, parameters, expected) => {
    for (const trace of [undefined, () => {}]) {
      const logged: string[] = [];
      const device = new Switch(doing(["log_msg", ...parameters]), {
        clock: new ManualClock(),
        transmit: () => {},
        log: (text) => logged.push(text),
        ...(trace === undefined ? {} : { trace }),
      });
      device.receive(1, fromHex(digits(...Object.values(PACKET)))!);
      expect(logged).toEqual([expected]);
    }
  });

  it("needs no listener", () => {
    expect(sent(["log_msg", string("{}"), list(b)])).toBe(packet({}));
  });
});

describe("a register", () => {
  const cells: bmv2.Value = { type: "register_array", value: "TheIngress.cells" };
  const cell = (index: string): bmv2.Value => ({ type: "register", value: ["TheIngress.cells", hex(index)] });
  const write: Written = ["register_write", cells, hex("0x3"), hex("0x1ffff")];
  it.each<[string, Written[], string]>([
    ["is read without a sign", [write, ["register_read", d, cells, hex("0x3")]], "000000000000ffff"],
    ["is read without a sign in an expression", [write, ["assign", d, cell("0x3")]], "000000000000ffff"],
    [
      "beyond its end leaves the field as it is",
      [write, ["register_read", d, cells, hex("0x4")]],
      "0000000000000004",
    ],
    ["beyond its end is 0 in an expression", [write, ["assign", d, cell("0x4")]], "0000000000000000"],
    [
      "is smaller than a number of one bit more",
      [write, ["assign", d, operation("b2d", null, operation("<", cell("0x3"), hex("0x10000")))]],
      "0000000000000001",
    ],
  ])("%s", (_, primitives, expected) => {
    expect(sent(...primitives)).toBe(packet({ h: h({ d: expected }) }));
  });
});

/** The same value, each part of it as an expression of its own, as compilers write it in places. */
function wrapped(value: bmv2.Value): bmv2.Value {
  if (value.type !== "expression") return { type: "expression", value };
  const inner = value.value;
  if (!("op" in inner)) return value;
  const part = <T extends bmv2.Value | number | null>(operand: T): T | bmv2.Value =>
    operand === null || typeof operand === "number" ? operand : wrapped(operand);
  const keeps = ["two_comp_mod", "sat_cast", "usat_cast", "access_field", "access_union_header"].includes(
    inner.op,
  );
  return {
    type: "expression",
    value: {
      type: "expression",
      value: {
        ...inner,
        left: part(inner.left),
        right: keeps ? inner.right : part(inner.right),
        ...(inner.cond == null ? {} : { cond: wrapped(inner.cond) }),
      },
    },
  } as bmv2.Value;
}

describe("a condition", () => {
  const member = (name: string, number: number) => operation("access_union_header", union(name), number);
  const unionAt = (index: string) => operation("dereference_union_stack", unionStack("us"), hex(index));
  it.each<[string, bmv2.Value, boolean]>([
    ["true", { type: "bool", value: true }, true],
    ["a field that is not 0", b, true],
    ["a field that is 0", field("z[0]", "x"), false],
    ["and", operation("and", operation("d2b", null, b), { type: "bool", value: false }), false],
    ["or", operation("or", { type: "bool", value: false }, operation("d2b", null, b)), true],
    ["not", operation("not", null, operation("d2b", null, b)), false],
    ["< of equal numbers", operation("<", b, b), false],
    ["> of equal numbers", operation(">", b, b), false],
    ["<= of equal numbers", operation("<=", b, b), true],
    [">= of equal numbers", operation(">=", b, b), true],
    ["> of a larger number", operation(">", c, b), true],
    ["<= of a larger number", operation("<=", c, b), false],
    ["a negative number below a field", operation("<", hex("-0x1"), b), true],
    ["two Boolean values", operation("==", operation("d2b", null, b), { type: "bool", value: true }), true],
    [
      "two Boolean values that differ",
      operation("!=", operation("d2b", null, b), operation("not", null, { type: "bool", value: true })),
      true,
    ],
    ["a header that is valid", operation("valid", null, header("u.p")), true],
    ["a header that is invalid", operation("valid", null, header("u.q")), false],
    ["an element of a stack that is valid", operation("valid", null, at(hex("0x1"))), true],
    ["an element of a stack that is invalid", operation("valid", null, at(hex("0x2"))), false],
    ["a union with a valid header", operation("valid_union", null, union("u")), true],
    ["a union without one", operation("valid_union", null, union("w")), false],
    ["an element of a stack of unions", operation("valid_union", null, unionAt("0x0")), true],
    [
      "an element of a stack of unions that is invalid",
      operation("valid_union", null, unionAt("0x1")),
      false,
    ],
    ["a member of a union", operation("valid", null, member("u", 0)), true],
    ["the other member of a union", operation("valid", null, member("u", 1)), false],
    ["equal headers", operation("==", header("h"), header("h")), true],
    ["headers of different fields", operation("==", header("h"), header("i")), false],
    ["headers of different validity", operation("==", header("s[0]"), header("z[0]")), false],
    ["two invalid headers", operation("==", header("z[0]"), header("z[1]")), true],
    ["equal elements of a stack", operation("==", at(hex("0x1")), at(hex("0x1"))), true],
    ["different elements of a stack", operation("==", at(hex("0x0")), at(hex("0x1"))), false],
    ["equal members of unions", operation("==", member("u", 0), header("u.p")), true],
    ["equal elements of a stack of unions", operation("==", unionAt("0x0"), unionAt("0x0")), true],
    ["different elements of a stack of unions", operation("==", unionAt("0x0"), unionAt("0x1")), false],
    ["a comparison that is true", operation("==", operation("<", b, c), { type: "bool", value: true }), true],
    ["equal unions", operation("==", union("u"), union("u")), true],
    ["unions with different members", operation("==", union("u"), unionAt("0x0")), false],
    ["unions of which one is invalid", operation("!=", union("u"), union("w")), true],
    ["equal fields of variable length", operation("==", field("v", "data"), field("v", "data")), true],
    ["fields of different length", operation("==", field("v", "data"), field("k", "data")), false],
    [
      "a choice of two conditions",
      operation("?", operation("d2b", null, b), { type: "bool", value: false }, operation("<", b, c)),
      true,
    ],
  ])("%s: %s", (_, value, holds) => {
    const chosen = operation("?", hex("0x1"), hex("0x0"), value);
    expect(sent(["assign", a, chosen], ["assign", d, operation("b2d", null, value)])).toBe(
      packet({ h: h({ a: holds ? "01" : "00", d: holds ? "0000000000000001" : "0000000000000000" }) }),
    );
    expect(sent(["assign", d, operation("b2d", null, wrapped(value))])).toBe(
      packet({ h: h({ d: holds ? "0000000000000001" : "0000000000000000" }) }),
    );
  });
});

describe("a jump", () => {
  const set = (value: string): Written => ["assign", a, hex(value)];
  it.each<[string, Written[], string]>([
    ["leaves out what it passes", [["_jump", hex("0x2")], set("0x5"), ["no_op"]], "01"],
    ["beyond the end ends the action", [["_jump", hex("0x9")], set("0x5")], "01"],
    [
      "is taken where the value is 0",
      [["_jump_if_zero", field("z[0]", "x"), hex("0x2")], set("0x5"), ["no_op"]],
      "01",
    ],
    [
      "is not taken where the value is not 0",
      [["_jump_if_zero", b, hex("0x2")], set("0x5"), ["no_op"]],
      "05",
    ],
    [
      "backward repeats",
      [
        ["add_to_field", a, hex("0x1")],
        ["_jump_if_zero", operation(">=", a, hex("0x8")), hex("0x0")],
      ],
      "08",
    ],
  ])("%s", (_, primitives, expected) => {
    expect(sent(...primitives)).toBe(packet({ h: h({ a: expected }) }));
  });

  it("without an end drops the packet", () => {
    expect(sent(["_jump", hex("0x0")])).toBeUndefined();
  });
});
