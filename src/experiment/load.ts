/** From an experiment file to an {@link Experiment} or a {@link Timeline}. All errors of the file are found here. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { z } from "zod";
import {
  DiagnosticError,
  type Diagnostics,
  type Locate,
  SourceFile,
  systemErrorReason,
} from "../base/index.js";
import { loadDocument } from "../documents/index.js";
import { FIELD_BITS } from "../hosts/index.js";
import { buildTopology, hostsOf, type Topology } from "../topology/index.js";
import { type PairPattern, readTrafficFile } from "../traffic/index.js";
import { withControlPlane } from "./control-plane.js";
import { controllerFaults } from "./control-plane-faults.js";
import {
  type Experiment,
  type ExperimentSettings,
  experimentSchema,
  type FabricExperiment,
  type FlowSpec,
  parameterShape,
  type SchemeRun,
  schemeOfName,
  type Timeline,
  type TimelineSettings,
  timelineSchema,
} from "./experiment.js";
import { type DrawnFailure, drawnFailures, FAILURES, failureOfWord } from "./faults/drawn-failures.js";
import { listedFaults } from "./faults/listed-faults.js";
import { placesOf, siteKey } from "./kinds/failover/failure-sites.js";
import { checkTimeline } from "./kinds/timeline/check.js";

/**
 * Reads and checks an experiment file of either kind; undefined after errors, which `diagnostics` holds: P43001 to P43004
 * (the document's form), P43005 to P43009 (its meaning), P43014 and P43015 (what flows and faults name), P421xx and
 * P422xx (topology and schemes). A file with `flows` or `faults` is a {@link Timeline}.
 */
export function loadExperimentFile(
  input: string | SourceFile,
  diagnostics: Diagnostics,
): Experiment | Timeline | undefined {
  const source = typeof input === "string" ? readSource(input, diagnostics) : input;
  if (source === undefined) return undefined;
  const schemaOf = (contents: unknown): z.ZodType<ExperimentValue | TimelineValue> =>
    typeof contents === "object" && contents !== null && ("flows" in contents || "faults" in contents)
      ? timelineSchema
      : experimentSchema;
  const document = loadDocument(source, schemaOf, diagnostics);
  if (document === undefined) return undefined;
  const { value, locate } = document;
  return "flows" in value
    ? checkedTimeline(source, value, locate, diagnostics)
    : checkedExperiment(source, value, locate, diagnostics);
}

/** As {@link loadExperimentFile}, for drawn flows and failures alone. */
export function loadExperiment(input: string | SourceFile, diagnostics: Diagnostics): Experiment | undefined {
  const source = typeof input === "string" ? readSource(input, diagnostics) : input;
  const document = source && loadDocument(source, experimentSchema, diagnostics);
  return document && checkedExperiment(source, document.value, document.locate, diagnostics);
}

/** As {@link loadExperimentFile}, for given flows and faults alone. */
export function loadTimeline(input: string | SourceFile, diagnostics: Diagnostics): Timeline | undefined {
  const source = typeof input === "string" ? readSource(input, diagnostics) : input;
  const document = source && loadDocument(source, timelineSchema, diagnostics);
  return document && checkedTimeline(source, document.value, document.locate, diagnostics);
}

type ExperimentValue = z.output<typeof experimentSchema>;
type TimelineValue = z.output<typeof timelineSchema>;

function checkedExperiment(
  source: SourceFile,
  value: ExperimentValue,
  locate: Locate,
  diagnostics: Diagnostics,
): Experiment | undefined {
  return collecting(diagnostics, () => {
    const topology = buildTopology(value.topology, below(locate, ["topology"]));
    const { pairs = farthestPairs(topology), ip } = value.traffic;
    const settings: ExperimentSettings = { ...value, traffic: { pairs, ip } };
    const failures = drawnFailures(settings.failures, topology, ip, locate, diagnostics);
    checkMeaning(settings, failures, topology, locate, diagnostics);
    const schemes = planSchemes(settings, topology, locate, diagnostics);
    return { kind: "failover", source, locate, settings, topology, schemes, failures };
  });
}

function checkedTimeline(
  source: SourceFile,
  value: TimelineValue,
  locate: Locate,
  diagnostics: Diagnostics,
): Timeline | undefined {
  return collecting(diagnostics, () => {
    const topology = buildTopology(value.topology, below(locate, ["topology"]));
    const flows =
      typeof value.flows === "string"
        ? readFlows(join(dirname(source.path), value.flows), topology, diagnostics)
        : value.flows;
    const settings: TimelineSettings = { ...value, flows };
    checkSelector(settings, locate, diagnostics);
    checkTimeline(settings, topology, locate, diagnostics);
    const { duration, traffic } = settings;
    const list = { faults: settings.faults, duration, ip: traffic.ip };
    const faults = listedFaults(list, topology, locate, diagnostics);
    const schemes = planSchemes({ ...settings, runs: 1 }, topology, locate, diagnostics);
    const killed = controllerFaults(settings, schemes, locate, diagnostics);
    return {
      kind: "timeline",
      source,
      locate,
      settings,
      topology,
      schemes,
      faults,
      controllerFaults: killed,
    };
  });
}

/** The pairs of hosts that are farthest apart: in different pods, else in different racks, else any. */
function farthestPairs({ pods, racks }: Topology): PairPattern {
  return pods.length > 1 ? "inter_pod" : racks.length > 1 ? "inter_rack" : "any";
}

/** The flows of a traffic file; P43005 and P42320 to P42323 go to the list. */
function readFlows(path: string, topology: Topology, diagnostics: Diagnostics): FlowSpec[] {
  const file = readSource(path, diagnostics);
  if (file === undefined) return [];
  const hosts = new Set(hostsOf(topology).map(({ name }) => name));
  return readTrafficFile(file, hosts, diagnostics).map(({ src, dst, startNs, bytes, port }) => ({
    from: src,
    to: dst,
    count: 1,
    start: startNs,
    bytes,
    port,
  }));
}

/** Runs `work`; its diagnostics, thrown or added, go to the list, and any error among them means no result. */
function collecting<T>(diagnostics: Diagnostics, work: () => T): T | undefined {
  const before = diagnostics.errorCount;
  try {
    const value = work();
    return diagnostics.errorCount > before ? undefined : value;
  } catch (error) {
    if (!(error instanceof DiagnosticError)) throw error;
    for (const diagnostic of error.diagnostics) diagnostics.add(diagnostic);
    return undefined;
  }
}

/** The file's text; undefined after P43005. */
function readSource(path: string, diagnostics: Diagnostics): SourceFile | undefined {
  try {
    return new SourceFile(path, readFileSync(path, "utf8"));
  } catch (error) {
    diagnostics.error("P43005", undefined, `cannot read ${path}: ${systemErrorReason(error)}`);
    return undefined;
  }
}

/** The same places, with paths that start at an inner value. */
function below(locate: Locate, prefix: readonly PropertyKey[]): Locate {
  return (path) => locate([...prefix, ...path]);
}

/** The selector must be in packets of the traffic's kind. */
function checkSelector(
  { traffic, selector }: Pick<FabricExperiment["settings"], "traffic" | "selector">,
  locate: Locate,
  diagnostics: Diagnostics,
): void {
  if (traffic.ip === 4 && selector === "flow_label")
    diagnostics.error(
      "P43006",
      locate(["selector"]) ?? locate(["traffic", "ip"]),
      "selector: flow_label needs IPv6, but traffic.ip is 4",
      "write traffic: { ip: 6 }, or another field: dscp, vlan",
    );
}

function checkMeaning(
  settings: ExperimentSettings,
  failures: readonly DrawnFailure[],
  topology: Topology,
  locate: Locate,
  diagnostics: Diagnostics,
): void {
  checkSelector(settings, locate, diagnostics);
  if (settings.give_up <= settings.transport.rto_margin)
    diagnostics.error(
      "P43008",
      locate(["give_up"]) ?? locate([]),
      `give_up is ${settings.give_up / 1e6} ms: no flow can recover before its first timeout`,
      `write more than rto_margin, ${settings.transport.rto_margin / 1e6} ms`,
    );
  checkSites(settings, failures, topology, locate, diagnostics);
}

/** Every failure that is asked for must have a place on the paths between the hosts that are asked for. */
function checkSites(
  settings: ExperimentSettings,
  failures: readonly DrawnFailure[],
  topology: Topology,
  locate: Locate,
  diagnostics: Diagnostics,
): void {
  const { pairs } = settings.traffic;
  const possible = placesOf(topology, pairs);
  if (possible === undefined) {
    diagnostics.error(
      "P43009",
      locate(["traffic", "pairs"]) ?? locate(["topology"]),
      `no two hosts of the topology are ${PAIR_NEEDS[pairs]}`,
      `traffic.pairs is ${pairs}; the topology has ${count(topology.pods.length, "pod")}, ` +
        `${count(topology.racks.length, "rack")}`,
      `write traffic: { pairs: ${farthestPairs(topology)} }, or leave pairs out`,
    );
    return;
  }
  for (const [i, { name, sites }] of failures.entries()) {
    if (sites.every((site) => possible.has(siteKey(site)))) continue;
    const words = FAILURES.filter((one) => possible.has(siteKey(failureOfWord(one).sites[0]!)));
    diagnostics.error(
      "P43009",
      locate(["failures", i]),
      `failure "${name}": no path between the hosts of traffic.pairs: ${pairs} crosses one`,
      `failures with a place here: ${words.join(", ") || "none"}`,
    );
  }
}

/** What the schemes' plans depend on. */
type PlanSettings = Pick<
  FabricExperiment["settings"],
  "schemes" | "selector" | "traffic" | "control_plane"
> & { runs: number };

const PAIR_NEEDS = { any: "different", inter_rack: "in different racks", inter_pod: "in different pods" };

function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

function planSchemes(
  settings: PlanSettings,
  topology: Topology,
  locate: Locate,
  diagnostics: Diagnostics,
): SchemeRun[] {
  const labels = new Set<string>();
  return settings.schemes.flatMap((entry, i): SchemeRun[] => {
    const { scheme, label, runs, ...own } = (typeof entry === "string" ? { scheme: entry } : entry) as {
      scheme: SchemeRun["scheme"];
      label?: string;
      runs?: number;
    } & Record<string, unknown>;
    const name = label ?? scheme;
    if (labels.has(name)) {
      diagnostics.error(
        "P43007",
        locate(["schemes", i]),
        `scheme "${name}" is listed twice`,
        "give one of the two a label of its own: { scheme: ..., label: ... }",
      );
      return [];
    }
    labels.add(name);
    const chosen = schemeOfName(scheme);
    const written = locate(["schemes", i, "field"]) !== undefined;
    const hasField = Object.hasOwn(parameterShape(scheme), "field");
    const shared = hasField && !written ? { field: settings.selector } : {};
    const parameters = chosen.parameters.parse({ ...own, ...shared });
    const inEntry = below(locate, ["schemes", i]);
    const place: Locate = (path) =>
      path[0] === "field" && path.length === 1 && !written ? locate(["selector"]) : inEntry(path);
    checkWidth(settings, parameters["field"], place, diagnostics);
    return (
      collecting(diagnostics, () => {
        const first = chosen.plan(topology, parameters, place);
        const plan = withControlPlane(first, topology, settings.control_plane, locate);
        return [
          {
            label: name,
            title: label === undefined ? chosen.title : name,
            scheme,
            runs: runs ?? settings.runs,
            parameters,
            plan,
            policy: chosen.hosts(plan.hosts),
          },
        ];
      }) ?? []
    );
  });
}

/** A field that IPv4 packets do not have would leave every selector 0. */
function checkWidth(settings: PlanSettings, field: unknown, locate: Locate, diagnostics: Diagnostics): void {
  if (settings.traffic.ip !== 4 || field !== "flow_label" || settings.selector === "flow_label") return;
  diagnostics.error(
    "P43006",
    locate(["field"]),
    "field: flow_label needs IPv6, but traffic.ip is 4",
    `write traffic: { ip: 6 }, or another field: dscp (${FIELD_BITS.dscp} bits), vlan (${FIELD_BITS.vlan} bits)`,
  );
}
