/**
 * Kinds of experiments: how a file says which it is, and a kind of a few lines that the pipeline runs without knowing it.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { Diagnostics, formatDiagnostic, Random, SourceFile } from "../../../../src/base/index.js";
import {
  type Checked,
  type FabricSettings,
  fabricKeys,
  ipSchema,
  machineKeys,
  transportOptions,
} from "../../../../src/fabric/experiment/experiment.js";
import {
  eachSeed,
  fromTopology,
  type Kind,
  type LoadedExperiment,
  loadAnyKind,
  loadExperimentFile,
  onFabric,
  register,
  type SchemeUnit,
} from "../../../../src/fabric/experiment/index.js";
import { KINDS } from "../../../../src/fabric/experiment/kinds/registry.js";
import { rowsPage } from "../../../../src/fabric/experiment/view/parts.js";
import { hostsOf } from "../../../../src/fabric/topology/index.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-kinds-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const schema = z.strictObject({
  kind: z.literal("transfer").optional(),
  ...fabricKeys,
  megabytes: z.array(z.number().positive()).min(1),
  traffic: z.strictObject({ ip: ipSchema }).prefault({}),
  ...machineKeys,
});
type TransferFile = z.output<typeof schema>;
type Transfer = Checked<TransferFile & FabricSettings>;
interface Point extends SchemeUnit {
  readonly megabytes: number;
}

function* until(time: number) {
  yield time;
}

/** Time that the first host needs to send this number of megabytes to the last one. */
const TRANSFER: Kind<TransferFile, Transfer, Point, { point: Point; ms: number }, object> = {
  name: "transfer",
  keys: ["megabytes"],
  schema: () => schema,
  takesRuns: false,
  check: ({ source, value, topology, locate, plan }) => ({
    source,
    locate,
    topology,
    settings: value,
    schemes: plan(value, 1),
  }),
  units: ({ schemes, settings }) =>
    schemes.flatMap((scheme) =>
      settings.megabytes.map((megabytes) => ({ scheme, megabytes, name: `${megabytes} MB`, steps: 1 })),
    ),
  runner: onFabric({
    async onSimulator({ topology, settings }, point, { fabric, seed, play, stepDone }) {
      const { simulation } = fabric.network;
      const [from, to] = [hostsOf(topology)[0]!, hostsOf(topology).at(-1)!].map(({ index }) =>
        fabric.host(index),
      );
      const transport = transportOptions(settings.transport);
      const random = new Random(seed);
      const client = from!.open(4, 4000, { address: to!.address(4), port: 80 }, random.fork(0), transport);
      const server = to!.open(4, 80, { address: from!.address(4), port: 4000 }, random.fork(1), transport);
      const start = simulation.now;
      let end = Number.POSITIVE_INFINITY;
      client.listener = {
        finished: () => {
          end = simulation.now;
          simulation.stop();
        },
      };
      client.send(point.megabytes * 1e6);
      await play(until(start + 10e9));
      client.close();
      server.close();
      // The next unit finds an empty network.
      await play(until(simulation.now + 1e9));
      for (const host of [from!, to!]) host.reset();
      await stepDone();
      return { point, ms: (end - start) / 1e6 };
    },
  }),
  rows: eachSeed((_experiment, _unit, { point, ms }) => [
    { scheme: point.scheme.label, megabytes: point.megabytes, ms },
  ]),
  portable: {
    toJson: ({ ms }) => ms,
    fromJson: (ms, point) => ({ point, ms: ms as number }),
  },
  view: {
    columns: [
      { key: "megabytes", title: "MB" },
      { key: "ms", title: "ms", digits: 1 },
    ],
    page: rowsPage,
    files: ({ rows }) => [["plot.txt", `${rows.length} points\n`]],
  },
  isOneRun: true,
};

const HEAD = `name: test
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single }
schemes: [pecmp, { scheme: none, label: plain }]
`;
const ALL = [...KINDS, register(TRANSFER)] as const;

function load(text: string, kinds: Parameters<typeof loadAnyKind>[2] = ALL) {
  const diagnostics = new Diagnostics();
  const loaded = loadAnyKind(new SourceFile("k.yaml", HEAD + text), diagnostics, kinds);
  return { loaded, messages: diagnostics.list.map((one) => formatDiagnostic(one).split("\n")[0]!) };
}

function loadedOf(text: string): LoadedExperiment {
  const { loaded, messages } = load(text);
  expect(messages).toEqual([]);
  return loaded!;
}

describe("the kind of a file", () => {
  it.each([
    ["failures: [leaf]\nruns: 1\n", "failover", true],
    ["kind: failover\nfailures: [leaf]\nruns: 1\n", "failover", true],
    ["flows: [{ from: host0-0-0, to: host0-1-0 }]\nduration: 1s\n", "timeline", false],
    ["kind: timeline\nflows: [{ from: host0-0-0, to: host0-1-0 }]\nduration: 1s\n", "timeline", false],
    ["load: 0.5\ntraffic: { sizes: rpc, flows: 1 }\nfaults: []\n", "load", false],
    ["kind: load\ntraffic: { sizes: rpc, interval: 1ms, flows: 1 }\n", "load", false],
    ["megabytes: [1]\n", "transfer", false],
  ])("follows from its keys or is said: %s", (text, kind, takesRuns) => {
    expect(loadedOf(text)).toMatchObject({ kind, takesRuns });
  });

  it.each([
    ["kind: failoevr\nruns: 1\n", "P43004", "expected one of failover, load, requests, "],
    ["kind: 7\n", "P43004", "expected one of failover, load, requests, "],
    // The key counts, whatever else the file has.
    ["kind: timeline\nfailures: [leaf]\n", "P43002", 'unknown key "failures"'],
    ["kind: failover\nflows: []\n", "P43002", 'unknown key "flows"'],
  ])("is an error at its place: %s", (text, code, words) => {
    const { loaded, messages } = load(text);
    expect(loaded).toBeUndefined();
    expect(messages.some((message) => message.startsWith("k.yaml:"))).toBe(true);
    expect(messages.join("\n")).toContain(`error[${code}]`);
    expect(messages.join("\n")).toContain(words);
  });

  const SPREAD_FILE = "pattern: inter_rack\ntrace_flows: 1000\n";

  it("is the kind that knows all keys that lead to a kind: a key of two kinds does not change it", () => {
    expect(loadedOf(SPREAD_FILE)).toMatchObject({ kind: "spread" });
    expect(loadedOf(`${SPREAD_FILE}sizes: web_search\n`)).toMatchObject({ kind: "spread" });
    const typo = "load: 0.5\ntraffic: { sizes: rpc, flows: 1 }\nfaults: []\nwram_up: 1ms\n";
    expect(load(typo).messages).toEqual([expect.stringContaining('unknown key "wram_up"')]);
  });

  it.each([
    ["pattern: inter_rack\nsizes: web_search\n", "`sizes`", "load or spread", 5],
    ["duration: 1s\nwarm_up: 1ms\ntraffic: [{ share: 1 }]\n", "`warm_up`", "load or fluid", 5],
    ["load: 0.5\ntraffic: { sizes: rpc, flows: 1 }\nflows: []\n", "`load`", "load or timeline", 4],
    ["failures: [leaf]\ntrace_flows: 10\n", "`failures`", "failover or spread", 4],
  ])("is asked for by one error that names the candidates: %s", (text, key, candidates, line) => {
    const { loaded, messages } = load(text);
    expect(loaded).toBeUndefined();
    expect(messages).toHaveLength(1);
    expect(messages[0]).toContain(`k.yaml:${line}:`);
    expect(messages[0]).toContain("error[P43065]");
    expect(messages[0]).toContain(`${key} does not decide: it may be of the kind ${candidates}`);
  });

  it("is known to the command only where it is registered", () => {
    const diagnostics = new Diagnostics();
    expect(
      loadExperimentFile(new SourceFile("k.yaml", `${HEAD}megabytes: [1]\n`), diagnostics),
    ).toBeUndefined();
    expect(diagnostics.list.some(({ message }) => message.includes('unknown key "megabytes"'))).toBe(true);
  });
});

describe("a kind of a few lines", () => {
  it("gets fabric, units, progress, rows and files from the pipeline", async () => {
    const out = join(folder, "transfer");
    const progress: string[] = [];
    const results = await loadedOf("megabytes: [0.1, 0.2]\n").run({
      out,
      progress: (done, total, what) => progress.push(`${done}/${total} ${what}`),
    });
    const { rows } = JSON.parse(results.json);
    expect(
      rows.map(({ scheme, megabytes }: { scheme: string; megabytes: number }) => [scheme, megabytes]),
    ).toEqual([
      ["pecmp", 0.1],
      ["pecmp", 0.2],
      ["plain", 0.1],
      ["plain", 0.2],
    ]);
    // One segment of 1000 bytes a round trip.
    expect(rows[1].ms / rows[0].ms).toBeCloseTo(2, 1);
    expect(progress).toEqual([
      "0/4 pecmp: boot",
      "1/4 pecmp, 0.1 MB",
      "2/4 pecmp, 0.2 MB",
      "2/4 plain: boot",
      "3/4 plain, 0.1 MB",
      "4/4 plain, 0.2 MB",
    ]);
    expect(readdirSync(out).sort()).toEqual([
      ".p4loom-files.json",
      "figures.json",
      "plot.txt",
      "programs",
      "repeat",
      "report.html",
      "results.csv",
      "results.json",
    ]);
    expect(readFileSync(join(out, "results.csv"), "utf8")).toMatch(/^scheme,megabytes,ms\npecmp,0.1,/);
    // The notes of its schemes are printed as those of every kind.
    expect(results.notes.length).toBeGreaterThan(0);
    expect(results.table).toContain(`note: ${results.notes[0]}`);
  });

  it("is refused on an engine that it does not run on", async () => {
    await expect(loadedOf("megabytes: [0.1]\n").run({ engine: "switch" })).rejects.toMatchObject({
      diagnostics: [
        { code: "P43019", message: expect.stringContaining("transfer do not run on engine switch") },
      ],
    });
  });

  it("ends when it is stopped", async () => {
    const stop = new AbortController();
    const running = loadedOf("megabytes: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]\n").run({
      stop: stop.signal,
      progress: (done) => done === 1 && stop.abort(new Error("enough")),
    });
    await expect(running).rejects.toThrow("enough");
  });
});

/** The number of a seed, computed without packets. */
const NUMBER: Kind<TransferFile, Transfer, Point, number, object> = {
  name: "number",
  keys: [],
  schema: () => schema.extend({ kind: z.literal("number") }) as never,
  takesRuns: false,
  check: TRANSFER.check,
  units: TRANSFER.units,
  runner: fromTopology(async (_experiment, _unit, { seed, stepDone }) => {
    await stepDone();
    return seed;
  }),
  rows: eachSeed((_experiment, _unit, number) => [{ number }]),
  view: {
    columns: [{ key: "number", title: "number" }],
    page: rowsPage,
    files: ({ rows }) => [["plot.txt", `${rows.length} points\n`]],
  },
  isOneRun: true,
};

describe("a sweep of single runs", () => {
  const swept = (seeds: number) => {
    const text = `kind: number\nmegabytes: [1]\nsweep: { seeds: ${seeds} }\n`;
    const { loaded, messages } = load(text, [...KINDS, register(NUMBER)]);
    expect(messages).toEqual([]);
    return loaded!;
  };

  it("has a table and files of its own for each of the first twenty", async () => {
    const out = join(folder, "few");
    const { table } = await swept(2).run({ out });
    expect(table.match(/^seed: \d+$/gm)).toEqual(["seed: 1", "seed: 2"]);
    expect(table).not.toContain("more table");
    // Two schemes, under one seed.
    expect(readFileSync(join(out, "runs/1-seed-1/plot.txt"), "utf8")).toBe("2 points\n");
    const many = join(folder, "many");
    const { table: first } = await swept(22).run({ out: many });
    expect(first.match(/^seed: \d+$/gm)).toHaveLength(20);
    expect(first).toContain("\n\n2 more tables: results.csv has all rows");
    expect(readdirSync(join(many, "runs"))).toHaveLength(20);
  });

  it("has no rows of a unit whose jobs all failed", async () => {
    const { sweep } = swept(2);
    const output = await sweep.output({
      ...{
        name: "n",
        engine: "sim",
        seed: 1,
        isOneRun: false,
        keys: [],
        seeds: [1, 2],
        notes: [],
        warnings: [],
      },
      points: [{ values: {}, point: sweep.point(0), outcomes: [[], [{ seed: 2, outcome: 2 }]] }],
    });
    expect(JSON.parse(output.json).rows).toEqual([{ scheme: "plain", seed: 2, number: 2 }]);
  });

  it("has no warnings of testbeds where its kind runs on none", async () => {
    expect(await TRANSFER.runner.testbedWarnings([])).toEqual([]);
  });
});

describe("units of an experiment", () => {
  it("do not depend on each other: a failure alone gives the row that it gives among others", async () => {
    const rowsOf = async (failures: string, schemes: string) => {
      const text = `name: units
topology: { kind: leaf_spine, tors: 4, leaves: 3 }
schemes: ${schemes}
failures: ${failures}
runs: 8
observation: 100ms
`;
      const diagnostics = new Diagnostics();
      const loaded = loadExperimentFile(new SourceFile("u.yaml", text), diagnostics);
      expect(diagnostics.list).toEqual([]);
      return JSON.parse((await loaded!.run({ seed: 4 })).json).rows as object[];
    };
    const gray = "{ tier: leaf, loss: 30%, corruption: 10% }";
    const all = await rowsOf(`[tor, ${gray}, link]`, "[prr, pecmp]");
    expect(all).toHaveLength(6);
    expect(await rowsOf(`[${gray}]`, "[pecmp]")).toEqual([all[4]]);
    expect(await rowsOf("[link]", "[prr]")).toEqual([all[2]]);
  });
});
