/** Refuses what a load experiment cannot have on a testbed, before anything starts. */
import { readFileSync } from "node:fs";
import { didYouMean, fail } from "../../../../../base/index.js";
import { restingHost } from "../../../../hosts/index.js";
import type { SwitchEngine } from "../../../../testbed/index.js";
import { hostsOf } from "../../../../topology/index.js";
import { CODES } from "../../../codes.js";
import type { SchemeRun } from "../../../experiment.js";
import type { Load } from "../schema.js";

/** Keys of `transport` that the kernel's TCP supports here. */
const OBEYED: ReadonlySet<string> = new Set([
  ...["protocol", "segment_bytes", "window_segments", "rto_margin", "rto_cap"],
  ...["congestion_control", "ecn", "handshake"],
]);
/** Payload of the largest segments: an MTU of 1,400 bytes less IP, TCP, and timestamps. */
const MOST_SEGMENT = { 4: 1348, 6: 1328 } as const;
/** Congestion controls of the simulator that the kernel knows by the same name, where it has them. */
const OF_KERNELS: readonly string[] = ["reno", "cubic", "bbr", "dctcp"];

/** Throws DiagnosticError: P43064 for traffic that a testbed cannot make, P43030 for a TCP that the kernel does not have. */
export function checkLoadOnTestbed(experiment: Load, engine: SwitchEngine): void {
  checkTraffic(experiment, engine);
  checkTransport(experiment, engine);
}

/**
 * Whether the hosts of a scheme need no agent between their kernel and the wire. The kernel then sees marks, so that ECN works. A fixed
 * window needs the agent, through which acknowledgements pass.
 */
export function isDirect({ settings, topology }: Load, { hosts }: SchemeRun): boolean {
  if (settings.transport.protocol === undefined) return false;
  return hosts(restingHost()).plain === true && hostsOf(topology).every(({ ports }) => ports.length === 1);
}

function checkTraffic({ settings, locate }: Load, engine: SwitchEngine): void {
  const { traffic, series, windows, measured_flows, truncation } = settings;
  const refuse = (path: readonly PropertyKey[], message: string): never =>
    fail(
      CODES.loadOnTestbed,
      locate(path) ?? locate(["traffic"]),
      message,
      "run it on the simulator: --engine sim",
    );
  if (series !== undefined)
    refuse(
      ["series"],
      `a series over time needs the counters of the simulator, which engine ${engine} does not have`,
    );
  if (windows !== undefined)
    refuse(
      ["windows"],
      `windows over time are those of the simulator's TCP; on engine ${engine} the kernel's TCP runs`,
    );
  if (traffic.replay !== undefined)
    refuse(
      ["traffic", "replay"],
      `recorded packets are not replayed on engine ${engine}: its hosts send by the kernel's TCP alone`,
    );
  if (measured_flows !== undefined)
    refuse(
      ["measured_flows"],
      `all flows after warm_up are measured on engine ${engine}; traffic.flows says how many there are`,
    );
  if (truncation !== undefined)
    refuse(
      ["warm_up"],
      `a warm_up that a pilot run finds needs runs that repeat: those of engine ${engine} do not; with until, a file without warm_up asks for it`,
    );
  const parts = [traffic, ...(traffic.mix ?? [])];
  for (const [i, { protocol }] of parts.entries()) {
    if (typeof protocol !== "object") continue;
    const place = i === 0 ? ["traffic", "protocol"] : ["traffic", "mix", i - 1, "protocol"];
    refuse(
      place,
      protocol.tcp === undefined
        ? `flows of UDP do not run on engine ${engine}: its hosts send by the kernel's TCP alone`
        : `applications that write at a rate do not run on engine ${engine}: its hosts write as fast as the kernel takes data`,
    );
  }
}

function checkTransport(experiment: Load, engine: SwitchEngine): void {
  const { settings, locate, schemes } = experiment;
  const { transport, traffic } = settings;
  const refuse = (key: string, message: string, ...notes: string[]): never =>
    fail(CODES.transportOnTestbed, locate(["transport", key]) ?? locate(["transport"]), message, ...notes);
  const most = MOST_SEGMENT[traffic.ip];
  if (transport.segment_bytes > most)
    refuse(
      "segment_bytes",
      `segments of ${transport.segment_bytes} bytes do not fit the hosts of engine ${engine}`,
      `at most ${most} bytes do`,
    );
  if (transport.protocol !== "tcp") return;
  for (const key of Object.keys(transport))
    if (!OBEYED.has(key) && locate(["transport", key]) !== undefined)
      refuse(
        key,
        `${key} is a key of the simulator's TCP: on engine ${engine} the kernel's TCP runs, which has its own`,
        "use --engine sim, or leave it out",
      );
  if (!transport.handshake)
    refuse("handshake", "connections of a kernel begin with a handshake", "leave out handshake: false");
  checkControl(transport.congestion_control, engine, refuse);
  if (transport.ecn === "off") return;
  const marking = schemes.find((scheme) => !isDirect(experiment, scheme));
  if (marking !== undefined)
    refuse(
      locate(["transport", "ecn"]) === undefined ? "congestion_control" : "ecn",
      `ECN does not reach the kernel of the hosts of ${marking.label} on engine ${engine}: their agent writes the bits of IP itself`,
      "it does under schemes with plain hosts of one NIC",
    );
}

function checkControl(
  name: string,
  engine: SwitchEngine,
  refuse: (key: string, message: string, ...notes: string[]) => never,
): void {
  const key = "congestion_control";
  if (!OF_KERNELS.includes(name))
    refuse(
      key,
      `the congestion control ${name} exists only in the simulator: no kernel has it, so engine ${engine} cannot use it`,
      `a kernel may have: ${OF_KERNELS.join(", ")}`,
    );
  const available = kernelControls();
  if (available !== undefined && !available.includes(name))
    refuse(
      key,
      `this kernel has no congestion control ${name}${didYouMean(name, available, '"')}`,
      `it has: ${available.join(", ")}`,
    );
}

/** Undefined where the kernel does not report them. */
function kernelControls(): readonly string[] | undefined {
  try {
    const text = readFileSync("/proc/sys/net/ipv4/tcp_available_congestion_control", "utf8");
    return text.trim().split(/\s+/);
  } catch {
    return undefined;
  }
}
