/** The outcome of a scheme: the unevenness of each group, and the loads of links between pods. */
import { Random } from "../../../../base/index.js";
import { emptyFlows, FlowTracer, type GroupLoad, SpreadMeter } from "../../../paths/index.js";
import { coefficientOfVariation } from "../../../statistics/index.js";
import { hostsOf, type Topology } from "../../../topology/index.js";
import type { TopologyStage } from "../registered-kind.js";
import type { Spread, SpreadSettings, SpreadUnit } from "./check.js";

export interface SpreadOutcome {
  readonly lost: number;
  /** Coefficients of variation of all groups with enough flows, sorted: of the ports' loads divided by their intended loads. */
  readonly cvs: readonly number[];
  /** The expected values for an ideal random function: the unevenness by chance alone. */
  readonly noise: readonly number[];
  /** The group with the highest coefficient. */
  readonly worst: WorstGroup | undefined;
  /** Loads divided by their mean, of the pair of pods whose links are least even. */
  readonly pods: readonly number[] | undefined;
}

interface WorstGroup {
  readonly node: string;
  readonly slots: number;
  /** Loads of its ports divided by their intended loads, with the mean 1. */
  readonly loads: readonly number[];
}

const BATCH = 1 << 18;

export async function runSpread(
  { settings, topology, sizes }: Spread,
  { scheme }: SpreadUnit,
  { seed, stepDone, breathe }: TopologyStage,
): Promise<SpreadOutcome> {
  const tracer = new FlowTracer(topology, scheme.plan.pathModel!());
  const meter = new SpreadMeter(tracer);
  // All schemes have the same flows.
  const draw = pairDrawer(topology, settings, new Random(seed).fork("spread"));
  const sizesOf = new Random(seed).fork("sizes");
  const flows = emptyFlows(Math.min(BATCH, settings.trace_flows), settings.ip);
  const weights = sizes && new Float64Array(flows.size);
  let squares = 0;
  let sum = 0;
  for (let left = settings.trace_flows; left > 0; left -= flows.size) {
    const size = Math.min(flows.size, left);
    for (let flow = 0; flow < size; flow++) {
      draw(flows, flow);
      if (weights === undefined) continue;
      const weight = sizes!.sample(sizesOf);
      weights[flow] = weight;
      sum += weight;
      squares += weight * weight;
    }
    meter.add({ ...flows, size }, weights);
    await breathe();
  }
  await stepDone();
  // The variance of the loads of flows adds to that of their number.
  const spread = weights === undefined ? 1 : (squares * settings.trace_flows) / (sum * sum);
  const groups = meter
    .groups()
    .filter(({ flows: seen, ports }) => seen >= settings.least_flows * ports.length);
  const measured = groups.map((group) => ({ group, cv: coefficientOfVariation(shares(group)) ?? 0 }));
  measured.sort((a, b) => a.cv - b.cv);
  const last = measured.at(-1)?.group;
  return {
    lost: meter.lost,
    cvs: measured.map(({ cv }) => cv),
    noise: groups
      .map(({ flows: seen, ports }) => Math.sqrt((spread * (ports.length - 1)) / seen))
      .sort((a, b) => a - b),
    worst: last && { node: topology.nodes[last.node]!.name, slots: last.slots, loads: byMean(shares(last)) },
    pods: unevenPods(topology, meter.links),
  };
}

function shares({ loads, wanted }: GroupLoad): number[] {
  return loads.map((load, i) => load / wanted[i]!);
}

function byMean(values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value / mean);
}

function pairDrawer(topology: Topology, { pattern }: SpreadSettings, random: Random) {
  const hosts = hostsOf(topology);
  const index = Int32Array.from(hosts, (host) => host.index);
  const group = Int32Array.from(hosts, ({ index: own, host }) =>
    pattern === "any" ? own : pattern === "inter_rack" ? host!.rack : topology.racks[host!.rack]!.pod,
  );
  return (flows: ReturnType<typeof emptyFlows>, flow: number): void => {
    const from = random.int(index.length);
    let to = random.int(index.length);
    while (group[to] === group[from]) to = random.int(index.length);
    flows.source[flow] = index[from]!;
    flows.destination[flow] = index[to]!;
    const ports = random.uint32();
    flows.sourcePort[flow] = ports & 0xffff;
    flows.destinationPort[flow] = ports >>> 16;
  };
}

/** Loads, divided by their mean, of the links from a pod to another: for the pair with the highest ratio of maximum to minimum. */
function unevenPods({ nodes, links }: Topology, loads: Float64Array): number[] | undefined {
  const pairs = new Map<string, number[]>();
  for (const { index, a, b } of links) {
    const [one, other] = [nodes[a.node]!.pod, nodes[b.node]!.pod];
    if (one === undefined || other === undefined || one === other) continue;
    for (const [way, key] of [`${one} ${other}`, `${other} ${one}`].entries()) {
      const own = pairs.get(key) ?? [];
      own.push(loads[2 * index + way]!);
      pairs.set(key, own);
    }
  }
  let worst: number[] | undefined;
  for (const own of pairs.values())
    if (own.some((load) => load > 0) && (worst === undefined || ratio(own) > ratio(worst))) worst = own;
  return worst && byMean(worst);
}

/** Maximum divided by minimum; infinite where the minimum is 0. */
export function ratio(values: readonly number[]): number {
  return Math.max(...values) / Math.min(...values);
}
