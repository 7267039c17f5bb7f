/**
 * Builds a {@link Topology} from its spec: nodes, then links in a fixed order (so port numbers are always
 * the same), then racks and addresses. A spec of an impossible network is a diagnostic.
 */
import { fail, type Locate, type SourceFile } from "../../base/index.js";
import { jupiter, spineless, stargate } from "./blocks.js";
import { clos, fatTree, leafSpine } from "./clos.js";
import { CODES } from "./codes.js";
import { dragonfly, dring } from "./flat.js";
import { graph } from "./graph.js";
import { flattenedButterfly, hyperx } from "./hyperx.js";
import { jellyfish } from "./jellyfish.js";
import { mapNetwork } from "./map.js";
import type { MapSpec, TopologySpec } from "./spec.js";
import type { Topology } from "./topology.js";

/** Finds the file of a map by {@link MapSpec.map}; throws a DiagnosticError where there is none. */
export type MapReader = (spec: MapSpec, locate: Locate) => SourceFile;

const refuseMaps: MapReader = ({ map }, locate) =>
  fail(
    CODES.mapUnread,
    locate(["map"]),
    `the map "${map}" cannot be read here`,
    "write a graph with its links",
  );

/**
 * Builds the network that `spec` describes; `locate` finds keys of the spec for messages.
 * Throws DiagnosticError, P42101 to P42112, when there is no such network. `readMap` finds the file of a map.
 */
export function buildTopology(
  spec: TopologySpec,
  locate: Locate = () => undefined,
  readMap: MapReader = refuseMaps,
): Topology {
  switch (spec.kind) {
    case "clos":
      return clos(spec, locate);
    case "fat_tree":
      return fatTree(spec, locate);
    case "leaf_spine":
      return leafSpine(spec, locate);
    case "hyperx":
      return hyperx(spec, locate);
    case "flattened_butterfly":
      return flattenedButterfly(spec, locate);
    case "dragonfly":
      return dragonfly(spec, locate);
    case "dring":
      return dring(spec, locate);
    case "jellyfish":
      return jellyfish(spec, locate);
    case "jupiter":
      return jupiter(spec, locate);
    case "spineless":
      return spineless(spec, locate);
    case "stargate":
      return stargate(spec, locate);
    case "map":
      return mapNetwork(spec, readMap(spec, locate), locate);
    case "graph":
      return graph(spec, locate);
  }
}
