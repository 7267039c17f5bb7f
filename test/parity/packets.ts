/** Packets for comparing switches: flows between the hosts of a fabric in every header field, and much that is wrong. */

import { Random } from "../../src/base/index.js";
import { FIELD_BITS, SELECTOR_FIELDS } from "../../src/base/packets/index.js";

import { hostsOf, type Topology, type TopologyNode } from "../../src/fabric/topology/index.js";
import { frameOf } from "../fabric/schemes/frames.js";
import type { PortFrame } from "./bmv2.js";

const PROTOCOLS = [6, 6, 6, 17, 17, 1, 58];

export function mixedPackets(topology: Topology, node: TopologyNode, count: number): PortFrame[] {
  const random = new Random(`packets at ${node.name}`);
  const hosts = hostsOf(topology);
  return Array.from({ length: count }, () => {
    const family = random.pick(["ipv4", "ipv6"] as const);
    const field = random.pick(SELECTOR_FIELDS);
    const [from, to] = [random.pick(hosts), random.pick(hosts)];
    const stranger = random.int(20) === 0;
    const frame = frameOf({
      family,
      flow: {
        src: from.host![family],
        dst: stranger ? BigInt(random.uint32()) : to.host![family],
        protocol: random.pick(PROTOCOLS),
        srcPort: random.int(65536),
        dstPort: random.int(65536),
      },
      field,
      selector: random.int(2 ** FIELD_BITS[field]),
      ttl: random.int(16) === 0 ? random.int(3) : 64,
      dstMac: node.mac,
      srcMac: from.mac,
    });
    const port = random.pick(node.ports).number;
    return { port, frame: random.int(6) === 0 ? spoil(frame, random) : frame };
  });
}

/** Cuts a frame, or changes some of its bytes, headers most of all. */
function spoil(frame: Uint8Array, random: Random): Uint8Array {
  if (random.int(3) === 0) return frame.subarray(0, 1 + random.int(frame.length - 1));
  const changed = Uint8Array.from(frame);
  for (let i = random.int(3); i >= 0; i--) changed[12 + random.int(26)] = random.int(256);
  return changed;
}
