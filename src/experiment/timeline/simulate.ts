/** A timeline on the packet simulator. */
import { Random } from "../../base/index.js";
import { ControlChannel, type Fabric, NS_PER_S, type SwitchNode, settle } from "../../sim/packet/index.js";
import { bootFabric, ProgramCompiler } from "../boot.js";
import type { EngineContext } from "../engine.js";
import type { Timeline } from "../experiment.js";
import { setFault } from "../failover.js";
import { type PlacedFault, placedFaults } from "./check.js";
import { type FlowRecord, OutageLog, type TimelineFlow, timelineFlows } from "./flows.js";
import type { TimelineOutcome, TimelineSeries } from "./run.js";

export async function simulateTimeline(
  timeline: Timeline,
  seed: number,
  { progress, p4c }: EngineContext,
): Promise<TimelineOutcome> {
  const compiler = new ProgramCompiler({ p4c });
  const series: TimelineSeries[] = [];
  for (const [i, scheme] of timeline.schemes.entries()) {
    progress(i, timeline.schemes.length, scheme.label);
    const fabric = await bootFabric(timeline, scheme, compiler, seed);
    const programs = await compiler.compileAll(scheme);
    const restart = async (node: number) => {
      const { program, updates } = scheme.plan.switches.find((own) => own.node === node)!;
      const { device } = fabric.nodes[node] as SwitchNode;
      const channel = new ControlChannel(
        fabric.network.simulation,
        device,
        timeline.settings.control_channel.delay,
      );
      await channel.load(programs.get(program)!);
      await channel.write(updates);
    };
    series.push({ scheme, records: await play(timeline, fabric, seed, restart) });
  }
  const notes = p4c === undefined ? [] : ["The programs were compiled by p4c."];
  return { series, programs: compiler.sources, notes };
}

/** `restart` brings the program and state of a switch back, over the control channel. */
async function play(
  timeline: Timeline,
  fabric: Fabric,
  seed: number,
  restart: (node: number) => Promise<void>,
): Promise<FlowRecord[]> {
  const { simulation } = fabric.network;
  const start = simulation.now;
  const end = start + timeline.settings.duration;
  const elements = new Elements(fabric);
  const flows = timelineFlows(timeline, seed).map((flow, i) =>
    openFlow(timeline, fabric, flow, start, new Random(seed).fork(`flow ${i}`)),
  );
  const pending: Promise<void>[] = [];
  for (const fault of placedFaults(timeline.settings, timeline.topology)) {
    simulation.at(start + fault.at, () => {
      if (fault.kind !== "restart") return elements.apply(fault);
      // Promises go on between events: the run is left for them.
      pending.push(restart(fault.site.index).then(() => elements.apply(fault)));
      simulation.stop();
    });
  }
  while (simulation.now < end) {
    simulation.run(end);
    for (let work = pending.shift(); work !== undefined; work = pending.shift())
      await settle(simulation, work);
  }
  return flows.map((finish) => finish());
}

/** What is wrong with links and switches: an element works again when the last of its faults is over. */
class Elements {
  readonly #faults = new Map<string, Set<string>>();

  constructor(readonly fabric: Fabric) {}

  apply({ kind, site }: PlacedFault): void {
    const { network } = this.fabric;
    if (kind === "down" || kind === "up") network.signalLink(this.fabric.link(site.index), kind === "up");
    const links =
      site.kind === "link" ? [this.fabric.link(site.index)] : network.linksOf(this.fabric.nodes[site.index]!);
    const cause = `${site.kind} ${site.index} ${ENDED[kind] ?? kind}`;
    for (const link of links) {
      const key = String(link.index);
      const own = this.#faults.get(key) ?? new Set<string>();
      this.#faults.set(key, own);
      if (ENDED[kind] === undefined) own.add(cause);
      else own.delete(cause);
      setFault(this.fabric, { kind: "link", index: link.index }, own.size > 0 ? "fail" : "repair");
    }
  }
}

const ENDED: Readonly<Record<string, string | undefined>> = { repair: "silent", up: "down", restart: "kill" };

/** Opens a flow at its time; the function that comes back closes it and tells what became of it. */
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
  b.open(ip, flow.port, { address: a.address(ip), port: flow.clientPort }, random.fork("server"), transport);
  let triedAt = 0;
  client.listener = {
    timedOut: () => {
      triedAt = simulation.now - start;
      log.timedOut(triedAt);
    },
    recovered: () => log.recovered(triedAt),
    finished: () => {
      completion = simulation.now - start - flow.start;
    },
  };
  simulation.at(start + flow.start, () => client.send(flow.bytes ?? Number.POSITIVE_INFINITY));
  return () => {
    client.close();
    return { flow, bytes: client.bytesAcknowledged, completion, outages: log.outages(), broken: undefined };
  };
}
