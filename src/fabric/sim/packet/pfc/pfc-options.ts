/**
 * The settings of priority flow control (PFC, IEEE 802.1Qbb) and the closed form of the headroom. The network has one priority: a pause stops all
 * frames of a link's direction.
 */
import { MacControl } from "../../../../base/packets/index.js";
import { NS_PER_S } from "../simulation.js";
import { type WireModel, wireBytes } from "../wire-model.js";

/** The priority that the frames of flow control name. */
export const PRIORITY = 0;

/**
 * How much may wait of what came in by one port before its sender is paused: `bytes`, or `alpha` times what is left of the memory that all ports
 * share (Choudhury and Hahne, ToN 1998, which commodity switches follow). The buffer of `buffer` bytes is that memory and the headroom of all ports.
 */
type PauseThreshold =
  | { readonly kind: "static"; readonly bytes: number }
  | { readonly kind: "dynamic"; readonly alpha: number; readonly buffer: number };

/** Sizes in bytes, times in nanoseconds. */
export interface PfcOptions {
  readonly threshold: PauseThreshold;
  /** A pause ends when so much less than the threshold waits. The DCQCN paper (section 4) has two frames. */
  readonly xonOffset: number;
  /** Of each port; absent: {@link headroomBytes}. */
  readonly headroom?: number | undefined;
  /** The longest frame, from the Ethernet header on. */
  readonly largestFrame: number;
  /** The time that a PAUSE names, in quanta of 512 bits. While the reason for it holds, it is sent again after half of that time. */
  readonly quanta: number;
  /** From the last bit of a PAUSE at a sender to the last instant at which it may begin a frame. */
  readonly reaction: number;
}

/** For how long a PAUSE of so many quanta holds, in nanoseconds, on a link of that rate (bits per second). */
export function pauseNs(quanta: number, rateBps: number): number {
  return (quanta * MacControl.QUANTUM_BITS * NS_PER_S) / rateBps;
}

/** A direction of a link whose far end may have to be paused. */
export interface PausedLink {
  /** Bits per second. */
  readonly rateBps: number;
  /** Propagation of one direction, in nanoseconds. */
  readonly delayNs: number;
  readonly wire: WireModel;
}

/** Times of the simulator are whole nanoseconds: the departure of two frames, and the arrivals, are rounded. */
const ROUNDING_NS = 4;

/**
 * The bytes that can still arrive by a link once a frame has crossed the threshold, with that frame: with so much headroom no frame is lost. After the
 * frame, the PAUSE waits for a longest frame that its port may have just begun, takes its own time, then the propagation, then the reaction; then the
 * far end finishes a longest frame that it may have just begun; and the wire is full of what was sent before:
 *
 *     headroom = rate x (2 x delay + reaction) + 2 x (longest frame on the wire) + (PAUSE on the wire) + longest frame
 *
 * It is the rule of IEEE 802.1Q, annex O ("Buffer requirements for Priority-based Flow Control"), and the t_flight of the DCQCN paper (Zhu et al.,
 * SIGCOMM 2015, section 4), for a switch whose MAC and PHY take no time. A frame that becomes several copies counts several times, so a program
 * with multicast needs more.
 */
export function headroomBytes(
  { rateBps, delayNs, wire }: PausedLink,
  { largestFrame, reaction }: Pick<PfcOptions, "largestFrame" | "reaction">,
): number {
  const inFlight = (rateBps * (2 * delayNs + reaction + ROUNDING_NS)) / (8 * NS_PER_S);
  return Math.ceil(
    inFlight + 2 * wireBytes(wire, largestFrame) + wireBytes(wire, MacControl.LENGTH) + largestFrame,
  );
}
