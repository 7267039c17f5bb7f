/**
 * examples/pecmp-testbed.yaml on real processes: a TCP flow of the kernel survives a silent switch failure on its
 * first re-path under P-ECMP, in 10 of 10 runs, while PRR's tries are counted beside it.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import {
  type Experiment,
  loadExperiment,
  resultsJson,
  runExperiment,
} from "../../../src/fabric/experiment/index.js";
import { findRuns } from "../../../src/fabric/testbed/run/record.js";
import { bmv2, leftoversOf, whyNot } from "../testbed/machine.js";

const RUNS = 10;
const path = join(import.meta.dirname, "../../../examples/pecmp-testbed.yaml");
const folder = mkdtempSync(join(tmpdir(), "p4loom-testbed-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The example with some lines replaced: less of it, so that the test is soon over. */
function shortened(...changes: [RegExp, string][]): Experiment {
  let text = readFileSync(path, "utf8");
  for (const [pattern, line] of changes) {
    expect(text).toMatch(pattern);
    text = text.replace(pattern, line);
  }
  const diagnostics = new Diagnostics();
  const experiment = loadExperiment(new SourceFile("pecmp-testbed.yaml", text), diagnostics);
  if (experiment === undefined) throw new Error(diagnostics.list.map(formatDiagnostic).join("\n"));
  return experiment;
}

const leafOnly: [RegExp, string][] = [
  // No timeout is to come from a scheduler that lets a process wait: on a busy machine that may be 100 ms.
  [/rto_margin: 60ms/, "rto_margin: 200ms"],
  [/^failures: .*$/m, "failures: [leaf]"],
  [/^give_up: .*$/m, "give_up: 4s"],
  [/runs: 2 }/, "runs: 1 }"],
  [/^runs: 20$/m, `runs: ${RUNS}`],
];

describe.concurrent.each(["switch", "bmv2"] as const)("engine %s", (engine) => {
  const reason = whyNot("netns", engine, ["tun", "packet_sockets"]);

  it.skipIf(reason !== undefined)(
    `recovers P-ECMP flows on their first re-path${reason === undefined ? "" : ` (${reason})`}`,
    async () => {
      const experiment = shortened(...leafOnly);
      const out = join(folder, engine);
      const options = bmv2 === undefined ? {} : { bmv2 };
      const results = await runExperiment(experiment, {
        engine,
        out,
        testbed: { ...options, allowMissing: new Set(["rate"]) },
      });
      const [pecmp, prr, none] = results.rows;
      expect(pecmp).toMatchObject({ scheme: "pecmp", runs: RUNS, first_try_success: 1, repaths_mean: 1 });
      expect(prr).toMatchObject({ scheme: "prr", runs: RUNS });
      expect(prr!.first_try_success).toBeLessThan(1);
      expect(prr!.repaths_mean).toBeGreaterThan(1);
      expect(none).toMatchObject({ scheme: "none", recovered: 0 });
      // A timeout takes at least the margin from what was sent last, which is a moment before the failure: most often.
      const times = results.series[0]!.samples.map(({ recoveryMs }) => recoveryMs).sort((a, b) => a - b);
      expect(times[RUNS / 2]).toBeGreaterThan(180);
      process.stdout.write(
        `${engine}: P-ECMP ${RUNS} of ${RUNS} on the first re-path; PRR ${prr!.first_try_success! * RUNS} of ${RUNS}, ${prr!.repaths_mean} tries on average\n`,
      );

      expect(results.notes.join(" ")).toContain(engine === "bmv2" ? "Thrift" : "the P4Runtime connection");
      expect(JSON.parse(readFileSync(join(out, "results.json"), "utf8"))).toMatchObject({ engine });
      expect(readFileSync(join(out, "results.json"), "utf8")).toBe(resultsJson(results));
      expect(readdirSync(join(out, "logs"))).toEqual([
        "leaf0-0.log",
        "leaf0-1.log",
        "run.log",
        "tor0-0.log",
        "tor0-1.log",
      ]);
      expect(readFileSync(join(out, "programs/pecmp/leaf.p4"), "utf8")).toContain("table faults");
      expect(readFileSync(join(out, "report.html"), "utf8")).toContain("Times are real");
    },
    240_000,
  );
});

describe("what a testbed needs", () => {
  it("is looked for before anything starts", async () => {
    const run = (options: Parameters<typeof runExperiment>[1]) =>
      runExperiment(shortened(...leafOnly), { out: join(folder, "refused"), ...options });
    await expect(run({ engine: "switch", p4c: "/no/such/p4c" })).rejects.toMatchObject({
      diagnostics: [{ code: "P43012", message: expect.stringContaining("/no/such/p4c") }],
    });
    await expect(run({ engine: "bmv2", testbed: { bmv2: "/no/such/switch" } })).rejects.toMatchObject({
      diagnostics: [{ code: "P43103", message: expect.stringContaining("/no/such/switch") }],
    });
  });

  const netns = whyNot("netns", "switch");
  it.skipIf(netns !== undefined)(
    "ends at once when it is stopped",
    async () => {
      const stop = new AbortController();
      const out = join(folder, "stopped");
      let ids: string[] = [];
      const running = runExperiment(shortened(...leafOnly), {
        engine: "switch",
        out,
        stop: stop.signal,
        testbed: { allowMissing: new Set(["rate"]) },
        progress: (done) => {
          if (done !== 1) return;
          ids = findRuns()
            .filter(({ record }) => record.folder === out)
            .map(({ id }) => id);
          stop.abort(new Error("enough"));
        },
      });
      await expect(running).rejects.toThrow("enough");
      expect(ids).toHaveLength(1);
      expect(leftoversOf(ids[0]!)).toEqual([]);
    },
    60_000,
  );
});
