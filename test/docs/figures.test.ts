/**
 * Measured figures on pages come from stored results (docs/testing.md, "Figures by command"): each block has a definition
 * and results, its page is what they render to, and its inputs have not changed since. No page has measured figures outside.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { csv } from "../../src/fabric/experiment/view/parts.js";
import { type Block, bench, block, exiting, p4loom, page, run, script } from "../../tools/figures/block.js";
import { csvRows, measurementsOf, Runner } from "../../tools/figures/execute.js";
import { marksOf, rewritten, shown, withoutCode } from "../../tools/figures/markdown.js";
import {
  chosenForCi,
  definedPages,
  type Entry,
  entriesOf,
  markdownFiles,
  problemsOfBlocks,
  renderedPage,
  renderingOf,
  textOf,
} from "../../tools/figures/project.js";
import {
  hashesOf,
  isQuick,
  linesOf,
  type Stored,
  staleness,
  writeStored,
} from "../../tools/figures/store.js";
import {
  fixed,
  gain,
  meanOf,
  measured,
  percent,
  pickKeys,
  rounded,
  significant,
  table,
  time,
  unit,
} from "../../tools/figures/text.js";
import { figuresIn, unmarkedFigures } from "../../tools/figures/unmarked.js";

const root = resolve(import.meta.dirname, "../..");
const pages = await definedPages(root);
const entries = entriesOf(root, pages);
const files = markdownFiles(root);
const read = (path: string) => readFileSync(join(root, path), "utf8");

describe("figures of the pages", () => {
  it("have a definition, results of the present inputs, and a place on a page", () => {
    expect(problemsOfBlocks(root, pages, entries).map(shown)).toEqual([]);
  });

  it.each(files)("%s shows what the stored results render to", (path) => {
    const { text, problems } = renderedPage(root, path, entries);
    expect(problems.map(shown)).toEqual([]);
    expect(read(path)).toBe(text);
  });

  it.each(files)("%s has no measured figures outside of blocks", (path) => {
    const { tables, prose } = unmarkedFigures(path, read(path), (on, name) => textOf(entries, on, name));
    expect([...tables, ...prose].map(shown)).toEqual([]);
  });

  it.each(files)("%s names tests that exist and name the page", (path) => {
    for (const [, test] of withoutCode(read(path)).matchAll(/<!-- compared by: (\S+) -->/g))
      expect(read(test!)).toContain(path.split("/").at(-1));
  });

  it("are measured only once where no paper is compared", () => {
    const papers = files.filter((path) => path.startsWith("docs/papers/"));
    for (const path of papers) expect(read(path)).not.toContain("<!-- measured once:");
  });

  it("are remade by CI for at least half of the blocks", () => {
    const quick = entries.filter(({ block: each, stored }) => isQuick(each, stored));
    // The first pages to be converted are those of benchmarks, which depend on the machine.
    expect(quick.length * 2 >= entries.length).toBe(true);
    expect(chosenForCi(entries).length * 2 >= entries.length).toBe(true);
  });

  it("are not in the published package", () => {
    const { stdout } = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
      cwd: root,
      encoding: "utf8",
    });
    const [{ files: packed }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
    const paths = packed.map(({ path }) => path);
    expect(paths).toContain("docs/lab.md");
    expect(paths.filter((path) => path.startsWith("docs/figures/"))).toEqual([]);
  });
});

/** A project in a temporary folder. */
function project(contents: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-figures-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries({ "README.md": "", ...contents })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const gains = (line = run("examples/a.yaml")): Block =>
  block({
    runs: { gain: line },
    pick: { gain: (document): number => document.gain },
    render: ({ gain }) => table(["scheme", "gain"], [["Dahu-1", percent(gain)]]),
    values: ({ gain }) => ({ gain: percent(gain) }),
  });

function storedOf(folder: string, each: Block, changes: Partial<Stored> = {}): Stored {
  return {
    runs: linesOf(each),
    inputs: hashesOf(folder, each),
    date: "2026-11-23",
    commit: "abc",
    processor_seconds: 5,
    results: { gain: 1.71 },
    ...changes,
  };
}

const PAGE = `Text.

<!-- figures: gains -->
old
<!-- /figures -->

A gain of <!-- figure: gains.gain -->0 %<!-- /figure -->, as \`<!-- figure: x -->\` is code:

    <!-- figures: example -->
`;

describe("a block", () => {
  const files = {
    "docs/papers/x.md": PAGE,
    "examples/a.yaml": "topology: t.yaml\n",
    "examples/t.yaml": "a: 1\n",
  };

  it("is written between its marks, with its command, and into the text", () => {
    const folder = project(files);
    writeStored(folder, "papers/x", "gains", storedOf(folder, gains()));
    const all = entriesOf(folder, [page("docs/papers/x.md", { gains: gains() })]);
    const { text, problems } = renderedPage(folder, "docs/papers/x.md", all);
    expect(problems).toEqual([]);
    expect(text).toBe(`Text.

<!-- figures: gains -->
| scheme | gain |
|---|---|
| Dahu-1 | 171.0 % |

Made by \`p4loom run examples/a.yaml\`.
<!-- /figures -->

A gain of <!-- figure: gains.gain -->171.0 %<!-- /figure -->, as \`<!-- figure: x -->\` is code:

    <!-- figures: example -->
`);
  });

  it("carries date, commit and machine if CI does not remake it", () => {
    const folder = project(files);
    const timed: Block = { ...gains(), timed: true };
    const on = page("docs/papers/x.md", { gains: timed });
    writeStored(
      folder,
      "papers/x",
      "gains",
      storedOf(folder, timed, { machine: "2 x CPU", note: "by hand" }),
    );
    expect(renderingOf(entriesOf(folder, [on])[0]!).at(-1)).toBe(
      "Made by `p4loom run examples/a.yaml` (2026-11-23, commit abc, 2 x CPU; by hand).",
    );
    writeStored(folder, "papers/x", "gains", storedOf(folder, gains(), { processor_seconds: 60 }));
    const slow = entriesOf(folder, [page("docs/papers/x.md", { gains: gains() })])[0]!;
    expect(renderingOf(slow).at(-1)).toBe("Made by `p4loom run examples/a.yaml` (2026-11-23, commit abc).");
  });

  it("is out of date when an input, one that an input names, or its command has changed", () => {
    const folder = project(files);
    const stored = storedOf(folder, gains());
    expect(Object.keys(stored.inputs)).toEqual(["examples/a.yaml", "examples/t.yaml"]);
    expect(staleness(folder, gains(), stored)).toEqual([]);
    expect(staleness(folder, gains(run("examples/a.yaml", "--seed", "2")), stored)).toEqual([
      "its commands have changed",
    ]);
    writeFileSync(join(folder, "examples/t.yaml"), "a: 2\n");
    expect(staleness(folder, gains(), stored)).toEqual(["its input examples/t.yaml has changed"]);
  });

  it("is a problem without results, without a place, and results are one without a block", () => {
    const folder = project({ ...files, "docs/papers/x.md": "Nothing.\n" });
    const on = page("docs/papers/x.md", { gains: gains(), other: { ...gains(), render: () => [] } });
    writeStored(folder, "papers/x", "other", storedOf(folder, gains(), { inputs: {} }));
    writeStored(folder, "papers/y", "lost", storedOf(folder, gains()));
    const found = problemsOfBlocks(folder, [on], entriesOf(folder, [on])).map(shown);
    expect(found).toEqual([
      'docs/figures/papers/x/gains.json:1: block "gains" of docs/papers/x.md has no results: make figures PAGE=papers/x BLOCK=gains',
      'docs/figures/papers/x/gains.json:1: block "gains" does not stand on docs/papers/x.md: <!-- figures: gains --> and <!-- /figures -->',
      "docs/figures/papers/x/other.json:1: out of date, its input examples/a.yaml has changed: make figures PAGE=papers/x BLOCK=other",
      "docs/figures/papers/x/other.json:1: out of date, its input examples/t.yaml has changed: make figures PAGE=papers/x BLOCK=other",
      'docs/figures/papers/x/other.json:1: block "other" does not stand on docs/papers/x.md: <!-- figures: other --> and <!-- /figures -->',
      "docs/figures/papers/y/lost.json:1: results of a block that no page defines: remove them",
    ]);
  });

  it("refuses a name that no mark can have", () => {
    expect(() => page("docs/x.md", { "a b": gains() })).toThrow('docs/x.md: "a b" is no name of a block');
  });

  it("is remade by CI in the order of its time, within the limit", () => {
    const folder = project(files);
    const entry = (name: string, seconds: number | undefined, changes: Partial<Block> = {}): Entry => {
      const { processor_seconds: _, ...rest } = storedOf(folder, gains());
      const stored = seconds === undefined ? rest : { ...rest, processor_seconds: seconds };
      return { page: page("docs/x.md", {}), on: "x", name, block: { ...gains(), ...changes }, stored };
    };
    const all = [
      entry("long", 59),
      entry("short", 1),
      entry("slow", 60),
      entry("timed", 1, { timed: true }),
      entry("said", 1, { slow: true }),
      entry("kept", undefined),
      entry("middle", 20),
    ];
    expect(chosenForCi(all).map(({ name }) => name)).toEqual(["short", "middle", "long"]);
    expect(chosenForCi(all, 21).map(({ name }) => name)).toEqual(["short", "middle"]);
  });

  it("gets its results by the command, and fails with the messages of one that fails", async () => {
    const folder = project({
      "good.mjs": "console.log(JSON.stringify({ gain: 1.5 + Number(process.argv[2]) }))",
      "bad.mjs": "console.error('no such file'); process.exitCode = 3",
    });
    const runner = new Runner(folder);
    // Imports of tsx are found from the folder of the project.
    writeFileSync(join(folder, "package.json"), "{}");
    const several = block({
      runs: { gain: [script("good.mjs", "1"), script("good.mjs", "2")] },
      pick: { gain: (documents): number[] => documents.map((each: { gain: number }) => each.gain) },
    });
    spawnSync("ln", ["-s", join(root, "node_modules"), join(folder, "node_modules")]);
    expect((await runner.results(several)).results).toEqual({ gain: [2.5, 3.5] });
    // The processor time of a run that two keys need is counted once, also where it ran before.
    const one = (document: { gain: number }) => document.gain;
    const once = await runner.results(
      block({ runs: { a: script("good.mjs", "1") }, pick: { a: one }, render: () => [] }),
    );
    const twice = await runner.results(
      block({
        runs: { a: script("good.mjs", "1"), b: script("good.mjs", "1") },
        pick: { a: one, b: one },
        render: () => [],
      }),
    );
    expect(twice.results).toEqual({ a: 2.5, b: 2.5 });
    expect(once.seconds).toBeGreaterThan(0);
    expect(twice.seconds).toBe(once.seconds);
    await expect(runner.results(gains(script("bad.mjs")))).rejects.toThrow(
      "npx tsx bad.mjs: exit status 3 instead of 0\nno such file",
    );
    await expect(runner.results(gains(exiting(3, script("good.mjs", "1"))))).rejects.toThrow(
      "exit status 0 instead of 3",
    );
  });

  it("shows its commands as words of a shell", () => {
    expect(run("examples/a.yaml", "--set", "a=b").line).toBe("p4loom run examples/a.yaml --set a=b");
    expect(bench("hash").line).toBe("npm run bench -- hash");
    expect(p4loom("hash", "delta", "it's").line).toBe("p4loom hash delta 'it'\\''s'");
  });
});

describe("marks", () => {
  const problemsIn = (text: string) => marksOf("docs/x.md", text).problems.map(shown);

  it.each([
    ["<!-- figures: a -->\n", 'docs/x.md:1: "a" is not closed by <!-- /figures -->'],
    ["\n<!-- /figures -->\n", "docs/x.md:2: <!-- /figures --> without an opening mark"],
    ["<!-- figures: a -->\n<!-- figures: b -->\n<!-- /figures -->\n", 'docs/x.md:1: "a" is not closed'],
    [
      "<!-- figures: a -->\n<!-- /figures -->\n".repeat(2),
      'docs/x.md:3: block "a" stands twice on this page',
    ],
    ["a <!-- figure: a.b -->1 %\n", 'docs/x.md:1: "a.b" is not closed by <!-- /figure -->'],
    ["a <!-- figure: a -->1 %<!-- /figure -->\n", 'docs/x.md:1: "a" names no figure: NAME.value'],
  ])("%j is refused", (text, problem) => {
    expect(problemsIn(text).join("\n")).toContain(problem);
  });

  it("of unknown blocks and values are refused, and what stands between them stays", () => {
    const text =
      "<!-- figures: a -->\nx\n<!-- /figures -->\n<!-- figure: papers/y:b.c -->1<!-- /figure -->\n";
    const none = { lines: () => undefined, value: () => undefined };
    const result = rewritten("docs/x.md", text, none);
    expect(result.text).toBe(text);
    expect(result.problems.map(shown)).toEqual([
      'docs/x.md:1: no results of a block "a"',
      'docs/x.md:4: no value "c" of a block "b" of page papers/y',
    ]);
  });
});

const rows = (...lines: string[]) =>
  `| | A | B |\n|---|---|---|\n${lines.map((line) => `| ${line} |`).join("\n")}\n`;

/** The lines with tables and paragraphs of unmarked figures. */
function unmarked(text: string) {
  const { tables, prose } = unmarkedFigures("docs/x.md", text, (on, name) =>
    on === "x" && name === "gains" ? "| Dahu-1 | 171 % | 5.4 | 1,234 |" : undefined,
  );
  return { tables: tables.map(({ line }) => line), prose: prose.map(({ message }) => message) };
}

describe("a table outside of blocks", () => {
  it.each([
    ["percentages", rows("x | 171 % | 159 %", "y | 2 % | -")],
    ["units", rows("x | 20 ms | 1.5 Gbps", "y | 3 us | 12 KB")],
    ["bare numbers", rows("x | 1,357 | 1,399", "y | 1,019 | 1,005")],
    ["intervals", rows("x | 396 ± 48 | 842 ± 79", "y | - | 1 ± 2")],
    ["bold figures", rows("x | **12** | **13**")],
    ["rows with a figure in a long text", rows("x | 3.6 times of that | text", "y | text of 12.5 % | text")],
    [
      "a figure of a block beside others",
      rows("x | <!-- figure: a.b -->1 %<!-- /figure --> | 2 %", "y | 5 % | 6 %"),
    ],
  ])("of %s is refused", (_, text) => {
    expect(unmarked(`Text.\n\n${text}`).tables).toEqual([3]);
  });

  it.each([
    ["texts", rows("x | a rule of section 3.4 | `rate` of 25Gbps", "y | Linux 6.15, BMv2 1.15.5 | -")],
    ["figures of blocks", rows("x | <!-- figure: a.b -->1 %<!-- /figure --> | -".replace("a.b", "a.b"))],
    ["settings in code", rows("x | `10ms` | `0.5`", "y | `90s` | `1`")],
    ["the paper's figures", "| claim | paper |\n|---|---|\n| 90 % of links | 92.2 % |\n| more | 7.45 % |\n"],
    ["marked figures", `<!-- quoted: Dahu, table 2 -->\n${rows("x | 171 % | 159 %")}`],
    ["marked settings", `<!-- not measured: timers -->\n${rows("x | 20 ms | 30 ms")}`],
    ["figures in a block", `<!-- figures: a -->\n${rows("x | 20 ms | 30 ms")}\n<!-- /figures -->\n`],
    ["figures in code", "```\n| a | b |\n|---|---|\n| 1 % | 2 % |\n| 3 % | 4 % |\n```\n"],
  ])("of %s is accepted", (_, text) => {
    expect(unmarked(`Text.\n\n${text}`)).toEqual({ tables: [], prose: [] });
  });

  it("is refused when its mark stands above another paragraph", () => {
    expect(unmarked(`<!-- quoted: Dahu -->\n\n${rows("x | 171 % | 159 %")}`).tables).toEqual([3]);
  });
});

describe("a paragraph outside of blocks", () => {
  const PARAGRAPH = "The gain is 171 %, or 5.4 Gbps, of\n1,234 packets/s.\n";

  it("with several figures is refused", () => {
    expect(unmarked(PARAGRAPH).prose.join()).toContain("measured figures (171 %; 5.4 Gbps; 1,234 packets/s)");
    expect(unmarked(`- item\n- ${PARAGRAPH}`).prose).toHaveLength(1);
  });

  it.each([
    ["two figures", "The gain is 171 %, or 5.4 Gbps.\n"],
    ["figures in several items", "- 1 % and 2 %\n- 3 % and 4 %\n"],
    ["a mark", `<!-- not measured: an example -->\n${PARAGRAPH}`],
    ["figures of its block", `<!-- from: gains -->\n${PARAGRAPH}`],
    [
      "numbers of another source",
      `${PARAGRAPH.trim()} <!-- quoted -->92.2 %<!-- /quoted -->\n`.replace("171", "`171`"),
    ],
  ])("with %s is accepted", (_, text) => {
    expect(unmarked(text).prose).toEqual([]);
  });

  it("is refused when a figure is not one of the block that it names", () => {
    expect(unmarked(`<!-- from: gains -->\n${PARAGRAPH.replace("171", "172")}`).prose).toEqual([
      '"172 %" is not among the figures of gains',
    ]);
    expect(unmarked(`<!-- from: other -->\n${PARAGRAPH}`).prose).toEqual([
      "<!-- from: other -->: there is no such block",
    ]);
  });

  it("counts measured figures only", () => {
    expect(
      figuresIn("See section 3.4 and figures 9.1, 9.2 of RFC 9438 on Linux 6.15 and p4c 1.2.5.16."),
    ).toEqual([]);
    expect(figuresIn("12 switches, 2 of 3 seeds, a 5-tuple, 64 ports, a timer of 10ms")).toEqual([]);
    expect(figuresIn("0.5 of the flows, 3 times, 20 ms, 396 ± 48 Mb/s, 1.5 s")).toEqual([
      "0.5",
      "3 times",
      "20 ms",
      "396 ± 48 Mb/s",
      "1.5 s",
    ]);
  });
});

describe("texts of figures", () => {
  it("have commas, digits and units", () => {
    expect(fixed(1234567.891, 1)).toBe("1,234,567.9");
    expect(fixed(-1234)).toBe("-1,234");
    expect([0.012345, 1.5, 243.4, 1234, 99.96, 0].map((value) => significant(value))).toEqual([
      "0.0123",
      "1.50",
      "243",
      "1,234",
      "100",
      "0",
    ]);
    expect(percent(0.905)).toBe("90.5 %");
    expect([0.0123, 12.34, 5400].map((ms) => time(ms))).toEqual(["12.3 us", "12.3 ms", "5.40 s"]);
    expect([gain(2.71), unit(20.5, "Mb/s")]).toEqual(["171 %", "20.5 Mb/s"]);
    expect(pickKeys({ a: 1, b: 2 }, ["b"])).toEqual({ b: 2 });
    expect(rounded({ a: [1.23456789, "x", null] }, 3)).toEqual({ a: [1.23, "x", null] });
  });

  it("have the 95 % interval of Student for a mean", () => {
    expect(meanOf([10, 12, 14])).toBe("12 ± 5");
    expect(meanOf([10])).toBe("10");
  });

  it("come from a measurement by its name", () => {
    expect(measured([{ name: "a", value: 3 }], "a")).toBe(3);
    expect(() => measured([{ name: "a", value: 3 }], "b")).toThrow('no measurement "b": there are a');
  });

  it("are cells of a table, whose rows have equal lengths", () => {
    expect(table(["", "a"], [["x|y", undefined]])).toEqual(["| | a |", "|---|---|", "| x\\|y | - |"]);
    expect(() => table(["a"], [["x", 1]])).toThrow("a row of 2 cells in a table of 1 columns");
  });
});

describe("what a benchmark printed", () => {
  it("is its measurements, without other lines", () => {
    expect(measurementsOf({ line: "x" }, 'a word\n{"name":"rate","value":3}\n')).toEqual([
      { name: "rate", value: 3 },
    ]);
  });

  it("is refused when it measured nothing: no block becomes an empty table", () => {
    expect(() => measurementsOf({ line: "npm run bench -- clients" }, "skipped\n")).toThrow(
      "npm run bench -- clients: it measured nothing",
    );
  });
});

describe("the CSV files of a run", () => {
  it("are read as they were written", () => {
    const cell = fc.oneof(
      fc.constantFrom("", "a", "1.5", 'say "so"', "a,b", "two\nlines", ",", '"', "\n"),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell), { maxLength: 6 }), (rows) => {
        // A row of empty cells alone at the end would look like the end of the file.
        const kept = rows.filter((row) => row.some((text) => text.trim() !== ""));
        const read = csvRows(csv(["x", "y", "z"], kept));
        expect(read).toEqual(kept.map(([x, y, z]) => ({ x, y, z })));
      }),
    );
    expect(csvRows("")).toEqual([]);
    expect(csvRows("x,y\n")).toEqual([]);
  });
});
