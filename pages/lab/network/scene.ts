/** The drawing of a network at one instant: places in a unit square, shares from 0 to 1. */

export interface SceneNode {
  name: string;
  kind: "switch" | "host";
  /** Place in the unit square; y grows downwards. */
  x: number;
  y: number;
  up: boolean;
}

/** One direction of a link. */
export interface Lane {
  /** Share of the rate that was used recently. */
  load: number;
  /** Share of its sender's queue that is full. */
  queue: number;
}

export interface SceneLink {
  id: number;
  from: string;
  to: string;
  fromPort: string;
  toPort: string;
  up: boolean;
  /** The directions from `from` to `to`, and from `to` to `from`. */
  lanes: readonly [Lane, Lane];
}

export interface ScenePacket {
  id: number;
  link: number;
  /** 0: from the link's `from` to its `to`. */
  lane: 0 | 1;
  /** Position on the link, as a share of its length. */
  at: number;
  /** Index of the colour: packets of one flow have the same. */
  flow: number;
  label: string;
}

/** A packet that was lost recently. */
export interface SceneDrop {
  node: string;
  reason: string;
  /** Decreases from 1, at the loss, to 0. */
  strength: number;
}

export interface Point {
  x: number;
  y: number;
}

export interface Segment {
  from: Point;
  to: Point;
  /** Unit vector to the right of the direction from `from` to `to`, on a screen. */
  side: Point;
}

/** Number of colours of packets. */
export const FLOW_COLOURS = 8;
/** Half of the distance between both lanes of a link, in px. */
export const LANE_PX = 4;
/** Distance between links that join the same nodes, in px. */
const PARALLEL_PX = 22;

/** Where nodes and links are on a drawing of a given size. */
export class Layout {
  readonly places = new Map<string, Point>();
  readonly segments = new Map<number, Segment>();
  /** Radius of a node in px: smaller in a network with many nodes. */
  readonly radius: number;

  constructor(nodes: readonly SceneNode[], links: readonly SceneLink[], width: number, height: number) {
    this.radius = Math.max(9, Math.min(24, Math.sqrt((width * height) / Math.max(1, nodes.length)) / 6));
    const margin = { x: this.radius + 34, y: this.radius + 30 };
    for (const { name, x, y } of nodes)
      this.places.set(name, {
        x: margin.x + x * Math.max(1, width - 2 * margin.x),
        y: margin.y + y * Math.max(1, height - 2 * margin.y),
      });
    const pairs = new Map<string, SceneLink[]>();
    for (const link of links) {
      const key = [link.from, link.to].sort().join("\n");
      pairs.set(key, [...(pairs.get(key) ?? []), link]);
    }
    for (const parallel of pairs.values())
      for (const [index, link] of parallel.entries())
        this.segments.set(link.id, this.#segment(link, index, parallel));
  }

  /** The place on a lane at a share of its length. */
  onLane({ from, to, side }: Segment, lane: 0 | 1, at: number): Point {
    const share = lane === 0 ? at : 1 - at;
    const offset = lane === 0 ? LANE_PX : -LANE_PX;
    return {
      x: from.x + (to.x - from.x) * share + side.x * offset,
      y: from.y + (to.y - from.y) * share + side.y * offset,
    };
  }

  #segment(link: SceneLink, index: number, parallel: readonly SceneLink[]): Segment {
    const a = this.places.get(link.from)!;
    const b = this.places.get(link.to)!;
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const along = { x: (b.x - a.x) / length, y: (b.y - a.y) / length };
    const side = { x: -along.y, y: along.x };
    // The sides of a link depend on its direction; parallel links use those of the first.
    const sign = link.from === parallel[0]!.from ? 1 : -1;
    const shift = (index - (parallel.length - 1) / 2) * PARALLEL_PX * sign;
    const inset = Math.min(this.radius, length / 3);
    return {
      from: { x: a.x + along.x * inset + side.x * shift, y: a.y + along.y * inset + side.y * shift },
      to: { x: b.x - along.x * inset + side.x * shift, y: b.y - along.y * inset + side.y * shift },
      side,
    };
  }
}

/** The middle of a link. */
export const middle = ({ from, to }: Segment): Point => ({ x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 });

/** The packet at a place, if one is within the width of a finger. */
export function packetAt(
  layout: Layout,
  packets: readonly ScenePacket[],
  at: Point,
): ScenePacket | undefined {
  let best: ScenePacket | undefined;
  let least = 14;
  for (const packet of packets) {
    const segment = layout.segments.get(packet.link);
    if (segment === undefined) continue;
    const { x, y } = layout.onLane(segment, packet.lane, packet.at);
    const distance = Math.hypot(x - at.x, y - at.y);
    if (distance < least) {
      least = distance;
      best = packet;
    }
  }
  return best;
}
