/** Address resolution (RFC 826) for IPv4 on Ethernet: the message behind an Ethernet header. */

import * as Ethernet from "./ethernet.js";
import { ETHERTYPE_ARP, ETHERTYPE_IPV4 } from "./numbers.js";
import { get16, getAddress, put16, putAddress } from "./words.js";

/** Bytes of a message. */
export const LENGTH = 28;
export const REQUEST = 1;
export const REPLY = 2;

const HARDWARE_ETHERNET = 1;
const IPV4_BYTES = 4;
const MAC_BYTES = Ethernet.ADDRESS_LENGTH;

export function operation(bytes: Uint8Array, at: number): number {
  return get16(bytes, at + 6);
}

export interface Message {
  /** {@link REQUEST} or {@link REPLY}. */
  readonly operation: number;
  readonly senderMac: bigint;
  readonly sender: bigint;
  readonly targetMac: bigint;
  readonly target: bigint;
}

/** Whether a whole message of IPv4 on Ethernet, a request or a reply, stands at `at`. */
export function check(bytes: Uint8Array, at: number): boolean {
  if (bytes.length < at + LENGTH || get16(bytes, at) !== HARDWARE_ETHERNET) return false;
  if (get16(bytes, at + 2) !== ETHERTYPE_IPV4 || bytes[at + 4] !== MAC_BYTES || bytes[at + 5] !== IPV4_BYTES)
    return false;
  return operation(bytes, at) === REQUEST || operation(bytes, at) === REPLY;
}

/** Undefined where {@link check} says no. */
export function parse(bytes: Uint8Array, at: number): Message | undefined {
  if (!check(bytes, at)) return undefined;
  return {
    operation: operation(bytes, at),
    senderMac: getAddress(bytes, at + 8, MAC_BYTES),
    sender: getAddress(bytes, at + 14, IPV4_BYTES),
    targetMac: getAddress(bytes, at + 18, MAC_BYTES),
    target: getAddress(bytes, at + 24, IPV4_BYTES),
  };
}

export function emit(bytes: Uint8Array, at: number, message: Message): void {
  put16(bytes, at, HARDWARE_ETHERNET);
  put16(bytes, at + 2, ETHERTYPE_IPV4);
  bytes[at + 4] = MAC_BYTES;
  bytes[at + 5] = IPV4_BYTES;
  put16(bytes, at + 6, message.operation);
  putAddress(bytes, at + 8, MAC_BYTES, message.senderMac);
  putAddress(bytes, at + 14, IPV4_BYTES, message.sender);
  putAddress(bytes, at + 18, MAC_BYTES, message.targetMac);
  putAddress(bytes, at + 24, IPV4_BYTES, message.target);
}

/** The message of a frame without a tag; undefined for any other frame. */
export function parseFrame(frame: Uint8Array): Message | undefined {
  return Ethernet.payloadAt(frame) === Ethernet.LENGTH && Ethernet.type(frame) === ETHERTYPE_ARP
    ? parse(frame, Ethernet.LENGTH)
    : undefined;
}

/** The frame of a message; a request goes to all, a reply to its target. */
export function frameOf(message: Message): Uint8Array {
  const frame = new Uint8Array(Ethernet.LENGTH + LENGTH);
  const destination = message.operation === REQUEST ? Ethernet.BROADCAST : message.targetMac;
  Ethernet.emit(frame, { destination, source: message.senderMac, type: ETHERTYPE_ARP });
  emit(frame, Ethernet.LENGTH, message);
  return frame;
}
