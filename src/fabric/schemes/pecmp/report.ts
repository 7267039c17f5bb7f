/**
 * The cost of P-ECMP in a fabric: groups, members and selector bits, counted in the matrices that the compiler
 * produces (P-ECMP, section 5.1, figure 6, and appendices D and E).
 */
import { z } from "zod";
import { fail, formatTable } from "../../../base/index.js";
import {
  buildTopology,
  computeRoutes,
  type HopSet,
  nodeAt,
  type Prefix,
  type Role,
  type RoutingTable,
  rackClasses,
  switchesOf,
  type Topology,
  type TopologySpec,
  topologySchema,
} from "../../topology/index.js";
import { CODES } from "../codes.js";
import type { ReportText, SchemeReport } from "../scheme.js";
import { reductionReport } from "../wcmp/report.js";
import { type CompiledSwitch, compileMatrices, fanOutsOf, groupSizes, type Weights } from "./compile.js";
import { readWeights } from "./fabric.js";
import { type FanOuts, layOut, VERSION_BITS, type VersionBit } from "./layout.js";
import type { Control } from "./matrix.js";
import { pecmpParameters } from "./parameters.js";
import { offsetSet, ruleFor } from "./selectors.js";
import { demandOf } from "./sram.js";

export interface ReportOptions {
  /** Position of version bits; the paper's text and its numbers follow different rules. */
  readonly versionBit: VersionBit;
  /** Whether the bits for next hops cover the NIC bond and the leaf's choice of a ToR of a pair. */
  readonly legs: boolean;
  /** Control for which groups are counted. */
  readonly control: Control;
}

/** Each next hop once in its group. */
const EQUAL: Weights = new Map();

/** The reading under which the rows of Table 2 agree with figure 6a and with "2 to 6 bits". */
const DEFAULT_REPORT: ReportOptions = { versionBit: "none", legs: false, control: "both" };

type Counts = { tor: number | null; leaf: number | null; spine: number | null };

/** The figures of one topology; `null` where it has no such switches. */
interface ReportRow {
  readonly topology: string;
  /** The maximum number of upward paths of a server, NICs included (table 2's last column): {@link countWaysUp}. */
  readonly paths: number | null;
  /** ECMP groups of the largest switch of a role: uplinks of a ToR or leaf; per pod in a spine. */
  readonly groups: Counts;
  /** Slots of those groups. */
  readonly members: Counts;
  readonly selector_bits: { readonly offset: number; readonly both: number };
  readonly version_bit: VersionBit;
  readonly legs: boolean;
}

/** Counts one topology. */
export function reportOf(
  name: string,
  topology: Topology,
  options: ReportOptions = DEFAULT_REPORT,
  weights: Weights = EQUAL,
): ReportRow {
  const switches = compileMatrices(topology, options.control, weights);
  const fanOuts = fanOutsOf(topology, switches);
  const sizes = groupSizes(topology, switches);
  const offsetBits = sizes.length === 0 ? 0 : offsetSet(ruleFor(sizes), Math.max(...sizes)).bits;
  const bits = (control: Control) => selectorBits(control, fanOuts, offsetBits, options);
  return {
    topology: name,
    paths: switchesOf(topology, "switch").length > 0 ? null : countWaysUp(topology),
    groups: countsOf(topology, switches, "groups"),
    members: countsOf(topology, switches, "members"),
    selector_bits: { offset: bits("offset"), both: bits("both") },
    version_bit: options.versionBit,
    legs: options.legs,
  };
}

function countsOf(
  topology: Topology,
  switches: readonly CompiledSwitch[],
  what: "groups" | "members",
): Counts {
  const most = (role: Role): number | null => {
    const own = switches.filter((compiled) => nodeAt(topology, compiled.node).role === role);
    if (own.length === 0) return null;
    const counts = own.map(({ matrices }) => {
      if (role === "spine") return Math.max(0, ...matrices.map(({ matrix }) => demandOf([matrix])[what]));
      return demandOf(matrices.filter((m) => m.direction === "up").map((m) => m.matrix))[what];
    });
    return Math.max(...counts);
  };
  return { tor: most("tor"), leaf: most("leaf"), spine: most("spine") };
}

/** Bits of the selector for one kind of control; the field does not matter. */
function selectorBits(
  control: Control,
  fanOuts: FanOuts,
  offsetBits: number,
  options: ReportOptions,
): number {
  const { nic: _nic, legs: _legs, ...tiers } = fanOuts;
  const counted = options.legs ? fanOuts : tiers;
  return layOut(control, "dscp_flow_label", options.versionBit, counted, offsetBits).bits;
}

/**
 * The twelve topologies of Table 2; parameters that do not affect the counts are small. Spines are
 * wired as a mesh: with planes a spine has one link to each pod and no choice, but figure 6a counts
 * twice as many groups for each pod in a spine as a pod has leaves.
 */
function table2Topologies(): { name: string; spec: TopologySpec }[] {
  const list: { name: string; spec: TopologySpec }[] = [];
  const add = (spec: object) => {
    const name = `#${list.length + 1}`;
    list.push({ name, spec: topologySchema.parse({ name, hosts_per_rack: 1, ...spec }) });
  };
  for (const leaves of [4, 8]) {
    for (const homing of ["single", "dual"]) add({ kind: "leaf_spine", tors: 4, leaves, homing });
  }
  for (const homing of ["single", "dual"]) {
    for (const spines_per_plane of [8, 16, 32, 64]) {
      const shape = { pods: 2, tors_per_pod: 2, leaves_per_pod: 8, spines_per_plane };
      add({ kind: "clos", wiring: "mesh", homing, ...shape });
    }
  }
  return list;
}

/** One row for each topology of Table 2, counted in compiled matrices. */
export function table2Report(options: ReportOptions = DEFAULT_REPORT): ReportRow[] {
  return table2Topologies().map(({ name, spec }) => reportOf(name, buildTopology(spec), options));
}

/** Rows as a text table, with the rules that were used below it. */
export function formatReport(rows: readonly ReportRow[]): string {
  const header = [
    "topology",
    "paths",
    "ToR groups",
    "leaf groups",
    "spine groups/pod",
    "offset bits",
    "both bits",
  ];
  const table = formatTable(
    header,
    rows.map(({ topology, paths, groups, selector_bits: bits }) => [
      topology,
      paths,
      groups.tor,
      groups.leaf,
      groups.spine,
      bits.offset,
      bits.both,
    ]),
  );
  const rule = rows[0];
  if (rule === undefined) return table;
  const legs = rule.legs ? "counted" : "not counted";
  return `${table}\n\nselector bits: version bit ${rule.version_bit}, NIC and leaf-to-ToR legs ${legs}`;
}

/** For each role of one topology: the groups and members of its largest switch in each direction, for all destinations. */
export function formatSwitchReport(
  topology: Topology,
  control: Control = DEFAULT_REPORT.control,
  weights: Weights = EQUAL,
): string {
  const switches = compileMatrices(topology, control, weights);
  const roles = [...new Set(switchesOf(topology).map((node) => node.role))];
  const rows = roles.map((role) => {
    const own = switches.filter((compiled) => nodeAt(topology, compiled.node).role === role);
    const most = (direction: "up" | "down") => {
      const needs = own.map(({ matrices }) =>
        demandOf(matrices.filter((m) => m.direction === direction).map((m) => m.matrix)),
      );
      return [Math.max(...needs.map((n) => n.groups)), Math.max(...needs.map((n) => n.members))];
    };
    return [role, own.length, ...most("up"), ...most("down")];
  });
  const header = ["role", "switches", "groups up", "members up", "groups down", "members down"];
  return `${formatTable(header, rows)}\n\ncontrol: ${control}; groups and members of the largest switch of a role`;
}

/** Name of the twelve topologies of Table 2. */
const TABLE_2 = "table2";

/** The parameters of the scheme; the report reads those of {@link ReportOptions} and the weights. */
const reportSchema = pecmpParameters.extend({
  /** Control for which groups are counted. */
  control: pecmpParameters.shape.control.unwrap().default(DEFAULT_REPORT.control),
  version_bit: z.enum(VERSION_BITS).default(DEFAULT_REPORT.versionBit),
  /** Whether the bits cover the NIC bond and the leaf's choice of a ToR of a pair. */
  legs: z.boolean().default(DEFAULT_REPORT.legs),
});

/** `p4loom generate pecmp --report`: on a topology, or on the twelve of the paper. */
export const pecmpReport: SchemeReport = {
  topologies: [TABLE_2],
  options: reportSchema,
  make: (subject: Topology | string, options: unknown): ReportText => {
    const given = options as z.output<typeof reportSchema>;
    const { version_bit, legs, control } = given;
    const rule: ReportOptions = { versionBit: version_bit, legs, control };
    if (typeof subject === "string") {
      if (given.weights.length > 0)
        fail(
          CODES.weight,
          undefined,
          `the topologies of ${TABLE_2} have links of one rate, and no weights`,
          "name the file of a topology",
        );
      const rows = table2Report(rule);
      return { rows, text: formatReport(rows) };
    }
    const weights = readWeights(subject, given, () => undefined);
    const rows = [reportOf(subject.name, subject, rule, weights)];
    const text = `${formatReport(rows)}\n\n${formatSwitchReport(subject, control, weights)}`;
    if (!("groupMembers" in weights)) return { rows, text };
    const wcmp = reductionReport(subject, weights.groupMembers);
    return { rows: [{ ...rows[0]!, wcmp: wcmp.rows }], text: `${text}\n\n${wcmp.text}` };
  },
};

// Counts the upward paths of a fabric, from its routing tables (the last column of P-ECMP's table 2).

/**
 * The maximum number of upward paths of a server to another one: sequences of NIC, ToR and leaf by which a packet can
 * go up before it goes down to its destination. Choices on the way down are not counted. A NIC whose ToR has no
 * route to the destination is not counted. The network must have tiers.
 */
function countWaysUp(topology: Topology): number {
  const tables = new Map(computeRoutes(topology).map((table) => [table.node, table]));
  const { nodes, racks } = topology;
  let most = 0;
  for (const destination of rackClasses(topology).representatives) {
    const { address } = racks[destination]!.ipv4;
    const known = new Map<number, number>();
    const waysFrom = (node: number): number => {
      let ways = known.get(node);
      if (ways === undefined) {
        const hops = hopsTo(tables.get(node)!, address);
        const ports = hops?.ports ?? [];
        ways =
          hops?.direction === "up"
            ? ports.reduce((sum, port) => sum + waysFrom(nodes[node]!.ports[port - 1]!.peer), 0)
            : Math.min(1, ports.length);
        known.set(node, ways);
      }
      return ways;
    };
    for (const { hosts } of racks) {
      // All hosts of a rack have the same switches.
      const host = nodes[hosts[0]!]!;
      most = Math.max(
        most,
        host.ports.reduce((sum, { peer }) => sum + waysFrom(peer), 0),
      );
    }
  }
  return most;
}

/** Next hops by the longest prefix that contains an IPv4 address; undefined without a route. */
function hopsTo({ routes, hopSets }: RoutingTable, address: bigint): HopSet | undefined {
  const contains = (prefix: Prefix) => {
    const shift = BigInt(32 - prefix.length);
    return prefix.address >> shift === address >> shift;
  };
  const matching = routes.filter(({ ipv4 }) => contains(ipv4));
  const longest = Math.max(...matching.map(({ ipv4 }) => ipv4.length));
  const best = matching.find(({ ipv4 }) => ipv4.length === longest);
  return best === undefined ? undefined : hopSets[best.hops];
}
