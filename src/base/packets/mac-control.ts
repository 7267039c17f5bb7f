/**
 * MAC control frames of priority flow control (IEEE 802.1Qbb; IEEE 802.3, clause 31 and annex 31D): a view, and the frame. A frame names, for each
 * of the eight priorities that it enables, for how long the receiver sends nothing of it, in quanta of 512 bits at the rate of the link.
 */
import * as Ethernet from "./ethernet.js";
import { ETHERTYPE_MAC_CONTROL } from "./numbers.js";
import { get16, put16 } from "./words.js";

/** Without the frame check sequence: the shortest frame of Ethernet. */
export const LENGTH = 60;
/** Bits of a quantum. */
export const QUANTUM_BITS = 512;
export const MOST_QUANTA = 0xffff;
export const PRIORITIES = 8;

/** The group address of MAC control, which no bridge forwards. */
const DESTINATION = 0x0180_c200_0001n;
const OPCODE_PFC = 0x0101;
const OPCODE_AT = Ethernet.LENGTH;
const ENABLED_AT = OPCODE_AT + 2;
const TIMES_AT = ENABLED_AT + 2;

/** Whether this is a frame of priority flow control. */
export function check(frame: Uint8Array): boolean {
  return (
    frame.length >= TIMES_AT + 2 * PRIORITIES &&
    Ethernet.type(frame) === ETHERTYPE_MAC_CONTROL &&
    get16(frame, OPCODE_AT) === OPCODE_PFC
  );
}

/** The quanta for which a priority is paused, 0 where its pause ends; undefined where the frame does not enable it. */
export function quanta(frame: Uint8Array, priority: number): number | undefined {
  return (get16(frame, ENABLED_AT) & (1 << priority)) === 0
    ? undefined
    : get16(frame, TIMES_AT + 2 * priority);
}

/** A new frame that pauses one priority for so many quanta; 0 ends its pause. */
export function frameOf(source: bigint, priority: number, time: number): Uint8Array {
  const frame = new Uint8Array(LENGTH);
  Ethernet.emit(frame, { destination: DESTINATION, source, type: ETHERTYPE_MAC_CONTROL });
  put16(frame, OPCODE_AT, OPCODE_PFC);
  put16(frame, ENABLED_AT, 1 << priority);
  put16(frame, TIMES_AT + 2 * priority, time);
  return frame;
}
