import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { escapeMarkup } from "../../../src/base/index.js";
import { writeFolder } from "../../../src/fabric/experiment/files.js";
import { formatResults, resultsJson } from "../../../src/fabric/experiment/index.js";
import { FAILOVER } from "../../../src/fabric/experiment/kinds/failover/index.js";
import {
  type FailoverResults,
  rowOf,
  type Series,
} from "../../../src/fabric/experiment/kinds/failover/results.js";
import { figureLines } from "../../../src/fabric/experiment/kinds/failover/view.js";
import { schemeNotes } from "../../../src/fabric/experiment/kinds/registered-kind.js";
import { drawnFiles } from "../../../src/fabric/experiment/view/drawn-files.js";
import { FakeDocument, printNode } from "../../../src/fabric/experiment/view/page.js";
import { rowsCsv } from "../../../src/fabric/experiment/view/parts.js";
import { allRuns, experimentWith } from "./model-fabric.js";
import { sweepOf, writeResults } from "./sweep-of.js";

function resultsOf(keys: Record<string, string | number> = {}): FailoverResults {
  const source = experimentWith({ runs: 20, ...keys });
  const series: Series[] = source.schemes.flatMap((scheme) => allRuns(source, scheme, 3));
  return {
    experiment: "test",
    seed: 3,
    engine: "sim",
    rows: series.map((one) => rowOf(source, one)),
    notes: schemeNotes(source.schemes),
    warnings: [],
    source,
    series,
    logs: [],
    programs: [{ file: "pecmp/tor.p4", text: "control c() { apply { } } // <&>\n" }],
  };
}

it("has no first try where each packet has a path of its own", () => {
  const results = resultsOf();
  const [one] = results.series;
  const scheme = { ...one!.scheme, plan: { ...one!.scheme.plan, sprays: true } };
  expect(rowOf(results.source, one!).first_try_success).not.toBeNull();
  expect(rowOf(results.source, { ...one!, scheme }).first_try_success).toBeNull();
});

/** Page and figures. */
async function renderReport(results: FailoverResults) {
  const files = new Map(await drawnFiles(FAILOVER.view, sweepOf(FAILOVER, results)));
  const [html, cdfSvg, topologySvg, samples] = [
    "report.html",
    "recovery-cdf.svg",
    "topology.svg",
    "samples.csv",
  ].map((name) => files.get(name) as string);
  return { html: html!, cdfSvg: cdfSvg!, topologySvg: topologySvg!, samples: samples! };
}

const folders: string[] = [];
function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-test-"));
  folders.push(folder);
  return folder;
}
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Fails unless tags nest and attributes are quoted. */
function expectWellFormed(markup: string): void {
  const open: string[] = [];
  const tag = /<(\/?)([A-Za-z][\w-]*)((?:\s+[\w:-]+(?:="[^"<]*")?)*)\s*(\/?)>|<!doctype html>/g;
  const rest = markup.replace(tag, (_all, close, name, _attributes, self) => {
    if (name === undefined || self === "/" || name === "meta") return "";
    if (close === "/") expect(open.pop()).toBe(name);
    else open.push(name);
    return "";
  });
  expect(open).toEqual([]);
  expect(rest.replace(/<style>[\s\S]*?<\/style>/g, "")).not.toMatch(/[<]/);
}

describe("the fake document", () => {
  it("prints what was put into it", () => {
    const document = new FakeDocument();
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const first = svg.appendChild(document.createElementNS("", "a"));
    const second = svg.insertBefore(document.createElementNS("", "b"), first);
    second.setAttribute("title", 'x < "y"');
    second.textContent = "1 & 2";
    expect(second.nextSibling).toBe(first);
    svg.appendChild(second);
    expect(printNode(svg)).toBe('<svg><a></a><b title="x &lt; &quot;y&quot;">1 &amp; 2</b></svg>');
    first.style.setProperty("color", "red");
    first.style.setProperty("top", "0");
    svg.removeChild(second);
    expect(printNode(svg)).toBe('<svg><a style="color:red;top:0"></a></svg>');
  });
});

describe("results", () => {
  it("are rows of the promised keys, in the file's order", () => {
    const results = resultsOf();
    const parsed = JSON.parse(resultsJson(results));
    expect(Object.keys(parsed)).toEqual(["experiment", "seed", "engine", "notes", "rows"]);
    expect(
      parsed.rows.map((row: { scheme: string; failure: string }) => `${row.scheme} ${row.failure}`),
    ).toEqual(
      ["pecmp", "prr", "none"].flatMap((scheme) =>
        ["tor", "leaf", "spine", "link"].map((failure) => `${scheme} ${failure}`),
      ),
    );
    const [pecmp] = parsed.rows;
    expect(pecmp).toMatchObject({
      runs: 20,
      recovered: 1,
      first_try_success: 1,
      repaths_mean: 1,
      copies_mean: 2,
      equal_sites: 2,
    });
    expect(pecmp.p50_ms).toBeGreaterThan(5);
    expect(pecmp.max_ms).toBeLessThan(7);
    expect(pecmp.theory_p50_ms).toBeCloseTo(6, 1);
    const prr = parsed.rows[4];
    expect(prr.theory_first_try_success).toBe(0.25);
    expect(prr.theory_repaths_mean).toBe(4);
    expect(prr.copies_mean).toBe(0);
    expect(prr.theory_p95_ms).toBeGreaterThan(4400);
    const none = parsed.rows[8];
    expect(none).toMatchObject({
      recovered: 0,
      first_try_success: 0,
      p50_ms: null,
      max_ms: null,
      repaths_mean: 0,
    });
  });

  it("print as a table of one line each", () => {
    const lines = formatResults(resultsOf()).split("\n");
    expect(lines.length).toBe(17);
    expect(lines[0]).toMatch(/^scheme +failure +runs +N +first try/);
    expect(lines[2]).toMatch(/^pecmp +tor +20 +2 +100\.0 % +100\.0 %/);
    expect(lines[10]).toMatch(/^none .* never /);
  });

  it("say beside the figures how many copies each scheme sends", async () => {
    const results = resultsOf({
      schemes: "[pecmp, prr, { scheme: prr, label: again }, { scheme: prr, label: twice, copies: 2 }, none]",
      failures: "[leaf]",
    });
    const { notes } = JSON.parse(resultsJson(results));
    expect(notes).toEqual([
      expect.stringMatching(/^P-ECMP \(failover: probe\) sends every retransmission .* on two paths/),
      "PRR sends one copy of every packet.",
      expect.stringMatching(/^PRR \(copies: 2\) sends .* on two paths/),
    ]);
    expect(formatResults(results).split("\n").slice(-3)).toEqual(
      notes.map((note: string) => `note: ${note}`),
    );
    const { html } = await renderReport(results);
    for (const note of notes) expect(html).toContain(escapeMarkup(note));
    expect(results.rows.map(({ copies_mean }) => copies_mean)).toEqual([2, 0, 0, expect.any(Number), 0]);
    const twice = results.rows[3]!;
    // Each try sends a second segment; an acknowledgement is sent twice when the first segment of a trial arrives.
    expect(twice.copies_mean).toBeGreaterThan(twice.repaths_mean);
    expect(twice.copies_mean).toBeLessThanOrEqual(2 * twice.repaths_mean);
  });

  it("are the same bytes for the same seed", async () => {
    const [a, b] = [resultsOf(), resultsOf()];
    expect(resultsJson(a)).toBe(resultsJson(b));
    expect(await renderReport(a)).toEqual(await renderReport(b));
  });

  it("come as CSV too", async () => {
    const results = resultsOf();
    const table = rowsCsv(results.rows).trimEnd().split("\n");
    expect(table.length).toBe(13);
    expect(table[0]).toMatch(/^scheme,failure,runs,recovered,first_try_success,p50_ms/);
    const { samples: text } = await renderReport(results);
    const samples = text.trimEnd().split("\n");
    expect(samples.length).toBe(1 + 12 * 20);
    expect(samples.at(-1)).toMatch(/^none,link,19,,26,[\d.]+,0$/);
  });
});

describe("the report", () => {
  it("is one well-formed page that needs nothing else", async () => {
    const results = resultsOf({ title: '"A < B & C"' });
    const { html, cdfSvg, topologySvg } = await renderReport(results);
    for (const markup of [html, cdfSvg, topologySvg]) expectWellFormed(markup);
    expect(html).not.toMatch(/<(script|link|img|iframe)\b/);
    expect(html).not.toMatch(/(src|href)="(?!data:|#)/);
    expect(html).toContain(escapeMarkup('"A < B & C"'));
    expect(html).toContain("<strong>100.0 %</strong> of 80 runs");
    expect(html).toContain("// &lt;&amp;&gt;");
    expect(html).toContain("scheme,failure,runs");
    expect(html).toContain("scheme,failure,recovery_ms,fraction\npecmp,tor,");
    for (const svg of [cdfSvg, topologySvg])
      expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    expect(cdfSvg).not.toContain("NaN");
    expect(topologySvg).not.toContain("NaN");
    // The fifth word, `link`, has a colour, too.
    expect(cdfSvg).not.toContain("undefined");
    const colours = figureLines(results.source, results.series).map((line) => line.style.colour);
    expect(new Set(colours).size).toBe(colours.length);
  });

  it("draws lines that coincide as one, and says which never rise", () => {
    const results = resultsOf();
    const lines = figureLines(results.source, results.series);
    expect(lines.map((line) => line.name)).toEqual([
      "P-ECMP, every failure",
      "PRR, ToR fails",
      "PRR, leaf fails",
      "PRR, spine fails",
      "PRR, ToR-leaf link fails",
      "no re-pathing, every failure",
    ]);
    expect(lines.at(-1)!.neverRecovers).toBe(true);
    // The circles of the closed form climb to nearly all flows, the first by (N-1)^2/N^2.
    expect(lines[1]!.theory[0]!.fraction).toBeCloseTo(0.25, 12);
    expect(lines[1]!.theory.at(-1)!.fraction).toBeGreaterThan(0.99);
    expect(lines[0]!.theory).toEqual([]);
  });

  it("takes networks without pods or tiers", async () => {
    const results = resultsOf({
      topology: "{ kind: leaf_spine, tors: 4, leaves: 3 }",
      failures: "[leaf]",
      traffic: "{ pairs: inter_rack }",
      schemes: "[prr]",
    });
    const { topologySvg } = await renderReport(results);
    expectWellFormed(topologySvg);
    expect(topologySvg).not.toContain("NaN");
    expect(topologySvg).not.toContain("spines");
  });
});

describe("writing", () => {
  it("puts all files into the folder, replaces its own and spares others", async () => {
    const out = join(temporary(), "deep", "results");
    const results = resultsOf({ schemes: "[pecmp]", failures: "[tor]" });
    await writeResults(FAILOVER, results, out);
    const expected = [
      ".p4loom-files.json",
      "figures.json",
      "programs",
      "recovery-cdf.svg",
      "report.html",
      "results.csv",
      "results.json",
      "samples.csv",
      "topology.svg",
    ];
    expect(readdirSync(out).sort()).toEqual(expected);
    expect(readFileSync(join(out, "results.json"), "utf8")).toBe(resultsJson(results));
    expect(readFileSync(join(out, "programs", "pecmp", "tor.p4"), "utf8")).toContain("control c()");
    writeFileSync(join(out, "notes.txt"), "mine");
    writeFileSync(join(out, "results.json"), "old");
    await writeResults(FAILOVER, results, out);
    expect(readFileSync(join(out, "notes.txt"), "utf8")).toBe("mine");
    expect(readFileSync(join(out, "results.json"), "utf8")).toBe(resultsJson(results));
    // No drafts stay behind.
    expect(readdirSync(join(out, ".."))).toEqual(["results"]);
  });

  it.each(["../outside.txt", "programs/../../outside.txt", "/outside.txt"])("refuses a file %s", (name) => {
    const folder = temporary();
    const files = [
      ["inside.txt", ""],
      [name, ""],
    ] as const;
    expect(() => writeFolder(files, join(folder, "results"))).toThrow(/P43011.*is outside of it/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("leaves nothing half-written when the folder cannot be", async () => {
    const folder = temporary();
    const out = join(folder, "results");
    writeFileSync(out, "a file where the folder should be");
    await expect(
      writeResults(FAILOVER, resultsOf({ schemes: "[pecmp]", failures: "[tor]" }), out),
    ).rejects.toThrow("P43011");
    expect(readdirSync(folder)).toEqual(["results"]);
    mkdirSync(join(folder, "other"));
    expect(existsSync(join(folder, "other", "results.json"))).toBe(false);
  });

  it("remove what an earlier run wrote and this one does not, and nothing else", () => {
    const folder = temporary();
    writeFolder(
      [
        ["results.json", "1"],
        ["programs/ecmp/tor.p4", "a"],
        ["programs/ecmp/leaf.p4", "b"],
        ["programs/pecmp/tor.p4", "c"],
        ["samples.csv", "d"],
      ],
      folder,
    );
    writeFileSync(join(folder, "programs/ecmp/notes.txt"), "mine");
    writeFileSync(join(folder, "samples.csv"), "changed by its owner");
    writeFileSync(join(folder, "other.csv"), "mine too");
    writeFolder(
      [
        ["results.json", "2"],
        ["programs/pecmp/tor.p4", "c"],
      ],
      folder,
    );
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
    expect(files.sort()).toEqual([
      "other.csv",
      "programs/ecmp/notes.txt",
      "programs/pecmp/tor.p4",
      "results.json",
      "samples.csv",
    ]);
    // An empty folder goes with its last file; a list that leads out of the folder is not followed.
    const outside = join(temporary(), "file.txt");
    writeFileSync(outside, "x");
    writeFileSync(
      join(folder, ".p4loom-files.json"),
      JSON.stringify({ [relative(folder, outside)]: createHash("sha256").update("x").digest("hex") }),
    );
    writeFolder([["results.json", "3"]], folder);
    expect(readFileSync(outside, "utf8")).toBe("x");
  });
});
