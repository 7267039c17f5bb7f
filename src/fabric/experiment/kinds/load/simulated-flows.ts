/** Opens the flows of a workload between simulated hosts, and closes them. */

import { fromBytes, given, type Random } from "../../../../base/index.js";
import { PROTOCOL_TCP, PROTOCOL_UDP } from "../../../../base/packets/index.js";
import { CLIENT, type ConnectionEnd, type FlowAssignment, SERVER } from "../../../hosts/index.js";
import {
  type Fabric,
  NS_PER_S,
  type Simulation,
  type Stream,
  type TransportOptions,
  type UdpOptions,
  type UdpReceiver,
  type UdpSender,
} from "../../../sim/packet/index.js";
import { drawClientPort, type FlowArrival, type Workload } from "../../../traffic/index.js";
import type { SchemeRun } from "../../experiment.js";
import type { FlowCounters } from "./meters/flow-meter.js";

/** A flow whose client waits for its server: a stream, or the receiver of datagrams. */
interface OpenFlow<S> {
  accept(server: S): void;
  close(): void;
}

interface FlowSettings {
  readonly ip: 4 | 6;
  readonly transport: TransportOptions;
  /** Each flow has a stream of its own. */
  readonly random: Random;
  /** Assignments of a planner, by the number of the flow. */
  readonly assignments: ReadonlyMap<number, FlowAssignment> | undefined;
  /** Whether flows count the times for which their new data are held back, and are silent. */
  readonly countsHolds: boolean;
}

export class SimulatedFlows {
  /** By the key that identifies a connection: see {@link keyOf}. */
  readonly #open = new Map<string, OpenFlow<never>>();
  readonly #listening = new Set<string>();

  readonly ip: 4 | 6;
  readonly transport: TransportOptions;
  readonly random: Random;
  readonly assignments: ReadonlyMap<number, FlowAssignment> | undefined;
  readonly countsHolds: boolean;

  constructor(
    readonly fabric: Fabric,
    { ip, transport, random, assignments, countsHolds }: FlowSettings,
  ) {
    this.ip = ip;
    this.transport = transport;
    this.random = random;
    this.assignments = assignments;
    this.countsHolds = countsHolds;
  }

  begin(arrival: FlowArrival, events: FlowEvents): RunningFlow {
    return arrival.protocol === "udp"
      ? this.#beginDatagrams(arrival, events)
      : this.#beginStream(arrival, events);
  }

  /** Closes the open flows, in the order of their arrivals. */
  closeAll(): void {
    for (const flow of new Set(this.#open.values())) flow.close();
  }

  #beginStream(arrival: FlowArrival, events: FlowEvents): RunningFlow {
    const { source, destination, port, bytes, rateBps } = arrival;
    const { fabric, ip, transport } = this;
    const [a, b] = [fabric.host(source), fabric.host(destination)];
    const peer = { address: b.address(ip), port };
    const random = this.random.fork(arrival.id);
    const { count: subflows, ports: portsOf = "own" } = (transport.protocol === "tcp"
      ? transport.subflows
      : undefined) ?? { count: 1 };
    let isComplete = false;
    let server: Stream | undefined;
    const flow: OpenFlow<Stream> = {
      accept(accepted) {
        server = accepted;
        server.listener = {
          received(total) {
            if (isComplete || total < bytes) return;
            isComplete = true;
            events.completed();
          },
        };
      },
      close() {
        client.close();
        server?.close();
        end();
      },
    };
    const taken = this.#takePorts(arrival, random, flow, portsOf === "shared" ? 1 : subflows);
    const { release } = taken;
    const ports = portsOf === "shared" ? new Array<number>(subflows).fill(taken.ports[0]!) : taken.ports;
    this.#reportOpened(arrival, ports[0]!, transport.protocol === "messages" ? PROTOCOL_UDP : PROTOCOL_TCP);
    let stopWriting = (): void => {};
    const end = once(() => {
      stopWriting();
      release();
      events.ended();
    });
    const own = random.fork("client");
    const opener = this.#client(arrival);
    let client: Stream;
    if (transport.protocol === "tcp" && transport.handshake) {
      this.#listen(destination, port);
      client =
        subflows > 1
          ? a.connectMultipath(ip, ports, peer, own, transport, bytes)
          : a.connect(ip, ports[0]!, peer, own, transport, opener);
    } else {
      client = a.open(ip, ports[0]!, peer, own, transport, opener);
      const back = { address: a.address(ip), port: ports[0]! };
      flow.accept(b.open(ip, port, back, random.fork("server"), transport, SERVER));
    }
    // Without a handshake there is no close either: the sender sees that the receiver has all data.
    const timedOut = () => this.fabric.events.flowTimedOut(arrival.id);
    client.listener =
      transport.protocol === "tcp" ? { closed: end, timedOut } : { finished: () => flow.close(), timedOut };
    return {
      client,
      counters: () => countersOf(client, server, this.countsHolds),
      start() {
        if (rateBps !== undefined) {
          const { segmentBytes } = transport;
          stopWriting = writePaced(fabric.network.simulation, client, { bytes, rateBps, segmentBytes });
          return;
        }
        client.send(bytes);
        if (transport.protocol === "tcp") client.finish();
      },
    };
  }

  #beginDatagrams(arrival: FlowArrival, events: FlowEvents): RunningFlow {
    const { source, destination, port } = arrival;
    const { fabric, ip } = this;
    const [a, b] = [fabric.host(source), fabric.host(destination)];
    const peer = { address: b.address(ip), port };
    const random = this.random.fork(arrival.id);
    const { segmentBytes } = this.transport;
    const flow = simulatedDatagrams(
      arrival,
      segmentBytes,
      events,
      () => release(),
      (options) => a.sendUdp(ip, ports[0]!, peer, random.fork("client"), options, this.#client(arrival)),
    );
    const { ports, release } = this.#takePorts(arrival, random, flow, 1);
    this.#reportOpened(arrival, ports[0]!, PROTOCOL_UDP);
    this.#listenDatagrams(destination, port);
    return flow;
  }

  /** Reports a flow before its first packet; of subflows only the first. */
  #reportOpened(
    { id, source, destination, port, bytes }: FlowArrival,
    clientPort: number,
    protocol: number,
  ): void {
    const [src, dst] = [source, destination].map((node) => this.fabric.host(node).address(this.ip)) as [
      bigint,
      bigint,
    ];
    this.fabric.events.flowOpened(id, { src, dst, srcPort: clientPort, dstPort: port, protocol }, bytes);
  }

  /** The client of a flow without subflows. */
  #client({ id, bytes }: FlowArrival): ConnectionEnd {
    const assignment = this.assignments?.get(id);
    return { ...CLIENT, bytes, ...given({ assignment }) };
  }

  /** Takes client ports that no open flow between the same ends has. Until `release`, the server's connections find the flow by them. */
  #takePorts<S>(
    arrival: FlowArrival,
    random: Random,
    flow: OpenFlow<S>,
    subflows: number,
  ): { readonly ports: readonly number[]; release(): void } {
    const { source, destination, port, protocol } = arrival;
    const host = this.fabric.host(source);
    const peer = { address: this.fabric.host(destination).address(this.ip), port };
    const keys: string[] = [];
    const ports = Array.from({ length: subflows }, (_, subflow) => {
      const keyWith = (clientPort: number) =>
        keyOf(protocol, host.address(this.ip), clientPort, peer.address, port);
      let drawn = drawClientPort(random);
      while (this.#open.has(keyWith(drawn)) || !host.isFree(this.ip, drawn, peer))
        drawn = drawClientPort(random);
      const end: ConnectionEnd =
        subflows === 1 ? this.#client(arrival) : { role: "client", subflow, subflows };
      const chosen = host.sourcePort(this.ip, drawn, peer, random.fork(`port ${subflow}`), end);
      // A policy may choose the port of an open flow: this flow then keeps the drawn port.
      const own = this.#open.has(keyWith(chosen)) ? drawn : chosen;
      keys.push(keyWith(own));
      this.#open.set(keyWith(own), flow as OpenFlow<never>);
      return own;
    });
    return {
      ports,
      release: () => {
        for (const key of keys) this.#open.delete(key);
      },
    };
  }

  #listen(node: number, port: number): void {
    const { transport } = this;
    if (!this.#isFirst(`tcp ${node} ${port}`) || transport.protocol !== "tcp") return;
    const accept = (server: Stream) => {
      const { src, dst, srcPort, dstPort } = server.flow;
      const flow = this.#open.get(keyOf("tcp", dst, dstPort, src, srcPort)) as OpenFlow<Stream> | undefined;
      // The client was closed in the meantime, so nothing uses the server's connection.
      if (flow === undefined) server.close();
      else flow.accept(server);
    };
    this.fabric.host(node).listen(port, transport, accept, this.random.fork(`${node} ${port}`));
  }

  #listenDatagrams(node: number, port: number): void {
    if (!this.#isFirst(`udp ${node} ${port}`)) return;
    const host = this.fabric.host(node);
    host.listenUdp(port, (receiver) => {
      const key = keyOf("udp", fromBytes(receiver.peer), receiver.peerPort, host.address(this.ip), port);
      const flow = this.#open.get(key) as OpenFlow<typeof receiver> | undefined;
      if (flow === undefined) receiver.close();
      else flow.accept(receiver);
    });
  }

  #isFirst(place: string): boolean {
    if (this.#listening.has(place)) return false;
    this.#listening.add(place);
    return true;
  }
}

function keyOf(protocol: string, client: bigint, clientPort: number, server: bigint, port: number): string {
  return `${protocol} ${client} ${clientPort} ${server} ${port}`;
}

function once(fn: () => void): () => void {
  let called = false;
  return () => {
    if (called) return;
    called = true;
    fn();
  };
}

function countersOf(client: Stream, server: Stream | undefined, countsHolds: boolean): FlowCounters {
  const { segmentsSent, retransmissions, timeouts, fastRetransmits, heldNs, longestSilenceNs } =
    client.counters;
  const { reordered = 0, maxReorderingBytes = 0, marked = 0 } = server?.counters ?? {};
  return {
    delivered: server?.bytesReceived ?? 0,
    segmentsSent,
    retransmissions,
    timeouts,
    fastRetransmits,
    reordered,
    maxReorderingBytes,
    marked,
    ...given({ repaths: client.repaths }),
    ...(countsHolds ? { heldNs, longestSilenceNs } : {}),
  };
}

/** Events for the owner of a flow. */
export interface FlowEvents {
  /** The receiver has all data in order. */
  completed(): void;
  /** Both ends are closed: the counters do not change any more. Called once, also for a flow that did not complete. */
  ended(): void;
}

/** A flow between two hosts. */
export interface RunningFlow {
  counters(): FlowCounters;
  /** Sends the first bytes. */
  start(): void;
  /** The sender's end of a stream. */
  readonly client?: Stream;
}

/** @param release called when the flow has ended @param send starts the sender */
function simulatedDatagrams(
  { bytes, rateBps }: FlowArrival,
  segmentBytes: number,
  events: FlowEvents,
  release: () => void,
  send: (options: UdpOptions) => UdpSender,
): RunningFlow & { accept(receiver: UdpReceiver): void; close(): void } {
  let sender: UdpSender | undefined;
  let receiver: UdpReceiver | undefined;
  let isOver = false;
  const close = () => {
    if (isOver) return;
    isOver = true;
    sender?.close();
    receiver?.close();
    release();
    events.ended();
  };
  return {
    accept(accepted) {
      receiver = accepted;
      accepted.onReceived = () => {
        if (!accepted.isComplete) return;
        events.completed();
        close();
      };
    },
    close,
    start() {
      sender = send({ segmentBytes, rateBps: rateBps!, bytes });
    },
    counters: () => ({
      delivered: receiver?.bytes ?? 0,
      segmentsSent: sender?.datagramsSent ?? 0,
      reordered: receiver?.reordered ?? 0,
      maxReorderingBytes: (receiver?.maxReordering ?? 0) * segmentBytes,
      marked: receiver?.marked ?? 0,
    }),
  };
}

export interface PacedWrites {
  readonly bytes: number;
  /** Bits of payload per second. */
  readonly rateBps: number;
  readonly segmentBytes: number;
}

/**
 * Writes the first segment now, each further one at its time, and closes the stream after the last. Data that the
 * stream cannot send yet wait in it, so a slow stream may catch up. Returns a function that stops the writes.
 */
export function writePaced(
  simulation: Simulation,
  stream: Pick<Stream, "send" | "finish">,
  { bytes, rateBps, segmentBytes }: PacedWrites,
): () => void {
  const start = simulation.now;
  let written = 0;
  let cancel = (): void => {};
  const write = (): void => {
    const size = Math.min(segmentBytes, bytes - written);
    written += size;
    stream.send(size);
    if (written === bytes) stream.finish();
    else cancel = simulation.at(start + Math.ceil((8 * written * NS_PER_S) / rateBps), write);
  };
  write();
  return () => cancel();
}

const PROTOCOLS = { tcp: 6, udp: 17 } as const;

/** Assignments by the number of the flow; undefined where the scheme plans none. */
export function assignmentsOf(
  { assign }: Pick<SchemeRun, "assign">,
  version: 4 | 6,
  /** Of streams: TCP, or the UDP datagrams of the message transport. */
  streams: "tcp" | "udp",
  workload: () => Workload,
): ReadonlyMap<number, FlowAssignment> | undefined {
  if (assign === undefined) return undefined;
  const flows: FlowArrival[] = [];
  const all = workload();
  for (let flow = all.next(); flow !== undefined; flow = all.next()) flows.push(flow);
  const assigned = assign(
    flows.map(({ source, destination, protocol, port, bytes }) => ({
      source,
      destination,
      version,
      protocol: PROTOCOLS[protocol === "tcp" ? streams : protocol],
      destinationPort: port,
      bytes,
    })),
  );
  return new Map(flows.map(({ id }, i) => [id, assigned[i]!]));
}
