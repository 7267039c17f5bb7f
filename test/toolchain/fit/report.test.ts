import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DiagnosticError, SourceFile } from "../../../src/base/index.js";
import {
  checkBudget,
  difference,
  differenceText,
  explain,
  explanationText,
  type FitResult,
  fitProgram,
  fitSweep,
  overBudgetText,
  parseBudget,
  parseSweep,
  sweepText,
  toHtml,
  toJson,
  toSarif,
  toText,
} from "../../../src/toolchain/fit/index.js";
import { compileText, loadProgram, loadTarget } from "./golden.js";
import { oneTable, wrap } from "./programs.js";

const tofino = loadTarget("tofino");
const check = (name: string): FitResult => fitProgram(loadProgram(name).program!, tofino);
const codeOf = (action: () => unknown): string => {
  try {
    action();
  } catch (error) {
    if (error instanceof DiagnosticError) return error.diagnostics[0]!.code;
    throw error;
  }
  return "none";
};

const notesOf = (action: () => unknown): string[] => {
  try {
    action();
  } catch (error) {
    if (error instanceof DiagnosticError) return error.diagnostics[0]!.notes.map(({ message }) => message);
    throw error;
  }
  return [];
};

describe("the JSON report", () => {
  const report = toJson(check("real_l2l3"));

  it("names what the vendor's reports name", () => {
    expect(report).toMatchObject({
      target: "tofino",
      verdict: "placed",
      stages: { total: 3, ingress: 3, egress: 1 },
      critical_path: 3,
      device_stages: 12,
      exceeds_device_stages: false,
    });
    const fib = report.tables.find((table) => table.name === "Ing.fib")!;
    expect(fib).toMatchObject({
      gress: "ingress",
      stage: 1,
      min_stage: 1,
      match_kind: "ternary_match",
      key_bits: 32,
      entries_requested: 8192,
      entries_allocated: 8192,
      srams: 2,
      tcams: 16,
    });
    expect(report.per_stage_resources).toHaveLength(3);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  it("has a table's blocks add up to the stages'", () => {
    const sum = (key: "srams" | "tcams" | "map_rams") =>
      report.tables.reduce((total, table) => total + table[key], 0);
    const stages = (key: string) =>
      report.per_stage_resources.reduce<number>(
        (total, stage) => total + (stage as Record<string, number>)[key]!,
        0,
      );
    for (const key of ["srams", "tcams", "map_rams"] as const)
      expect([key, sum(key)]).toEqual([key, stages(key)]);
  });

  it("has the blocks of a register in the stages where they are", () => {
    const tofino2 = loadTarget("tofino2");
    const text = oneTable({
      kind: "exact",
      keyBits: 32,
      size: 16,
      declare: "register<bit<32>>(200000) r;",
      statement: "r.write(h.d.r0, 1);",
    });
    const { tables, per_stage_resources: stages } = toJson(fitProgram(compileText(text).program!, tofino2));
    // 49 blocks of data in pieces of 22, each with a spare, after the four blocks of the table.
    expect(tables.map(({ stage, srams, map_rams }) => [stage, srams, map_rams])).toEqual([
      [0, 4, 0],
      [1, 23, 23],
      [2, 23, 23],
      [3, 6, 6],
    ]);
    expect(stages.map((stage) => (stage as { srams: number }).srams)).toEqual([4, 23, 23, 6]);
  });
});

describe("the terminal report", () => {
  it("begins with the verdict", () => {
    expect(toText(check("real_l2l3"))).toMatch(
      /^placed on Tofino \(1\): 3 of 12 stages \(heuristic; assignment verified\)/,
    );
    expect(toText(check("chain_match_13"))).toMatch(
      /^cannot fit Tofino \(1\): at least 13 of 12 stages \(a chain of 13 dependent tables/,
    );
    expect(toText(check("op_mul"))).toMatch(/^refused by Tofino \(1\)/);
  });
});

describe("the page", () => {
  const text = readFileSync(join(import.meta.dirname, "../../golden/fit/programs/real_l2l3.p4"), "utf8");
  const result = check("real_l2l3");
  const page = toHtml(result, [new SourceFile("real_l2l3.p4", text)], explain(result));

  it("needs nothing else", () => {
    expect(page).not.toMatch(/<script|<link|src=|url\((?!#)|@import|https?:/);
    expect(page).toMatch(/^<!doctype html>/);
  });

  it("leads from tables to their lines", () => {
    const links = [...page.matchAll(/href="#(f0l\d+)"/g)].map((match) => match[1]!);
    expect(links.length).toBeGreaterThan(10);
    for (const link of links) expect(page).toContain(`id="${link}"`);
    const line = text.split("\n").findIndex((part) => part.includes("table fib")) + 1;
    expect(page).toContain(`<a href="#f0l${line}">Ing.fib</a>`);
  });

  it("shows source text as text", () => {
    expect(page).toContain("#include &lt;core.p4&gt;");
  });
});

describe("explanations", () => {
  it("name tables that write one field in turn, with the stages that exclusive branches would give", () => {
    const result = check("chain_egspec_4");
    const { advice } = explain(result);
    expect(advice[0]).toMatchObject({ kind: "output", stages: 1 });
    expect(advice[0]!.message).toContain("4 tables write standard_metadata.egress_spec in turn");
    expect(explanationText(result, explain(result))).toContain("4 -> 1 stages");
  });

  it("name shared containers", () => {
    const result = check("many_te_4");
    expect(explain(result)).toMatchObject({
      binding: expect.stringContaining("fields that share a container, which these tables write"),
      advice: [{ kind: "container", stages: 1 }],
    });
  });

  it("promise only what the change gives", () => {
    const guarded = wrap(
      "bit<32> a; bit<32> b; bit<32> c; bit<8> s;",
      `action x(bit<32> v) { h.d.c = v; } action y(bit<32> v) { h.d.c = v; }
       table t0 { key = { h.d.a : exact; } actions = { x; NoAction; } size = 64; default_action = NoAction(); }
       table t1 { key = { h.d.b : exact; } actions = { y; NoAction; } size = 64; default_action = NoAction(); }`,
      "t0.apply(); t1.apply();",
    );
    const before = fitProgram(compileText(guarded).program!, tofino);
    const promised = explain(before).advice.find((advice) => advice.kind === "output")!;
    const after = compileText(
      guarded.replace("t0.apply(); t1.apply();", "if (h.d.s == 1) { t0.apply(); } else { t1.apply(); }"),
    );
    expect([before.stages, promised.stages, fitProgram(after.program!, tofino).stages]).toEqual([2, 1, 1]);
  });
});

describe("budgets", () => {
  const result = check("real_l2l3");

  const over = (text: string) =>
    checkBudget(result, parseBudget(text))
      .filter((use) => !use.within)
      .map(overBudgetText);

  it("hold or do not", () => {
    expect(over("stages=3,sram=40,tcam=50%")).toEqual([]);
    expect(over("stages=2, sram=39")).toEqual(["stages: 3 used, budget 2", "sram: 40 used, budget 39"]);
    expect(over("tcam=5%")).toEqual(["tcam: 5.6 % used, budget 5 %"]);
  });

  it("hold at the percentage that is shown: 40 of 960 blocks are 4.2 %", () => {
    expect(checkBudget(result, parseBudget("sram=4.2%"))).toEqual([
      { name: "sram", limit: 4.2, percent: true, used: 4.2, within: true },
    ]);
    expect(over("sram=4.1%")).toEqual(["sram: 4.2 % used, budget 4.1 %"]);
  });

  it("count PHV by containers where fields share them, and by fields where they do not", () => {
    const onRmt = fitProgram(loadProgram("real_l2l3").program!, loadTarget("rmt"));
    const usedOf = (one: FitResult): number => checkBudget(one, parseBudget("phv=1"))[0]!.used;
    const containers = ([8, 16, 32] as const).map((size) => size * result.phv.packed[size].containers);
    expect(usedOf(result)).toBe(containers.reduce((sum, bits) => sum + bits, 0));
    expect(usedOf(onRmt)).toBe(onRmt.phv.naive.bits);
    expect(overBudgetText(checkBudget(result, parseBudget("phv=100%"))[0]!)).toContain("phv: ");
    expect(over("phv=100%")).toEqual([]);
  });

  it("have no percentage of what the target does not state", () => {
    const onRmt = fitProgram(loadProgram("real_l2l3").program!, loadTarget("rmt"));
    expect(codeOf(() => checkBudget(onRmt, parseBudget("gateways=5%")))).toBe("P44046");
    // Parsers of a v1model program are not counted: no budget of them is kept or missed.
    expect(codeOf(() => checkBudget(onRmt, parseBudget("parser_rows=5")))).toBe("P44046");
  });

  it("take decimals and spaces, and count each resource of the whole device", () => {
    expect(parseBudget(" sram = 4.25% ,tcam=3")).toEqual([
      { name: "sram", limit: 4.25, percent: true },
      { name: "tcam", limit: 3, percent: false },
    ]);
    const sum = (name: "map_rams" | "gateways" | "logical_tables" | "vliw_slots" | "hash_bits") =>
      result.placement.stages.reduce((total, stage) => total + stage[name], 0);
    const usedOf = (text: string) => checkBudget(result, parseBudget(text)).map(({ used }) => used);
    expect(usedOf("map_ram=0,gateways=0,ids=0,vliw=0,hash_bits=0")).toEqual([
      sum("map_rams"),
      sum("gateways"),
      sum("logical_tables"),
      sum("vliw_slots"),
      sum("hash_bits"),
    ]);
    // 3 of 12 stages; ids of 16 in each.
    expect(usedOf("stages=100%,ids=100%")).toEqual([
      25,
      Math.round((1000 * sum("logical_tables")) / 192) / 10,
    ]);
  });

  it("name what was meant", () => {
    const messageOf = (text: string) => {
      try {
        parseBudget(text);
      } catch (error) {
        if (error instanceof DiagnosticError) return error.diagnostics[0]!.message;
      }
      return "";
    };
    expect(messageOf("stage=3")).toBe('--budget "stage=3": not a budget; did you mean "stages"?');
    expect(messageOf(" stagse = x")).toBe('--budget " stagse = x": not a budget; did you mean "stages"?');
    expect(messageOf("3")).toBe('--budget "3": not a budget');
  });

  it("are refused when they are none", () => {
    for (const text of ["", "stages", "stages=x", "colour=3"])
      expect([text, codeOf(() => parseBudget(text))]).toEqual([text, "P44030"]);
  });
});

describe("sweeps", () => {
  const { program } = loadProgram("ex_k32_n4096");

  it("grow with the table", () => {
    const points = fitSweep(program!, tofino, parseSweep("t.size=1k..1M"));
    expect(points.map((point) => point.size)).toEqual(Array.from({ length: 11 }, (_, i) => 1024 << i));
    const stages = points.map((point) => point.result.stages);
    expect(stages).toEqual([...stages].sort((a, b) => a - b));
    expect(stages[0]).toBe(1);
    expect(stages[10]).toBeGreaterThan(3);
    expect(sweepText(points)).toContain("1048576");
  });

  it("include their end", () => {
    expect(parseSweep("t.size=1k..100k").sizes).toEqual([
      1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 102_400,
    ]);
    expect(parseSweep("t.size=5..5").sizes).toEqual([5]);
  });

  it("are refused when they are none, or of no table", () => {
    for (const text of ["t", "t.size=", "t.size=4k..1k", "t.size=a..b", "t.size=1,99999999999999999999"]) {
      expect([text, codeOf(() => parseSweep(text))]).toEqual([text, "P44031"]);
    }
    expect(codeOf(() => fitSweep(program!, tofino, parseSweep("u.size=1,2")))).toBe("P44032");
    expect(notesOf(() => fitSweep(program!, tofino, parseSweep("u.size=1,2")))).toEqual(["tables: Ing.t"]);
  });
});

describe("differences and SARIF", () => {
  it("show both programs, what is in use in one of them, and the sign of the change", () => {
    const table = (kind: string, size: number) =>
      fitProgram(compileText(oneTable({ kind: kind as "exact", keyBits: 32, size })).program!, tofino);
    const [exact, ternary] = [table("exact", 500_000), table("ternary", 16)];
    const text = (before: FitResult, after: FitResult) =>
      differenceText(difference(before, after))
        .split("\n")
        .map((line) => line.trimEnd());
    const grown = text(ternary, exact);
    const blocks = exact.placement.stages.reduce((sum, stage) => sum + stage.srams, 0);
    expect(grown[0]).toBe("verdict: placed -> placed");
    expect(grown.filter((line) => /^(stages|sram|tcam|ids|gateways|phv|Ing)/.test(line))).toEqual([
      "stages       1      2      +1",
      `sram         1    ${blocks}    +${blocks - 1}`,
      "tcam         1      0      -1",
      "ids          1      2      +1",
      "phv         32     32",
      expect.stringMatching(/^Ing\.t +stage 0, 1 SRAM, 1 TCAM +stage 0, \d+ SRAM; stage 1, \d+ SRAM$/),
    ]);
    expect(text(exact, ternary).find((line) => line.startsWith("sram"))).toBe(
      `sram       ${blocks}      1    -${blocks - 1}`,
    );
    // Nothing of a table that stays as it is.
    expect(text(exact, exact).some((line) => line.includes("Ing.t") || line.startsWith("table"))).toBe(false);
    const bare = (statement: string) =>
      fitProgram(compileText(wrap("bit<32> a; bit<32> b;", "", statement)).program!, tofino);
    expect(
      difference(bare("if (h.d.a == 1) { h.d.b = 2; }"), bare("")).tables.map(({ before, after }) => [
        before,
        after,
      ]),
    ).toEqual([["stage 0", null]]);
  });

  it("list what changed", () => {
    const changes = difference(check("chain_match_2"), check("chain_match_12"));
    expect(changes.measures[0]).toEqual({ name: "stages", before: 2, after: 12 });
    expect(changes.tables.find((table) => table.name === "Ing.t5")).toMatchObject({ before: null });
    expect(differenceText(changes)).toContain("+10");
    expect(difference(check("chain_match_2"), check("chain_match_2")).tables).toEqual([]);
  });

  it("have a rule, a level and a place for each finding", () => {
    const result = check("op_mul");
    const budget = checkBudget(result, parseBudget("stages=0"));
    const [run] = sarifOf(toSarif(result, budget, [], "1.2.3"));
    expect(run!.results.map((found) => [found.ruleId, found.level])).toEqual([
      ["P44018", "error"],
      ["budget", "error"],
    ]);
    expect(run!.tool.driver.rules).toEqual([
      { id: "P44018", shortDescription: { text: "A multiplication" } },
      {
        id: "budget",
        shortDescription: { text: "The program uses more of a resource than the budget allows." },
      },
    ]);
    for (const found of run!.results) expect(found.locations).toHaveLength(1);
  });

  it("place the verdict at the table that does not fit", () => {
    const text = oneTable({
      kind: "exact",
      keyBits: 32,
      size: 16,
      declare: "counter(65536, CounterType.packets_and_bytes) c;",
      statement: "c.count(h.d.r0);",
    });
    const result = fitProgram(compileText(text).program!, tofino);
    const line = text.split("\n").findIndex((part) => part.includes("table t {")) + 1;
    const [run] = sarifOf(toSarif(result, [], [], "1.2.3"));
    expect(run!.results).toMatchObject([
      {
        ruleId: "verdict",
        message: { text: expect.stringContaining("counter Ing.c with 65,536 cells: 65") },
        locations: [{ physicalLocation: { region: { startLine: line } } }],
      },
    ]);
    expect(explain(result).binding).toContain("needs 65 map RAMs in one stage, which has 48");
    expect(toText(result)).toContain("not placed: Ing.t needs 65 map RAMs");
    expect(toText(result)).toContain("stages without Ing.t: 0");
  });
});

interface SarifRun {
  tool: { driver: { rules: { id: string; shortDescription: { text: string } }[] } };
  results: { ruleId: string; level: string; message: { text: string }; locations: object[] }[];
}

function sarifOf(document: object): SarifRun[] {
  const { version, runs } = document as { version: string; runs: SarifRun[] };
  expect(version).toBe("2.1.0");
  return runs;
}
