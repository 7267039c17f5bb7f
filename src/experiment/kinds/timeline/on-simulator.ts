/** A timeline on the packet simulator. */
import { Random } from "../../../base/index.js";
import { ControlChannel, type Fabric, NS_PER_S, type SwitchNode } from "../../../sim/packet/index.js";
import { bootControlled, ProgramCompiler } from "../../boot.js";
import type { ControlPlane } from "../../control-plane.js";
import { runControlled, startControllers, stopControllers } from "../../control-plane-simulated.js";
import { breather, type EngineContext } from "../../engine.js";
import type { Timeline } from "../../experiment.js";
import { type SimulatorFaultOptions, SimulatorFaults } from "../../faults/on-simulator.js";
import { transitionsOf } from "../../faults/schedule.js";
import { type FlowRecord, OutageLog, type TimelineFlow, timelineFlows } from "./flows.js";
import type { TimelineOutcome, TimelineSeries } from "./run.js";

export async function simulateTimeline(
  timeline: Timeline,
  seed: number,
  { progress, p4c, stop }: EngineContext,
): Promise<TimelineOutcome> {
  const compiler = new ProgramCompiler({ p4c });
  const series: TimelineSeries[] = [];
  for (const [i, scheme] of timeline.schemes.entries()) {
    progress(i, timeline.schemes.length, scheme.label);
    const booted = await bootControlled(timeline, scheme, compiler, seed);
    const { fabric, channels } = booted;
    const { simulation } = fabric.network;
    const programs = await compiler.compileAll(scheme);
    const power: SwitchPower = {
      kill: (node) => {
        for (const channel of Object.values(channels.get(node)!)) channel.disconnect();
      },
      restart: async (node) => {
        const { program, updates } = scheme.plan.switches.find((own) => own.node === node)!;
        const { device } = fabric.nodes[node] as SwitchNode;
        const channel = new ControlChannel(simulation, device, timeline.settings.control_channel);
        await channel.load(programs.get(program)!);
        await channel.write(updates);
        for (const own of Object.values(channels.get(node)!)) own.connect();
      },
    };
    const plane = await startControllers(booted, scheme, seed);
    try {
      const records = await play(timeline, fabric, seed, power, plane, breather(stop));
      if (plane !== undefined) await stopControllers(simulation, plane);
      series.push({ scheme, records, ...(plane === undefined ? {} : { log: plane.log }) });
    } finally {
      plane?.close();
    }
  }
  const notes = p4c === undefined ? [] : ["The programs were compiled by p4c."];
  return { series, programs: compiler.sources, notes, warnings: [] };
}

/** What faults do to the process of a switch. `restart` brings its program and state back, over the control channel. */
type SwitchPower = Pick<SimulatorFaultOptions, "kill" | "restart">;

async function play(
  timeline: Timeline,
  fabric: Fabric,
  seed: number,
  power: SwitchPower,
  plane: ControlPlane | undefined,
  breathe: () => Promise<void>,
): Promise<FlowRecord[]> {
  const { simulation } = fabric.network;
  const start = simulation.now;
  const end = start + timeline.settings.duration;
  const faults = new SimulatorFaults(fabric, { random: new Random(seed).fork("faults"), ...power });
  const slice = Math.ceil(timeline.settings.duration / SLICES);
  const flows = timelineFlows(timeline, seed).map((flow, i) =>
    openFlow(timeline, fabric, flow, start, new Random(seed).fork(`flow ${i}`)),
  );
  let failed: unknown;
  for (const { at, fault, begins } of transitionsOf(timeline.faults, timeline.settings.duration)) {
    simulation.at(start + at, () => {
      if (begins) return faults.begin(fault);
      faults.end(fault)?.catch((error) => {
        failed = error;
        simulation.stop();
      });
    });
  }
  if (plane !== undefined)
    for (const fault of timeline.controllerFaults) simulation.at(start + fault.at, () => plane.apply(fault));
  while (simulation.now < end) {
    await runControlled(simulation, plane, Math.min(end, simulation.now + slice));
    if (failed !== undefined) throw failed;
    await breathe();
  }
  return flows.map((finish) => finish());
}

/** A timeline is simulated in so many parts, between which signals of the process are handled. */
const SLICES = 10_000;

/** Opens a flow at its time. The returned function closes it and reports what became of it. */
function openFlow(
  { settings }: Timeline,
  fabric: Fabric,
  flow: TimelineFlow,
  start: number,
  random: Random,
): () => FlowRecord {
  const { simulation } = fabric.network;
  const { ip } = settings.traffic;
  const { segment_bytes, window_segments, rto_margin, rto_cap } = settings.transport;
  const transport = {
    segmentBytes: segment_bytes,
    windowSegments: window_segments,
    margin: rto_margin,
    cap: rto_cap,
    initial: NS_PER_S,
  };
  const [a, b] = [fabric.host(flow.from.index), fabric.host(flow.to.index)];
  const log = new OutageLog();
  let completion: number | undefined;
  const client = a.open(
    ip,
    flow.clientPort,
    { address: b.address(ip), port: flow.port },
    random.fork("client"),
    transport,
  );
  const server = b.open(
    ip,
    flow.port,
    { address: a.address(ip), port: flow.clientPort },
    random.fork("server"),
    transport,
  );
  client.listener = {
    timedOut: () => log.timedOut(simulation.now - start, client.progressAt - start),
    recovered: () => log.recovered(simulation.now - start),
    finished: () => {
      completion = simulation.now - start - flow.start;
    },
  };
  simulation.at(start + flow.start, () => client.send(flow.bytes ?? Number.POSITIVE_INFINITY));
  return () => {
    client.close();
    return {
      flow,
      bytes: client.bytesAcknowledged,
      completion,
      outages: log.outages(),
      copies: client.copiesSent + server.copiesSent,
      broken: undefined,
    };
  };
}
