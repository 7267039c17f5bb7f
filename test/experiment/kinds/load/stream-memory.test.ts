/** A million flows, and a trace of a million lines, in a process whose heap has no room for a tenth of them. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";

const FLOWS = 1_000_000;

const PROGRAM = `
import { join } from "node:path";
const [, , src, folder] = process.argv;
const { Diagnostics, Random, SourceFile } = await import(src + "base/index.js");
const { buildTopology, hostsOf, topologySchema } = await import(src + "topology/index.js");
const { planTraffic } = await import(src + "experiment/kinds/load/plan-traffic.js");
const { trafficSchema } = await import(src + "experiment/kinds/load/traffic-schema.js");
const { closeSync, openSync, writeSync } = await import("node:fs");
const topology = buildTopology(topologySchema.parse({ kind: "leaf_spine", tors: 4, leaves: 2, homing: "single", hosts_per_rack: 4 }));
const [a, b] = hostsOf(topology).map(({ name }) => name);
const file = openSync(join(folder, "trace.csv"), "w");
writeSync(file, "start,src,dst,bytes\\n");
for (let i = 0; i < ${FLOWS}; i += 1000)
  writeSync(file, Array.from({ length: 1000 }, (_, k) => (i + k) + "us," + a + "," + b + ",20000\\n").join(""));
closeSync(file);
const count = (traffic, load) => {
  const diagnostics = new Diagnostics();
  const source = new SourceFile(join(folder, "x.yaml"), "");
  const settings = trafficSchema.parse(traffic);
  const plan = planTraffic({ settings, load, topology, source, locate: () => undefined, diagnostics });
  diagnostics.throwIfErrors();
  const workload = plan.workload(new Random(1));
  let flows = 0;
  while (workload.next() !== undefined) flows++;
  return flows;
};
console.log(count({ sizes: "web_search", flows: ${FLOWS} }, 0.5), count({ trace: { file: "trace.csv" } }));
`;

it("draws and reads a million flows with a heap of 40 MB", () => {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-stream-"));
  try {
    const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
    const script = join(folder, "count.mjs");
    writeFileSync(script, PROGRAM);
    const src = pathToFileURL(join(import.meta.dirname, "../../../../src/")).href;
    // A flow needs about 100 bytes: a list of all flows would be 100 MB.
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ["--max-old-space-size=40", "--import", loader, script, src, folder],
      { encoding: "utf8" },
    );
    expect(stderr).toBe("");
    expect(stdout).toBe(`${FLOWS} ${FLOWS}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
