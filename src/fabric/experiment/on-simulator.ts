/** The engine `sim`: programs are compiled once; each scheme is booted once, its controllers are started, then its units run. */
import { ControlChannel, type HostChannel, type SwitchNode } from "../sim/packet/index.js";
import type { Steps } from "./advance.js";
import { type BootedFabric, bootControlled, configureSimulated, ProgramCompiler } from "./boot.js";
import type { ControlPlane, SchemeLog } from "./control-plane.js";
import { runControlled, startControllers, stopControllers } from "./control-plane-simulated.js";
import { breather } from "./engine.js";
import type { FabricExperiment } from "./experiment.js";
import type { JobContext, Ran, SchemeUnit, SimulatorStage } from "./kinds/kind.js";
import type { SchemeRun } from "./scheme-run.js";
import { seeingOf } from "./seeing/request.js";
import { fileWord, type Seeing, type SeeingOrder, type SeenRun, watchFabric } from "./seeing/seeing.js";

/** Runs units one after the other. The units of a scheme share its fabric, and its controllers run on from unit to unit. */
export async function runOnSimulator<E extends FabricExperiment, U extends SchemeUnit, O>(
  onSimulator: (experiment: E, unit: U, stage: SimulatorStage) => Promise<O>,
  experiment: E,
  units: readonly U[],
  { seed, p4c, compiled, seeing, stop, progress }: JobContext,
): Promise<Ran<O>> {
  const { see, queues } = experiment.settings;
  const compiler = new ProgramCompiler({ p4c, compiled, ecnThreshold: queues.ecn_threshold });
  const breathe = breather(stop);
  const request = seeingOf(see, seeing.request);
  const outcomes: O[] = [];
  const logs: SchemeLog[] = [];
  const notes: string[] = [];
  for (const scheme of new Set(units.map((unit) => unit.scheme))) {
    progress(0, `${scheme.label}: boot`);
    const running = await RunningScheme.start(experiment, scheme, compiler, seed);
    const name = seeing.name ?? fileWord(scheme.label);
    const seen =
      request && running.watch(experiment, { ...seeing, request }, { name, scheme: scheme.title, seed });
    const note = (text: string) => notes.push(`${scheme.title}: ${text}`);
    try {
      await breathe();
      for (const unit of units.filter((one) => one.scheme === scheme)) {
        const stepDone = async () => {
          progress(1, `${scheme.label}, ${unit.name}`);
          await breathe();
        };
        outcomes.push(await onSimulator(experiment, unit, running.stage(stepDone, breathe, note)));
      }
      const lines = await running.finish();
      if (lines !== undefined) logs.push({ label: scheme.label, lines });
    } finally {
      seen?.close();
      running.close();
    }
  }
  return { outcomes, logs, notes };
}

/** A scheme's fabric, booted, and its controllers. */
class RunningScheme {
  private constructor(
    private readonly booted: BootedFabric,
    private readonly plane: ControlPlane | undefined,
    private readonly power: SimulatorStage["power"],
    private readonly seed: number,
  ) {}

  static async start(
    experiment: FabricExperiment,
    scheme: SchemeRun,
    compiler: ProgramCompiler,
    seed: number,
  ): Promise<RunningScheme> {
    const booted = await bootControlled(experiment, scheme, compiler, seed);
    const power = await switchPower(experiment, scheme, booted, compiler);
    const plane = await startControllers(booted, scheme, seed);
    return new RunningScheme(booted, plane, power, seed);
  }

  stage(
    stepDone: () => Promise<void>,
    breathe: () => Promise<void>,
    note: (text: string) => void,
  ): SimulatorStage {
    const { plane, power, seed } = this;
    const { fabric } = this.booted;
    const { simulation } = fabric.network;
    const play = async <T>(steps: Steps<T>): Promise<T> => {
      for (let step = steps.next(); ; step = steps.next()) {
        if (step.done) return step.value;
        if (plane === undefined) simulation.run(step.value);
        else await runControlled(simulation, plane, step.value);
      }
    };
    return { fabric, seed, plane, power, play, breathe, stepDone, note };
  }

  /** Records the fabric in files from now on. */
  watch(experiment: FabricExperiment, order: SeeingOrder, run: SeenRun): Seeing {
    return watchFabric(experiment, this.booted, order, run);
  }

  /** Stops the controllers; returns their logs, if there are any. */
  async finish(): Promise<readonly string[] | undefined> {
    if (this.plane === undefined) return undefined;
    await stopControllers(this.booted.fabric.network.simulation, this.plane);
    return this.plane.log;
  }

  close(): void {
    this.plane?.close();
  }
}

/** Kills a switch, and restores its program and state over its control channel. */
async function switchPower(
  experiment: FabricExperiment,
  scheme: SchemeRun,
  booted: BootedFabric,
  compiler: ProgramCompiler,
): Promise<SimulatorStage["power"]> {
  const { fabric, channels } = booted;
  const programs = await compiler.compileAll(scheme);
  const { hostChannels } = booted;
  const control = new Map<number, ControlChannel | HostChannel>(hostChannels);
  for (const [node, { central }] of channels) control.set(node, central);
  return {
    control,
    kill: (node) => {
      for (const channel of Object.values(channels.get(node)!)) channel.disconnect();
    },
    restart: async (node) => {
      const planned = scheme.plan.switches.find((own) => own.node === node)!;
      const { device } = fabric.nodes[node] as SwitchNode;
      const { control_channel } = experiment.settings;
      const channel = new ControlChannel(fabric.network.simulation, device, control_channel);
      await configureSimulated(channel, experiment, scheme, planned, programs);
      for (const own of Object.values(channels.get(node)!)) own.connect();
    },
  };
}
