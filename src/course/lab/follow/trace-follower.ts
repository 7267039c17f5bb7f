/**
 * Follows packets through real switches. Each switch reports only its own trace, so an output of one switch is matched with
 * the input of the next switch by link and bytes. Traces arrive late and in any order: a story is assembled after a delay.
 */
import { fromHex } from "../../../base/index.js";
import type { PacketTrace, TraceOutcome, TraceTree } from "../../../toolchain/switch/index.js";
import type { LabPlan } from "../project.js";
import { describeFrame } from "./describe.js";
import { dropOf, type Followed, NO_LINK, type OpenLink } from "./story.js";
import { StoryBook } from "./story-book.js";

/** Delay between the arrival of a packet at its first switch and the assembly of its story, in nanoseconds. */
const SETTLE_NS = 300e6;
/** How long one end of a link waits for the trace of the other end, in nanoseconds. */
const ALONE_NS = 1500e6;
/** Maximum difference between the clocks of two switches, in nanoseconds. */
const SLACK_NS = 5e6;
/** Delay between a motion and its display on the page, in nanoseconds. */
const SHOWN_LATER_NS = 500e6;
/** Maximum number of traces that wait; the oldest are deleted first. */
const MAX_WAITING = 2000;
/** Maximum number of conversations with a colour of their own. */
const MAX_FLOWS = 1000;

interface End {
  readonly link: number;
  readonly node: string;
  readonly port: number;
  /** The direction of the link towards this end. */
  readonly direction: 0 | 1;
}

/** A packet that entered a switch. */
interface Arrival {
  readonly name: string;
  readonly at: number;
  readonly trace: PacketTrace;
  /** The lab's clock when the clock of the switch was 0. */
  readonly zeroNs: number;
  isTaken: boolean;
}

/** A packet that was sent to a switch whose trace of it has not arrived yet. */
interface Departure {
  readonly packet: Followed;
  readonly hop: OpenLink;
  readonly end: End;
  readonly at: number;
}

interface TraceFollowerOptions {
  readonly plan: LabPlan;
  /** Path of the program that a switch runs. */
  programOf(name: string): string;
}

type Transmitted = Extract<TraceOutcome, { kind: "transmit" }>;

export class TraceFollower {
  readonly book = new StoryBook();
  readonly #options: TraceFollowerOptions;
  readonly #hosts: ReadonlySet<string>;
  /** The other end of the link at a port of a node. */
  readonly #peers = new Map<string, End>();
  /** In the order of their traces' arrival. */
  #waiting: Arrival[] = [];
  /** By switch, port and bytes. */
  readonly #arrivals = new Map<string, Arrival[]>();
  readonly #departures = new Map<string, Departure[]>();
  /** By bytes; in the order in which they were asked for. */
  readonly #expected = new Map<string, ((packet: number) => void)[]>();
  /** Numbers of conversations. */
  readonly #flows = new Map<string, number>();

  constructor(options: TraceFollowerOptions) {
    this.#options = options;
    const { hosts, links } = options.plan;
    this.#hosts = new Set(hosts.map(({ name }) => name));
    for (const [link, { a, b }] of links.entries()) {
      this.#peers.set(placeOf(a.node, a.port), { link, node: b.node, port: b.port, direction: 0 });
      this.#peers.set(placeOf(b.node, b.port), { link, node: a.node, port: a.port, direction: 1 });
    }
  }

  /** @param zeroNs the lab's clock when the clock of the switch was 0 */
  add(name: string, trace: PacketTrace, zeroNs: number): void {
    const { ingress_port, time_us, bytes } = trace.input;
    const arrival = { name, at: zeroNs + 1000 * time_us, trace, zeroNs, isTaken: false };
    this.#waiting.push(arrival);
    const key = keyOf(name, ingress_port, bytes);
    const same = this.#arrivals.get(key);
    if (same === undefined) this.#arrivals.set(key, [arrival]);
    else same.push(arrival);
    if (this.#waiting.length > MAX_WAITING) this.#forget(this.#waiting.shift()!);
  }

  #forget(arrival: Arrival): void {
    arrival.isTaken = true;
    const { ingress_port, bytes } = arrival.trace.input;
    const key = keyOf(arrival.name, ingress_port, bytes);
    const rest = this.#arrivals.get(key)?.filter((one) => one !== arrival) ?? [];
    if (rest.length === 0) this.#arrivals.delete(key);
    else this.#arrivals.set(key, rest);
  }

  /**
   * Calls `found` once, with the number of the next packet that has these bytes and that no earlier call expects; returns a
   * function that cancels this.
   */
  expect(bytes: string, found: (packet: number) => void): () => void {
    // A closure of its own: a caller may expect equal packets with one function.
    const call = (packet: number): void => found(packet);
    this.#keepExpected(bytes, [...(this.#expected.get(bytes) ?? []), call]);
    return () =>
      this.#keepExpected(
        bytes,
        (this.#expected.get(bytes) ?? []).filter((one) => one !== call),
      );
  }

  #keepExpected(bytes: string, rest: ((packet: number) => void)[]): void {
    if (rest.length === 0) this.#expected.delete(bytes);
    else this.#expected.set(bytes, rest);
  }

  /** Assembles the stories of all packets that have waited long enough. */
  assemble(now: number): void {
    for (const arrival of [...this.#waiting].sort((a, b) => a.at - b.at)) {
      if (arrival.isTaken || now - arrival.at < SETTLE_NS) continue;
      const before = this.#senderOf(arrival);
      const isFirst = before === undefined || this.#hosts.has(before.node);
      const departure = isFirst ? undefined : this.#departureTo(arrival);
      if (departure !== undefined) {
        departure.hop.arrives = Math.max(departure.hop.departs, arrival.at);
        this.#addSwitchHop(departure.packet, arrival);
      } else if (isFirst || now - arrival.at > ALONE_NS) this.#begin(arrival, before);
    }
    this.#waiting = this.#waiting.filter(({ isTaken }) => !isTaken);
    this.#giveUp(now);
  }

  /** The node that sent a packet: the other end of its link; undefined if a controller sent it. */
  #senderOf({ name, trace }: Arrival): End | undefined {
    return this.#peers.get(placeOf(name, trace.input.ingress_port));
  }

  #begin(arrival: Arrival, before: End | undefined): void {
    const { at, name, trace } = arrival;
    const { bytes, packet_size } = trace.input;
    const isSent = before !== undefined && this.#hosts.has(before.node);
    const from = isSent ? before.node : name;
    const packet = this.#packet(at, from, bytes, packet_size);
    if (isSent) {
      packet.add({ kind: "send", node: from, at, bytes });
      packet.add({ kind: "link", link: before.link, from, to: name, departs: at, arrives: at });
      this.#showMotion(packet, { ...before, direction: before.direction === 0 ? 1 : 0 }, at);
    }
    this.#addSwitchHop(packet, arrival);
    const [expected, ...others] = this.#expected.get(bytes) ?? [];
    this.#keepExpected(bytes, others);
    expected?.(packet.id);
  }

  #packet(at: number, from: string, bytes: string, size: number, parent?: Followed): Followed {
    const description = describeFrame(fromHex(bytes)!);
    return this.book.begin({ at, from, description, bytes: size, flow: this.#flowOf(description), parent });
  }

  #flowOf({ flowKey }: { readonly flowKey?: string }): number | undefined {
    if (flowKey === undefined) return undefined;
    const known = this.#flows.get(flowKey);
    if (known !== undefined) return known;
    if (this.#flows.size >= MAX_FLOWS) this.#flows.clear();
    this.#flows.set(flowKey, this.#flows.size);
    return this.#flows.get(flowKey);
  }

  #showMotion({ id }: Followed, { link, direction }: End, at: number, arrives = at): void {
    const departs = at + SHOWN_LATER_NS;
    this.book.addMotion({ packet: id, link, direction, departs, arrives: arrives + SHOWN_LATER_NS });
  }

  /** Adds the hop of a switch to a packet, then the links on which its copies left. */
  #addSwitchHop(packet: Followed, arrival: Arrival): void {
    this.#forget(arrival);
    const { name, at, zeroNs } = arrival;
    const trace = { ...arrival.trace, device: name };
    const hop = { kind: "switch", node: name, at, program: this.#options.programOf(name), trace } as const;
    packet.add(hop);
    const left = transmitted(trace.root);
    if (left.length === 0) {
      const isKnown = !unfinished(trace.root);
      const end = isKnown ? dropOf(trace, at) : ({ kind: "unseen", node: name, at } as const);
      this.book.finish(packet, end);
      if (end.kind === "dropped") this.book.drop({ node: name }, end.reason);
    }
    const copies = left.map((one, i) => {
      if (i === 0) return packet;
      const copy = this.#packet(at, name, one.bytes, one.packet_size, packet);
      copy.add(hop);
      return copy;
    });
    for (const [i, one] of left.entries())
      this.#addOutput(copies[i]!, name, one, zeroNs + 1000 * one.time_us);
  }

  #addOutput(
    packet: Followed,
    name: string,
    { egress_port, bytes, packet_in }: Transmitted,
    at: number,
  ): void {
    if (packet_in) {
      this.book.finish(packet, { kind: "controller", node: name, at });
      return;
    }
    const end = this.#peers.get(placeOf(name, egress_port));
    if (end === undefined) {
      const reason = `${NO_LINK}: port ${egress_port}`;
      this.book.finish(packet, { kind: "dropped", at, node: name, reason });
      this.book.drop({ node: name }, NO_LINK);
      return;
    }
    const hop: OpenLink = packet.add({ kind: "link", link: end.link, from: name, to: end.node, departs: at });
    if (this.#hosts.has(end.node)) {
      // hosts report no traces: a packet counts as received when it is sent on the link to the host
      hop.arrives = at;
      packet.add({ kind: "receive", node: end.node, at, bytes });
      this.#showMotion(packet, end, at);
      this.book.finish(packet, { kind: "delivered", node: end.node, at });
      return;
    }
    const key = keyOf(end.node, end.port, bytes);
    const next = this.#arrivals
      .get(key)
      ?.find((one) => Math.abs(one.at - at) < ALONE_NS && one.at > at - SLACK_NS);
    this.#showMotion(packet, end, at, Math.max(at, next?.at ?? at));
    if (next === undefined) {
      const departure = { packet, hop, end, at };
      this.#departures.set(key, [...(this.#departures.get(key) ?? []), departure]);
      return;
    }
    hop.arrives = Math.max(at, next.at);
    this.#addSwitchHop(packet, next);
  }

  /** The departure from the neighbour that matches an arrival; undefined if there is none. */
  #departureTo({ name, at, trace }: Arrival): Departure | undefined {
    const key = keyOf(name, trace.input.ingress_port, trace.input.bytes);
    const all = this.#departures.get(key) ?? [];
    const found = all.find((one) => Math.abs(at - one.at) < ALONE_NS && at > one.at - SLACK_NS);
    if (found === undefined) return undefined;
    this.#keepDepartures(
      key,
      all.filter((one) => one !== found),
    );
    return found;
  }

  #keepDepartures(key: string, rest: Departure[]): void {
    if (rest.length === 0) this.#departures.delete(key);
    else this.#departures.set(key, rest);
  }

  /** Ends the packets whose next switch has reported no trace within the time limit. */
  #giveUp(now: number): void {
    for (const [key, all] of [...this.#departures]) {
      const rest = all.filter(({ at }) => now - at <= 2 * ALONE_NS);
      for (const one of all) {
        if (rest.includes(one)) continue;
        const node = one.hop.from;
        this.book.finish(one.packet, { kind: "unseen", node, at: one.at });
      }
      if (rest.length < all.length) this.#keepDepartures(key, rest);
    }
  }
}

const placeOf = (node: string, port: number): string => `${node} ${port}`;
const keyOf = (node: string, port: number, bytes: string): string => `${node} ${port} ${bytes}`;

/** The copies that left the switch, in the order of the tree. */
function transmitted({ outcome, branches = [] }: TraceTree): Transmitted[] {
  return [...(outcome.kind === "transmit" ? [outcome] : []), ...branches.flatMap(transmitted)];
}

function unfinished({ outcome, branches = [] }: TraceTree): boolean {
  return outcome.kind === "unfinished" || branches.some(unfinished);
}
