/**
 * Records what happens on a fabric of the simulator for its timeline page. It only observes: the run is the same without it.
 */
import { given } from "../../../../base/index.js";
import { PROTOCOL_TCP } from "../../../../base/packets/index.js";
import type { DeviceEvent } from "../../../../toolchain/device/index.js";
import {
  type Channel,
  type ControlAct,
  type ControlChannel,
  type Fabric,
  type FabricObserver,
  type FabricPlace,
  NS_PER_S,
  SwitchNode,
  wireBytes,
} from "../../../sim/packet/index.js";
import { hostsOf } from "../../../topology/index.js";
import { alignBins, Bins, EventLog, updatesText } from "./event-log.js";
import { type DirectionEnds, FlowPath, FlowTable, type OpenFlow, segmentData } from "./flow-table.js";
import { layout, type RecordedFault, type RecordedQueue, type RunRecord } from "./record.js";

/** Number of values of all bins together, which limits the size of the page. */
const MAX_VALUES = 1_200_000;
const [LEAST_BINS, MOST_BINS] = [64, 1024];
/** Maximum number of flows that are recorded one by one. */
const MAX_FLOWS = 20_000;

type DropReasons = SwitchNode["device"]["stats"]["drops"];

/** Names of a switch's drop counters on the page. */
const REASONS: Readonly<Record<keyof DropReasons, string>> = {
  ingress: "dropped by the program (ingress)",
  egress: "dropped by the program (egress)",
  replication: "no such multicast group or clone session",
  queue: "output queue full",
  port: "port down or absent",
  program: "no program",
  assertion: "assertion failed",
  loop: "endless loop",
};

export interface RecorderOptions {
  readonly title: string;
  readonly scheme: string;
  readonly seed: number;
  /** Those of the controllers, by node index. */
  readonly channels?: ReadonlyMap<number, Readonly<Record<string, ControlChannel>>>;
}

export class FabricRecorder {
  readonly #fabric: Fabric;
  readonly #options: RecorderOptions;
  readonly #stops: (() => void)[] = [];
  readonly #bins: number;
  readonly #hostAt: ReadonlyMap<bigint, number>;
  readonly #ends: DirectionEnds;
  /** By node index: index of a switch's first queue among all queues, and its counters at the last reading. */
  readonly #queueBase = new Map<number, number>();
  readonly #lastDrops = new Map<number, DropReasons>();
  #origin = 0;
  #end: number | undefined;
  #use!: Bins;
  #queueBins!: Bins;
  #queued!: Float64Array;
  #queuedSince!: Float64Array;
  #events!: EventLog;
  #flows!: OpenFlow[];
  #table!: FlowTable;
  /** Open flows by their numbers. */
  #open!: Map<number, OpenFlow>;
  #flowsLeftOut = 0;
  #faults!: Map<string, RecordedFault & { to: number | undefined }>;
  #pastFaults!: RecordedFault[];
  /** Switches that did something at {@link #touchedAt}: their drop counters are read when time advances. */
  readonly #touched = new Set<number>();
  #touchedAt = 0;

  constructor(fabric: Fabric, options: RecorderOptions) {
    this.#fabric = fabric;
    this.#options = options;
    const { topology } = fabric;
    let queues = 0;
    for (const [index, node] of fabric.nodes.entries()) {
      if (!(node instanceof SwitchNode)) continue;
      this.#queueBase.set(index, queues);
      queues += topology.nodes[index]!.ports.length;
    }
    const values = 2 * topology.links.length + queues;
    const bins = Math.min(MOST_BINS, Math.max(LEAST_BINS, Math.floor(MAX_VALUES / values)));
    this.#bins = bins - (bins % 2);
    this.#hostAt = new Map(
      hostsOf(topology).flatMap(({ index, host }) => [
        [host!.ipv4, index],
        [host!.ipv6, index],
      ]),
    );
    const ends = topology.links.flatMap(({ a, b }) => [a.node, b.node]);
    this.#ends = { from: (direction) => ends[direction]!, to: (direction) => ends[direction ^ 1]! };
    this.#reset();
    this.#listen();
  }

  /** Ends the observation, and returns the record. */
  close(): RunRecord {
    for (const stop of this.#stops.splice(0)) stop();
    const end = Math.max(1, this.#end ?? this.#now);
    this.#settle(Number.POSITIVE_INFINITY);
    const { topology } = this.#fabric;
    alignBins([this.#use, this.#queueBins, this.#events.bins], end);
    const use = Array.from({ length: 2 * topology.links.length }, (_, direction) => {
      const busy = this.#use.of(direction, end);
      if (busy.every((value) => value === 0)) return undefined;
      return busy.map((ns, bin) => Math.min(1, ns / Math.min(this.#use.binNs, end - bin * this.#use.binNs)));
    });
    const counts = this.#events.counts(end);
    return {
      title: this.#options.title,
      scheme: this.#options.scheme,
      engine: "sim",
      seed: this.#options.seed,
      end,
      nodes: layout(topology),
      links: topology.links.map(({ a, b, rateBps }) => ({ a: a.node, b: b.node, rateBps })),
      binNs: this.#use.binNs,
      bins: Math.ceil(end / this.#use.binNs),
      use,
      queues: this.#queues(end),
      flows: this.#flows.map((flow) => ({
        number: flow.number,
        from: flow.from,
        to: flow.to,
        start: flow.start,
        end: flow.end,
        bytes: flow.bytes,
        timeouts: flow.timeouts,
        retransmissions: flow.retransmissions,
        moves: flow.path.moves,
        paths: flow.path.paths,
      })),
      faults: [...this.#pastFaults, ...this.#faults.values()].sort((a, b) => a.from - b.from),
      events: this.#events.listed(),
      counts,
      notes: [
        ...this.#events.notes(),
        ...(this.#flowsLeftOut === 0
          ? []
          : [
              `The first ${MAX_FLOWS} flows are recorded one by one; ${this.#flowsLeftOut} later ones are in links and queues alone.`,
            ]),
      ],
    };
  }

  get #now(): number {
    return this.#fabric.network.simulation.now - this.#origin;
  }

  get #recording(): boolean {
    return this.#end === undefined;
  }

  #reset(): void {
    this.#origin = this.#fabric.network.simulation.now;
    this.#use = new Bins(2 * this.#fabric.topology.links.length, this.#bins, "sum");
    const ports = [...this.#queueBase.keys()].reduce(
      (sum, node) => sum + this.#fabric.topology.nodes[node]!.ports.length,
      0,
    );
    this.#queueBins = new Bins(ports, this.#bins, "max");
    this.#queued = new Float64Array(ports);
    this.#queuedSince = new Float64Array(ports);
    this.#events = new EventLog(this.#bins);
    this.#flowsLeftOut = 0;
    this.#touched.clear();
    this.#touchedAt = 0;
    this.#flows = [];
    this.#table = new FlowTable();
    this.#open = new Map();
    this.#faults = new Map();
    this.#pastFaults = [];
    for (const [index, node] of this.#fabric.nodes.entries())
      if (node instanceof SwitchNode) this.#lastDrops.set(index, { ...node.device.stats.drops });
  }

  #listen(): void {
    const { topology, nodes, events } = this.#fabric;
    for (const { index } of topology.links) {
      const { aToB, bToA } = this.#fabric.link(index);
      this.#listenTo(aToB, 2 * index);
      this.#listenTo(bToA, 2 * index + 1);
    }
    for (const [index, node] of nodes.entries()) {
      if (!(node instanceof SwitchNode)) continue;
      const base = this.#queueBase.get(index)! - 1;
      const ports = topology.nodes[index]!.ports.length;
      this.#stops.push(
        node.watchQueues((port, _packets, bytes) => {
          if (port > ports || !this.#recording) return;
          this.#touch(index);
          this.#queueChanged(base + port, bytes);
        }),
      );
    }
    for (const [node, channels] of this.#options.channels ?? [])
      for (const channel of Object.values(channels)) {
        channel.observer = (act) => this.#controlled(node, act);
        this.#stops.push(() => {
          channel.observer = undefined;
        });
      }
    this.#stops.push(events.observe(this.#observer()));
  }

  #listenTo(channel: Channel, direction: number): void {
    const [from, to] = [this.#ends.from(direction), this.#ends.to(direction)];
    const { delay } = channel.options;
    const isSwitch = this.#queueBase.has(to);
    const isHost = !this.#queueBase.has(from);
    const stop = channel.tap({
      ...given({ sent: isHost ? (frame: Uint8Array) => this.#sentByHost(frame, from) : undefined }),
      arrived: (frame) => {
        if (!this.#recording) return;
        const now = this.#now;
        if (isSwitch) this.#touch(to);
        const left = Math.max(0, now - delay);
        const time = this.#wireTime(direction, frame.length);
        this.#use.add(direction, Math.max(0, left - time), left, time);
        const flow = this.#table.find(frame);
        if (flow === undefined) return;
        const node = flow.path.arrived(direction, now);
        if (node === undefined) return;
        const text = `another path from ${this.#name(node)}`;
        this.#events.add({ at: now, kind: "path", text, node, flow: flow.index });
      },
      lost: (frame, why) => {
        if (!this.#recording) return;
        const flow = this.#table.find(frame)?.index;
        const where = `${this.#name(from)} > ${this.#name(to)}`;
        const text = why === "fault" ? `lost by a fault on ${where}` : `no space in the queue of ${where}`;
        this.#drop({ text, link: direction >> 1, ...given({ flow }) }, 1);
      },
    });
    this.#stops.push(stop);
  }

  /** Nanoseconds for which a frame keeps the sending end busy: switches may have a rate in packets. */
  #wireTime(direction: number, bytes: number): number {
    const { rateBps, ratePps } = this.#fabric.topology.links[direction >> 1]!;
    const counted = ratePps !== undefined && this.#queueBase.has(this.#ends.from(direction));
    return counted ? NS_PER_S / ratePps : (8 * wireBytes(this.#fabric.wire, bytes) * NS_PER_S) / rateBps;
  }

  /** Counts data that the host has sent before as retransmissions. */
  #sentByHost(frame: Uint8Array, host: number): void {
    if (!this.#recording) return;
    const flow = this.#table.find(frame);
    if (flow === undefined || flow.from !== host || this.#table.fields.protocol !== PROTOCOL_TCP) return;
    const { sequence, length } = segmentData(frame, this.#table.fields);
    if (length <= 0) return;
    const end = (sequence + length) | 0;
    if (flow.highest === undefined || ((end - flow.highest) | 0) > 0) {
      flow.highest = end;
      return;
    }
    flow.retransmissions++;
    const event = {
      at: this.#now,
      kind: "retransmission",
      text: "data sent again",
      flow: flow.index,
    } as const;
    this.#events.addJoined(event, this.#use.binNs);
  }

  #queueChanged(queue: number, bytes: number): void {
    const now = this.#now;
    const before = this.#queued[queue]!;
    if (before > 0) this.#queueBins.raise(queue, this.#queuedSince[queue]!, now, before);
    this.#queued[queue] = bytes;
    this.#queuedSince[queue] = now;
    if (bytes > 0) this.#queueBins.raise(queue, now, now, bytes);
  }

  #queues(end: number): RecordedQueue[] {
    const { topology } = this.#fabric;
    return [...this.#queueBase].flatMap(([node, base]) =>
      topology.nodes[node]!.ports.flatMap(({ number, link }): RecordedQueue[] => {
        const queue = base + number - 1;
        const waiting = this.#queued[queue]!;
        if (waiting > 0) this.#queueBins.raise(queue, this.#queuedSince[queue]!, end - 1, waiting);
        const bytes = this.#queueBins.of(queue, end);
        if (bytes.every((value) => value === 0)) return [];
        const direction = 2 * link + (topology.links[link]!.a.node === node ? 0 : 1);
        return [{ node, port: number, direction, bytes }];
      }),
    );
  }

  /** A switch does something now: its drops at this time are found when time advances. */
  #touch(node: number): void {
    const now = this.#now;
    if (now > this.#touchedAt) this.#settle(now);
    this.#touchedAt = now;
    this.#touched.add(node);
  }

  #settle(now: number): void {
    if (now <= this.#touchedAt) return;
    for (const node of this.#touched) this.#countDrops(node);
    this.#touched.clear();
  }

  #countDrops(index: number): void {
    const { drops } = (this.#fabric.nodes[index] as SwitchNode).device.stats;
    const last = this.#lastDrops.get(index)!;
    for (const reason of Object.keys(REASONS) as (keyof DropReasons)[]) {
      const count = drops[reason] - last[reason];
      if (count === 0) continue;
      last[reason] = drops[reason];
      this.#drop({ text: `${this.#name(index)}: ${REASONS[reason]}`, node: index }, count, this.#touchedAt);
    }
  }

  #drop(
    event: { readonly text: string; readonly node?: number; readonly link?: number; readonly flow?: number },
    count: number,
    at = this.#now,
  ): void {
    this.#events.addJoined({ at, kind: "drop", ...event, count }, this.#use.binNs);
  }

  #controlled(node: number, act: ControlAct): void {
    if (!this.#recording) return;
    const at = this.#now;
    if (act.kind === "write") {
      const { updates } = act;
      this.#events.add({ at, kind: "write", text: `${this.#name(node)}: ${updatesText(updates)}`, node });
    } else if (act.kind === "packet-out") {
      const text = `${this.#name(node)}: packet-out`;
      this.#events.addJoined({ at, kind: "packet-out", text, node }, this.#use.binNs);
    } else this.#deviceEvent(node, act.event, at);
  }

  #deviceEvent(node: number, event: DeviceEvent, at: number): void {
    if (event.kind !== "packetIn" && event.kind !== "digest") return;
    const kind = event.kind === "digest" ? "digest" : "packet-in";
    this.#events.addJoined({ at, kind, text: `${this.#name(node)}: ${kind}`, node }, this.#use.binNs);
  }

  #observer(): FabricObserver {
    return {
      began: () => this.#reset(),
      ended: () => {
        this.#end = this.#now;
      },
      flowOpened: (number, key, bytes) => {
        if (this.#flows.length >= MAX_FLOWS) {
          this.#flowsLeftOut++;
          return;
        }
        const [from, to] = [this.#hostAt.get(key.src)!, this.#hostAt.get(key.dst)!];
        const flow: OpenFlow = {
          ...{ index: this.#flows.length, number, from, to, bytes, start: this.#now, end: undefined },
          ...{ path: new FlowPath(this.#ends, to), timeouts: 0, retransmissions: 0, highest: undefined },
        };
        this.#flows.push(flow);
        this.#open.set(number, flow);
        this.#table.add(key, this.#fabric.topology.nodes[from]!.host!.ipv4 === key.src, flow);
      },
      flowTimedOut: (number) => {
        const flow = this.#open.get(number);
        if (flow === undefined) return;
        flow.timeouts++;
        const text = "retransmission timeout";
        this.#events.add({ at: this.#now, kind: "timeout", text, flow: flow.index });
      },
      flowCompleted: (number) => {
        const flow = this.#open.get(number);
        if (flow !== undefined) flow.end ??= this.#now;
      },
      faultBegan: (name, text, place) => this.#fault(name, text, place, true),
      faultEnded: (name, text, place) => this.#fault(name, text, place, false),
      ordered: (text) => this.#events.add({ at: this.#now, kind: "order", text }),
    };
  }

  #fault(name: string, text: string, place: FabricPlace, begins: boolean): void {
    if (!this.#recording) return;
    const at = this.#now;
    this.#events.add({ at, kind: begins ? "fault" : "repair", text, ...place });
    const before = this.#faults.get(name);
    if (before !== undefined) {
      before.to = at;
      this.#faults.delete(name);
      this.#pastFaults.push(before);
    }
    if (begins) this.#faults.set(name, { text, from: at, to: undefined, ...place });
  }

  #name(node: number): string {
    return this.#fabric.topology.nodes[node]!.name;
  }
}
