/** A server: one or more bonded NICs under one address, the ends of its connections, and a host policy. */
import { type Random, toBytes } from "../../base/index.js";
import { CLIENT, type ConnectionEnd, type FlowKey, type HostPolicy } from "../../hosts/index.js";
import type { Channel } from "./channel.js";
import { Connection, type ConnectionHost, type TransportOptions } from "./connection.js";
import { type FlowAddresses, Segment, SegmentBuilder, type SelectorCodec } from "./frames.js";
import type { Node } from "./network.js";
import type { Simulation } from "./simulation.js";

const PROTOCOL_TCP = 6;

export interface HostOptions {
  name: string;
  mac: bigint;
  ipv4: bigint;
  ipv6: bigint;
  policy: HostPolicy;
  codec: SelectorCodec;
}

export interface HostStats {
  sent: number;
  received: number;
  /** Arrived with another MAC, a wrong checksum, a hop limit of 0, or for no connection of this host. */
  rejected: number;
}

/** The other end of a new connection. */
export interface Peer {
  address: bigint;
  port: number;
}

interface Nic {
  /** The channel to the switch, and that switch's MAC as six bytes. */
  output: Channel;
  gateway: Uint8Array;
}

interface OpenConnection {
  connection: Connection;
  remote: Uint8Array;
}

export class Host implements Node, ConnectionHost {
  readonly name: string;
  readonly stats: HostStats = { sent: 0, received: 0, rejected: 0 };
  readonly #simulation: Simulation;
  readonly #options: HostOptions;
  readonly #mac: Uint8Array;
  /** By port number minus one. */
  readonly #nics: (Nic | undefined)[] = [];
  /** By local port * 2^16 + remote port. */
  readonly #connections = new Map<number, OpenConnection[]>();
  /** Timer events carry an index into this list; `#woken` is the event that a connection waits for. */
  readonly #timed: Connection[] = [];
  readonly #woken: number[] = [];
  readonly #timerKind: number;
  readonly #segment = new Segment();

  constructor(simulation: Simulation, options: HostOptions) {
    this.name = options.name;
    this.#simulation = simulation;
    this.#options = options;
    this.#mac = toBytes(options.mac, 6);
    this.#timerKind = simulation.register((index) => {
      if (this.#woken[index] !== simulation.now) return;
      this.#woken[index] = Number.POSITIVE_INFINITY;
      this.#timed[index]?.onTimer();
    });
  }

  attach(port: number, output: Channel): void {
    this.#nics[port - 1] = { output, gateway: new Uint8Array(6) };
  }

  /** Tells which MAC the switch at a port has: where frames that leave by it are addressed to. */
  setGateway(port: number, mac: bigint): void {
    this.#nics[port - 1]!.gateway.set(toBytes(mac, 6));
  }

  get nicCount(): number {
    return this.#nics.length;
  }

  address(ipVersion: 4 | 6): bigint {
    return ipVersion === 4 ? this.#options.ipv4 : this.#options.ipv6;
  }

  get policy(): HostPolicy {
    return this.#options.policy;
  }

  /** The carrier of a NIC was lost or came back: the policy hears of it. */
  portState(port: number, up: boolean): void {
    this.#options.policy.onCarrier?.(port - 1, up);
  }

  /**
   * Source port of a connection that this host is about to open: the policy's choice, or `free`, the port that it has
   * without one. A choice that another connection to this peer has already counts as none.
   */
  sourcePort(ipVersion: 4 | 6, free: number, peer: Peer, random: Random, end = CLIENT): number {
    const chosen = this.#options.policy.sourcePort?.(this.#flow(ipVersion, free, peer), end, random);
    if (chosen === undefined || chosen === free) return free;
    const remote = toBytes(peer.address, ipVersion === 4 ? 4 : 16);
    const isSame = (other: OpenConnection) => other.remote.every((byte, i) => byte === remote[i]);
    return this.#connections.get(chosen * 65536 + peer.port)?.some(isSame) === true ? free : chosen;
  }

  #flow(ipVersion: 4 | 6, srcPort: number, peer: Peer): FlowKey {
    const src = this.address(ipVersion);
    return { src, dst: peer.address, protocol: PROTOCOL_TCP, srcPort, dstPort: peer.port };
  }

  /** Opens this host's end of a connection; the other end is opened by the other host. */
  open(
    ipVersion: 4 | 6,
    localPort: number,
    peer: Peer,
    random: Random,
    transport: TransportOptions,
    end: ConnectionEnd = CLIENT,
  ): Connection {
    const src = this.address(ipVersion);
    const flow = this.#flow(ipVersion, localPort, peer);
    const addresses: FlowAddresses = {
      ipVersion,
      srcMac: this.#options.mac,
      // Filled in per frame: it is the MAC of the switch at the NIC that the frame leaves by.
      dstMac: 0n,
      src,
      dst: peer.address,
      srcPort: localPort,
      dstPort: peer.port,
    };
    const index = this.#timed.length;
    const chooser = this.#options.policy.open(flow, random, end);
    const builder = new SegmentBuilder(addresses, this.#options.codec, this.#options.policy.ecn);
    const connection = new Connection(this, index, flow, chooser, builder, transport);
    this.#timed.push(connection);
    this.#woken.push(Number.POSITIVE_INFINITY);
    const remote = toBytes(peer.address, ipVersion === 4 ? 4 : 16);
    const key = localPort * 65536 + peer.port;
    const open = this.#connections.get(key);
    if (open === undefined) this.#connections.set(key, [{ connection, remote }]);
    else open.push({ connection, remote });
    return connection;
  }

  /** Closes and forgets all connections; to be called when no timer of this host is pending any more. */
  reset(): void {
    for (const connection of this.#timed) connection.close();
    this.#connections.clear();
    this.#timed.length = 0;
    this.#woken.length = 0;
  }

  now(): number {
    return this.#simulation.now;
  }

  transmit(connection: Connection, frame: Uint8Array, selector: number): void {
    const nics = this.#nics.length;
    const nic = this.#nics[nics === 1 ? 0 : this.#options.policy.nic(connection.flow, selector, nics)]!;
    frame.set(nic.gateway, 0);
    this.stats.sent++;
    nic.output.send(frame);
  }

  setTimer(connection: Connection): void {
    // An earlier wake-up finds that the deadline has moved and asks again: one pending event a connection.
    if (this.#woken[connection.index]! <= connection.deadline) return;
    this.#woken[connection.index] = connection.deadline;
    this.#simulation.schedule(connection.deadline, this.#timerKind, connection.index);
  }

  receive(_port: number, frame: Uint8Array): void {
    const segment = this.#segment;
    const connection = this.#accepts(frame) ? this.#find(segment) : undefined;
    if (connection === undefined) {
      this.stats.rejected++;
      return;
    }
    this.stats.received++;
    connection.receive(segment, this.#options.codec.selectorOf(segment.headers));
  }

  #accepts(frame: Uint8Array): boolean {
    for (let i = 0; i < 6; i++) if (frame[i] !== this.#mac[i]) return false;
    return this.#segment.read(frame) && this.#segment.hopLimit > 0;
  }

  #find(segment: Segment): Connection | undefined {
    const open = this.#connections.get(segment.dstPort * 65536 + segment.srcPort);
    if (open === undefined) return undefined;
    for (const { connection, remote } of open) {
      if (remote.length !== segment.addressLength) continue;
      let i = 0;
      while (i < remote.length && segment.frame[segment.srcAt + i] === remote[i]) i++;
      if (i === remote.length) return connection;
    }
    return undefined;
  }
}
