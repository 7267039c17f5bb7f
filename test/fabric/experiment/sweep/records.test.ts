/** Records of finished jobs that are not as this version writes them, and files whose key `sweep` a caller cannot see. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { Diagnostics, SourceFile } from "../../../../src/base/index.js";
import { PointsFile, readPoints } from "../../../../src/fabric/experiment/files.js";
import { loadExperiment, loadExperimentFile } from "../../../../src/fabric/experiment/index.js";
import type { RegisteredKind } from "../../../../src/fabric/experiment/kinds/kind.js";
import { KINDS } from "../../../../src/fabric/experiment/kinds/registry.js";
import { kindOfFile } from "../../../../src/fabric/experiment/read.js";
import { OUTCOME_FORMAT } from "../../../../src/fabric/experiment/sweep/jobs.js";
import { SCHEMES } from "../../../../src/fabric/schemes/index.js";

const FILE = `name: records
topology: { kind: clos, pods: 2, tors_per_pod: 2, leaves_per_pod: 2, spines_per_plane: 2 }
schemes: [ecmp]
failures: [tor]
runs: 2
sweep: { seeds: [1] }
`;

const loaded = () => {
  const diagnostics = new Diagnostics();
  const experiment = loadExperimentFile(new SourceFile("records.yaml", FILE), diagnostics);
  diagnostics.throwIfErrors();
  return experiment!;
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "p4loom-records-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a record of a finished job", () => {
  it.each([
    ["null", null],
    ["of another form", { series: [] }],
    ["a list of nothing", []],
  ])("with the right key and an outcome that is %s is the user's mistake", async (_, outcome) => {
    const options = { out: folder, sweep: { resume: true } };
    await loaded().run(options);
    const path = join(folder, "points.jsonl");
    const record = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(path, `${JSON.stringify({ ...record, outcome })}\n`);
    const run = loaded().run(options);
    await expect(run).rejects.toMatchObject({
      diagnostics: [{ code: "P43043", message: expect.stringContaining("seed 1, ecmp, tor") }],
    });
  });

  it("has a key that depends on the number of the form of outcomes", () => {
    const { sweep } = loaded();
    expect(JSON.parse(sweep.point(0).dependencies(0))).toHaveProperty("format", OUTCOME_FORMAT);
  });

  it("is left out where its line is longer than the limit, and refused before it is written", () => {
    const lineOf = (job: string, length: number) => JSON.stringify({ job, outcome: "x".repeat(length) });
    writeFileSync(
      join(folder, "points.jsonl"),
      [lineOf("a", 10), lineOf("b", 200_000), lineOf("c", 10), ""].join("\n"),
    );
    expect([...readPoints(folder, 1000)].map(({ job }) => job)).toEqual(["a", "c"]);
    expect([...readPoints(folder)].map(({ job }) => job)).toEqual(["a", "b", "c"]);
    const file = PointsFile.open(folder, undefined, true);
    try {
      file.append([lineOf("a", 500), lineOf("b", 500)].join("\n"), 1000);
      expect(() => file.append(lineOf("c", 1000), 1000)).toThrowError(/longer than 1,000 bytes/);
    } finally {
      file.close();
    }
    expect([...readPoints(folder)].map(({ job }) => job)).toEqual(["a", "b"]);
  });
});

describe("the key `sweep`", () => {
  it("has no effect on the file of one experiment, which a warning says", () => {
    const diagnostics = new Diagnostics();
    expect(loadExperiment(new SourceFile("records.yaml", FILE), diagnostics)).toBeDefined();
    expect(diagnostics.list).toMatchObject([{ code: "P43040", severity: "warning" }]);
    expect(diagnostics.list[0]?.span?.start).toBe(FILE.indexOf("sweep"));
  });
});

describe("the kind of a file", () => {
  it("is not found by names that every object has", () => {
    const [first] = KINDS;
    const schema = z.object({ failures: z.unknown().optional() }) as never;
    const knows: RegisteredKind = { ...first, name: "knows", keys: [], schema: () => schema };
    // Neither kind knows the key `constructor`, so the second is not closer.
    expect(kindOfFile({ failures: [], constructor: 1 }, [first, knows], SCHEMES)).toEqual({ kind: first });
  });
});
