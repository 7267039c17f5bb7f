/** From the key `traffic` to a workload for each seed. All errors of the traffic are found here, before anything runs. */

import { Diagnostics, defined, didYouMean, Random } from "../../../../base/index.js";
import { recordedPackets } from "../../../../base/packets/index.js";
import { parseValue } from "../../../../toolchain/device/index.js";
import { hostsOf } from "../../../topology/index.js";
import {
  type MappedPrefix,
  openTrace,
  openWorkload,
  type PacketSource,
  type PartSpec,
  Replay,
  streamTrafficFile,
  type TrafficFlow,
  type WorkloadSpec,
} from "../../../traffic/index.js";
import { CODES } from "../../codes.js";
import { collecting } from "../../files.js";
import { carriedBy, checkPart } from "./check-part.js";
import type {
  FlowPlan,
  TrafficContext,
  TrafficCost,
  TrafficPart,
  TrafficPlan,
  TrafficSettings,
} from "./schema.js";
import { piecesOf, TrafficFiles, textOf } from "./traffic-files.js";

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
  const shares = parts.flatMap(({ pace }) => (pace.kind === "load" ? [pace.load / defined(load)] : []));
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

// Estimates what drawn traffic costs before anything starts. A forgotten unit (`fixed: 1` is one byte) asks for billions of flows, and a
// run of them would end hours later, if at all.

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
  const shareOf = (i: number) => (open ? defined(rates[i]) / sum : 1 / parts.length);
  const mean = (of: (part: PartSpec) => number) =>
    parts.reduce((total, part, i) => total + shareOf(i) * of(part), 0);
  const bytes = flows * mean(({ sizes }) => sizes.mean);
  const packets = flows * mean(({ sizes }) => Math.max(1, sizes.mean / spec.segmentBytes));
  return { flows, bytes, packets };
}

/** The cost; adds P43066 where it is above a limit. */
function checkCost(spec: WorkloadSpec, context: TrafficContext): TrafficCost | undefined {
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

// The key `replay`: packets of a capture. The whole file is checked before anything runs, and read again in each run.

/** Undefined after errors: see `planTraffic`. */
function planReplay(
  { file, hosts: map, others, time_scale: timeScale }: NonNullable<TrafficSettings["replay"]>,
  context: TrafficContext,
  files: TrafficFiles,
): (() => PacketSource) | undefined {
  const { topology, locate, diagnostics } = context;
  const before = diagnostics.errorCount;
  const nodes = new Map(hostsOf(topology).map(({ name, index }) => [name, index]));
  const hosts: MappedPrefix[] = [];
  for (const [text, name] of Object.entries(map)) {
    const span = locate(["traffic", "replay", "hosts", text]);
    const prefix = prefixOf(text);
    const host = nodes.get(name);
    if (prefix === undefined)
      diagnostics.error(CODES.replayHosts, span, `"${text}" is no address and no prefix such as 10.0.0.0/8`);
    if (host === undefined)
      diagnostics.error(
        CODES.trafficHost,
        span,
        `there is no host "${name}"${didYouMean(name, [...nodes.keys()], '"')}`,
      );
    if (prefix !== undefined && host !== undefined) hosts.push({ ...prefix, host });
  }
  if (diagnostics.errorCount > before) return undefined;
  const path = files.pathOf(file);
  const span = locate(["traffic", "replay", "file"]);
  const spread = others === "spread";
  const open = (pieces: Iterable<Uint8Array>) =>
    new Replay({ name: path, packets: recordedPackets(path, pieces), hosts, spread, timeScale }, topology);
  files.readPieces(
    file,
    (pieces) => {
      const replay = open(pieces);
      while (replay.next() !== undefined);
      const { sent, notIp, unmapped, local } = replay.counters;
      if (sent > 0) return;
      const reasons = `${notIp} without IP, ${unmapped} with addresses of no host, ${local} within one host`;
      diagnostics.error(
        CODES.replayHosts,
        span,
        `${path} has no packet from one host to another: ${reasons}`,
      );
    },
    span,
  );
  return diagnostics.errorCount > before ? undefined : () => open(piecesOf(path));
}

function prefixOf(text: string): Omit<MappedPrefix, "host"> | undefined {
  const [digits, bits, ...more] = text.split("/");
  const version = defined(digits).includes(":") ? 6 : 4;
  if (more.length > 0 || (version === 4 && !/^\d+(\.\d+){3}$/.test(defined(digits)))) return undefined;
  const most = version === 4 ? 32 : 128;
  const length = bits === undefined ? most : /^\d+$/.test(bits) ? Number(bits) : -1;
  const address = parseValue(defined(digits), most);
  return address.ok && length >= 0 && length <= most
    ? { version, address: address.value, length }
    : undefined;
}

// The key `trace`: flows of a traffic file. The whole file is checked before anything runs, and read again in each run.

/** Undefined after errors: see `planTraffic`. */
function planTrace(context: TrafficContext, files: TrafficFiles): FlowPlan | undefined {
  const { settings, topology, locate, diagnostics } = context;
  const { trace, ip: _ip, replay: _replay, flows, duration, protocol = "tcp", ...others } = settings;
  const { file, time_scale: timeScale } = defined(trace);
  const before = diagnostics.errorCount;
  for (const key of Object.keys(others)) {
    const message = `${key} has no effect on the flows of a trace`;
    diagnostics.error(CODES.trafficKeys, locate(["traffic", key]), message, `remove \`${key}\` or \`trace\``);
  }
  if (context.load !== undefined) {
    const message = "load has no effect on the flows of a trace; `time_scale` stretches their times";
    diagnostics.error(CODES.trafficKeys, locate(["load"]), message);
  }
  const path = files.pathOf(file);
  const names = new Set(hostsOf(topology).map(({ name }) => name));
  const span = locate(["traffic", "trace", "file"]);
  let count = 0;
  let last = 0;
  files.readPieces(
    file,
    (pieces) => {
      for (const { startNs } of streamTrafficFile(path, textOf(pieces), names, diagnostics)) {
        count++;
        last = Math.floor(startNs * timeScale);
      }
    },
    span,
  );
  if (diagnostics.errorCount > before) return undefined;
  if (count === 0) {
    diagnostics.error(CODES.trafficKeys, span, `${path} has no flows`);
    return undefined;
  }
  return {
    workload: () =>
      openTrace(
        {
          trace: flowsOf(path, names),
          timeScale,
          protocol: carriedBy(protocol),
          flows,
          durationNs: duration,
        },
        topology,
      ),
    flows: Math.min(flows ?? count, count),
    durationNs: Math.min(duration ?? last + 1, last + 1),
  };
}

/** Throws where the file differs from the one that was checked. */
function* flowsOf(path: string, names: ReadonlySet<string>): Generator<TrafficFlow> {
  const diagnostics = new Diagnostics();
  yield* streamTrafficFile(path, textOf(piecesOf(path)), names, diagnostics);
  diagnostics.throwIfErrors();
}
