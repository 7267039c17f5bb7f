/** The meters of a switch as its control plane configures them (figure 5c and 5d). */
import type { MeterConfig, TableEntry, Update } from "../../../toolchain/device/index.js";
import { type Link, nodeAt, type Topology, type TopologyNode } from "../../topology/index.js";
import { call, exact, ingressName } from "../fabric.js";
import type { P4teParameters } from "./parameters.js";

export type MeterUnit = "bytes" | "packets";

/** A full Ethernet frame with a VLAN tag: a smaller bucket would never pass one. */
const FULL_FRAME = 1518;

/** A rate in the unit of the meter, per second. A link without a rate in packets carries its rate in full frames. */
function rateOf(link: Link, unit: MeterUnit): number {
  return unit === "packets" ? (link.ratePps ?? link.rateBps / (8 * FULL_FRAME)) : link.rateBps / 8;
}

/** The unit of the switches' meters, where the parameters leave it open. */
export function meterUnit(topology: Topology, { meter }: P4teParameters): MeterUnit {
  if (meter !== "auto") return meter;
  return topology.links.every(({ ratePps }) => ratePps !== undefined) ? "packets" : "bytes";
}

function config(committed: number, peak: number, burstNs: number, unit: MeterUnit): MeterConfig {
  const least = unit === "packets" ? 1 : FULL_FRAME;
  const whole = (value: number, floor: number) => BigInt(Math.max(floor, Math.round(value)));
  return {
    committedRate: whole(committed, 1),
    committedBurst: whole((committed * burstNs) / 1e9, least),
    peakRate: whole(peak, 1),
    peakBurst: whole((peak * burstNs) / 1e9, least),
  };
}

/**
 * The time in nanoseconds, in whole microseconds, after which a port that no packet crosses counts as green; undefined: never. By default
 * the time in which empty buckets of the slowest link's meter are full again (RFC 2698, section 3): then the meter marks the next packet
 * green.
 */
export function colourAge(topology: Topology, parameters: P4teParameters): number | undefined {
  const { cir, pir, burst, colour_age } = parameters;
  if (colour_age === "never") return undefined;
  if (colour_age !== undefined) return colour_age;
  const unit = meterUnit(topology, parameters);
  const refills = topology.links.map((link) => {
    const rate = rateOf(link, unit);
    const { committedRate, committedBurst, peakRate, peakBurst } = config(
      cir * rate,
      pir * rate,
      burst,
      unit,
    );
    return Math.max(Number(committedBurst) / Number(committedRate), Number(peakBurst) / Number(peakRate));
  });
  const longest = Math.ceil(Math.max(...refills) * 1e6);
  return Math.min(2 ** 32 - 1, Math.max(1, longest)) * 1000;
}

/** An entry, and then its meter, which belongs to it. */
function metered(entry: TableEntry, meter: MeterConfig): Update[] {
  const { kind, table, match, priority } = entry;
  return [
    { type: "insert", entity: entry },
    {
      type: "modify",
      entity: { kind: "directMeter", entry: { kind, table, match, priority }, config: meter },
    },
  ];
}

/** Entries and meters of all ports of a switch. */
export function meterUpdates(
  topology: Topology,
  node: TopologyNode,
  parameters: P4teParameters,
  unit: MeterUnit,
): Update[] {
  const { classes, cir, pir, burst, rate_control } = parameters;
  return node.ports.flatMap((port) => {
    const rate = rateOf(topology.links[port.link]!, unit);
    const toHost = nodeAt(topology, port.peer).role === "host";
    const link = metered(
      {
        kind: "tableEntry",
        table: "FabricEgress.link_rates",
        match: [exact("standard_metadata.egress_port", port.number)],
        priority: 0,
        action: {
          kind: "action",
          action: "FabricEgress.measure_link",
          params: rate_control ? { host: toHost ? 1n : 0n } : {},
        },
      },
      config(cir * rate, pir * rate, burst, unit),
    );
    const byClass = classes.flatMap(({ dscp, share, path }) =>
      metered(
        {
          kind: "tableEntry",
          table: ingressName("class_rates"),
          match: [exact("standard_metadata.ingress_port", port.number), exact("meta.class", dscp)],
          priority: 0,
          action: { kind: "action", ...call("measure_class", { large: path === "utilization" ? 1 : 0 }) },
        },
        // One rate: committed and peak rate are the same.
        config(share * rate, share * rate, burst, unit),
      ),
    );
    return [...link, ...byClass];
  });
}
