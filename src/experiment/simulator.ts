/** The simulator engine: boots each scheme's fabric once, then makes all its runs. */
import { selectorHeaders, selectorOf } from "../hosts/index.js";
import { Fabric, type Node, Simulation } from "../sim/packet/index.js";
import type { TopologyNode } from "../topology/index.js";
import type { Steps } from "./advance.js";
import type { SchemeLog } from "./control-plane.js";
import { breather, type EngineContext, type EngineOutcome } from "./engine.js";
import type { Experiment, FabricExperiment, SchemeRun } from "./experiment.js";
import type { Sample, Series } from "./kinds/failover/results.js";
import { FailoverRig } from "./kinds/failover/rig.js";

/** Makes the switch of a node; `bootFabric` is the one that runs compiled programs. */
export type SwitchMaker = (node: TopologyNode, simulation: Simulation) => Node;

/** The network of a scheme, its switches not yet configured. */
export function buildFabric(
  experiment: FabricExperiment,
  { plan, policy }: SchemeRun,
  makeSwitch: SwitchMaker,
): Fabric {
  const simulation = new Simulation({ turn: () => new Promise((resolve) => setImmediate(resolve)) });
  const { queues } = experiment.settings;
  return new Fabric({
    simulation,
    topology: experiment.topology,
    policy,
    codec: {
      headersOf: (selector) => selectorHeaders(plan.field, selector),
      selectorOf: (headers) => selectorOf(plan.field, headers),
    },
    queueBytes: queues.bytes,
    queuePackets: queues.packets,
    makeSwitch: (node) => makeSwitch(node, simulation),
  });
}

/**
 * All runs of one scheme on its booted fabric. Yields a time to let virtual time go on to it, as {@link Steps}, and
 * undefined after each run.
 */
export function* schemeRuns(
  experiment: Experiment,
  scheme: SchemeRun,
  fabric: Fabric,
  seed: number,
): Generator<number | undefined, Series[], void> {
  const rig = new FailoverRig(experiment, fabric);
  const series: Series[] = [];
  for (const failure of experiment.failures) {
    const samples: Sample[] = [];
    for (let run = 0; run < scheme.runs; run++) {
      samples.push(yield* rig.runSteps(failure, run, seed));
      yield undefined;
    }
    const example = yield* rig.showSteps(failure, scheme.runs, seed);
    series.push({ scheme, failure, samples, example });
  }
  return series;
}

/** The {@link Engine}: programs compiled once, then scheme after scheme. */
export async function runOnSimulator(
  experiment: Experiment,
  seed: number,
  { progress, p4c, stop }: EngineContext,
): Promise<EngineOutcome> {
  const total =
    experiment.schemes.reduce((sum, { runs }) => sum + runs, 0) * experiment.settings.failures.length;
  // The compiler and the switch take long to load; only runs need them.
  const { bootControlled, ProgramCompiler } = await import("./boot.js");
  const { runControlled, startControllers, stopControllers } = await import("./control-plane-simulated.js");
  const compiler = new ProgramCompiler({ p4c });
  const breathe = breather(stop);
  let done = 0;
  const series: Series[] = [];
  const logs: SchemeLog[] = [];
  for (const scheme of experiment.schemes) {
    progress(done, total, `${scheme.label}: boot`);
    const booted = await bootControlled(experiment, scheme, compiler, seed);
    const { simulation } = booted.fabric.network;
    const plane = await startControllers(booted, scheme, seed);
    try {
      const runs = schemeRuns(experiment, scheme, booted.fabric, seed);
      for (let step = runs.next(); ; step = runs.next()) {
        if (step.done) {
          series.push(...step.value);
          break;
        }
        if (step.value === undefined) {
          progress(++done, total, scheme.label);
          await breathe();
        } else if (plane === undefined) simulation.run(step.value);
        else await runControlled(simulation, plane, step.value);
      }
      if (plane === undefined) continue;
      await stopControllers(simulation, plane);
      logs.push({ label: scheme.label, lines: plane.log });
    } finally {
      plane?.close();
    }
  }
  const notes = p4c === undefined ? [] : ["The programs were compiled by p4c."];
  return { series, programs: compiler.sources, notes, warnings: [], logs };
}
