/** The topology of an experiment file. */
import { dirname } from "node:path";
import type { Locate, SourceFile } from "../../base/index.js";
import { readMapFile } from "../../toolchain/loading/index.js";
import { buildTopology, type MapReader, type Topology } from "../topology/index.js";
import type { CommonSettings } from "./experiment.js";
import type { FabricCache } from "./fabric-cache.js";
import { below } from "./plan-schemes.js";

/** Builds the topology of the key `topology`, or takes it from the cache. Throws P421xx, and errors of a map that it names. */
export function topologyOf(
  { topology }: Pick<CommonSettings, "topology">,
  source: SourceFile,
  locate: Locate,
  cache: FabricCache | undefined,
): Topology {
  const readMap: MapReader = ({ map }, inTopology) =>
    readMapFile(map, dirname(source.path), inTopology(["map"]));
  const build = () => buildTopology(topology, below(locate, ["topology"]), readMap);
  return cache === undefined ? build() : cache.topology(topology, build);
}
