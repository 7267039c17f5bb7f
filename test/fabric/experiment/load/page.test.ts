/** The page and the files of values of a load experiment, from outcomes that the test makes: what stands where, and what is left out. */
import { describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../../src/base/index.js";
import { slowdownCharts } from "../../../../src/fabric/experiment/kinds/load/figures.js";
import { LOAD } from "../../../../src/fabric/experiment/kinds/load/index.js";
import type { LoadOutcome } from "../../../../src/fabric/experiment/kinds/load/load-figures.js";
import type { ClassFigures } from "../../../../src/fabric/experiment/kinds/load/meters/flow-meter.js";
import { loadRows } from "../../../../src/fabric/experiment/kinds/load/rows.js";
import type { LoadPoint, LoadSweep } from "../../../../src/fabric/experiment/kinds/load/shown.js";
import { loadFiles } from "../../../../src/fabric/experiment/kinds/load/values.js";
import { LOAD_VIEW } from "../../../../src/fabric/experiment/kinds/load/view.js";
import { loadKind } from "../../../../src/fabric/experiment/read.js";
import type { Chart, Part, PlotLibrary } from "../../../../src/fabric/experiment/view/view.js";
import { Moments, QuantileSketch, TimeWeightedRecorder } from "../../../../src/fabric/statistics/index.js";

const TEXT = `name: files
title: Two
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single, hosts_per_rack: 2 }
schemes: [ecmp, { scheme: prr, label: other }]
load: 0.5
traffic: { ip: 4, sizes: { fixed: 2KB }, flows: 40 }
sizes: { small: 10KB, large: 2MB }
`;

const sketch = (values: readonly number[]) => {
  const made = new QuantileSketch();
  for (const value of values) made.add(value);
  return made.toJson();
};

/** Flows of one size class by their slowdowns; a flow takes its slowdown in milliseconds. */
function classOf(slowdowns: readonly number[], more: Partial<ClassFigures> = {}): ClassFigures {
  const goodputs = new Moments();
  for (const one of slowdowns) goodputs.add(1000 / one);
  return {
    flows: slowdowns.length,
    unfinished: 0,
    bytes: 1000 * slowdowns.length,
    delivered: 1000 * slowdowns.length,
    fct: sketch(slowdowns.map((one) => 1e6 * one)),
    slowdown: sketch(slowdowns),
    goodputs: goodputs.toJson(),
    late: sketch([]),
    furthest: sketch([]),
    held: sketch([]),
    counters: { retransmissions: 1, timeouts: 2 },
    ...more,
  };
}

const LINKS = [
  { from: "h0", to: "t0", utilisation: 0.9, uplink: false },
  { from: "t0", to: "h0", utilisation: 0.8, uplink: false },
  { from: "t0", to: "l0", utilisation: 0.25, uplink: true },
  { from: "l0", to: "t0", utilisation: 0.5, uplink: false },
  { from: "t0", to: "l1", utilisation: 0.75, uplink: true },
  { from: "l1", to: "t0", utilisation: 1, uplink: false },
];

type Outcome = Omit<LoadOutcome, "scheme">;
function outcomeOf(seed: number, small: readonly number[], more: Partial<Outcome> = {}): Outcome {
  return {
    seed,
    flows: { small: classOf(small), medium: classOf([]), large: classOf([4, 6]) },
    started: 9,
    openAtEnd: 0,
    window: [1e6, 5e6],
    endNs: 6e6,
    ...more,
  };
}

interface Given {
  readonly text?: string;
  readonly keys?: readonly string[];
  readonly engine?: "sim" | "switch";
  /** Of each point: values, and outcomes by scheme. */
  readonly points: readonly {
    readonly values?: Record<string, unknown>;
    readonly outcomes: readonly (readonly Outcome[])[];
  }[];
}

function sweepOf({ text = TEXT, keys = [], engine = "sim", points }: Given): LoadSweep {
  const diagnostics = new Diagnostics();
  const experiment = loadKind(LOAD, new SourceFile("l.yaml", text), diagnostics);
  if (experiment === undefined) throw new Error(diagnostics.list.map(formatDiagnostic).join("\n"));
  const seeds = [...new Set(points.flatMap(({ outcomes }) => outcomes.flat().map(({ seed }) => seed)))];
  const made = points.map(({ values = {}, outcomes }): LoadPoint => {
    const units = experiment.schemes.map((scheme, i) => {
      const own = (outcomes[i] ?? []).map((one) => ({ ...one, scheme }));
      return {
        ...{ unit: { scheme, name: scheme.label } as never, seeds, outcomes: own, logs: [] },
        rows: loadRows(own, 0.5),
      };
    });
    return { values, experiment, units };
  });
  return {
    ...{ name: "files", engine, seed: 1, keys, seeds, namesSeeds: false, points: made },
    ...{ rows: [], notes: [], warnings: [], programs: [] },
  };
}

const partsOf = (sweep: LoadSweep): Part[] =>
  LOAD_VIEW.page(sweep).parts.filter((part): part is Part => typeof part === "object");
const headings = (parts: readonly Part[]) => parts.flatMap(({ heading }) => heading ?? []);
const named = (sweep: LoadSweep, heading: string) => {
  const found = partsOf(sweep).find((part) => part.heading === heading);
  if (found === undefined) throw new Error(`no part ${heading}: ${headings(partsOf(sweep)).join(", ")}`);
  return found;
};
/** Cells of a table of the page by line, without tags. */
const cellsOf = (html: string) =>
  html
    .split(/<tr[^>]*>/)
    .slice(1)
    .map((line) =>
      [...line.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) =>
        cell!.replace(/<[^>]*>/g, "").replaceAll("&shy;", ""),
      ),
    );
const table = (sweep: LoadSweep, heading: string) => {
  const [head, ...lines] = cellsOf(named(sweep, heading).html!);
  return lines.map((line) => Object.fromEntries(line.map((cell, i) => [head![i], cell])));
};
const linesOf = (sweep: LoadSweep, name: string) => {
  const text = new Map(loadFiles(sweep)).get(name);
  if (text === undefined) throw new Error(`no file ${name}`);
  return (typeof text === "string" ? text : [...text].join("")).trimEnd().split("\n");
};

const ONE = sweepOf({ points: [{ outcomes: [[outcomeOf(1, [1, 2, 3])], [outcomeOf(1, [2, 2, 2])]] }] });
const SEEDS = sweepOf({
  points: [
    {
      outcomes: [
        [outcomeOf(1, [2]), outcomeOf(2, [4])],
        [outcomeOf(1, [1]), outcomeOf(2, [3.2])],
      ],
    },
  ],
});
const LOADS = [0.3, 0.8];
const TWO = sweepOf({
  keys: ["load"],
  points: LOADS.map((load) => ({
    values: { load },
    outcomes: [[outcomeOf(1, [10 * load])], [outcomeOf(1, [5])]],
  })),
});

describe("the page", () => {
  it("begins with what ran where", () => {
    expect(LOAD_VIEW.page(ONE).lead).toBe(
      "2 schemes, 1 point, 1 seed: 10 measured flows in all runs, on the packet simulator.",
    );
    expect(LOAD_VIEW.page(TWO).lead).toMatch(/^2 schemes, 2 points, 1 seed: 12 measured flows/);
    const real = sweepOf({ engine: "switch", points: [{ outcomes: [[outcomeOf(1, [1])]] }] });
    expect(LOAD_VIEW.page(real).lead).toMatch(/on real switches \(switch\)\.$/);
  });

  it("has a line a size class and scheme, each size named once, and no column without figures", () => {
    const lines = table(ONE, "Results");
    expect(lines.map((line) => [line["size"], line["scheme"], line["flows"], line["slowdown mean"]])).toEqual(
      [
        ["all", "ECMP", "5", "3.20"],
        ["", "other", "5", "3.20"],
        ["small", "ECMP", "3", "2.00"],
        ["", "other", "3", "2.00"],
        ["large", "ECMP", "2", "5.00"],
        ["", "other", "2", "5.00"],
      ],
    );
    expect(lines[0]).toMatchObject({ "FCT mean ms": "3.20", retransmissions: "3", timeouts: "6" });
    for (const absent of ["point", "drops", "link CV", "queue p99 bytes", "request p99 ms", "held flows"])
      expect(Object.keys(lines[0]!), absent).not.toContain(absent);
    expect(named(ONE, "Results").note).toBe(
      "Means over 1 seed. Flows, retransmissions, timeouts and drops are sums. Small: up to 10 KB; large: from 2 MB. Slowdown: completion time over that of the flow alone in the empty network.",
    );
    expect(named(SEEDS, "Results").note).toMatch(/^Means over 2 seeds, ± half of the 95 %/);
  });

  it("names each point once, where there are several, and the swept keys", () => {
    const lines = table(TWO, "Results");
    expect(lines.slice(0, 3).map((line) => line["point"])).toEqual(["load 0.3", "", "load 0.3"]);
    expect(lines.filter((line) => line["point"] === "load 0.8")).toHaveLength(3);
    const parameters = table(TWO, "Parameters");
    expect(parameters.find(({ key }) => key === "swept")).toMatchObject({ value: "load" });
    expect(table(ONE, "Parameters").find(({ key }) => key === "swept")).toMatchObject({ value: "nothing" });
  });

  it("lists the parameters of the run, those of the wire on the simulator alone", () => {
    const keys = table(ONE, "Parameters").map(({ key }) => key);
    expect(keys).toEqual([
      ...["experiment, engine, seeds", "swept", "topology", "load", "traffic", "warm_up, drain", "transport"],
      ...["queues", "wire", "control channel"],
    ]);
    const value = (key: string) => table(ONE, "Parameters").find((one) => one["key"] === key)!["value"];
    expect(value("experiment, engine, seeds")).toBe("files, sim, 1");
    expect(value("load")).toBe("0.5");
    expect(value("warm_up, drain")).toMatch(/^\d+ ms, \d+ ms$/);
    const real = sweepOf({ engine: "switch", points: [{ outcomes: [[outcomeOf(1, [1])]] }] });
    expect(table(real, "Parameters").map(({ key }) => key)).not.toContain("wire");
  });

  it("says what each scheme does", () => {
    expect(
      table(ONE, "What the schemes do").map((line) => [line["scheme"], line["name"], line["controllers"]]),
    ).toEqual([
      ["ECMP", "ecmp", "none while it runs"],
      ["other", "prr", "none while it runs"],
    ]);
  });

  it("asks whether schemes differ where there are several seeds, with the better and worse ones marked", () => {
    expect(headings(partsOf(ONE))).not.toContain("Do the schemes differ?");
    const lines = table(SEEDS, "Do the schemes differ?");
    const small = lines.find((line) => line["size"] === "small" && line["figure"] === "mean slowdown")!;
    expect(small).toMatchObject({ ECMP: "3.00", "this scheme": "2.10", change: "-30.0 %" });
    // A heading that stands twice would not say which figure is the scheme's.
    const headingCells = cellsOf(named(SEEDS, "Do the schemes differ?").html!)[0]!;
    expect(new Set(headingCells).size).toBe(headingCells.length);
    const names = cellsOf(named(SEEDS, "Do the schemes differ?").html!)
      .slice(1)
      .map(([name]) => name);
    expect(names.slice(0, 2)).toEqual(["other", ""]);
    const many = (values: readonly number[]) => values.map((value, i) => outcomeOf(i + 1, [value]));
    const base = [10, 11, 12, 13, 14, 15, 16, 17];
    const better = sweepOf({
      points: [{ outcomes: [many(base), many(base.map((x, i) => x / 2 + i / 100))] }],
    });
    const worse = sweepOf({
      points: [{ outcomes: [many(base), many(base.map((x, i) => 2 * x + i / 100))] }],
    });
    expect(named(better, "Do the schemes differ?").html).toMatch(/<span class="good">-\d+\.\d %<\/span>/);
    expect(named(worse, "Do the schemes differ?").html).toMatch(/<span class="bad">\+\d+\.\d %<\/span>/);
    const chance = table(better, "Do the schemes differ?")[2]!;
    expect(chance["p (t)"]).toBe("&lt; 0.001");
    expect(chance["p (signs)"]).toBe("0.008");
  });

  it("names the points of comparisons where there are several", () => {
    const points = LOADS.map((load) => ({
      values: { load },
      outcomes: [
        [outcomeOf(1, [2]), outcomeOf(2, [4])],
        [outcomeOf(1, [1]), outcomeOf(2, [3.2])],
      ],
    }));
    const compared = table(sweepOf({ keys: ["load"], points }), "Do the schemes differ?");
    const named = compared.map((line) => line["point"]).filter((point) => point !== "");
    expect(named).toEqual(["load 0.3", "load 0.8"]);
    expect(Object.keys(table(SEEDS, "Do the schemes differ?")[0]!)).not.toContain("point");
  });

  it("asks whether the run is long enough where the halves of the window were measured", () => {
    expect(headings(partsOf(ONE))).not.toContain("Is the run long enough?");
    const half = (slowdown: number, startedBytes: number) => ({
      ...{ ns: 2e6, flows: 1, startedBytes, deliveredBytes: 1 },
      ...{ fctNs: [1, 3e6, 0] as const, slowdown: [1, slowdown, 0] as const, utilisation: 0.125 },
    });
    const more = { halves: [half(2, 1000), half(3, 3000)] as const, nominalBps: 4e6 };
    const measured = sweepOf({ points: [{ outcomes: [[outcomeOf(1, [1], more)], []] }] });
    // 4000 bytes in 4 ms are 8 Mbit/s; a load of 1 is 4 / 0.5 Mbit/s.
    expect(table(measured, "Is the run long enough?")).toEqual([
      {
        scheme: "ECMP",
        "offered load": "1.00",
        "achieved load": "0.75",
        "offered Gbps": "0.008",
        "achieved Gbps": "0.006",
        "slowdown mean, 1st half": "2.00",
        "2nd half": "0.125",
        "FCT mean ms, 1st half": "3.00",
        "utilisation of uplinks, 1st half": "0.125",
      },
    ]);
  });

  it("says whether the results have converged where the file asks for it", () => {
    expect(headings(partsOf(ONE))).not.toContain("Have the results converged?");
    const text = TEXT.replace(
      "\nsizes: {",
      "\nuntil: { metric: slowdown_mean, size: large, within: 0.05, min_runs: 5, max_runs: 6 }\nsizes: {",
    );
    const until = sweepOf({ text, points: [{ outcomes: [[outcomeOf(1, [1])], [outcomeOf(1, [2])]] }] });
    const { note, html } = named(until, "Have the results converged?");
    expect(note).toMatch(
      /half of the 95 % interval of slowdown_mean \(large\) is at most 5 % of the mean .* at most under 6 seeds\.$/,
    );
    expect(
      cellsOf(html!)
        .slice(1)
        .map((line) => line.slice(0, 2)),
    ).toEqual([
      ["large", "ECMP"],
      ["", "other"],
    ]);
    expect(named(until, "Results").note).toMatch(/^Means over up to 1 seed/);
    expect(table(until, "Parameters").find(({ key }) => key === "until")?.["value"]).toContain("max_runs");
  });
});

describe("figures over a swept number", () => {
  const chartsOf = (part: Part) => part.panels!.figures.map(({ drawing }) => drawing as Chart);

  it("have a panel for each figure that some row has, a line a scheme, and dots in the order of the number", () => {
    const part = named(TWO, "By load");
    expect(part.panels!.figures.map(({ file }) => file)).toEqual(
      [1, 2, 3, 4, 5].map((i) => `figures/by-load-${i}`),
    );
    const charts = chartsOf(part);
    expect(charts.map(({ y }) => y?.label)).toEqual([
      "slowdown, mean, all flows",
      "slowdown, p99, all flows",
      "FCT, mean, small flows (ms)",
      "FCT, p99, small flows (ms)",
      "FCT, mean, large flows (ms)",
    ]);
    expect(part.legend!.map(({ title, place }) => [title, place])).toEqual([
      ["ECMP", 0],
      ["other", 1],
    ]);
    const [, , small] = charts;
    expect(small!.lines.map(({ dots }) => dots)).toEqual([
      [
        { x: 0.3, y: 3, low: 3, high: 3 },
        { x: 0.8, y: 8, low: 8, high: 8 },
      ],
      [
        { x: 0.3, y: 5, low: 5, high: 5 },
        { x: 0.8, y: 5, low: 5, high: 5 },
      ],
    ]);
    expect(small).toMatchObject({
      x: { label: "load", ticks: LOADS, type: "linear" },
      y: { type: "linear", zero: true },
    });
    expect(small!.dot!({ title: "ECMP" } as never, { y: 3 } as never)).toBe("ECMP: 3");
  });

  it("have logarithmic axes where values are more than eight times apart, and intervals that stay above 0", () => {
    const seeds = (a: number, b: number) => [outcomeOf(1, [a]), outcomeOf(2, [b])];
    const wide = sweepOf({
      keys: ["load"],
      points: [
        { values: { load: 0.8 }, outcomes: [seeds(1, 3), []] },
        { values: { load: 0.3 }, outcomes: [seeds(20, 20), []] },
      ],
    });
    const [, , small] = chartsOf(named(wide, "By load"));
    expect(small!.y).toMatchObject({ type: "log", zero: false });
    const [dots, none] = small!.lines.map((line) => line.dots);
    expect(none).toEqual([]);
    expect(dots!.map(({ x, y }) => [x, y])).toEqual([
      [0.3, 20],
      [0.8, 2],
    ]);
    // Half of the interval of two values at a distance of 2 is 12.7.
    expect(dots![1]).toMatchObject({ low: 0.02, high: expect.closeTo(14.7, 1) });
  });

  it("are one group for each combination of the other keys, and lines of these where there is one scheme", () => {
    const values = [0.3, 0.8].flatMap((load) =>
      ["dctcp", "cubic"].map((cc) => ({ load, "transport.cc": cc })),
    );
    const points = values.map((one) => ({
      values: one,
      outcomes: [[outcomeOf(1, [2])], [outcomeOf(1, [3])]],
    }));
    const both = sweepOf({ keys: ["transport.cc", "load"], points });
    expect(headings(partsOf(both)).slice(0, 2)).toEqual([
      "By load: transport.cc dctcp",
      "By load: transport.cc cubic",
    ]);
    expect(named(both, "By load: transport.cc cubic").panels!.figures[0]!.file).toBe("figures/by-load-2-1");
    const single = sweepOf({
      ...{ text: TEXT.replace(/schemes: .*/, "schemes: [ecmp]"), keys: ["transport.cc", "load"] },
      points: points.map((one) => ({ ...one, outcomes: one.outcomes.slice(0, 1) })),
    });
    const part = named(single, "By load: ECMP");
    expect(part.legend!.map(({ title, place }) => [title, place])).toEqual([
      ["transport.cc dctcp", 0],
      ["transport.cc cubic", 1],
    ]);
  });

  it("are absent for one point, and where no key has numbers", () => {
    expect(headings(partsOf(ONE)).some((one) => one.startsWith("By "))).toBe(false);
    const words = ["a", "b"].map((pattern) => ({ values: { pattern }, outcomes: [[outcomeOf(1, [2])]] }));
    expect(
      headings(partsOf(sweepOf({ keys: ["pattern"], points: words }))).some((one) => one.startsWith("By ")),
    ).toBe(false);
  });
});

describe("distributions, links and queues", () => {
  const queues = (mean: readonly number[]) => {
    const waiting = new TimeWeightedRecorder(0);
    waiting.set(0, 100);
    waiting.set(50, 300);
    const json = waiting.take(100).toJson();
    return {
      ...{ bytes: json, packets: json, portCount: 3 },
      ports: [{ node: "t0", port: 2, peer: "l0", mean: 5, p50: 4, p99: 9, max: 11 }],
      total: { binNs: 2e6, mean, max: mean },
    };
  };
  const more = { links: LINKS, queues: queues([1000, 3000]) };
  const full = sweepOf({
    points: [
      {
        outcomes: [
          [
            outcomeOf(1, [1, 2, 3, 4], more),
            outcomeOf(2, [2], { links: LINKS.map((one) => ({ ...one, utilisation: 0 })) }),
          ],
          [],
        ],
      },
    ],
  });

  it("are parts of the page for one point, and unfold for several, the last one open", () => {
    const parts = partsOf(full);
    const names = headings(parts);
    expect(names.slice(names.indexOf("Distributions, links and queues"), -1)).toEqual([
      "Distributions, links and queues",
      ...["Slowdown, all flows", "Slowdown, small flows", "Slowdown, large flows"],
      ...["Links between switches", "Queues over time"],
    ]);
    expect(named(full, "Slowdown, small flows").panels!.figures.map(({ file }) => file)).toEqual([
      "figures/slowdown-cdf-small",
      "figures/slowdown-ccdf-small",
    ]);
    const unfolded = partsOf(TWO).flatMap(({ unfold, heading }) =>
      unfold === undefined ? [] : [{ ...unfold, heading }],
    );
    expect(unfolded.map(({ title, open, heading }) => [title, open, heading])).toEqual([
      ["load 0.3", false, "Distributions, links and queues"],
      ["load 0.8", true, undefined],
      ["Experiment file", undefined, undefined],
    ]);
    const files = (unfolded[1]!.content as Part[]).flatMap(
      (part) => part?.figure?.file ?? part?.panels?.figures[0]?.file ?? [],
    );
    expect(files).toEqual([
      ...["all", "small", "large"].map((size) => `figures/slowdown-cdf-${size}-2`),
      ...["figures/links-2", "figures/queues-2"],
    ]);
  });

  it("are those of six points of many, and the page says how many have none", () => {
    const points = Array.from({ length: 11 }, (_, i) => ({
      values: { load: i },
      outcomes: [[outcomeOf(1, [2])]],
    }));
    const many = sweepOf({ keys: ["load"], points });
    const titles = partsOf(many).flatMap(({ unfold }) => unfold?.title ?? []);
    expect(titles).toEqual([0, 2, 4, 6, 8, 10].map((load) => `load ${load}`).concat("Experiment file"));
    expect(
      partsOf(many)
        .flatMap(({ note }) => note ?? [])
        .at(-1),
    ).toBe("5 points without figures here; results.csv and cdf.csv have all.");
  });

  it("show the share of flows by slowdown from 1 on, and the tail on logarithmic axes", () => {
    const [cdf, ccdf] = named(full, "Slowdown, small flows").panels!.figures.map(
      ({ drawing }) => drawing as Chart,
    );
    expect(cdf!.x).toMatchObject({ type: "log", domain: [1, expect.closeTo(4, 1)] });
    const [line] = cdf!.lines;
    expect([line!.title, line!.place]).toEqual(["ECMP", 0]);
    expect(cdf!.lines).toHaveLength(1);
    expect(line!.dots[0]).toEqual({ x: 1, y: 0 });
    expect(line!.dots.at(-1)).toMatchObject({ x: expect.closeTo(4, 1), y: 1 });
    const tail = ccdf!.lines[0]!.dots;
    expect(tail[0]).toEqual({ x: 1, y: 1 });
    expect(tail.every(({ y }, i) => y > 0 && (i === 0 || y <= tail[i - 1]!.y))).toBe(true);
    expect(ccdf!.y).toMatchObject({ type: "log", domain: [0.1, 1] });
    const { tickFormat } = cdf!.x as { tickFormat: (value: number) => string };
    expect([1, 2, 3, 5, 7, 10, 2000].map(tickFormat)).toEqual(["1", "2", "", "5", "", "10", "2,000"]);
    const share = (cdf!.y as { tickFormat: (value: number) => string }).tickFormat;
    expect([0, 0.5, 0.0012].map(share)).toEqual(["0 %", "50 %", "0.12 %"]);
  });

  it("begin at a slowdown of 1 where all flows are slower, and below it where one is faster", () => {
    const begin = (slowdowns: readonly number[]) => {
      const [point] = sweepOf({ points: [{ outcomes: [[outcomeOf(1, slowdowns)]] }] }).points;
      const schemes = [{ label: "ecmp", title: "ECMP", place: 0 }];
      return (slowdownCharts(point!, "small", schemes)!.cdf.x as { domain: number[] }).domain[0];
    };
    expect(begin([3, 5])).toBe(1);
    expect(begin([0.5, 5])).toBeCloseTo(0.5, 2);
  });

  it("show what waits at all ports in the first seed", () => {
    const chart = named(full, "Queues over time").figure!.drawing as Chart;
    expect(chart.lines.map(({ title, dots }) => [title, dots])).toEqual([
      [
        "ECMP",
        [
          { x: 1, y: 1 },
          { x: 3, y: 3 },
        ],
      ],
    ]);
    expect(named(ONE, "Queues over time").figure!.drawing).toBeUndefined();
    expect(named(ONE, "Links between switches").figure!.drawing).toBeUndefined();
  });

  it("show a cell for each direction of a link between switches, with the mean over the seeds", () => {
    const { drawing } = named(full, "Links between switches").figure!;
    const drawn: {
      cells: Record<string, unknown>[];
      fill(cell: object): string;
      title(cell: object): string;
    }[] = [];
    const Plot = {
      cell: (cells: never, { fill, title }: never) => drawn.push({ cells, fill, title }),
    } as unknown as PlotLibrary;
    const options = (drawing as { plot(library: PlotLibrary): Record<string, unknown> }).plot(Plot);
    const [{ cells, fill, title }] = drawn as [(typeof drawn)[number]];
    expect(cells).toEqual([
      { scheme: "ECMP", place: 0, direction: "up", link: "t0 to l0", utilisation: 0.125 },
      { scheme: "ECMP", place: 0, direction: "down", link: "l0 to t0", utilisation: 0.25 },
      { scheme: "ECMP", place: 1, direction: "up", link: "t0 to l1", utilisation: 0.375 },
      { scheme: "ECMP", place: 1, direction: "down", link: "l1 to t0", utilisation: 0.5 },
    ]);
    expect(options).toMatchObject({
      height: 64 + 22 * 2,
      y: { domain: ["ECMP"] },
      fy: { domain: ["up", "down"] },
    });
    const at = (utilisation: number) => fill({ utilisation });
    expect([0, 0.3, 0.6, 0.8, 1, 2, -1].map(at)).toEqual([
      "rgba(47,127,203,0.06)",
      "rgba(47,127,203,0.53)",
      "rgba(47,127,203,1)",
      "rgba(132,114,116,1)",
      "rgba(217,100,30,1)",
      "rgba(217,100,30,1)",
      "rgba(47,127,203,0.06)",
    ]);
    expect(title({ link: "a to b", utilisation: 0.256 })).toBe("a to b: 26 %");
  });

  it("are figures of rows too: unevenness, queues, and each seed's links and ports as values", () => {
    const [row] = table(full, "Results");
    // Uplinks of 0.25 and 0.75 in the first seed; in the second one they are idle.
    expect(row!["queue p99 bytes"]).toBe("300");
    expect(row!["worst port p99"]).toBe("9");
    expect(linesOf(full, "links.csv")).toHaveLength(1 + 2 * LINKS.length);
    expect(linesOf(full, "links.csv").slice(0, 2)).toEqual([
      "scheme,seed,from,to,uplink,utilisation",
      "ecmp,1,h0,t0,false,0.9",
    ]);
    expect(linesOf(full, "queues.csv")).toEqual([
      "scheme,seed,switch,port,to,mean_bytes,p50_bytes,p99_bytes,max_bytes",
      "ecmp,1,t0,2,l0,5,4,9,11",
    ]);
  });
});

describe("the files of values", () => {
  it("are distributions, links, queues and tests; others where the file asks for them", () => {
    const names = (sweep: LoadSweep) => loadFiles(sweep).map(([name]) => name);
    expect(names(ONE)).toEqual(["cdf.csv", "links.csv", "queues.csv", "tests.csv"]);
    const text = `${TEXT}series: 1ms\nwindows: { flows: [0] }\nrecord: flows\n`;
    const lines = [{ flow: 1, start_ns: 5, src: "a", dst: "b", bytes: 7 }];
    const series = {
      binNs: 2e6,
      sent: [3, 4],
      lostInQueues: [0, 1],
      lostByFaults: [2, 0],
      delivered: [30, 40],
    };
    const windows = [
      { flow: 0, at: 1.5e6, window: 2920.4, inFlight: 1460, smoothedRtt: 12345, acknowledged: 5 },
      { flow: 0, at: 2e6, window: 1, inFlight: 0, smoothedRtt: undefined, acknowledged: 6 },
    ];
    const outcome = outcomeOf(7, [1], { lines, series, windows } as never);
    const all = sweepOf({ text, keys: ["load"], points: [{ values: { load: 0.4 }, outcomes: [[outcome]] }] });
    expect(names(all)).toEqual([
      ...["cdf.csv", "links.csv", "queues.csv", "series.csv", "windows.csv", "tests.csv", "flows.jsonl"],
    ]);
    expect(linesOf(all, "series.csv")).toEqual([
      "scheme,load,seed,from_ms,sent,lost_in_queues,lost_by_faults,delivered_bytes",
      "ecmp,0.4,7,0,3,0,2,30",
      "ecmp,0.4,7,2,4,1,0,40",
    ]);
    expect(linesOf(all, "windows.csv")).toEqual([
      "scheme,load,seed,flow,at_ms,window_bytes,in_flight_bytes,smoothed_rtt_us,acknowledged_bytes",
      "ecmp,0.4,7,0,1.5,2920,1460,12.345,5",
      "ecmp,0.4,7,0,2,1,0,,6",
    ]);
    expect(linesOf(all, "flows.jsonl")).toEqual([
      '{"scheme":"ecmp","load":0.4,"seed":7,"flow":1,"start_ns":5,"src":"a","dst":"b","bytes":7}',
    ]);
  });

  it("have the distributions of all classes, times in milliseconds", () => {
    const lines = linesOf(ONE, "cdf.csv");
    expect(lines[0]).toBe("scheme,size,figure,value,fraction");
    const last = (prefix: string) =>
      lines
        .filter((line) => line.startsWith(prefix))
        .at(-1)!
        .split(",")
        .slice(3)
        .map(Number);
    expect(last("ecmp,small,fct_ms,")).toEqual([expect.closeTo(3, 1), 1]);
    expect(last("ecmp,small,slowdown,")).toEqual([expect.closeTo(3, 1), 1]);
    expect(last("ecmp,all,slowdown,")).toEqual([expect.closeTo(6, 1), 1]);
    expect(lines.some((line) => line.startsWith("ecmp,medium"))).toBe(false);
  });

  it("have the tests of each scheme against the first", () => {
    const [head, ...lines] = linesOf(SEEDS, "tests.csv");
    expect(head).toBe(
      "scheme,against,point,size,figure,pairs,baseline,value,difference_ci95,p_t,p_signs,p_ranks",
    );
    expect(lines.map((line) => line.split(",").slice(0, 8).join())).toContain(
      "other,ecmp,,small,slowdown_mean,2,3,2.1",
    );
    expect(lines.some((line) => line.includes(",medium,"))).toBe(false);
  });
});

describe("a row", () => {
  const rowsOf = (outcomes: readonly Outcome[], load?: number) =>
    loadRows(
      outcomes.map((one) => ({ ...one, scheme: { label: "x" } }) as LoadOutcome),
      load,
    );

  it("has sums of counts over the seeds and means of figures, with half of an interval", () => {
    const [all, small] = rowsOf([outcomeOf(1, [2]), outcomeOf(2, [4, 4])]);
    expect(all).toMatchObject({
      size: "all",
      seeds: 2,
      flows: 7,
      unfinished: 0,
      retransmissions: 6,
      timeouts: 12,
    });
    expect(small).toMatchObject({
      size: "small",
      slowdown_mean: 3,
      slowdown_mean_ci95: expect.closeTo(12.7, 1),
    });
    expect(rowsOf([outcomeOf(1, [2])])[0]).not.toHaveProperty("slowdown_mean_ci95");
    expect(rowsOf([])).toEqual([]);
  });

  it("has figures of reordering, holds, requests, drops and saturation where they were measured", () => {
    const small = classOf([2, 2], {
      late: sketch([3]),
      furthest: sketch([1460]),
      held: sketch([2e6, 4e6]),
      deliveredBefore: 500,
      counters: {
        segmentsSent: 12,
        retransmissions: 2,
        reordered: 5,
        heldNs: 6e6,
        longestSilenceNs: 7e6,
        marked: 3,
      },
    });
    const rest = classOf([], { deliveredBefore: 0, counters: {} });
    const outcome = {
      ...outcomeOf(1, []),
      flows: { small, medium: rest, large: rest },
      firstCommandNs: 2e6,
      groups: { groups: 4, unfinished: 1, completion: sketch([8e6]) },
      load: { saturated: true },
    } as unknown as Outcome;
    const [all, own] = rowsOf([outcome]);
    expect(own).toMatchObject({
      ...{ reordered_share: 0.5, reordered_max: 3, reordered_flows: 1, held_flows: 2, marked: 3 },
      ...{ held_max_ms: expect.closeTo(4, 1), silence_max_ms: 7 },
      // 500 bytes in 1 ms, then 1500 in 3 ms.
      ...{ goodput_before_gbps: 0.004, goodput_since_gbps: 0.004 },
      ...{ rct_p99_ms: expect.closeTo(8, 1), saturated: 1 },
    });
    expect(all).toMatchObject({ requests: 4, requests_unfinished: 1 });
    expect(own).not.toHaveProperty("requests");
    const lost = rowsOf([{ ...outcomeOf(1, [1]), lostAtSwitches: { a: 2, b: 3 } }]);
    expect(lost[0]).toMatchObject({ drops: 5 });
    expect(lost[0]).not.toHaveProperty("saturated");
  });
});
