/** Runs the application and its faults on the packet simulator once. */
import { Random } from "../../../../base/index.js";
import { QuantileSketch, type SketchJson } from "../../../statistics/index.js";
import { nodeNamed } from "../../../topology/index.js";
import type { Steps } from "../../advance.js";
import { type TcpTransport, transportOptions } from "../../experiment.js";
import { scheduleFaults } from "../../faults/during-run.js";
import type { SimulatorStage } from "../kind.js";
import { SimulatedApplication } from "./application.js";
import { longestHang, longestJitter } from "./measures.js";
import type { Requests } from "./schema.js";

/** Outcome of one scheme under one seed. All is JSON; times in nanoseconds. */
export interface RequestsOutcome {
  /** Number of measured IOs, and of those that had not completed at the end. */
  readonly ios: number;
  readonly unfinished: number;
  /** Number of IOs that took longer than `jitter`. */
  readonly slow: number;
  /** Latencies of completed IOs. */
  readonly latency: SketchJson;
  /** See `measures.ts`; 0 where there was none. */
  readonly jitter: number;
  readonly hang: number;
  readonly reconnects: number;
  readonly timeouts: number;
}

/** Number of parts into which a run is divided; signals of the process are handled between them. */
const SLICES = 2000;

export async function playRequests(experiment: Requests, stage: SimulatorStage): Promise<RequestsOutcome> {
  const { fabric, seed, play, breathe } = stage;
  const { simulation } = fabric.network;
  const { settings, topology } = experiment;
  const { application, duration, warm_up, traffic } = settings;
  const start = simulation.now;
  fabric.events.began();
  const nodesOf = (names: readonly string[]) => names.map((name) => nodeNamed(topology, name)!.index);
  const own = new SimulatedApplication(
    fabric,
    application,
    transportOptions(settings.transport as TcpTransport),
    traffic.ip,
    { clients: nodesOf(application.clients), servers: nodesOf(application.servers) },
    new Random(seed).fork("application"),
    duration,
  );
  const throwIfFailed = scheduleFaults(experiment, duration, stage);
  const slice = Math.ceil(duration / SLICES);
  while (simulation.now < start + duration) {
    await play(until(Math.min(start + duration, simulation.now + slice)));
    throwIfFailed();
    await breathe();
  }
  own.close();
  fabric.events.ended();
  const ios = own.ios.filter((io) => io.start >= warm_up);
  const latency = new QuantileSketch();
  for (const { start: from, end } of ios) if (end !== undefined) latency.add(end - from);
  return {
    ios: ios.length,
    unfinished: ios.filter(({ end }) => end === undefined).length,
    slow: ios.filter((io) => (io.end ?? duration) - io.start > application.jitter).length,
    latency: latency.toJson(),
    jitter: longestJitter(ios, application.jitter, duration),
    hang: longestHang(ios, duration),
    reconnects: own.reconnects,
    timeouts: own.timeouts,
  };
}

function* until(time: number): Steps<void> {
  yield time;
}
