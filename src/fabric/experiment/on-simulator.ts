/**
 * The engine `sim`: programs are compiled once; each scheme is booted once, its controllers are started, then its units run. Faults act on the
 * channels and switches of the same fabric.
 */

import { formatLocation, given } from "../../base/index.js";
import { STOP_LIMIT_NS } from "../controllers/index.js";
import {
  type Channel,
  ControlChannel,
  type ControlFault,
  controlClock,
  type Fabric,
  type FabricPlace,
  type HostChannel,
  Impairment,
  type Simulation,
  type SwitchNode,
} from "../sim/packet/index.js";
import type { Steps } from "./advance.js";
import { type BootedFabric, bootControlled, configureSimulated, ProgramCompiler } from "./boot.js";
import { ControlPlane, type ControlPlaneOptions } from "./control-plane.js";
import { type FabricExperiment, type SchemeRun, seeingOf } from "./experiment.js";
import {
  ALL_CHANNELS,
  directionsOf,
  type Element,
  effectName,
  elementName,
  endName,
  type Fault,
  type Flap,
  isCut,
} from "./faults/fault.js";
import { deadlockText } from "./flow-control.js";
import type {
  FaultyChannel,
  JobContext,
  Ran,
  SchemeUnit,
  SimulatorFaultOptions,
  SimulatorStage,
} from "./kinds/kind.js";
import type { SchemeLog } from "./results.js";
import { type Seeing, type SeeingOrder, type SeenRun, watchFabric } from "./seeing/seeing.js";
import { breather } from "./sweep/jobs.js";
import { fileWord } from "./sweep/space.js";

/** Runs units one after the other. The units of a scheme share its fabric, and its controllers run on from unit to unit. */
export async function runOnSimulator<E extends FabricExperiment, U extends SchemeUnit, O>(
  onSimulator: (experiment: E, unit: U, stage: SimulatorStage) => Promise<O>,
  experiment: E,
  units: readonly U[],
  { seed, p4c, compiled, coverage, seeing, stop, progress }: JobContext,
): Promise<Ran<O>> {
  const { see, queues } = experiment.settings;
  const compiler = new ProgramCompiler({ p4c, compiled, coverage, ecnThreshold: queues.ecn_threshold });
  const breathe = breather(stop);
  // A packet that is traced is not counted.
  const request = coverage === undefined ? seeingOf(see, seeing.request) : undefined;
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
    const pilot = async <T>(play: (stage: SimulatorStage) => Promise<T>): Promise<T> => {
      const other = await RunningScheme.start(experiment, scheme, compiler, seed);
      try {
        const silent = { stepDone: breathe, breathe, note: () => {}, pilot };
        const result = await play(other.stage(silent));
        await other.finish();
        return result;
      } finally {
        other.close();
      }
    };
    try {
      await breathe();
      for (const unit of units.filter((one) => one.scheme === scheme)) {
        const stepDone = async () => {
          progress(1, `${scheme.label}, ${unit.name}`);
          await breathe();
        };
        outcomes.push(await onSimulator(experiment, unit, running.stage({ stepDone, breathe, note, pilot })));
      }
      for (const text of running.deadlocks(experiment)) note(text);
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
    /** Virtual time at which the fabric was ready. */
    private readonly readyAt: number,
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
    return new RunningScheme(booted, plane, power, seed, booted.fabric.network.simulation.now);
  }

  stage(report: Pick<SimulatorStage, "stepDone" | "breathe" | "note" | "pilot">): SimulatorStage {
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
    return { fabric, seed, plane, power, play, ...report };
  }

  /** Records the fabric in files from now on. */
  watch(experiment: FabricExperiment, order: SeeingOrder, run: SeenRun): Seeing {
    return watchFabric(experiment, this.booted, order, run);
  }

  /** One sentence on each deadlock of priority flow control, with the place in the file that asks for flow control. */
  deadlocks({ locate }: FabricExperiment): string[] {
    const span = locate(["queues", "pfc"]);
    const at = span === undefined ? "" : formatLocation(span);
    const found = this.booted.fabric.flowControl?.deadlocks ?? [];
    return found.map((deadlock) => `${at}${deadlockText(deadlock, this.readyAt)}`);
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

// Faults in the simulator: outages and impairments of channels, carrier signals, and switches without program and state.

type NetworkElement = Exclude<Element, { kind: "control" | "flow" }>;

/** Injects and ends faults. An element works again when all of its faults have ended. */
export class SimulatorFaults {
  /** By channel: how many active faults cut it. */
  readonly #cuts = new Map<Channel, number>();
  /** By link: how many active faults have taken its carrier away. */
  readonly #downs = new Map<number, number>();
  /** One for each fault, however often the fault begins, so that its random stream continues. */
  readonly #impairments = new Map<Fault, Impairment>();
  readonly #active = new Set<Fault>();
  readonly #ofControl = new Map<Fault, ControlFault>();
  /** Rates that slowed links have without faults. */
  readonly #rates = new Map<Channel, number>();

  constructor(
    readonly fabric: Fabric,
    readonly options: SimulatorFaultOptions,
  ) {}

  begin(fault: Fault): void {
    this.#active.add(fault);
    const { element, effect } = fault;
    const { network, topology, events } = this.fabric;
    events.faultBegan(
      nameOf(fault),
      `${elementName(topology, element)}: ${effectName(fault)}`,
      placeOf(element),
    );
    if (element.kind === "control") {
      const one = this.#controlFaultOf(fault);
      for (const channel of this.#controlOf(element.index)) channel.beginFault(one);
      return;
    }
    if (effect.kind === "drop" || element.kind === "flow") {
      this.options.drops?.begin(fault);
      return;
    }
    if (effect.kind !== "packets") {
      for (const channel of this.#channelsAt(element)) this.#count(channel, 1);
      if (effect.kind === "down") this.#signal(element.index, 1);
      else this.options.kill(element.index);
      return;
    }
    this.#setRates(fault);
    if (!isImpairing(fault)) return;
    const impairment = this.#impairmentOf(fault);
    for (const channel of this.#impairedBy(fault, element)) network.impair(channel, impairment);
  }

  /** Resolves when a killed switch runs again; all other faults end at once, and the result is undefined. */
  end(fault: Fault): Promise<void> | undefined {
    this.#active.delete(fault);
    const { topology, events } = this.fabric;
    const { element } = fault;
    events.faultEnded(
      nameOf(fault),
      `${elementName(topology, element)}: ${endName(fault)}`,
      placeOf(element),
    );
    if (fault.effect.kind !== "kill") return void this.#end(fault);
    const restarted = this.options.restart(fault.element.index);
    if (restarted === undefined) return void this.#end(fault);
    return restarted.then(() => this.#end(fault));
  }

  /**
   * Begins the faults, with their flapping, until the returned function ends them all. Its promise resolves when killed switches run
   * again; the caller must advance time meanwhile.
   */
  inject(faults: readonly Fault[]): () => Promise<void> {
    const { simulation } = this.fabric.network;
    const timers = new Map<Fault, () => void>();
    const change = (fault: Fault, { period, duty }: Flap, begins: boolean) => {
      if (begins) this.begin(fault);
      else this.end(fault);
      const wait = Math.max(1, Math.round(period * (begins ? duty : 1 - duty)));
      timers.set(
        fault,
        simulation.at(simulation.now + wait, () => change(fault, { period, duty }, !begins)),
      );
    };
    for (const fault of faults) {
      if (fault.flap === undefined) this.begin(fault);
      else change(fault, fault.flap, true);
    }
    return () => {
      for (const cancel of timers.values()) cancel();
      return Promise.all([...this.#active].map((fault) => this.end(fault))).then(() => {});
    };
  }

  #end(fault: Fault): void {
    const { element, effect } = fault;
    if (element.kind === "control") {
      const one = this.#controlFaultOf(fault);
      for (const channel of this.#controlOf(element.index)) channel.endFault(one);
      return;
    }
    if (effect.kind === "drop" || element.kind === "flow") {
      this.options.drops?.end(fault);
      return;
    }
    if (effect.kind !== "packets") {
      for (const channel of this.#channelsAt(element)) this.#count(channel, -1);
      if (effect.kind === "down") this.#signal(element.index, -1);
      return;
    }
    this.#setRates(fault);
    if (!isImpairing(fault)) return;
    const impairment = this.#impairmentOf(fault);
    for (const channel of this.#impairedBy(fault, element)) channel.unimpair(impairment);
  }

  /** Sets the rates of the links of a fault to the product of the shares of all active faults. */
  #setRates({ effect, element }: Fault): void {
    if (effect.kind !== "packets" || effect.rate === undefined) return;
    const { topology } = this.fabric;
    for (const { link, from } of directionsOf(topology, element)) {
      const ends = this.fabric.link(link);
      const channel = from === "a" ? ends.aToB : ends.bToA;
      const whole = this.#rates.get(channel) ?? channel.rate;
      this.#rates.set(channel, whole);
      let rate = whole;
      for (const { effect: other, element: where } of this.#active) {
        if (other.kind !== "packets" || other.rate === undefined) continue;
        if (directionsOf(topology, where).some((one) => one.link === link && one.from === from))
          rate *= other.rate;
      }
      channel.rate = rate;
    }
  }

  #controlOf(index: number): readonly FaultyChannel[] {
    const { control } = this.options;
    return index === ALL_CHANNELS ? [...control.values()] : [control.get(index)!];
  }

  #controlFaultOf(fault: Fault): ControlFault {
    let made = this.#ofControl.get(fault);
    if (made === undefined) {
      const { effect, number } = fault;
      if (effect.kind !== "packets") throw new Error("control channels have faults of messages alone");
      const random = this.options.random.fork(`fault ${number}`);
      made = { loss: effect.loss, delay: effect.delay, random };
      this.#ofControl.set(fault, made);
    }
    return made;
  }

  /**
   * The channels at whose far ends a fault of packets acts. A switch that nothing passes receives nothing either, so that no controller
   * on it sees a packet.
   */
  #impairedBy(fault: Fault, element: NetworkElement): Channel[] {
    if (isCut(fault)) return this.#channelsAt(element);
    return directionsOf(this.fabric.topology, element).map(({ link, from }) => {
      const { aToB, bToA } = this.fabric.link(link);
      return from === "a" ? aToB : bToA;
    });
  }

  /** The channels of the element: for a node, both directions of all its links. */
  #channelsAt(element: NetworkElement): Channel[] {
    if (element.kind === "node")
      return this.fabric.topology.nodes[element.index]!.ports.flatMap(({ link }) => {
        const { aToB, bToA } = this.fabric.link(link);
        return [aToB, bToA];
      });
    const { aToB, bToA } = this.fabric.link(element.index);
    return element.ways === "both" ? [aToB, bToA] : [element.ways === "out" ? aToB : bToA];
  }

  #count(channel: Channel, change: 1 | -1): void {
    const count = (this.#cuts.get(channel) ?? 0) + change;
    this.#cuts.set(channel, count);
    if (count === 1 && change === 1) channel.fail();
    if (count === 0) channel.repair();
  }

  #signal(link: number, change: 1 | -1): void {
    const count = (this.#downs.get(link) ?? 0) + change;
    this.#downs.set(link, count);
    if (count === (change === 1 ? 1 : 0))
      this.fabric.network.signalLink(this.fabric.link(link), change === -1);
  }

  #impairmentOf(fault: Fault): Impairment {
    let impairment = this.#impairments.get(fault);
    if (impairment === undefined) {
      const { effect, match, number } = fault;
      if (effect.kind !== "packets") throw new Error("only faults of packets are impairments");
      const { loss, corruption, delay } = effect;
      impairment = new Impairment({
        ...given({ match }),
        loss,
        corruption,
        delay,
        random: this.options.random.fork(`fault ${number}`),
      });
      this.#impairments.set(fault, impairment);
    }
    return impairment;
  }
}

function nameOf({ number }: Fault): string {
  return `fault ${number}`;
}

function placeOf(element: Element): FabricPlace {
  if (element.kind === "link") return { link: element.index };
  if (element.kind === "flow") return {};
  return element.index === ALL_CHANNELS ? {} : { node: element.index };
}

/** Whether the fault decides about each packet separately. */
function isImpairing({ effect }: Fault): boolean {
  return effect.kind === "packets" && (effect.loss > 0 || effect.corruption > 0 || effect.delay > 0);
}
