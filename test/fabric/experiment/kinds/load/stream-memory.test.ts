/** 500,000 flows, and a trace of 500,000 lines, in a process whose heap has no room for half of them. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, it } from "vitest";

const FLOWS = 500_000;

const PROGRAM = `
import { join } from "node:path";
import { closeSync, openSync, writeSync } from "node:fs";
import { Diagnostics, Random, SourceFile } from "./src/base/index.js";
import { buildTopology, hostsOf, topologySchema } from "./src/fabric/topology/index.js";
import { planTraffic } from "./src/fabric/experiment/kinds/load/plan-traffic.js";
import { trafficSchema } from "./src/fabric/experiment/kinds/load/schema.js";
const folder = process.argv[2];
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
  const plan = planTraffic({ settings, load, segmentBytes: 1000, topology, source, locate: () => undefined, diagnostics });
  diagnostics.throwIfErrors();
  const workload = plan.workload(new Random(1));
  let flows = 0;
  while (workload.next() !== undefined) flows++;
  return flows;
};
console.log(count({ sizes: "web_search", flows: ${FLOWS} }, 0.5), count({ trace: { file: "trace.csv" } }));
`;

it("draws and reads half a million flows with a heap of 25 MB", async () => {
  const folder = mkdtempSync(join(tmpdir(), "p4loom-stream-"));
  try {
    // As deep as the rooms of a wing: the data of the package are found from there.
    const script = join(folder, "dist/fabric/count/main.mjs");
    await build({
      stdin: { contents: PROGRAM, resolveDir: join(import.meta.dirname, "../../../../.."), loader: "ts" },
      outfile: script,
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
    });
    for (const name of ["data", "node_modules"])
      symlinkSync(join(import.meta.dirname, "../../../../..", name), join(folder, name));
    // A flow needs about 100 bytes: a list of all flows would be 50 MB.
    const { stdout, stderr } = spawnSync(process.execPath, ["--max-old-space-size=25", script, folder], {
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(stdout).toBe(`${FLOWS} ${FLOWS}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
