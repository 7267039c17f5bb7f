/**
 * A run of the flow simulator. Time advances in steps: at the beginning of each, flows are admitted and all flows get rates, which are
 * constant in the step. At the end of each epoch the switches read their counters and may change their routes.
 */
import type { Random } from "../../../base/index.js";
import { QuantileSketch } from "../../statistics/index.js";
import { ActiveBundles } from "./active-bundles.js";
import { FlowsByHash } from "./flows-by-hash.js";
import { FlowsByPath } from "./flows-by-path.js";
import { type LinkChange, LinkFaults } from "./link-faults.js";
import type { Allocator } from "./max-min.js";
import type { FlowNetwork } from "./network.js";
import type { FlowStart } from "./population.js";
import type { RouterMaker } from "./router.js";
import { SharedBundles } from "./shared-bundles.js";
import { SingleFlows } from "./single-flows.js";

export interface FlowRun {
  readonly network: FlowNetwork;
  readonly makeRouter: RouterMaker;
  readonly allocator: Allocator;
  /** Flows in the order of their starts. */
  readonly flows: Iterator<FlowStart>;
  readonly durationNs: number;
  /** Time from the start that is not measured. */
  readonly warmUpNs: number;
  /** A whole number of steps. */
  readonly epochNs: number;
  readonly stepNs: number;
  /** Buckets of the flows of two racks; absent: each flow has a path of its own. */
  readonly buckets?: number;
  /** A flow keeps its first path, whatever the switches change; absent: it follows the changes, as its packets do. */
  readonly keepPaths?: boolean;
  /** Subflows of each flow, where flows have paths of their own. */
  readonly subflows: number;
  /** Source of the hash inputs. */
  readonly random: Random;
  /** Links that fail and return; absent: none. */
  readonly faults?: RunFaults;
}

interface RunFaults {
  /** In time order; each is made at the beginning of the step that is nearest. */
  readonly changes: readonly LinkChange[];
  /** The array that the allocator was made with, for this run alone. */
  readonly capacity: Float64Array;
  /** See {@link LinkFaults}. */
  readonly recomputeNs: number | undefined;
}

/** What a run has measured after its warm-up. */
export interface FlowFigures {
  readonly measuredNs: number;
  /** Number of flows that were admitted, in the whole run. Those that start in the last half step are not: no step is left for them. */
  readonly flows: number;
  /** Bytes of all flows that start after the warm-up, without flows without an end. */
  readonly offeredBytes: number;
  readonly deliveredBytes: number;
  /** Number of flows that ended, and their completion times in nanoseconds, from the step that admitted them. */
  readonly completion: QuantileSketch;
  /** Number of open flows: at the end, and the maximum. */
  readonly open: number;
  readonly mostOpen: number;
  /** Mean number of links between switches that a byte crossed; 0 where none was delivered. */
  readonly meanLinks: number;
  /** Share of the capacity that each directed link between switches carried, in the order of `FlowNetwork.fabricLinks`. */
  readonly utilisation: Float64Array;
  /** Delivered bytes by epoch, from the beginning of the run. */
  readonly epochs: readonly number[];
  /** Number of path changes, each times the flows of the bundle. */
  readonly moved: number;
  /** Number of open flows that get nothing at the end; without faults 0. */
  readonly stalled: number;
}

/** Yields after each epoch, so that other work can run; returns the figures. The same run gives the same figures. */
export function* simulateFlows(run: FlowRun): Generator<void, FlowFigures> {
  const { network, allocator, flows, durationNs, warmUpNs, epochNs, stepNs, buckets } = run;
  const active = new ActiveBundles(network, run.makeRouter, run.keepPaths, run.faults !== undefined);
  const faults =
    run.faults && new LinkFaults(network, run.faults.changes, run.faults.capacity, run.faults.recomputeNs);
  const { router, bundles } = active;
  const completion = new QuantileSketch();
  const ended = (admittedNs: number, endNs: number) => {
    if (endNs > warmUpNs) completion.add(endNs - admittedNs);
  };
  const population =
    buckets === undefined
      ? new SingleFlows(active, run.subflows, run.random, ended)
      : new SharedBundles(
          active,
          run.keepPaths === true
            ? new FlowsByPath(active, buckets, run.random)
            : new FlowsByHash(active, buckets, run.random),
          ended,
        );
  const epochBytes = new Float64Array(network.portOfLink.length);
  const linkBytes = new Float64Array(network.portOfLink.length);
  const epochs: number[] = [];
  let [admitted, offeredBytes, deliveredBytes, byteLinks, mostOpen] = [0, 0, 0, 0, 0];
  let next = flows.next();
  let measured = false;
  const count = () =>
    active.eachSender((_bundle, bytes, links, from, end) => {
      for (let at = from; at < end; at++) epochBytes[links[at]!]! += bytes;
      if (measured) byteLinks += bytes * (end - from);
    });
  const coming: FlowStart[] = [];
  const stepsOfEpoch = Math.round(epochNs / stepNs);
  const epochCount = Math.ceil(durationNs / epochNs);
  /** Where the measured time begins. */
  const firstNs = Math.ceil(warmUpNs / epochNs) * epochNs;
  const offered = ({ startNs, bytes }: FlowStart) =>
    startNs >= firstNs && bytes < Number.POSITIVE_INFINITY ? bytes : 0;
  for (let epoch = 0; epoch < epochCount; epoch++) {
    let delivered = 0;
    measured = epoch * epochNs >= warmUpNs;
    epochBytes.fill(0);
    for (let step = 0; step < stepsOfEpoch; step++) {
      const nowNs = epoch * epochNs + step * stepNs;
      faults?.advance(nowNs + stepNs / 2, allocator, active, count);
      // Each flow in the step whose beginning is nearest to its start.
      while (next.done !== true && next.value.startNs < nowNs + stepNs / 2) {
        coming.push(next.value);
        offeredBytes += offered(next.value);
        next = flows.next();
      }
      population.admit(coming, nowNs);
      admitted += coming.length;
      coming.length = 0;
      mostOpen = Math.max(mostOpen, population.open);
      if (active.count === 0) continue;
      population.limit(stepNs);
      allocator.allocate(bundles, stepNs);
      delivered += population.serve(nowNs, stepNs);
    }
    epochs.push(delivered);
    count();
    if (measured) {
      deliveredBytes += delivered;
      for (const link of network.fabricLinks) linkBytes[link]! += epochBytes[link]!;
    }
    const changed =
      router.endEpoch?.({
        nowNs: (epoch + 1) * epochNs,
        epochNs,
        byLink: epochBytes,
        eachBundle: (call) => active.eachSender(call),
      }) ?? false;
    active.endEpoch(changed);
    yield;
  }
  for (; next.done !== true && next.value.startNs < epochCount * epochNs; next = flows.next())
    offeredBytes += offered(next.value);
  const measuredNs = Math.max(0, epochCount * epochNs - firstNs);
  return {
    measuredNs,
    flows: admitted,
    offeredBytes,
    deliveredBytes,
    completion,
    open: population.open,
    mostOpen,
    meanLinks: deliveredBytes === 0 ? 0 : byteLinks / deliveredBytes,
    utilisation: Float64Array.from(network.fabricLinks, (link) =>
      measuredNs === 0 ? 0 : linkBytes[link]! / (network.capacity[link]! * measuredNs),
    ),
    epochs,
    moved: active.moved,
    stalled: faults === undefined ? 0 : active.stalled,
  };
}
