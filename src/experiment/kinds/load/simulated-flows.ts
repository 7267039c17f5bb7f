/** Opens the flows of a workload between simulated hosts, and closes them. */
import type { Random } from "../../../base/index.js";
import { SERVER } from "../../../hosts/index.js";
import type { Fabric, Stream, TransportOptions } from "../../../sim/packet/index.js";
import { drawClientPort, type FlowArrival } from "../../../traffic/index.js";
import type { FlowCounters } from "./meters/flow-meter.js";

const PROTOCOL_TCP = 6;

/** What the owner of a flow hears. */
export interface FlowEvents {
  /** The receiver has all of it, in order. */
  completed(): void;
  /** Both ends are closed: the counters do not change any more. Once, also for a flow that did not complete. */
  ended(): void;
}

/** A flow between two hosts. */
export interface RunningFlow {
  counters(): FlowCounters;
  /** Its first bytes leave. */
  start(): void;
}

/** A flow whose client waits for its server. */
interface OpenFlow {
  server: Stream | undefined;
  accept(server: Stream): void;
  close(): void;
}

export class SimulatedFlows {
  /** By what tells connections apart: see {@link keyOf}. */
  readonly #open = new Map<string, OpenFlow>();
  readonly #listening = new Set<string>();

  constructor(
    readonly fabric: Fabric,
    readonly ip: 4 | 6,
    readonly transport: TransportOptions,
    /** Each flow has a stream of its own. */
    readonly random: Random,
  ) {}

  begin(arrival: FlowArrival, events: FlowEvents): RunningFlow {
    const { source, destination, port, bytes } = arrival;
    const { fabric, ip, transport } = this;
    const [a, b] = [fabric.host(source), fabric.host(destination)];
    const random = this.random.fork(arrival.id);
    const peer = { address: b.address(ip), port };
    const clientPort = a.sourcePort(ip, this.#freePort(arrival, random), peer, random.fork("port"));
    const { subflows } = transport.protocol === "tcp" ? transport : {};
    const ports = [clientPort];
    while (subflows !== undefined && ports.length < subflows.count) {
      const free = this.#freePort(arrival, random);
      if (!ports.includes(free)) ports.push(free);
    }
    const keys = ports.map((own) => keyOf(a.address(ip), own, peer.address, port));
    let isComplete = false;
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      for (const key of keys) this.#open.delete(key);
      events.ended();
    };
    const received = (total: number) => {
      if (isComplete || total < bytes) return;
      isComplete = true;
      events.completed();
    };
    const flow: OpenFlow = {
      server: undefined,
      accept(server) {
        flow.server = server;
        server.listener = { received };
      },
      close() {
        client.close();
        flow.server?.close();
        end();
      },
    };
    for (const key of keys) this.#open.set(key, flow);
    for (const srcPort of ports) {
      const ends = { src: a.address(ip), dst: peer.address, srcPort, dstPort: port };
      fabric.flowObserver?.(arrival.id, { ...ends, protocol: PROTOCOL_TCP });
    }
    const own = random.fork("client");
    let client: Stream;
    if (transport.protocol === "tcp" && transport.handshake) {
      this.#listen(destination, port);
      client =
        subflows === undefined
          ? a.connect(ip, clientPort, peer, own, transport)
          : a.connectMultipath(ip, ports, peer, own, transport);
    } else {
      client = a.open(ip, clientPort, peer, own, transport);
      const back = { address: a.address(ip), port: clientPort };
      flow.accept(b.open(ip, port, back, random.fork("server"), transport, SERVER));
    }
    // Without a handshake there is no close either: the sender knows that the receiver has everything.
    client.listener = transport.protocol === "tcp" ? { closed: end } : { finished: () => flow.close() };
    return {
      counters: () => countersOf(client, flow.server),
      start() {
        client.send(bytes);
        if (transport.protocol === "tcp") client.finish();
      },
    };
  }

  /** Closes what is open, in the order of the arrivals. */
  closeAll(): void {
    for (const flow of new Set(this.#open.values())) flow.close();
  }

  #freePort({ source, destination, port }: FlowArrival, random: Random): number {
    const [from, to] = [source, destination].map((node) => this.fabric.host(node).address(this.ip)) as [
      bigint,
      bigint,
    ];
    for (;;) {
      const drawn = drawClientPort(random);
      if (!this.#open.has(keyOf(from, drawn, to, port))) return drawn;
    }
  }

  #listen(node: number, port: number): void {
    const place = `${node} ${port}`;
    if (this.#listening.has(place) || this.transport.protocol !== "tcp") return;
    this.#listening.add(place);
    const host = this.fabric.host(node);
    const accept = (server: Stream) => {
      const { src, dst, srcPort, dstPort } = server.flow;
      // A client that was closed in the meantime has nobody who waits for its server.
      const flow = this.#open.get(keyOf(dst, dstPort, src, srcPort));
      if (flow === undefined) server.close();
      else flow.accept(server);
    };
    host.listen(port, this.transport, accept, this.random.fork(place));
  }
}

function keyOf(client: bigint, clientPort: number, server: bigint, port: number): string {
  return `${client} ${clientPort} ${server} ${port}`;
}

function countersOf(client: Stream, server: Stream | undefined): FlowCounters {
  const { segmentsSent, retransmissions, timeouts, fastRetransmits } = client.counters;
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
  };
}
