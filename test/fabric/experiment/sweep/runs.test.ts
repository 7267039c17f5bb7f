/** A single run is a sweep of one point: what it writes, a sweep writes for each of its first runs. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { loadExperimentFile } from "../../../../src/fabric/experiment/index.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-runs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FILE = `name: runs
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single }
schemes: [none]
failures: [leaf]
runs: 1
give_up: 100ms
`;
/** A control plane that recomputes routes: its controllers log what they do. */
const TIMELINE = `name: logs
topology: { kind: leaf_spine, tors: 2, leaves: 2, homing: single }
schemes: [ecmp]
flows: [{ from: host0-0-0, to: host0-1-0 }]
faults: [{ at: 20ms, kind: down, link: [tor0-0, leaf0-0] }]
duration: 60ms
control_plane: { recompute_routes: true }
`;

async function run(text: string, name: string, seed?: number): Promise<{ out: string; json: string }> {
  const diagnostics = new Diagnostics();
  const loaded = loadExperimentFile(new SourceFile("r.yaml", text), diagnostics);
  expect(diagnostics.list).toEqual([]);
  const out = join(folder, name);
  const { json } = await loaded!.run({ out, ...(seed === undefined ? {} : { seed }) });
  return { out, json };
}

const filesOf = (out: string) => readdirSync(out, { recursive: true, encoding: "utf8" }).sort();
const text = (...path: string[]) => readFileSync(join(...path), "utf8");

describe("the files of a run", () => {
  it("are beside those of all points in a sweep of one point and one seed", async () => {
    const [single, sweep] = [await run(FILE, "single"), await run(`${FILE}sweep: { seeds: 1 }\n`, "one")];
    expect(filesOf(sweep.out)).toEqual([...filesOf(single.out), "points.jsonl"].sort());
    for (const name of ["samples.csv", "recovery-cdf.svg", "topology.svg"])
      expect(text(sweep.out, name)).toBe(text(single.out, name));
    const [row] = JSON.parse(sweep.json).rows;
    expect(row).toMatchObject({ ...JSON.parse(single.json).rows[0], seed: 1 });
  });

  it("are in a folder of the run where there are several, and are those of a single run with this seed", async () => {
    const sweep = await run(`${FILE}sweep: { runs: [1, 2], seeds: 2 }\n`, "several");
    expect(readdirSync(join(sweep.out, "runs")).sort()).toEqual([
      "1-runs-1-seed-1",
      "2-runs-1-seed-2",
      "3-runs-2-seed-1",
      "4-runs-2-seed-2",
    ]);
    const single = await run(FILE, "second", 2);
    for (const name of ["samples.csv", "recovery-cdf.svg", "topology.svg"])
      expect(text(sweep.out, "runs/2-runs-1-seed-2", name)).toBe(text(single.out, name));
    expect(text(sweep.out, "report.html")).toContain("swept keys");
  });

  it("are those of the first 20 runs alone", async () => {
    const { out } = await run(`${FILE}sweep: { seeds: 22 }\n`, "many");
    expect(readdirSync(join(out, "runs"))).toHaveLength(20);
    expect(JSON.parse(text(out, "results.json")).rows).toHaveLength(22);
  });

  it("have the logs of the controllers", async () => {
    const single = await run(TIMELINE, "log");
    const sweep = await run(`${TIMELINE}sweep: { seeds: 2 }\n`, "logs");
    expect(text(single.out, "controllers.log")).toMatch(/^ecmp /);
    expect(text(sweep.out, "runs/1-seed-1/controllers.log")).toBe(text(single.out, "controllers.log"));
  });
});
