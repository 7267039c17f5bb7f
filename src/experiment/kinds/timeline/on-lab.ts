/** A timeline on real switches and hosts: flows of the kernel's TCP, faults as entries, link events and dead processes. */
import { DiagnosticError } from "../../../base/index.js";
import type { Program } from "../../../program/index.js";
import { type AgentFlow, monotonicNs, runIperf3, type SwitchEngine } from "../../../testbed/index.js";
import { ProgramCompiler } from "../../boot.js";
import type { EngineContext } from "../../engine.js";
import type { SchemeRun, Timeline } from "../../experiment.js";
import { effectName, endName, type Fault } from "../../faults/fault.js";
import { checkLabFaults } from "../../faults/lab-check.js";
import { LabFaults } from "../../faults/on-lab.js";
import { transitionsOf } from "../../faults/schedule.js";
import { sleepUntil } from "../../testbed/flow-watch.js";
import { LoadMeter, saturationWarnings } from "../../testbed/machine-load.js";
import { SchemeOnLab } from "../../testbed/scheme-on-lab.js";
import { withCleanup, withLab } from "../../testbed/with-lab.js";
import { type FlowRecord, OutageLog, type TimelineFlow, timelineFlows } from "./flows.js";
import type { TimelineOutcome, TimelineSeries } from "./run.js";

/** From the order to start the flows to the start of the timeline: long enough for every agent to receive its order. */
const LEAD_NS = 500_000_000;

export async function timelineOnTestbed(
  engine: SwitchEngine,
  timeline: Timeline,
  seed: number,
  context: EngineContext,
): Promise<TimelineOutcome> {
  const { topology, locate, faults } = timeline;
  const place = (fault: Fault, key?: string) =>
    locate(["faults", fault.number, ...(key === undefined ? [] : [key])]);
  const { tables, count } = await checkLabFaults(topology, faults, engine, place, context.stop);
  const compiler = new ProgramCompiler({ p4c: context.p4c, faultTables: count });
  const ready: { scheme: SchemeRun; programs: ReadonlyMap<string, Program> }[] = [];
  for (const scheme of timeline.schemes) ready.push({ scheme, programs: await compiler.compileAll(scheme) });
  const { value: series, notes } = await withLab(engine, timeline, seed, context, async (run) => {
    const made: TimelineSeries[] = [];
    for (const [i, { scheme, programs }] of ready.entries()) {
      context.progress(i, ready.length, scheme.label);
      const fabric = new SchemeOnLab(run, timeline, scheme, programs);
      try {
        await fabric.configure();
        const meter = new LoadMeter(run.lab);
        await meter.start();
        const { records, log } = await play(timeline, fabric, tables);
        made.push({ scheme, records, load: await meter.stop(), ...(log === undefined ? {} : { log }) });
      } finally {
        await fabric.close();
      }
    }
    return made;
  });
  return {
    series,
    programs: compiler.sources,
    notes,
    warnings: saturationWarnings(series.map(({ load }) => load)),
  };
}

async function play(
  timeline: Timeline,
  fabric: SchemeOnLab,
  tables: ReadonlyMap<Fault, number>,
): Promise<Pick<TimelineSeries, "records" | "log">> {
  const { seed, stop, journal } = fabric.run;
  const flows = timelineFlows(timeline, seed);
  const { generator } = timeline.settings.traffic;
  const agents = await Promise.all(
    flows.map(async ({ from, to, port }) => {
      // The servers of iperf3 listen themselves; their packets go through the agents too.
      const receiver = generator === "agent" ? fabric.listen(to.index, port) : fabric.agent(to.index);
      return (await Promise.all([fabric.agent(from.index), receiver]))[0];
    }),
  );
  await fabric.control.start();
  const start = monotonicNs() + LEAD_NS;
  const { ip } = timeline.settings.traffic;
  const { segment_bytes, window_segments, rto_margin } = timeline.settings.transport;
  const running = flows.map((flow, i) => {
    if (generator === "iperf3") return recordIperf3(flow, timeline, fabric, start);
    return record(
      flow,
      agents[i]!.flow({
        to: ip === 4 ? flow.to.host!.ipv4 : flow.to.host!.ipv6,
        ipVersion: ip,
        port: flow.port,
        clientPort: flow.clientPort,
        ...(flow.bytes === undefined ? {} : { bytes: flow.bytes }),
        segmentBytes: segment_bytes,
        windowSegments: window_segments,
        startNs: Math.round(start + flow.start),
      }),
      start,
      rto_margin,
    );
  });
  const faults = new LabFaults(timeline.topology, fabric.faultyLab, tables);
  const { controllerFaults } = timeline;
  return await withCleanup(
    async () => {
      // They take no time, so they need not wait for the faults of the network.
      const killing = (async () => {
        for (const fault of controllerFaults) {
          await sleepUntil(start + fault.at, stop);
          fabric.control.apply(fault);
        }
      })();
      killing.catch(() => {});
      for (const { at, fault, begins } of transitionsOf(timeline.faults, timeline.settings.duration)) {
        await sleepUntil(start + at, stop);
        const late = (monotonicNs() - start - at) / 1e6;
        const what = begins ? effectName(fault) : endName(fault);
        journal.write(`fault ${fault.number}: ${what}, ${late.toFixed(1)} ms late`);
        await (begins ? faults.begin(fault) : faults.end(fault));
      }
      await sleepUntil(start + timeline.settings.duration, stop);
      await killing;
      const records = await Promise.all(running.map((finish) => finish()));
      // Before the faults end: the links that come back then are none of its business.
      const [log] = await fabric.control.stop();
      return { records, ...(log === undefined ? {} : { log: log.lines }) };
    },
    () => faults.endAll(),
  );
}

/** Listens to a flow. The returned function ends it and reports what became of it. */
function record(
  flow: TimelineFlow,
  real: AgentFlow,
  start: number,
  /** Nanoseconds: minimum of every timeout. */
  margin: number,
): () => Promise<FlowRecord> {
  const log = new OutageLog();
  let broken: string | undefined;
  const stopListening = real.onEvent((event) => {
    const at = event.atNs - start;
    if (event.kind === "timeout") log.timedOut(at, Math.max(flow.start, at - margin));
    else if (event.kind === "recovered") log.recovered(at);
    else if (event.kind === "failed") broken = event.text;
  });
  return async () => {
    const result = await real.stop().catch(() => undefined);
    stopListening();
    return {
      flow,
      bytes: result?.bytes ?? 0,
      completion: result === undefined || result.stopped ? undefined : result.fctNs,
      outages: log.outages(),
      broken,
    };
  };
}

/** A flow of iperf3, which reports no timeouts; the end of the timeline ends it. */
function recordIperf3(
  flow: TimelineFlow,
  { settings: { traffic, duration } }: Timeline,
  { run }: SchemeOnLab,
  start: number,
): () => Promise<FlowRecord> {
  const end = (node: TimelineFlow["from"]) => ({
    host: run.lab.hosts.get(node.name)!,
    address: traffic.ip === 4 ? node.host!.ipv4 : node.host!.ipv6,
  });
  const outcome = (async (): Promise<FlowRecord> => {
    await sleepUntil(start + flow.start, run.stop);
    const timeoutMs = Math.ceil((start + duration - monotonicNs()) / 1e6);
    const { bytes, fctNs } = await runIperf3(end(flow.from), end(flow.to), {
      ipVersion: traffic.ip,
      port: flow.port,
      bytes: flow.bytes!,
      timeoutMs: Math.max(timeoutMs, 1),
    });
    return { flow, bytes, completion: fctNs, outages: [], broken: undefined };
  })().catch((error: unknown): FlowRecord => {
    if (!(error instanceof DiagnosticError)) throw error;
    return { flow, bytes: 0, completion: undefined, outages: [], broken: error.message };
  });
  // It is awaited at the end only; until then a rejection counts as handled.
  outcome.catch(() => {});
  return () => outcome;
}
