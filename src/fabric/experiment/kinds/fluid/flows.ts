/** The flows of a run in the order of their starts: the same under every scheme and for every run of a seed. */
import type { Random } from "../../../../base/index.js";
import type { FlowStart } from "../../../sim/flow/index.js";
import type { Topology } from "../../../topology/index.js";
import { type PartnerSpec, type Partners, partnersOf } from "../../../traffic/index.js";
import type { FlowSimPart, Sizes } from "./schema.js";

/** A part of the traffic that fits the topology. */
export type TrafficPart = DrawnTraffic | { readonly trace: readonly FlowStart[] };

interface DrawnTraffic {
  readonly pattern: PartnerSpec;
  readonly senders: FlowSimPart["senders"];
  /** Absent: flows without an end. `rate`: bits per second of each switch that has senders. */
  readonly open: { readonly rate: number; readonly sizes: Sizes } | undefined;
}

export function* flowsOf(
  parts: readonly TrafficPart[],
  topology: Topology,
  random: Random,
): Generator<FlowStart> {
  const sources = parts.map((part, i) => {
    if ("trace" in part) return part.trace[Symbol.iterator]();
    const own = random.fork(`part ${i}`);
    const partners = partnersOf(part.pattern, topology, own.fork("partners"));
    const senders = chosen(partners.senders, part.senders, topology, own.fork("senders"));
    return part.open === undefined
      ? lasting(partners, senders, own)
      : arriving(partners, senders, part.open, topology, own);
  });
  const next = sources.map((source) => source.next());
  for (;;) {
    let first = -1;
    for (let i = 0; i < next.length; i++) {
      const one = next[i]!;
      if (one.done !== true && (first < 0 || one.value.startNs < next[first]!.value!.startNs)) first = i;
    }
    if (first < 0) return;
    yield next[first]!.value as FlowStart;
    next[first] = sources[first]!.next();
  }
}

function* lasting(partners: Partners, senders: readonly number[], random: Random): Generator<FlowStart> {
  const draws = random.fork("pairs");
  for (const source of senders)
    yield { startNs: 0, source, destination: partners.draw(source, draws), bytes: Number.POSITIVE_INFINITY };
}

function* arriving(
  partners: Partners,
  senders: readonly number[],
  { rate, sizes }: NonNullable<DrawnTraffic["open"]>,
  topology: Topology,
  random: Random,
): Generator<FlowStart> {
  const [gaps, pairs, bytes] = [random.fork("arrivals"), random.fork("pairs"), random.fork("sizes")];
  const switches = new Set(senders.map((host) => topology.nodes[host]!.host!.rack)).size;
  const mean = sizes.kind === "exponential" ? sizes.mean : sizes.of.mean;
  const gapNs = (mean * 8e9) / (rate * switches);
  for (let startNs = gaps.exponential(gapNs); ; startNs += gaps.exponential(gapNs)) {
    const source = pairs.pick(senders);
    yield {
      startNs,
      source,
      destination: partners.draw(source, pairs),
      bytes: sizes.kind === "exponential" ? Math.max(1, bytes.exponential(mean)) : sizes.of.sample(bytes),
    };
  }
}

/** The hosts that send, in node order. */
function chosen(
  hosts: readonly number[],
  { switches, hosts: each, share }: FlowSimPart["senders"],
  topology: Topology,
  random: Random,
): readonly number[] {
  if (switches === undefined && each === undefined && share === undefined) return hosts;
  const racks = new Map<number, number[]>();
  for (const host of hosts) {
    const { rack } = topology.nodes[host]!.host!;
    const own = racks.get(rack) ?? [];
    racks.set(rack, own);
    own.push(host);
  }
  const numbers = [...racks.keys()];
  const drawn = switches === undefined ? numbers : random.shuffle(numbers).slice(0, switches);
  const left = drawn.flatMap((rack) => {
    const own = racks.get(rack)!;
    return each === undefined ? own : random.shuffle([...own]).slice(0, each);
  });
  const kept =
    share === undefined
      ? left
      : random.shuffle([...left]).slice(0, Math.max(1, Math.round(share * left.length)));
  return kept.sort((a, b) => a - b);
}
