/** From the key `traffic` to a workload for each seed. All errors of the traffic are found here, before anything runs. */

import { openWorkload } from "../../../traffic/index.js";
import { CODES } from "../../codes.js";
import { collecting } from "../../files.js";
import { checkCost } from "./check-cost.js";
import { checkPart } from "./check-part.js";
import { planReplay } from "./plan-replay.js";
import { planTrace } from "./plan-trace.js";
import type { FlowPlan, TrafficContext, TrafficPlan } from "./traffic-context.js";
import { TrafficFiles } from "./traffic-files.js";
import type { TrafficPart } from "./traffic-schema.js";

/**
 * Undefined after errors, which `diagnostics` holds: P42301 to P42304 and P42331 for sizes, P42320 to P42324 for traces,
 * P42310 to P42314, P42340 and P42341 for captures, P42330 for contradicting keys, P42332 for unknown hosts, P42333 for patterns that the topology cannot have,
 * P42334 for matrices, P43005 for files that cannot be read.
 */
export function planTraffic(context: TrafficContext): TrafficPlan | undefined {
  return collecting(context.diagnostics, () => {
    const files = new TrafficFiles(context.source, context.diagnostics);
    const plan = context.settings.trace === undefined ? planDrawn(context, files) : planTrace(context, files);
    const replay = context.settings.replay && planReplay(context.settings.replay, context, files);
    return plan && { ...plan, replay, files: files.digests };
  });
}

function planDrawn(context: TrafficContext, files: TrafficFiles): FlowPlan | undefined {
  const { settings, load, segmentBytes, topology, locate, diagnostics } = context;
  const { mix, flows, duration: durationNs, load_of: loadOf = "host_links", replay: _, ...beside } = settings;
  if (flows === undefined && durationNs === undefined) {
    const message = "drawn traffic has no end: write `flows`, `duration`, or both";
    diagnostics.error(CODES.trafficKeys, locate(["traffic"]), message);
  }
  if (mix !== undefined && beside.interval !== undefined) {
    const message = "an interval beside `mix`: the parts have a `share` or an `interval` each";
    diagnostics.error(CODES.trafficKeys, locate(["traffic", "interval"]), message);
  }
  const { interval, ...common } = beside;
  const whole: TrafficPart = interval === undefined || mix !== undefined ? common : { ...common, interval };
  const checked =
    mix === undefined
      ? [checkPart(whole, ["traffic"], context, files)]
      : mix.map((part, index) => checkPart({ ...whole, ...part }, ["traffic", "mix", index], context, files));
  const parts = checked.filter((part) => part !== undefined);
  if (parts.length < checked.length) return undefined;
  const shares = parts.flatMap(({ pace }) => (pace.kind === "load" ? [pace.load / load!] : []));
  if (shares.length === 0 && load !== undefined) {
    const why = "every part of the traffic has its own `interval` or a closed `loop`";
    diagnostics.error(CODES.trafficKeys, locate(["load"]), `load has no effect: ${why}`, "remove `load`");
  }
  const sum = shares.reduce((total, share) => total + share, 0);
  if (shares.length > 0 && Math.abs(sum - 1) > 1e-9) {
    const message = `the shares of the parts add up to ${Number(sum.toPrecision(12))}, not to 1`;
    diagnostics.error(CODES.trafficKeys, locate(["traffic", "mix"]), message);
  }
  const spec = { parts, loadOf, segmentBytes, flows, durationNs };
  const cost = diagnostics.errorCount === 0 ? checkCost(spec, context) : undefined;
  return { workload: (random) => openWorkload(spec, topology, random), flows, durationNs, cost };
}
