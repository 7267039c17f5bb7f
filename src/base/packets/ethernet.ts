/**
 * Ethernet frames: a view over the header at the start of a frame, and its representation. {@link payloadAt} looks past an overlay header and one
 * 802.1Q tag, as the parsers of the generated programs do.
 */

import { ETHERTYPE_OVERLAY, ETHERTYPE_VLAN } from "./numbers.js";
import * as Vlan from "./vlan.js";
import { get16, getAddress, put16, putAddress } from "./words.js";

export const LENGTH = 14;
/** Bytes of a MAC address. */
export const ADDRESS_LENGTH = 6;
export const BROADCAST = 0xffff_ffff_ffffn;

/** Bytes of the header of {@link ETHERTYPE_OVERLAY}; its last two are the type of what follows. */
export const OVERLAY_LENGTH = 8;

const SOURCE_AT = 6;
const TYPE_AT = 12;

export function type(frame: Uint8Array): number {
  return get16(frame, TYPE_AT);
}

export function setType(frame: Uint8Array, value: number): void {
  put16(frame, TYPE_AT, value);
}

export function destination(frame: Uint8Array): bigint {
  return getAddress(frame, 0, ADDRESS_LENGTH);
}

export function setDestination(frame: Uint8Array, mac: bigint): void {
  putAddress(frame, 0, ADDRESS_LENGTH, mac);
}

/** Writes both addresses, 6 bytes each. */
export function setAddresses(frame: Uint8Array, destination: Uint8Array, source: Uint8Array): void {
  frame.set(destination);
  frame.set(source, SOURCE_AT);
}

export function isTo(frame: Uint8Array, mac: Uint8Array): boolean {
  for (let i = 0; i < ADDRESS_LENGTH; i++) if (frame[i] !== mac[i]) return false;
  return true;
}

/** Whether the destination is broadcast or multicast. */
export function isToGroup(frame: Uint8Array): boolean {
  return (frame[0]! & 1) !== 0;
}

/** Position after the header and, between switches, that of an overlay; 0 for a frame that ends before it. */
export function innerAt(frame: Uint8Array): number {
  if (frame.length < LENGTH) return 0;
  if (get16(frame, TYPE_AT) !== ETHERTYPE_OVERLAY) return LENGTH;
  return frame.length < LENGTH + OVERLAY_LENGTH ? 0 : LENGTH + OVERLAY_LENGTH;
}

/** Position after the header, an overlay's and at most one 802.1Q tag; 0 for a frame that ends before it. */
export function payloadAt(frame: Uint8Array): number {
  const at = innerAt(frame);
  if (at === 0 || get16(frame, at - 2) !== ETHERTYPE_VLAN) return at;
  return frame.length < at + Vlan.LENGTH ? 0 : at + Vlan.LENGTH;
}

/** The type of what stands at `at`: that of the header or of the tag before it. */
export function payloadType(frame: Uint8Array, at: number): number {
  return get16(frame, at - 2);
}

export interface Header {
  readonly destination: bigint;
  readonly source: bigint;
  readonly type: number;
}

/** Undefined for a frame without a whole header. */
export function parse(frame: Uint8Array): Header | undefined {
  if (frame.length < LENGTH) return undefined;
  return {
    destination: destination(frame),
    source: getAddress(frame, SOURCE_AT, ADDRESS_LENGTH),
    type: type(frame),
  };
}

export function emit(frame: Uint8Array, header: Header): void {
  setDestination(frame, header.destination);
  putAddress(frame, SOURCE_AT, ADDRESS_LENGTH, header.source);
  setType(frame, header.type);
}
