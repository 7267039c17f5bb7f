/** A timeline on real switches and hosts: flows of the kernel's TCP, faults as entries, link events and dead processes. */
import { DiagnosticError } from "../../base/index.js";
import type { Program } from "../../program/index.js";
import { type AgentFlow, monotonicNs, runIperf3, type SwitchEngine } from "../../testbed/index.js";
import { ProgramCompiler } from "../boot.js";
import type { EngineContext } from "../engine.js";
import type { SchemeRun, Timeline } from "../experiment.js";
import { faultEntries, writeFault } from "../testbed/fault-entries.js";
import { sleepUntil } from "../testbed/flow-watch.js";
import { SchemeOnLab } from "../testbed/scheme-on-lab.js";
import { undone } from "../testbed/undone.js";
import { withLab } from "../testbed/with-lab.js";
import { type PlacedFault, placedFaults } from "./check.js";
import { type FlowRecord, OutageLog, type TimelineFlow, timelineFlows } from "./flows.js";
import type { TimelineOutcome, TimelineSeries } from "./run.js";

/** From the order to start the flows to the start of the timeline: all agents have heard of theirs by then. */
const LEAD_NS = 500_000_000;

export async function timelineOnTestbed(
  engine: SwitchEngine,
  timeline: Timeline,
  seed: number,
  context: EngineContext,
): Promise<TimelineOutcome> {
  const compiler = new ProgramCompiler({ p4c: context.p4c, faults: true });
  const ready: { scheme: SchemeRun; programs: ReadonlyMap<string, Program> }[] = [];
  for (const scheme of timeline.schemes) ready.push({ scheme, programs: await compiler.compileAll(scheme) });
  const { value: series, notes } = await withLab(engine, timeline, seed, context, async (run) => {
    const made: TimelineSeries[] = [];
    for (const [i, { scheme, programs }] of ready.entries()) {
      context.progress(i, ready.length, scheme.label);
      const fabric = new SchemeOnLab(run, timeline, scheme, programs);
      try {
        await fabric.configure();
        made.push({ scheme, records: await play(timeline, fabric) });
      } finally {
        await fabric.close();
      }
    }
    return made;
  });
  return { series, programs: compiler.sources, notes };
}

async function play(timeline: Timeline, fabric: SchemeOnLab): Promise<FlowRecord[]> {
  const { seed, stop, journal } = fabric.run;
  const flows = timelineFlows(timeline, seed);
  const { generator } = timeline.settings.traffic;
  const agents = await Promise.all(
    flows.map(async ({ from, to, port }) => {
      // iperf3's servers listen themselves; their packets go through the agents too.
      const receiver = generator === "agent" ? fabric.listen(to.index, port) : fabric.agent(to.index);
      return (await Promise.all([fabric.agent(from.index), receiver]))[0];
    }),
  );
  const start = monotonicNs() + LEAD_NS;
  const { ip } = timeline.settings.traffic;
  const { segment_bytes, window_segments } = timeline.settings.transport;
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
    );
  });
  const elements = new Elements(timeline, fabric);
  return await undone(
    async () => {
      for (const fault of placedFaults(timeline.settings, timeline.topology)) {
        await sleepUntil(start + fault.at, stop);
        const late = (monotonicNs() - start - fault.at) / 1e6;
        journal.write(`fault ${fault.number}: ${fault.kind}, ${late.toFixed(1)} ms late`);
        await elements.apply(fault);
      }
      await sleepUntil(start + timeline.settings.duration, stop);
      return await Promise.all(running.map((finish) => finish()));
    },
    () => elements.mend(),
  );
}

/** What is wrong with links and switches, so that it can be mended, and written again into a switch that restarts. */
class Elements {
  readonly #active = new Map<string, PlacedFault>();
  readonly #dead = new Set<number>();

  constructor(
    readonly timeline: Timeline,
    readonly fabric: SchemeOnLab,
  ) {}

  async apply(fault: PlacedFault): Promise<void> {
    const { kind, site } = fault;
    const key = `${site.kind} ${site.index} ${kind === "repair" ? "silent" : kind === "up" ? "down" : kind}`;
    switch (kind) {
      case "silent":
        this.#active.set(key, fault);
        return await this.#write(fault, "insert");
      case "repair":
        this.#active.delete(key);
        return await this.#write(fault, "delete");
      case "down":
      case "up": {
        if (kind === "down") this.#active.set(key, fault);
        else this.#active.delete(key);
        const { nodes, links } = this.timeline.topology;
        const { a, b } = links[site.index]!;
        return await this.fabric.run.lab.setLink(nodes[a.node]!.name, nodes[b.node]!.name, kind === "up");
      }
      case "kill":
        this.#dead.add(site.index);
        return await this.fabric.switch(site.index).kill();
      case "restart":
        return await this.#restart(site.index);
    }
  }

  /** Everything as it was before the first fault, for the next scheme. */
  async mend(): Promise<void> {
    for (const node of [...this.#dead]) await this.#restart(node);
    for (const fault of [...this.#active.values()])
      await this.apply({ ...fault, kind: fault.kind === "down" ? "up" : "repair" });
  }

  async #restart(node: number): Promise<void> {
    await this.fabric.switch(node).restart();
    await this.fabric.configureSwitch(node);
    this.#dead.delete(node);
    for (const fault of this.#active.values()) await this.#write(fault, "insert", node);
  }

  /** `only`: in this switch alone. A dead switch is told when it is back. */
  async #write(fault: PlacedFault, type: "insert" | "delete", only?: number): Promise<void> {
    if (fault.kind === "down") return;
    const concerned = faultEntries(this.timeline.topology, fault.site).filter(
      ({ node }) => !this.#dead.has(node) && (only === undefined || node === only),
    );
    await Promise.all(
      concerned.map(({ node, entries }) => writeFault(this.fabric.device(node), type, entries)),
    );
  }
}

/** Listens to a flow; the function that comes back ends it and tells what became of it. */
function record(flow: TimelineFlow, real: AgentFlow, start: number): () => Promise<FlowRecord> {
  const log = new OutageLog();
  let broken: string | undefined;
  const stopListening = real.onEvent((event) => {
    if (event.kind === "timeout") log.timedOut(event.atNs - start);
    else if (event.kind === "recovered") log.recovered(event.triedAtNs - start);
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

/** A flow by iperf3, which tells of no timeouts; bounded by the timeline's end. */
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
  const made = (async (): Promise<FlowRecord> => {
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
  // Awaited at the end only: until then a failure is nobody's.
  made.catch(() => {});
  return () => made;
}
