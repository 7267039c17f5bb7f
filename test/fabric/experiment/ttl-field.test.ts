/** Selectors in the upper bits of TTL and hop limit: the programs read them, and hosts leave failed paths by them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runExperiment } from "../../../src/fabric/experiment/index.js";
import { experimentWith } from "./model-fabric.js";

const folder = mkdtempSync(join(tmpdir(), "p4loom-ttl-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  ["ttl", 4],
  ["ttl", 6],
  ["ttl4", 4],
] as const)("selector: %s, IPv%i", (selector, ip) => {
  it("lets P-ECMP leave a failed switch at the first try, and PRR sometimes", async () => {
    const experiment = experimentWith({
      selector,
      traffic: `{ ip: ${ip} }`,
      failures: "[spine, leaf]",
      schemes: "[pecmp, prr]",
      runs: 12,
    });
    const { rows } = await runExperiment(experiment, { out: join(folder, `${selector}-${ip}`) });
    for (const row of rows) expect(row.recovered).toBe(1);
    for (const row of rows.filter(({ scheme }) => scheme === "pecmp")) expect(row.first_try_success).toBe(1);
  });
});
