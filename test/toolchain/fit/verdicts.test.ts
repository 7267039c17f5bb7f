/**
 * What a result says: its verdict in one line, what binds the number of stages, which single changes save stages, and the places of
 * findings. Each program is small enough to know the answer: docs/fit/README.md has the meaning of the verdicts.
 */
import { describe, expect, it } from "vitest";
import {
  explain,
  type FitResult,
  fitProgram,
  type Target,
  toSarif,
} from "../../../src/toolchain/fit/index.js";
import { verdictLine } from "../../../src/toolchain/fit/report/text.js";
import { compileText, loadTarget } from "./golden.js";
import { FIELDS as F, smaller, tableText as T, wrap } from "./programs.js";

const tofino = loadTarget("tofino");
const rmt = loadTarget("rmt");
const small = smaller(tofino);

function prog(text: string, target: Target): FitResult {
  const { program, error } = compileText(text);
  expect(error).toBeUndefined();
  return fitProgram(program!, target);
}
const run = (target: Target, locals: string, apply: string) => prog(wrap(F, locals, apply), target);

/** Tables with a counter each, of so many map RAMs. */
function withCounters(rams: readonly number[]): string {
  const locals = rams.map(
    (count, i) => `counter(${(count - 1) * 2048}, CounterType.packets) k${i};
    action a${i}() { k${i}.count(h.d.i${i}); }
    table t${i} { key = { h.d.k${i} : ternary; } actions = { a${i}; } size = 16; default_action = a${i}(); }`,
  );
  const fields = rams.map((_, i) => `bit<32> k${i}; bit<32> i${i};`);
  return wrap(fields.join(" "), locals.join("\n"), rams.map((_, i) => `t${i}.apply();`).join(" "));
}

interface Sarif {
  runs: {
    results: {
      ruleId: string;
      level: string;
      locations: { physicalLocation: { artifactLocation: { uri: string } } }[];
    }[];
  }[];
}

interface Case {
  readonly what: string;
  readonly result: () => FitResult;
  readonly verdict: string;
  readonly binding: string;
  /** Kind, stages after the change, message. */
  readonly advice: readonly [kind: string, stages: number, message: string][];
  /** Rules and levels, the verdict first. */
  readonly sarif: readonly [rule: string, level: string][];
}

const CASES: readonly Case[] = [
  {
    what: "a program whose sums fit, and whose placement does not",
    result: () => prog(withCounters([6, 6, 6]), small({}, { map_rams: 10 }, { stages: 2 })),
    verdict:
      "fits Tofino (1) by counts only: no sum needs more than 2 stages, but the placement found takes 3 of 2 stages; --exact may find one that fits, --explain says what binds",
    binding: "the 10 map RAMs of a stage (without it: 1 stage)",
    advice: [],
    sarif: [["verdict", "error"]],
  },
  {
    what: "a program whose sums do not fit",
    result: () => prog(withCounters([6, 6, 4, 4]), small({}, { map_rams: 10 }, { stages: 1 })),
    verdict: "cannot fit Tofino (1): at least 2 of 1 stages (20 map RAMs at 10 a stage)",
    binding: "the 10 map RAMs of a stage (without it: 1 stage)",
    advice: [],
    sarif: [["verdict", "error"]],
  },
  {
    what: "a chain of two tables",
    result: () =>
      run(
        tofino,
        T("t", "h.d.a: exact", "h.d.b = v;") + T("u", "h.d.b: exact", "h.d.c = v;"),
        "t.apply(); u.apply();",
      ),
    verdict: "placed on Tofino (1): 2 of 12 stages (heuristic; assignment verified)",
    binding: "the chain of dependent tables: Ing.t > Ing.u",
    advice: [
      ["match", 1, "Ing.u waits for d.b of Ing.t. Match Ing.u on what Ing.t matches, or join the two tables"],
    ],
    sarif: [["advice-match", "note"]],
  },
  {
    what: "a condition on what a table writes",
    result: () =>
      run(
        tofino,
        T("t", "h.d.a: exact", "h.d.b = v;") + T("u", "h.d.e: exact", "h.d.c = v;"),
        "t.apply(); if (h.d.b == 1) { u.apply(); }",
      ),
    verdict: "placed on Tofino (1): 2 of 12 stages (heuristic; assignment verified)",
    binding: "the chain of dependent tables: Ing.t > if (h.d.b == 1) (line 15)",
    advice: [
      [
        "match",
        1,
        "if (h.d.b == 1) (line 15) waits for d.b of Ing.t. Branch on the result of the table itself (switch (t.apply().action_run), or .hit), or test what the table matches",
      ],
    ],
    sarif: [["advice-match", "note"]],
  },
  {
    what: "a table that matches what a statement computes",
    result: () => run(tofino, T("u", "h.d.b: exact", "h.d.c = v;"), "h.d.b = h.d.a + 1; u.apply();"),
    verdict: "placed on Tofino (1): 2 of 12 stages (heuristic; assignment verified)",
    binding: "the chain of dependent tables: h.d.b = h.d.a + 1 (line 14) > Ing.u",
    advice: [
      [
        "match",
        1,
        "Ing.u waits for d.b of h.d.b = h.d.a + 1 (line 14). Match Ing.u on the fields that d.b is computed from",
      ],
    ],
    sarif: [["advice-match", "note"]],
  },
  {
    what: "a condition on what a statement computes",
    result: () =>
      run(tofino, T("u", "h.d.e: exact", "h.d.c = v;"), "h.d.b = h.d.a + 1; if (h.d.b == 3) { u.apply(); }"),
    verdict: "placed on Tofino (1): 2 of 12 stages (heuristic; assignment verified)",
    binding: "the chain of dependent tables: h.d.b = h.d.a + 1 (line 14) > if (h.d.b == 3) (line 14)",
    advice: [
      [
        "match",
        1,
        "if (h.d.b == 3) (line 14) waits for d.b of h.d.b = h.d.a + 1 (line 14). Test the fields that d.b is computed from",
      ],
    ],
    sarif: [["advice-match", "note"]],
  },
  {
    what: "two writers of one field",
    result: () =>
      run(
        tofino,
        T("t", "h.d.a: exact", "h.d.c = v;") + T("u", "h.d.b: exact", "h.d.c = v;"),
        "t.apply(); u.apply();",
      ),
    verdict: "placed on Tofino (1): 2 of 12 stages (heuristic; assignment verified)",
    binding: "the chain of dependent tables: Ing.t > Ing.u",
    advice: [
      [
        "output",
        1,
        "2 tables write d.c in turn: Ing.t, Ing.u. Put them in exclusive branches (if / else), or let each write a field of its own and choose once at the end",
      ],
    ],
    sarif: [["advice-output", "note"]],
  },
  {
    what: "two writers of one container",
    result: () =>
      run(
        tofino,
        T("t", "h.d.a: exact", "h.d.x = (bit<8>) v;") + T("u", "h.d.b: exact", "h.d.y = (bit<8>) v;"),
        "t.apply(); u.apply();",
      ),
    verdict: "placed on Tofino (1): 2 of 12 stages (heuristic; assignment verified)",
    binding: "fields that share a container, which these tables write: Ing.t, Ing.u (without it: 1 stage)",
    advice: [
      [
        "container",
        1,
        "Ing.t, Ing.u write fields that share containers, so each needs a stage of its own. Make the fields 32 bits wide, or keep them apart in the header (other fields between them)",
      ],
    ],
    sarif: [["advice-container", "note"]],
  },
  {
    what: "a table larger than two stages",
    result: () => run(tofino, T("t", "h.d.a: exact", "h.d.c = v;", "", 400000), "t.apply();"),
    verdict: "placed on Tofino (1): 3 of 12 stages (heuristic; assignment verified)",
    binding: "the 80 SRAM blocks of a stage (without it: 1 stage)",
    advice: [["size", 2, "Ing.t with 200000 entries instead of 400000"]],
    sarif: [["advice-size", "note"]],
  },
  {
    what: "small exact tables without a hash group",
    result: () =>
      run(
        small({ hash_groups: 1 }),
        T("t", "h.d.a: exact", "h.d.c = v;") + T("u", "h.d.b: exact", "h.d.e = v;"),
        "t.apply(); u.apply();",
      ),
    verdict: "placed on Tofino (1): 2 of 12 stages (heuristic; assignment verified)",
    binding: "the 52 hash bits of a stage (without it: 1 stage)",
    advice: [
      [
        "memory",
        1,
        "2 exact tables of at most 512 entries take several SRAM blocks and a hash group each: Ing.t, Ing.u. Make their keys ternary",
      ],
    ],
    sarif: [["advice-memory", "note"]],
  },
  {
    what: "one table",
    result: () => run(tofino, T("t", "h.d.a: exact", "h.d.c = v;"), "t.apply();"),
    verdict: "placed on Tofino (1): 1 of 12 stages (heuristic; assignment verified)",
    binding: "nothing: all tables fit one stage",
    advice: [],
    sarif: [],
  },
  {
    what: "a program without tables",
    result: () => run(tofino, "", ""),
    verdict: "placed on Tofino (1): 0 of 12 stages (heuristic; assignment verified)",
    binding: "nothing: all tables fit one stage",
    advice: [],
    sarif: [],
  },
  {
    what: "two limits that hold a table each",
    result: () =>
      run(
        small({ logical_tables: 1, exact_tables: 1 }),
        T("t", "h.d.a: exact", "h.d.c = v;") + T("u", "h.d.b: exact", "h.d.e = v;"),
        "t.apply(); u.apply();",
      ),
    verdict: "placed on Tofino (1): 2 of 12 stages (heuristic; assignment verified)",
    binding: "2 exact tables at 1 a stage: 2 stages",
    advice: [],
    sarif: [],
  },
  {
    what: "two limits of which one binds",
    result: () =>
      run(
        small({ gateways: 1, vliw_slots: 1 }),
        T("t", "h.d.a: exact", "h.d.c = v;") + T("u", "h.d.b: exact", "h.d.e = v;"),
        "t.apply(); u.apply();",
      ),
    verdict: "placed on Tofino (1): 2 of 12 stages (heuristic; assignment verified)",
    binding: "the 1 VLIW slots of a stage (without it: 1 stage)",
    advice: [],
    sarif: [],
  },
  {
    what: "action data of two tables",
    result: () =>
      run(
        small({ action_bus_bytes: 4 }, {}, {}),
        T("t", "h.d.a: exact", "h.d.c = v;") + T("u", "h.d.b: exact", "h.d.e = v;"),
        "t.apply(); u.apply();",
      ),
    verdict: "placed on Tofino (1): 2 of 12 stages (heuristic; assignment verified)",
    binding: "the 4 action bus bytes of a stage (without it: 1 stage)",
    advice: [],
    sarif: [],
  },
  {
    what: "fields beyond the containers",
    result: () =>
      run(
        small({}, {}, { phv: { ...tofino.phv, containers: { "8": 1, "16": 1, "32": 1 } } }),
        T("t", "h.d.a: exact", "h.d.c = v;"),
        "t.apply();",
      ),
    verdict: "fits Tofino (1) by counts of stages, but PHV: 64 of 56 bits",
    binding: "nothing: all tables fit one stage",
    advice: [],
    sarif: [["verdict", "error"]],
  },
  {
    what: "fields that no table uses beyond the containers",
    result: () =>
      run(
        small(
          {},
          {},
          {
            phv: {
              ...tofino.phv,
              containers: { "8": 1, "16": 1, "32": 6 },
              tagalong: { "8": 1, "16": 1, "32": 1 },
            },
          },
        ),
        T("t", "h.d.a: exact", "h.d.c = v;"),
        "t.apply();",
      ),
    verdict:
      "fits Tofino (1) by counts of stages, but containers for headers that no table touches: 384 bits",
    binding: "nothing: all tables fit one stage",
    advice: [],
    sarif: [["verdict", "error"]],
  },
  {
    what: "fields beyond the words of RMT",
    result: () =>
      run(
        { ...rmt, phv: { ...rmt.phv, containers: { "8": 1, "16": 1, "32": 1 } } },
        T("t", "h.d.a: exact", "h.d.c = v;"),
        "t.apply();",
      ),
    verdict:
      "fits RMT (SIGCOMM 2013), as the mapper of Jose et al. (NSDI 2015) models it by counts of stages, but PHV: 448 of 56 bits",
    binding: "nothing: all tables fit one stage",
    advice: [],
    sarif: [["verdict", "error"]],
  },
  {
    what: "a table beyond the blocks of the device",
    result: () =>
      run(
        small({}, { blocks: 20 }, { stages: 1 }),
        T("t", "h.d.a: exact", "h.d.c = v;", "", 16) + T("u", "h.d.b: exact", "h.d.e = v;", "", 300000),
        "t.apply(); u.apply();",
      ),
    verdict: "cannot fit Tofino (1): at least 4 of 1 stages (70 SRAM blocks at 20 a stage)",
    binding: "the 20 SRAM blocks of a stage (without it: 1 stage)",
    advice: [["size", 4, "Ing.u with 150000 entries instead of 300000"]],
    sarif: [
      ["verdict", "error"],
      ["advice-size", "note"],
    ],
  },
  {
    what: "a ternary table beyond the blocks of the device",
    result: () =>
      run(
        small({}, {}, { stages: 1 }),
        T("t", "h.d.a: ternary", "h.d.c = v;", "", 16) +
          T("u", "h.d.b: ternary", "h.d.e = v;", "", 30000) +
          T("w", "h.d.f: exact", "h.d.g = v;", "", 100000),
        "t.apply(); u.apply(); w.apply();",
      ),
    verdict: "cannot fit Tofino (1): at least 3 of 1 stages (60 TCAM blocks at 24 a stage)",
    binding: "60 TCAM blocks at 24 a stage: 3 stages",
    advice: [["size", 2, "Ing.u with 15000 entries instead of 30000"]],
    sarif: [
      ["verdict", "error"],
      ["advice-size", "note"],
    ],
  },
];

describe("the report of", () => {
  it.each(CASES)("$what", ({ result, verdict, binding, advice, sarif }) => {
    const found = result();
    const explanation = explain(found);
    expect(verdictLine(found)).toBe(verdict);
    expect(explanation.binding).toBe(binding);
    expect(explanation.advice.map(({ kind, stages, message }) => [kind, stages, message])).toEqual(advice);
    const { results } = (toSarif(found, [], explanation.advice, "1") as Sarif).runs[0]!;
    expect(results.map(({ ruleId, level }) => [ruleId, level])).toEqual(sarif);
    for (const { locations } of results) {
      expect(locations.map((one) => one.physicalLocation.artifactLocation.uri)).toEqual(["program.p4"]);
    }
  });
});
