/** The hash of a host's NIC bond. It is not linear, so it does not correlate with the CRCs of the switches. */
import type { FlowKey } from "../../base/packets/index.js";

type Addresses = Pick<FlowKey, "src" | "dst">;

const ofFlows = new WeakMap<FlowKey, number>();
const ofAddresses = new WeakMap<Addresses, number>();

/** 32-bit hash of a five-tuple; cached for each object, because all packets of a flow share one object. */
export function flowHash(flow: FlowKey): number {
  let hash = ofFlows.get(flow);
  if (hash === undefined) {
    hash = mix(0x243f6a88, flow.protocol);
    hash = mix(hash, flow.srcPort);
    hash = mix(hash, flow.dstPort);
    hash = mixAddresses(hash, flow);
    ofFlows.set(flow, hash);
  }
  return hash;
}

/** 32-bit hash of the two addresses alone; cached as {@link flowHash} is. */
export function addressHash(flow: Addresses): number {
  let hash = ofAddresses.get(flow);
  if (hash === undefined) {
    hash = mixAddresses(0x13198a2e, flow);
    ofAddresses.set(flow, hash);
  }
  return hash;
}

function mixAddresses(from: number, { src, dst }: Addresses): number {
  let hash = from;
  for (const address of [src, dst])
    for (let shift = 0n; shift < 128n; shift += 32n)
      hash = mix(hash, Number(BigInt.asUintN(32, address >> shift)));
  return hash;
}

/** One step of a 32-bit mix of the murmur3 family. */
export function mix(hash: number, value: number): number {
  let k = Math.imul(value, 0xcc9e2d51);
  k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  let h = hash ^ k;
  h = (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
