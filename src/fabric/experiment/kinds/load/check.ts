/** Checks a file of the kind `load`: the traffic fits the topology, and its times leave flows to measure. */
import { type Diagnostics, fail, type Locate, Random } from "../../../../base/index.js";
import type { Topology } from "../../../topology/index.js";
import { CODES } from "../../codes.js";
import { controllerFaults, listedCommands } from "../../control-plane.js";
import type { FlowNumbers } from "../../faults/element.js";
import type { Fault } from "../../faults/fault.js";
import { listedFaults } from "../../faults/listed-faults.js";
import { refusePlanning } from "../../plan-schemes.js";
import type { CheckContext } from "../kind.js";
import { planTraffic } from "./plan-traffic.js";
import { type Load, type LoadFile, type LoadSettings, settingsOf } from "./schema.js";

/** Adds P43061 to P43063, P45106, the diagnostics of `planTraffic`, P43025, P43066, and the codes of faults (P43014, P43015, P43022, P43028 to P43037). */
export function loadOf({
  source,
  value: file,
  topology,
  locate,
  diagnostics,
  plan,
}: CheckContext<LoadFile>): Load {
  const value = settingsOf(file);
  checkTimes(value, locate, diagnostics);
  checkSizes(value, locate, diagnostics);
  checkPaced(value, locate, diagnostics);
  checkWindows(value, locate, diagnostics);
  const faults = loadFaults(value, topology, locate, diagnostics);
  const schemes = plan(value, 1);
  const killed = controllerFaults(
    { faults: value.faults, duration: endOf(value) },
    schemes,
    locate,
    diagnostics,
  );
  const commands = listedCommands(
    { commands: value.commands, duration: endOf(value), schemes: value.schemes },
    schemes,
    locate,
    diagnostics,
  );
  const { traffic: settings, load } = value;
  const segmentBytes = value.transport.segment_bytes;
  const traffic = planTraffic({ settings, load, segmentBytes, topology, source, locate, diagnostics });
  if (value.transport.protocol === "tcp" && (value.transport.subflows?.count ?? 1) > 1)
    refusePlanning(schemes, "a connection with subflows has several paths", locate, diagnostics);
  else if (traffic !== undefined && traffic.workload(new Random(0)).completed !== undefined)
    refusePlanning(schemes, "flows of this traffic start when others complete", locate, diagnostics);
  // Without traffic there are errors, and the caller does not use the experiment.
  return {
    source,
    locate,
    settings: value,
    topology,
    schemes,
    faults,
    controllerFaults: killed,
    commands,
    // Undefined after an error, after which the experiment is not used.
    traffic: traffic!,
  };
}

function loadFaults(
  value: LoadSettings,
  topology: Topology,
  locate: Locate,
  diagnostics: Diagnostics,
): Fault[] {
  const duration = endOf(value);
  const endless = value.faults.findIndex(({ flap, until }) => flap !== undefined && until === undefined);
  if (endless < 0 || duration < Number.POSITIVE_INFINITY)
    return listedFaults(
      { faults: value.faults, duration, ip: value.traffic.ip, flows: flowNumbers(value) },
      topology,
      locate,
      diagnostics,
    );
  diagnostics.error(
    CODES.endlessFlap,
    locate(["faults", endless, "flap"]),
    "the fault flaps without an end, and the end of the traffic is not known before the run",
    "write until, or traffic: { duration: ... }",
  );
  return [];
}

/** Flows are numbered as they start; how many that will be is known only where the file says so. */
function flowNumbers({ transport, traffic }: LoadSettings): FlowNumbers {
  if (transport.protocol === "tcp" && (transport.subflows?.count ?? 1) > 1)
    return "a connection with subflows has several flows of packets";
  return traffic.flows ?? Number.POSITIVE_INFINITY;
}

/** Nanoseconds after which the run is over; infinite where only the number of flows ends the traffic. */
export function endOf({ traffic, drain }: LoadSettings): number {
  return (traffic.duration ?? Number.POSITIVE_INFINITY) + drain;
}

function checkTimes(
  { warm_up, drain, traffic }: LoadSettings,
  locate: Locate,
  diagnostics: Diagnostics,
): void {
  const { duration } = traffic;
  if (duration !== undefined && warm_up >= duration)
    diagnostics.error(
      CODES.warmUp,
      locate(["warm_up"]) ?? locate(["traffic", "duration"]),
      `warm_up, ${warm_up / 1e6} ms, is not shorter than traffic.duration, ${duration / 1e6} ms: no flow would be measured`,
      "write a shorter warm_up, or a longer duration",
    );
  if (drain === 0)
    diagnostics.error(
      CODES.noDrain,
      locate(["drain"]),
      "drain is 0: flows that are open when the last flow arrives could not end",
      "write a time in which large flows can end, such as 1s",
    );
}

/** Without TCP a flow ends when all written data are acknowledged: a pause of its application would end it. */
function checkPaced({ transport, traffic }: LoadSettings, locate: Locate, diagnostics: Diagnostics): void {
  if (transport.protocol === "tcp") return;
  const isPaced = ({ protocol }: Pick<LoadSettings["traffic"], "protocol">) =>
    typeof protocol === "object" && protocol.tcp !== undefined;
  const part = traffic.mix?.findIndex(isPaced) ?? -1;
  if (part < 0 && !isPaced(traffic)) return;
  diagnostics.error(
    CODES.pacedWindow,
    locate(part < 0 ? ["traffic", "protocol"] : ["traffic", "mix", part, "protocol"]),
    `an application that writes at a rate needs TCP, and transport.protocol is ${transport.protocol ?? "fixed"}`,
    "leave out transport.protocol, or the rate",
  );
}

/** Only the simulator's TCP has one congestion window for a flow. */
function checkWindows(settings: LoadSettings, locate: Locate, diagnostics: Diagnostics): void {
  const { transport, windows, traffic } = settings;
  if (windows === undefined) return;
  const wrong = (key: "flows" | undefined, message: string, advice: string) =>
    diagnostics.error(
      CODES.windowsOfFlows,
      locate(key === undefined ? ["windows"] : ["windows", key]) ?? locate(["windows"]),
      message,
      advice,
    );
  if (transport.protocol !== "tcp")
    wrong(
      undefined,
      `transport.protocol: ${transport.protocol ?? "fixed"} has no windows of TCP`,
      "leave out windows, or transport.protocol",
    );
  else if ((transport.subflows?.count ?? 1) > 1)
    wrong(
      undefined,
      "a connection with subflows has a window for each of them",
      "leave out windows, or transport.subflows",
    );
  const most = Math.max(...windows.flows);
  if (traffic.flows !== undefined && most >= traffic.flows)
    wrong(
      "flows",
      `there is no flow ${most}`,
      `there are ${traffic.flows} flows, from 0 to ${traffic.flows - 1}`,
    );
}

function checkSizes(
  { sizes: { small, large } }: LoadSettings,
  locate: Locate,
  diagnostics: Diagnostics,
): void {
  if (small >= large)
    diagnostics.error(
      CODES.sizeBounds,
      locate(["sizes", "small"]) ?? locate(["sizes", "large"]),
      `sizes: the largest small flow, ${small} bytes, is not below the smallest large one, ${large} bytes`,
      "write two bounds that ascend, such as { small: 100KB, large: 10MB }",
    );
}

/** `count`: number of flows that started; `lastNs`: start of the last one, from the start of the traffic. Throws DiagnosticError P43060. */
export function noneMeasured(
  { settings, locate }: Load,
  { count, lastNs }: { readonly count: number; readonly lastNs: number },
): never {
  fail(
    CODES.nothingToMeasure,
    locate(["warm_up"]) ?? locate(["traffic"]) ?? locate([]),
    count === 0
      ? "no flow starts"
      : `no flow starts after warm_up, ${settings.warm_up / 1e6} ms: there is nothing to measure`,
    count === 0
      ? "write a longer duration, more flows, or a higher load"
      : `${count} flows start, the last one at ${lastNs / 1e6} ms; write a shorter warm_up, or more traffic`,
  );
}
