/** Two hosts, each with a NIC on each of two relays (a1-x-b1, a1-y-b1): enough network to test a transport. */

import { Random, toBytes } from "../../../../src/base/index.js";
import {
  MESSAGE_HEADER_LENGTH,
  Segment,
  type SelectorCodec,
  Trimming,
} from "../../../../src/base/packets/index.js";
import type { HostPolicy, PathChooser } from "../../../../src/fabric/hosts/index.js";
import {
  type Channel,
  type Connection,
  type FixedStreamOptions,
  HEADERS_ONLY,
  Host,
  type MessageOptions,
  Network,
  type Node,
  NS_PER_MS,
  NS_PER_S,
  type PfcOptions,
  type TrimOptions,
} from "../../../../src/fabric/sim/packet/index.js";

/** Passes every frame from one host to the other, as a router does: new destination MAC, TTL untouched. */
class Relay implements Node {
  readonly #outputs: Channel[] = [];
  readonly #segment = new Segment();
  /** Says which frames to swallow. */
  loses: (segment: Segment) => boolean = () => false;
  /** Says which frames of messages to cut to their headers. */
  trims: (segment: Segment) => boolean = () => false;
  seen = 0;
  constructor(
    readonly name: string,
    readonly macs: readonly bigint[],
  ) {}
  attach(port: number, output: Channel): void {
    this.#outputs[port] = output;
  }
  receive(port: number, frame: Uint8Array): void {
    this.seen++;
    if (!this.#segment.read(frame)) throw new Error("a relay got a frame that is no segment");
    if (this.loses(this.#segment)) return;
    if (this.trims(this.#segment)) {
      const cut = frame.slice(0, this.#segment.payloadAt + MESSAGE_HEADER_LENGTH);
      Trimming.markTrimmed(cut);
      frame = cut;
    }
    frame.set(toBytes(this.macs[1 - port]!, 6), 0);
    this.#outputs[1 - port]!.send(frame);
  }
}

const dscp: SelectorCodec = {
  headersOf: (selector) => ({ dscp: selector, vlan: undefined, flowLabel: 0 }),
  selectorOf: (headers) => headers.dscp,
};

export const transport: FixedStreamOptions = {
  segmentBytes: 100,
  windowSegments: 4,
  margin: 5 * NS_PER_MS,
  cap: NS_PER_S,
  initial: NS_PER_S,
};

/** Never changes its selector, 0; the NIC is the selector modulo the number of NICs. */
export function steady(): PathChooser {
  return { selector: 0, onTimeout: () => [0], onAck: () => {}, onData: () => [0] };
}

export function policy(open: () => PathChooser): HostPolicy {
  return { open, nic: (_flow, selector, nics) => selector % nics };
}

export interface Pair {
  network: Network;
  relays: [Relay, Relay];
  a: Host;
  b: Host;
  /** Opens both ends of a connection. */
  connect(options?: Partial<FixedStreamOptions> | MessageOptions): [Connection, Connection];
}

export function pairOfHosts(
  policies: [HostPolicy, HostPolicy],
  link: {
    rate?: number;
    delay?: number;
    queuePackets?: number;
    pfc?: PfcOptions;
    trimming?: TrimOptions;
  } = {},
  ipVersion: 4 | 6 = 4,
): Pair {
  const network = new Network();
  const simulation = network.simulation;
  const hosts = [0, 1].map(
    (i) =>
      new Host(simulation, {
        name: `h${i}`,
        mac: 0x0200_0000_0010n + BigInt(i),
        ipv4: 0x0a00_0001n + BigInt(i),
        ipv6: 0x2001_0db8_0000_0000_0000_0000_0000_0001n + BigInt(i),
        policy: policies[i]!,
        codec: dscp,
        ...(link.trimming === undefined ? {} : { trimming: link.trimming }),
        ...(link.pfc === undefined
          ? {}
          : {
              flowControl: {
                pfc: link.pfc,
                wire: HEADERS_ONLY,
                queueBytes: 1e6,
                queuePackets: link.queuePackets ?? 1000,
              },
            }),
      }),
  );
  const macs = [0x0200_0000_0010n, 0x0200_0000_0011n];
  const relays = ["x", "y"].map((name) => new Relay(name, macs)) as [Relay, Relay];
  const channel = {
    rate: link.rate ?? 10e9,
    delay: link.delay ?? 250_000,
    queueBytes: 1e6,
    queuePackets: link.queuePackets ?? 1000,
  };
  for (const [i, host] of hosts.entries())
    for (const [j, relay] of relays.entries())
      network.connect(
        { node: host, port: j + 1 },
        { node: relay, port: i },
        { aToB: channel, bToA: channel },
      );
  const [a, b] = hosts as [Host, Host];
  return {
    network,
    relays,
    a,
    b,
    connect(options = {}) {
      const merged = options.protocol === "messages" ? options : { ...transport, ...options };
      const random = new Random(1);
      return [
        a.open(ipVersion, 40000, { address: b.address(ipVersion), port: 5201 }, random.fork("a"), merged),
        b.open(ipVersion, 5201, { address: a.address(ipVersion), port: 40000 }, random.fork("b"), merged),
      ];
    },
  };
}
