/**
 * One run of figure 9 of P4TE: 500 seconds of web search at 80 % of load on links with rates in packets, with all flows to their ends. What is
 * measured is processor time, which other processes of the machine disturb less than wall time.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Diagnostics, formatDiagnostic, SourceFile } from "../../src/base/index.js";
import { LOAD } from "../../src/fabric/experiment/kinds/load/index.js";
import { loadKind } from "../../src/fabric/experiment/read.js";
import { jobContext } from "../../test/fabric/experiment/job-context.js";
import type { Benchmark } from "../benchmark.js";

const FILE = join(import.meta.dirname, "../../examples/p4te/websearch.yaml");
/** Of the file's schemes, those of the package. */
const SCHEMES = ["ecmp", "hula", "p4te"];

export const run: Benchmark = async (report) => {
  const text = readFileSync(FILE, "utf8").replace(/^ {2}- \{ scheme: \.\..*$/m, "");
  const diagnostics = new Diagnostics();
  const load = loadKind(LOAD, new SourceFile(FILE, text), diagnostics);
  if (load === undefined) throw new Error(diagnostics.list.map(formatDiagnostic).join("\n"));
  for (const label of SCHEMES) {
    const units = LOAD.units(load).filter(({ scheme }) => scheme.label === label);
    const before = process.cpuUsage();
    const { outcomes } = await LOAD.runner.run(load, units, jobContext(1));
    const { user, system } = process.cpuUsage(before);
    const [{ endNs }] = outcomes as [(typeof outcomes)[0]];
    report({
      name: `p4te web search of 500 s, ${label}: processor time`,
      unit: "s",
      value: (user + system) / 1e6,
    });
    report({ name: `p4te web search of 500 s, ${label}: simulated time`, unit: "s", value: endNs / 1e9 });
  }
};
