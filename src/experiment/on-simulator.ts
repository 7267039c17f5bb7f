/** The engine `sim`: programs compiled once; each scheme is booted once, its controllers started, then its units run. */
import { ControlChannel, type SwitchNode } from "../sim/packet/index.js";
import type { Steps } from "./advance.js";
import { type BootedFabric, bootControlled, ProgramCompiler } from "./boot.js";
import type { SchemeLog } from "./control-plane.js";
import { runControlled, startControllers, stopControllers } from "./control-plane-simulated.js";
import { breather, counter, type EngineContext, type EngineOutcome } from "./engine.js";
import type { FabricExperiment, FabricSettings, SchemeRun } from "./experiment.js";
import type { ExperimentKind, SimulatorStage, Unit } from "./kinds/kind.js";
import { writePlanned } from "./planned-state.js";

export async function runOnSimulator<
  V extends FabricSettings,
  E extends FabricExperiment,
  U extends Unit,
  O,
  R extends object,
  P,
>(
  kind: ExperimentKind<V, E, U, O, R, P>,
  experiment: E,
  seed: number,
  { progress, p4c, stop }: EngineContext,
): Promise<EngineOutcome<O>> {
  const compiler = new ProgramCompiler({ p4c, ecnThreshold: experiment.settings.queues.ecn_threshold });
  const units = kind.units(experiment);
  const count = counter(units, progress);
  const breathe = breather(stop);
  const series: O[] = [];
  const logs: SchemeLog[] = [];
  for (const scheme of experiment.schemes) {
    count.begin(`${scheme.label}: boot`);
    const booted = await bootControlled(experiment, scheme, compiler, seed);
    const { fabric } = booted;
    const { simulation } = fabric.network;
    const power = await switchPower(experiment, scheme, booted, compiler);
    const plane = await startControllers(booted, scheme, seed);
    const play = async <T>(steps: Steps<T>): Promise<T> => {
      for (let step = steps.next(); ; step = steps.next()) {
        if (step.done) return step.value;
        if (plane === undefined) simulation.run(step.value);
        else await runControlled(simulation, plane, step.value);
      }
    };
    try {
      for (const unit of units.filter((one) => one.scheme === scheme)) {
        const stepDone = async () => {
          count.step(`${scheme.label}, ${unit.name}`);
          await breathe();
        };
        const stage: SimulatorStage = { fabric, seed, plane, power, play, breathe, stepDone };
        series.push(await kind.onSimulator(experiment, unit, stage));
      }
      if (plane === undefined) continue;
      await stopControllers(simulation, plane);
      logs.push({ label: scheme.label, lines: plane.log });
    } finally {
      plane?.close();
    }
  }
  return { series, programs: compiler.sources, notes: compiler.notes, warnings: [], logs };
}

/** Kills a switch, and brings its program and state back over its control channel. */
async function switchPower(
  { settings }: FabricExperiment,
  scheme: SchemeRun,
  { fabric, channels }: BootedFabric,
  compiler: ProgramCompiler,
): Promise<SimulatorStage["power"]> {
  const programs = await compiler.compileAll(scheme);
  return {
    kill: (node) => {
      for (const channel of Object.values(channels.get(node)!)) channel.disconnect();
    },
    restart: async (node) => {
      const { program } = scheme.plan.switches.find((own) => own.node === node)!;
      const { device } = fabric.nodes[node] as SwitchNode;
      const channel = new ControlChannel(fabric.network.simulation, device, settings.control_channel);
      await channel.load(programs.get(program)!);
      await writePlanned(channel, scheme.plan, node);
      for (const own of Object.values(channels.get(node)!)) own.connect();
    },
  };
}
