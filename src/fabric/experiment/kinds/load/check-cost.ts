/**
 * Estimates what drawn traffic costs before anything starts. A forgotten unit (`fixed: 1` is one byte) asks for billions of flows, and a
 * run of them would end hours later, if at all.
 */

import { Random } from "../../../../base/index.js";
import { openWorkload, type PartSpec, type WorkloadSpec } from "../../../traffic/index.js";
import { CODES } from "../../codes.js";
import type { TrafficContext, TrafficCost } from "./traffic-context.js";

/**
 * Limits of one scheme under one seed. The simulator forwards some hundred thousand packets a second, so that the limit of data packets is
 * a run of several hours.
 */
const MOST_FLOWS = 10_000_000;
const MOST_PACKETS = 5_000_000_000;

/** On average; undefined for closed loops that only a duration ends, whose flows depend on the network. */
function costOf(spec: WorkloadSpec, { topology }: Pick<TrafficContext, "topology">): TrafficCost | undefined {
  const { parts, flows: most = Number.POSITIVE_INFINITY, durationNs = Number.POSITIVE_INFINITY } = spec;
  /** Flows per second of each part; answers of requests. */
  const rates = parts.map((part) => {
    const { offeredBps } = openWorkload({ ...spec, parts: [part] }, topology, new Random(0));
    return offeredBps === undefined ? undefined : offeredBps / 8 / part.sizes.mean;
  });
  const open = rates.every((rate) => rate !== undefined);
  const sum = open ? rates.reduce((total, rate) => total + rate, 0) : 0;
  const flows = open ? Math.min(most, (sum * durationNs) / 1e9) : most;
  if (!Number.isFinite(flows)) return undefined;
  const shareOf = (i: number) => (open ? rates[i]! / sum : 1 / parts.length);
  const mean = (of: (part: PartSpec) => number) =>
    parts.reduce((total, part, i) => total + shareOf(i) * of(part), 0);
  const bytes = flows * mean(({ sizes }) => sizes.mean);
  const packets = flows * mean(({ sizes }) => Math.max(1, sizes.mean / spec.segmentBytes));
  return { flows, bytes, packets };
}

/** The cost; adds P43066 where it is above a limit. */
export function checkCost(spec: WorkloadSpec, context: TrafficContext): TrafficCost | undefined {
  const cost = costOf(spec, context);
  if (cost === undefined || (cost.flows <= MOST_FLOWS && cost.packets <= MOST_PACKETS)) return cost;
  const { settings, locate, diagnostics } = context;
  const mean = cost.bytes / cost.flows;
  const ended = settings.flows === undefined ? "duration" : "flows";
  diagnostics.error(
    CODES.tooMuchTraffic,
    locate(["traffic", "sizes"]) ?? locate(["traffic", ended]) ?? locate(["traffic"]),
    `the traffic has about ${amount(cost.flows)} flows of ${amount(mean)} byte${mean === 1 ? "" : "s"} on average, ${amount(cost.bytes)} bytes in ${amount(cost.packets)} data packets, for each scheme and seed`,
    `the limits are ${amount(MOST_FLOWS)} flows and ${amount(MOST_PACKETS)} data packets`,
    `check the units of \`sizes\` (\`1\` is one byte, \`1MB\` a million), and of \`${ended}\``,
  );
  return cost;
}

/** A number as a reader estimates it. */
function amount(value: number): string {
  const [size, name] = (
    [
      [1e12, " trillion"],
      [1e9, " billion"],
      [1e6, " million"],
    ] as const
  ).find(([least]) => value >= least) ?? [1, ""];
  return `${Number((value / size).toPrecision(3)).toLocaleString("en-US")}${name}`;
}
