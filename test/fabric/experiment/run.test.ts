/** Whole experiments: templates, compiler, switch, control plane and simulator together. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics } from "../../../src/base/index.js";
import {
  loadExperiment,
  loadExperimentFile,
  resultsJson,
  runExperiment,
} from "../../../src/fabric/experiment/index.js";
import { equalSites } from "../../../src/fabric/experiment/kinds/failover/failures.js";
import { successProbability } from "../../../src/fabric/schemes/closed-form.js";
import { experimentWith } from "./model-fabric.js";

const examples = join(import.meta.dirname, "../..", "..", "examples");

describe("example experiments", () => {
  const files = readdirSync(examples).filter((name) => name.endsWith(".yaml"));

  it.each(files)("%s is right", (name) => {
    const diagnostics = new Diagnostics();
    expect(loadExperimentFile(join(examples, name), diagnostics)).toBeDefined();
    expect(diagnostics.list).toEqual([]);
  });
});

describe("running the small example", () => {
  it("recovers every P-ECMP flow on its first re-path, no flow without re-pathing, and repeats byte for byte", async () => {
    const experiment = loadExperiment(join(examples, "pecmp-failover-small.yaml"), new Diagnostics())!;
    const out = mkdtempSync(join(tmpdir(), "p4loom-run-"));
    try {
      const progress: number[] = [];
      const results = await runExperiment(experiment, {
        runs: 25,
        seed: 9,
        out,
        progress: (done, total) => progress.push(done / total),
      });
      expect(results.rows.map((row) => `${row.scheme} ${row.failure} ${row.runs}`)).toEqual(
        ["pecmp", "prr", "none"].flatMap((scheme) =>
          ["tor", "leaf", "spine", "link"].map((failure) => `${scheme} ${failure} 25`),
        ),
      );
      for (const row of results.rows.filter((one) => one.scheme === "pecmp"))
        expect(row).toMatchObject({ first_try_success: 1, recovered: 1, repaths_mean: 1 });
      for (const row of results.rows.filter((one) => one.scheme === "none"))
        expect(row).toMatchObject({ first_try_success: 0, recovered: 0, p50_ms: null });
      for (const row of results.rows.filter((one) => one.scheme === "prr"))
        expect(row.repaths_mean).toBeGreaterThan(1.2);
      expect(progress.at(-1)).toBe(1);
      expect(readFileSync(join(out, "results.json"), "utf8")).toBe(resultsJson(results));
      expect(readdirSync(join(out, "programs", "pecmp")).sort()).toEqual(["leaf.p4", "spine.p4", "tor.p4"]);

      const again = await runExperiment(experiment, { runs: 25, seed: 9 });
      expect(resultsJson(again)).toBe(resultsJson(results));
      const other = await runExperiment(experiment, { runs: 25, seed: 10 });
      expect(resultsJson(other)).not.toBe(resultsJson(results));
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  });
});

describe("a folder that cannot be written", () => {
  it.each([
    ["", "the folder for the results has an empty name"],
    ["file", "a file has that name"],
    ["file/below", "cannot write results to"],
  ])("is refused before the first run: %j", async (name, message) => {
    const out = mkdtempSync(join(tmpdir(), "p4loom-run-"));
    try {
      writeFileSync(join(out, "file"), "kept");
      let started = false;
      const running = runExperiment(experimentWith(), {
        out: name === "" ? "" : join(out, name),
        progress: () => {
          started = true;
        },
      });
      await expect(running).rejects.toMatchObject({
        diagnostics: [{ code: "P43011", message: expect.stringContaining(message) }],
      });
      expect(started).toBe(false);
      expect(readdirSync(out)).toEqual(["file"]);
    } finally {
      rmSync(out, { recursive: true, force: true });
    }
  });
});

describe("on the real programs", () => {
  it("PRR misses as often as chance says", async () => {
    const runs = 400;
    const experiment = experimentWith({
      runs,
      schemes: "[prr]",
      selector: "flow_label",
      traffic: "{ ip: 6 }",
    });
    const { rows } = await runExperiment(experiment, { seed: 5 });
    for (const row of rows) {
      const n = equalSites(
        experiment.topology,
        "inter_pod",
        experiment.failures.find(({ name }) => name === row.failure)!,
      )!;
      const p = successProbability(n);
      const deviation = Math.sqrt((p * (1 - p)) / runs);
      expect(Math.abs(row.first_try_success! - p), row.failure).toBeLessThan(3.5 * deviation);
    }
  });

  it.each([
    ["vlan", 4, "offset"],
    ["flow_label", 6, "both"],
    ["dscp_flow_label", 6, "both"],
  ])(
    "P-ECMP recovers at once with the selector in %s over IPv%i, control: %s",
    async (selector, ip, control) => {
      const experiment = experimentWith({
        runs: 25,
        selector,
        traffic: `{ ip: ${ip} }`,
        schemes: `[{ scheme: pecmp, control: ${control} }]`,
      });
      const { rows } = await runExperiment(experiment, { seed: 5 });
      expect(rows.map((row) => row.first_try_success)).toEqual([1, 1, 1, 1]);
    },
    120_000,
  );
});
