/** Builds the topology of an experiment file, plans its schemes for it, and keeps both for other files that share them. */
import { dirname } from "node:path";
import { type Diagnostics, fail, given, type Locate, type SourceFile } from "../../base/index.js";
import { FIELD_BITS } from "../../base/packets/index.js";
import { readMapFile } from "../../toolchain/loading/index.js";
import type { Program } from "../../toolchain/program/index.js";
import { ROUTE_CONTROLLER, routeController } from "../controllers/index.js";
import { type HostContext, restingHost } from "../hosts/index.js";
import type { FabricPlan, Scheme } from "../schemes/index.js";
import { buildTopology, type MapReader, type Topology } from "../topology/index.js";
import { CODES } from "./codes.js";
import {
  type CommonSettings,
  type ControlPlaneSettings,
  type FabricSettings,
  parameterShape,
  type SchemeRun,
  type SchemeSet,
} from "./experiment.js";
import { collecting } from "./files.js";

/** The settings that the schemes' plans depend on. */
export type PlanSettings = Pick<FabricSettings, "schemes" | "selector" | "traffic" | "control_plane"> & {
  runs: number;
};

/** The file whose schemes are planned, and the schemes that it may name. */
interface PlanContext {
  readonly locate: Locate;
  readonly diagnostics: Diagnostics;
  readonly schemes: SchemeSet;
  /** Of plans that several files share. */
  readonly cache?: FabricCache | undefined;
}

/** The same positions, for paths that start at an inner value. */
export function below(locate: Locate, prefix: readonly PropertyKey[]): Locate {
  return (path, atKey) => locate([...prefix, ...path], atKey);
}

/** Adds P43006 for a field that the traffic does not have, P43007 for a scheme that is listed twice, and P422xx. */
export function planSchemes(
  settings: PlanSettings,
  topology: Topology,
  { locate, diagnostics, schemes, cache }: PlanContext,
): SchemeRun[] {
  checkSelector(settings, locate, diagnostics);
  const labels = new Set<string>();
  return settings.schemes.flatMap((entry, i): SchemeRun[] => {
    const { scheme, label, runs, ...own } = (typeof entry === "string" ? { scheme: entry } : entry) as {
      scheme: SchemeRun["scheme"];
      label?: string;
      runs?: number;
    } & Record<string, unknown>;
    const chosen = schemes[scheme] as Scheme<Record<string, unknown>>;
    const name = label ?? chosen.name;
    if (labels.has(name)) {
      diagnostics.error(
        CODES.listedTwice,
        locate(["schemes", i]),
        `scheme "${name}" is listed twice`,
        "give one of the two a label of its own: { scheme: ..., label: ... }",
      );
      return [];
    }
    labels.add(name);
    const written = locate(["schemes", i, "field"]) !== undefined;
    const hasField = Object.hasOwn(parameterShape(chosen), "field");
    const shared = hasField && !written ? { field: settings.selector } : {};
    // Those of an entry have been parsed with the file; what a schema has transformed must not come to it again.
    const parameters = { ...(typeof entry === "string" ? chosen.parameters.parse({}) : own), ...shared };
    const inEntry = below(locate, ["schemes", i]);
    const place: Locate = (path) =>
      path[0] === "field" && path.length === 1 && !written ? locate(["selector"]) : inEntry(path);
    checkWidth(settings, parameters["field"], place, diagnostics);
    return (
      collecting(diagnostics, () => {
        const make = () => {
          const first = chosen.plan(topology, parameters, place);
          return withControlPlane(first, topology, settings.control_plane, locate);
        };
        const needs = [scheme, parameters, settings.control_plane];
        const plan = cache === undefined ? make() : cache.plan(topology, needs, make);
        const hosts = (context: HostContext) => chosen.hosts(plan.hosts, context);
        const assign = chosen.assign?.(topology, parameters, place);
        const checkCommand: SchemeRun["checkCommand"] = (command, at) =>
          chosen.checkCommand?.(topology, parameters, command, at);
        // This finds errors of a description now, and not when a host runs.
        hosts(restingHost());
        return [
          {
            label: name,
            title: label === undefined ? chosen.title : name,
            scheme,
            runs: runs ?? settings.runs,
            parameters,
            plan,
            hosts,
            commands: chosen.commands ?? {},
            ...given({ checkCommand: chosen.checkCommand === undefined ? undefined : checkCommand }),
            ...given({ assign }),
          },
        ];
      }) ?? []
    );
  });
}

/** The plan with the controllers that the file asks for. Fails with P43306 where the scheme cannot plan again. */
function withControlPlane(
  plan: FabricPlan,
  topology: Topology,
  { recompute_routes, detection }: ControlPlaneSettings,
  locate: Locate,
): FabricPlan {
  if (!recompute_routes) return plan;
  const { replanning, switches, controllers = [] } = plan;
  if (replanning === undefined)
    fail(
      CODES.cannotReplan,
      locate(["control_plane", "recompute_routes"]),
      `scheme ${plan.scheme} cannot plan routes again while its switches run`,
      "leave recompute_routes out, or run this scheme in an experiment of its own",
    );
  const controller = routeController({
    planner: replanning.planner,
    planned: switches,
    detectionNs: detection,
  });
  const all = topology.nodes.filter(({ role }) => role !== "host").map(({ index }) => index);
  return {
    ...plan,
    programs: replanning.programs,
    controllers: [...controllers, { name: ROUTE_CONTROLLER, switches: all, controller }],
  };
}

/** The selector must be in packets of the traffic's kind. */
function checkSelector({ traffic, selector }: PlanSettings, locate: Locate, diagnostics: Diagnostics): void {
  if (traffic.ip === 4 && selector === "flow_label")
    diagnostics.error(
      CODES.flowLabelInIpv4,
      locate(["selector"]) ?? locate(["traffic", "ip"]),
      "selector: flow_label needs IPv6, but traffic.ip is 4",
      "write traffic: { ip: 6 }, or another field: dscp, vlan",
    );
}

/** A field that IPv4 packets do not have would leave every selector 0. */
function checkWidth(settings: PlanSettings, field: unknown, locate: Locate, diagnostics: Diagnostics): void {
  if (settings.traffic.ip !== 4 || field !== "flow_label" || settings.selector === "flow_label") return;
  diagnostics.error(
    CODES.flowLabelInIpv4,
    locate(["field"]),
    "field: flow_label needs IPv6, but traffic.ip is 4",
    `write traffic: { ip: 6 }, or another field: dscp (${FIELD_BITS.dscp} bits), vlan (${FIELD_BITS.vlan} bits)`,
  );
}

/** Builds the topology of the key `topology`, or takes it from the cache. Throws P421xx, and errors of a map that it names. */
export function topologyOf(
  { topology }: Pick<CommonSettings, "topology">,
  source: SourceFile,
  locate: Locate,
  cache: FabricCache | undefined,
): Topology {
  const readMap: MapReader = ({ map }, inTopology) =>
    readMapFile(map, dirname(source.path), inTopology(["map"]));
  const build = () => buildTopology(topology, below(locate, ["topology"]), readMap);
  return cache === undefined ? build() : cache.topology(topology, build);
}

/** Adds P45308 at each scheme that plans flows. `why`: the reason why the flows of this experiment cannot be planned. */
export function refusePlanning(
  schemes: readonly SchemeRun[],
  why: string,
  locate: Locate,
  diagnostics: Diagnostics,
): void {
  for (const [i, { label, assign }] of schemes.entries())
    if (assign !== undefined)
      diagnostics.error(
        CODES.unknownFlows,
        locate(["schemes", i]),
        `scheme ${label} assigns paths to flows before they open: ${why}`,
        "leave planning out of the scheme, or write an experiment whose flows are known: kind load without a loop, or kind timeline",
      );
}

// Keeps topologies and plans that several files share, such as the points of a sweep, which differ in other keys. A plan with controllers
// is made again for each file, because a controller may keep state in it.

/** Maximum number of topologies, and of plans, that are kept. */
const MAX_KEPT = 64;

export class FabricCache {
  readonly #topologies = new Map<string, Topology>();
  readonly #plans = new Map<string, FabricPlan>();
  readonly #numbers = new WeakMap<Topology, number>();
  #made = 0;

  /** `settings`: all that the topology depends on. */
  topology(settings: unknown, make: () => Topology): Topology {
    return kept(this.#topologies, JSON.stringify(settings), () => {
      const topology = make();
      this.#numbers.set(topology, this.#made++);
      return topology;
    });
  }

  /** `needs`: all that the plan depends on, except the topology, which is of this cache. */
  plan(topology: Topology, needs: unknown, make: () => FabricPlan): FabricPlan {
    const key = JSON.stringify([this.#numbers.get(topology), needs], bigintAsText);
    const keeps = (plan: FabricPlan) => (plan.controllers ?? []).length === 0;
    return kept(this.#plans, key, make, keeps);
  }
}

/** The value of the key; a new value replaces the oldest one when the cache is full. */
function kept<T>(
  map: Map<string, T>,
  key: string,
  make: () => T,
  keeps: (value: T) => boolean = () => true,
): T {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = make();
  if (!keeps(value)) return value;
  const oldest = map.keys().next();
  if (map.size >= MAX_KEPT && !oldest.done) map.delete(oldest.value);
  map.set(key, value);
  return value;
}

export function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}

/** Compiled programs by their texts. A sweep may have many: the oldest are dropped. */
export class CompiledPrograms {
  readonly #programs = new Map<string, Program>();

  get(text: string): Program | undefined {
    return this.#programs.get(text);
  }

  add(text: string, program: Program): void {
    const oldest = this.#programs.keys().next();
    if (this.#programs.size >= MAX_PROGRAMS && !oldest.done) this.#programs.delete(oldest.value);
    this.#programs.set(text, program);
  }
}

const MAX_PROGRAMS = 256;
