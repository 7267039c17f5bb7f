/** Outcomes of a unit cross processes and files as JSON: what comes back gives the same rows and files. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import {
  loadExperiment,
  loadTimeline,
  runExperiment,
  runTimeline,
} from "../../../../src/fabric/experiment/index.js";
import { FAILOVER } from "../../../../src/fabric/experiment/kinds/failover/index.js";
import { TIMELINE } from "../../../../src/fabric/experiment/kinds/timeline/index.js";
import { drawnFiles } from "../../../../src/fabric/experiment/view/drawn-files.js";
import { sweepOf } from "../sweep-of.js";

const examples = resolve(import.meta.dirname, "../../../../examples");

function throughJson(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json)) as unknown;
}

describe("outcomes as JSON", () => {
  it("failover: flows that never recover among them", async () => {
    const experiment = loadExperiment(join(examples, "pecmp-failover-small.yaml"), new Diagnostics())!;
    const results = await runExperiment(experiment, { runs: 2, seed: 9 });
    const { portable } = FAILOVER;
    const units = FAILOVER.units(results.source);
    const series = results.series.map((one, i) =>
      portable!.fromJson(throughJson(portable!.toJson(one)), units[i]!, results.source),
    );
    expect(results.series.flatMap(({ samples }) => samples.map(({ recoveryMs }) => recoveryMs))).toContain(
      Number.POSITIVE_INFINITY,
    );
    expect(series).toStrictEqual(results.series);
    // The kernel of a testbed may not report a round-trip time.
    const [first] = results.series;
    const unmeasured = { ...first!, samples: [{ ...first!.samples[0]!, rttMs: Number.NaN }] };
    const back = portable!.fromJson(throughJson(portable!.toJson(unmeasured)), units[0]!, results.source);
    expect(back).toStrictEqual(unmeasured);
    const drawn = (own: typeof results) => drawnFiles(FAILOVER.view, sweepOf(FAILOVER, own));
    expect(await drawn({ ...results, series })).toEqual(await drawn(results));
  });

  it("timeline: flows without an end and outages without an end among them", async () => {
    // It ends while a switch is down.
    const text = readFileSync(join(examples, "faults.yaml"), "utf8")
      .replace(/^.*kind: restart.*$/m, "")
      .replace("duration: 8s", "duration: 6s");
    const experiment = loadTimeline(new SourceFile("faults.yaml", text), new Diagnostics())!;
    const results = await runTimeline(experiment);
    const { portable } = TIMELINE;
    const units = TIMELINE.units(experiment);
    const series = results.series.map((one, i) =>
      portable!.fromJson(throughJson(portable!.toJson(one)), units[i]!, experiment),
    );
    const records = results.series.flatMap((one) => one.records);
    expect(records.some(({ completion }) => completion === undefined)).toBe(true);
    expect(records.some(({ outages }) => outages.some(({ to }) => to === undefined))).toBe(true);
    expect(series).toStrictEqual(results.series);
  });
});
