/** A ping, a UDP flow or a TCP flow between two simulated hosts, with its figures. */
import { fail, given, type Random } from "../../../base/index.js";
import { ipv4Text } from "../../../base/packets/index.js";
import {
  CONGESTION_CONTROLS,
  type CongestionControlName,
  NS_PER_MS,
  NS_PER_S,
  type Ping,
  type StackHost,
  type Stream,
  type TcpOptions,
  type UdpReceiver,
  type UdpSender,
} from "../../../fabric/sim/packet/index.js";
import { CODES } from "../codes.js";
import { flowKeyOf } from "../follow/describe.js";
import type { LabNetwork } from "../network.js";
import type { FlowPoint, FlowView, Traffic } from "../protocol.js";
import type { Servers } from "./servers.js";

/** Maximum number of points in a view. */
const MAX_POINTS = 300;
const SEGMENT_BYTES = 1448;

/** Options as in Linux, without timestamps; reordering window and delayed acknowledgements as in the load experiments. */
function tcpOptions(congestionControl: CongestionControlName): TcpOptions {
  return {
    protocol: "tcp",
    segmentBytes: SEGMENT_BYTES,
    congestionControl: CONGESTION_CONTROLS[congestionControl],
    initialWindow: 10,
    receiveBuffer: 4_000_000,
    delayedAck: { segments: 2, timeout: 40 * NS_PER_MS },
    ecn: congestionControl === "dctcp" ? "accurate" : "off",
    sack: true,
    rack: true,
    reordering: false,
    handshake: true,
    timeWait: NS_PER_S,
    userTimeout: 100 * NS_PER_S,
    margin: 5 * NS_PER_MS,
    floor: 200 * NS_PER_MS,
    cap: 120 * NS_PER_S,
    initial: NS_PER_S,
  };
}

interface FlowContext {
  readonly lab: LabNetwork;
  readonly random: Random;
  readonly servers: Servers;
  /** Registers the keys of the packets that the flow will send; see `describeFrame`. */
  register(keys: readonly string[]): void;
  /** Prints a line on the console of the sending host. */
  print?: (text: string) => void;
  ended(flow: Flow): void;
}

/** The counters of a flow. */
interface Counts {
  sentPackets: number;
  receivedPackets: number;
  receivedBytes: number;
  retransmissions?: number;
  rttsNs?: readonly number[];
  smoothedRttNs?: number | undefined;
}

/** What differs between flows of pings, UDP and TCP. */
interface FlowParts {
  readonly label: string;
  /** The keys of its packets: see `describeFrame`. */
  readonly keys: readonly string[];
  counts(): Counts;
  halt(): void;
}

export class Flow {
  readonly startedAt: number;
  #state: FlowView["state"] = "running";
  #endedAt: number | undefined;
  #points: FlowPoint[] = [];
  #sampledAt: number;
  #sampledBytes = 0;
  #dirty = true;

  constructor(
    readonly id: number,
    readonly traffic: Traffic,
    readonly context: FlowContext,
    readonly parts: FlowParts,
  ) {
    this.startedAt = context.lab.simulation.now;
    this.#sampledAt = this.startedAt;
  }

  get isRunning(): boolean {
    return this.#state === "running";
  }

  end(state: "completed" | "stopped" | "failed"): void {
    if (!this.isRunning) return;
    this.sample();
    this.#state = state;
    this.#endedAt = this.context.lab.simulation.now;
    this.#dirty = true;
    this.context.ended(this);
  }

  stop(): void {
    if (!this.isRunning) return;
    this.parts.halt();
    this.end("stopped");
  }

  /** Adds a point for the time since the last one, if any has passed. */
  sample(): void {
    const { now } = this.context.lab.simulation;
    const passed = now - this.#sampledAt;
    if (!this.isRunning || passed <= 0) return;
    const { receivedBytes, smoothedRttNs } = this.parts.counts();
    // of a period without data, the first and the last point are enough
    const isQuiet = [this.#points.at(-1), this.#points.at(-2)].every((point) => point?.bitsPerSecond === 0);
    if (receivedBytes === this.#sampledBytes && isQuiet) this.#points.pop();
    else this.#dirty = true;
    this.#points.push({
      at: now,
      bitsPerSecond: ((receivedBytes - this.#sampledBytes) * 8e9) / passed,
      ...given({ rttNs: smoothedRttNs }),
    });
    if (this.#points.length > MAX_POINTS) this.#points.shift();
    this.#sampledAt = now;
    this.#sampledBytes = receivedBytes;
  }

  /** The view with the points since the last call, if anything is new. */
  news(): FlowView | undefined {
    if (!this.#dirty) return undefined;
    this.#dirty = false;
    return { ...this.view, points: this.#points.slice(-1) };
  }

  get view(): FlowView {
    const { id, traffic, startedAt } = this;
    const { label } = this.parts;
    const { sentPackets, receivedPackets, receivedBytes, retransmissions, rttsNs = [] } = this.parts.counts();
    const endedAt = this.#endedAt;
    const sum = rttsNs.reduce((total, rtt) => total + rtt, 0);
    return {
      id,
      kind: traffic.kind,
      from: traffic.from,
      to: traffic.to,
      label,
      state: this.#state,
      startedAt,
      ...given({ endedAt }),
      ...(this.#state === "completed" && traffic.kind !== "ping" ? { fctNs: endedAt! - startedAt } : {}),
      sentPackets,
      receivedPackets,
      receivedBytes,
      ...given({ retransmissions }),
      ...(rttsNs.length === 0
        ? {}
        : { rttNs: { min: Math.min(...rttsNs), mean: sum / rttsNs.length, max: Math.max(...rttsNs) } }),
      points: this.#points,
    };
  }
}

/** How long the last echo request waits for its reply: longer than three ARP requests take. */
const PING_TIMEOUT_NS = 4 * NS_PER_S;

export function startPing(
  id: number,
  traffic: Extract<Traffic, { kind: "ping" }>,
  context: FlowContext,
): Flow {
  const { lab, print } = context;
  const host = lab.host(traffic.from);
  const to = lab.addressOf(traffic.to);
  const { count, intervalNs, bytes, ttl } = traffic;
  const target = ipv4Text(to);
  const flow = { current: undefined as Flow | undefined };
  print?.(`PING ${traffic.to} (${target}) ${bytes} bytes of data.`);
  const ping: Ping = host.ping(
    { to, count, intervalNs, bytes, ttl, timeoutNs: PING_TIMEOUT_NS },
    {
      replied: (sequence, rttNs, replyTtl) =>
        print?.(
          `${bytes + 8} bytes from ${target}: icmp_seq=${sequence} ttl=${replyTtl} time=${milliseconds(rttNs)} ms`,
        ),
      refused: (sequence, why, by) => print?.(`From ${ipv4Text(by)}: icmp_seq=${sequence} ${why}`),
      ended: () => {
        print?.(pingSummary(ping, traffic.to));
        flow.current?.end(ping.received > 0 ? "completed" : "failed");
      },
    },
  );
  const keys = [flowKeyOf(`icmp ${ping.identifier}`, ipv4Text(host.options.ipv4), target)];
  context.register(keys);
  flow.current = new Flow(id, traffic, context, {
    label: `ping ${traffic.from} → ${traffic.to}`,
    keys,
    counts: () => ({
      sentPackets: ping.sent,
      receivedPackets: ping.received,
      receivedBytes: ping.received * bytes,
      rttsNs: ping.rttsNs,
    }),
    halt: () => ping.stop(),
  });
  return flow.current;
}

function pingSummary({ sent, received, refused, rttsNs }: Ping, to: string): string {
  const loss = Math.round((100 * (sent - received)) / Math.max(1, sent));
  const errors = refused === 0 ? "" : `, +${refused} errors`;
  const head = `--- ${to} ping statistics ---\n${sent} packets transmitted, ${received} received${errors}, ${loss}% packet loss`;
  if (rttsNs.length === 0) return head;
  const mean = rttsNs.reduce((sum, rtt) => sum + rtt, 0) / rttsNs.length;
  const figures = [Math.min(...rttsNs), mean, Math.max(...rttsNs)].map(milliseconds).join("/");
  return `${head}\nrtt min/avg/max = ${figures} ms`;
}

function milliseconds(ns: number): string {
  return (ns / NS_PER_MS).toFixed(3);
}

/** Source ports are searched from here for the first one that the host does not use for a flow to the peer. */
const FIRST_PORT = 40_000;

/** The destination host of a transport flow: it must be a host of the lab. */
function targetOf(lab: LabNetwork, text: string): StackHost {
  const address = lab.addressOf(text);
  return (
    lab.hostAt(address) ??
    fail(CODES.noNode, undefined, `no host of the network has the address ${ipv4Text(address)}`)
  );
}

export function startUdp(id: number, traffic: Extract<Traffic, { kind: "udp" }>, context: FlowContext): Flow {
  const { lab, random, print } = context;
  const host = lab.host(traffic.from);
  const target = targetOf(lab, traffic.to);
  const { port, rateBps, bytes, durationNs } = traffic;
  const localPort = FIRST_PORT + (id % 20_000);
  let receiver: UdpReceiver | undefined;
  const total =
    durationNs === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(bytes, Math.round((rateBps * durationNs) / 8e9));
  const peer = { address: target.options.ipv4, port };
  const ends = [`${ipv4Text(host.options.ipv4)}:${localPort}`, `${ipv4Text(peer.address)}:${port}`] as const;
  const keys = [flowKeyOf("udp", ...ends)];
  context.register(keys);
  const flow = { current: undefined as Flow | undefined };
  context.servers.awaitUdp(target, port, localPort, (one) => {
    receiver = one;
  });
  const sender: UdpSender = host.transport.sendUdp(4, localPort, peer, random, {
    segmentBytes: bytes,
    rateBps,
    bytes: total,
  });
  sender.listener = {
    finished: () => {
      print?.(`sent ${sender.datagramsSent} datagrams to ${traffic.to}:${port}`);
      // the last datagrams are still in the network
      host.at(host.now() + PING_TIMEOUT_NS / 4, () => flow.current?.end("completed"));
    },
  };
  flow.current = new Flow(id, traffic, context, {
    label: `udp ${traffic.from} → ${traffic.to}:${port}`,
    keys,
    counts: () => ({
      sentPackets: sender.datagramsSent,
      receivedPackets: receiver?.datagrams ?? 0,
      receivedBytes: receiver?.bytes ?? 0,
    }),
    halt: () => sender.close(),
  });
  return flow.current;
}

export function startTcp(id: number, traffic: Extract<Traffic, { kind: "tcp" }>, context: FlowContext): Flow {
  const { lab, random, print } = context;
  const host = lab.host(traffic.from);
  const target = targetOf(lab, traffic.to);
  const { port, bytes, congestionControl } = traffic;
  if (!Object.hasOwn(CONGESTION_CONTROLS, congestionControl))
    fail(
      CODES.commandWords,
      undefined,
      `there is no congestion control ${congestionControl}`,
      `there are: ${Object.keys(CONGESTION_CONTROLS).join(", ")}`,
    );
  const options = tcpOptions(congestionControl as CongestionControlName);
  let accepted: Stream | undefined;
  const localPort = FIRST_PORT + (id % 20_000);
  const accept = (stream: Stream): void => {
    accepted = stream;
  };
  context.servers.awaitTcp(target, port, localPort, { options, random: random.fork("server"), accept });
  const peer = { address: target.options.ipv4, port };
  const ends = [`${ipv4Text(host.options.ipv4)}:${localPort}`, `${ipv4Text(peer.address)}:${port}`] as const;
  const keys = [flowKeyOf("tcp", ...ends)];
  context.register(keys);
  const connection = host.transport.connect(4, localPort, peer, random, options);
  const flow = { current: undefined as Flow | undefined };
  connection.listener = {
    finished: () => {
      if (bytes !== undefined) flow.current?.end("completed");
    },
    closed: (reason) => {
      if (reason !== "finished") print?.(`connection to ${traffic.to}:${port}: ${reason}`);
      flow.current?.end(reason === "finished" ? "completed" : reason === "closed" ? "stopped" : "failed");
    },
  };
  connection.send(bytes ?? Number.POSITIVE_INFINITY);
  if (bytes !== undefined) connection.finish();
  flow.current = new Flow(id, traffic, context, {
    label: `tcp ${traffic.from} → ${traffic.to}:${port}`,
    keys,
    counts: () => ({
      sentPackets: connection.counters.segmentsSent,
      receivedPackets: Math.max(0, connection.counters.segmentsSent - connection.counters.retransmissions),
      receivedBytes: accepted?.bytesReceived ?? 0,
      retransmissions: connection.counters.retransmissions,
      smoothedRttNs: connection.timeout.smoothedRtt,
    }),
    halt: () => {
      connection.close();
      accepted?.close();
    },
  });
  return flow.current;
}
