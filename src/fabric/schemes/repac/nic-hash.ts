/**
 * The NIC of a host with several: a linear hash of the packet's header, as in link aggregation (RePaC, section 3.3, footnote 1).
 * Its CRC differs from those of the switches.
 */
import { toBytes } from "../../../base/index.js";
import type { FlowKey } from "../../../base/packets/index.js";
import { Crc } from "../../../toolchain/hash/index.js";

/** CRC-16/IBM-3740. */
const CRC = new Crc({ width: 16, poly: 0x1021, init: 0xffff, refin: false, refout: false, xorout: 0 });

const cache = new WeakMap<FlowKey, number>();

/** 16 bits. The hash of a flow with selector 0 is cached for each object, because all packets of a flow share one object. */
export function nicHash(flow: FlowKey, selector: number): number {
  let plain = cache.get(flow);
  if (plain === undefined) {
    plain = hashOf(flow, 0);
    cache.set(flow, plain);
  }
  return selector === 0 ? plain : plain ^ effectOf(selector);
}

const NO_FLOW: FlowKey = { src: 0n, dst: 0n, protocol: 0, srcPort: 0, dstPort: 0 };
const ZERO = hashOf(NO_FLOW, 0);
const effects = new Map<number, number>();

/** The contribution of a selector to the hash of any flow. */
function effectOf(selector: number): number {
  let effect = effects.get(selector);
  if (effect === undefined) {
    effect = hashOf(NO_FLOW, selector) ^ ZERO;
    effects.set(selector, effect);
  }
  return effect;
}

function hashOf({ src, dst, protocol, srcPort, dstPort }: FlowKey, selector: number): number {
  const input = new Uint8Array(41);
  input.set([selector >>> 24, selector >>> 16, selector >>> 8, selector]);
  input.set(toBytes(src, 16), 4);
  input.set(toBytes(dst, 16), 20);
  input.set([protocol, srcPort >>> 8, srcPort, dstPort >>> 8, dstPort], 36);
  return CRC.compute(input);
}
