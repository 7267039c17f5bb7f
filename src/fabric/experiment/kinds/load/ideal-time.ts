/**
 * The minimum completion time of a flow: alone in the empty network, on the best shortest path, with a window that never limits it.
 * Switches store and forward, so the time has a closed form.
 */

import { type WireModel, wireBytes } from "../../../sim/packet/index.js";
import type { Topology } from "../../../topology/index.js";
import type { FlowArrival } from "../../../traffic/index.js";
import { type Path, ShortestPaths } from "./shortest-paths.js";

/** Bytes of frames. */
export interface FrameSizes {
  /** Payload of a full segment. */
  readonly payload: number;
  /** Headers of a data segment, from Ethernet's on. */
  readonly headers: number;
  /** Sizes of the frames that cross the network one after the other before the first data do: SYN and SYN-ACK; empty without a handshake. */
  readonly opening: readonly number[];
  readonly wire: WireModel;
}

const NS_PER_S = 1e9;

/**
 * Nanoseconds from the first bit that the source sends to the last bit of the flow that arrives. Links are first in, first out, so the
 * times form a grid of segments and links: a segment enters a link when it has left the link before, and when the segment before it has
 * left this link. The time is the longest path through the grid. All segments but the last have one size; so the longest path sends
 * all of them over the slowest link among the links up to the last one at which segments wait.
 */
export function idealTimeOnPath(
  path: Path,
  bytes: number,
  { payload, headers, opening: frames, wire }: FrameSizes,
): number {
  const segments = Math.ceil(bytes / payload);
  const full = wireBytes(wire, payload + headers);
  const last = wireBytes(wire, bytes - (segments - 1) * payload + headers);
  const opening = frames.map((frame) => wireBytes(wire, frame));
  const propagation = path.reduce((sum, { delayNs }) => sum + Math.round(delayNs), 0);
  let before = 0;
  for (const frame of opening)
    before += propagation + path.reduce((sum, { rateBps }) => sum + onWire(frame, rateBps), 0);
  // Time that the last segment needs from each link to the end.
  let rest = path.reduce((sum, { rateBps }) => sum + onWire(last, rateBps), 0);
  const limited = packetTime(path, segments, segments > 1 ? full : last, last, opening);
  if (segments === 1) return Math.max(before + propagation + rest, limited);
  let [heaviest, slowest, first] = [0, 0, 0];
  for (const { rateBps } of path) {
    const time = onWire(full, rateBps);
    first += time;
    slowest = Math.max(slowest, time);
    heaviest = Math.max(heaviest, first + (segments - 2) * slowest + rest);
    rest -= onWire(last, rateBps);
  }
  return Math.max(before + propagation + heaviest, limited);
}

/**
 * The time that packet rates allow. At a link with a packet rate a packet follows its predecessor after 1/rate, and the first one does not
 * wait. With a handshake the first packet is the SYN; the first data also acknowledge the SYN-ACK. 0 where no link has such a rate.
 */
function packetTime(
  path: Path,
  segments: number,
  firstData: number,
  last: number,
  opening: readonly number[],
): number {
  const [syn] = opening;
  const inFront = segments - 1 + (syn === undefined ? 0 : 1);
  /** From the start to the departure of the first packet, and from the departure of the last one to its arrival. */
  let [first, rest] = [0, 0];
  for (const { rateBps, delayNs } of path) rest += onWire(last, rateBps) + Math.round(delayNs);
  let longest = 0;
  for (const { rateBps, delayNs, ratePps } of path) {
    if (ratePps !== undefined) longest = Math.max(longest, first + (inFront * NS_PER_S) / ratePps + rest);
    rest -= onWire(last, rateBps) + Math.round(delayNs);
    first += onWire(syn ?? firstData, rateBps) + Math.round(delayNs);
  }
  return longest;
}

/** Nanoseconds that a frame takes at a rate. */
function onWire(frame: number, rateBps: number): number {
  return Math.ceil((8 * frame * NS_PER_S) / rateBps);
}

/**
 * As {@link idealTimeOnPath}, for a sender that sends a full segment every `intervalNs`. From segment i on the grid has n - i + 1 rows,
 * and the longest path is linear in their number from two rows on: so the maximum has all rows, two, or one.
 */
export function pacedTimeOnPath(path: Path, bytes: number, sizes: FrameSizes, intervalNs: number): number {
  const segments = Math.ceil(bytes / sizes.payload);
  const last = bytes - (segments - 1) * sizes.payload;
  const from = (rows: number) =>
    (segments - rows) * intervalNs + idealTimeOnPath(path, last + (rows - 1) * sizes.payload, sizes);
  return [1, 2, segments]
    .filter((rows) => rows <= segments)
    .map(from)
    .reduce((a, b) => Math.max(a, b));
}

/** Ideal times between the hosts of a topology. */
export class IdealTimes {
  readonly #paths: ShortestPaths;

  constructor(
    topology: Topology,
    readonly sizes: Readonly<Record<FlowArrival["protocol"], FrameSizes>>,
  ) {
    this.#paths = new ShortestPaths(topology);
  }

  /** Nanoseconds; undefined where the hosts do not reach each other. */
  of({ source, destination, bytes, protocol, rateBps }: FlowArrival): number | undefined {
    const sizes = this.sizes[protocol];
    const times = this.#paths
      .between(source, destination)
      .map((path) =>
        rateBps === undefined
          ? idealTimeOnPath(path, bytes, sizes)
          : pacedTimeOnPath(path, bytes, sizes, (8e9 * sizes.payload) / rateBps),
      );
    return times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b));
  }
}
