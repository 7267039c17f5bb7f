/**
 * The minimum completion time of a flow: alone in the empty network, on the best shortest path, with a window that never limits it.
 * Switches store and forward, so the time has a closed form.
 */

import { Tcp, Udp } from "../../../../base/packets/index.js";
import { HEADERS_ONLY, type WireModel, wireBytes } from "../../../sim/packet/index.js";
import { type Topology, tierOf } from "../../../topology/index.js";
import type { FlowArrival } from "../../../traffic/index.js";
import { wireModel } from "../../experiment.js";
import { networkHeaders, segmentHeaders } from "../../segment-headers.js";
import type { LoadSettings } from "./schema.js";

// The links of the shortest paths between two hosts: the network as far as the ideal time of a flow depends on it.

interface PathLink {
  readonly rateBps: number;
  readonly delayNs: number;
  /** Packets per second, where the sending end has such a limit. */
  readonly ratePps?: number;
}

/** The links of a path, in order. */
type Path = readonly PathLink[];

/** Hops to one switch from every state; a state is a node before (even) or after (odd) the packet has descended a tier. */
interface Distances {
  readonly hops: Int32Array;
  /** By state: the different sequences of links to the switch, computed on demand. */
  readonly paths: Map<number, readonly Path[]>;
}

/**
 * Shortest paths between hosts, as {@link computeRoutes} finds them: up and then down, never up again. Paths with equal sequences of rates
 * and delays count once, so a symmetric fabric has one path for each pair of positions. Results are cached by the switches of the hosts.
 */
export class ShortestPaths {
  readonly #topology: Topology;
  readonly #distances = new Map<number, Distances>();

  constructor(topology: Topology) {
    this.#topology = topology;
  }

  /** The different shortest paths between two hosts, by node indexes; empty where no path joins them. */
  between(source: number, destination: number): readonly Path[] {
    const ends = (host: number) => this.#ports(host).map(({ link, peer }) => ({ switch: peer, index: link }));
    let best = Number.POSITIVE_INFINITY;
    let found: Path[] = [];
    for (const to of ends(destination)) {
      const distances = this.#distancesTo(to.switch);
      for (const from of ends(source)) {
        const hops = distances.hops[2 * from.switch]!;
        if (hops < 0 || hops > best) continue;
        if (hops < best) found = [];
        best = hops;
        for (const inner of this.#pathsFrom(2 * from.switch, distances))
          found.push([this.#link(from.index, "host"), ...inner, this.#link(to.index, "switch")]);
      }
    }
    return different(found);
  }

  #ports(node: number) {
    const { nodes, down } = this.#topology;
    return nodes[node]!.ports.filter(({ link }) => down?.has(link) !== true);
  }

  /** The link, as a node of this kind sends into it: hosts have no rates in packets. */
  #link(index: number, from: "host" | "switch"): PathLink {
    const { rateBps, delayNs, ratePps } = this.#topology.links[index]!;
    return from === "host" || ratePps === undefined ? { rateBps, delayNs } : { rateBps, delayNs, ratePps };
  }

  #tier(node: number): number {
    return tierOf(this.#topology.nodes[node]!);
  }

  /** Breadth first, backwards from the switch. */
  #distancesTo(destination: number): Distances {
    let known = this.#distances.get(destination);
    if (known !== undefined) return known;
    const hops = new Int32Array(2 * this.#topology.nodes.length).fill(-1);
    const queue = [2 * destination, 2 * destination + 1];
    for (const state of queue) hops[state] = 0;
    for (let i = 0; i < queue.length; i++) {
      const state = queue[i]!;
      const [node, wentDown] = [state >> 1, (state & 1) === 1];
      for (const { peer } of this.#ports(node)) {
        if (this.#tier(peer) === 0) continue;
        // A step down leads to a state after the descent and may follow any step; other steps must precede the descent.
        const isDown = this.#tier(node) < this.#tier(peer);
        if (isDown !== wentDown) continue;
        for (const before of isDown ? [2 * peer, 2 * peer + 1] : [2 * peer]) {
          if (hops[before]! >= 0) continue;
          hops[before] = hops[state]! + 1;
          queue.push(before);
        }
      }
    }
    known = { hops, paths: new Map() };
    this.#distances.set(destination, known);
    return known;
  }

  #pathsFrom(state: number, distances: Distances): readonly Path[] {
    const { hops, paths } = distances;
    if (hops[state] === 0) return [[]];
    const known = paths.get(state);
    if (known !== undefined) return known;
    const node = state >> 1;
    const found: Path[] = [];
    for (const { peer, link } of this.#ports(node)) {
      if (this.#tier(peer) === 0) continue;
      const isDown = this.#tier(peer) < this.#tier(node);
      if (!isDown && (state & 1) === 1) continue;
      const next = 2 * peer + (isDown ? 1 : 0);
      if (hops[next] !== hops[state]! - 1) continue;
      for (const rest of this.#pathsFrom(next, distances)) found.push([this.#link(link, "switch"), ...rest]);
    }
    const result = different(found);
    paths.set(state, result);
    return result;
  }
}

function different(paths: readonly Path[]): Path[] {
  const byText = new Map(
    paths.map((path) => [
      path.map(({ rateBps, delayNs, ratePps }) => `${rateBps} ${delayNs} ${ratePps}`).join(),
      path,
    ]),
  );
  return [...byText.values()];
}

/** Bytes of frames. */
interface FrameSizes {
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

// Sizes of the frames of a flow, for its ideal time.

/** Options of a SYN: maximum segment size, window scale, and for `sack` "SACK permitted", padded to a multiple of four bytes. */
const SYN_OPTIONS = { sack: 12, plain: 8 } as const;

/** Sizes by protocol, the same for all schemes: a tag that a scheme adds does not make the ideal time longer. */
export function frameSizes({
  transport,
  traffic,
  wire: name,
}: Pick<LoadSettings, "transport" | "traffic" | "wire">): Record<FlowArrival["protocol"], FrameSizes> {
  const below = networkHeaders(traffic.ip);
  const payload = transport.segment_bytes;
  const wire = wireModel(name);
  const headers = segmentHeaders(transport.protocol, traffic.ip);
  return {
    tcp: { payload, headers, opening: openingOf(transport, headers), wire },
    udp: { payload, headers: below + Udp.LENGTH, opening: [], wire },
  };
}

/** Bytes of the kernel's timestamp option in every segment, and of all options of its SYN. */
const KERNEL_OPTIONS = { segment: 12, syn: 20 } as const;

/** The same for the kernel's TCP, whose segments carry timestamps (RFC 7323). */
export function kernelFrameSizes({
  transport,
  traffic,
}: Pick<LoadSettings, "transport" | "traffic">): Record<FlowArrival["protocol"], FrameSizes> {
  const below = networkHeaders(traffic.ip);
  const payload = transport.segment_bytes;
  const syn = below + Tcp.LENGTH + KERNEL_OPTIONS.syn;
  return {
    tcp: {
      payload,
      headers: below + Tcp.LENGTH + KERNEL_OPTIONS.segment,
      opening: [syn, syn],
      wire: HEADERS_ONLY,
    },
    udp: { payload, headers: below + Udp.LENGTH, opening: [], wire: HEADERS_ONLY },
  };
}

function openingOf(transport: LoadSettings["transport"], headers: number): readonly number[] {
  if (transport.protocol !== "tcp" || !transport.handshake) return [];
  const syn = headers + SYN_OPTIONS[transport.sack ? "sack" : "plain"];
  return [syn, syn];
}
