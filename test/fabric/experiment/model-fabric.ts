/** Experiments whose switches are {@link ModelSwitch}es: quick, and independent of compiler and switch. */
import { Diagnostics, formatDiagnostic, SourceFile } from "../../../src/base/index.js";
import { buildFabric } from "../../../src/fabric/experiment/boot.js";
import { type Experiment, loadExperiment, type SchemeRun } from "../../../src/fabric/experiment/index.js";
import type { Series } from "../../../src/fabric/experiment/kinds/failover/results.js";
import { FailoverRig } from "../../../src/fabric/experiment/kinds/failover/rig.js";
import type { Fabric } from "../../../src/fabric/sim/packet/index.js";
import { ModelSwitch } from "./model-switch.js";

const SMALL = {
  topology: `{ kind: clos, pods: 2, tors_per_pod: 4, leaves_per_pod: 4, spines_per_plane: 4,
              host_link: { rate: 25Gbps, delay: 248us } }`,
  schemes: "[pecmp, prr, none]",
  failures: "[tor, leaf, spine, link]",
  runs: 40,
  give_up: "20s",
  failure_time: "3ms",
};

/** Loads an experiment from {@link SMALL} with some keys replaced or added. */
export function experimentWith(keys: Record<string, string | number> = {}): Experiment {
  const lines = Object.entries({ name: "test", ...SMALL, ...keys }).map(([key, value]) => `${key}: ${value}`);
  const diagnostics = new Diagnostics();
  const experiment = loadExperiment(new SourceFile("test.yaml", lines.join("\n")), diagnostics);
  if (experiment === undefined) throw new Error(diagnostics.list.map(formatDiagnostic).join("\n"));
  return experiment;
}

/** The switch of a node under a scheme. */
function modelSwitch({ plan }: SchemeRun, node: { index: number; name: string }): ModelSwitch {
  const own = plan.switches.find((candidate) => candidate.node === node.index)!;
  const program = plan.programs.find((candidate) => candidate.name === own.program)!;
  return new ModelSwitch(node.name, plan, program, own.updates);
}

export function modelFabric(experiment: Experiment, scheme: SchemeRun): Fabric {
  return buildFabric(experiment, scheme, (node) => modelSwitch(scheme, node), 1);
}

/** All runs of a scheme on a model fabric. */
export function allRuns(experiment: Experiment, scheme: SchemeRun, seed: number): Series[] {
  const rig = new FailoverRig(experiment, modelFabric(experiment, scheme));
  return experiment.failures.map((failure) => ({
    scheme,
    failure,
    samples: Array.from({ length: scheme.runs }, (_, run) => rig.run(failure, run, seed)),
    example: rig.show(failure, scheme.runs, seed),
  }));
}
