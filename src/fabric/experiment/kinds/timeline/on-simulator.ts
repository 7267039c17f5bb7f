/** A timeline on the packet simulator. */

import { Random } from "../../../../base/index.js";
import { PROTOCOL_TCP } from "../../../../base/packets/index.js";
import { CLIENT, type ConnectionEnd, SERVER } from "../../../hosts/index.js";
import type { Fabric } from "../../../sim/packet/index.js";
import type { Steps } from "../../advance.js";
import { type SchemeRun, transportOptions } from "../../experiment.js";
import { scheduleFaults } from "../../faults/during-run.js";
import { FlowDrops } from "../../faults/flow-drops.js";
import type { SimulatorStage } from "../kind.js";
import type { Timeline } from "./check.js";
import { type FlowRecord, OutageLog, type TimelineFlow, timelineFlows } from "./flows.js";

/** Runs the flows and faults of a timeline once. Faults that do not end stay in the fabric. */
export async function playInSimulator(
  timeline: Timeline,
  scheme: SchemeRun,
  stage: SimulatorStage,
): Promise<FlowRecord[]> {
  const { fabric, seed, play, breathe } = stage;
  const { simulation } = fabric.network;
  const start = simulation.now;
  fabric.events.began();
  const drops = new FlowDrops(fabric, timeline.faults, stage.note);
  const end = start + timeline.settings.duration;
  const slice = Math.ceil(timeline.settings.duration / SLICES);
  const listed = timelineFlows(timeline, seed);
  const assigned = scheme.assign?.(
    listed.map(({ from, to, port, bytes = Number.POSITIVE_INFINITY }) => ({
      source: from.index,
      destination: to.index,
      version: timeline.settings.traffic.ip,
      protocol: PROTOCOL_TCP,
      destinationPort: port,
      bytes,
    })),
  );
  const flows = listed.map((flow, i) => {
    const assignment = assigned?.[i];
    const end = assignment === undefined ? CLIENT : { ...CLIENT, assignment };
    const random = new Random(seed).fork(`flow ${i}`);
    return openFlow(timeline, fabric, { flow, end, number: i, start, random });
  });
  const throwIfFailed = scheduleFaults(timeline, timeline.settings.duration, stage, drops);
  while (simulation.now < end) {
    await play(until(Math.min(end, simulation.now + slice)));
    throwIfFailed();
    await breathe();
  }
  const records = flows.map((finish) => finish());
  fabric.events.ended();
  return records;
}

function* until(time: number): Steps<void> {
  yield time;
}

/** Number of parts into which a timeline is divided; signals of the process are handled between them. */
const SLICES = 10_000;

interface OpenedFlow {
  readonly flow: TimelineFlow;
  readonly end: ConnectionEnd;
  /** In the list of the file. */
  readonly number: number;
  /** Of the experiment, nanoseconds of virtual time. */
  readonly start: number;
  readonly random: Random;
}

/** Opens a flow at its time. The returned function closes it and returns its record. */
function openFlow(
  { settings }: Timeline,
  fabric: Fabric,
  { flow, end, number, start, random }: OpenedFlow,
): () => FlowRecord {
  const { simulation } = fabric.network;
  const { ip } = settings.traffic;
  const transport = transportOptions(settings.transport);
  const [a, b] = [fabric.host(flow.from.index), fabric.host(flow.to.index)];
  const log = new OutageLog();
  let completion: number | undefined;
  const to = { address: b.address(ip), port: flow.port };
  const clientPort = a.sourcePort(ip, flow.clientPort, to, random.fork("port"), end);
  const client = a.open(ip, clientPort, to, random.fork("client"), transport, end);
  fabric.events.flowOpened(number, client.flow, flow.bytes);
  const from = { address: a.address(ip), port: clientPort };
  const server = b.open(ip, flow.port, from, random.fork("server"), transport, SERVER);
  client.listener = {
    timedOut: () => {
      fabric.events.flowTimedOut(number);
      log.timedOut(simulation.now - start, client.progressAt - start);
    },
    recovered: () => log.recovered(simulation.now - start),
    finished: () => {
      fabric.events.flowCompleted(number);
      completion = simulation.now - start - flow.start;
    },
  };
  simulation.at(start + flow.start, () => client.send(flow.bytes ?? Number.POSITIVE_INFINITY));
  return () => {
    client.close();
    return {
      // The port that its host or a planner has chosen.
      flow: { ...flow, clientPort },
      bytes: client.bytesAcknowledged,
      completion,
      outages: log.outages(),
      copies: client.counters.copiesSent + server.counters.copiesSent,
      broken: undefined,
    };
  };
}
