/** Address resolution (RFC 826) for IPv4 on Ethernet: the messages. */

import { fromBytes, toBytes } from "../index.js";
import { ETHERTYPE_ARP, ETHERTYPE_IPV4 } from "./numbers.js";
import { get16, put16 } from "./words.js";

export const BROADCAST = 0xffff_ffff_ffffn;

export const FRAME_BYTES = 42;

export interface ArpMessage {
  /** 1 request, 2 reply. */
  readonly operation: number;
  readonly senderMac: bigint;
  readonly sender: bigint;
  readonly targetMac: bigint;
  readonly target: bigint;
}

/** Undefined for anything but a request or a reply of IPv4 on Ethernet. */
export function readArp(frame: Uint8Array): ArpMessage | undefined {
  if (frame.length < FRAME_BYTES || get16(frame, 12) !== ETHERTYPE_ARP) return undefined;
  if (get16(frame, 14) !== 1 || get16(frame, 16) !== ETHERTYPE_IPV4 || frame[18] !== 6 || frame[19] !== 4)
    return undefined;
  const operation = get16(frame, 20);
  if (operation !== 1 && operation !== 2) return undefined;
  const part = (at: number, bytes: number): bigint => fromBytes(frame.subarray(at, at + bytes));
  return {
    operation,
    senderMac: part(22, 6),
    sender: part(28, 4),
    targetMac: part(32, 6),
    target: part(38, 4),
  };
}

/** The frame of a message; a request goes to all, a reply to its target. */
export function arpFrame({ operation, senderMac, sender, targetMac, target }: ArpMessage): Uint8Array {
  const frame = new Uint8Array(FRAME_BYTES);
  frame.set(toBytes(operation === 1 ? BROADCAST : targetMac, 6), 0);
  frame.set(toBytes(senderMac, 6), 6);
  put16(frame, 12, ETHERTYPE_ARP);
  put16(frame, 14, 1);
  put16(frame, 16, ETHERTYPE_IPV4);
  frame[18] = 6;
  frame[19] = 4;
  put16(frame, 20, operation);
  frame.set(toBytes(senderMac, 6), 22);
  frame.set(toBytes(sender, 4), 28);
  frame.set(toBytes(targetMac, 6), 32);
  frame.set(toBytes(target, 4), 38);
  return frame;
}
