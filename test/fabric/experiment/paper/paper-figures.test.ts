/** Figures for papers: the example of docs/paper-figures.md, what its files contain, wrong styles, and results that are not as a run has written them. */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DiagnosticError, Diagnostics, formatDiagnostic } from "../../../../src/base/index.js";
import { loadExperimentWithOwn } from "../../../../src/fabric/experiment/index.js";
import { type FiguresData, figuresSchema } from "../../../../src/fabric/experiment/paper/data.js";
import { listFigures, paperFigures } from "../../../../src/fabric/experiment/paper/figures.js";
import { chartTex, chartValues, tableTex, tex } from "../../../../src/fabric/experiment/paper/latex.js";
import { longRows } from "../../../../src/fabric/experiment/paper/long-csv.js";
import { parseSvg, pdfOf } from "../../../../src/fabric/experiment/paper/pdf.js";
import { loadStyle } from "../../../../src/fabric/experiment/paper/style.js";
import { logTicks, paperSvg } from "../../../../src/fabric/experiment/paper/svg.js";

const root = resolve(import.meta.dirname, "../../../..");
const folder = mkdtempSync(join(tmpdir(), "p4loom-paper-"));
const results = join(folder, "out");
const paper = join(folder, "paper");
const style = join(folder, "style.yaml");

beforeAll(async () => {
  const page = readFileSync(join(root, "docs/paper-figures.md"), "utf8");
  const example = /p4loom run (\S+) --out out/.exec(page)![1]!;
  writeFileSync(style, /```yaml\n([\s\S]*?)```/.exec(page)![1]!);
  const diagnostics = new Diagnostics();
  const experiment = await loadExperimentWithOwn(join(root, example), diagnostics);
  diagnostics.throwIfErrors();
  await experiment!.run({ out: results, runs: 6 });
  await paperFigures(join(results, "results.json"), { style, out: paper });
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const written = (name: string) => readFileSync(join(paper, name), "utf8");
const data = (): FiguresData =>
  figuresSchema.parse(JSON.parse(readFileSync(join(results, "figures.json"), "utf8")));
const [DEFAULT] = [loadStyle(undefined).style];

/** The text of an uncompressed PDF: strings in hexadecimal digits. */
function textOf(pdf: string): string {
  return [...pdf.matchAll(/\[((?:<[0-9a-f]*>\s*-?[\d.]*\s*)+)\] TJ/g)]
    .map(([, parts]) =>
      [...parts!.matchAll(/<([0-9a-f]*)>/g)]
        .map(([, hex]) => Buffer.from(hex!, "hex").toString("latin1"))
        .join(""),
    )
    .join("\n");
}

describe("the example of docs/paper-figures.md", () => {
  it("lists the figures and writes those of the style, and no others", () => {
    expect(listFigures(results).map(({ name, lines }) => [name, lines])).toEqual([
      ["recovery-cdf", data().charts[0]!.lines.length],
      ["topology", undefined],
    ]);
    expect(
      readdirSync(paper)
        .filter((name) => !name.startsWith("."))
        .sort(),
    ).toEqual([
      ...["figures-long.csv", "page.tex", "recovery-cdf.dat", "recovery-cdf.pdf", "recovery-cdf.svg"],
      ...["recovery-cdf.tex", "results-long.csv", "table.tex", "topology.pdf", "topology.svg"],
    ]);
  });

  it("each form has legend, quantity, unit and caption", () => {
    const [chart] = data().charts;
    const words = [...chart!.lines.map(({ title }) => title), chart!.x.label, chart!.y.label];
    expect(chart!.x.label).toBe("time from the failure to recovery (ms)");
    const [svg, latex, pdf] = [
      written("recovery-cdf.svg"),
      written("recovery-cdf.tex"),
      written("recovery-cdf.pdf"),
    ];
    for (const word of words) {
      expect(svg).toContain(`>${word}<`);
      expect(latex).toContain(`{${tex(word)}}`);
      expect(textOf(pdf)).toContain(word);
    }
    expect(svg).toContain(`<title>${chart!.caption}</title>`);
    expect(latex).toContain(`\\caption{${tex(chart!.caption)}}\n\\label{fig:recovery-cdf}`);
    // 84 mm.
    expect(svg).toMatch(/ width="238.11pt" /);
    expect(pdf).toMatch(/\/MediaBox \[0 0 238\.11\d* /);
    expect(pdf).toContain("/BaseFont /Times-Roman");
  });

  it("the values of pgfplots are those of the chart", () => {
    const [chart] = data().charts;
    const rows = written("recovery-cdf.dat")
      .trim()
      .split("\n")
      .map((line) => line.split(" "));
    expect(new Set(rows.map((row) => row.length))).toEqual(new Set([4 * chart!.lines.length]));
    for (const [i, { dots }] of chart!.lines.entries()) {
      const own = rows
        .slice(1)
        .map((row) => row.slice(4 * i, 4 * i + 2))
        .filter(([x]) => x !== "nan");
      expect(own.map((cells) => cells.map(Number))).toEqual(dots.map(([x, y]) => [x, y]));
      expect(written("recovery-cdf.tex")).toContain(`table [x=x${i}, y=y${i}] {recovery-cdf.dat};`);
    }
  });

  it("the LaTeX is balanced, and compiles where LaTeX is installed", () => {
    for (const name of ["recovery-cdf.tex", "table.tex", "page.tex"])
      expect(unbalanced(written(name)), name).toBe("");
    expect(written("table.tex")).toContain("scheme & failure & p50 ms & p99 ms \\\\");
    const version = spawnSync("pdflatex", ["--version"]);
    if (version.status !== 0) return;
    const { status, stdout } = spawnSync(
      "pdflatex",
      ["-interaction=nonstopmode", "-halt-on-error", "page.tex"],
      {
        cwd: paper,
        encoding: "utf8",
      },
    );
    expect(stdout).toContain("Output written on page.pdf");
    expect(status).toBe(0);
  }, 120_000);

  it("CSV in long form has every figure of the rows once", () => {
    const { rows } = JSON.parse(readFileSync(join(results, "results.json"), "utf8")) as {
      rows: Record<string, unknown>[];
    };
    const [header, ...lines] = written("results-long.csv").trim().split("\n");
    expect(header).toBe("scheme,failure,metric,unit,value,ci95");
    const figures = rows.flatMap((row) =>
      Object.entries(row).filter(([, value]) => typeof value === "number"),
    );
    expect(lines.filter((line) => !line.includes(",NA,NA"))).toHaveLength(figures.length);
    expect(lines).toContain(`pecmp,tor,p50_ms,ms,${rows[0]!["p50_ms"]},NA`);
  });

  it("the same results and style give the same bytes", async () => {
    const again = join(folder, "again");
    await paperFigures(results, { style, out: again });
    for (const name of readdirSync(again))
      expect(readFileSync(join(again, name)).equals(readFileSync(join(paper, name))), name).toBe(true);
  });
});

/** What opens without an end, of environments and braces. */
function unbalanced(latex: string): string {
  const open: string[] = [];
  for (const [token, kind, name] of latex
    .replace(/\\[\\{}%]/g, "")
    .matchAll(/\\(begin|end)\{(\w+\*?)\}|[{}]/g)) {
    if (token === "{" || kind === "begin") open.push(name ?? "{");
    else if (open.pop() !== (name ?? "{")) return token;
  }
  return open.join(" ");
}

describe("texts from outside", () => {
  it("no text has a meaning for LaTeX", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        const spelled = tex(text);
        expect(unbalanced(`\\caption{${spelled}}`)).toBe("");
        const rest = spelled
          .replace(
            /\\(textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar|dots)\{\}/g,
            "",
          )
          .replace(/\\ensuremath\{\\\w+\}/g, "")
          .replace(/\\[{}$&#%_]/g, "");
        expect([...rest].filter((one) => "\\{}$&#%_~^".includes(one) || one < " ")).toEqual([]);
      }),
    );
  });

  it("a chart with such titles is drawn in all forms, and its PDF says the text", async () => {
    const title = 'A&B <50 %> {"#1_a"} ≤ ß\u4e2d';
    const chart: FiguresData["charts"][number] = {
      ...{ name: "one", caption: title, steps: false },
      x: { label: "load", scale: "linear", ticks: [0.2, 0.4] },
      y: { label: "size (KB)", scale: "log" },
      lines: [
        {
          title,
          place: 0,
          dots: [
            [0.2, 1, 0.5, 2],
            [0.4, 100],
          ],
        },
      ],
    };
    const svg = await paperSvg(chart, DEFAULT!);
    expect(parseSvg(svg)?.name).toBe("svg");
    const pdf = (await pdfOf(svg, { title, style: DEFAULT! }))!.toString("latin1");
    expect(textOf(pdf)).toContain('A&B <50 %> {"#1_a"} <= ß?');
    const latex = chartTex(chart, DEFAULT!, "one.dat");
    expect(unbalanced(latex)).toBe("");
    expect(latex).toContain("y error minus=minus0, y error plus=plus0");
    expect(chartValues(chart)).toBe("x0 y0 minus0 plus0\n0.2 1 0.5 1\n0.4 100 0 0\n");
  });

  it("a table keeps its cells, numbers on the right", () => {
    const table = {
      header: ["a_b", "n"],
      rows: [
        ["x & y", "1.50 ±0.25"],
        ["z", null],
      ],
    };
    const latex = tableTex({ ...emptyData, seeds: 3, table }, undefined);
    expect(latex).toContain("\\begin{tabular}{lr}");
    expect(latex).toContain(
      "a\\_b & n \\\\\n\\midrule\nx \\& y & 1.50 \\ensuremath{\\pm}0.25 \\\\\nz & -- \\\\",
    );
    expect(latex).toContain("means over 3 seeds");
  });

  it.each([
    ["\u03b2 first", "{}[U+03B2] first"],
    ["[0, 1)", "{}[0, 1)"],
    ["*", "{}*"],
    ["a [b]", "a [b]"],
  ])("no row of a table begins with an argument of the line before: %s", (text, cell) => {
    const latex = tableTex({ ...emptyData, table: { header: [text, "n"], rows: [[text, 1]] } }, undefined);
    expect(latex).toContain(`\\toprule\n${cell} & n \\\\\n\\midrule\n${cell} & 1 \\\\`);
  });

  it.each([
    "",
    "<svg>",
    "<svg></svg></g>",
    "<svg></g></svg>",
    "<!DOCTYPE x [<!ENTITY a 'b'>]><svg></svg>",
    `${"<svg>".repeat(200)}`,
  ])("no document of ours: %s", async (svg) => {
    expect(parseSvg(svg)).toBeUndefined();
    expect(await pdfOf(svg, { title: "", style: DEFAULT! })).toBeUndefined();
  });
});

const emptyData: FiguresData = {
  ...{ experiment: "e", title: "e", engine: "sim", seeds: 1, keys: [], charts: [], drawings: [] },
  table: { header: [], rows: [] },
};

describe("CSV in long form", () => {
  it("names rows by scheme, seed, swept keys and words; intervals stand beside their figure", () => {
    const rows = [
      { scheme: "a", load: 0.5, size: "all", fct_ms: 2, fct_ms_ci95: 0.5, drops: null, links: [1] },
      { scheme: "b", load: 0.5, size: "all", fct_ms: 3, goodput_gbps: 1 },
    ];
    expect(longRows(rows, ["load"])).toBe(
      [
        "scheme,load,size,metric,unit,value,ci95",
        "a,0.5,all,fct_ms,ms,2,0.5",
        "a,0.5,all,drops,1,NA,NA",
        "b,0.5,all,fct_ms,ms,3,NA",
        "b,0.5,all,goodput_gbps,Gbit/s,1,NA\n",
      ].join("\n"),
    );
  });
});

async function messageOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (error instanceof DiagnosticError)
      return error.diagnostics
        .map((one) => formatDiagnostic(one))
        .join("\n")
        .replaceAll(folder, "DIR");
    throw error;
  }
  return "accepted";
}

describe("wrong inputs", () => {
  it.each(readdirSync(join(root, "test/bad/figures")))("%s", async (file) => {
    const path = `test/bad/figures/${file}`;
    const message = await messageOf(() => paperFigures(results, { style: path, out: join(folder, "bad") }));
    expect(message).toContain(`error[${file.slice(0, 6)}]`);
    expect(message.replaceAll(root, "ROOT")).toMatchSnapshot();
  });

  it("a file that is no font", async () => {
    const own = join(folder, "no-font.yaml");
    writeFileSync(own, "font: style.ttf\n");
    writeFileSync(join(folder, "style.ttf"), "not a font");
    expect(await messageOf(async () => loadStyle(own))).toContain(
      "style.ttf is no TrueType or OpenType font",
    );
    expect(await messageOf(async () => loadStyle(join(folder, "nothing.yaml")))).toContain("error[P43005]");
  });

  it.each([
    ["after its first bytes", Buffer.from("true0000000000000000")],
    ["without tables", Buffer.concat([Buffer.from([0, 1, 0, 0]), Buffer.alloc(200)])],
  ])("a font that is broken %s", async (name, bytes) => {
    const own = join(folder, "broken-font.yaml");
    writeFileSync(own, "font_size: 8pt\nfont: broken.ttf\n");
    writeFileSync(join(folder, "broken.ttf"), bytes);
    const refused = await messageOf(() => paperFigures(results, { style: own, out: join(folder, "bad") }));
    expect(refused, name).toContain(
      "DIR/broken-font.yaml:2:7: error[P43096]: DIR/broken.ttf is a broken font",
    );
  });

  it("figures are not written over results", async () => {
    const earlier = mkdtempSync(join(folder, "earlier-"));
    cpSync(results, earlier, { recursive: true });
    // Its list of files still says that it is the folder of a run.
    for (const name of ["results.json", "figures.json"]) rmSync(join(earlier, name));
    const link = join(folder, "link");
    symlinkSync(results, link);
    for (const out of [results, `${results}/`, link, earlier]) {
      const before = readdirSync(out, { recursive: true });
      const refused = await messageOf(() => paperFigures(results, { out }));
      expect(refused, out).toContain("error[P43097]");
      expect(readdirSync(out, { recursive: true })).toEqual(before);
    }
  });

  it("figures replace their own earlier files, and no other file", async () => {
    const out = mkdtempSync(join(folder, "own-"));
    const { files } = await paperFigures(results, { out });
    await paperFigures(results, { out });
    const name = files.find((one) => one.endsWith(".tex"))!;
    const path = join(out, name);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, `${text}% edited by hand\n`);
    expect(await messageOf(() => paperFigures(results, { out }))).toContain(`${name} would be replaced`);
    expect(readFileSync(path, "utf8")).toBe(`${text}% edited by hand\n`);
    writeFileSync(path, text);
    await paperFigures(results, { out });
    const other = mkdtempSync(join(folder, "other-"));
    writeFileSync(join(other, "page.tex"), "a thesis");
    expect(await messageOf(() => paperFigures(results, { out: other }))).toContain("error[P43097]");
    expect(readdirSync(other)).toEqual(["page.tex"]);
    rmSync(join(other, "page.tex"));
    mkdirSync(join(other, "page.tex"));
    expect(await messageOf(() => paperFigures(results, { out: other }))).toContain(
      "page.tex would be replaced",
    );
  });

  it.each([
    [0, 10],
    [-1, 10],
    [10, 10],
    [10, 1],
  ])("a logarithmic axis from %s to %s", async (low, high) => {
    const copy = mkdtempSync(join(folder, "log-"));
    cpSync(results, copy, { recursive: true });
    const { charts, ...rest } = data();
    const [chart] = charts;
    const x = { ...chart!.x, scale: "log", domain: [low, high] };
    writeFileSync(
      join(copy, "figures.json"),
      JSON.stringify({ ...rest, charts: [{ ...chart, x: { ...x, ticks: undefined } }] }),
    );
    const refused = await messageOf(async () => listFigures(copy));
    expect(refused).toContain("error[P43094]");
    expect(refused).toContain("a logarithmic axis begins above 0 and ends above its beginning");
    expect(logTicks([low, high])).toEqual([]);
  });

  it.each<[string, string, string | RegExp, string]>([
    ["figures.json", "is not as p4loom run has written it", /^\{/, ""],
    [
      "figures.json",
      "is not as p4loom run has written it",
      '"name":"recovery-cdf"',
      '"name":"../recovery-cdf"',
    ],
    ["figures.json", "cannot read nothing.svg", '"file":"topology.svg"', '"file":"nothing.svg"'],
    ["results.json", "is not as p4loom run has written it", '"rows"', '"cells"'],
    ["topology.svg", "is not as p4loom run has written it", "<svg", "<!-- --><svg"],
  ])("%s: %s", async (name, message, from, to) => {
    const copy = mkdtempSync(join(folder, "copy-"));
    cpSync(results, copy, { recursive: true });
    const path = join(copy, name);
    const text = readFileSync(path, "utf8");
    expect(text).toMatch(from);
    writeFileSync(path, text.replace(from, to));
    const refused = await messageOf(() => paperFigures(copy, { out: join(folder, "bad") }));
    expect(refused).toContain("error[P43094]");
    expect(refused).toContain(message);
  });

  it("a folder without results", async () => {
    expect(await messageOf(async () => listFigures(join(folder, "nowhere")))).toMatch(
      /error\[P43094\]: DIR\/nowhere has no data of figures: cannot read figures\.json/,
    );
  });
});
