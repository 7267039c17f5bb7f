/** The files of a load experiment with several schemes, points and seeds, and the rows of its results. */

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { loadExperimentFile } from "../../../../src/fabric/experiment/index.js";
import { LOAD } from "../../../../src/fabric/experiment/kinds/load/index.js";
import { mechanismTable } from "../../../../src/fabric/experiment/kinds/load/view.js";
import { loadKind } from "../../../../src/fabric/experiment/read.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-load-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const TEXT = `name: files
title: Two <schemes> & more
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single, hosts_per_rack: 2, host_link: { rate: 1Gbps, delay: 1us }, fabric_link: { rate: 1Gbps, delay: 1us } }
schemes: [ecmp, { scheme: prr, label: "a b" }]
load: 0.5
traffic: { ip: 4, sizes: { uniform: [2KB, 60KB] }, flows: 40 }
transport: { congestion_control: dctcp, rto_min: 1ms }
queues: { packets: 100, ecn_threshold: 20 }
sizes: { small: 10KB, large: 50KB }
record: flows
sweep: { load: [0.3, 0.8], seeds: 2 }
`;

const file = (name: string) => readFileSync(join(folder, "out", name), "utf8");
let printed: { readonly table: string; readonly notes: readonly string[] };

beforeAll(async () => {
  const loaded = loadExperimentFile(new SourceFile("files.yaml", TEXT), new Diagnostics())!;
  expect(loaded.kind).toBe("load");
  printed = await loaded.run({ out: join(folder, "out") });
});

/** Keys of a row of a load experiment, in their order; those of means have an interval. */
const FIRST = [
  "scheme",
  "load",
  "size",
  "seeds",
  "flows",
  "unfinished",
  ...[
    "fct_mean_ms",
    "fct_p50_ms",
    "fct_p99_ms",
    "slowdown_mean",
    "slowdown_p50",
    "slowdown_p99",
    "goodput_gbps",
  ].flatMap((key) => [key, `${key}_ci95`]),
  "retransmissions",
  "timeouts",
  "drops",
  ...["link_cv", "queue_p99_bytes"].flatMap((key) => [key, `${key}_ci95`]),
];

describe("the page", () => {
  it("says what each scheme does after a timeout, as its plan has it", () => {
    const page = file("report.html");
    expect(page).toContain("flows keep their path");
    expect(page).toContain("hosts choose another path, by a selector in dscp");
    expect(page).not.toContain("hosts do nothing");
  });

  it("says that hosts of HULA do nothing after a timeout", () => {
    const text = TEXT.replace(/schemes: .*/, "schemes: [hula, plb]");
    const { schemes } = loadKind(LOAD, new SourceFile("l.yaml", text), new Diagnostics())!;
    const table = mechanismTable(schemes);
    const [hula, plb] = table.split("<tr>").slice(2);
    expect(hula).toContain("hosts do nothing; switches may lead the flow to another path");
    expect(plb).toContain("hosts choose another path, by a selector in");
  });
});

describe("results of a load experiment", () => {
  it("have a row a point, scheme and size class, with the keys in their order", () => {
    const { rows } = JSON.parse(file("results.json")) as { rows: Record<string, number | string>[] };
    const names = rows.map(({ scheme, load, size }) => `${load} ${scheme} ${size}`);
    expect(names).toEqual(
      [0.3, 0.8].flatMap((load) =>
        ["ecmp", "a b"].flatMap((scheme) =>
          ["all", "small", "medium", "large"].map((size) => `${load} ${scheme} ${size}`),
        ),
      ),
    );
    for (const row of rows) {
      expect(Object.keys(row).slice(0, FIRST.length)).toEqual(FIRST);
      expect(row["seeds"]).toBe(2);
      expect(Object.values(row)).not.toContain(null);
    }
    for (let i = 0; i < rows.length; i += 4) {
      const [all, ...classes] = rows.slice(i, i + 4) as [Record<string, number>, ...Record<string, number>[]];
      expect(all["flows"]).toBe(80);
      for (const key of ["flows", "unfinished", "retransmissions", "timeouts"])
        expect(classes.reduce((sum, row) => sum + row[key]!, 0)).toBe(all[key]);
      for (const row of classes) expect(row["link_cv"]).toBe(all["link_cv"]);
    }
  });

  it("are printed as a table with a column for the swept key, and with the notes", () => {
    expect(printed.table.split("\n")[0]).toMatch(
      /^scheme +load +size +seeds +flows +unfinished +fct mean ms/,
    );
    expect(printed.notes).toContain("PRR sends one copy of every packet.");
    expect(printed.table).toContain("note: PRR sends one copy of every packet.");
  });
});

describe("the page of a load experiment", () => {
  it("needs no other file, no network and no script, and follows light and dark", () => {
    const html = file("report.html");
    expect(html).not.toMatch(/<script|<link|<img|@import|url\((?!#)/);
    expect(html).not.toMatch(/(src|href)="(?!#)/);
    expect(html.replaceAll("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:\/\//);
    expect(html).toContain("prefers-color-scheme: dark");
    expect(html).not.toContain("NaN");
    expect(html).not.toContain("undefined");
  });

  it("escapes what the file says, and has figures, tests and mechanisms", () => {
    const html = file("report.html");
    expect(html).toContain("<h1>Two &lt;schemes&gt; &amp; more</h1>");
    for (const heading of [
      "By load",
      "Results",
      "Do the schemes differ?",
      "What the schemes do",
      "Links between switches",
      "Queues over time",
    ])
      expect(html).toContain(heading);
    expect(html).toContain("PRR sends one copy of every packet.");
    for (const name of ["by-load-1", "slowdown-cdf-all-1", "slowdown-ccdf-small-2", "links-2", "queues-1"])
      expect(file(`figures/${name}.svg`)).toMatch(
        /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"[^>]*>[\s\S]*<\/svg>\n$/,
      );
  });
});

describe("the tables of a load experiment", () => {
  const table = (name: string) => {
    const [head, ...lines] = file(name).trimEnd().split("\n");
    return lines.map((line) => {
      const cells = line.split(",");
      return Object.fromEntries(head!.split(",").map((key, i) => [key, cells[i]!]));
    });
  };

  it("have distributions that end at 1, and the rows' percentiles on them", () => {
    const rows = table("cdf.csv");
    const own = rows.filter(
      (row) =>
        row["scheme"] === "ecmp" &&
        row["load"] === "0.3" &&
        row["size"] === "all" &&
        row["figure"] === "slowdown",
    );
    expect(own.length).toBeGreaterThan(20);
    expect(own.at(-1)!["fraction"]).toBe("1");
    for (const [i, row] of own.entries())
      if (i > 0) expect(Number(row["value"])).toBeGreaterThan(Number(own[i - 1]!["value"]));
  });

  it("have each direction of each link once a seed", () => {
    const links = table("links.csv");
    expect(links).toHaveLength(2 * 2 * 2 * 2 * 8);
    for (const { utilisation } of links) expect(Number(utilisation)).toBeLessThanOrEqual(1.001);
  });

  it("have the paired tests of the second scheme against the first", () => {
    const tests = table("tests.csv");
    expect(tests).toHaveLength(2 * 4 * 2);
    for (const one of tests) {
      expect([one["scheme"], one["against"], one["pairs"]]).toEqual(["a b", "ecmp", "2"]);
      for (const key of ["p_t", "p_signs", "p_ranks"]) {
        expect(Number(one[key])).toBeGreaterThanOrEqual(0);
        expect(Number(one[key])).toBeLessThanOrEqual(1);
      }
      // Two pairs give no further information.
      expect(Number(one["p_signs"])).toBeGreaterThanOrEqual(0.5);
    }
  });

  it("have a line for each measured flow", () => {
    const lines = file("flows.jsonl")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toHaveLength(2 * 2 * 2 * 40);
    expect(Object.keys(lines[0]!).slice(0, 9)).toEqual([
      "scheme",
      "load",
      "seed",
      "flow",
      "start_ns",
      "src",
      "dst",
      "bytes",
      "fct_ns",
    ]);
    // The same flows under both schemes.
    const flowsOf = (scheme: string) =>
      lines
        .filter((line) => line["scheme"] === scheme)
        .map(({ load, seed, flow, start_ns, src, dst, bytes }) =>
          [load, seed, flow, start_ns, src, dst, bytes].join(),
        )
        .sort();
    expect(flowsOf("a b")).toEqual(flowsOf("ecmp"));
  });
});
