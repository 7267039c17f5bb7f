/** A timeline on real switches and hosts: flows of the kernel's TCP, faults as entries, link events and killed processes. */

import { DiagnosticError, defined, given } from "../../../../base/index.js";
import { type AgentFlow, monotonicNs, runIperf3 } from "../../../testbed/index.js";
import { listedFaultTables, withFaults } from "../../faults/during-testbed.js";
import type { Fault } from "../../faults/fault.js";
import { faultTables } from "../../faults/fault-entries.js";
import { sleepUntil } from "../../testbed/flow-watch.js";
import { LoadMeter, saturationWarnings } from "../../testbed/machine-load.js";
import type { SchemeOnTestbed } from "../../testbed/scheme-on-testbed.js";
import type { SchemeUnit, TestbedSide, TestbedStage } from "../kind.js";
import type { Timeline } from "./check.js";
import {
  type FlowRecord,
  OutageLog,
  type TimelineFlow,
  type TimelineSeries,
  timelineFlows,
  unreported,
} from "./flows.js";

/** Time from the request for the flows to the start of the timeline: long enough for every agent to receive its request. */
const LEAD_NS = 500_000_000;

/** How a timeline runs on real switches. */
export const TIMELINE_ON_TESTBED: TestbedSide<
  Timeline,
  SchemeUnit,
  TimelineSeries,
  ReadonlyMap<Fault, number>
> = {
  async check(timeline, engine, stop) {
    return await listedFaultTables(timeline, engine, stop);
  },
  missingSignals: ({ settings }) =>
    new Map(
      settings.traffic.generator === "iperf3"
        ? [["source-ports", "iperf3 opens its connections itself: leave traffic.generator out"]]
        : [],
    ),
  async prepare({ topology, faults }) {
    return faultTables(topology, faults)!;
  },
  async run(timeline, { scheme }, { fabric, prepared, controllers, stepDone }) {
    const meter = new LoadMeter(fabric.run.testbed);
    await meter.start();
    const records = await play(timeline, fabric, prepared, controllers);
    const load = await meter.stop();
    await stepDone();
    return { scheme, records, load };
  },
  warnings: (series) => [
    ...saturationWarnings(series.map(({ load }) => load)),
    ...series.flatMap(({ scheme, records }) =>
      records.flatMap(({ flow, broken }) =>
        broken === undefined
          ? []
          : [
              `${scheme.title}: the flow ${flow.from.name} to ${flow.to.name}, port ${flow.clientPort}: ${broken}.`,
            ],
      ),
    ),
  ],
};

async function play(
  timeline: Timeline,
  fabric: SchemeOnTestbed,
  tables: ReadonlyMap<Fault, number>,
  controllers: TestbedStage<unknown>["controllers"],
): Promise<FlowRecord[]> {
  const { seed, stop } = fabric.run;
  const flows = timelineFlows(timeline, seed);
  const { generator } = timeline.settings.traffic;
  const agents = await Promise.all(
    flows.map(async ({ from, to, port }) => {
      // The servers of iperf3 listen themselves; their packets go through the agents too.
      const receiver = generator === "agent" ? fabric.listen(to.index, port) : fabric.agent(to.index);
      return (await Promise.all([fabric.agent(from.index), receiver]))[0];
    }),
  );
  await controllers.start();
  const start = monotonicNs() + LEAD_NS;
  const { ip } = timeline.settings.traffic;
  const { segment_bytes, window_segments, rto_margin } = timeline.settings.transport;
  const running = flows.map((flow, i) => {
    if (generator === "iperf3") return recordIperf3(flow, timeline, fabric, start);
    return record(
      flow,
      defined(agents[i]).flow({
        to: ip === 4 ? defined(flow.to.host).ipv4 : defined(flow.to.host).ipv6,
        ipVersion: ip,
        port: flow.port,
        clientPort: flow.clientPort,
        policyPort: true,
        ...given({ bytes: flow.bytes }),
        segmentBytes: segment_bytes,
        ...given({ windowSegments: window_segments }),
        startNs: Math.round(start + flow.start),
      }),
      start,
      rto_margin,
    );
  });
  const { duration } = timeline.settings;
  return await withFaults(timeline, fabric, tables, { start, duration }, async () => {
    await sleepUntil(start + duration, stop);
    const records = await Promise.all(running.map((finish) => finish()));
    // This precedes the end of the faults, so that controllers do not react to links that come back.
    await controllers.stop();
    return records;
  });
}

/** Watches a flow, in nanoseconds from `start`. The returned function ends it and returns its record. */
export function record(
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
      broken: broken ?? unreported(log.timeouts, result?.timeouts ?? 0),
    };
  };
}

/** A flow of iperf3, which reports no timeouts; the end of the timeline ends it. */
function recordIperf3(
  flow: TimelineFlow,
  { settings: { traffic, duration } }: Timeline,
  { run }: SchemeOnTestbed,
  start: number,
): () => Promise<FlowRecord> {
  const end = (node: TimelineFlow["from"]) => ({
    host: defined(run.testbed.hosts.get(node.name)),
    address: traffic.ip === 4 ? defined(node.host).ipv4 : defined(node.host).ipv6,
  });
  const outcome = (async (): Promise<FlowRecord> => {
    await sleepUntil(start + flow.start, run.stop);
    const timeoutMs = Math.ceil((start + duration - monotonicNs()) / 1e6);
    const { bytes, fctNs } = await runIperf3(end(flow.from), end(flow.to), {
      ipVersion: traffic.ip,
      port: flow.port,
      bytes: defined(flow.bytes),
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
