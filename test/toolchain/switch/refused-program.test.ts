/** Programs that the switch cannot run are refused with what and why, before anything changes. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { type bmv2, createP4Info, type Program, readBmv2 } from "../../../src/toolchain/program/index.js";
import { Switch } from "../../../src/toolchain/switch/index.js";
import { ManualClock, startUnconfigured } from "./golden.js";
import {
  changed,
  doing,
  field,
  header,
  hex,
  operation,
  stack,
  union,
  unionStack,
  type Written,
} from "./raw-program.js";

const bad = resolve(import.meta.dirname, "../../bad/switch");

describe("a program that the switch cannot run", () => {
  it("is refused for its size before anything is made", () => {
    const text = readFileSync(resolve(bad, "P41102-too-many-registers.json"), "utf8");
    const bmv2 = readBmv2(new SourceFile("big.json", text), new Diagnostics())!;
    const options = { clock: new ManualClock(), transmit: () => {} };
    expect(() => new Switch({ bmv2, p4info: createP4Info() }, options)).toThrow(/P41102.*2048 MB.*1024 MB/);
  });

  it("is refused with what and why, and the one before stays", async () => {
    const diagnostics = new Diagnostics();
    const text = readFileSync(resolve(bad, "P41101-unknown-primitive.json"), "utf8");
    const bmv2 = readBmv2(new SourceFile("bad.json", text), diagnostics)!;
    const program = { bmv2, p4info: createP4Info() };
    expect(() => new Switch(program, { clock: new ManualClock(), transmit: () => {} })).toThrow(
      /P41101.*action a.*primitive sing/,
    );
    const { device } = startUnconfigured("l3");
    const before = device.program;
    await expect(device.load(program)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    await expect(device.verify(program)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    expect(device.program).toBe(before);
  });
});

/** The message with which the switch refuses a program that the reader of BMv2 JSON takes. */
function refusal(program: Program): string {
  try {
    new Switch(program, { clock: new ManualClock(), transmit: () => {} });
  } catch (error) {
    return String(error);
  }
  return "none";
}

const a = field("h", "a");
const varbit = field("v", "data");
const parameter = (value: number): bmv2.Value => ({ type: "runtime_data", value });
const register = (index: bmv2.Value): bmv2.Value => ({
  type: "register",
  value: ["TheIngress.cells", index],
});

describe("a primitive that the switch cannot run", () => {
  it.each<[string, Written]>([
    ["the action has no parameter number 0", ["assign", a, parameter(0)]],
    ["a jump to a place that varies", ["_jump", a]],
    ["a jump to a place that varies", ["_jump_if_zero", a]],
    ["a primitive with too few parameters", ["assign"]],
    ["a primitive with too few parameters", ["assign", a]],
    ["a primitive with too few parameters", ["add_header"]],
    ["a primitive with too few parameters", ["assert"]],
    ["a primitive with too few parameters", ["count"]],
    ["a primitive with too few parameters", ["register_read"]],
    ["a stack operation on something else", ["push", header("h"), hex("0x1")]],
    ["a stack operation on something else", ["assign_header_stack", stack("s")]],
    [
      "a value of type hexstr as a counter, meter, register or calculation",
      ["count", hex("0x1"), hex("0x1")],
    ],
    [
      "a value of type register_array as a counter, meter, register or calculation",
      ["count", { type: "register_array", value: "TheIngress.cells" }, hex("0x1")],
    ],
    ["the primitive sing", ["sing", a]],
    ["a value of type expression as a header", ["add_header", operation("+", a, a)]],
    ["a value of type expression as a header", ["add_header", operation("access_field", union("u"), 0)]],
    [
      "a value of type expression as a header stack",
      ["assign", a, operation("size_stack", null, operation("+", a, a))],
    ],
    ["field v.data has variable length: no arithmetic on it", ["assert", operation("==", varbit, a)]],
    ["field v.data has variable length: no arithmetic on it", ["assert", operation("==", a, varbit)]],
    ["assign_union of something else", ["assign_union", union("u"), header("h")]],
    ["assign_union of something else", ["assign_union", header("h"), union("u")]],
    ["mark_to_drop of h, which has no egress_spec", ["mark_to_drop", header("h")]],
    ["a value of type hexstr as the destination of an assignment", ["assign", hex("0x1"), a]],
    [
      "a value of type field as the destination of an assignment",
      ["assign", field("h", "$valid$"), hex("0x1")],
    ],
    [
      "a value of type expression as the destination of an assignment",
      ["assign", operation("access_field", header("h"), 4), hex("0x1")],
    ],
    [
      "a value of type expression as the destination of an assignment",
      ["assign", operation("+", a, a), hex("0x1")],
    ],
    ["header s[0] has no field y", ["assign", { type: "stack_field", value: ["s", "y"] }, a]],
    ["header s[0] has no field y", ["assign", a, { type: "stack_field", value: ["s", "y"] }]],
    ["union stack us has no member r", ["assign", a, { type: "union_stack_field", value: ["us", "r", "y"] }]],
    ["an assignment to v.data, of variable length", ["assign", varbit, a]],
    ["field v.data has variable length: no arithmetic on it", ["assign", a, varbit]],
    ["a value of type header as a number", ["assign", a, header("h")]],
    ["a value of type field as a header", ["add_header", a]],
    [
      "a value of type expression as a header",
      ["add_header", operation("access_union_header", union("u"), 2)],
    ],
    ["a value of type header as a header union", ["assert", operation("valid_union", null, header("h"))]],
    ["a value of type header as a header stack", ["assign", a, operation("size_stack", null, header("h"))]],
    [
      "a value of type header_stack as a header union",
      ["assert", operation("valid", null, operation("access_union_header", stack("s"), 0))],
    ],
    ["header h has no such field", ["assign", a, operation("access_field", header("h"), 4)]],
    ["two_comp_mod to a width that varies", ["assign", a, operation("two_comp_mod", a, a)]],
    ["sat_cast to a width that varies", ["assign", a, operation("sat_cast", a, hex("0x0"))]],
    ["two_comp_mod to 8193 bits", ["assign", a, operation("two_comp_mod", a, hex("0x2001"))]],
    ["a member that is no number", ["assign", a, operation("access_field", header("h"), a)]],
    [
      "a value of type header_union_stack as a header union",
      ["assert", operation("valid_union", null, unionStack("us"))],
    ],
  ])("%s: %j", (why, primitive) => {
    const message = refusal(doing(primitive));
    expect(message).toContain("P41101");
    expect(message).toContain(`action TheIngress.act: ${why}`);
  });
});

describe("a part of a program that the switch cannot run", () => {
  const condition = (value: bmv2.Value) => (program: bmv2.Bmv2Program) => {
    program.pipelines[0]!.conditionals[0]!.expression = value;
  };
  it.each<[string, (program: bmv2.Bmv2Program) => void]>([
    ["a parameter outside of an action", condition(parameter(0))],
    ["a register outside of an action", condition(register(hex("0x0")))],
    [
      "a select on something that is no field",
      ({ parsers }) => {
        parsers[0]!.parse_states[0]!.transition_key = [operation("+", a, a)];
      },
    ],
    [
      "field v.data has variable length: no arithmetic on it",
      ({ pipelines }) => {
        pipelines[0]!.tables.find(({ key }) => key.length > 0)!.key[0]!.target = ["v", "data"];
      },
    ],
    [
      "direct meter TheIngress.own has no result",
      ({ meter_arrays }) => {
        delete meter_arrays[1]!.result_target;
      },
    ],
    [
      "the hash algorithm sums; known are ",
      ({ calculations }) => {
        calculations[0]!.algo = "sums";
      },
    ],
    [
      "a hash input of type bool",
      ({ calculations }) => {
        calculations[0]!.input = [{ type: "bool", value: true }] as never;
      },
    ],
    [
      "there is no header u",
      ({ calculations }) => {
        calculations[0]!.input = [field("u", "$valid$")] as never;
      },
    ],
    [
      "there is no header standard_metadata",
      (program) => {
        program.actions.find(({ name }) => name === "TheIngress.act")!.primitives = [
          { op: "drop", parameters: [] },
        ];
        const text = JSON.stringify(program).replaceAll('"standard_metadata"', '"other_metadata"');
        Object.assign(program, JSON.parse(text));
      },
    ],
  ])("%s", (why, change) => {
    const message = refusal(changed(change));
    expect(message).toContain("P41101");
    expect(message).toContain(why);
  });
});
