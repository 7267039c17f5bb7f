/** The packets of a step of traffic. */
import { toBytes } from "../../base/index.js";
import { HEADER_LAYOUTS } from "./header-layouts.js";
import { partBytes, type StackPart } from "./packet-stack.js";
import type { TrafficStep } from "./steps.js";

/** IPv4 addresses of the hosts at the ends of a step of traffic. */
interface Ends {
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * Packet `number` of flow `flow`, both from 0; flows differ in the field `vary`, and the payload begins with both numbers. Values past
 * the last one of a field go on from 0.
 */
export function trafficStack(
  { protocol, sourcePort, port, dscp, ecn, bytes, vary }: TrafficStep,
  { from, to }: Ends,
  flow: number,
  number: number,
): StackPart[] {
  const value = (field: TrafficStep["vary"], width: number, first: number | bigint): bigint =>
    BigInt.asUintN(width, BigInt(first) + (field === vary ? BigInt(flow) : 0n));
  const header = (name: string, fields: Readonly<Record<string, bigint>>): StackPart => ({
    header: name,
    layout: HEADER_LAYOUTS.get(name)!,
    fields: new Map(Object.entries(fields)),
  });
  const parts = [
    header("ethernet", {}),
    header("ipv4", {
      src: value("source", 32, from),
      dst: value("destination", 32, to),
      dscp: BigInt(dscp),
      ecn: BigInt(ecn),
      id: BigInt(number & 0xffff),
    }),
    header(protocol, { src: value("source_port", 16, sourcePort), dst: value("port", 16, port) }),
  ];
  const payload = new Uint8Array(Math.max(8, bytes - parts.reduce((sum, part) => sum + partBytes(part), 0)));
  payload.set(toBytes(BigInt(flow), 4), 0);
  payload.set(toBytes(BigInt(number), 4), 4);
  return [...parts, { bytes: payload }];
}
