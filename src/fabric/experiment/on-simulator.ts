/** The engine `sim`: programs are compiled once; each scheme is booted once, its controllers are started, then its units run. */

import { STOP_LIMIT_NS } from "../controllers/index.js";
import {
  ControlChannel,
  controlClock,
  type HostChannel,
  type Simulation,
  type SwitchNode,
} from "../sim/packet/index.js";
import type { Steps } from "./advance.js";
import { type BootedFabric, bootControlled, configureSimulated, ProgramCompiler } from "./boot.js";
import { ControlPlane, type ControlPlaneOptions } from "./control-plane.js";
import { breather } from "./engine.js";
import type { FabricExperiment } from "./experiment.js";
import type { JobContext, Ran, SchemeUnit, SimulatorStage } from "./kinds/kind.js";
import type { SchemeLog } from "./results.js";
import type { SchemeRun } from "./scheme-run.js";
import { seeingOf } from "./seeing/request.js";
import { type Seeing, type SeeingOrder, type SeenRun, watchFabric } from "./seeing/seeing.js";
import { fileWord } from "./sweep/space.js";

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

/**
 * Starts the controllers of a scheme, and advances virtual time until all are ready for traffic; undefined where the scheme has none.
 * Time 0 of their clock is now. Throws the DiagnosticError (P433xx) of a controller that fails in this time.
 */
async function startControllers(
  { fabric, channels, hostChannels }: BootedFabric,
  { label, plan }: SchemeRun,
  seed: number,
): Promise<ControlPlane | undefined> {
  if ((plan.controllers ?? []).length === 0) return undefined;
  const { network, topology } = fabric;
  const { simulation } = network;
  const plane = planeOver(simulation, channels, hostChannels, { label, plan, topology, seed });
  try {
    await runUntil(simulation, plane, plane.host.startAll(), Number.POSITIVE_INFINITY);
  } catch (error) {
    plane.close();
    throw error;
  }
  return plane;
}

/** A control plane whose sessions are these channels, by node. Time 0 of its clock is now. */
export function planeOver(
  simulation: Simulation,
  channels: BootedFabric["channels"],
  hostChannels: BootedFabric["hostChannels"],
  options: Omit<ControlPlaneOptions, "clock" | "session" | "hostSession">,
): ControlPlane {
  return new ControlPlane({
    ...options,
    clock: controlClock(simulation, simulation.now),
    session: (node, place) => {
      const device = channels.get(node)![place];
      return { device, watchState: (listener) => device.watchState(listener) };
    },
    hostSession: (node) => hostChannels.get(node)!,
  });
}

/** Stops all controllers in virtual time and lets them finish their work. */
async function stopControllers(simulation: Simulation, plane: ControlPlane): Promise<void> {
  try {
    // The time limit of each controller is an event: time does not advance beyond it.
    await runUntil(simulation, plane, plane.host.stopAll(), simulation.now + 2 * STOP_LIMIT_NS);
  } finally {
    plane.close();
  }
}

/** Advances virtual time to `until`; throws the DiagnosticError of a controller that fails. */
async function runControlled(
  simulation: Simulation,
  plane: ControlPlane | undefined,
  until: number,
): Promise<void> {
  if (plane === undefined) return await simulation.runAsync(until);
  await simulation.runAsync(until, () => plane.failed);
  plane.throwIfFailed();
}

async function runUntil(
  simulation: Simulation,
  plane: ControlPlane,
  promise: Promise<unknown>,
  until: number,
): Promise<void> {
  let settled = false;
  const mark = () => {
    settled = true;
  };
  promise.then(mark, mark);
  await simulation.runAsync(until, () => settled || plane.failed);
  plane.throwIfFailed();
}
