/** The comparison of `fit` with the open Tofino compiler: its records, the programs outside the list, and the page. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Case, caseName, loadCase } from "../../tools/tna/corpus.js";
import { type FitRecord, fitPage } from "../../tools/tna/fit-page.js";
import { outsideCases, placedPipe, type Rival, SEEN } from "../../tools/tna/outside.js";
import { recordOf } from "../../tools/tna/recorded.js";
import { tnaSource } from "../toolchain/fit/programs.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-tna-fit-"));
afterAll(() => rmSync(folder, { recursive: true }));

const someCase = (repo: string, path: string, more: Partial<Case> = {}): Case => ({
  ...{ repo, commit: "c0", path, variant: "", class: "design", chip: "tofino", isForBoth: false, lines: 9 },
  ...{ defines: [], includeFolders: [], standalone: true, duplicateOf: undefined, ...more },
});

const phvOf = (containers: number) => ({
  "8b": { containers },
  "16b": { containers },
  "32b": { containers },
});
const stagesOf = (total: number) => ({ total, ingress: total, egress: 0 });

describe("a record", () => {
  const usages = [{ used_by: "t" }];
  const none = { usages: [] };
  const resources = (srams: number) => ({
    resources: {
      mau: {
        mau_stages: [
          {
            stage_number: 1,
            xbar_bytes: { bytes: [{ byte_type: "exact", usages }] },
            hash_bits: { bits: [{ usages }, none] },
            hash_distribution_units: { units: [] },
            rams: { srams: Array.from({ length: srams }, () => ({ usages })) },
            map_rams: { maprams: [] },
            gateways: { gateways: [{ usages }] },
            meter_alus: { meters: [] },
            statistic_alus: { stats: [] },
            tcams: { tcams: [] },
            action_bus_bytes: { bytes: [] },
            vliw: { instructions: [1, 2] },
            logical_tables: { ids: [3] },
          },
        ],
      },
    },
  });
  const allocation = (stages: number, rows: string) => `Number of stages in table allocation: ${stages}
  Number of stages for ingress table allocation: ${stages}
  Number of stages for egress table allocation: 0
+-------+-----------------+
| Stage | Min / Max Stage | Table Name | Key Size | Entries Allocated | Entries Required | SRAMs | Ways | TCAMs | MapRAMs |
+-------+-----------------+
${rows}
+-------+-----------------+

`;
  const detail = `+-------+
| Stage | Logical ID | Gress | Name | Ixbar Bytes | Match Bits | Gateway | Action Data Bytes |
+-------+
| 0 | 0 | I | other | 0 | 0 | N | 0 |
+-------+
| 1 | 19 | I | C.t | 4 | 22 | N | 1 |
+-------+
`;
  const write = (output: string, pipe: string, stages: number) => {
    const logs = join(output, pipe, "logs");
    mkdirSync(logs, { recursive: true });
    writeFileSync(
      join(logs, "table_summary.log"),
      // The compiler allocates again: the last allocation counts.
      allocation(9, "| 8 | [ 0, 1 ] | C.old | 32 | 1 | 1 | 4 | - | - | - |") +
        allocation(stages, "| 1 | [ 0, 1 ] | C.t | 32 | 4096 | 1024 | 4 | 4 | - | - |") +
        detail,
    );
    writeFileSync(join(logs, "resources.json"), JSON.stringify(resources(stages)));
    for (const [round, containers] of [
      [9, 1],
      [10, 5],
    ])
      writeFileSync(
        join(logs, `phv_allocation_summary_${round}.log`),
        ["8b", "16b", "32b"]
          .map((size) => `|  Usage for ${size}  |  ${containers} (  3 %)  | 9 |\n`)
          .join(""),
      );
  };
  const one = someCase("a/b", "p.p4", { variant: "v", class: "example" });
  const ended = (status: number | "no answer", errors = "") => ({ status, errors, seconds: 2 });

  it("has the last allocation of tables and containers, and the resources by stage", () => {
    const output = join(folder, "one");
    write(output, "pipe", 2);
    const record = recordOf(one, output, ended(0));
    expect(record).toMatchObject({
      ...{ repo: "a/b", commit: "c0", path: "p.p4", variant: "v", class: "example", target: "tofino" },
      ...{ result: "placed", stages: stagesOf(2), exceeds_device_stages: false, seconds: 2 },
      phv: phvOf(5),
    });
    expect(record.tables).toEqual([
      {
        ...{ name: "C.t", stage: 1, gress: "ingress", logical_id: 3, key_bits: 32, srams: 4, ways: 4 },
        ...{ entries_requested: 1024, entries_allocated: 4096 },
        ...{ ixbar_bytes: 4, match_bits: 22, action_data_bytes: 1 },
      },
    ]);
    expect(record.per_stage_resources).toEqual([
      expect.objectContaining({ stage: 1, srams: 2, xbar_bytes_exact: 1, hash_bits: 1, vliw_slots: 2 }),
    ]);
    expect(placedPipe(record)).toMatchObject({ name: undefined, stages: 2, phv: phvOf(5) });
  });

  it("has each of several pipes, of which the longest is compared", () => {
    const output = join(folder, "two");
    write(output, "a", 2);
    write(output, "b", 3);
    const record = recordOf(one, output, ended(0));
    expect(record.pipes?.map(({ name, stages }) => [name, stages.total])).toEqual([
      ["a", 2],
      ["b", 3],
    ]);
    const placed = placedPipe(record);
    expect(placed).toMatchObject({ name: "b", stages: 3 });
    expect(placed?.counts).toEqual([expect.objectContaining({ pipe: "b", srams: 3 })]);
  });

  it("of a program that does not fit is not compared", () => {
    const output = join(folder, "long");
    write(output, "pipe", 13);
    const long = recordOf(one, output, ended(0));
    const refused = recordOf(one, output, ended(3, "warning: w\np.p4(3): error: no\n"));
    const late = recordOf(one, output, ended("no answer"));
    expect(long.exceeds_device_stages).toBe(true);
    expect(refused).toMatchObject({ result: "error", error: "p.p4(3): error: no" });
    expect(late.result).toBe("timeout");
    for (const record of [long, refused, late]) expect(placedPipe(record)).toBeUndefined();
  });
});

describe("the programs outside the list", () => {
  it("are the examples, and at most six generated ones a repository, each once", () => {
    const generated = Array.from({ length: 20 }, (_, i) =>
      someCase("gen/a", `p${i}.p4`, { class: "generated" }),
    );
    const both = generated.map((one) => ({ ...one, chip: "tofino2" as const }));
    const examples = [
      someCase("ex/a", "e.p4", { class: "example" }),
      someCase("ex/a", "same.p4", { class: "example", duplicateOf: "ex__a/e.p4" }),
      someCase("sde/a", "s.p4", { class: "sde-example" }),
      someCase("gen/b", "one.p4", { class: "generated" }),
      someCase("x/a", "d.p4"),
    ];
    const chosen = outsideCases([...generated, ...examples, ...both]);
    const names = chosen.map(caseName);
    expect(names.filter((name) => name.startsWith("gen/a"))).toHaveLength(12);
    expect(new Set(chosen.filter(({ repo }) => repo === "gen/a").map(({ path }) => path)).size).toBe(6);
    expect(names[0]).toBe("ex/a/e.p4@tofino");
    expect(names.at(-1)).toBe("sde/a/s.p4@tofino");
    expect(names).toContain("gen/b/one.p4@tofino");
    expect(names).toHaveLength(15);
    // Neither the order of the list nor other programs change the draw.
    expect(
      outsideCases([...both, ...generated].reverse())
        .map(caseName)
        .sort(),
    ).toEqual(names.filter((name) => name.startsWith("gen/a")).sort());
  });

  it("are compiled with options of p4c's command line where their records were", async () => {
    // An egress parser that reads more than Tofino allows.
    const deep = tnaSource({}).replace("pkt.extract(eg); ", "pkt.extract(eg); pkt.advance(8 * 160); ");
    mkdirSync(join(folder, "a+deep"), { recursive: true });
    writeFileSync(join(folder, "a+deep", "p.p4"), deep);
    const one = someCase("a/deep", "p.p4");
    await expect(loadCase(folder, one)).rejects.toThrow(/longest path/);
    const program = await loadCase(folder, one, ["--disable-parse-depth-limit"]);
    expect(program.bmv2.parsers.length).toBeGreaterThan(0);
  });
});

describe("the page", () => {
  const record = (name: string, stages: number, ours: Partial<FitRecord["ours"]> | undefined): FitRecord => ({
    ...{ case: `${name}@tofino`, chip: "tofino" },
    theirs: { stages, sums: { srams: 100 }, containers: { "8b": 10, "16b": 10, "32b": 10 } },
    ...(ours === undefined
      ? {}
      : {
          ours: {
            ...{ stages, verdict: "placed", sums: { srams: 104 }, ms: 7 },
            ...{ containers: { "8b": 11, "16b": 12, "32b": 10 }, ...ours },
          },
        }),
  });
  const page = fitPage({
    listed: [record("l/a/p.p4", 3, {}), record("l/b/p.p4", 3, { stages: 5, sums: { srams: 106 } })],
    outside: [
      record("l/a/q.p4", 4, {}),
      record("new/a/q.p4", 4, { stages: 5 }),
      record("new/b/q.p4", 4, { verdict: "fits by counts" }),
      record("new/c/q.p4", 4, undefined),
      record(SEEN[0]!, 4, { stages: 9 }),
    ],
  });
  const cells = (name: string): string[] =>
    page
      .split("\n")
      .find((line) => line.startsWith(`| ${name} |`))!
      .split("|")
      .slice(2, -1)
      .map((text) => text.trim().replace(/ \(.*/, ""));

  it("counts listed designs, those outside the list, and those of repositories without a listed design", () => {
    expect(cells("placed by the compiler")).toEqual(["2", "2", "4", "2", "3"]);
    expect(cells("read by `fit`")).toEqual(["2 of 2", "2 of 2", "3 of 4", "2 of 2", "2 of 3"]);
    expect(cells("same number of stages")).toEqual(["1 of 2", "1 of 2", "2 of 3", "1 of 2", "1 of 2"]);
    expect(cells("verdict `placed`")).toEqual(["2 of 2", "2 of 2", "2 of 3", "2 of 2", "1 of 2"]);
    expect(cells("srams")).toEqual(["1 of 2", "1 of 2", "3 of 3", "2 of 2", "2 of 2"]);
    expect(cells("containers of 16b")).toEqual(["0 of 2", "0 of 2", "0 of 3", "0 of 2", "0 of 2"]);
  });

  it("lists the differences, those outside the list without a reason", () => {
    expect(cells("l/b/p.p4@tofino")).toEqual(["3", "5", "placed", ""]);
    expect(page).not.toContain("| l/a/");
    expect(cells("new/a/q.p4@tofino")).toEqual(["4", "5", "placed"]);
    expect(cells("new/b/q.p4@tofino")).toEqual(["4", "4", "fits by counts"]);
    expect(cells("new/c/q.p4@tofino")).toEqual(["4", "-", "not read"]);
    expect(cells(`${SEEN[0]}@tofino (seen)`)).toEqual(["4", "9", "placed"]);
  });
});

it("a record of a changed program has the options", () => {
  const adapted: Rival = {
    ...{ repo: "a/b", path: "p.p4", target: "tofino", result: "placed", stages: stagesOf(2), phv: phvOf(1) },
    ...{ per_stage_resources: [], adapted: { options: ["--disable-parse-depth-limit"] } },
  };
  expect(placedPipe(adapted)).toEqual({ name: undefined, stages: 2, counts: [], phv: phvOf(1) });
});
