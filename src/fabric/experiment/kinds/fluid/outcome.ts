/** The outcome of a run of a scheme under a seed, as JSON. */
import { given, Random } from "../../../../base/index.js";
import { Aimd, type FlowFigures, MaxMin, simulateFlows } from "../../../sim/flow/index.js";
import { ascending, type SketchJson } from "../../../statistics/index.js";
import type { TopologyStage } from "../registered-kind.js";
import type { FlowSim, FlowSimRun } from "./check.js";
import { flowsOf } from "./flows.js";

export interface FlowSimOutcome extends Omit<FlowFigures, "completion" | "utilisation" | "epochs"> {
  /** Completion times, nanoseconds. */
  readonly completion: SketchJson;
  readonly links: number;
  /** Number of links that carried nothing. */
  readonly idleLinks: number;
  /** Utilisation of links, sorted: quantiles 0, 1 / 100, ... 1. */
  readonly utilisation: readonly number[];
  /** Throughput by epoch, Gbps. */
  readonly gbps: readonly number[];
}

const POINTS = 100;

export async function runFlowSim(
  { settings, topology, network, parts, changes }: FlowSim,
  { fluid, parameters, subflows, locate }: FlowSimRun,
  { seed, stepDone }: TopologyStage,
): Promise<FlowSimOutcome> {
  const { epoch, step = epoch, duration, warm_up, bundles, rates, keep_paths: keepPaths } = settings;
  const { recompute_routes: recomputes, detection } = settings.control_plane;
  const random = new Random(seed);
  const capacity = changes.length === 0 ? network.capacity : network.capacity.slice();
  const allocator =
    rates === "max_min"
      ? new MaxMin(capacity)
      : new Aimd(capacity, {
          roundTripNs: rates.aimd.round_trip,
          segmentBytes: rates.aimd.segment,
          seed: random.fork("losses").uint32(),
        });
  const steps = simulateFlows({
    network,
    makeRouter: fluid.router(network, parameters, random.fork("switches").uint32(), locate),
    allocator,
    flows: flowsOf(parts, topology, random.fork("traffic")),
    durationNs: duration,
    warmUpNs: warm_up,
    epochNs: epoch,
    stepNs: step,
    ...given({ buckets: bundles }),
    keepPaths,
    subflows,
    random: random.fork("hashes"),
    ...given({
      faults:
        changes.length === 0
          ? undefined
          : { changes, capacity, recomputeNs: recomputes ? detection : undefined },
    }),
  });
  for (;;) {
    const next = steps.next();
    if (next.done === true) return outcomeOf(next.value, epoch);
    await stepDone();
  }
}

function outcomeOf(
  { completion, utilisation, epochs, ...figures }: FlowFigures,
  epochNs: number,
): FlowSimOutcome {
  const sorted = ascending([...utilisation]);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  return {
    ...figures,
    completion: completion.toJson(),
    links: sorted.length,
    idleLinks: sorted.filter((share) => share === 0).length,
    utilisation: Array.from({ length: POINTS + 1 }, (_, i) => Number(at(i / POINTS).toPrecision(6))),
    gbps: epochs.map((bytes) => Number(((bytes * 8) / epochNs).toPrecision(6))),
  };
}
