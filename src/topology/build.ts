/**
 * Builds a {@link Topology} from its spec: nodes, then links in a fixed order (so port numbers are always
 * the same), then racks and addresses. A spec of an impossible network is a diagnostic.
 */
import type { Locate } from "../base/index.js";
import { clos, fatTree, leafSpine } from "./clos.js";
import { dring } from "./dring.js";
import { graph } from "./graph.js";
import { hyperx } from "./hyperx.js";
import { jellyfish } from "./jellyfish.js";
import type { TopologySpec } from "./spec.js";
import type { Topology } from "./topology.js";

/**
 * Builds the network that `spec` describes; `locate` finds keys of the spec for messages.
 * Throws DiagnosticError, P42101 to P42110, when there is no such network.
 */
export function buildTopology(spec: TopologySpec, locate: Locate = () => undefined): Topology {
  switch (spec.kind) {
    case "clos":
      return clos(spec, locate);
    case "fat_tree":
      return fatTree(spec, locate);
    case "leaf_spine":
      return leafSpine(spec, locate);
    case "hyperx":
      return hyperx(spec, locate);
    case "dring":
      return dring(spec, locate);
    case "jellyfish":
      return jellyfish(spec, locate);
    case "graph":
      return graph(spec, locate);
  }
}
