/**
 * P-ECMP (NSDI'25): a selector in the packet picks the row of a control matrix, the hash its column. Hosts
 * that change the selector are certain to leave a failed path.
 *
 * Read `matrix.ts` (what a control matrix is), `compile.ts` (from a topology to matrices), `layout.ts` (bits of
 * the selector), `selectors.ts` (the offsets of hosts), `hosts.ts` (the hosts' behaviour).
 */
import { claim, fail, given, type Locate } from "../../../base/index.js";
import type { Update } from "../../../toolchain/device/index.js";
import type { ProgramPlan } from "../../../toolchain/generate/index.js";
import type { RoutePlanner } from "../../controllers/index.js";
import type { PathModel } from "../../paths/index.js";
import { nodeAt, type Role, switchesOf, type Topology } from "../../topology/index.js";
import { type ClosedForm, LEAVES_FOR_SURE, leavesWhenDuplicated, NEVER_LEAVES } from "../closed-form.js";
import { CODES } from "../codes.js";
import { checkDescription } from "../description.js";
import { tableSize } from "../fabric.js";
import { DIRECTIONS, type Direction, hashesByTier, hashOf, seedOf, seedUpdate } from "../hash-settings.js";
import { HashModels, hashModel, tableModel } from "../path-model.js";
import { withThreshold } from "../plb/index.js";
import { type FabricPlan, REPLANNING_ROOM, type Scheme } from "../scheme.js";
import { MOST_MEMBERS } from "../wcmp/group.js";
import { type CompiledMatrix, type CompiledSwitch, compileMatrices, type Weights } from "./compile.js";
import { pecmpDescription } from "./description.js";
import { compileFabric, type PecmpFabric } from "./fabric.js";
import { hostsOf } from "./host-rules.js";
import { FAILOVER_NOTES, pecmpHosts, returnChance } from "./hosts.js";
import { type Hop, type SelectorLayout, versionBitOf } from "./layout.js";
import { MatrixIds, memberIds } from "./matrix-ids.js";
import { type PecmpParameters, pecmpParameters } from "./parameters.js";
import { type PecmpTemplate, pecmpProgram } from "./program.js";
import { pecmpReport } from "./report.js";
import { pecmpRoute } from "./route.js";
import { hasVersions, UPDATE_CONTROLLER, updateController } from "./update/controller.js";
import { withoutElements } from "./update/elements.js";
import { versionedHosts } from "./update/hosts.js";
import { type UpdateSpec, updateCommand } from "./update/parameters.js";
import { nicsInService, targetOf } from "./update/target.js";
import { SharedUpdates, selectorRowEntries, switchUpdates } from "./updates.js";
import { viaOf } from "./via.js";

export const pecmp: Scheme<PecmpParameters> = {
  name: "pecmp",
  title: "P-ECMP",
  summary: "P-ECMP: selector-driven control matrices; hosts re-path by a certain offset",
  parameters: pecmpParameters,
  plan: planPecmp,
  hosts: (description, context) => {
    const { kind: _, switchover, nics_of, via, ...common } = checkDescription(pecmpDescription, description);
    const nics = nics_of?.[context.name];
    const routes = via?.[context.name];
    const rules = {
      ...common,
      ...given({ nics, via: routes }),
    };
    return switchover === undefined ? pecmpHosts(rules, context) : versionedHosts(rules, switchover, context);
  },
  commands: { update: updateCommand },
  checkCommand: (topology, parameters, { values }, locate) => {
    if (parameters.update.mode === "none")
      fail(
        CODES.withoutVersionBit,
        locate([]),
        "this scheme has no controller for updates",
        "write update: { mode: transaction } and version_bit: overall, or update: { mode: plain }",
      );
    const { layout } = compileFabric(withoutElements(topology, parameters.without), parameters, locate);
    targetOf(topology, parameters, layout, values as UpdateSpec, locate);
  },
  route: (topology, parameters, nodes, locate) =>
    pecmpRoute(withoutElements(topology, parameters.without, locate), parameters, nodes, locate),
  report: pecmpReport,
};

function planPecmp(
  topology: Topology,
  parameters: PecmpParameters,
  locate: Locate = () => undefined,
): FabricPlan {
  if (parameters.spray !== undefined && parameters.balance !== undefined)
    fail(
      CODES.sprayOrBalance,
      locate(["spray"]),
      "spray and balance exclude each other: a sprayed flow has no path to leave",
      "leave one of the two keys out",
    );
  const { mode, switchover } = parameters.update;
  const reduced = withoutElements(topology, parameters.without, locate);
  const fabric = compileFabric(reduced, parameters, locate);
  const { switches, layout } = fabric;
  if (mode === "transaction" && !hasVersions(layout)) failWithoutVersions(parameters, locate);
  // Old and new state are in the tables at the same time.
  const programs = programsOf(topology, fabric, parameters, mode === "none" ? 1 : REPLANNING_ROOM);
  const shared = new SharedUpdates(layout);
  // The switches of a tier share one update where they share their seeds.
  const seedOfTier = new Map<Role, Update>();
  const seedOf = (index: number) => {
    const node = nodeAt(topology, index);
    let update = seedOfTier.get(node.role);
    if (update === undefined) {
      const program = programs.find(({ name }) => name === node.role)!;
      update = seedUpdate(node, parameters, directionsOf(program.template as PecmpTemplate));
      if (hashesByTier(parameters)) seedOfTier.set(node.role, update);
    }
    return update;
  };
  return {
    scheme: "pecmp",
    field: parameters.field,
    programs,
    switches: switches.map((compiled) => ({
      node: compiled.node,
      program: nodeAt(topology, compiled.node).role,
      updates: switchUpdates(reduced, compiled, shared, seedOf(compiled.node)),
    })),
    // A host that has lost a NIC is a rack of its own, which the topology of an experiment does not have.
    ...given({
      pathModel:
        reduced.racks.length === topology.racks.length
          ? () => pecmpPaths(reduced, fabric, parameters)
          : undefined,
    }),
    ...(mode === "none"
      ? {
          replanning: {
            get programs() {
              return programsOf(topology, fabric, parameters, REPLANNING_ROOM);
            },
            planner: () => pecmpPlanner(reduced, layout, fabric.weights, seedOf),
          },
        }
      : {
          controllers: [
            {
              name: UPDATE_CONTROLLER,
              switches: switches.map(({ node }) => node),
              controller: updateController({ topology, parameters, layout, seedOf }),
            },
          ],
        }),
    hosts: {
      kind: "pecmp",
      ...hostsOf(parameters, fabric),
      ...given({ nics_of: reduced === topology ? undefined : nicsInService(reduced) }),
      ...given({ via: parameters.via.length === 0 ? undefined : viaOf(reduced, parameters, fabric, locate) }),
      ...given({ switchover: mode === "none" ? undefined : mode === "plain" ? "at_once" : switchover }),
    },
    repaths: parameters.failover !== "none" && parameters.spray === undefined ? "hosts" : false,
    ...given({ sprays: parameters.spray === undefined ? undefined : true }),
    ...closedFormOf(parameters, fabric),
    notes: [...notesOf(parameters), ...certaintyNotes(fabric)],
  };
}

/** Notes on the pairs of racks of a fabric with uneven groups for which the offsets are certain. */
export function certaintyNotes({ certain }: Pick<PecmpFabric, "certain">): string[] {
  if (certain === undefined) return [];
  const { pairs, served } = certain;
  return [
    served.length === pairs
      ? claim("certainOffsets", { offsets: certain.offsets.join(", ") })
      : `P-ECMP's groups differ in size here: its offsets are certain to leave a failed path for ${served.length} of ${pairs} pairs of racks.`,
  ];
}

function notesOf({ failover, balance, spray }: PecmpParameters): string[] {
  if (spray !== undefined)
    return [
      `P-ECMP sprays packets (${spray === "random" ? "at random" : "in turn"}), and no flow leaves a failed path.`,
    ];
  if (balance === undefined) return [FAILOVER_NOTES[failover]];
  return [
    FAILOVER_NOTES[failover],
    `P-ECMP shifts a flow by an offset after ${balance.rounds} congested rounds (${balance.idle_rounds} before a pause), by PLB's rules.`,
  ];
}

function failWithoutVersions({ version_bit }: PecmpParameters, locate: Locate): never {
  return version_bit === "none"
    ? fail(
        CODES.withoutVersionBit,
        locate(["update", "mode"]),
        "mode: transaction needs a version bit in the selector",
        "write version_bit: overall",
      )
    : fail(
        CODES.withoutVersionBit,
        locate(["update", "mode"]),
        "no switch of this network has a choice: the selector has no bits, and so no version bit",
      );
}

/** An offset leaves every next hop if the switches of a tier hash in the same way and no next hop occurs twice in a group. */
function closedFormOf(
  parameters: PecmpParameters,
  { layout, offsets, certain, isWeighted }: PecmpFabric,
): { closedForm?: ClosedForm } {
  const { failover, control, spray } = parameters;
  if (spray !== undefined) return {};
  if (failover === "none") return { closedForm: NEVER_LEAVES };
  const isServed = certain === undefined || certain.served.length === certain.pairs;
  const isCertain = control !== "hops" && hashesByTier(parameters) && !isWeighted && isServed;
  if (!isCertain || failover === "shift") return {};
  if (failover === "probe") return { closedForm: LEAVES_FOR_SURE };
  return layout.shared ? { closedForm: leavesWhenDuplicated((n) => returnChance(layout, offsets, n)) } : {};
}

const NO_ROOM = { groups: 0, members: 0, routes: 0 };

/**
 * Minimum room of a switch whose state will be planned again. Weights by capacity that were equal may differ for each rack after a
 * failure, and the old and the new state are in the tables at the same time.
 */
function leastRoom({ racks }: Topology, { weights, group_members }: PecmpParameters) {
  if (weights !== "capacity") return NO_ROOM;
  const slots = Math.min(MOST_MEMBERS, 2 * racks.length * 2 * group_members);
  return { groups: slots, members: slots, routes: 2 * racks.length };
}

/** One program for each role, with tables `room` times as large as the role's largest switch needs. */
function programsOf(
  topology: Topology,
  { switches, layout }: PecmpFabric,
  parameters: PecmpParameters,
  room: number,
): readonly ProgramPlan[] {
  const roles = [...new Set(switchesOf(topology).map((node) => node.role))];
  const programs = roles.map((role): ProgramPlan => {
    const own = switches.filter((compiled) => nodeAt(topology, compiled.node).role === role);
    const least = room === 1 ? NO_ROOM : leastRoom(topology, parameters);
    // Equivalent switches share their lists.
    const lists = [...new Set(own.map(({ matrices }) => matrices))];
    const largest = (least: number, count: (matrices: CompiledSwitch["matrices"]) => number) =>
      tableSize(Math.max(least, room * Math.max(...lists.map(count))));
    const template = templateFor(role, new Set(lists.flat().map((matrix) => matrix.direction)));
    const hopOf = (direction: Direction): Hop =>
      role === "tor" || role === "spine" ? role : direction === "up" ? "leaf" : "legs";
    const version = versionBitOf(layout, hopOf("up"));
    const versions = version === undefined ? 1 : 2;
    const way = (direction: Direction) => {
      const hop = hopOf(direction);
      const sum = (least: number, count: (matrix: CompiledMatrix) => number) =>
        largest(least, (matrices) =>
          matrices.reduce((total, m) => total + (m.direction === direction ? count(m) : 0), 0),
        );
      return {
        slice: layout.slices[hop] ?? { low: 0, width: 0 },
        hash: hashOf(parameters, role, direction),
        groups: sum(least.groups, (matrix) => matrix.rows.length),
        members: sum(least.members, memberIds),
      };
    };
    return pecmpProgram(role, template, {
      field: layout.field,
      ...Object.fromEntries(directionsOf(template).map((direction) => [direction, way(direction)])),
      ...given({ version }),
      sizes: {
        routes: tableSize(
          versions *
            Math.max(least.routes, room * Math.max(...own.map(({ routing }) => routing.routes.length))),
        ),
        selectorRows: largest(least.groups, (matrices) => selectorRowEntries(matrices, layout)),
      },
    });
  });
  const { balance } = parameters;
  return balance === undefined ? programs : withThreshold(programs, balance.threshold);
}

function directionsOf(template: PecmpTemplate): readonly Direction[] {
  return DIRECTIONS.filter((way) => template !== (way === "up" ? "pecmp/spine" : "pecmp/tor"));
}

/** The role's own template, unless its switches choose next hops in a direction that the template does not have. */
function templateFor(role: Role, directions: ReadonlySet<"up" | "down">): PecmpTemplate {
  if (role === "tor" && !directions.has("down")) return "pecmp/tor";
  if (role === "spine" && !directions.has("up")) return "pecmp/spine";
  return "pecmp/leaf";
}

// New state for the switches of P-ECMP when links are down. The layout of the selector and the offsets of the hosts do not change:
// hosts get them at their start. A group that has lost a next hop has another number of rows, for which the
// offsets may be wrong: an odd offset moves every flow in groups of 4, but not in groups of 3. There a try may fail.

/** Plans with the layout that the fabric had at first. `seedOf` is the first update of a switch. */
function pecmpPlanner(
  topology: Topology,
  layout: SelectorLayout,
  weights: Weights,
  seedOf: (node: number) => Update,
): RoutePlanner {
  const ids = new Map(switchesOf(topology).map(({ index }) => [index, new MatrixIds()]));
  return {
    learn: (node, entities) => void ids.set(node, new MatrixIds(entities)),
    plan: (reduced) => {
      const shared = new SharedUpdates(layout);
      return compileMatrices(reduced, layout.control, weights).map((compiled) => ({
        node: compiled.node,
        updates: switchUpdates(reduced, compiled, shared, seedOf(compiled.node), ids.get(compiled.node)),
      }));
    },
  };
}

// P-ECMP's control matrices as a path model: the selector picks the row of a matrix, the hash its column.

/** For packets with this version bit of the first state; both versions of a row are equal at first. */
function pecmpPaths(
  topology: Topology,
  { switches, layout }: PecmpFabric,
  parameters: PecmpParameters,
): PathModel {
  const models = new HashModels();
  const tables = switches.map(({ routing }) => routing);
  const matrices = new Map(switches.map(({ node, ofHops }) => [node, ofHops]));
  return tableModel(topology, tables, models, (node, { ports }, index) => {
    const compiled = matrices.get(node)![index];
    if (compiled === undefined) return { hash: 0, seed: 0, rows: [ports.slice(0, 1)] };
    const { direction, hop, rows } = compiled;
    return {
      hash: models.indexOf(hashModel(hashOf(parameters, nodeAt(topology, node).role, direction))),
      seed: seedOf(nodeAt(topology, node), parameters, direction),
      rows: rows.map((row) => Uint16Array.from(row, (hop) => compiled.ports[hop]!)),
      slice: layout.slices[hop] ?? { low: 0, width: 0 },
    };
  });
}
