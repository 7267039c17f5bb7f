/** The simulator engine: boots each scheme's fabric once, then makes all its runs. */
import { selectorHeaders, selectorOf } from "../generate/index.js";
import { Fabric, type Node, Simulation } from "../sim/packet/index.js";
import type { TopologyNode } from "../topology/index.js";
import type { EngineContext, EngineOutcome } from "./engine.js";
import type { Experiment, FabricExperiment, SchemeRun } from "./experiment.js";
import { FailoverRig } from "./failover.js";
import type { Sample, Series } from "./results.js";

/** Makes the switch of a node; `bootFabric` is the one that runs compiled programs. */
export type SwitchMaker = (node: TopologyNode, simulation: Simulation) => Node;

/** The network of a scheme, its switches not yet configured. */
export function buildFabric(
  experiment: FabricExperiment,
  { plan }: SchemeRun,
  makeSwitch: SwitchMaker,
): Fabric {
  const simulation = new Simulation();
  const { queues } = experiment.settings;
  return new Fabric({
    simulation,
    topology: experiment.topology,
    policy: plan.hosts,
    codec: {
      headersOf: (selector) => selectorHeaders(plan.field, selector),
      selectorOf: (headers) => selectorOf(plan.field, headers),
    },
    queueBytes: queues.bytes,
    queuePackets: queues.packets,
    makeSwitch: (node) => makeSwitch(node, simulation),
  });
}

/** All runs of one scheme on its booted fabric. */
export function runScheme(
  experiment: Experiment,
  scheme: SchemeRun,
  fabric: Fabric,
  seed: number,
  progress: (runs: number) => void = () => {},
): Series[] {
  const rig = new FailoverRig(experiment, fabric);
  return experiment.settings.failures.map((failure) => {
    const samples: Sample[] = [];
    for (let run = 0; run < scheme.runs; run++) {
      samples.push(rig.run(failure, run, seed));
      if (run % 100 === 99) progress(100);
    }
    progress(scheme.runs % 100);
    return { scheme, failure, samples, example: rig.show(failure, scheme.runs, seed) };
  });
}

/** The {@link Engine}: programs compiled once, then scheme after scheme. */
export async function runOnSimulator(
  experiment: Experiment,
  seed: number,
  { progress, p4c }: EngineContext,
): Promise<EngineOutcome> {
  const total =
    experiment.schemes.reduce((sum, { runs }) => sum + runs, 0) * experiment.settings.failures.length;
  // The compiler and the switch are loaded only by who runs something.
  const { bootFabric, ProgramCompiler } = await import("./boot.js");
  const compiler = new ProgramCompiler({ p4c });
  let done = 0;
  const series: Series[] = [];
  for (const scheme of experiment.schemes) {
    progress(done, total, `${scheme.label}: boot`);
    const fabric = await bootFabric(experiment, scheme, compiler, seed);
    const made = runScheme(experiment, scheme, fabric, seed, (runs) => {
      done += runs;
      progress(done, total, scheme.label);
    });
    series.push(...made);
  }
  const notes = p4c === undefined ? [] : ["The programs were compiled by p4c."];
  return { series, programs: compiler.sources, notes };
}
