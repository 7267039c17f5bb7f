/** tools/ten-times: the cells of comparisons and their files that are ten times as long. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { Diagnostics, SourceFile } from "../../src/base/index.js";
import { loadExperimentFile } from "../../src/fabric/experiment/index.js";
import {
  type Checked,
  cellsOf,
  countsOf,
  drawn,
  isSettled,
  lengthened,
  longFile,
  moved,
  pointsOf,
} from "../../tools/ten-times/cells.js";

const FOLDER = resolve(import.meta.dirname, "../../examples/compare");

const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

describe("points", () => {
  it("are all combinations, the last key first, `points` last, without the seeds", () => {
    expect(pointsOf({ sweep: { load: [0.1, 0.2], points: [{ a: 1 }, { a: 2, b: 3 }], seeds: 3 } })).toEqual([
      { load: 0.1, a: 1 },
      { load: 0.2, a: 1 },
      { load: 0.1, a: 2, b: 3 },
      { load: 0.2, a: 2, b: 3 },
    ]);
    expect(pointsOf({ sweep: { a: [1, 2], b: [3, 4] } })).toEqual([
      { a: 1, b: 3 },
      { a: 1, b: 4 },
      { a: 2, b: 3 },
      { a: 2, b: 4 },
    ]);
    expect(pointsOf({})).toEqual([{}]);
  });

  it("are numbered as the rows of the results are", async () => {
    const text = `name: rows
topology: { kind: leaf_spine, tors: 2, leaves: 1, homing: single, hosts_per_rack: 1 }
schemes: [ecmp, prr]
load: 0.2
traffic: { sizes: { fixed: 5KB }, flows: 3 }
sweep: { load: [0.1, 0.3], points: [{ traffic.flows: 2 }, { traffic.flows: 4 }], seeds: 2 }
`;
    const file = parse(text);
    const out = mkdtempSync(join(tmpdir(), "p4loom-ten-times-"));
    made.push(out);
    const { json } = await loadExperimentFile(new SourceFile("rows.yaml", text), new Diagnostics())!.run({
      out,
    });
    const rows = JSON.parse(json).rows.filter(({ size }: { size: string }) => size === "all");
    const points = pointsOf(file);
    expect(rows).toHaveLength(8);
    for (const { point, scheme } of cellsOf("rows", file))
      expect(rows[point * file.schemes.length + scheme]).toMatchObject({
        scheme: file.schemes[scheme],
        ...points[point],
      });
  });
});

describe("a longer value", () => {
  it("has ten times the flows and the duration, wherever they stand, and all else as it was", () => {
    const traffic = { flows: 20, mix: [{ interval: "6ms" }], duration: "2.5ms", interval: "10us" };
    expect(lengthened({ traffic, measured_flows: 7, seed: 3 })).toEqual({
      traffic: { ...traffic, flows: 200, duration: "25ms" },
      measured_flows: 70,
      seed: 3,
    });
    expect(lengthened(5, "traffic.flows")).toBe(50);
    expect(lengthened("40ms", "traffic.duration")).toBe("400ms");
    expect(lengthened(5, "traffic.senders")).toBe(5);
  });
});

describe("the long file of a cell", () => {
  const file = {
    name: "x",
    schemes: [
      "ecmp",
      { scheme: "../schemes/letflow/scheme.mjs", gap_us: 5 },
      { scheme: "conga", label: "c" },
    ],
    traffic: { flows: 10 },
    measured_flows: 4,
    until: { within: "5%" },
    sweep: {
      points: [
        { load: 0.1, "schemes.c.tau": "1us" },
        { "traffic.flows": 30, load: 0.2 },
      ],
    },
  };

  it("has the cell alone, under seeds in place of a rule", () => {
    expect(longFile(file, { point: 1, scheme: 0 }, 13, "/compare")).toEqual({
      name: "x",
      kind: "load",
      schemes: ["ecmp"],
      traffic: { flows: 100 },
      measured_flows: 40,
      warm_up: "auto",
      sweep: { points: [{ "traffic.flows": 300, load: 0.2 }], seeds: 13 },
    });
  });

  it("keeps a parameter of its own scheme alone, and finds the scheme's module", () => {
    expect(longFile(file, { point: 0, scheme: 2 }, 5, "/compare").sweep.points[0]).toEqual({
      ...{ load: 0.1, "schemes.c.tau": "1us" },
    });
    const { schemes, sweep } = longFile(file, { point: 0, scheme: 1 }, 5, "/compare");
    expect(schemes).toEqual([{ scheme: "/compare/../schemes/letflow/scheme.mjs", gap_us: 5 }]);
    expect(sweep.points[0]).toEqual({ load: 0.1 });
  });

  it("keeps a warm-up that is written, and has none without until", () => {
    const longOf = (more: object) => longFile({ ...file, ...more }, { point: 0, scheme: 0 }, 5, "/x");
    expect(longOf({ warm_up: "3ms" })["warm_up"]).toBe("3ms");
    expect(longOf({ until: undefined })["warm_up"]).toBeUndefined();
  });

  it("leaves the contents alone", () => {
    const before = structuredClone(file);
    longFile(file, { point: 0, scheme: 1 }, 5, "/x");
    expect(file).toEqual(before);
  });

  it("is a valid experiment for every shipped comparison of load", () => {
    const names = readdirSync(FOLDER).filter((name) => name.endsWith(".yaml"));
    const files = names.map((name) => [name, parse(readFileSync(join(FOLDER, name), "utf8"))] as const);
    const loads = files.filter(([, { traffic }]) => traffic !== undefined);
    expect(loads.length).toBeGreaterThan(10);
    for (const [name, contents] of loads) {
      // A module would have to be loaded first.
      const own = cellsOf(name, contents).filter(
        ({ scheme }) => !contents.schemes[scheme].scheme?.endsWith(".mjs"),
      );
      const diagnostics = new Diagnostics();
      const text = stringify(longFile(contents, own.at(-1)!, 3, FOLDER));
      loadExperimentFile(new SourceFile(name, text), diagnostics);
      expect(
        diagnostics.list.map(({ message }) => message),
        name,
      ).toEqual([]);
    }
  });
});

describe("the order", () => {
  it("has each cell once, and depends on the seed alone", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 1e6 }), (count, seed) => {
        const cells = Array.from({ length: count }, (_, point) => ({ file: "a", point, scheme: 0 }));
        const order = drawn(cells, seed);
        expect(order).toEqual(drawn(cells, seed));
        expect([...order].sort((a, b) => a.point - b.point)).toEqual(cells);
      }),
    );
  });

  it("begins with each cell equally often", () => {
    const cells = Array.from({ length: 4 }, (_, point) => ({ file: "a", point, scheme: 0 }));
    const firsts = [0, 0, 0, 0];
    for (let seed = 1; seed <= 4000; seed++) firsts[drawn(cells, seed)[0]!.point]!++;
    // Four standard deviations of a binomial count.
    for (const count of firsts) expect(Math.abs(count - 1000)).toBeLessThan(4 * Math.sqrt(750));
  });
});

describe("the count", () => {
  const cell = (long: number, converged?: "yes" | "no"): Checked => ({
    ...{ file: "a", point: 0, scheme: 0, mean: 10, half: 1, long, seeds: 10, warned: false, hash: "" },
    ...(converged === undefined ? {} : { converged }),
  });

  it("is of means outside of the interval, and of cells that have not converged apart", () => {
    expect([8.9, 9, 11, 11.1].map((long) => moved(cell(long)))).toEqual([true, false, false, true]);
    const cells = [cell(8), cell(10), cell(10, "yes"), cell(12, "yes"), cell(20, "no"), cell(10, "no")];
    expect(countsOf(cells)).toEqual({ cells: 4, moved: 2, open: 2, openMoved: 1 });
  });
});

describe("a row", () => {
  const row = { offered_load: 0.5, achieved_load: 0.46, slowdown_mean_first: 2, slowdown_mean_second: 2.3 };

  it("is settled where it has converged, payload arrives and both halves are alike", () => {
    expect(isSettled(row)).toBe(true);
    expect(isSettled({ ...row, converged: "yes" })).toBe(true);
    expect(isSettled({ ...row, converged: "no" })).toBe(false);
    expect(isSettled({ ...row, achieved_load: 0.44 })).toBe(false);
    expect(isSettled({ ...row, slowdown_mean_second: 2.5 })).toBe(false);
    expect(isSettled({ ...row, slowdown_mean_second: 1.5 })).toBe(false);
  });

  it("without halves, as of flows that start together, is settled where it has converged", () => {
    expect(isSettled({ converged: "yes" })).toBe(true);
  });
});
