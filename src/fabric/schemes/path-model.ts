/** The hash inputs of the programs of ECMP and P-ECMP, and the choices of plain groups, as a path model. */

import { FIELD_BITS, type SelectorField } from "../../base/packets/index.js";
import type { HashChoice } from "../../toolchain/generate/index.js";
import { bmv2Hash } from "../../toolchain/hash/index.js";
import {
  type HashModel,
  type HashPart,
  type PathModel,
  type PortChoice,
  rackRoutes,
} from "../paths/index.js";
import type { HopSet, RoutingTable, Topology } from "../topology/index.js";
import { singlePort } from "./fabric.js";
import { directionOf, type HashParameters, hashOf, seedOf } from "./hash-settings.js";

const FIVE_TUPLE: readonly HashPart[] = [
  { field: "src", bits: 128 },
  { field: "dst", bits: 128 },
  { field: "protocol", bits: 8 },
  { field: "src_port", bits: 16 },
  { field: "dst_port", bits: 16 },
];

/** The hash of the partial `hash_keys`, with the fields in the order of `directionValues`, and its `outer`. */
export function hashModel(
  { algorithm, order }: HashChoice,
  hashedField?: SelectorField,
  outer = false,
): HashModel {
  const tuple = outer ? FIVE_TUPLE.slice(0, 2) : FIVE_TUPLE;
  const extra: HashPart[] =
    hashedField === undefined ? [] : [{ field: "selector", bits: FIELD_BITS[hashedField] }];
  const seed: HashPart = { field: "seed", bits: 16 };
  return {
    name: `${algorithm} ${order}`,
    hash: bmv2Hash(algorithm)!,
    // The Internet checksum has carries.
    affine: algorithm !== "csum16",
    input: order === "forward" ? [...extra, ...tuple, seed] : [seed, ...extra, ...tuple.toReversed()],
  };
}

/** Hash models by name, in the order of their first use. */
export class HashModels {
  readonly list: HashModel[] = [];

  indexOf(model: HashModel): number {
    const known = this.list.findIndex(({ name }) => name === model.name);
    return known >= 0 ? known : this.list.push(model) - 1;
  }
}

/** The choice of a hop set whose group has each port as one member, in this order. */
export function groupModel(
  topology: Topology,
  parameters: HashParameters,
  models: HashModels,
  hashedField?: SelectorField,
  outer?: boolean,
): (node: number, hops: HopSet) => PortChoice {
  const nodes = topology.nodes;
  return (node, hops) => {
    const single = singlePort(hops);
    if (single !== undefined) return { hash: 0, seed: 0, rows: [[single]] };
    const way = directionOf(hops);
    const { role } = nodes[node]!;
    return {
      hash: models.indexOf(hashModel(hashOf(parameters, role, way), hashedField, outer)),
      seed: seedOf(nodes[node]!, parameters, way),
      rows: [hops.ports],
    };
  };
}

/** A model of switches whose choices depend only on the destination. */
export function tableModel(
  topology: Topology,
  tables: readonly RoutingTable[],
  models: HashModels,
  choiceOf: (node: number, hops: HopSet, index: number) => PortChoice,
): PathModel {
  return {
    switches: tables.map((table) => ({
      node: table.node,
      classes: 1,
      next: rackRoutes(topology, table),
      choices: table.hopSets.map((hops, index) => choiceOf(table.node, hops, index)),
    })),
    hashes: models.list,
  };
}
