/** Checks a file of the kind `fluid`: the traffic fits the topology, times divide each other, the schemes fit the network. */
import { type Diagnostics, defined, given, type Locate, type SourceFile } from "../../../../base/index.js";
import { FLOW_SIM_SCHEMES, type FlowSimScheme } from "../../../schemes/index.js";
import { FlowNetwork, type LinkChange } from "../../../sim/flow/index.js";
import { hostsOf, nodeNamed, type Topology } from "../../../topology/index.js";
import { type PartnerSpec, readTrafficFile, SizeDistribution } from "../../../traffic/index.js";
import { CODES } from "../../codes.js";
import { directionsOf, type Fault, transitionsOf } from "../../faults/fault.js";
import { type ListedFault, listedFaults } from "../../faults/listed-faults.js";
import { collecting } from "../../files.js";
import { below } from "../../plan-schemes.js";
import type { CheckContext, Unit } from "../kind.js";
import { type FileDigest, TrafficFiles } from "../load/traffic-files.js";
import type { TrafficPart } from "./flows.js";
import type { FlowSimPart, FlowSimSettings, Sizes } from "./schema.js";

type Check = CheckContext<FlowSimSettings>;

/** Adds P43007 for a scheme that is listed twice, P45401 and P45402 for the network, P45421 to P45427, P42331 for sizes, and the codes of faults. */
export function flowSimOf(check: Check): FlowSim {
  const { source, value, topology, locate } = check;
  checkTimes(check);
  const network = new FlowNetwork(topology, locate);
  const files = new TrafficFiles(source, check.diagnostics);
  const parts = value.traffic.map((part, i) =>
    part.trace === undefined ? partOf(part, i, check, files) : traceOf(part, i, check, files),
  );
  const runs = runsOf(check, network, files.digests);
  const changes = linkChanges(value, topology, locate, check.diagnostics);
  return { source, settings: value, topology, network, runs, parts, changes };
}

function checkTimes({ value, locate, diagnostics }: Check): void {
  const { duration, warm_up, epoch, step = epoch, rates } = value;
  if (warm_up >= duration)
    diagnostics.error(
      CODES.flowSimTimes,
      locate(["warm_up"]) ?? locate(["duration"]),
      `warm_up, ${warm_up / 1e6} ms, is not shorter than duration, ${duration / 1e6} ms: no time would be measured`,
      "write a shorter warm_up, or a longer duration",
    );
  if (epoch % step !== 0)
    diagnostics.error(
      CODES.flowSimTimes,
      locate(["step"]),
      `an epoch of ${epoch / 1e6} ms is no whole number of steps of ${step / 1e6} ms`,
      "write a step that divides the epoch",
    );
  if (rates !== "max_min" && rates.aimd.round_trip > step)
    diagnostics.error(
      CODES.flowSimTimes,
      locate(["rates", "aimd", "round_trip"]) ?? locate(["rates"]),
      `a round trip of ${rates.aimd.round_trip / 1e6} ms is longer than a step of ${step / 1e6} ms, in which rates are constant`,
      "write a step, and an epoch, as long as the round trip at least",
    );
}

/**
 * Maximum number of flows that are expected to start in a step: all of them are in memory at once, with about 200 bytes each. A size without
 * its unit, or a rate with a wrong one, exceeds it.
 */
const MAX_STARTS = 2_000_000;

/** Adds P45426 where a part would start more flows in a step than memory has room for. */
function checkStarts(
  rate: number,
  sizes: Sizes,
  sending: number,
  i: number,
  { value, locate, diagnostics }: Check,
): void {
  const { epoch, step = epoch } = value;
  const mean = sizes.kind === "exponential" ? sizes.mean : sizes.of.mean;
  const starts = (rate * sending * step) / (8e9 * mean);
  if (starts <= MAX_STARTS) return;
  diagnostics.error(
    CODES.flowSimCost,
    locate(["traffic", i, "sizes"]) ?? locate(["traffic", i]),
    `about ${Number(starts.toPrecision(2))} flows would start in each step of ${step / 1e6} ms: ${Number((rate / 1e9).toPrecision(6))} Gbps of each of ${sending} switches, in flows of ${Number(mean.toPrecision(6))} bytes on average; at most ${MAX_STARTS} can`,
    "give the sizes with their unit, such as 1.5MB; or write a lower rate or a shorter step",
  );
}

function runsOf(
  { value, locate, diagnostics }: Check,
  network: FlowNetwork,
  files: readonly FileDigest[],
): FlowSimRun[] {
  const { duration, epoch, bundles } = value;
  const labels = new Set<string>();
  return value.schemes.flatMap((entry, i): FlowSimRun[] => {
    const {
      scheme: name,
      label,
      subflows = value.subflows,
      ...own
    } = (typeof entry === "string" ? { scheme: entry } : entry) as {
      scheme: string;
      label?: string;
      subflows?: number;
    } & Record<string, unknown>;
    const fluid = defined(FLOW_SIM_SCHEMES[name]);
    const scheme = label ?? name;
    if (labels.has(scheme)) {
      diagnostics.error(
        CODES.listedTwice,
        locate(["schemes", i]),
        `scheme "${scheme}" is listed twice`,
        "give one of the two a label of its own: { scheme: ..., label: ... }",
      );
      return [];
    }
    labels.add(scheme);
    if (subflows > 1 && bundles !== undefined)
      diagnostics.error(
        CODES.subflowsInBundles,
        locate(["schemes", i, "subflows"]) ?? locate(["subflows"]),
        `subflows is ${subflows}, but flows share ${bundles} bundles, and each subflow needs a path of its own`,
        "remove `bundles`",
      );
    const parameters = fluid.parameters.parse(own);
    const place = below(locate, ["schemes", i]);
    collecting(diagnostics, () => fluid.check?.(network, parameters, place));
    return [
      {
        scheme: { label: scheme },
        name: "fluid",
        steps: Math.ceil(duration / epoch),
        dependsOn: {
          scheme: name,
          parameters,
          subflows,
          ...given({ files: files.length > 0 ? files : undefined }),
        },
        fluid,
        parameters,
        subflows,
        locate: place,
      },
    ];
  });
}

/** The flows of a traffic file. Adds P42320 to P42323 for its lines, and P45425 where it has none or starts are not in order. */
function traceOf(
  { trace: name = "", senders, ...others }: FlowSimPart,
  i: number,
  { topology, locate, diagnostics }: Check,
  files: TrafficFiles,
): TrafficPart {
  const span = locate(["traffic", i, "trace"]);
  for (const key of [...Object.keys(others), ...(Object.keys(senders).length > 0 ? ["senders"] : [])])
    diagnostics.error(
      CODES.flowSimFlows,
      locate(["traffic", i, key]) ?? span,
      `${key} has no effect on the flows of a trace`,
      `remove \`${key}\` or \`trace\``,
    );
  const file = files.read(name, span);
  if (file === undefined) return { trace: [] };
  const hosts = new Set(hostsOf(topology).map((host) => host.name));
  const before = diagnostics.errorCount;
  const flows = readTrafficFile(file, hosts, diagnostics);
  const late = flows.findIndex(({ startNs }, at) => at > 0 && startNs < defined(flows[at - 1]).startNs);
  if (flows.length === 0 && diagnostics.errorCount === before)
    diagnostics.error(CODES.flowSimTrace, span, `${file.path} has no flows`);
  if (late >= 0)
    diagnostics.error(
      CODES.flowSimTrace,
      span,
      `${file.path}: flow ${late + 1} starts before the flow on the line above`,
      "sort the lines by their starts",
    );
  const indexOf = (host: string) => nodeNamed(topology, host)!.index;
  return {
    trace: flows.map(({ startNs, src, dst, bytes }) => ({
      startNs,
      source: indexOf(src),
      destination: indexOf(dst),
      bytes,
    })),
  };
}

function partOf(part: FlowSimPart, i: number, check: Check, files: TrafficFiles): TrafficPart {
  const { diagnostics, locate, topology } = check;
  const at = (...keys: PropertyKey[]) => locate(["traffic", i, ...keys]) ?? locate(["traffic", i]);
  const { rate, sizes, senders } = part;
  if (part.pattern === undefined) {
    diagnostics.error(
      CODES.flowSimFlows,
      at(),
      "a part of the traffic has neither a pattern nor a trace",
      "write `pattern: permutation`, for example, or `trace: flows.csv`",
    );
    return { trace: [] };
  }
  const pattern = patternOf(part.pattern);
  const hosts = hostsOf(topology).length;
  const racks = topology.racks.length;
  const wrong = (keys: PropertyKey[], message: string, ...notes: string[]) =>
    diagnostics.error(CODES.flowSimPattern, at(...keys), message, ...notes);
  if (hosts < 2) wrong(["pattern"], "the topology has one host, and traffic needs two");
  if (pattern.kind === "inter_rack" && racks < 2)
    wrong(["pattern"], "all hosts of the topology are in one rack");
  if (pattern.kind === "stride" && pattern.stride % hosts === 0)
    wrong(
      ["pattern", "stride"],
      `with ${hosts} hosts, a stride of ${pattern.stride} leads each host to itself`,
    );
  if (pattern.kind === "cliques" && pattern.count * pattern.racks > racks)
    wrong(
      ["pattern", "cliques"],
      `${pattern.count} cliques of ${pattern.racks} switches need ${pattern.count * pattern.racks} switches; the topology has ${racks} with hosts`,
      `at most ${Math.floor(racks / pattern.racks)} cliques of ${pattern.racks}`,
    );
  const sending = pattern.kind === "cliques" ? pattern.count * pattern.racks : racks;
  if (senders.switches !== undefined && senders.switches > sending)
    wrong(
      ["senders", "switches"],
      `${senders.switches} switches are to send; ${sending} have hosts that send under the pattern`,
    );
  const fewest = Math.min(...topology.racks.map((rack) => rack.hosts.length));
  if (senders.hosts !== undefined && senders.hosts > fewest)
    wrong(["senders", "hosts"], `${senders.hosts} hosts of a switch are to send; one has ${fewest}`);
  if ((rate === undefined) !== (sizes === undefined))
    diagnostics.error(
      CODES.flowSimFlows,
      at(rate === undefined ? "sizes" : "rate"),
      rate === undefined
        ? "flows have sizes, but the key rate is missing"
        : "flows have a rate, but the key sizes is missing",
      "write both, such as `rate: 18Gbps` and `sizes: { exponential: 1.5MB }`; or neither, for flows without an end",
    );
  const drawn = sizes === undefined ? undefined : sizesOf(sizes, check, i, files);
  if (rate !== undefined && drawn !== undefined)
    checkStarts(rate, drawn, Math.min(senders.switches ?? sending, sending), i, check);
  const open = rate === undefined || drawn === undefined ? undefined : { rate, sizes: drawn };
  return { pattern, senders, open };
}

function patternOf(pattern: NonNullable<FlowSimPart["pattern"]>): PartnerSpec {
  if (typeof pattern === "string") return { kind: pattern };
  if ("stride" in pattern) return { kind: "stride", stride: pattern.stride };
  const { count, switches } = pattern.cliques;
  return { kind: "cliques", count, racks: switches };
}

function sizesOf(
  sizes: NonNullable<FlowSimPart["sizes"]>,
  { locate }: Check,
  i: number,
  files: TrafficFiles,
): Sizes | undefined {
  if (typeof sizes === "string") {
    const of = files.distribution(sizes, locate(["traffic", i, "sizes"]));
    return of && { kind: "distribution", of };
  }
  return "fixed" in sizes
    ? { kind: "distribution", of: SizeDistribution.fixed(sizes.fixed) }
    : { kind: "exponential", mean: sizes.exponential };
}

export interface FlowSimRun extends Unit {
  /** What its outcome depends on in addition to the settings of the file, as JSON. */
  readonly dependsOn: unknown;
  readonly fluid: FlowSimScheme;
  readonly parameters: unknown;
  readonly subflows: number;
  /** Finds the source position of keys of the parameters. */
  readonly locate: Locate;
}

export interface FlowSim {
  readonly source: SourceFile;
  readonly settings: FlowSimSettings;
  readonly topology: Topology;
  readonly network: FlowNetwork;
  readonly runs: readonly FlowSimRun[];
  readonly parts: readonly TrafficPart[];
  /** Links that fail and return, in time order. */
  readonly changes: readonly LinkChange[];
}

// The faults of a fluid experiment, as changes of directed links.

/** In time order. Adds the codes of faults (P43014, P43015, P43022, P43028 to P43037), and P45427 for one that needs packets. */
function linkChanges(
  { faults: listed, duration }: FlowSimSettings,
  topology: Topology,
  locate: Locate,
  diagnostics: Diagnostics,
): LinkChange[] {
  const before = diagnostics.errorCount;
  for (const [number, fault] of listed.entries()) checkFault(fault, number, locate, diagnostics);
  if (diagnostics.errorCount > before) return [];
  const faults = listedFaults(
    { faults: listed, duration, ip: 4, flows: NO_FLOWS },
    topology,
    locate,
    diagnostics,
  );
  if (diagnostics.errorCount > before) return [];
  return transitionsOf(faults, duration).map(
    ({ at, fault, begins }): LinkChange => ({
      atNs: at,
      fails: begins,
      links: linksOf(fault, topology),
      // Neighbours of a killed switch keep their carrier, as in the packet simulator.
      signalled: fault.effect.kind === "down",
      ...given({ restarted: fault.effect.kind === "kill" && !begins ? fault.element.index : undefined }),
    }),
  );
}

/** The directed links that carry nothing while the fault acts: all of a killed switch in both directions. */
function linksOf({ element, effect }: Fault, topology: Topology): number[] {
  if (effect.kind === "kill")
    return defined(topology.nodes[element.index]).ports.flatMap(({ link }) => [2 * link, 2 * link + 1]);
  return directionsOf(topology, element).map(({ link, from }) => 2 * link + (from === "a" ? 0 : 1));
}

/** Faults of flows have been refused before. */
const NO_FLOWS = "the flow simulator has no packets";

const OTHER_ELEMENTS = ["host", "control", "flow", "controller"] as const;
const OTHER_EFFECTS = ["loss", "corruption", "delay", "rate", "match", "drop", "counted"] as const;

function checkFault(fault: ListedFault, number: number, locate: Locate, diagnostics: Diagnostics): void {
  const key = [...OTHER_ELEMENTS, ...OTHER_EFFECTS].find((one) => fault[one] !== undefined);
  if (key === undefined) return;
  diagnostics.error(
    CODES.flowSimFault,
    locate(["faults", number, key]) ?? locate(["faults", number]),
    `a fault with the key ${key}: the flow simulator has no packets, and faults of links, ports and switches alone`,
    "write link, port or switch, with the kind down, up, silent, repair, kill or restart",
  );
}
