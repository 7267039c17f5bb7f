/** The forwarding of RePaC's switches as a path model: each choice has one slot for each bucket. */
import type { PathModel } from "../../paths/index.js";
import { nodeAt, type Topology } from "../../topology/index.js";
import { singlePort } from "../fabric.js";
import { directionOf, seedOf } from "../hash-settings.js";
import { HashModels, tableModel } from "../path-model.js";
import { bucketHops } from "./buckets.js";
import type { RepacFabric } from "./definition.js";
import type { RepacParameters } from "./parameters.js";

export function repacPaths(
  topology: Topology,
  { tables, hops, buckets }: RepacFabric,
  parameters: RepacParameters,
): PathModel {
  const models = new HashModels();
  return tableModel(topology, tables, models, (index, hopSet) => {
    const single = singlePort(hopSet);
    if (single !== undefined || hopSet.ports.length === 0)
      return { hash: 0, seed: 0, rows: [single === undefined ? [] : [single]] };
    const node = nodeAt(topology, index);
    const way = directionOf(hopSet);
    const { model } = hops.find((hop) => hop.role === node.role && hop.way === way)!;
    return {
      hash: models.indexOf(model),
      seed: seedOf(node, parameters, way),
      rows: [bucketHops(buckets, hopSet.ports.length).map(([hop]) => hopSet.ports[hop!]!)],
    };
  });
}
