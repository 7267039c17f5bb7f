/** Load on the packet simulator: flows arrive, run at the same time and are measured. */
import { defined, given, Random } from "../../../../base/index.js";
import type { Channel, Fabric, Simulation } from "../../../sim/packet/index.js";
import type { FlowArrival, PacketSource, Workload } from "../../../traffic/index.js";
import type { Steps } from "../../advance.js";
import { type SchemeRun, transportOptions } from "../../experiment.js";
import { scheduleFaults } from "../../faults/during-run.js";
import type { SimulatorStage } from "../kind.js";
import { endOf, noneMeasured } from "./check.js";
import { FlowRecorder } from "./flow-lines.js";
import { frameSizes, IdealTimes } from "./ideal-time.js";
import type { LoadFigures } from "./load-figures.js";
import { FlowControlMeter } from "./meters/flow-control-meter.js";
import { FlowMeter, type MeteredFlow } from "./meters/flow-meter.js";
import { HalvesMeter } from "./meters/halves-meter.js";
import { DropMeter, LinkMeter, type LinkUse, uplinkBusyNs } from "./meters/link-meter.js";
import { type QueueFigures, QueueMeter } from "./meters/queue-meter.js";
import { SeriesMeter, WindowTrace } from "./meters/series-meter.js";
import { TrimMeter } from "./meters/trim-meter.js";
import type { Load } from "./schema.js";
import { assignmentsOf, SimulatedFlows } from "./simulated-flows.js";

/**
 * Virtual time between two checks for signals of the process, in nanoseconds: the minimum, of which all others are multiples. A
 * run with few events takes longer slices.
 */
const SLICE_NS = 100_000;
const LONGEST_SLICES = 10_000;
/** Events of a slice: with fewer than `few` the next slice is twice as long, with more than `many` half as long. */
const EVENTS = { few: 1000, many: 20_000 };

/**
 * Plays the traffic once and measures it. Faults that do not end stay in the fabric. Over 100 lines, since all meters, the window and the end
 * of the run listen to the same flows and change one another's state.
 */
export async function loadInSimulator(
  experiment: Load,
  scheme: SchemeRun,
  stage: SimulatorStage,
): Promise<LoadFigures> {
  const { fabric, seed } = stage;
  const { simulation } = fabric.network;
  const { settings, topology, traffic } = experiment;
  const { warm_up, measured_flows: mostMeasured, drain, sizes } = settings;
  const { duration } = settings.traffic;
  const start = simulation.now;
  const sinceStart = () => simulation.now - start;
  fabric.events.began();

  const ideal = new IdealTimes(topology, frameSizes(settings));
  const meter = new FlowMeter(sizes, warm_up, (arrival) => ideal.of(arrival), mostMeasured);
  const recorder = new FlowRecorder(topology, settings);
  const fabricMeter = new FabricMeter(fabric);
  const busyNs = uplinkBusyNs(fabric);
  const halves = new HalvesMeter(() => ({ delivered: meter.delivered(), busyNs: busyNs() }));
  const series =
    settings.series === undefined
      ? undefined
      : new SeriesMeter(fabric, settings.series, () => meter.delivered());
  const { windows } = settings;
  const windowTrace = windows && new WindowTrace(simulation, windows.flows, windows.interval);
  const firstCommand = firstCommandOf(experiment);
  const trafficOf = () => traffic.workload(new Random(seed).fork("traffic"));
  const { ip } = settings.traffic;
  const flows = new SimulatedFlows(fabric, {
    ip,
    transport: transportOptions(settings.transport),
    random: new Random(seed).fork("flows"),
    assignments: assignmentsOf(
      scheme,
      ip,
      settings.transport.protocol === "messages" ? "udp" : "tcp",
      trafficOf,
    ),
    countsHolds: firstCommand !== undefined,
  });
  const throwIfFailed = scheduleFaults(experiment, endOf(settings), stage);

  const window = new MeasuredWindow(meter, fabricMeter, halves);
  const windowOpens = () => window.begin(sinceStart());
  const windowCloses = () => window.end(sinceStart());
  simulation.at(start + warm_up, windowOpens);
  if (firstCommand !== undefined && firstCommand > warm_up)
    simulation.at(start + firstCommand, () => {
      if (window.endNs === undefined) meter.window("command");
    });
  if (duration !== undefined) simulation.at(start + duration, windowCloses);

  const workload = trafficOf();
  const arrivals = new Arrivals(simulation, workload, (arrival) => {
    const running = flows.begin(arrival, {
      completed() {
        const now = sinceStart();
        fabric.events.flowCompleted(arrival.id);
        meter.completed(flow, now);
        halves.completed(flow, now);
        recorder.completed(flow, now);
        arrivals.completed(arrival);
        if (isOver()) simulation.stop();
      },
      ended: () => meter.ended(flow),
    });
    const flow: MeteredFlow = meter.started(arrival, running.counters);
    halves.started(flow);
    running.start();
    if (running.client !== undefined) windowTrace?.follow(arrival.id, running.client, start);
    const isLast =
      meter.hasAll ||
      (workload.completed === undefined ? arrivals.ended : arrivals.count === settings.traffic.flows);
    // If all flows arrive at the same time, the window would be empty: it then ends with the run.
    if (isLast && (duration === undefined || meter.hasAll) && arrival.startNs > warm_up) windowCloses();
  });
  if (traffic.replay !== undefined) replayPackets(fabric, traffic.replay());
  // Without `measured_flows`, flows of the warm-up must end too only where their completions start other flows.
  const isOver = () =>
    meter.openMeasured === 0 &&
    (meter.hasAll || (arrivals.ended && (workload.completed === undefined || meter.open === 0)));
  const isDrained = () => arrivals.ended && sinceStart() >= arrivals.lastNs + drain;

  await playSlices(stage, {
    drain,
    isOver: () => isOver() || isDrained(),
    leftNs: () => (arrivals.ended ? arrivals.lastNs + drain - sinceStart() : undefined),
    throwIfFailed,
  });
  windowCloses();
  if (meter.measured === 0) noneMeasured(experiment, arrivals);
  const seriesFigures = series?.figures();
  for (const flow of meter.openFlows()) recorder.unfinished(flow);
  const openAtEnd = meter.open;
  const hasDriedUp =
    !meter.hasAll || (arrivals.ended && (workload.completed === undefined || openAtEnd === 0));
  const trafficEndedNs = mostMeasured !== undefined && hasDriedUp ? arrivals.lastNs : undefined;
  const outsideWindow = window.outside();
  flows.closeAll();
  fabric.events.ended();
  const groups = meter.groups();
  const ofHalves = halves.figures();
  return {
    seed,
    flows: meter.classes(),
    ...given({ groups }),
    started: arrivals.count,
    openAtEnd,
    window: [warm_up, defined(window.endNs)],
    ...given({ firstCommandNs: firstCommand }),
    endNs: sinceStart(),
    ...given({ outsideWindow }),
    ...given({ trafficEndedNs }),
    ...given({ nominalBps: workload.offeredBps }),
    ...given({ halves: ofHalves }),
    ...fabricMeter.figures(),
    ...seriesFigures,
    ...windowTrace?.samples(),
    ...recorder.lines(),
  };
}

/** The time in which a load is measured: from the end of the warm-up to the end of the arrivals, or to the last one that is measured. */
class MeasuredWindow {
  /** Nanoseconds since the start; undefined before its end. */
  endNs: number | undefined;
  #deliveredBefore = 0;
  #deliveredByEnd = 0;

  constructor(
    readonly meter: FlowMeter,
    readonly fabricMeter: FabricMeter,
    readonly halves: HalvesMeter,
  ) {}

  begin(now: number): void {
    this.meter.window("begin");
    this.#deliveredBefore = this.meter.delivered();
    this.fabricMeter.begin();
    this.halves.begin(now);
  }

  /** The first call counts. */
  end(now: number): void {
    if (this.endNs !== undefined) return;
    this.endNs = now;
    this.meter.window("end");
    this.#deliveredByEnd = this.meter.delivered();
    this.fabricMeter.end();
    this.halves.end(now);
  }

  /** Bytes that were delivered within and after it, if more were delivered after it. */
  outside(): { readonly within: number; readonly after: number } | undefined {
    const within = this.#deliveredByEnd - this.#deliveredBefore;
    const after = this.meter.delivered() - this.#deliveredByEnd;
    return after > within ? { within, after } : undefined;
  }
}

/** How a run of a load ends. */
interface Ending {
  /** Nanoseconds after the last arrival. */
  readonly drain: number;
  isOver(): boolean;
  /** Nanoseconds until the end; undefined while flows arrive. */
  leftNs(): number | undefined;
  throwIfFailed(): void;
}

/** Advances virtual time until the run is over, in slices with about the same number of events. */
async function playSlices(
  { fabric, play, breathe }: SimulatorStage,
  { drain, isOver, leftNs, throwIfFailed }: Ending,
): Promise<void> {
  const { simulation } = fabric.network;
  let slices = 1;
  // No slice is longer than the drain: one that begins before the last arrival then ends before the run does.
  const longest = Math.max(1, Math.min(LONGEST_SLICES, Math.floor(drain / SLICE_NS)));
  while (!isOver()) {
    const leftTime = leftNs();
    const left = leftTime === undefined ? longest : Math.ceil(leftTime / SLICE_NS);
    const before = simulation.eventCount;
    await play(until(simulation.now + Math.min(slices, left) * SLICE_NS));
    const events = simulation.eventCount - before;
    if (events < EVENTS.few) slices = Math.min(longest, 2 * slices);
    else if (events > EVENTS.many) slices = Math.max(1, slices >> 1);
    throwIfFailed();
    await breathe();
  }
}

/** Nanoseconds from the start of the traffic to the first command to any scheme of the file. */
function firstCommandOf({ commands = [] }: Load): number | undefined {
  return commands.length === 0 ? undefined : Math.min(...commands.map(({ at }) => at));
}

function* until(time: number): Steps<void> {
  yield time;
}

// Lets the flows and recorded packets of a workload arrive in the simulation, one after the other: there is no list of all of them.

class Arrivals {
  readonly #simulation: Simulation;
  readonly #workload: Workload;
  readonly #begin: (flow: FlowArrival) => void;
  readonly #start: number;
  #drawn = false;
  #scheduled = 0;
  /** Arrival of the last flow so far, nanoseconds from the start. */
  lastNs = 0;
  count = 0;

  /** The traffic starts at the present virtual time. */
  constructor(simulation: Simulation, workload: Workload, begin: (flow: FlowArrival) => void) {
    this.#simulation = simulation;
    this.#workload = workload;
    this.#begin = begin;
    this.#start = simulation.now;
    this.#drawNext();
  }

  /** Whether no further flow will arrive, unless the completion of a flow starts one. */
  get ended(): boolean {
    return this.#drawn && this.#scheduled === 0;
  }

  /** Reports that a flow is complete: the flows that it starts will arrive. */
  completed(flow: FlowArrival): void {
    const { now } = this.#simulation;
    for (const next of this.#workload.completed?.(flow, now - this.#start) ?? []) this.#schedule(next, false);
  }

  #drawNext(): void {
    const flow = this.#workload.next();
    if (flow === undefined) this.#drawn = true;
    else this.#schedule(flow, true);
  }

  #schedule(flow: FlowArrival, isNext: boolean): void {
    this.#scheduled++;
    this.#simulation.at(this.#start + flow.startNs, () => {
      this.#scheduled--;
      this.count++;
      this.lastNs = flow.startNs;
      // This precedes the beginning of the flow, so that `ended` is right for it.
      if (isNext) this.#drawNext();
      this.#begin(flow);
    });
  }
}

/** Starts at the present time; one packet is read ahead. */
function replayPackets(fabric: Fabric, packets: PacketSource): void {
  const { network } = fabric;
  const { simulation } = network;
  const start = simulation.now;
  const uplinks = new Map<number, Channel>();
  const uplinkOf = (host: number) => {
    let channel = uplinks.get(host);
    if (channel === undefined) {
      const node = fabric.host(host);
      const link = network.linksOf(node).find(({ a, b }) => (a.node === node ? a : b).port === 1)!;
      channel = link.a.node === node ? link.aToB : link.bToA;
      uplinks.set(host, channel);
    }
    return channel;
  };
  const sendNext = () => {
    const packet = packets.next();
    if (packet === undefined) return;
    simulation.at(start + packet.timeNs, () => {
      uplinkOf(packet.host).send(packet.frame);
      sendNext();
    });
  };
  sendNext();
}

// Measures the network itself in one window: queues, links and lost packets.

class FabricMeter {
  readonly #queues: QueueMeter | undefined;
  readonly #links: LinkMeter;
  readonly #drops: DropMeter;
  readonly #flowControl: FlowControlMeter | undefined;
  readonly #trimming: TrimMeter | undefined;
  #queueFigures: (() => QueueFigures) | undefined;
  #linkUse: readonly LinkUse[] = [];

  constructor(fabric: Fabric) {
    this.#queues = QueueMeter.on(fabric);
    this.#links = new LinkMeter(fabric);
    this.#drops = new DropMeter(fabric);
    this.#flowControl = FlowControlMeter.on(fabric);
    this.#trimming = TrimMeter.on(fabric);
  }

  /** Begins the window of queues and links. Lost packets are counted from now to the end of the run. */
  begin(): void {
    this.#queues?.begin();
    this.#links.begin();
    this.#drops.begin();
    this.#flowControl?.begin();
    this.#trimming?.begin();
  }

  /** Ends the window. */
  end(): void {
    this.#queueFigures = this.#queues?.end();
    this.#linkUse = this.#links.end();
    this.#flowControl?.end();
  }

  /** The figures; to be called at the end of the run. */
  figures(): Pick<LoadFigures, "queues" | "links" | "drops" | "flowControl" | "trimmed"> {
    const queues = this.#queueFigures?.();
    const flowControl = this.#flowControl?.figures();
    const trimmed = this.#trimming?.figures();
    return {
      ...given({ queues }),
      ...given({ links: this.#linkUse.length === 0 ? undefined : this.#linkUse }),
      drops: this.#drops.end(),
      ...given({ flowControl }),
      ...given({ trimmed }),
    };
  }
}
