/** Builds a fat tree and says what its first edge switch knows. */
import { buildTopology, computeRoutes, hostsOf, switchesOf, topologySchema } from "p4loom/topology";

const topology = buildTopology(topologySchema.parse({ kind: "fat_tree", k: 4 }));
console.log(`${switchesOf(topology).length} switches, ${hostsOf(topology).length} hosts`);
const [first] = computeRoutes(topology);
console.log(`${first!.hopSets.length} sets of next hops`);

/* prints
20 switches, 16 hosts
3 sets of next hops
*/
