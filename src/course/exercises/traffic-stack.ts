/** The packets of a step of traffic. */
import { toBytes } from "../../base/index.js";
import { HEADER_LAYOUTS } from "./header-layouts.js";
import { partBytes, type StackPart } from "./packet-stack.js";
import type { TrafficStep } from "./steps.js";

/** Packet `number` of flow `flow`, both from 0; flows differ in their source port, and the payload begins with both numbers. */
export function trafficStack(
  { protocol, sourcePort, port, dscp, bytes }: TrafficStep,
  to: bigint,
  flow: number,
  number: number,
): StackPart[] {
  const header = (name: string, fields: Readonly<Record<string, bigint>>): StackPart => ({
    header: name,
    layout: HEADER_LAYOUTS.get(name)!,
    fields: new Map(Object.entries(fields)),
  });
  const parts = [
    header("ethernet", {}),
    header("ipv4", { dst: to, dscp: BigInt(dscp), id: BigInt(number & 0xffff) }),
    header(protocol, { src: BigInt((sourcePort + flow) & 0xffff), dst: BigInt(port) }),
  ];
  const payload = new Uint8Array(Math.max(8, bytes - parts.reduce((sum, part) => sum + partBytes(part), 0)));
  payload.set(toBytes(BigInt(flow), 4), 0);
  payload.set(toBytes(BigInt(number), 4), 4);
  return [...parts, { bytes: payload }];
}
