/**
 * The networks of the validation: routers in a row with a bottleneck between each two, and flows between any of them, each with
 * hosts and access links of its own. One bottleneck makes a dumbbell, several a parking lot.
 */
import { Random, toBytes } from "../../../../src/base/index.js";
import { fixedPath } from "../../../../src/fabric/hosts/index.js";
import {
  CONGESTION_CONTROLS,
  type CongestionControlMaker,
  type CongestionControlName,
  Host,
  Network,
  NS_PER_MS,
  NS_PER_S,
  type SubflowView,
  type TcpConnection,
  type TcpOptions,
} from "../../../../src/fabric/sim/packet/index.js";
import { type QueueAccount, Router } from "./router.js";

export interface ChainFlow {
  control: CongestionControlName;
  /** Routers, from 0; the last bottleneck ends at router `hops`. */
  from: number;
  to: number;
  /** Nanoseconds, one way, of the sender's access link; the receiver's has none. */
  delay: number;
  /** Infinity for a flow without an end; else the sender closes, and its last segment of data carries a FIN. */
  bytes: number;
  startNs: number;
  /** Flows with the same number are subflows of one connection (for lia and olia). */
  group?: number;
}

export interface ChainOptions {
  hops: number;
  /** Of a bottleneck, bits a second. */
  rate: number;
  accessRate: number;
  /** Of a bottleneck, nanoseconds one way. */
  delay: number;
  queue: number;
  mark?: number;
  loss?: number;
  lossEvery?: number;
  /** Full segments of the one flow that are lost when they are sent first. */
  lostSegments?: readonly number[];
  fair?: boolean;
  flows: readonly ChainFlow[];
  warmUpNs: number;
  untilNs: number;
  /** Nanoseconds between two looks at the windows; none unless given. */
  watchNs?: number;
  seed?: number;
  transport?: Partial<TcpOptions>;
}

export interface ChainResult {
  flows: { bytes: number; fctNs: number; retransmissions: number; timeouts: number }[];
  queues: QueueAccount[];
  /** Bytes of each flow's window, and packets in the first queue, at each look. */
  watched: { timeNs: number; windows: number[]; queue: number }[];
}

/** Payload of a full segment, and what the headers add: Ethernet, IPv4, TCP with the echo option. */
export const SEGMENT = 1440;
export const FRAME = SEGMENT + 14 + 20 + 28;

/** What flows have unless a network says otherwise. */
export const TRANSPORT = {
  protocol: "tcp",
  segmentBytes: SEGMENT,
  initialWindow: 10,
  receiveBuffer: 1 << 26,
  delayedAck: { segments: 1, timeout: 40 * NS_PER_MS },
  sack: true,
  rack: true,
  reordering: false,
  handshake: true,
  timeWait: 0,
  userTimeout: 300 * NS_PER_S,
  margin: 0,
  floor: 200 * NS_PER_MS,
  cap: 60 * NS_PER_S,
  initial: NS_PER_S,
} as const satisfies Omit<TcpOptions, "congestionControl" | "ecn">;

const PORT = 5201;

export function runChain(options: ChainOptions): ChainResult {
  const random = new Random(options.seed ?? 1);
  const network = new Network();
  const { simulation } = network;
  const { hops, rate, accessRate, queue, mark, loss, lossEvery, lostSegments, fair } = options;
  const wide = { queueBytes: Number.POSITIVE_INFINITY, queuePackets: Number.POSITIVE_INFINITY };
  const routers = Array.from({ length: hops + 1 }, (_, i) => {
    const queueOptions = {
      rate,
      packets: queue,
      ...(mark === undefined ? {} : { mark }),
      ...(loss === undefined ? {} : { loss }),
      ...(lossEvery === undefined ? {} : { lossEvery }),
      ...(lostSegments === undefined ? {} : { lostSegments, segmentBytes: SEGMENT }),
      ...(fair === undefined ? {} : { fair }),
    };
    return new Router(simulation, `r${i}`, 1, queueOptions, random.fork(`losses ${i}`));
  });
  for (let i = 0; i < hops; i++)
    network.connect(
      { node: routers[i]!, port: 1 },
      { node: routers[i + 1]!, port: 2 },
      { aToB: { ...wide, rate: 0, delay: options.delay }, bToA: { ...wide, rate, delay: options.delay } },
    );
  const ports = routers.map(() => 3);
  const attach = (router: number, number: number, delay: number): Host => {
    const mac = 0x0200_0000_0000n + BigInt(number);
    const host = new Host(simulation, {
      name: `h${number}`,
      mac,
      ipv4: 0x0a00_0000n + BigInt(number),
      ipv6: BigInt(number),
      policy: { open: () => fixedPath(0), nic: () => 0 },
      codec: {
        headersOf: () => ({ dscp: 0, vlan: undefined, flowLabel: 0 }),
        selectorOf: () => 0,
      },
    });
    const port = ports[router]!++;
    const link = { ...wide, rate: accessRate, delay };
    network.connect({ node: host, port: 1 }, { node: routers[router]!, port }, { aToB: link, bToA: link });
    for (let i = 0; i <= hops; i++)
      routers[i]!.routes.set(number, {
        port: i === router ? port : i < router ? 1 : 2,
        mac: toBytes(mac, 6),
      });
    return host;
  };

  const senders: (TcpConnection | undefined)[] = [];
  const groups = new Map<number, SubflowView[]>();
  const received = options.flows.map(() => 0);
  const atWarmUp = [...received];
  const results = options.flows.map(() => ({ bytes: 0, fctNs: -1, retransmissions: 0, timeouts: 0 }));
  for (const [i, flow] of options.flows.entries()) {
    const client = attach(flow.from, 2 * i + 1, flow.delay);
    const server = attach(flow.to, 2 * i + 2, 0);
    const make: CongestionControlMaker = CONGESTION_CONTROLS[flow.control];
    const group = flow.group === undefined ? undefined : (groups.get(flow.group) ?? []);
    if (group !== undefined) groups.set(flow.group!, group);
    const congestionControl: CongestionControlMaker = (made) =>
      make(group === undefined ? made : { ...made, siblings: { subflows: group } });
    const transport: TcpOptions = {
      ...TRANSPORT,
      ecn: flow.control === "dctcp" ? "accurate" : "off",
      congestionControl,
      ...options.transport,
    };
    server.listen(
      PORT,
      transport,
      (connection) => {
        connection.listener = {
          received: (bytes) => {
            received[i] = bytes;
            if (bytes >= flow.bytes) results[i]!.fctNs = simulation.now - flow.startNs;
          },
        };
      },
      random.fork(`server ${i}`),
    );
    simulation.at(flow.startNs, () => {
      const peer = { address: server.address(4), port: PORT };
      const connection = client.connect(4, 40_000, peer, random.fork(`client ${i}`), transport);
      senders[i] = connection;
      group?.push({
        control: connection.congestionControl,
        get smoothedRttNs() {
          return connection.timeout.smoothedRtt ?? -1;
        },
      });
      connection.send(flow.bytes);
      if (Number.isFinite(flow.bytes)) connection.finish();
    });
  }

  const watched: ChainResult["watched"] = [];
  if (options.watchNs !== undefined)
    for (let time = options.warmUpNs; time < options.untilNs; time += options.watchNs)
      simulation.at(time, () => {
        const windows = senders.map((sender) => sender?.congestionControl.window ?? 0);
        watched.push({ timeNs: time, windows, queue: routers[0]!.length });
      });
  simulation.run(options.warmUpNs);
  for (const router of routers) router.measure();
  for (const [i, bytes] of received.entries()) atWarmUp[i] = bytes;
  simulation.run(options.untilNs);
  for (const [i, result] of results.entries()) {
    const counters = senders[i]?.counters;
    result.bytes = received[i]! - atWarmUp[i]!;
    result.retransmissions = counters?.retransmissions ?? 0;
    result.timeouts = counters?.timeouts ?? 0;
  }
  return { flows: results, queues: routers.slice(0, hops).map((router) => router.account()), watched };
}

/** A number of flows over one bottleneck, without an end; the first starts at 0, the others at equal intervals. */
export function endless(control: CongestionControlName, count: number, delay = 0, apartNs = 0): ChainFlow[] {
  return Array.from({ length: count }, (_, i) => ({
    control,
    from: 0,
    to: 1,
    delay,
    bytes: Number.POSITIVE_INFINITY,
    startNs: i * apartNs,
  }));
}
