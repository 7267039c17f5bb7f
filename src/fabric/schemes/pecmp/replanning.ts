/**
 * New state for the switches of P-ECMP when links are down. The layout of the selector and the offsets of the hosts do not change:
 * hosts get them at their start. A group that has lost a next hop has another number of rows, for which the
 * offsets may be wrong: an odd offset moves every flow in groups of 4, but not in groups of 3. There a try may fail.
 */

import type { Update } from "../../../toolchain/device/index.js";
import type { RoutePlanner } from "../../controllers/index.js";
import { switchesOf, type Topology } from "../../topology/index.js";
import { compileMatrices, type Weights } from "./compile.js";
import type { SelectorLayout } from "./layout.js";
import { MatrixIds } from "./matrix-ids.js";
import { SharedUpdates, switchUpdates } from "./updates.js";

/** Plans with the layout that the fabric had at first. `seedOf` is the first update of a switch. */
export function pecmpPlanner(
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
