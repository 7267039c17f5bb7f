/**
 * Observes every frame of a network, and follows some of them from host to host: their motions on wires, their traces in
 * switches, their ends. Each frame of the page adds credit, and following a packet uses credit: this bounds the cost in a
 * busy network.
 */
import type { Channel, StackHost, SwitchNode } from "../../../fabric/sim/packet/index.js";
import type { PacketTrace, TraceInput } from "../../../toolchain/switch/index.js";
import type { LabNetwork } from "../network.js";
import { describeFrame } from "./describe.js";
import { bytesOf, dropOf, type Followed, NO_LINK, type OpenHop, type OpenLink } from "./story.js";
import { StoryBook, type StoryChanges } from "./story-book.js";

/** Number of new packets that may be followed for each frame of the page, and the maximum credit that can be saved. */
const CREDIT_PER_FRAME = 4;
const MAX_CREDIT = 120;

/** A packet inside a switch. */
interface Inside {
  readonly packet: Followed;
  readonly hop: OpenHop;
  outputs: number;
}

interface TrackerOptions {
  readonly lab: LabNetwork;
  /** Number of the flow that a frame belongs to. */
  flowOf(key: string): number | undefined;
  /** Path of the program that a switch runs. */
  programOf(name: string): string;
  /** A frame was sent on a wire. */
  onSent(): void;
  /** A frame reaches a node. */
  onArrival(node: string, packet: number | undefined): void;
}

const DROP_TEXTS = {
  ingress: "dropped by the program in ingress",
  egress: "dropped by the program in egress",
  replication: "a multicast group or clone session without copies",
  queue: "the output queue is full",
  port: "the port is down",
  program: "the switch has no program",
  assertion: "an assert or assume was false",
  loop: "an endless loop",
} as const;

export class Tracker {
  readonly #options: TrackerOptions;
  readonly book = new StoryBook();
  #credit = MAX_CREDIT;
  /** Followed packets by the frame that carries them now. */
  readonly #frames = new Map<Uint8Array, Followed>();
  /** For each frame on a wire: the hop to complete when it arrives. */
  readonly #wires = new Map<Uint8Array, OpenLink>();
  /** By switch, port and arrival time as in the trace; also by the input of the trace when that is known. */
  readonly #arrived = new Map<string, Inside>();
  readonly #inside = new Map<TraceInput, Inside>();
  /** Number of frames on wires. */
  onWires = 0;
  readonly #seenDrops = new Map<string, Record<keyof typeof DROP_TEXTS | "strayed", number>>();

  constructor(options: TrackerOptions) {
    this.#options = options;
    const { network, hosts, switches, plan } = options.lab;
    for (const [link, { aToB, bToA }] of network.links.slice(0, plan.links.length).entries()) {
      this.#tap(aToB, link, 0);
      this.#tap(bToA, link, 1);
    }
    network.observer = (channel, frame) => this.#arrives(channel, frame);
    for (const host of hosts.values()) this.#watchHost(host);
    for (const node of switches.values()) this.#watchSwitch(node);
  }

  get #now(): number {
    return this.#options.lab.simulation.now;
  }

  /** Adds the credit of one frame of the page; a paused lab saves it up to the maximum. */
  addCredit(): void {
    this.#credit = Math.min(MAX_CREDIT, this.#credit + CREDIT_PER_FRAME);
  }

  take(): StoryChanges {
    this.#countSwitchDrops();
    return this.book.take();
  }

  /** Follows a frame that is about to enter the network, without using credit. `from`: the node where it starts. */
  follow(frame: Uint8Array, from: string, parent?: Followed): Followed {
    const description = describeFrame(frame);
    const flow = description.flowKey === undefined ? undefined : this.#options.flowOf(description.flowKey);
    const packet = this.book.begin({ at: this.#now, from, description, bytes: frame.length, flow, parent });
    this.#frames.set(frame, packet);
    return packet;
  }

  #tap(channel: Channel, link: number, direction: 0 | 1): void {
    const isHost = this.#options.lab.hosts.has(channel.source.name);
    const lost = (frame: Uint8Array, reason: string): void => {
      this.book.drop({ link }, reason);
      this.#wires.delete(frame);
      const packet = this.#frames.get(frame);
      if (packet === undefined) return;
      this.#frames.delete(frame);
      this.book.finish(packet, { kind: "dropped", at: this.#now, link, reason });
    };
    channel.tap({
      sent: (frame) => {
        this.onWires++;
        let packet = this.#frames.get(frame);
        if (packet === undefined && isHost && this.#credit > 0) {
          this.#credit--;
          packet = this.follow(frame, channel.source.name);
        }
        if (isHost && packet !== undefined)
          packet.add({ kind: "send", node: channel.source.name, at: this.#now, bytes: bytesOf(frame) });
        this.#moves(channel, link, direction, frame, packet);
        this.#options.onSent();
      },
      arrived: () => {
        this.onWires--;
      },
      lost: (frame, why) => {
        if (why === "fault") this.onWires--;
        lost(frame, why === "fault" ? "the link is broken" : "the queue of the host is full");
      },
    });
  }

  #moves(
    channel: Channel,
    link: number,
    direction: 0 | 1,
    frame: Uint8Array,
    packet: Followed | undefined,
  ): void {
    if (packet === undefined) {
      this.book.countUnseen();
      return;
    }
    const lastBit = channel.busyUntil;
    const departs = lastBit - (frame.length * 8e9) / channel.rate;
    const arrives = lastBit + channel.options.delay;
    const [from, to] = [channel.source.name, channel.target.name];
    const hop: OpenLink = packet.add({ kind: "link", link, from, to, departs });
    this.#wires.set(frame, hop);
    this.book.addMotion({ packet: packet.id, link, direction, departs, arrives });
  }

  /** A frame reaches the other end of its channel; the node there has not processed it yet. */
  #arrives(channel: Channel, frame: Uint8Array): void {
    const packet = this.#frames.get(frame);
    const wire = this.#wires.get(frame);
    if (wire !== undefined) {
      wire.arrives = this.#now;
      this.#wires.delete(frame);
    }
    this.#options.onArrival(channel.target.name, packet?.id);
  }

  #watchHost(host: StackHost): void {
    const node = host.name;
    host.onFrame = (frame, verdict) => {
      if (verdict !== undefined && verdict !== "for a group") this.book.drop({ node }, verdict);
      const packet = this.#frames.get(frame);
      if (packet === undefined) return;
      this.#frames.delete(frame);
      const at = this.#now;
      packet.add({ kind: "receive", node, at, bytes: bytesOf(frame) });
      const isTaken =
        verdict === undefined || verdict === "for a group" || verdict.startsWith("of the unknown");
      this.book.finish(
        packet,
        isTaken ? { kind: "delivered", node, at } : { kind: "dropped", at, node, reason: verdict },
      );
    };
    host.onUndeliverable = (why, frames) => this.book.drop({ node }, why, frames.length);
  }

  #watchSwitch(switchNode: SwitchNode): void {
    const { device, name } = switchNode;
    device.traceFilter = (port, frame) => {
      const packet = this.#frames.get(frame);
      if (packet === undefined) return false;
      this.#frames.delete(frame);
      const at = this.#now;
      const hop: OpenHop = { kind: "switch", node: name, at, program: this.#options.programOf(name) };
      packet.add(hop);
      this.#arrived.set(keyOf(name, port, microseconds(at)), { packet, hop, outputs: 0 });
      return true;
    };
    device.traceOutput = (input, port, frame) => this.#leaves(switchNode, input, port, frame);
    device.trace = (trace) => this.#traced(name, trace);
  }

  /** The packet of a trace; undefined if it did not arrive on a wire. */
  #insideOf(name: string, input: TraceInput): Inside | undefined {
    let inside = this.#inside.get(input);
    if (inside === undefined) {
      const key = keyOf(name, input.ingress_port, input.time_us);
      inside = this.#arrived.get(key);
      if (inside === undefined) return undefined;
      this.#arrived.delete(key);
      this.#inside.set(input, inside);
    }
    return inside;
  }

  #leaves({ name, device }: SwitchNode, input: TraceInput, port: number, frame: Uint8Array): void {
    const inside = this.#insideOf(name, input);
    if (inside === undefined) return;
    const { packet } = inside;
    const isFirst = inside.outputs++ === 0;
    const going = isFirst ? packet : this.#copy(packet, frame, name);
    if (isFirst) this.#frames.set(frame, packet);
    const at = this.#now;
    const toController = port === device.cpuPort;
    if (!toController && this.#hasLink(name, port)) return;
    this.#frames.delete(frame);
    this.book.finish(
      going,
      toController
        ? { kind: "controller", node: name, at }
        : { kind: "dropped", at, node: name, reason: `${NO_LINK}: port ${port}` },
    );
  }

  #copy(packet: Followed, frame: Uint8Array, name: string): Followed {
    const copy = this.follow(frame, name, packet);
    // the copy has the same hops so far
    for (const hop of packet.hops.filter(({ kind }) => kind === "switch").slice(-1)) copy.add(hop);
    return copy;
  }

  #hasLink(name: string, port: number): boolean {
    const node = this.#options.lab.switch(name);
    return this.#options.lab.network
      .linksOf(node)
      .some(({ a, b }) => (a.node === node && a.port === port) || (b.node === node && b.port === port));
  }

  #traced(name: string, trace: PacketTrace): void {
    const inside = this.#insideOf(name, trace.input);
    if (inside === undefined) return;
    this.#inside.delete(trace.input);
    inside.hop.trace = trace;
    if (inside.outputs === 0) this.book.finish(inside.packet, dropOf(trace, this.#now));
  }

  /** Counts the drops of all packets, by the counters of the switches. */
  #countSwitchDrops(): void {
    for (const [name, { device, strayed }] of this.#options.lab.switches) {
      const before = this.#seenDrops.get(name);
      const now = { ...device.stats.drops, strayed };
      this.#seenDrops.set(name, now);
      for (const key of Object.keys(now) as (keyof typeof now)[]) {
        const more = now[key] - (before?.[key] ?? 0);
        if (more > 0) this.book.drop({ node: name }, key === "strayed" ? NO_LINK : DROP_TEXTS[key], more);
      }
    }
  }
}

/** In whole microseconds, as in the traces of switches. */
function microseconds(ns: number): number {
  return Math.round(1000 * (ns / 1000)) / 1000;
}

function keyOf(name: string, port: number, timeUs: number): string {
  return `${name} ${port} ${timeUs}`;
}
