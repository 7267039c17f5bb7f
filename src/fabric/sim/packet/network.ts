/** Nodes, the links between them, and failures of both. */

import type { Node } from "./channel.js";
import { Channel, type ChannelOptions } from "./channel.js";
import type { FrameFault } from "./impairment.js";
import { Simulation } from "./simulation.js";
import { BOUNDED, BYTES_DELIVERED, DELIVERED, LEAST, WATCHED, WireMemory } from "./wire-memory.js";

export interface Endpoint {
  node: Node;
  port: number;
}

/** A full-duplex link: two channels. */
export interface Link {
  readonly index: number;
  readonly a: Endpoint;
  readonly b: Endpoint;
  readonly aToB: Channel;
  readonly bToA: Channel;
}

/** Each direction of a link; the two ends may differ, e.g. where only one end queues outside of its node. */
export interface LinkOptions {
  aToB: ChannelOptions;
  bToA: ChannelOptions;
}

export class Network {
  readonly links: Link[] = [];
  readonly channels: Channel[] = [];
  readonly #linksOf = new Map<Node, Link[]>();
  readonly #arrivalKind: number;
  readonly #memory = new WireMemory();
  /** By channel: the node and the port at its far end. */
  readonly #targets: Node[] = [];
  readonly #targetPorts: number[] = [];

  /** Frames that arrived anywhere: the packet-hops of a run. */
  hopCount = 0;
  /**
   * Called for every frame that arrives anywhere; for tests, traces and path discovery. The next node may change the frame:
   * an observer that keeps it must copy it, since hosts reuse frames.
   */
  observer: ((channel: Channel, frame: Uint8Array) => void) | undefined;

  constructor(readonly simulation: Simulation = new Simulation()) {
    this.#arrivalKind = simulation.register((slot) => this.#arrive(slot));
  }

  /** A frame reaches the far end of its channel. */
  #arrive(slot: number): void {
    const memory = this.#memory;
    const index = memory.channels[slot]!;
    const flags = memory.flags[index]!;
    if ((flags & BOUNDED) !== 0) this.channels[index]!.leave(slot, memory.frames[slot]!.length);
    let frame = memory.take(slot);
    if ((flags & WATCHED) !== 0) {
      const met = this.channels[index]!.meet(frame, memory.departures[slot]!);
      if (met === undefined) return;
      frame = met;
    }
    const at = memory.at(index);
    memory.numbers[at + DELIVERED]!++;
    memory.numbers[at + BYTES_DELIVERED]! += Math.max(frame.length, memory.numbers[at + LEAST]!);
    this.hopCount++;
    if (this.observer !== undefined) this.observer(this.channels[index]!, frame);
    this.#targets[index]!.receive(this.#targetPorts[index]!, frame);
  }

  connect(a: Endpoint, b: Endpoint, options: LinkOptions): Link {
    const aToB = this.#channel(options.aToB, a.node, b);
    const bToA = this.#channel(options.bToA, b.node, a);
    const link: Link = { index: this.links.length, a, b, aToB, bToA };
    this.links.push(link);
    for (const { node } of [a, b]) {
      const links = this.#linksOf.get(node);
      if (links === undefined) this.#linksOf.set(node, [link]);
      else links.push(link);
    }
    a.node.attach(a.port, aToB);
    b.node.attach(b.port, bToA);
    return link;
  }

  /** The links of a node in the order in which they were connected. */
  linksOf(node: Node): readonly Link[] {
    return this.#linksOf.get(node) ?? [];
  }

  /** Silent failure: the link loses all frames, and neither end gets a signal. */
  failLink(link: Link): void {
    link.aToB.fail();
    link.bToA.fail();
  }

  repairLink(link: Link): void {
    link.aToB.repair();
    link.bToA.repair();
  }

  /** Silent failure of a node: its links lose all frames, and its neighbours get no signal. */
  failNode(node: Node): void {
    for (const link of this.linksOf(node)) this.failLink(link);
  }

  repairNode(node: Node): void {
    for (const link of this.linksOf(node)) this.repairLink(link);
  }

  /** From now on the impairment affects frames of the channel, until {@link Channel.unimpair}. */
  impair(channel: Channel, impairment: FrameFault): void {
    channel.impair(impairment, (delay) => {
      const { source, target, targetPort } = channel;
      const wire = {
        rate: 0,
        delay,
        queueBytes: Number.POSITIVE_INFINITY,
        queuePackets: Number.POSITIVE_INFINITY,
      };
      return this.#channel(wire, source, { node: target, port: targetPort });
    });
  }

  /** Notifies both ends of a link that its carrier was lost or came back; a silent failure has no such signal. */
  signalLink(link: Link, up: boolean): void {
    link.a.node.portState?.(link.a.port, up);
    link.b.node.portState?.(link.b.port, up);
  }

  #channel(options: ChannelOptions, source: Node, target: Endpoint): Channel {
    const channel = new Channel(
      this.simulation,
      this.#memory,
      this.channels.length,
      options,
      source,
      target.node,
      target.port,
      this.#arrivalKind,
    );
    this.channels.push(channel);
    this.#targets.push(target.node);
    this.#targetPorts.push(target.port);
    return channel;
  }
}
