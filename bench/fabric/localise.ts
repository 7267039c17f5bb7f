/**
 * What it costs to name a failed element, by the size of the fabric (80, 200 and 672 switches): probes until the name and processor time
 * of one failure, for probes over exact next hops and for random ones. A dead direction of a link, the hardest of the kinds.
 */
import { DiagnosticError, Diagnostics, SourceFile } from "../../src/base/index.js";
import { localiseOf, localiseSchema } from "../../src/fabric/experiment/kinds/localise/check.js";
import { localiseRow } from "../../src/fabric/experiment/kinds/localise/index.js";
import { runLocalise } from "../../src/fabric/experiment/kinds/localise/outcome.js";
import { planSchemes } from "../../src/fabric/experiment/plan-schemes.js";
import { SCHEMES } from "../../src/fabric/schemes/index.js";
import { buildTopology } from "../../src/fabric/topology/index.js";
import { loadDocument } from "../../src/toolchain/documents/index.js";
import type { Benchmark } from "../benchmark.js";

const CLOS = "kind: clos, homing: dual, tors_per_pod: 8, leaves_per_pod: 8, hosts_per_rack: 2";
const FABRICS = [
  ["80", "{ kind: fat_tree, k: 8 }"],
  ["200", `{ ${CLOS}, pods: 5, spines_per_plane: 15 }`],
  ["672", `{ ${CLOS}, pods: 10, spines_per_plane: 64 }`],
] as const;
const FAILURES = 20;

export const run: Benchmark = async (report) => {
  for (const [switches, topology] of FABRICS) {
    const experiment = load(topology);
    for (const unit of experiment.units) {
      if (unit.what !== "direction") continue;
      const start = process.cpuUsage();
      const outcome = await runLocalise(experiment, unit, {
        seed: 1,
        stepDone: async () => {},
        breathe: async () => {},
      });
      const { user } = process.cpuUsage(start);
      const row = localiseRow(experiment, unit, outcome);
      const name = `localise/${switches}-switches/${unit.scheme}`;
      report({ name: `${name}/probes`, unit: "probes, p50", value: row["probes_p50"] as number });
      report({ name: `${name}/time`, unit: "ms a failure", value: user / 1000 / FAILURES });
      if (row["right"] !== FAILURES) throw new Error(`${name}: ${row["right"]} of ${FAILURES} named right`);
    }
  }
};

function load(topology: string) {
  const text = `name: bench
topology: ${topology}
selector: dscp_flow_label
schemes: [{ scheme: pecmp, control: both }, ecmp]
elements: [direction]
failures: ${FAILURES}
ip: 6
`;
  const diagnostics = new Diagnostics();
  const source = new SourceFile("bench.yaml", text);
  const document = loadDocument(source, localiseSchema, diagnostics);
  if (document === undefined) throw new DiagnosticError(diagnostics.list);
  const { value, locate } = document;
  const built = buildTopology(value.topology);
  const experiment = localiseOf({
    ...{ source, value, topology: built, locate, diagnostics },
    plan: (settings, runs) =>
      planSchemes({ ...settings, runs }, built, { locate, diagnostics, schemes: SCHEMES }),
  });
  diagnostics.throwIfErrors();
  return experiment;
}
