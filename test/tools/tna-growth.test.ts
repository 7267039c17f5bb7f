/** The pure parts of the tools that grow designs and count advice: grown texts, and the tables of the page. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import { compile } from "../../src/toolchain/p4/index.js";
import { grownText } from "../../tools/tna/grown-source.js";
import {
  adviceTable,
  growthTable,
  isHelped,
  refusedTable,
  summary,
  unhitTable,
  withPart,
} from "../../tools/tna/growth-page.js";
import { tnaSource } from "../toolchain/fit/programs.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-grown-"));
afterAll(() => rmSync(folder, { recursive: true }));

const source = (size: string) =>
  tnaSource({
    ingress: `action go(bit<9> port) { tm.ucast_egress_port = port; }
    // table t { is no table
    table t { key = { hdr.d.a : exact; } actions = { go; /* } */ } ${size} }`,
    apply: "t.apply();",
  });

function grown(text: string, growing: Parameters<typeof grownText>[1]) {
  const file = join(folder, "design.p4");
  writeFileSync(file, text);
  const line = text.slice(0, text.indexOf("    table t {")).split("\n").length;
  return grownText({ file, line, name: "t" }, growing);
}

function compiles(text: string): boolean {
  const diagnostics = new Diagnostics();
  compile({ file: new SourceFile("design.p4", text), form: "hardware" }, diagnostics);
  return !diagnostics.hasErrors;
}

it("grows a table by its size, whether the table states one or not", () => {
  for (const size of ["size = 16;", ""]) {
    const text = grown(source(size), { kind: "table", table: "t", size: 4096 })!;
    expect(text.match(/size = \d+;/g)).toEqual(["size = 4096;"]);
    expect(compiles(text)).toBe(true);
  }
});

it("grows a control by fields that live through it: set at its start, matched at its end", () => {
  const text = grown(source("size = 16;"), { kind: "fields", table: "t", fields: 6 })!;
  expect(compiles(text)).toBe(true);
  expect(text).toMatch(
    /apply \{ grow_in_0\.apply\(\); grow_in_1\.apply\(\);\s*t\.apply\(\);\s*grow_out_0\.apply\(\); grow_out_1\.apply\(\);/,
  );
  expect(text.match(/bit<32> grown_\d;/g)).toHaveLength(6);
});

it("leaves a text alone that does not show where the table is", () => {
  expect(grown("control C() { apply { } }", { kind: "table", table: "t", size: 1 })).toBeUndefined();
  expect(grown("control C() { apply { } }", { kind: "fields", table: "t", fields: 1 })).toBeUndefined();
});

const line = {
  ...{
    name: "o/r/a.p4@tofino grown by fields",
    before: "fits by counts",
    stages: 9,
    after: "placed",
    afterStages: 8,
  },
  ...{
    changes: ["line 4: @ternary(1) for t, u"],
    tests: 3,
    packets: 256,
    tables: 5,
    tablesHit: 4,
    difference: "",
  },
};

it("counts a design as helped only when it is placed and no packet differs", () => {
  const lines = [
    line,
    { ...line, difference: "packet 1" },
    { ...line, after: "fits by counts" },
    { ...line, name: "o/r/b.p4@tofino grown by table", changes: [], after: "cannot fit" },
    { ...line, name: "o/r/c.p4@tofino" },
  ];
  expect(lines.map(isHelped)).toEqual([true, false, false, false, true]);
  expect(summary(lines)).toBe(
    "1 of 3 grown by fields, 0 of 1 grown by the size of a table, 1 of 1 listed as published",
  );
});

it("writes rows with changes in short, the helped ones first", () => {
  const other = {
    ...line,
    name: "other",
    after: "cannot fit",
    changes: ["line 9 and line 12 in the other order"],
  };
  const rows = adviceTable([other, line]).split("\n").slice(3);
  expect(rows).toEqual([
    "| o/r/a.p4@tofino grown by fields | fits by counts, 9 | placed, 8 | @ternary(1) | 3 + 256 | 4 of 5 | none |",
    "| other | fits by counts, 9 | cannot fit, 8 | neighbours in the other order | 3 + 256 | 4 of 5 | none |",
  ]);
  expect(growthTable([{ case: "c", kind: "table", from: 1, fits: 2, resource: "" }])).toContain(
    "| c | table | 1 | 2 | not up to 2^24 |  |",
  );
});

it("replaces one part of a page", () => {
  expect(withPart("a\n<!-- x -->\nold\n<!-- /x -->\nb", "x", "new")).toBe(
    "a\n<!-- x -->\n\nnew\n<!-- /x -->\nb",
  );
  expect(() => withPart("a", "x", "new")).toThrow("no part x");
});

it("lists the tables that no packet hit by their reason, and nothing of a design whose tables are all hit", () => {
  const unhit = {
    "pipe.In.t": "never applied",
    "pipe.In.c.u": "missed",
    "pipe.In.w": "never applied",
  };
  const text = unhitTable([line, { ...line, name: "b", unhit }, { ...line, name: "c", unhit: {} }]);
  expect(text.split("\n").slice(3)).toEqual(["| b | never applied | t, w |", "| b | missed | c.u |"]);
});

it("shows what fit says of refused designs, and what the advice gives", () => {
  const said = { name: "a", compiler: "containers", verdict: "fits by counts", stages: 13, ours: "stages" };
  const text = refusedTable([
    { ...said, verdict: "placed", stages: 9, ours: "" },
    {
      ...said,
      after: "placed",
      afterStages: 12,
      changes: ["line 3: @stage(4) for t, which begins at stage 0 now"],
    },
    { ...said, after: "fits by counts", afterStages: 13, changes: [] },
    { ...said, verdict: "does not compile", stages: 0, ours: "P40418" },
  ]);
  expect(text.split("\n").slice(3)).toEqual([
    "| a | containers | placed, 9 |  |  |",
    "| a | containers | fits by counts, 13 | stages | placed, 12: @stage for a large table |",
    "| a | containers | fits by counts, 13 | stages | no change helps |",
    "| a | containers | does not compile | P40418 |  |",
  ]);
});
