/**
 * P-ECMP's selectors on any graph (NSDI'25, section 6 leaves this open): selector 0 keeps the hash, and each other selector names a
 * route to each rack. The routes of a pair of racks are disjoint, as many as the graph has.
 *
 * Read `trees.ts` (which routes, and why none is a loop), `choices.ts` (the forwarding of each switch), `hosts.ts` (the hosts),
 * `first-tries.ts` (which failures the first try avoids).
 */
import { z } from "zod";
import { fail, type Locate } from "../../../base/index.js";
import { FIELD_BITS, SELECTOR_FIELDS } from "../../../base/packets/index.js";
import type { ProgramPlan } from "../../../toolchain/generate/index.js";
import { nodeAt, type Role, switchesOf, type Topology } from "../../topology/index.js";
import { LEAVES_FOR_SURE, NEVER_LEAVES } from "../closed-form.js";
import { CODES } from "../codes.js";
import { checkDescription } from "../description.js";
import { tableSize } from "../fabric.js";
import { DIRECTIONS, type Direction, hashOf, hashParameters, seedUpdate } from "../hash-settings.js";
import { type PecmpTemplate, pecmpProgram } from "../pecmp/program.js";
import { bitsFor } from "../pecmp/selectors.js";
import { type FabricPlan, REPLANNING_ROOM, type Scheme } from "../scheme.js";
import { ChoiceIds } from "./choice-ids.js";
import { onlyPort, type SwitchChoices, switchChoices } from "./choices.js";
import { FAILOVERS_OF_ROUTES, routesDescription } from "./description.js";
import { describeRoutes, FAILOVER_NOTES, multirouteHosts } from "./hosts.js";
import { multiroutePaths } from "./path-model.js";
import { multirouteReport } from "./report.js";
import { multirouteRoute } from "./route.js";
import { packTrees, type Trees } from "./trees.js";
import { choiceUpdates } from "./updates.js";

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
    ...(own.failover === "none" ? { closedForm: NEVER_LEAVES } : {}),
    ...(own.failover === "probe" && trees.short.length === 0 ? { closedForm: LEAVES_FOR_SURE } : {}),
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
