/** Changes that make a program fit, and packets that see whether its meaning is kept. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { loadTarget } from "../../../src/cli/targets.js";
import { candidatesOf } from "../../../src/toolchain/advice/candidates.js";
import { advise, compareByPackets } from "../../../src/toolchain/advice/index.js";
import { onePipe, pipesOf, type Target } from "../../../src/toolchain/fit/index.js";
import { analyse, compile } from "../../../src/toolchain/p4/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import { FIELDS, tableText, tnaSource, wrap } from "../fit/programs.js";

const tofino = loadTarget("tofino");
const pipeOf = (program: Program) => {
  const [pipe] = pipesOf(program);
  return pipe === undefined ? program : onePipe(program, pipe);
};

function advised(text: string, more: { target?: Target; mayShrink?: boolean } = {}) {
  const file = new SourceFile("program.p4", text);
  return advise({ file, options: {}, target: tofino, pipeOf, mayShrink: false, ...more });
}

function runs(text: string): Program {
  const diagnostics = new Diagnostics();
  const made = compile({ file: new SourceFile("program.p4", text), form: "switch" }, diagnostics);
  diagnostics.throwIfErrors();
  return made!.program;
}

const compared = (a: string, b: string) => compareByPackets(runs(a), runs(b), { packets: 200, seed: 7 });

/** A statement of v1model, of TNA in the control, and of TNA in an action. */
const sums = (statement: string) => [
  wrap(FIELDS, "", statement),
  tnaSource({ apply: `tm.ucast_egress_port = 1; ${statement.replaceAll("h.d.", "hdr.d.")}` }),
  tnaSource({
    ingress: `action go() { ${statement.replaceAll("h.d.", "hdr.d.")} tm.ucast_egress_port = 1; }
    table t { key = { hdr.d.i : exact; } actions = { go; NoAction; } size = 16; }`,
    apply: "t.apply();",
  }),
];

describe("advice for operations that the hardware lacks", () => {
  it.each([
    ["a sum of three", "h.d.a = h.d.a + h.d.b + h.d.c;"],
    ["a sum that reads what it writes last", "h.d.a = h.d.b - (h.d.c - h.d.a);"],
    ["two sums of sums", "h.d.a = (h.d.a + h.d.b) - (h.d.c + h.d.b);"],
    ["a product with a constant", "h.d.a = h.d.b * 5;"],
  ])("divides %s into statements of one instruction, and keeps the meaning", (_, statement) => {
    for (const text of sums(statement)) {
      const { before, after, file, changes } = advised(text);
      expect(before.verdict).toBe("refused");
      expect(after.verdict).toBe("placed");
      expect(changes).toHaveLength(1);
      const meaning = compared(text, file.text);
      expect(meaning.difference).toBeUndefined();
      expect(meaning.packets).toBeGreaterThanOrEqual(200);
    }
  });

  it.each([
    ["#define SUM3 hdr.d.a + hdr.d.b + hdr.d.c", "hdr.d.a = SUM3;"],
    ["#define AB hdr.d.a - hdr.d.b", "hdr.d.a = AB - hdr.d.c - hdr.d.b;"],
  ])("leaves operands alone that stand in one macro: %s", (macro, statement) => {
    const apply = `tm.ucast_egress_port = 1;\n${statement}\n`;
    const file = new SourceFile("program.p4", tnaSource({ controls: `\n${macro}\n`, ingress: "", apply }));
    const { unit } = analyse(file, {}, new Diagnostics());
    expect(candidatesOf(file, unit).filter(({ kind }) => kind === "arithmetic")).toEqual([]);
  });

  it("writes a choice between values as a branch of the control", () => {
    const text = wrap(FIELDS, "", "h.d.a = h.d.x == 1 ? h.d.b : h.d.c;");
    const { after, file } = advised(text);
    expect(after.verdict).toBe("placed");
    expect(file.text).toContain("if (h.d.x == 1) { h.d.a = h.d.b; } else { h.d.a = h.d.c; }");
    expect(compared(text, file.text).difference).toBeUndefined();
  });

  it("leaves a product of two fields alone, and says what was tried", () => {
    const { after, changes, tried } = advised(
      wrap(FIELDS, "", "h.d.a = h.d.b * h.d.c; if (h.d.x == 1 && h.d.y == 2) { h.d.c = 1; }"),
    );
    expect(after.verdict).toBe("refused");
    expect(changes).toEqual([]);
    expect([...tried]).toEqual([["branch", 1]]);
  });
});

describe("advice for what does not fit", () => {
  const oneStage = { ...tofino, stages: 1 };
  const tables = (size: number) =>
    wrap(
      FIELDS,
      tableText("t", "h.d.a: ternary", "h.d.c = v;", "", size) +
        tableText("u", "h.d.b: ternary", "h.d.e = v;", "", size),
      "t.apply(); u.apply();",
    );

  it("makes tables smaller only when asked", () => {
    const text = tables(13 * 512);
    expect(advised(text, { target: oneStage }).changes).toEqual([]);
    const { after, changes } = advised(text, { target: oneStage, mayShrink: true });
    expect(after.verdict).toBe("placed");
    expect(changes).toEqual([expect.stringMatching(/table t with 3328 entries instead of 6656$/)]);
  });

  it("gives a table of constant entries the other kind of key", () => {
    const small = { ...oneStage, per_stage: { ...tofino.per_stage, ternary_tables: 1 } };
    const fixed = (name: string, field: string, to: string) =>
      `action ${name}_go(bit<32> v) { h.d.${to} = v; }
       table ${name} { key = { h.d.${field} : ternary; } actions = { ${name}_go; NoAction; } default_action = NoAction();
         const entries = { 1 : ${name}_go(7); 2 : ${name}_go(8); } }`;
    const text = wrap(FIELDS, fixed("t", "a", "c") + fixed("u", "b", "e"), "t.apply(); u.apply();");
    const { before, after, changes, file } = advised(text, { target: small });
    expect(before.verdict).not.toBe("placed");
    expect(after.verdict).toBe("placed");
    expect(changes).toEqual([expect.stringContaining("is exact")]);
    expect(compared(text, file.text).difference).toBeUndefined();
  });

  it("leaves the order of tables of which one may end the control", () => {
    const small = { ...oneStage, per_stage: { ...tofino.per_stage, ternary_tables: 1 } };
    const table = (name: string, statement: string) =>
      tableText(name, `h.d.${name}: ternary`, statement, "", 64);
    const order = (statement: string) =>
      wrap(FIELDS, table("a", statement) + table("b", "h.d.e = v;"), "a.apply(); b.apply();");
    expect(advised(order("h.d.c = v;"), { target: small }).tried.get("order")).toBe(1);
    expect(advised(order("h.d.c = v; exit;"), { target: small }).tried.get("order")).toBeUndefined();
  });

  it("changes nothing in a program that is placed", () => {
    const { before, after, changes, file } = advised(tables(512));
    expect(before).toBe(after);
    expect(changes).toEqual([]);
    expect(file.text).toBe(tables(512));
  });
});

describe("packets", () => {
  it("see another result, another action's data and another table order", () => {
    const table = (statement: string) =>
      wrap(FIELDS, tableText("t", "h.d.x: ternary", statement), "sm.egress_spec = 1; t.apply();");
    expect(compared(table("h.d.c = v;"), table("h.d.c = v;"))).toMatchObject({ difference: undefined });
    expect(compared(table("h.d.c = v;"), table("h.d.c = v + 1;")).difference).toMatch(/^packet /);
    expect(compared(table("h.d.c = v;"), table("h.d.e = v;")).difference).toMatch(/^packet /);
  });

  it("take every way of the parser, and hit tables", () => {
    const text = tnaSource({
      headers: ["x", "y"],
      parser: `transition select(hdr.d.t) { 0x800: more; 0x86dd: other; default: accept; } }
        state more { pkt.extract(hdr.x); transition accept; }
        state other { pkt.extract(hdr.y); transition accept; }`,
      ingress: `action go(bit<9> port) { tm.ucast_egress_port = port; hdr.d.a = 5; }
        table t { key = { hdr.x.isValid() : exact; hdr.y.isValid() : exact; hdr.d.b : ternary; } actions = { go; } size = 16; }`,
      apply: "t.apply();",
    });
    const other = text.replace("hdr.d.a = 5;", "if (hdr.y.isValid()) { hdr.y.v = hdr.y.v + 1; }");
    const same = compared(text, text);
    expect(same.difference).toBeUndefined();
    expect(same.sent).toBeGreaterThan(20);
    // Only a packet with the second header and an entry's action shows it.
    expect(compared(text, other).difference).toMatch(/^packet /);
  });
});
