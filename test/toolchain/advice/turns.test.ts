/** Groups of values that take turns in the containers. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { loadTarget } from "../../../src/cli/targets.js";
import { groupsOf } from "../../../src/toolchain/advice/groups.js";
import { advise } from "../../../src/toolchain/advice/index.js";
import { edited } from "../../../src/toolchain/advice/own-text.js";
import { editsOf } from "../../../src/toolchain/advice/rewrite.js";
import { TableTexts } from "../../../src/toolchain/advice/tables.js";
import { turns } from "../../../src/toolchain/advice/turns.js";
import { fitProgram, onePipe, pipesOf } from "../../../src/toolchain/fit/index.js";
import { analyse, compile } from "../../../src/toolchain/p4/index.js";
import type { Program } from "../../../src/toolchain/program/index.js";
import { grownText } from "../../../tools/tna/grown-source.js";
import { tnaSource, wrap } from "../fit/programs.js";
import { compared } from "./compared.js";

const tofino = loadTarget("tofino");
const pipeOf = (program: Program) => onePipe(program, pipesOf(program)[0]!);

/** The changes offered for a program, as if values of a gress had no container. */
function offered(text: string, gress: "ingress" | "egress" = "ingress") {
  const file = new SourceFile("program.p4", text);
  const { program } = compile({ file, form: "hardware" }, new Diagnostics())!;
  const { unit } = analyse(file, {}, new Diagnostics());
  const result = fitProgram(pipeOf(program), tofino);
  const { allocation } = result.phv;
  const unallocated = [{ ...allocation!.unallocated[0], rule: "container", gress, fields: [] }];
  const short = { ...result, phv: { ...result.phv, allocation: { ...allocation, unallocated } } };
  const list = turns(new TableTexts(file, unit), short as unknown as typeof result, unit);
  return list.map((one) => ({ ...one, file: edited(file, editsOf([one])) }));
}

const setter = (i: number, act = "", more = "") =>
  `action set_${i}(bit<32> v) { g${i} = v; ${act} } table in_${i} { ${more} actions = { set_${i}; } size = 1; }\n`;
const user = (i: number, act = `hdr.d.${"abc"[i]} = ${i + 7};`, key = "") =>
  `action mark_${i}() { ${act} } table out_${i} { key = { g${i} : exact; ${key} } actions = { mark_${i}; NoAction; } size = 16; }\n`;
const variables = "bit<32> g0; bit<32> g1; bit<32> g2;\n";

interface Parts {
  readonly locals?: string;
  readonly between?: string;
  readonly setters?: readonly string[];
  readonly users?: readonly string[];
}

/** Three groups of one value each, set at the start and matched at the end. */
const program = ({ locals = "", between = "", setters = [], users = [] }: Parts = {}) =>
  tnaSource({
    ingress: `${variables}${locals}${[0, 1, 2].map((i) => (setters[i] ?? setter(i)) + (users[i] ?? user(i))).join("")}`,
    apply: `tm.ucast_egress_port = 1;
      in_0.apply(); in_1.apply(); in_2.apply();
      ${between}
      out_0.apply(); out_1.apply(); out_2.apply();`,
  });

describe("groups of values that take turns", () => {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-turns-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const design = tnaSource({
    ingress: `action t_go(bit<32> v) { hdr.d.c = v; } table t { key = { hdr.d.a : exact; } actions = { t_go; NoAction; } size = 64; }`,
    apply: "tm.ucast_egress_port = 1;\n t.apply();",
  });
  const grown = (fields: number) => {
    const path = join(folder, "design.p4");
    writeFileSync(path, design);
    const line = design.slice(0, design.indexOf("table t")).split("\n").length;
    return grownText({ file: path, line, name: "t" }, { kind: "fields", table: "t", fields })!;
  };

  /** A chip with fewer containers, whose allocation takes less time. */
  const few: typeof tofino = {
    ...tofino,
    phv: {
      ...tofino.phv,
      containers: { 8: 32, 16: 32, 32: 32 },
      arrangement: { ...tofino.phv.arrangement!, groups: { 8: 2, 16: 2, 32: 2 } },
    },
  };

  it("makes a program fit that has too many values at once, with its meaning", { timeout: 300_000 }, () => {
    const text = grown(56);
    const file = new SourceFile("program.p4", text);
    const input = { file, options: {}, target: few, pipeOf, mayShrink: false };
    const { before, after, changes, ...changed } = advise(input);
    expect(before.phv.exceeded).toHaveLength(1);
    expect(after.verdict).toBe("placed");
    expect(changes).toEqual([expect.stringMatching(/14 groups .* take 4 turns/)]);
    expect(changed.file.text).toMatch(/action grow_mark_0\(\) \{ turn_1 = 1; \}/);
    const meaning = compared(text, changed.file);
    expect(meaning.difference).toBeUndefined();
    expect(meaning.tablesHit).toBe(meaning.tables);
  });

  it("puts what sets the values of a later turn behind one table of the turn before", () => {
    const text = program();
    const list = offered(text);
    expect(list.map(({ words }) => /(\d) turns/.exec(words)?.[1])).toEqual(["2", "3"]);
    const [two, three] = list.map((one) => one.file.text.replace(/\s+/g, " "));
    expect(two).toContain("{ turn_1 = 1; hdr.d.a = 7; }");
    expect(two).toContain("out_0.apply(); if (turn_1 != 2) { in_1.apply(); in_2.apply(); } out_1.apply();");
    expect(three).toContain("out_0.apply(); if (turn_1 != 2) { in_1.apply(); } out_1.apply();");
    expect(three).toContain("out_1.apply(); if (turn_2 != 2) { in_2.apply(); } out_2.apply();");
    for (const { file } of list) {
      const meaning = compared(text, file);
      expect(meaning.difference).toBeUndefined();
      expect(meaning.tablesHit).toBe(meaning.tables);
    }
  });

  it("leaves what already stands behind that table at its place, and takes a name that is free", () => {
    const text = program({ locals: "bit<8> turn_1 = 3;\n" }).replace(
      "in_2.apply();\n      \n      out_0.apply();",
      "out_0.apply(); hdr.d.i = (bit<16>) turn_1; in_2.apply();",
    );
    const [one] = offered(text);
    expect(one!.file.text).toMatch(/in_0\.apply\(\);\s+out_0\.apply\(\);\s+if \(turn_2 != 2\) \{ in_1/);
    expect(one!.file.text).toContain("turn_1; if (turn_2 != 2) { in_2.apply(); } out_1.apply();");
    expect(compared(text, one!.file).difference).toBeUndefined();
  });

  it("passes statements that leave the control, since nobody reads the value then", () => {
    const text = program({
      locals:
        "action leave() { exit; } table may { key = { hdr.d.b : exact; } actions = { leave; NoAction; } size = 4; }\n",
      between: "may.apply(); if (hdr.d.t == 3) { return; }",
    });
    const list = offered(text);
    expect(list.length).toBeGreaterThan(0);
    for (const { file } of list) expect(compared(text, file).difference).toBeUndefined();
  });

  it.each(["C() c;", ""])("passes a control that is not given the values, %s", (instance) => {
    const controls = "control C(inout bit<32> v) { apply { v = v + 1; if (v == 9) { exit; } } }";
    const text = program({
      locals: `${instance}\n`,
      between: instance === "" ? "C.apply(md.m);" : "c.apply(md.m);",
    }).replace("control In(", `${controls}\ncontrol In(`);
    const list = offered(text);
    expect(list.length).toBeGreaterThan(0);
    for (const { file } of list) expect(compared(text, file).difference).toBeUndefined();
  });

  it("takes blocks of a condition, and tables of egress", () => {
    const text = tnaSource({
      egress: "in_0.apply(); in_1.apply(); if (hdr.d.t == 1) { out_0.apply(); } out_1.apply();",
      apply: "tm.ucast_egress_port = 1;",
    }).replace(
      "{ apply { in_0",
      `{ ${variables}${[0, 1].map((i) => setter(i) + user(i)).join("")} apply { in_0`,
    );
    expect(offered(text)).toEqual([]);
    const [one] = offered(text, "egress");
    expect(one!.file.text).toContain("if (hdr.d.t == 1) { out_0.apply(); }\n");
    const nested = program()
      .replace("in_0.apply()", "if (hdr.d.t == 2) { in_0.apply()")
      .replace(/(out_2\.apply\(\);)/, "$1 }");
    const list = offered(nested);
    expect(list.length).toBeGreaterThan(0);
    for (const { file } of list) expect(compared(nested, file).difference).toBeUndefined();
  });

  const three = [0, 1, 2];
  it.each<[string, Parts]>([
    ["write what a table between reads", { between: "md.m = g1 + g2;" }],
    [
      "read what a statement between writes",
      { between: "hdr.d.t = 5;", setters: three.map((i) => setter(i, "", "key = { hdr.d.t : exact; }")) },
    ],
    ["are given to a control between", { locals: "C() c;\n", between: "c.apply(g1); c.apply(g2);" }],
    [
      "keep state",
      {
        locals: `Register<bit<32>, bit<1>>(1) all; RegisterAction<bit<32>, bit<1>, bit<32>>(all) seen = {
          void apply(inout bit<32> value, out bit<32> old) { old = value; value = value + 1; } };\n`,
        setters: three.map((i) => setter(i).replace(`g${i} = v;`, `g${i} = seen.execute(0);`)),
      },
    ],
    ["write a header, too", { setters: three.map((i) => setter(i, `hdr.d.${"abc"[i]} = v;`)) }],
    ["may end the control", { setters: three.map((i) => setter(i, "exit;")) }],
    [
      "have a reader whose actions are also another table's",
      {
        users: three.map((i) =>
          user(i)
            .replace(/action \w+\(\) \{[^}]*\}/, "")
            .replace(/mark_\d; /, "shared; "),
        ),
        locals: "action shared() { }\n",
      },
    ],
    [
      "belong to each other",
      { users: three.map((i) => user(i, "", i > 0 ? "g0 : exact;" : "g1 : exact; g2 : exact;")) },
    ],
    [
      "wait for what is outside",
      {
        locals:
          "action go(bit<32> v) { md.m = v; } table first { key = { hdr.d.i : exact; } actions = { go; } size = 4; }\n",
        between: "first.apply();",
        users: three.map((i) => user(i, undefined, "md.m : exact;")),
      },
    ],
  ])("offers nothing for values whose tables %s", (_, parts) => {
    const controls = "control C(inout bit<32> v) { apply { v = v + 1; } }";
    const text = program(parts).replace("control In(", `${controls}\ncontrol In(`);
    expect(offered(text)).toEqual([]);
  });

  it("offers nothing for one group, nor for values that the deparser reads", () => {
    const one = program().replace(/ in_[12]\.apply\(\);| out_[12]\.apply\(\);/g, "");
    expect(offered(one)).toEqual([]);
    const inMetadata = (deparser: string) =>
      program()
        .replace("bit<32> g1; bit<32> g2;", "")
        .replace("bit<32> m; bit<32> n;", "bit<32> g1; bit<32> g2;")
        .replace(/\b(g[12])( =| :)/g, "md.$1$2")
        .replace("pkt.emit(hdr); }", `${deparser} pkt.emit(hdr); }`);
    expect(offered(inMetadata(""))).not.toEqual([]);
    const mirrored = "if (dprsr.mirror_type == 1) { mirror.emit<pair_h>(md.session, { md.g1, md.g2 }); }";
    const text = inMetadata(mirrored).replace(
      "struct headers_t",
      "header pair_h { bit<32> lo; bit<32> hi; }\nstruct headers_t",
    );
    expect(offered(text)).toEqual([]);
  });

  it("offers nothing in a control that stands twice, whose other instance may be seen", () => {
    const own = `${variables}${[0, 1, 2].map((i) => setter(i) + user(i)).join("")}`;
    const twice = (applied: string) =>
      tnaSource({
        controls: `control C(inout headers_t hdr) { ${own} apply { in_0.apply(); in_1.apply(); in_2.apply(); if (hdr.d.t == 1) { return; } out_0.apply(); out_1.apply(); out_2.apply(); } }`,
        ingress: "C() c1; C() c2;",
        apply: `tm.ucast_egress_port = 1; ${applied}`,
      });
    expect(offered(twice("c1.apply(hdr);").replace(" C() c2;", ""))).not.toEqual([]);
    expect(offered(twice("c1.apply(hdr); c2.apply(hdr);"))).toEqual([]);
  });

  it("moves no text that a macro stands for", () => {
    const set = "in_1.apply(); in_2.apply();";
    const use = "out_0.apply(); out_1.apply(); out_2.apply();";
    const macro = (name: string, text: string, more = "") =>
      `#define ${name} ${text}${more}\n${program().replace(text, name)}`;
    expect(offered(program())).not.toEqual([]);
    expect(offered(macro("SETUP", set, " hdr.d.t = 5;"))).toEqual([]);
    expect(offered(macro("USE", use))).toEqual([]);
  });

  it.each<[string, string, readonly string[]]>([
    ["leave alone", "h.d.e = 1;", ["m0", "m1"]],
    ["match on", "late.apply();", ["m1"]],
    ["compare", "if (m.m0 == 3) { h.d.e = 1; }", ["m1"]],
    ["copy", "h.d.e = m.m0;", ["m1"]],
    ["write", "m.m0 = 4; h.d.e = m.m0;", ["m1"]],
    ["take in a hash", "hash(h.d.s, HashAlgorithm.crc16, (bit<16>) 0, { m.m0 }, (bit<16>) 64);", ["m1"]],
    ["choose a member by", "chosen.apply();", ["m1"]],
  ])(
    "knows no group of a value of v1model that tables of egress %s, which has the same metadata",
    (_, egress, expected) => {
      const table = (name: string, key: string, statement: string) =>
        `action ${name}_go(bit<32> v) { ${statement} } table ${name} { key = { ${key} : exact; } actions = { ${name}_go; NoAction; } size = 16; }\n`;
      const ingress = [0, 1].map(
        (i) =>
          table(`in_${i}`, `h.d.${"ab"[i]}`, `m.m${i} = v;`) +
          table(`out_${i}`, `m.m${i}`, `h.d.${"cf"[i]} = v;`),
      );
      const locals = `${table("late", "m.m0", "h.d.e = v;")}
      action_selector(HashAlgorithm.crc16, 32w8, 32w8) members; action pick(bit<32> v) { h.d.e = v; }
      table chosen { key = { h.d.b : exact; m.m0 : selector; } actions = { pick; NoAction; } implementation = members; size = 16; }\n`;
      const fields = "bit<32> a; bit<32> b; bit<32> c; bit<32> e; bit<32> f; bit<16> s;";
      const apply = "in_0.apply(); in_1.apply(); out_0.apply(); out_1.apply();";
      const text = wrap(fields, ingress.join(""), apply, egress).replace(
        /(control Egr[^{]*\{)/,
        `$1 ${locals}`,
      );
      const file = new SourceFile("program.p4", text);
      const { program: compiled } = compile({ file }, new Diagnostics())!;
      const { unit } = analyse(file, {}, new Diagnostics());
      const groups = groupsOf(new TableTexts(file, unit), fitProgram(compiled, tofino), "ingress");
      const named = groups.flatMap((group) => group.fields.map((field) => field.split(".").at(-1)!));
      expect(named.sort()).toEqual(expected);
    },
  );

  it("takes a name that no included file has", () => {
    const text = `#define MINE turn_##1\n${program({ locals: "bit<8> MINE = 3;\n" })}`;
    const [one] = offered(text);
    expect(one!.file.text).toContain("if (turn_2 != 2)");
    expect(one!.file.text).not.toContain("if (turn_1 != 2)");
  });
});
