/** Changes of the order and the branches of statements that make a program fit, what they leave alone, and packets that would show a changed meaning. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { loadTarget } from "../../../src/cli/targets.js";
import { actSooner } from "../../../src/toolchain/advice/act-sooner.js";
import { candidatesOf } from "../../../src/toolchain/advice/candidates.js";
import { joinedBranches } from "../../../src/toolchain/advice/exclusive.js";
import { advise } from "../../../src/toolchain/advice/index.js";
import { edited } from "../../../src/toolchain/advice/own-text.js";
import { editsOf, type Rewrite } from "../../../src/toolchain/advice/rewrite.js";
import { laterStarts, TableTexts } from "../../../src/toolchain/advice/tables.js";
import { fitProgram, onePipe, pipesOf, type Target } from "../../../src/toolchain/fit/index.js";
import { analyse, compile } from "../../../src/toolchain/p4/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import { tnaSource } from "../fit/programs.js";
import { compared } from "./compared.js";

const tofino = loadTarget("tofino");
const pipeOf = (program: Program) => onePipe(program, pipesOf(program)[0]!);

function advised(text: string, target: Target) {
  const file = new SourceFile("program.p4", text);
  return advise({ file, options: {}, target, pipeOf, mayShrink: false });
}

function offered(text: string) {
  const file = new SourceFile("program.p4", text);
  const { program } = compile({ file, form: "hardware" }, new Diagnostics())!;
  const { unit } = analyse(file, {}, new Diagnostics());
  const texts = new TableTexts(file, unit);
  const result = fitProgram(pipeOf(program), tofino);
  const list = [
    ...actSooner(texts, result, unit),
    ...joinedBranches(texts, unit),
    ...laterStarts(texts, result),
    ...candidatesOf(file, unit).filter(({ kind }) => kind === "order"),
  ];
  return (kind: Rewrite["kind"]) =>
    list.filter((one) => one.kind === kind).map((one) => edited(file, editsOf([one])));
}

const table = (name: string, key: string, act: string, more = "size = 64;") =>
  `action ${name}_go(bit<32> v) { ${act} } table ${name} { key = { ${key} : exact; } actions = { ${name}_go; NoAction; } ${more} }\n`;
const TABLES = [
  table("t", "hdr.d.a", "hdr.d.b = v;", "size = 300000;"),
  table("u", "hdr.d.c", "hdr.d.b = v;"),
  table("w", "hdr.d.i", "md.m = v;"),
  "Register<bit<32>, bit<1>>(1) last;",
  "RegisterAction<bit<32>, bit<1>, bit<32>>(last) seen = { void apply(inout bit<32> value) { value = hdr.d.b; } };",
  "action also() { hdr.d.c = md.m; md.n = 7; }",
].join("\n");
const program = (apply: string, more = "") =>
  tnaSource({ ingress: TABLES + more, apply: `tm.ucast_egress_port = 1; ${apply}` });

describe("branches that exclude each other", () => {
  const joined = (apply: string) => offered(program(apply))("exclusive");

  it("let a large table begin where an exclusive branch begins", () => {
    const text = program(
      "if (hdr.d.t == 1) { hdr.d.b = hdr.d.b + 1; } w.apply(); if (hdr.d.t == 2) { t.apply(); }",
    );
    const { before, after, changes, file } = advised(text, {
      ...tofino,
      stages: 2,
      sram: { ...tofino.sram, blocks: 80 },
    });
    expect(before.stages).toBe(3);
    expect(after.verdict).toBe("placed");
    expect(changes).toEqual([expect.stringContaining("one if … else if")]);
    const meaning = compared(text, file);
    expect(meaning.difference).toBeUndefined();
    expect(meaning.tablesHit).toBe(meaning.tables);
  });

  it.each([
    ["hdr.d.t == 1", "hdr.d.t != 1"],
    ["md.m == 0", "!(md.m == 0)"],
    ["hdr.d.isValid() && hdr.d.t == 4", "hdr.d.i == 2 && hdr.d.t == 5"],
    ["hdr.d.isValid()", "!hdr.d.isValid()"],
  ])("are seen in %s and %s, and packets see no difference", (one, other) => {
    const text = program(`if (${one}) { hdr.d.b = hdr.d.b + 1; } if (${other}) t.apply();`);
    const [file, ...more] = offered(text)("exclusive");
    expect(more).toEqual([]);
    expect(compared(text, file!).difference).toBeUndefined();
  });

  it("keep what an if without braces in the first one belongs to", () => {
    const text = program(
      "if (hdr.d.t == 1) if (hdr.d.i == 1) hdr.d.b = 5; if (hdr.d.t == 2) { hdr.d.b = 9; }",
    );
    const [file] = offered(text)("exclusive");
    expect(compared(text, file!).difference).toBeUndefined();
  });

  it.each([
    ["may both hold", "if (hdr.d.t == 1) { hdr.d.b = 1; } if (hdr.d.i == 2) { t.apply(); }"],
    [
      "deny a conjunction of which only one part is a test",
      "if (!(hdr.d.t == 1 && hdr.d.i > 2)) { hdr.d.b = 1; } if (hdr.d.t == 1) { t.apply(); }",
    ],
    [
      "test for one number in two forms",
      "if (hdr.d.t == -1) { hdr.d.b = 1; } if (hdr.d.t == 65535) { t.apply(); }",
    ],
    ["test the same value", "if (hdr.d.t == 1) { hdr.d.b = 1; } if (hdr.d.t == 1) { t.apply(); }"],
    ["test what the first one sets", "if (md.m == 1) { md.m = 2; } if (md.m == 2) { t.apply(); }"],
    ["test what an action of the first one sets", "if (md.n == 1) { also(); } if (md.n == 7) { t.apply(); }"],
    [
      "have what the first one reads written between them",
      "if (hdr.d.t == 1) { hdr.d.b = md.m; } w.apply(); if (hdr.d.t == 2) { t.apply(); }",
    ],
    [
      "have what the first one writes read by a register action between them",
      "if (hdr.d.t == 1) { hdr.d.b = 1; } seen.execute(0); if (hdr.d.t == 2) { t.apply(); }",
    ],
    [
      "have an exit between them",
      "if (hdr.d.t == 1) { hdr.d.c = 1; } if (hdr.d.i == 1) { exit; } if (hdr.d.t == 2) { t.apply(); }",
    ],
    [
      "have a branch else",
      "if (hdr.d.t == 1) { hdr.d.b = 1; } if (hdr.d.t == 2) { t.apply(); } else { w.apply(); }",
    ],
  ])("are left alone where they %s", (_, apply) => {
    expect(joined(apply)).toEqual([]);
  });
});

describe("statements behind a table, in its actions", () => {
  const sooner = (apply: string, more = "") => offered(program(apply, more))("sooner");

  it("are before it for a packet that ran another action", () => {
    const text = program("w.apply(); hdr.d.b = md.m; hdr.d.i = 3;");
    const [file] = offered(text)("sooner");
    expect(file!.text).toContain("md.m = v; hdr.d.b = md.m; }");
    expect(file!.text).toMatch(/hdr\.d\.b = md\.m;\s+w\.apply\(\);/);
    const meaning = compared(text, file!);
    expect(meaning.difference).toBeUndefined();
    expect(meaning.tablesHit).toBe(meaning.tables);
  });

  it("save the stage in which they waited for the table", () => {
    const stages = (file: SourceFile | string) => {
      const made = compile({ file, form: "hardware" }, new Diagnostics())!;
      return fitProgram(pipeOf(made.program), tofino).stages;
    };
    const text = program("u.apply(); k.apply(); hdr.d.a = md.m;", table("k", "hdr.d.b", "md.m = v;"));
    expect(stages(text)).toBe(3);
    expect(stages(offered(text)("sooner")[0]!)).toBe(2);
  });

  const two = table("k", "hdr.d.b", "md.m = v;");
  it.each([
    ["what they write is a key of the table", "k.apply(); hdr.d.b = md.m;", two],
    [
      "what they write is read by another action",
      "k.apply(); hdr.d.c = md.m;",
      `action other() { md.n = hdr.d.c; } ${two.replace("NoAction;", "other; NoAction;").replace("hdr.d.b :", "hdr.d.a :")}`,
    ],
    [
      "the action is that of two tables",
      "w.apply(); hdr.d.b = md.m;",
      "table z { key = { hdr.d.a : exact; } actions = { w_go; } size = 4; }",
    ],
    [
      "a parameter of the action has their name",
      "p.apply(); hdr.d.b = md.m + v;",
      `bit<32> v = 3; ${table("p", "hdr.d.a", "md.m = v;")}`,
    ],
    [
      "a variable of theirs stands behind the action",
      "p.apply(); later = md.m; hdr.d.c = later;",
      `${table("p", "hdr.d.a", "md.m = v;")} bit<32> later = 0;`,
    ],
    ["one adds to what it sets", "w.apply(); hdr.d.b = hdr.d.b + md.m;", ""],
    ["one reads what a later one sets", "w.apply(); hdr.d.c = hdr.d.b; hdr.d.b = md.m;", ""],
    [
      "an action writes what the table names as its argument",
      "p.apply(); hdr.d.b = md.m;",
      `action gives(inout bit<32> x) { x = 9; } ${table("p", "hdr.d.a", "md.m = v;").replace("NoAction;", "gives(md.m); NoAction;")}`,
    ],
    ["they call something", "w.apply(); hdr.d.b = md.m; seen.execute(0);", ""],
  ])("stay where %s", (_, apply, more) => {
    const files = sooner(apply, more);
    for (const file of files) expect(compared(program(apply, more), file).difference).toBeUndefined();
    if (!apply.includes("seen")) expect(files).toEqual([]);
  });
});

it("neighbours keep their order where a called action copies what the other one matches", () => {
  const turned = (name: string) =>
    offered(program(`also(); ${name}.apply();`))("order").filter(({ text }) =>
      text.includes(`${name}.apply(); also();`),
    );
  expect(turned("u")).toEqual([]);
  const inBranch = offered(
    program("u.apply(); if (hdr.d.t == 1) { keep(); }", "action keep() { md.n = hdr.d.b | 1; }"),
  );
  expect(
    inBranch("order").filter(({ text }) => text.indexOf("keep();") < text.indexOf("u.apply();")),
  ).toEqual([]);
  expect(turned("t")).toHaveLength(1);
});

it("a large table may begin at a later stage, in place of the one that its pragma asks for", () => {
  for (const pragma of ["", "@stage(0) "]) {
    const text = program("t.apply(); w.apply(); hdr.d.i = 3;").replace("table t", `${pragma}table t`);
    const files = offered(text)("start");
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      const [stage, ...more] = [...file.text.matchAll(/@stage\((\d+)\)/g)].map((match) => Number(match[1]));
      expect(more).toEqual([]);
      const made = compile({ file, form: "hardware" }, new Diagnostics())!;
      const { placement } = fitProgram(pipeOf(made.program), tofino);
      const stages = placement.parts
        .filter(({ unit }) => unit.label.endsWith(".t"))
        .map((part) => part.stage);
      expect(Math.min(...stages)).toBe(stage);
      expect(compared(text, file).difference).toBeUndefined();
    }
  }
});

describe("packets and entries of a comparison", () => {
  it("hit a table whose key is computed, with an entry for a key that was seen", () => {
    const text = program(
      "md.n = h.get({ hdr.d.a, hdr.d.c }); k.apply();",
      `Hash<bit<32>>(HashAlgorithm_t.CRC32) h; ${table("k", "md.n", "hdr.d.b = v;")}`,
    );
    const { tables, tablesHit } = compared(text, text);
    expect(tables).toBe(1);
    expect(tablesHit).toBe(1);
  });

  it("have the constants that the program compares fields with, also those of its entries", () => {
    const own = `action k_go() { hdr.d.b = 1; } table k { key = { hdr.d.c : exact; } actions = { k_go; }
      const entries = { 0xdeadbee1 : k_go(); } }`;
    const text = program("if (hdr.d.a == 0xcafe0123 && hdr.d.t == 4660) { w.apply(); } k.apply();", own);
    const { tables, tablesHit } = compared(text, text);
    expect([tables, tablesHit]).toEqual([2, 2]);
  });
});
