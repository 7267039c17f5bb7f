/**
 * RePaC (ATC'21): relative path control. Switches choose by linear hashes, so a change of the control bits of a header moves every
 * flow by a known offset at every hop. Hosts use it to leave a failed path, planners to spread known flows.
 *
 * Read `pathmap.ts` (the effect of each change), `definition.ts` (the pathmap of a fabric), `buckets.ts` (which choices stay linear when next
 * hops fail), `marked-path.ts` (algorithm 1), `planning.ts` (algorithm 2), `pathmap-controller.ts` (the pathmap by probes).
 */
import type { Locate } from "../../../base/index.js";
import { rackRoutes } from "../../paths/index.js";
import { nodeAt, switchesOf, type Topology } from "../../topology/index.js";
import { NEVER_LEAVES } from "../closed-form.js";
import { tableSize } from "../fabric.js";
import { type Direction, hashOf, seedUpdate, sharedStageNotes } from "../hash-settings.js";
import type { FabricPlan, Scheme } from "../scheme.js";
import { nanoseconds } from "../time-text.js";
import { BUCKET_CONTROLLER, bucketController } from "./bucket-controller.js";
import { checkedPathmap } from "./check.js";
import { type RepacFabric, repacFabric } from "./definition.js";
import { switchUpdates } from "./groups.js";
import { repacHosts } from "./hosts.js";
import { type RepacParameters, repacParameters } from "./parameters.js";
import { repacPaths } from "./path-model.js";
import { changedHops, mostChangedHops, type Pathmap, reachOf } from "./pathmap.js";
import { destinations, PATHMAP_CONTROLLER, pathmapController } from "./pathmap-controller.js";
import { planPaths } from "./planning.js";
import { type RepacProgram, repacProgram } from "./program.js";

export const repac: Scheme<RepacParameters> = {
  name: "repac",
  title: "RePaC",
  summary: "RePaC: linear hashes over control bits; hosts leave a path and plan flows by known offsets",
  parameters: repacParameters,
  plan: planRepac,
  hosts: repacHosts,
  pathmap: (topology, parameters, locate = () => undefined) => {
    const map = checkedPathmap(repacFabric(topology, parameters), parameters, locate);
    const { fieldBits, portBits } = map.control;
    const named = (name: string, count: number) =>
      Array.from({ length: count }, (_, bit) => `${name} bit ${bit}`);
    const counts = changedHops(map);
    const most = counts.reduce((highest, count) => Math.max(highest, count), 0);
    return {
      bits: [...named("source port", portBits), ...named(parameters.field, fieldBits)],
      buckets: map.buckets,
      hops: map.hops.map(({ hop, sizes, offsets }) => ({ hop, sizes, offsets })),
      ...reachOf(map),
      most_changed_hops: most,
      changes_of_most_hops: most === 0 ? 0 : counts.filter((count) => count === most).length,
      notes: stageNotes(topology),
    };
  },
  assign: (topology, parameters, locate) => {
    if (!parameters.planning) return undefined;
    const fabric = repacFabric(topology, parameters);
    const { port_bits, port_ranges } = parameters;
    const options = { port_bits, port_ranges, buckets: fabric.buckets, locate };
    const model = repacPaths(topology, fabric, parameters);
    return (flows) => planPaths(topology, model, options, flows);
  },
};

function planRepac(
  topology: Topology,
  parameters: RepacParameters,
  locate: Locate = () => undefined,
): FabricPlan {
  const fabric = repacFabric(topology, parameters);
  const pathmap = checkedPathmap(fabric, parameters, locate);
  const { tables, ways, groups, buckets } = fabric;
  const all = switchesOf(topology).map(({ index }) => index);
  const probed = parameters.pathmap === "probed";
  return {
    scheme: "repac",
    field: parameters.field,
    programs: programsOf(topology, fabric, parameters),
    switches: tables.map((table) => {
      const node = nodeAt(topology, table.node);
      return {
        node: node.index,
        program: node.role,
        updates: [
          seedUpdate(node, parameters, ways.get(node.role)!),
          ...switchUpdates(topology, table, groups.get(node.index)!, buckets),
        ],
      };
    }),
    pathModel: () => repacPaths(topology, fabric, parameters),
    controllers: [
      {
        name: BUCKET_CONTROLLER,
        switches: all,
        place: "switch",
        controller: bucketController({ groups, buckets, detectionNs: nanoseconds(parameters.detection) }),
      },
      ...(probed
        ? [
            {
              name: PATHMAP_CONTROLLER,
              switches: all,
              controller: pathmapController({
                computed: pathmap,
                groups,
                destination: destinations(topology, (node) =>
                  rackRoutes(topology, tables.find((table) => table.node === node)!),
                ),
              }),
            },
          ]
        : []),
    ],
    hosts: {
      kind: "repac",
      failover: parameters.failover,
      receiver: parameters.receiver,
      markingPeriodNs: nanoseconds(parameters.marking_period),
      buckets,
      pathmap: probed ? null : pathmap,
      planned: parameters.planning,
    },
    repaths: parameters.failover === "none" ? false : "hosts",
    ...(parameters.failover === "none" ? { closedForm: NEVER_LEAVES } : {}),
    notes: [...notesOf(pathmap, parameters), ...stageNotes(topology)],
  };
}

/** What is lost where several stages share a role: a hash, and with it a hop of the pathmap, is a setting of a role. */
function stageNotes(topology: Topology): string[] {
  const shared = sharedStageNotes(topology);
  if (shared.length === 0) return [];
  return [
    ...shared,
    "RePaC's pathmap has one hop for the stages of a role: a change of the control bits moves a flow at all of them or at none, so hosts cannot choose at these stages apart, and numbers of paths count them once.",
  ];
}

function notesOf(map: Pathmap, { failover, receiver, marking_period }: RepacParameters): string[] {
  if (failover === "none")
    return ["RePaC (failover: none): hosts stay on their paths; only switches remap buckets."];
  const most = mostChangedHops(map);
  return [
    `RePaC sends one copy of every packet, and marks a flow for ${marking_period} at the second retransmission of a segment.`,
    receiver === "marks"
      ? "RePaC (receiver: marks): the receiver marks its acknowledgements when the same data arrive for the third time; the paper describes only the sender."
      : "RePaC (receiver: stays): the receiver never leaves its path, so a failure on its path alone is not avoided.",
    ...(most < map.hops.length
      ? [`No change of the control bits moves all flows at more than ${most} of ${map.hops.length} hops.`]
      : []),
  ];
}

/** One program for each role. */
function programsOf(topology: Topology, fabric: RepacFabric, parameters: RepacParameters) {
  const { tables, ways, groups, buckets } = fabric;
  return [...ways].map(([role, own]) => {
    const ofRole = tables.filter(({ node }) => nodeAt(topology, node).role === role);
    const wayOf = (way: Direction): RepacProgram["up"] => {
      const largest = (count: (ports: readonly number[]) => number) =>
        tableSize(
          Math.max(
            ...ofRole.map(({ node }) =>
              groups
                .get(node)!
                .filter((group) => group.way === way)
                .reduce((sum, { ports }) => sum + count(ports), 0),
            ),
          ),
        );
      return {
        hash: hashOf(parameters, role, way),
        groups: largest(() => buckets),
        members: largest((ports) => ports.length),
      };
    };
    return repacProgram(role, {
      role: role === "switch" || role === "host" ? "fabric" : role,
      hashedField: parameters.field,
      bucketBits: Math.log2(buckets),
      ...Object.fromEntries(own.map((way) => [way, wayOf(way)])),
      routes: tableSize(Math.max(...ofRole.map(({ routes }) => routes.length))),
    });
  });
}
