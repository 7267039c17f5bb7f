/** A network under construction: nodes and links are numbered in the order in which they are added. */
import { given } from "../../base/index.js";
import type { Link, Port, Role } from "./topology.js";

export interface DraftNode {
  index: number;
  name: string;
  role: Role;
  pod: number | undefined;
  position: number;
  tier?: number;
  ports: Port[];
  coordinates?: readonly number[];
}

/** Bits per second, and nanoseconds one way; the queues of the switches at its ends where they have limits of their own. */
export interface LinkShape {
  rate: number;
  delay: number;
  rate_pps?: number | undefined;
  queue_packets?: number | undefined;
}

/** Collects nodes and links. */
export class Draft {
  readonly nodes: DraftNode[] = [];
  readonly links: Link[] = [];
  readonly byName = new Map<string, DraftNode>();

  node(role: Role, name: string, pod: number | undefined, position: number, tier?: number): DraftNode {
    const own = tier === undefined ? {} : { tier };
    const node: DraftNode = { index: this.nodes.length, name, role, pod, position, ...own, ports: [] };
    this.nodes.push(node);
    this.byName.set(name, node);
    return node;
  }

  /** `cost`: see `Link`. */
  link(a: DraftNode, b: DraftNode, shape: LinkShape, cost?: number): void {
    const index = this.links.length;
    const portA = a.ports.length + 1;
    const portB = b.ports.length + 1;
    a.ports.push({ number: portA, link: index, peer: b.index, peerPort: portB });
    b.ports.push({ number: portB, link: index, peer: a.index, peerPort: portA });
    this.links.push({
      index,
      a: { node: a.index, port: portA },
      b: { node: b.index, port: portB },
      rateBps: shape.rate,
      delayNs: shape.delay,
      ...given({ cost, ratePps: shape.rate_pps, queuePackets: shape.queue_packets }),
    });
  }
}
