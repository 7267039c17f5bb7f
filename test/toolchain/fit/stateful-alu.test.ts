/** What register actions compute, on both sides of each limit of the stateful ALU. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import { loadTarget } from "../../../src/cli/targets.js";
import { fitProgram, onePipe, pipesOf } from "../../../src/toolchain/fit/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { ALU_CASES } from "./alu-cases.js";
import { tnaSource } from "./programs.js";

const TARGETS = { tofino: loadTarget("tofino"), tofino2: loadTarget("tofino2") };

interface Action {
  readonly cell: string;
  readonly result: string;
  readonly methods: readonly string[];
  readonly cells?: number;
}

/** A program that calls register actions of one register, one by a table's action each. */
function programOf({ cell, result, methods, cells = 1024 }: Action, chip: "tofino" | "tofino2") {
  const actions = methods.map(
    (method, i) => `
    RegisterAction<${cell}, bit<32>, ${result}>(r) a${i} = {
        void apply(inout ${cell} value, out ${result} result) { ${method} }
    };
    action do${i}() { x = a${i}.execute(hdr.d.b); }`,
  );
  const ingress = `
    Register<${cell}, bit<32>>(${cells}) r;
    ${result} x;${actions.join("")}
    table t {
        key = { hdr.d.c : exact; }
        actions = { ${methods.map((_, i) => `do${i};`).join(" ")} }
        size = 16;
    }`;
  const diagnostics = new Diagnostics();
  const file = tnaSource({ ingress, apply: `x = 0; t.apply(); hdr.d.c = (bit<32>) x;` });
  const defines = { __TARGET_TOFINO__: chip === "tofino" ? "1" : "2" };
  const made = compile({ file, form: "hardware", defines }, diagnostics);
  diagnostics.throwIfErrors();
  return made!.program;
}

function findings(action: Action, chip: "tofino" | "tofino2" = "tofino") {
  const program = programOf(action, chip);
  const { diagnostics } = fitProgram(onePipe(program, pipesOf(program)[0]!), TARGETS[chip]);
  return diagnostics.filter(({ severity }) => severity === "error");
}

describe("the method of a register action", () => {
  it.each(
    ALU_CASES.flatMap((one) =>
      (["tofino", "tofino2"] as const)
        .filter((chip) => one.chip === undefined || one.chip === chip)
        .map((chip) => [chip, one.code === undefined ? "runs" : "does not run", one.name, one] as const),
    ),
  )("on %s %s: %s", (chip, _, _name, one) => {
    const found = findings({ ...one, methods: [one.method] }, chip);
    expect(found.map(({ code }) => code)).toEqual(one.code === undefined ? [] : [one.code]);
  });

  it("is refused at the place of the value, with what would be right", () => {
    const [found] = findings({
      cell: "bit<16>",
      result: "bit<32>",
      methods: ["result = (bit<32>) value + 254; value = value |+| 1;"],
    });
    expect(found?.span?.file.text.slice(found.span.start).startsWith("254")).toBe(true);
    expect(found?.message).toContain("254 has 32 bits, and the ALU works on the 16 of the register's words");
    expect(found?.notes[0]?.message).toContain("take words of 32 bits");
  });
});

describe("constants of a register's actions", () => {
  const write = (value: number) => `value = value + ${value};`;

  it("beyond -8 to 7 take one of four rows, which all actions of the register share", () => {
    const constant = fc.integer({ min: 0, max: 40 });
    fc.assert(
      fc.property(
        fc.array(constant, { minLength: 1, maxLength: 4 }),
        fc.array(constant, { maxLength: 4 }),
        (a, b) => {
          const rows = new Set([...a, ...b].filter((value) => value > 7));
          const methods = a.map((value, i) => {
            const other = b[i];
            return other === undefined
              ? write(value)
              : `if (hdr.d.a == 1) { ${write(value)} } else { ${write(other)} }`;
          });
          const used = new Set([...a, ...b.slice(0, a.length)].filter((value) => value > 7));
          const codes = findings({ cell: "bit<32>", result: "bit<32>", methods }).map(({ code }) => code);
          expect(codes).toEqual(used.size > 4 ? ["P44075"] : []);
          return rows.size >= used.size;
        },
      ),
      { numRuns: 40 },
    );
  });

  it("are with their sign in a comparison, and what is taken away is added as its complement", () => {
    const five = (last: string) => [
      "if (value > 100) { value = value + 101; }",
      "if (value > 102) { value = value + 103; }",
      last,
    ];
    const codes = (last: string) =>
      findings({ cell: "bit<32>", result: "bit<32>", methods: five(last) }).map(({ code }) => code);
    expect(codes("value = value + 101;")).toEqual([]);
    expect(codes("if (value == 100) { value = 1; }")).toEqual([]);
    expect(codes("value = value + 100;")).toEqual(["P44075"]);
    expect(codes("value = value - 1;")).toEqual(["P44075"]);
    expect(codes("value = value |-| 1;")).toEqual([]);
  });
});

describe("a register larger than the memories that its ALU reaches in a stage", () => {
  const codes = (actions: number, cells: number, chip: "tofino" | "tofino2") =>
    findings({ cell: "bit<8>", result: "bit<8>", methods: METHODS.slice(0, actions), cells }, chip).map(
      ({ code }) => code,
    );
  const METHODS = ["value = value + 1;", "value = 0;"];
  const block = 16 * 1024;

  it("continues in the next stages of a Tofino 2 where one action of its table calls it", () => {
    expect(codes(1, 23 * block, "tofino2")).toEqual([]);
    expect(codes(1, 23 * block + 1, "tofino2")).toEqual([]);
    expect(codes(2, 23 * block, "tofino2")).toEqual([]);
    expect(codes(2, 23 * block + 1, "tofino2")).toEqual(["P44027"]);
  });

  it("does not continue where its table has no key", () => {
    const codesOf = (cells: number) => {
      const diagnostics = new Diagnostics();
      const file = tnaSource({
        ingress: `
    Register<bit<8>, bit<32>>(${cells}) r;
    RegisterAction<bit<8>, bit<32>, bit<8>>(r) a = {
        void apply(inout bit<8> value, out bit<8> result) { value = value + 1; result = value; }
    };
    bit<8> x;
    action go() { x = a.execute(hdr.d.b); }
    table t { actions = { go; } default_action = go(); size = 1; }`,
        apply: "x = 0; t.apply(); hdr.d.c = (bit<32>) x;",
      });
      const defines = { __TARGET_TOFINO__: "2" };
      const { program } = compile({ file, form: "hardware", defines }, diagnostics)!;
      const result = fitProgram(onePipe(program, pipesOf(program)[0]!), TARGETS.tofino2);
      return result.diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
    };
    expect(codesOf(23 * block)).toEqual([]);
    expect(codesOf(23 * block + 1)).toEqual(["P44027"]);
  });

  it("is refused on a Tofino 1", () => {
    expect(codes(2, 35 * block, "tofino")).toEqual([]);
    expect(codes(1, 35 * block + 1, "tofino")).toEqual(["P44027"]);
  });
});
