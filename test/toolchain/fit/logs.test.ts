/** The real compiler's logs beside fit's result: files of the form that the compiler's schemas describe, and files that are not. */
import { describe, expect, it } from "vitest";
import { DiagnosticError, Diagnostics, SourceFile } from "../../../src/base/index.js";
import {
  compareLogs,
  fitProgram,
  growthOf,
  type LogName,
  logsText,
  readLogs,
} from "../../../src/toolchain/fit/index.js";
import { compile } from "../../../src/toolchain/p4/index.js";
import { compileText, loadTarget } from "./golden.js";
import { FIELDS, oneTable, pardeSource, tableText, wrap } from "./programs.js";

const tofino = loadTarget("tofino");
const result = fitProgram(
  compileText(
    wrap(
      FIELDS,
      tableText("t", "h.d.a: exact", "h.d.b = v;", "", 4096) +
        tableText("u", "h.d.b: ternary", "h.d.c = v;", "", 1024),
      "t.apply(); u.apply();",
    ),
  ).program!,
  tofino,
);

const usages = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, i) => ({
    ...more,
    row: i,
    usages: [{ used_by: "t", used_for: "match_entry_ram" }],
  }));

/** One stage, of `resources_schema.py`; an element without a usage is not in use. */
const stage = (stage_number: number, srams: number, tcams: number) => ({
  stage_number,
  xbar_bytes: {
    size: 194,
    bytes: [
      ...usages(4, { byte_type: "exact" }),
      ...usages(5, { byte_type: "ternary" }),
      { byte_type: "exact", usages: [] },
    ],
  },
  hash_bits: { bits: usages(40) },
  hash_distribution_units: { units: [{ usages: [] }] },
  rams: { srams: [...usages(srams), { row: 7, column: 11, usages: [] }] },
  map_rams: { maprams: [] },
  gateways: { gateways: [] },
  meter_alus: { meters: [] },
  statistic_alus: { stats: [] },
  tcams: { tcams: usages(tcams) },
  action_bus_bytes: { size: 128, bytes: usages(4) },
  vliw: { size: 32, instructions: [{ instruction_number: 0 }] },
  logical_tables: { size: 16, ids: [{ id: 0, table_name: "t" }] },
});

const resources = { resources: { mau: { nStages: 12, mau_stages: [stage(0, 8, 0), stage(1, 1, 4)] } } };
const mau = {
  tables: [
    {
      name: "Ing.t",
      entries_allocated: 8192,
      stage_allocation: [
        {
          stage_number: 0,
          memories: [
            { memory_type: "sram", num_memories: 7 },
            { memory_type: "sram", num_memories: 1 },
          ],
        },
      ],
    },
    {
      name: ".Ing.u",
      stage_allocation: [{ stage_number: 1, memories: [{ memory_type: "tcam", num_memories: 4 }] }],
    },
  ],
};
const phv = {
  containers: [
    { bit_width: 32, container_type: "normal", slices: [{}] },
    { bit_width: 32, container_type: "mocha", slices: [{}] },
    { bit_width: 8, container_type: "tagalong", slices: [{}] },
    { bit_width: 8, container_type: "normal", slices: [] },
  ],
};
/** As the compiler's script prints it: amounts, then the same in per cent. */
const text = `
Resource use
---------------------------------------------------
| Stage Number | Exact Match Input xbar | SRAM | TCAM | Logical TableID |
---------------------------------------------------
|      0       |           4            |  8   |  0   |        1        |
|      1       |           0            |  1   |  4   |        1        |
|              |                        |      |      |                 |
|    Totals    |           4            |  9   |  4   |        2        |
---------------------------------------------------
| Stage Number | Exact Match Input xbar | SRAM | TCAM | Logical TableID |
|      0       |         3.13%          | 10.00% | 0.00% | 6.25% |
`;

const logsOf = (files: Partial<Record<LogName, unknown>>) =>
  readLogs(
    new Map(
      Object.entries(files).map(([name, content]): [LogName, SourceFile] => [
        name as LogName,
        new SourceFile(name, typeof content === "string" ? content : JSON.stringify(content)),
      ]),
    ),
  );

describe("logs of the real compiler", () => {
  it("have amounts of each stage, elements in use alone", () => {
    const { stages } = logsOf({ "resources.json": resources });
    expect(stages).toHaveLength(2);
    expect(stages[0]).toMatchObject({
      srams: 8,
      xbar_bytes_exact: 4,
      xbar_bytes_ternary: 5,
      hash_dist_units: 0,
    });
    expect(stages[1]).toMatchObject({ srams: 1, tcams: 4, logical_tables: 1 });
  });

  it("have the same amounts as text", () => {
    const { stages } = logsOf({ "mau.resources.log": text });
    expect(stages).toEqual([
      { xbar_bytes_exact: 4, srams: 8, tcams: 0, logical_tables: 1 },
      { xbar_bytes_exact: 0, srams: 1, tcams: 4, logical_tables: 1 },
    ]);
  });

  it("stand beside fit's result, with what is left of a stage", () => {
    const compared = compareLogs(
      result,
      logsOf({ "resources.json": resources, "mau.json": mau, "phv.json": phv }),
    );
    expect(compared.stages).toEqual({ ours: 2, theirs: 2 });
    const srams = compared.use.find(({ stage: at, resource }) => at === 0 && resource === "srams");
    expect(srams).toEqual({
      stage: 0,
      resource: "srams",
      ours: result.placement.stages[0]!.srams,
      theirs: 8,
      left: 72,
    });
    expect(compared.tables).toMatchObject([
      { name: "Ing.t", ours: [0], theirs: [0], entries: 8192, srams: [expect.any(Number), 8] },
      { name: "Ing.u", ours: [1], theirs: [1], tcams: [expect.any(Number), 4] },
    ]);
    expect(compared.containers.map(({ theirs }) => theirs)).toEqual([0, 0, 2]);
    expect(logsText(compared)).toMatch(/^stages: 2 by fit, 2 by the compiler$/m);
  });

  it("may be a context alone", () => {
    const context = {
      tables: [
        {
          name: "Ing.t",
          table_type: "match",
          size: 4096,
          match_attributes: { stage_tables: [{ stage_number: 3 }] },
        },
        { name: "act", table_type: "action", stage_tables: [{ stage_number: 3 }] },
      ],
    };
    const compared = compareLogs(result, logsOf({ "context.json": context }));
    expect(compared.stages.theirs).toBe(4);
    expect(compared.tables.map(({ theirs }) => theirs)).toEqual([[3], null]);
  });

  it.each<[LogName, unknown, RegExp]>([
    ["resources.json", "{", /^not a log of the Tofino compiler: /],
    ["resources.json", {}, /resources: /],
    ["resources.json", { resources: { mau: { mau_stages: [{ stage_number: 1e9 }] } } }, /stage_number/],
    ["mau.json", { tables: [{ name: 1, stage_allocation: [] }] }, /tables\.0\.name/],
    ["mau.resources.log", "nothing", /no row that begins with Stage Number/],
    ["mau.resources.log", "| Stage Number | SRAM |\n| x | 1 |", /no row of a stage/],
    ["phv.json", { containers: [{ bit_width: 7, container_type: "normal", slices: [] }] }, /bit_width/],
  ])("are refused where %s is %j", (name, content, message) => {
    try {
      logsOf({ [name]: content });
      expect.fail("no error");
    } catch (error) {
      if (!(error instanceof DiagnosticError)) throw error;
      const [only] = error.diagnostics;
      expect(only?.code).toBe("P44047");
      expect(only?.message).toMatch(message);
      expect(only?.span?.file.path).toBe(name);
    }
  });
});

describe("growth", () => {
  it("is the largest size that is placed, each table alone", () => {
    const twoStages = { ...tofino, stages: 2 };
    const { program } = compileText(
      wrap(FIELDS, tableText("u", "h.d.b: ternary", "h.d.c = v;", "", 1024), "u.apply();"),
    );
    const [only, ...others] = growthOf(fitProgram(program!, twoStages));
    expect(others).toEqual([]);
    // 24 blocks a stage of 512 rows; the key is one block wide.
    expect(only).toMatchObject({ table: "Ing.u", size: 1024 });
    expect(only!.largest).toBeLessThanOrEqual(2 * 24 * 512);
    expect(only!.largest).toBeGreaterThan(2 * 24 * 512 * (1 - 1 / 8));
  });

  it("ends at the number of values that an exact key has", () => {
    const { program } = compileText(oneTable({ kind: "exact", keyBits: 12, size: 1024 }));
    expect(growthOf(fitProgram(program!, tofino))).toMatchObject([{ size: 1024, largest: 4096 }]);
  });

  it("is none of a program that is not placed", () => {
    const { program } = compileText(wrap(FIELDS, "", "h.d.a = h.d.a * 3;"));
    expect(growthOf(fitProgram(program!, tofino))).toEqual([]);
  });
});

it("tables of one control in both gresses are two", () => {
  const [first] = result.model.units.filter(({ kind }) => kind === "match");
  const table = (name: string, at: number) => ({ name, stages: [at], entries: 1, srams: at, tcams: 0 });
  const logs = readLogs(new Map([["mau.json", new SourceFile("mau.json", JSON.stringify(mau))]]));
  const of = (...tables: ReturnType<typeof table>[]) =>
    compareLogs(result, { ...logs, tables }).tables.find(({ name }) => name === first!.name)!.theirs;
  expect(of(table(`pipe.${first!.name}`, 2), table(`pipe.Other.${first!.name}`, 7))).toEqual([2]);
  expect(of(table(`pipe.Other.${first!.name}`, 7), table(`pipe.${first!.name}`, 2))).toEqual([2]);
  expect(of(table(`pipe.Other.${first!.name}`, 7))).toBeNull();
});

describe("logs of parsers, deparsers and latency", () => {
  const gress = (rows: number) => ({ tcam_rows: rows });
  const entries = (pov_bits: number, fde_entries: number) => ({ pov_bits, fde_entries });
  const metrics = {
    parser: { ingress: gress(20), egress: gress(9) },
    deparser: { ingress: entries(7, 31), egress: entries(2, 5) },
    mau: {
      latency: [
        { gress: "ingress", cycles: 112 },
        { gress: "egress", cycles: 168 },
      ],
    },
  };
  const report = [
    "Number of states on ingress: 13",
    "Number of matches on ingress: 19",
    "Longest path (10 states) on ingress:",
  ].join("\n");
  const logs = (files: Partial<Record<LogName, string>>) =>
    readLogs(
      new Map(Object.entries(files).map(([name, text]) => [name as LogName, new SourceFile(name, text)])),
    );

  it("stand beside what fit counts, rows of the chip before matches of the report", () => {
    const { gresses } = logs({ "metrics.json": JSON.stringify(metrics), "parser.characterize.log": report });
    expect(gresses).toEqual({
      ingress: { states: 13, longestPath: 10, rows: 20, validityBits: 7, entries: 31, cycles: 112 },
      egress: { rows: 9, validityBits: 2, entries: 5, cycles: 168 },
    });
    expect(logs({ "parser.characterize.log": report }).gresses.ingress).toEqual({
      states: 13,
      longestPath: 10,
      rows: 19,
    });
    const file = new SourceFile(
      "test.p4",
      pardeSource({
        types: "header w_h { bit<32> f; }",
        headers: "w_h w;",
        states: "state first { p.extract(h.w); transition accept; }",
      }),
    );
    const made = compile(
      { file, resolveInclude: () => undefined, defines: { __TARGET_TOFINO__: "1" }, form: "hardware" },
      new Diagnostics(),
    );
    const tna = fitProgram(made!.program, tofino);
    const compared = compareLogs(tna, logs({ "metrics.json": JSON.stringify(metrics) }));
    expect(compared.gresses.filter(({ gress }) => gress === "ingress")).toEqual([
      { gress: "ingress", measure: "parser rows", ours: 1, theirs: 20 },
      { gress: "ingress", measure: "deparser entries", ours: 1, theirs: 31 },
      { gress: "ingress", measure: "validity bits", ours: 1, theirs: 7 },
      { gress: "ingress", measure: "cycles of the stages", ours: 54, theirs: 112 },
    ]);
    expect(logsText(compared)).toMatch(/^egress +cycles of the stages +168 +168$/m);
    // The watts of power.json, and its cycles, stand beside the estimate; those of metrics.json come first.
    const power = {
      total_latency: [{ gress: "ingress", latency: 111, pipe_number: 0 }],
      total_power: [{ gress: "ingress", power: 0.5, pipe_number: 0 }],
      tables: [
        { gress: "egress", stages: [{ always_runs: true, on_critical_path: true, weight: 100 }] },
        {
          gress: "ingress",
          stages: [
            { always_runs: true, on_critical_path: false, weight: 1 },
            { always_runs: false, on_critical_path: true, weight: 2 },
            { always_runs: false, on_critical_path: false, weight: 4 },
          ],
        },
      ],
    };
    const estimated = { "power.json": JSON.stringify(power) };
    expect(compareLogs(tna, logs(estimated)).gresses.slice(0, 3)).toEqual([
      { gress: "ingress", measure: "cycles of the stages", ours: 54, theirs: 111 },
      { gress: "ingress", measure: "watts of the stages", ours: 0, theirs: 0.5 },
      { gress: "ingress", measure: "accesses of the tables that look up, by weight", ours: 0, theirs: 3 },
    ]);
    const both = logs({ ...estimated, "metrics.json": JSON.stringify(metrics) });
    expect(both.gresses.ingress).toMatchObject({ cycles: 112, watts: 0.5 });
    // Of a v1model program fit counts none.
    expect(compareLogs(result, logs({ "metrics.json": JSON.stringify(metrics) })).gresses[0]).toMatchObject({
      ours: null,
      theirs: 20,
    });
  });

  it("that are something else are P44047", () => {
    for (const files of [
      { "metrics.json": "{}" },
      { "power.json": "{}" },
      { "parser.characterize.log": "no report" },
    ])
      expect(() => logs(files)).toThrow(DiagnosticError);
  });
});
