/** P-ECMP's control matrices as a path model: the selector picks the row of a matrix, the hash its column. */
import type { PathModel } from "../../paths/index.js";
import { nodeAt, type Topology } from "../../topology/index.js";
import { hashOf, seedOf } from "../hash-settings.js";
import { HashModels, hashModel, tableModel } from "../path-model.js";
import type { PecmpFabric } from "./fabric.js";
import type { PecmpParameters } from "./parameters.js";

/** For packets with this version bit of the first state; both versions of a row are equal at first. */
export function pecmpPaths(
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
