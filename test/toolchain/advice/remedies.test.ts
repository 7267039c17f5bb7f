/** Changes of tables and of actions that make a program fit, with its meaning kept. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { loadTarget } from "../../../src/cli/targets.js";
import { actLater } from "../../../src/toolchain/advice/act-later.js";
import { isIndependent } from "../../../src/toolchain/advice/advise.js";
import { candidatesOf } from "../../../src/toolchain/advice/candidates.js";
import { advise } from "../../../src/toolchain/advice/index.js";
import { TableTexts } from "../../../src/toolchain/advice/tables.js";
import { fitProgram, onePipe, pipesOf, type Target } from "../../../src/toolchain/fit/index.js";
import { analyse, type CompileInput, compile } from "../../../src/toolchain/p4/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import { tnaSource } from "../fit/programs.js";
import { compared } from "./compared.js";

const tofino = loadTarget("tofino");
const pipeOf = (program: Program) => onePipe(program, pipesOf(program)[0]!);

type Resolve = NonNullable<CompileInput["resolveInclude"]>;

function advised(text: string, target: Target = tofino, resolveInclude: Resolve = () => undefined) {
  const file = new SourceFile("program.p4", text);
  return advise({ file, options: { resolveInclude }, target, pipeOf, mayShrink: false });
}

const exact = (name: string, field: string, size: number) =>
  `action ${name}_go(bit<32> v) { hdr.d.c = v; } table ${name} { key = { hdr.d.${field} : exact; } actions = { ${name}_go; NoAction; } size = ${size}; }`;

const fitted = (text: string) => {
  const file = new SourceFile("program.p4", text);
  const { program } = compile({ file, form: "hardware" }, new Diagnostics())!;
  const { unit } = analyse(file, {}, new Diagnostics());
  return { file, unit, result: fitProgram(pipeOf(program), tofino) };
};

describe("tables in other memory", () => {
  const few = { ...tofino, stages: 1, sram: { ...tofino.sram, blocks: 6 } };
  const text = tnaSource({
    ingress: exact("t", "a", 64) + exact("u", "b", 64),
    apply: "tm.ucast_egress_port = 1; if (hdr.d.t == 1) { t.apply(); } else { u.apply(); }",
  });

  it("puts a small exact table into TCAM where SRAM is short", () => {
    const { before, after, changes, file } = advised(text, few);
    expect(before.verdict).not.toBe("placed");
    expect(after.verdict).toBe("placed");
    expect(changes).toEqual([expect.stringContaining("@ternary(1) for t")]);
    expect(file.text).toContain("@ternary(1)\ntable t");
    const meaning = compared(text, file);
    expect(meaning.difference).toBeUndefined();
    expect(meaning.tablesHit).toBe(meaning.tables);
  });

  it("changes a file that the program includes in its place, and says where", () => {
    const main = text.replace(exact("t", "a", 64), '\n#include "t.p4"\n');
    const part = new SourceFile("t.p4", exact("t", "a", 64));
    const { after, changes, file } = advised(main, few, (name) => (name === "t.p4" ? part : undefined));
    expect(after.verdict).toBe("placed");
    expect(changes).toEqual([expect.stringContaining("t.p4:1: @ternary(1) for t")]);
    expect(file.text).not.toContain('#include "t.p4"');
    expect(compared(text, file).difference).toBeUndefined();
  });
});

describe("statements behind their table", () => {
  // The table takes more than one stage, and its action waits for a value of the stage before.
  const two = { ...tofino, stages: 2 };
  const source = (statements: string, more = "", apply = "first.apply(); large.apply();") =>
    tnaSource({
      ingress: `action early(bit<32> v) { md.m = v; } table first { key = { hdr.d.i : exact; } actions = { early; } size = 16; }
        bit<32> x = 7;
        action helper() { hdr.d.c = hdr.d.b; }
        Register<bit<32>, bit<1>>(1) last;
        RegisterAction<bit<32>, bit<1>, bit<32>>(last) before = {
          void apply(inout bit<32> value, out bit<32> old) { old = value; value = hdr.d.b; } };
#define FIELD(name) hdr.d.name
        action go(bit<9> port) { tm.ucast_egress_port = port; ${statements} }
        table large { key = { hdr.d.a : exact; } actions = { go; NoAction; } size = 500000; } ${more}`,
      apply,
    });

  it("lets a table be matched before the value that its action copies is there", () => {
    const text = source("hdr.d.b = md.m; hdr.d.c = hdr.d.c + 1;");
    const { before, after, changes, file } = advised(text, two);
    expect(before.stages).toBe(3);
    expect(after.verdict).toBe("placed");
    expect(changes).toEqual([expect.stringContaining("behind it")]);
    expect(file.text).toContain("go: { hdr.d.b = md.m; hdr.d.c = hdr.d.c + 1; }");
    const meaning = compared(text, file);
    expect(meaning.difference).toBeUndefined();
    expect(meaning.tablesHit).toBe(meaning.tables);
  });

  it.each([
    ["stands in an action that ends the control", "hdr.d.b = md.m; exit;", ""],
    ["reads the entry's data", "hdr.d.b = md.m + (bit<32>) port;", ""],
    ["is read by what stays", "hdr.d.b = md.m; tm.level1_mcast_hash = hdr.d.b[12:0] + (bit<13>) port;", ""],
    [
      "stands in an action of two tables",
      "hdr.d.b = md.m;",
      "table other { key = { hdr.d.c : exact; } actions = { go; } size = 16; }",
    ],
    ["is read by an action that it calls", "hdr.d.b = md.m; helper();", ""],
    ["is read by way of a macro", "hdr.d.b = md.m; hdr.d.c = FIELD(b) + (bit<32>) port;", ""],
    ["is read with blanks in its name", "hdr.d.b = md.m; hdr.d.c = hdr . d . b + (bit<32>) port;", ""],
    [
      "has a name that the place behind the table hides",
      "hdr.d.b = md.m + x;",
      "",
      "bit<32> x = hdr.d.c; first.apply(); large.apply(); hdr.d.a = x;",
    ],
  ])("leaves a statement that %s where it is", (_, statements, more, apply?: string) => {
    const { file } = advised(source(statements, more, apply), two);
    expect(file.text).not.toContain("action_run");
  });

  it("leaves a statement whose result a register action reads where it is", () => {
    const later = (statements: string) => {
      const { file, unit, result } = fitted(source(statements));
      return actLater(new TableTexts(file, unit), result, unit);
    };
    expect(later("hdr.d.b = md.m; hdr.d.c = before.execute(0);")).toEqual([]);
    expect(later("hdr.d.b = md.m;")).toHaveLength(1);
  });

  it("leaves the statements of an action that sets what the table gives it as an argument", () => {
    const text = source("hdr.d.b = md.m; hdr.d.c = hdr.d.c + 1; x = 9;")
      .replace("bit<32> x = 7;", "")
      .replace("action go(", "action go(inout bit<32> x, ")
      .replace("{ go; NoAction; }", "{ go(md.m); NoAction; }");
    const { file, unit, result } = fitted(text);
    expect(actLater(new TableTexts(file, unit), result, unit)).toEqual([]);
  });
});

describe("two neighbour statements", () => {
  const table = (name: string, key: string, act: string, data = "") =>
    `action ${name}_go(${data}) { ${act} } table ${name} { key = { ${key} : exact; } actions = { ${name}_go; NoAction; } size = 64; }\n`;

  it("keeps the order of a table and a control whose table reads what it writes", () => {
    const orders = (inner: string) => {
      const { file, unit, result } = fitted(
        tnaSource({
          controls: `control C(inout headers_t hdr) { ${table("k", "hdr.d.b", "hdr.d.c = v;", "bit<32> v")} apply { k.apply(); } }\n`,
          ingress: `C() c1;\n${table("w", "hdr.d.i", "hdr.d.b = v;", "bit<32> v")}${table("u", "hdr.d.t", "hdr.d.a = v;", "bit<32> v")}`,
          apply: `tm.ucast_egress_port = 1;\n w.apply();\n if (hdr.d.t == 1) {\n ${inner}\n u.apply(); }\n`,
        }),
      );
      return candidatesOf(file, unit).filter((one) => one.kind === "order" && isIndependent(one, result));
    };
    const swapped = (inner: string) =>
      orders(inner).filter(({ replacement }) => replacement.startsWith("if"));
    expect(swapped("c1.apply(hdr);")).toEqual([]);
    expect(swapped("")).toHaveLength(1);
  });
});
