/**
 * The placement stage by stage: which table comes first, how conditions become gateways, which tables are split or go together, and
 * what is said of tables without a place. Rules of the open Tofino compiler (docs/fit/README.md); the numbers are Tofino's.
 */
import { describe, expect, it } from "vitest";
import { fitProgram, type Target } from "../../../src/toolchain/fit/index.js";
import { verifyPlacement } from "../../../src/toolchain/fit/place/verify.js";
import { compileText, loadTarget } from "./golden.js";
import { FIELDS as F, smaller, tableText as T, wrap } from "./programs.js";
import { fitWords } from "./tna-fit.js";

const tofino = loadTarget("tofino");
const tofino2 = loadTarget("tofino2");
const small = smaller(tofino);
const one = small({ exact_tables: 1 });

/** Parts in the order in which they were placed: `table <- gateway @stage (entries) +blocks of a register`; then what has no place. */
function placed(target: Target, locals: string, apply: string, fields = F): string[] {
  const { program, error } = compileText(wrap(fields, locals, apply));
  expect(error).toBeUndefined();
  const { placement, problem, model } = fitProgram(program!, target);
  expect(verifyPlacement(problem, placement)).toEqual([]);
  return [
    ...placement.parts.map(({ unit, gateway, stage, entries, spill }) =>
      [
        unit.label.replace("Ing.", ""),
        gateway === undefined ? "" : ` <- ${model.units[gateway]!.label}`,
        `@${stage}`,
        unit.kind === "match" ? `(${entries})` : "",
        spill === undefined ? "" : `+${spill.srams}`,
      ].join(""),
    ),
    ...placement.unplaced.map(({ resource, detail }) => `! ${resource}: ${detail}`),
  ];
}

interface Case {
  readonly what: string;
  readonly target: Target;
  readonly locals: string;
  readonly apply: string;
  readonly fields?: string;
  readonly parts: readonly string[];
}

const CASES: readonly Case[] = [
  {
    what: "equal tables from the last to the first",
    target: one,
    locals:
      T("t0", "h.d.a: exact", "h.d.b = v;") +
      T("t1", "h.d.e: exact", "h.d.f = v;") +
      T("t2", "h.d.c: exact", "h.d.g = v;"),
    apply: "t0.apply(); t1.apply(); t2.apply();",
    parts: ["t2@0(16)", "t1@1(16)", "t0@2(16)"],
  },
  {
    what: "a table that the stage holds as a whole before one that it does not",
    target: small({}, { blocks: 20 }),
    locals: T("t0", "h.d.a: exact", "h.d.b = v;") + T("t1", "h.d.e: exact", "h.d.f = v;", "", 60_000),
    apply: "t0.apply(); t1.apply();",
    parts: ["t0@0(16)", "t1@0(32768)", "t1@1(27232)"],
  },
  {
    // In the order of the chains t2 comes last, and the device ends: placement goes back to the first stage that was open to t2.
    what: "a large table before a longer chain, where else the stages end",
    target: small({}, { blocks: 24 }, { stages: 3 }),
    locals:
      T("t0", "h.d.g: exact", "h.d.z = (bit<8>) v;") +
      T("t1", "h.d.b: exact", "h.d.c = v;") +
      T("t2", "h.d.e: exact", "h.d.f = v;", "", 60_000) +
      T("t3", "h.d.c: exact", "h.d.x = (bit<8>) v;"),
    apply:
      "h.d.b = h.d.b + h.d.a; if (h.d.s == 1) { t0.apply(); t1.apply(); t3.apply(); } if (h.d.y == 1) { t2.apply(); }",
    parts: [
      "if (h.d.y == 1)@0",
      "t2 <- if (h.d.y == 1)@0(49152)",
      "h.d.b = h.d.b + h.d.a@0",
      "t2@1(10848)",
      "if (h.d.s == 1)@1",
      "t1 <- if (h.d.s == 1)@1(16)",
      "t0@1(16)",
      "t3@2(16)",
    ],
  },
  {
    what: "the table before the longest chain first",
    target: one,
    locals:
      T("t0", "h.d.a: exact", "h.d.b = v;") +
      T("t1", "h.d.b: exact", "h.d.f = v;") +
      T("t2", "h.d.c: exact", "h.d.g = v;"),
    apply: "t0.apply(); t1.apply(); t2.apply();",
    parts: ["t0@0(16)", "t2@1(16)", "t1@2(16)"],
  },
  {
    what: "a condition as the gateway of its table",
    target: tofino,
    locals: T("t0", "h.d.a: exact", "h.d.b = v;"),
    apply: "if (h.d.s == 1) { t0.apply(); }",
    parts: ["if (h.d.s == 1)@0", "t0 <- if (h.d.s == 1)@0(16)"],
  },
  {
    what: "a condition as the gateway of one of its two tables",
    target: tofino,
    locals: T("t0", "h.d.a: exact", "h.d.b = v;") + T("t1", "h.d.a: exact", "h.d.c = v;"),
    apply: "if (h.d.s == 1) { t0.apply(); } else { t1.apply(); }",
    parts: ["if (h.d.s == 1)@0", "t1 <- if (h.d.s == 1)@0(16)", "t0@0(16)"],
  },
  {
    what: "a condition before the table that another way leads to",
    target: tofino,
    locals:
      T("t0", "h.d.a: exact", "h.d.b = v;") +
      T("t1", "h.d.b: exact", "h.d.c = v;") +
      T("t2", "h.d.e: exact", "h.d.f = v;"),
    apply: "t0.apply(); if (h.d.s == 1) { t1.apply(); t2.apply(); }",
    parts: ["t0@0(16)", "if (h.d.s == 1)@0", "t2 <- if (h.d.s == 1)@0(16)", "t1@1(16)"],
  },
  {
    what: "a condition with the branch that is ready",
    target: tofino,
    locals:
      T("t0", "h.d.a: exact", "h.d.b = v;") +
      T("t1", "h.d.b: exact", "h.d.c = v;") +
      T("t2", "h.d.e: exact", "h.d.f = v;"),
    apply: "t0.apply(); if (h.d.s == 1) { t1.apply(); } else { t2.apply(); }",
    parts: ["t0@0(16)", "if (h.d.s == 1)@0", "t2 <- if (h.d.s == 1)@0(16)", "t1@1(16)"],
  },
  {
    // t0 and t4 set one field, so that t0 comes before all of the second branch. Its own chain is shorter than that of z0.
    what: "a table first that a branch with a long chain has to follow",
    target: one,
    fields: `${F} bit<32> k; bit<32> l; bit<32> m; bit<32> n;`,
    locals:
      T("z0", "h.d.k: exact", "h.d.l = v;") +
      T("z1", "h.d.l: exact", "h.d.m = v;") +
      T("z2", "h.d.m: exact", "h.d.n = v;") +
      T("t0", "h.d.a: exact", "h.d.b = v;") +
      T("t1", "h.d.c: exact", "h.d.e = v;") +
      T("t2", "h.d.e: exact", "h.d.f = v;") +
      T("t3", "h.d.f: exact", "h.d.g = v;") +
      T("t4", "h.d.g: exact", "h.d.b = v;"),
    apply:
      "z0.apply(); z1.apply(); z2.apply(); if (h.d.s == 1) { t0.apply(); } " +
      "if (h.d.x == 1) { t1.apply(); t2.apply(); t3.apply(); t4.apply(); }",
    parts: [
      "if (h.d.s == 1)@0",
      "t0 <- if (h.d.s == 1)@0(16)",
      "if (h.d.x == 1)@1",
      "t1 <- if (h.d.x == 1)@1(16)",
      "t2@2(16)",
      "t3@3(16)",
      "t4@4(16)",
      "z0@5(16)",
      "z1@6(16)",
      "z2@7(16)",
    ],
  },
  {
    what: "a table whole in the stage that the flow has gone past",
    target: small({}, { blocks: 20 }),
    locals:
      T("t0", "h.d.a: exact", "h.d.b = v;") +
      T("t1", "h.d.b: exact", "h.d.c = v;") +
      T("t2", "h.d.e: exact", "h.d.f = v;"),
    apply: "if (h.d.s == 1) { t0.apply(); t1.apply(); } t2.apply();",
    parts: ["if (h.d.s == 1)@0", "t0 <- if (h.d.s == 1)@0(16)", "t2@0(16)", "t1@1(16)"],
  },
  {
    what: "no part of a table in the stage that the flow has gone past",
    target: small({}, { blocks: 20 }),
    locals:
      T("t0", "h.d.a: exact", "h.d.b = v;") +
      T("t1", "h.d.b: exact", "h.d.c = v;") +
      T("t2", "h.d.e: exact", "h.d.f = v;", "", 60_000),
    apply: "if (h.d.s == 1) { t0.apply(); t1.apply(); } t2.apply();",
    parts: ["if (h.d.s == 1)@0", "t0 <- if (h.d.s == 1)@0(16)", "t1@1(16)", "t2@1(32768)", "t2@2(27232)"],
  },
  {
    what: "conditions within each other",
    target: tofino,
    locals: T("t0", "h.d.a: exact", "h.d.b = v;") + T("t1", "h.d.c: exact", "h.d.e = v;"),
    apply: "if (h.d.s == 1) { if (h.d.x == 2) { t0.apply(); } t1.apply(); }",
    parts: [
      "if (h.d.s == 1)@0",
      "t1 <- if (h.d.s == 1)@0(16)",
      "if (h.d.x == 2)@0",
      "t0 <- if (h.d.x == 2)@0(16)",
    ],
  },
  {
    what: "a table and its condition in one logical table",
    target: small({ logical_tables: 2 }),
    locals: T("t0", "h.d.a: exact", "h.d.b = v;") + T("t1", "h.d.c: exact", "h.d.e = v;"),
    apply: "if (h.d.s == 1) { t0.apply(); } t1.apply();",
    parts: ["t1@0(16)", "if (h.d.s == 1)@0", "t0 <- if (h.d.s == 1)@0(16)"],
  },
  {
    what: "an exact table over three stages, in whole ways",
    target: tofino,
    locals: T("t0", "h.d.a: exact", "h.d.b = v;", "", 400000),
    apply: "t0.apply();",
    parts: ["t0@0(165888)", "t0@1(165888)", "t0@2(68224)"],
  },
  {
    what: "a ternary table over two stages, in whole units",
    target: tofino,
    locals: T("t0", "h.d.a: ternary", "h.d.b = v;", "", 20000) + T("t1", "h.d.c: exact", "h.d.e = v;"),
    apply: "t0.apply(); t1.apply();",
    parts: ["t1@0(16)", "t0@0(12288)", "t0@1(7712)"],
  },
  {
    what: "what depends on a split table after its last part",
    target: tofino,
    locals: T("t0", "h.d.a: ternary", "h.d.b = v;", "", 20000) + T("t1", "h.d.b: exact", "h.d.e = v;"),
    apply: "t0.apply(); t1.apply();",
    parts: ["t0@0(12288)", "t0@1(7712)", "t1@2(16)"],
  },
  {
    what: "the condition of a split table with its first part",
    target: tofino,
    locals: T("t0", "h.d.a: ternary", "h.d.b = v;", "", 20000),
    apply: "if (h.d.s == 1) { t0.apply(); }",
    parts: ["if (h.d.s == 1)@0", "t0 <- if (h.d.s == 1)@0(12288)", "t0@1(7712)"],
  },
  {
    what: "no part of a table that has a counter of its own",
    target: tofino,
    locals:
      "counter(16, CounterType.packets) k;" +
      T("t0", "h.d.a: ternary", "h.d.b = v; k.count(h.d.e);", "", 20000),
    apply: "t0.apply();",
    parts: [
      "! tcams: Ing.t0 needs 40 TCAM blocks in one stage, which has 24 (Ing.t0 with 20,000 entries: 40); a table that uses Ing.k is not split over stages",
    ],
  },
  {
    what: "no table that is wider than the crossbar",
    target: tofino,
    locals: "counter(16, CounterType.packets) k;" + T("t0", "h.d.w: ternary", "h.d.b = v; k.count(h.d.e);"),
    apply: "t0.apply();",
    fields: F + " bit<560> w;",
    parts: [
      "! xbar_bytes_ternary: Ing.t0 needs 70 ternary crossbar bytes in one stage, which has 66 (Ing.t0 with 16 entries: 70)",
    ],
  },
  {
    what: "tables that share a register in one stage",
    target: tofino,
    locals:
      "register<bit<32>>(16) r;" +
      T("t0", "h.d.a: exact", "r.write(h.d.e, v);") +
      T("t1", "h.d.b: exact", "r.write(h.d.e, v);"),
    apply: "if (h.d.s == 1) { t0.apply(); } else { t1.apply(); }",
    parts: ["if (h.d.s == 1)@0", "t0 <- if (h.d.s == 1)@0(16)", "t1@0(16)"],
  },
  {
    what: "no tables that share a counter and need each other",
    target: tofino,
    locals:
      "counter(16, CounterType.packets) r;" +
      T("t0", "h.d.a: exact", "r.count(h.d.e); h.d.b = v;") +
      T("t1", "h.d.b: exact", "r.count(h.d.e);"),
    apply: "t0.apply(); t1.apply();",
    parts: [
      "! dependency: Ing.t0 shares Ing.r with Ing.t1, and one of them needs what another writes: no stage can hold them all",
      "! dependency: Ing.t1 shares Ing.r with Ing.t0, and one of them needs what another writes: no stage can hold them all",
    ],
  },
  {
    what: "all others, where two tables have no place",
    target: tofino,
    locals:
      "counter(16, CounterType.packets) r;" +
      T("t0", "h.d.a: exact", "r.count(h.d.e); h.d.b = v;") +
      T("t1", "h.d.b: exact", "r.count(h.d.e); h.d.c = v;") +
      T("t2", "h.d.c: exact", "h.d.f = v;") +
      T("t3", "h.d.g: exact", "h.d.g = v;"),
    apply: "t0.apply(); t1.apply(); t2.apply(); t3.apply();",
    parts: [
      "t3@0(16)",
      "t2@1(16)",
      "! dependency: Ing.t0 shares Ing.r with Ing.t1, and one of them needs what another writes: no stage can hold them all",
      "! dependency: Ing.t1 shares Ing.r with Ing.t0, and one of them needs what another writes: no stage can hold them all",
    ],
  },
  {
    what: "no tables that share a counter and write one container",
    target: tofino,
    locals:
      "counter(16, CounterType.packets) r;" +
      T("t0", "h.d.a: exact", "r.count(h.d.e); h.d.x = (bit<8>) v;") +
      T("t1", "h.d.b: exact", "r.count(h.d.e); h.d.y = (bit<8>) v;"),
    apply: "t0.apply(); t1.apply();",
    parts: [
      "! dependency: Ing.t0, Ing.t1 share a memory, so they need one stage, but they write fields of one container, so they need different stages",
      "! dependency: Ing.t0, Ing.t1 share a memory, so they need one stage, but they write fields of one container, so they need different stages",
    ],
  },
  {
    what: "no tables whose counters exceed a stage together",
    target: tofino,
    locals:
      "counter(90000, CounterType.packets) r; counter(40960, CounterType.packets) q;" +
      T("t0", "h.d.a: exact", "r.count(h.d.e);") +
      T("t1", "h.d.b: exact", "r.count(h.d.e); q.count(h.d.e);"),
    apply: "t0.apply(); t1.apply();",
    parts: [
      "! map_rams: Ing.t0, Ing.t1 need 66 map RAMs in one stage, which has 48 (counter Ing.r with 90,000 cells: 45; counter Ing.q with 40,960 cells: 21)",
      "! map_rams: Ing.t0, Ing.t1 need 66 map RAMs in one stage, which has 48 (counter Ing.r with 90,000 cells: 45; counter Ing.q with 40,960 cells: 21)",
    ],
  },
  {
    what: "no table whose counters exceed a stage",
    target: tofino,
    locals:
      Array.from({ length: 6 }, (_, i) => `counter(${(i + 1) * 8192}, CounterType.packets) k${i};`).join("") +
      T("t0", "h.d.a: exact", Array.from({ length: 6 }, (_, i) => `k${i}.count(h.d.e);`).join("")),
    apply: "t0.apply();",
    parts: [
      "! srams: Ing.t0 needs 94 SRAM blocks in one stage, which has 80 (counter Ing.k5 with 49,152 cells: 25; counter Ing.k4 with 40,960 cells: 21; counter Ing.k3 with 32,768 cells: 17; counter Ing.k2 with 24,576 cells: 13 and 3 more); a table that uses Ing.k0, Ing.k1, Ing.k2, Ing.k3, Ing.k4, Ing.k5 is not split over stages",
    ],
  },
  {
    what: "no table whose members exceed a stage",
    target: tofino,
    locals:
      "action_profile(400000) p;" +
      T("t0", "h.d.a: exact", "h.d.b = v; h.d.c = v; h.d.e = v; h.d.f = v;", "implementation = p;"),
    apply: "t0.apply();",
    parts: [
      "! srams: Ing.t0 needs 102 SRAM blocks in one stage, which has 80 (profile Ing.p: 98; Ing.t0 with 16 entries: 4)",
    ],
  },
  {
    what: "parts of a table with a profile, each with a copy of its members (compiler)",
    target: tofino,
    locals:
      "action_profile(1024) p;" + T("t0", "h.d.a: ternary", "h.d.b = v;", "implementation = p;", 20_000),
    apply: "t0.apply();",
    parts: ["t0@0(12288)", "t0@1(7712)"],
  },
  {
    what: "tables that share a profile, each with a copy where one stage does not hold both",
    target: tofino,
    locals:
      "action_profile(1024) p;" +
      T("t0", "h.d.a: ternary", "h.d.b = v;", "implementation = p;", 8192) +
      T("t1", "h.d.c: ternary", "h.d.b = v;", "implementation = p;", 8192),
    apply: "if (h.d.s == 1) { t0.apply(); } else { t1.apply(); }",
    parts: ["if (h.d.s == 1)@0", "t1 <- if (h.d.s == 1)@0(8192)", "t0@0(4096)", "t0@1(4096)"],
  },
  {
    what: "a large register in the stages after its table, each part with a spare",
    target: tofino2,
    locals:
      "register<bit<32>>(200000) r;" +
      T("t0", "h.d.a: exact", "r.write(h.d.e, v);") +
      T("t1", "h.d.b: exact", "h.d.c = v;"),
    apply: "if (h.d.s == 1) { t0.apply(); } t1.apply();",
    parts: [
      "t1@0(16)",
      "if (h.d.s == 1)@0",
      "t0 <- if (h.d.s == 1)@0(16)",
      "t0@1(0)+23",
      "t0@2(0)+23",
      "t0@3(0)+6",
    ],
  },
  {
    what: "no register that all stages together cannot hold",
    target: tofino2,
    locals: "register<bit<32>>(200000000) r;" + T("t0", "h.d.a: exact", "r.write(h.d.e, v);"),
    apply: "t0.apply();",
    parts: [
      "! srams: Ing.t0 needs 48,834 SRAM blocks in one stage, which has 80 (register Ing.r with 200,000,000 cells: 48,830; Ing.t0 with 16 entries: 4); a table that uses Ing.r is not split over stages",
    ],
  },
  {
    what: "a condition of three rows as three gateways",
    target: small({}, {}, { gateway: { ...tofino.gateway, rows: 1 } }),
    locals: T("t0", "h.d.a: exact", "h.d.b = v;"),
    apply: "if (h.d.s == 1 || h.d.s == 2 || h.d.s == 3) { t0.apply(); }",
    parts: [
      "if (h.d.s == 1 || h.d.s == 2 || h.d.s == 3)@0",
      "t0 <- if (h.d.s == 1 || h.d.s == 2 || h.d.s == 3)@0(16)",
    ],
  },
  {
    what: "what depends on a table without a place",
    target: tofino,
    locals:
      "counter(300000, CounterType.packets) k;" +
      T("t0", "h.d.a: exact", "h.d.b = v; k.count(h.d.e);") +
      T("t1", "h.d.b: exact", "h.d.c = v;"),
    apply: "t0.apply(); t1.apply();",
    parts: [
      "t1@0(16)",
      "! srams: Ing.t0 needs 152 SRAM blocks in one stage, which has 80 (counter Ing.k with 300,000 cells: 148; Ing.t0 with 16 entries: 4); a table that uses Ing.k is not split over stages",
    ],
  },
  {
    what: "each table that exceeds a stage, with its own reason",
    target: tofino,
    locals:
      "counter(300000, CounterType.packets) k; counter(300001, CounterType.packets) q;" +
      T("t0", "h.d.a: exact", "k.count(h.d.e);") +
      T("t1", "h.d.b: exact", "q.count(h.d.e);"),
    apply: "t0.apply(); t1.apply();",
    parts: [
      "! srams: Ing.t0 needs 152 SRAM blocks in one stage, which has 80 (counter Ing.k with 300,000 cells: 148; Ing.t0 with 16 entries: 4); a table that uses Ing.k is not split over stages",
      "! srams: Ing.t1 needs 152 SRAM blocks in one stage, which has 80 (counter Ing.q with 300,001 cells: 148; Ing.t1 with 16 entries: 4); a table that uses Ing.q is not split over stages",
    ],
  },
  {
    what: "no table that the whole device cannot hold",
    target: tofino,
    locals:
      T("t0", "h.d.a: exact", "h.d.b = v;", "", 900000000) +
      T("t1", "h.d.a: ternary", "h.d.c = v;", "", 900000000),
    apply: "t0.apply(); t1.apply();",
    parts: [
      "! srams: Ing.t0 with 900,000,000 entries needs 415,043 SRAM blocks; all 12 stages together have 960",
      "! tcams: Ing.t1 with 900,000,000 entries needs 1,757,813 TCAM blocks; all 12 stages together have 288",
    ],
  },
];

describe("the placement puts", () => {
  it("writers of values for the deparser in a stage each, where these values share a container", () => {
    const write = "action go(bit<9> v) { sm.egress_spec = v; } action drop() { mark_to_drop(sm); }";
    const table = (name: string, action: string) =>
      `table ${name} { key = { h.d.a: exact; } actions = { ${action}; NoAction; } default_action = NoAction(); }`;
    const stages = (apply: string, target: Target) => {
      const locals = `${write} ${table("t0", "go")} ${table("t1", "drop")}`;
      return placed(target, locals, apply).flatMap((part) => {
        const [, name, stage] = /^(t\d).*@(\d)/.exec(part) ?? [];
        return name === undefined ? [] : [`${name}@${stage}`];
      });
    };
    expect(stages("t0.apply(); t1.apply();", tofino2)).toEqual(["t1@0", "t0@1"]);
    expect(stages("t0.apply(); t1.apply();", tofino)).toEqual(["t1@0", "t0@0"]);
    expect(stages("if (h.d.s == 1) { t0.apply(); } else { t1.apply(); }", tofino2)).toEqual(["t1@0", "t0@0"]);
  });

  it.each(CASES)("$what", ({ target, locals, apply, fields, parts }) => {
    expect(placed(target, locals, apply, fields)).toEqual(parts);
  });
});

describe("tables that share memories with each other", () => {
  it("are named with the memory that each of them shares, where no stage holds them all", () => {
    const { placement } = fitWords({
      controls: `
  Register<bit<32>, bit<8>>(256) r1;
  Register<bit<32>, bit<8>>(256) r2;
  RegisterAction<bit<32>, bit<8>, bit<32>>(r1) get1 = { void apply(inout bit<32> v, out bit<32> o) { o = v; } };
  RegisterAction<bit<32>, bit<8>, bit<32>>(r1) put1 = { void apply(inout bit<32> v) { v = h.w.d; } };
  RegisterAction<bit<32>, bit<8>, bit<32>>(r2) get2 = { void apply(inout bit<32> v, out bit<32> o) { o = v; } };
  RegisterAction<bit<32>, bit<8>, bit<32>>(r2) put2 = { void apply(inout bit<32> v) { v = h.w.d; } };
  action a1() { h.w.a = get1.execute(h.w.e[7:0]); }
  action a2() { put1.execute(h.w.e[7:0]); put2.execute(h.w.e[7:0]); }
  action a3() { h.w.c = get2.execute(h.w.a[7:0]); }
  table t1 { actions = { a1; } size = 1; const default_action = a1; }
  table t2 { actions = { a2; } size = 1; const default_action = a2; }
  table t3 { actions = { a3; } size = 1; const default_action = a3; }`,
      apply: "if (h.w.b == 1) { t1.apply(); t3.apply(); } else { t2.apply(); }",
    });
    expect(placement.unplaced.map(({ detail }) => detail).join("\n")).toMatch(
      /r1 of \S*t1, \S*t2; \S*r2 of \S*t3, \S*t2/,
    );
  });
});
