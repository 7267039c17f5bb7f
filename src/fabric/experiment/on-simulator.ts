/**
 * The engine `sim`: programs compiled once; each scheme is booted once, its controllers started, then its units run. A job of a sweep
 * is one unit with a fabric of its own.
 */
import { ControlChannel, type HostChannel, type SwitchNode } from "../sim/packet/index.js";
import type { Steps } from "./advance.js";
import {
  type BootedFabric,
  bootControlled,
  type CompiledPrograms,
  configureSimulated,
  ProgramCompiler,
} from "./boot.js";
import type { ControlPlane, SchemeLog } from "./control-plane.js";
import { runControlled, startControllers, stopControllers } from "./control-plane-simulated.js";
import { breather, counter, type EngineContext, type EngineOutcome } from "./engine.js";
import type { FabricExperiment, FabricSettings } from "./experiment.js";
import type { ExperimentKind, SimulatorStage, Unit } from "./kinds/kind.js";
import type { SchemeRun } from "./scheme-run.js";
import { fileWord, type Seeing, type SeeingOrder, type SeenRun, watchFabric } from "./seeing/seeing.js";

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
  { progress, p4c, stop, seeing, folder }: EngineContext,
): Promise<EngineOutcome<O>> {
  const compiler = new ProgramCompiler({ p4c, ecnThreshold: experiment.settings.queues.ecn_threshold });
  const units = kind.units(experiment);
  const count = counter(units, progress);
  const breathe = breather(stop);
  const series: O[] = [];
  const logs: SchemeLog[] = [];
  const notes: string[] = [];
  for (const scheme of experiment.schemes) {
    count.begin(`${scheme.label}: boot`);
    const running = await RunningScheme.start(experiment, scheme, compiler, seed);
    const seen = running.watch(experiment, seeing && { request: seeing, folder }, {
      name: fileWord(scheme.label),
      scheme: scheme.title,
      seed,
    });
    try {
      for (const unit of units.filter((one) => one.scheme === scheme)) {
        const stepDone = async () => {
          count.step(`${scheme.label}, ${unit.name}`);
          await breathe();
        };
        const note = (text: string) => notes.push(`${scheme.title}: ${text}`);
        series.push(await kind.onSimulator(experiment, unit, running.stage(stepDone, breathe, note)));
      }
      const lines = await running.finish();
      if (lines !== undefined) logs.push({ label: scheme.label, lines });
    } finally {
      seen?.close();
      running.close();
    }
  }
  return { series, programs: compiler.sources, notes: [...compiler.notes, ...notes], warnings: [], logs };
}

export interface UnitMeans {
  readonly p4c: string | undefined;
  /** Programs that this process has compiled. */
  readonly compiled: CompiledPrograms;
  readonly stop: AbortSignal;
  /** What is observed of the unit, and the name of its files. */
  readonly seeing?: SeeingOrder & { readonly name: string };
  /** A step of the unit is done. */
  step(): void;
}

/** One unit on a fabric of its own: its outcome depends on nothing else. `log`: lines of its controllers, if it has any. */
export async function runUnitOnSimulator<
  V extends FabricSettings,
  E extends FabricExperiment,
  U extends Unit,
  O,
  R extends object,
  P,
>(
  kind: ExperimentKind<V, E, U, O, R, P>,
  experiment: E,
  unit: U,
  seed: number,
  { p4c, compiled, stop, seeing, step }: UnitMeans,
): Promise<{ outcome: O; log: readonly string[] | undefined; notes: readonly string[] }> {
  const { ecn_threshold: ecnThreshold } = experiment.settings.queues;
  const compiler = new ProgramCompiler({ p4c, compiled, ecnThreshold });
  const breathe = breather(stop);
  const running = await RunningScheme.start(experiment, unit.scheme, compiler, seed);
  const seen = running.watch(experiment, seeing, {
    name: seeing?.name ?? "",
    scheme: unit.scheme.title,
    seed,
  });
  try {
    await breathe();
    const stepDone = async () => {
      step();
      await breathe();
    };
    const notes: string[] = [];
    const note = (text: string) => notes.push(`${unit.scheme.title}: ${text}`);
    const outcome = await kind.onSimulator(experiment, unit, running.stage(stepDone, breathe, note));
    return { outcome, log: await running.finish(), notes };
  } finally {
    seen?.close();
    running.close();
  }
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

  /** Records the fabric in files from now on, if they are requested. */
  watch(experiment: FabricExperiment, order: SeeingOrder | undefined, run: SeenRun): Seeing | undefined {
    return order && watchFabric(experiment, this.booted, order, run);
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
