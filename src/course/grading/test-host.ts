/**
 * A host of a test. It answers ARP requests and pings, and stores every frame that arrives. It sends nothing else: the packets of
 * a test must not cause other packets, such as ICMP errors of closed ports.
 */

import { ETHERTYPE_ARP, ETHERTYPE_IPV4, Ethernet, Ipv4, PROTOCOL_ICMP } from "../../base/packets/index.js";
import { type Channel, type Node, type Simulation, StackHost } from "../../fabric/sim/packet/index.js";
import { type ExerciseHost, hostNetwork } from "../exercises/index.js";

interface ReceivedFrame {
  readonly timeNs: number;
  readonly frame: Uint8Array;
}

export class TestHost implements Node {
  readonly name: string;
  readonly #stack: StackHost;
  readonly #simulation: Simulation;
  /** The frames since the last call of {@link forget}. */
  #received: ReceivedFrame[] = [];

  constructor(simulation: Simulation, host: ExerciseHost) {
    this.name = host.name;
    this.#simulation = simulation;
    const { name, mac, ipv4 } = host;
    this.#stack = new StackHost(simulation, { name, mac, ipv4, ...hostNetwork(host) });
  }

  get received(): readonly ReceivedFrame[] {
    return this.#received;
  }

  forget(): void {
    this.#received = [];
  }

  send(frame: Uint8Array): void {
    this.#stack.sendFrame(frame.slice());
  }

  /** Sends echo requests `intervalNs` apart. Returns a function that gives the number of replies so far. */
  ping(to: bigint, count: number, ttl: number, intervalNs: number, timeoutNs: number): () => number {
    const ping = this.#stack.ping({ to, count, ttl, intervalNs, timeoutNs, bytes: 56 });
    return () => ping.received;
  }

  attach(_port: number, output: Channel): void {
    this.#stack.attach(1, output);
  }

  receive(_port: number, frame: Uint8Array): void {
    this.#received.push({ timeNs: this.#simulation.now, frame: frame.slice() });
    const type = Ethernet.type(frame);
    const isIcmp = type === ETHERTYPE_IPV4 && Ipv4.protocol(frame, Ethernet.LENGTH) === PROTOCOL_ICMP;
    if (type === ETHERTYPE_ARP || isIcmp) this.#stack.receive(1, frame);
  }
}
