/** The pathmap from the definition of the switches and hosts, without packets. */
import { memberBits } from "../../../toolchain/hash/index.js";
import { type HashModel, HashOfFlow, rawFlow } from "../../paths/index.js";
import {
  computeRoutes,
  nodeAt,
  type Role,
  type RoutingTable,
  switchesOf,
  type Topology,
} from "../../topology/index.js";
import { directionsOf } from "../ecmp/plan.js";
import { type Direction, hashOf } from "../hash-settings.js";
import { hashModel } from "../path-model.js";
import { powerOfTwo } from "./buckets.js";
import { type ControlBits, controlBits, fieldPart, portPart } from "./control-bits.js";
import { type BucketGroup, bucketGroups } from "./groups.js";
import { nicHash } from "./nic-hash.js";
import type { RepacParameters } from "./parameters.js";
import type { HopMap, Pathmap } from "./pathmap.js";

/** Minimum number of buckets of a group, as in the paper's switches. */
const LEAST_BUCKETS = 8;

/** The choice of all switches of a role in a direction. */
interface TierHop {
  readonly role: Role;
  readonly way: Direction;
  readonly model: HashModel;
  /** The different numbers of next hops, ascending. */
  readonly sizes: readonly number[];
}

export interface RepacFabric {
  readonly control: ControlBits;
  readonly buckets: number;
  readonly tables: readonly RoutingTable[];
  /** By role. */
  readonly ways: ReadonlyMap<Role, readonly Direction[]>;
  /** By node. */
  readonly groups: ReadonlyMap<number, readonly BucketGroup[]>;
  readonly hops: readonly TierHop[];
  readonly nicSizes: readonly number[];
}

/** In the order of the path of a packet between pods. */
const ORDER: readonly (readonly [Role, Direction])[] = [
  ["tor", "up"],
  ["leaf", "up"],
  ["switch", "up"],
  ["spine", "up"],
  ["spine", "down"],
  ["switch", "down"],
  ["leaf", "down"],
  ["tor", "down"],
];

export function repacFabric(topology: Topology, parameters: RepacParameters): RepacFabric {
  const tables = computeRoutes(topology);
  const roles = [...new Set(switchesOf(topology).map(({ role }) => role))];
  const ways = new Map(roles.map((role) => [role, directionsOf(topology, tables, role)]));
  const groups = new Map(
    tables.map((table) => [table.node, bucketGroups(table, ways.get(nodeAt(topology, table.node).role)!)]),
  );
  const hops = ORDER.flatMap(([role, way]): TierHop[] => {
    const own = tables.filter(({ node }) => nodeAt(topology, node).role === role);
    const sizes = ascending(
      own.flatMap(({ node }) => groups.get(node)!.filter((group) => group.way === way)).map(sizeOf),
    );
    if (sizes.length === 0) return [];
    return [{ role, way, sizes, model: hashModel(hashOf(parameters, role, way), parameters.field) }];
  });
  const nicSizes = ascending(
    topology.nodes.flatMap(({ role, ports }) => (role === "host" && ports.length > 1 ? [ports.length] : [])),
  );
  const largest = Math.max(2, ...nicSizes, ...hops.flatMap(({ sizes }) => sizes));
  return {
    control: controlBits(parameters.field, parameters.planning ? parameters.port_bits : 0),
    buckets: parameters.buckets ?? Math.max(LEAST_BUCKETS, powerOfTwo(largest)),
    tables,
    ways,
    groups,
    hops,
    nicSizes,
  };
}

function sizeOf({ ports }: BucketGroup): number {
  return ports.length;
}

function ascending(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((a, b) => a - b);
}

/** The pathmap of a fabric whose hashes are linear and whose buckets are a power of two. */
export function computedPathmap({ control, buckets, hops, nicSizes }: RepacFabric): Pathmap {
  if (memberBits(buckets) === undefined) throw new RangeError(`${buckets} buckets`);
  const nic: HopMap[] =
    nicSizes.length === 0
      ? []
      : [
          {
            hop: "nic",
            sizes: nicSizes,
            offsets: offsetsOf(control, (port, field) => nicHash(header(port), field) % buckets),
          },
        ];
  return {
    control,
    buckets,
    hops: [
      ...nic,
      ...hops.map(({ role, way, sizes, model }): HopMap => {
        const hash = new HashOfFlow(model);
        const raw = rawFlow();
        const offsets = offsetsOf(control, (port, field) => {
          raw.sourcePort = port;
          raw.selector = field;
          return hash.of(raw) % buckets;
        });
        return { hop: `${role} ${way}`, sizes, offsets };
      }),
    ],
  };
}

function header(srcPort: number) {
  return { src: 0n, dst: 0n, protocol: 0, srcPort, dstPort: 0 };
}

/** The effect of each control bit on a bucket, from the header of zeros with and without the bit. */
function offsetsOf(control: ControlBits, bucketOf: (port: number, field: number) => number): number[] {
  const zero = bucketOf(0, 0);
  return Array.from({ length: control.fieldBits + control.portBits }, (_, bit) => {
    const delta = 2 ** bit;
    return bucketOf(portPart(control, delta), fieldPart(control, delta)) ^ zero;
  });
}
