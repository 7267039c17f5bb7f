/**
 * P-ECMP's selectors on any graph (NSDI'25, section 6 leaves this open): selector 0 keeps the hash, and each other selector names a
 * route to each rack. The routes of a pair of racks are disjoint, as many as the graph has.
 *
 * Read `trees.ts` (which routes, and why none is a loop), `choices.ts` (the forwarding of each switch), `hosts.ts` (the hosts),
 * `first-tries.ts` (which failures the first try avoids).
 */
import { z } from "zod";
import { fail, formatTable, given, type Locate } from "../../../base/index.js";
import { FIELD_BITS, SELECTOR_FIELDS, type SelectorField } from "../../../base/packets/index.js";
import type { ProgramPlan } from "../../../toolchain/generate/index.js";
import type { PathModel } from "../../paths/index.js";
import { nodeAt, type Role, switchesOf, type Topology } from "../../topology/index.js";
import { LEAVES_FOR_SURE, NEVER_LEAVES } from "../closed-form.js";
import { CODES } from "../codes.js";
import { checkDescription } from "../description.js";
import { tableSize } from "../fabric.js";
import {
  DIRECTIONS,
  type Direction,
  type HashParameters,
  hashOf,
  hashParameters,
  seedOf,
  seedUpdate,
} from "../hash-settings.js";
import { HashModels, hashModel } from "../path-model.js";
import { type PecmpTemplate, pecmpProgram } from "../pecmp/program.js";
import { headerCosts } from "../pecmp/route.js";
import { bitsFor } from "../pecmp/selectors.js";
import { type FabricPlan, REPLANNING_ROOM, type RouteText, type Scheme } from "../scheme.js";
import { onlyPort, rowsOfChoice, type SwitchChoices, switchChoices } from "./choices.js";
import {
  describeRoutes,
  FAILOVER_NOTES,
  FAILOVERS_OF_ROUTES,
  multirouteHosts,
  routesDescription,
} from "./hosts.js";
import { multirouteReport } from "./report.js";
import { packTrees, type Trees } from "./trees.js";
import { ChoiceIds, choiceUpdates } from "./updates.js";

const parameters = z.strictObject({
  /** Maximum number of routes of a pair of racks; fewer where the graph has fewer disjoint ones. */
  paths: z
    .number({ error: "expected a number of routes from 2 to 64" })
    .int("expected a number of routes from 2 to 64")
    .min(2, "expected a number of routes from 2 to 64")
    .max(64, "expected a number of routes from 2 to 64")
    .default(4),
  /** Header field that carries the selector. */
  field: z.enum(SELECTOR_FIELDS).default("dscp"),
  failover: z.enum(FAILOVERS_OF_ROUTES).default("probe"),
  ...hashParameters,
});

type MultirouteParameters = z.output<typeof parameters>;

export const multiroute: Scheme<MultirouteParameters> = {
  name: "multiroute",
  title: "P-ECMP routes",
  summary: "P-ECMP on any graph: selectors name routes that have no switch and no link in common",
  parameters,
  plan,
  hosts: (description) => multirouteHosts(checkDescription(routesDescription, description)),
  route: (topology, own, nodes, locate) =>
    multirouteRoute(topology, treesOf(topology, own, locate), own.field, nodes),
  report: multirouteReport,
};

function plan(topology: Topology, own: MultirouteParameters, locate: Locate = () => undefined): FabricPlan {
  const trees = treesOf(topology, own, locate);
  const switches = switchChoices(topology, trees, topology);
  const width = bitsFor(trees.selectors + 1);
  const directions = directionsByRole(topology, switches);
  const stateOf = (of: Topology, choices: SwitchChoices, ids: ChoiceIds) => {
    const node = of.nodes[choices.node]!;
    return [
      seedUpdate(node, own, directions.get(node.role)!),
      ...choiceUpdates(of, choices, ids, trees.selectors, 2 ** width),
    ];
  };
  const programs = (room: number) => programsOf({ topology, switches, directions, trees }, own, room);
  return {
    scheme: "multiroute",
    field: own.field,
    programs: programs(1),
    switches: switches.map((choices) => ({
      node: choices.node,
      program: nodeAt(topology, choices.node).role,
      updates: stateOf(topology, choices, new ChoiceIds()),
    })),
    pathModel: () => multiroutePaths(topology, switches, own, width),
    replanning: {
      get programs() {
        return programs(REPLANNING_ROOM);
      },
      planner: () => {
        const ids = new Map(switches.map(({ node }) => [node, new ChoiceIds()]));
        return {
          learn: (node, entities) => void ids.set(node, new ChoiceIds(entities)),
          plan: (reduced) =>
            switchChoices(reduced, trees, topology).map((choices) => ({
              node: choices.node,
              updates: stateOf(reduced, choices, ids.get(choices.node)!),
            })),
        };
      },
    },
    hosts: describeRoutes(topology, trees, own.failover),
    repaths: own.failover === "none" ? false : "hosts",
    ...given({ closedForm: own.failover === "none" ? NEVER_LEAVES : undefined }),
    ...given({
      closedForm: own.failover === "probe" && trees.short.length === 0 ? LEAVES_FOR_SURE : undefined,
    }),
    notes: [FAILOVER_NOTES[own.failover]],
  };
}

/** Fails with P45541 where a pair of racks gets fewer routes only because the field has too few values. */
function treesOf(topology: Topology, { paths, field }: MultirouteParameters, locate: Locate): Trees {
  const selectors = 2 ** Math.min(FIELD_BITS[field], 15) - 1;
  const trees = packTrees(topology, { paths, selectors });
  const [short] = trees.short;
  if (short !== undefined) {
    const { racks } = topology;
    const name = (rack: number) => nodeAt(topology, racks[rack]!.hosts[0]!).name;
    fail(
      CODES.tooFewSelectors,
      locate(["field"]) ?? locate([]),
      `field ${field} has ${selectors} selectors other than 0, too few for ${paths} routes of each pair: ${trees.short.length} pairs get fewer, among them ` +
        `"${name(short.from)}" to "${name(short.to)}" (${short.missing} missing)`,
      "name a wider field, or fewer paths",
    );
  }
  return trees;
}

/** Directions in which the switches of a role have matrices, limited to those of the templates. */
function directionsByRole(
  topology: Topology,
  switches: readonly SwitchChoices[],
): ReadonlyMap<Role, readonly Direction[]> {
  const roles = [...new Set(switchesOf(topology).map(({ role }) => role))];
  return new Map(
    roles.map((role) => {
      const used = new Set(
        switches
          .filter(({ node }) => nodeAt(topology, node).role === role)
          .flatMap(({ choices }) => choices.map(({ direction }) => direction)),
      );
      if (role === "tor" && !used.has("down")) return [role, ["up"]];
      if (role === "spine" && !used.has("up")) return [role, ["down"]];
      return [role, DIRECTIONS];
    }),
  );
}

/** What the programs of a fabric must hold. */
interface Contents {
  readonly topology: Topology;
  readonly switches: readonly SwitchChoices[];
  readonly directions: ReadonlyMap<Role, readonly Direction[]>;
  readonly trees: Trees;
}

/** @param room factor by which the tables are larger than what the switches need at first */
function programsOf(
  { topology, switches, directions, trees: { selectors } }: Contents,
  own: MultirouteParameters,
  room: number,
): ProgramPlan[] {
  const width = bitsFor(selectors + 1);
  return [...directions].map(([role, ways]): ProgramPlan => {
    const same = switches.filter(({ node }) => nodeAt(topology, node).role === role);
    const largest = (count: (of: SwitchChoices) => number) => tableSize(room * Math.max(...same.map(count)));
    const template: PecmpTemplate =
      ways.length === 2 ? "pecmp/leaf" : ways[0] === "up" ? "pecmp/tor" : "pecmp/spine";
    const way = (direction: Direction) => ({
      slice: { low: 0, width },
      hash: hashOf(own, role, direction),
      groups: largest(
        ({ choices }) =>
          (selectors + 1) *
          choices.filter((choice) => choice.direction === direction && onlyPort(choice) === undefined).length,
      ),
      members: largest(({ node }) => nodeAt(topology, node).ports.length),
    });
    return pecmpProgram(role, template, {
      field: own.field,
      ...Object.fromEntries(ways.map((direction) => [direction, way(direction)])),
      sizes: {
        routes: largest(({ node, of }) => of.length + nodeAt(topology, node).ports.length),
        selectorRows: tableSize(2 ** width),
      },
    });
  });
}

// The choices of the switches as a path model.

/** @param width bits of the selector that the switches read */
function multiroutePaths(
  topology: Topology,
  switches: readonly SwitchChoices[],
  parameters: HashParameters,
  width: number,
): PathModel {
  const models = new HashModels();
  const modelled = switches.map(({ node, choices, of }) => ({
    node,
    classes: 1,
    next: of,
    choices: choices.map((choice) => ({
      hash: models.indexOf(hashModel(hashOf(parameters, nodeAt(topology, node).role, choice.direction))),
      seed: seedOf(nodeAt(topology, node), parameters, choice.direction),
      rows: rowsOfChoice(choice),
      slice: { low: 0, width },
    })),
  }));
  return { switches: modelled, hashes: models.list };
}

// Segment routing on any graph: the selector of a route between two hosts that passes given nodes.

/**
 * Fails with P45542 where no selector has a route through the nodes.
 *
 * @param list node indexes, a host first and last
 */
function multirouteRoute(
  topology: Topology,
  trees: Trees,
  field: SelectorField,
  list: readonly number[],
): RouteText {
  const { nodes } = topology;
  const [source, destination] = [nodes[list[0]!]!, nodes[list.at(-1)!]!];
  const routes = trees.to[destination.host!.rack]!.from[source.host!.rack]!;
  const wanted = list.slice(1, -1);
  const route = routes.find((one) => {
    let passed = 0;
    for (const node of one.nodes) if (node === wanted[passed]) passed++;
    return passed === wanted.length;
  });
  const nameOf = (node: number) => nodes[node]!.name;
  if (route === undefined)
    fail(
      CODES.noSuchRoute,
      undefined,
      `no selector has a route from "${source.name}" to "${destination.name}" through ${wanted.map((node) => `"${nameOf(node)}"`).join(", ")}`,
      ...routes.map(({ selector, nodes: on }) => `selector ${selector}: ${on.map(nameOf).join(" ")}`),
    );
  const bits = bitsFor(trees.selectors + 1);
  const names = [source.name, ...route.nodes.map(nameOf), destination.name];
  const nic = source.ports.findIndex(({ peer }) => peer === route.nodes[0]);
  const costs = headerCosts(field, bits, route.nodes.length);
  const table = formatTable(
    ["way", "bits", "bytes more"],
    costs.map((cost) => [cost.way, cost.bits, cost.bytes]),
  );
  return {
    rows: [{ route: names, selector: route.selector, bits, nic, header_costs: costs }],
    text: [
      `route     ${names.join(" ")}`,
      `selector  ${route.selector} in ${field}, ${bits} bits${source.ports.length > 1 ? `; NIC ${nic}` : ""}`,
      "",
      table,
    ].join("\n"),
  };
}
