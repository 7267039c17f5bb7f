/** A server: one or more bonded NICs under one address, the ends of its connections, and a host policy. */
import { fromBytes, given, type Random, toBytes } from "../../../base/index.js";
import {
  DatagramBuilder,
  FLAG_ACK,
  FLAG_FIN,
  FLAG_RST,
  FLAG_SYN,
  type FlowAddresses,
  type FlowKey,
  giveFrame,
  PROTOCOL_TCP,
  PROTOCOL_UDP,
  Segment,
  SegmentBuilder,
  type SelectorCodec,
} from "../../../base/packets/index.js";
import { CLIENT, type ConnectionEnd, type HostPolicy, SERVER } from "../../hosts/index.js";
import type { Node } from "./channel.js";
import type { Connection, ConnectionHost, Stream, Timed } from "./connection.js";
import { type PausableOptions, PausableOutput, type WireOutput } from "./pfc/pausable-output.js";
import type { Simulation } from "./simulation.js";
import { FixedStream, type FixedStreamOptions } from "./transport/fixed-stream.js";
import { MessageConnection } from "./transport/messages/message-connection.js";
import type { MessageOptions } from "./transport/messages/message-options.js";
import { MultipathConnection } from "./transport/multipath.js";
import { TcpConnection } from "./transport/tcp.js";
import type { TcpOptions } from "./transport/tcp-options.js";
import { NUMBER_BYTES, type UdpHost, type UdpOptions, UdpReceiver, UdpSender } from "./transport/udp-flow.js";
import type { TrimOptions } from "./trimming/trim-options.js";

export type TransportOptions = FixedStreamOptions | MessageOptions | TcpOptions;

export interface HostOptions {
  name: string;
  mac: bigint;
  ipv4: bigint;
  ipv6: bigint;
  policy: HostPolicy;
  codec: SelectorCodec;
  /** Its NICs obey priority flow control. */
  flowControl?: PausableOptions;
  /** Its packets may be cut by switches. */
  trimming?: TrimOptions;
}

export interface HostStats {
  sent: number;
  received: number;
  /** Frames with another MAC, a wrong checksum, a hop limit of 0, or for no connection of this host. */
  rejected: number;
  /** Of these: valid segments for no connection, for example after its end. */
  unknown: number;
}

/** The other end of a new connection. */
export interface Peer {
  address: bigint;
  port: number;
}

interface Nic {
  /** The output to the switch: a channel, or an object before it; and that switch's MAC as six bytes. */
  output: WireOutput;
  gateway: Uint8Array;
  /** The output again, where it can be paused. */
  pausable: PausableOutput | undefined;
}

interface OpenConnection {
  connection: Connection;
  remote: Uint8Array;
  /** Distinguishes subflows with one five-tuple. */
  lane: number;
}

/** How a port of a host handles a SYN. */
interface PortListener {
  options: TcpOptions;
  accept: (connection: Stream) => void;
  random: Random;
}

/** A tuple as this host sends it, and the options of its connection. */
interface NewConnection {
  flow: FlowKey;
  builder: SegmentBuilder;
}

export class Host implements Node, ConnectionHost, UdpHost {
  readonly name: string;
  readonly stats: HostStats = { sent: 0, received: 0, rejected: 0, unknown: 0 };
  readonly #simulation: Simulation;
  readonly #options: HostOptions;
  readonly #mac: Uint8Array;
  /** By port number minus one. */
  readonly #nics: (Nic | undefined)[] = [];
  /** By local port * 2^16 + remote port. */
  readonly #connections = new Map<number, OpenConnection[]>();
  readonly #listeners = new Map<number, PortListener>();
  /** Connections with subflows that this host has accepted, by peer, port and token, while further subflows may arrive. */
  readonly #multipath = new Map<string, MultipathConnection>();
  /** UDP: handlers of new flows, by port; incoming flows, by local port * 2^16 + remote port. */
  readonly #udpListeners = new Map<number, (receiver: UdpReceiver) => void>();
  readonly #udpReceivers = new Map<number, UdpReceiver[]>();
  /**
   * Timer events carry an index into these lists, which is reused after its connection was released; `#woken` and
   * `#soon` are the pending events of a connection.
   */
  readonly #timed: (Timed | undefined)[] = [];
  readonly #woken: number[] = [];
  readonly #soon: number[] = [];
  readonly #freeIndexes: number[] = [];
  readonly #timerKind: number;
  readonly #soonKind: number;
  readonly #segment = new Segment();
  readonly #hasFlowControl: boolean;

  constructor(simulation: Simulation, options: HostOptions) {
    this.#hasFlowControl = options.flowControl !== undefined;
    this.name = options.name;
    this.#simulation = simulation;
    this.#options = options;
    this.#mac = toBytes(options.mac, 6);
    this.#timerKind = simulation.register((index) => {
      if (this.#woken[index] !== simulation.now) return;
      this.#woken[index] = Number.POSITIVE_INFINITY;
      this.#timed[index]?.onTimer();
    });
    this.#soonKind = simulation.register((index) => {
      if (this.#soon[index] !== simulation.now) return;
      this.#soon[index] = Number.POSITIVE_INFINITY;
      this.#timed[index]?.onSoon();
    });
  }

  attach(port: number, output: WireOutput): void {
    const { flowControl } = this.#options;
    const pausable = flowControl && new PausableOutput(this.#simulation, output, flowControl);
    this.#nics[port - 1] = { output: pausable ?? output, gateway: new Uint8Array(6), pausable };
  }

  /** The output of a port that can be paused; undefined without flow control. */
  pausable(port: number): PausableOutput | undefined {
    return this.#nics[port - 1]?.pausable;
  }

  /** Frames for which the queue of a pausable output had no room. */
  get overflowed(): number {
    return this.#nics.reduce((sum, nic) => sum + (nic?.pausable?.overflowed ?? 0), 0);
  }

  /** Sets the MAC of the switch at a port: the destination of frames that leave by it. */
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

  /** The carrier of a NIC was lost or came back: notifies the policy. */
  portState(port: number, up: boolean): void {
    this.pausable(port)?.resume();
    this.#options.policy.onCarrier?.(port - 1, up);
  }

  /**
   * Source port of a connection that this host is about to open: the policy's choice, or `free`, the default port.
   * A chosen port that another connection to this peer already uses is ignored.
   */
  sourcePort(ipVersion: 4 | 6, free: number, peer: Peer, random: Random, end = CLIENT): number {
    const chosen = this.#options.policy.sourcePort?.(this.#flow(ipVersion, free, peer), end, random);
    if (chosen === undefined || chosen === free) return free;
    return this.#lookUp(chosen, peer.port, toBytes(peer.address, ipVersion === 4 ? 4 : 16)) === undefined
      ? chosen
      : free;
  }

  #flow(ipVersion: 4 | 6, srcPort: number, peer: Peer): FlowKey {
    const src = this.address(ipVersion);
    return { src, dst: peer.address, protocol: PROTOCOL_TCP, srcPort, dstPort: peer.port };
  }

  /** Opens this host's end of a connection without a handshake; the other end is opened by the other host. */
  open(
    ipVersion: 4 | 6,
    localPort: number,
    peer: Peer,
    random: Random,
    transport: TransportOptions,
    end: ConnectionEnd = CLIENT,
  ): Connection {
    const made = this.#make(ipVersion, localPort, peer);
    if (transport.protocol === "tcp")
      return this.#add(this.#tcp(made, random, { ...transport, handshake: false }, end), ipVersion, peer);
    if (transport.protocol === "messages") {
      const messages = this.#messages(ipVersion, localPort, peer, random, transport, end);
      return this.#add(messages, ipVersion, peer);
    }
    const chooser = this.#options.policy.open(made.flow, random, end);
    const { flow, builder } = made;
    const stream = new FixedStream(this, this.#takeIndex(), flow, chooser, builder, transport);
    return this.#add(stream, ipVersion, peer);
  }

  #messages(
    ipVersion: 4 | 6,
    localPort: number,
    peer: Peer,
    random: Random,
    options: MessageOptions,
    end: ConnectionEnd,
  ): MessageConnection {
    const { policy, codec, trimming } = this.#options;
    const flow = { ...this.#flow(ipVersion, localPort, peer), protocol: PROTOCOL_UDP };
    const ecn = options.ecn || policy.ecn === true;
    return new MessageConnection({
      host: this,
      index: this.#takeIndex(),
      chooser: policy.open(flow, random, end),
      builder: new DatagramBuilder(flow, this.#addresses(ipVersion, flow), codec, ecn),
      options,
      lineRateBps: this.#nics.reduce((sum, nic) => sum + (nic?.output.rate ?? 0), 0),
      ...given({ trimming }),
    });
  }

  /**
   * Accepts connections at a port, until {@link reset}. `accept` gets each connection, a {@link TcpConnection} or a
   * {@link MultipathConnection} as the other end asks, once it is established and before its
   * first data; path choosers and sequence numbers are drawn from forks of `random`. From now on the host resets connections
   * that it does not know (RFC 9293, section 3.10.7.1).
   */
  listen(port: number, options: TcpOptions, accept: (connection: Stream) => void, random: Random): void {
    this.#listeners.set(port, { options, accept, random });
  }

  /**
   * Opens a connection to a host that listens; with `options.handshake: false` the other end is opened by
   * {@link open}. Throws RangeError where the connection exists.
   */
  connect(
    ipVersion: 4 | 6,
    localPort: number,
    peer: Peer,
    random: Random,
    options: TcpOptions,
    end: ConnectionEnd = CLIENT,
  ): TcpConnection {
    if (!this.isFree(ipVersion, localPort, peer)) this.#refuse(localPort, peer);
    const connection = this.#tcp(this.#make(ipVersion, localPort, peer), random, options, end);
    this.#add(connection, ipVersion, peer);
    if (options.handshake) connection.connect();
    return connection;
  }

  /**
   * Opens a connection with `options.subflows` to a host that listens, each subflow from a port of its own, or all from one
   * port: then the number of the subflow, which travels beside the echo, tells them apart. `bytes`: what it is
   * about to send, see {@link ConnectionEnd.bytes}. Throws RangeError where one of the ports has a connection to the peer.
   */
  connectMultipath(
    ipVersion: 4 | 6,
    localPorts: readonly number[],
    peer: Peer,
    random: Random,
    options: TcpOptions,
    bytes?: number,
  ): MultipathConnection {
    const { scheduler } = options.subflows!;
    const token = random.fork("token").uint32();
    const whole = new MultipathConnection(token, localPorts.length, scheduler);
    for (const port of new Set(localPorts)) if (!this.isFree(ipVersion, port, peer)) this.#refuse(port, peer);
    const isShared = new Set(localPorts).size < localPorts.length;
    for (const [subflow, port] of localPorts.entries()) {
      const end: ConnectionEnd = {
        role: "client",
        subflow,
        subflows: localPorts.length,
        ...given({ bytes }),
      };
      const lane = isShared ? subflow : 0;
      const made = this.#make(ipVersion, port, peer, lane);
      const own = subflow === 0 ? random : random.fork(`subflow ${subflow}`);
      const connection = this.#tcp(made, own, { ...options, handshake: true }, end, whole);
      whole.join(subflow, this.#add(connection, ipVersion, peer, lane));
    }
    for (const connection of whole.connections) connection.connect();
    return whole;
  }

  /** Whether no connection of this host has the port and the peer. */
  isFree(ipVersion: 4 | 6, localPort: number, peer: Peer): boolean {
    return this.#lookUp(localPort, peer.port, toBytes(peer.address, ipVersion === 4 ? 4 : 16)) === undefined;
  }

  #refuse(port: number, peer: Peer): never {
    throw new RangeError(`${this.name}: port ${port} has a connection to port ${peer.port} of this peer`);
  }

  /** Connections that are open, and those that wait in TIME-WAIT. */
  get connectionCount(): number {
    return this.#timed.length - this.#freeIndexes.length;
  }

  /**
   * Starts a UDP flow now. The receiver is whoever {@link listenUdp} has registered there; without one its host rejects the
   * datagrams. Throws RangeError for payloads below 4 bytes.
   */
  sendUdp(
    ipVersion: 4 | 6,
    localPort: number,
    peer: Peer,
    random: Random,
    options: UdpOptions,
    end: ConnectionEnd = CLIENT,
  ): UdpSender {
    if (options.segmentBytes < NUMBER_BYTES) throw new RangeError("UDP payloads have at least 4 bytes");
    const { policy, codec } = this.#options;
    const flow = { ...this.#flow(ipVersion, localPort, peer), protocol: PROTOCOL_UDP };
    const builder = new DatagramBuilder(flow, this.#addresses(ipVersion, flow), codec, policy.ecn);
    const sender = new UdpSender(this, this.#takeIndex(), policy.open(flow, random, end), builder, options);
    this.#timed[sender.index] = sender;
    this.#woken[sender.index] = Number.POSITIVE_INFINITY;
    this.#soon[sender.index] = Number.POSITIVE_INFINITY;
    this.setTimer(sender);
    return sender;
  }

  /** Counts UDP flows at a port, until {@link reset}; `accept` gets each with its first datagram, before that is counted. */
  listenUdp(port: number, accept: (receiver: UdpReceiver) => void): void {
    this.#udpListeners.set(port, accept);
  }

  /** Sends one UDP datagram now that carries a number, on a selector that the caller names. */
  sendDatagram(
    ipVersion: 4 | 6,
    localPort: number,
    peer: Peer,
    { number, selector }: { readonly number: number; readonly selector: number },
  ): void {
    const { policy, codec } = this.#options;
    const flow = { ...this.#flow(ipVersion, localPort, peer), protocol: PROTOCOL_UDP };
    const builder = new DatagramBuilder(flow, this.#addresses(ipVersion, flow), codec, policy.ecn);
    this.#send(flow, builder.build(number, NUMBER_BYTES, selector), selector);
  }

  send({ flow }: UdpSender, frame: Uint8Array, selector: number): void {
    this.#send(flow, frame, selector);
  }

  releaseSender(sender: UdpSender): void {
    if (this.#timed[sender.index] !== sender) return;
    this.#timed[sender.index] = undefined;
    this.#freeIndexes.push(sender.index);
  }

  #receiveDatagram(segment: Segment): void {
    const key = segment.dstPort * 65536 + segment.srcPort;
    const source = segment.frame.subarray(segment.srcAt, segment.srcAt + segment.addressLength);
    const receivers = this.#udpReceivers.get(key) ?? [];
    let receiver = receivers.find(({ peer }) => isSame(peer, source));
    if (receiver === undefined) {
      const accept = this.#udpListeners.get(segment.dstPort);
      if (accept === undefined) {
        this.#reject();
        return;
      }
      receiver = new UdpReceiver(segment.dstPort, segment.srcPort, source.slice(), (one) => {
        const left = this.#udpReceivers.get(key)?.filter((other) => other !== one) ?? [];
        if (left.length === 0) this.#udpReceivers.delete(key);
        else this.#udpReceivers.set(key, left);
      });
      this.#udpReceivers.set(key, [...receivers, receiver]);
      accept(receiver);
    }
    this.stats.received++;
    receiver.receive(segment);
  }

  #addresses(ipVersion: 4 | 6, { src, dst, srcPort, dstPort }: FlowKey): FlowAddresses {
    // The destination is filled in per frame: it is the MAC of the switch at the NIC that the frame leaves by.
    return { ipVersion, srcMac: this.#options.mac, dstMac: 0n, src, dst, srcPort, dstPort };
  }

  #make(ipVersion: 4 | 6, localPort: number, peer: Peer, lane = 0): NewConnection {
    const flow = this.#flow(ipVersion, localPort, peer);
    const { codec, policy } = this.#options;
    return { flow, builder: new SegmentBuilder(this.#addresses(ipVersion, flow), codec, policy.ecn, lane) };
  }

  #takeIndex(): number {
    return this.#freeIndexes.pop() ?? this.#timed.length;
  }

  #tcp(
    { flow, builder }: NewConnection,
    random: Random,
    options: TcpOptions,
    end: ConnectionEnd,
    whole?: MultipathConnection,
  ): TcpConnection {
    const { policy } = this.#options;
    const control = options.congestionControl({
      mss: options.segmentBytes,
      initialWindow: options.initialWindow * options.segmentBytes,
      now: () => this.#simulation.now,
      random: random.fork("congestion control"),
      ...given({ siblings: whole }),
    });
    return new TcpConnection({
      host: this,
      index: this.#takeIndex(),
      flow,
      chooser: policy.open(flow, random, end),
      builder,
      options,
      control,
      marks: policy.ecn === true,
      reassembly: policy.reassembly,
      parent: whole?.parent(end.subflow),
      initialSequence: options.handshake ? random.fork("sequence").uint32() : 0,
    });
  }

  #add<C extends Connection>(connection: C, ipVersion: 4 | 6, peer: Peer, lane = 0): C {
    const { index, flow } = connection;
    this.#timed[index] = connection;
    this.#woken[index] = Number.POSITIVE_INFINITY;
    this.#soon[index] = Number.POSITIVE_INFINITY;
    const remote = toBytes(peer.address, ipVersion === 4 ? 4 : 16);
    const key = flow.srcPort * 65536 + flow.dstPort;
    const open = this.#connections.get(key);
    if (open === undefined) this.#connections.set(key, [{ connection, remote, lane }]);
    else open.push({ connection, remote, lane });
    return connection;
  }

  release(connection: Connection): void {
    const { index, flow } = connection;
    if (this.#timed[index] !== connection) return;
    this.#timed[index] = undefined;
    this.#freeIndexes.push(index);
    const key = flow.srcPort * 65536 + flow.dstPort;
    const left = this.#connections.get(key)!.filter((one) => one.connection !== connection);
    if (left.length === 0) this.#connections.delete(key);
    else this.#connections.set(key, left);
  }

  /** Closes and forgets all connections and listeners; to be called when no timer of this host is pending any more. */
  reset(): void {
    for (const open of [...this.#connections.values()]) for (const { connection } of open) connection.close();
    this.#udpListeners.clear();
    this.#udpReceivers.clear();
    this.#connections.clear();
    this.#listeners.clear();
    this.#multipath.clear();
    this.#timed.length = 0;
    this.#woken.length = 0;
    this.#soon.length = 0;
    this.#freeIndexes.length = 0;
  }

  now(): number {
    return this.#simulation.now;
  }

  transmit(connection: Connection, frame: Uint8Array, selector: number, tag = -1): number {
    return this.#send(connection.flow, frame, selector, connection, tag);
  }

  #send(flow: FlowKey, frame: Uint8Array, selector: number, sender?: Connection, tag = -1): number {
    const nics = this.#nics.length;
    const nic = this.#nics[nics === 1 ? 0 : this.#options.policy.nic(flow, selector, nics)]!;
    frame.set(nic.gateway, 0);
    this.stats.sent++;
    if (nic.pausable !== undefined) return nic.pausable.offer(frame, tag < 0 ? undefined : sender, tag);
    nic.output.send(frame);
    return nic.output.busyUntil;
  }

  setTimer(timed: Timed): void {
    // An earlier wake-up finds that the deadline has moved and asks again: one pending event a connection.
    if (this.#woken[timed.index]! <= timed.deadline) return;
    this.#woken[timed.index] = timed.deadline;
    this.#simulation.schedule(timed.deadline, this.#timerKind, timed.index);
  }

  setSoon(timed: Timed): void {
    const { index, soon } = timed;
    if (this.#soon[index]! <= soon) return;
    this.#soon[index] = soon;
    this.#simulation.schedule(soon, this.#soonKind, index);
  }

  receive(port: number, frame: Uint8Array): void {
    if (this.#hasFlowControl && this.pausable(port)?.takes(frame) === true) return;
    this.#read(frame);
    giveFrame(frame);
  }

  #read(frame: Uint8Array): void {
    const segment = this.#segment;
    if (!this.#accepts(frame)) {
      this.stats.rejected++;
      return;
    }
    const connection = this.#find(segment);
    if (segment.protocol === PROTOCOL_UDP && connection === undefined) {
      this.#receiveDatagram(segment);
      return;
    }
    if (connection !== undefined) {
      this.stats.received++;
      connection.receive(segment, this.#options.codec.selectorOf(segment.headers));
    } else if (this.#listeners.size > 0) this.#receiveUnknown(segment);
    else this.#reject();
  }

  #reject(): void {
    this.stats.rejected++;
    this.stats.unknown++;
  }

  #accepts(frame: Uint8Array): boolean {
    for (let i = 0; i < 6; i++) if (frame[i] !== this.#mac[i]) return false;
    const segment = this.#segment;
    return segment.read(frame) && segment.hopLimit > 0;
  }

  #find({ srcPort, dstPort, protocol, frame, srcAt, addressLength, lane }: Segment): Connection | undefined {
    const open = this.#connections.get(dstPort * 65536 + srcPort);
    if (open === undefined) return undefined;
    for (const { connection, remote, lane: own } of open) {
      if (remote.length !== addressLength || own !== lane || connection.flow.protocol !== protocol) continue;
      let i = 0;
      while (i < remote.length && frame[srcAt + i] === remote[i]) i++;
      if (i === remote.length) return connection;
    }
    return undefined;
  }

  #lookUp(localPort: number, remotePort: number, remote: Uint8Array): Connection | undefined {
    return this.#connections.get(localPort * 65536 + remotePort)?.find((one) => isSame(one.remote, remote))
      ?.connection;
  }

  /** A segment for no connection: a SYN opens one where a port listens, anything else is answered with a reset. */
  #receiveUnknown(segment: Segment): void {
    const { ipVersion, flags, srcPort, dstPort, lane } = segment;
    const source = segment.frame.subarray(segment.srcAt, segment.srcAt + segment.addressLength);
    const peer = { address: fromBytes(source), port: srcPort };
    const selector = this.#options.codec.selectorOf(segment.headers);
    const listener = this.#listeners.get(dstPort);
    if (listener !== undefined && (flags & (FLAG_SYN | FLAG_ACK | FLAG_RST)) === FLAG_SYN) {
      this.stats.received++;
      const random = listener.random.fork(
        `${peer.address} ${srcPort} ${dstPort}${lane === 0 ? "" : ` ${lane}`}`,
      );
      const options = { ...listener.options, handshake: true };
      const made = this.#make(ipVersion, dstPort, peer, lane);
      const whole = segment.token < 0 ? undefined : this.#wholeOf(segment, peer, listener);
      const { subflow, subflows } = segment;
      const end: ConnectionEnd = whole === undefined ? SERVER : { role: "server", subflow, subflows };
      const connection = this.#add(this.#tcp(made, random, options, end, whole), ipVersion, peer, lane);
      if (whole === undefined) connection.onAccepted = () => listener.accept(connection);
      else whole.join(subflow, connection);
      connection.accept(segment, selector);
      return;
    }
    this.#reject();
    if ((flags & FLAG_RST) === 0) this.#reset(segment, peer);
  }

  /** The connection that a SYN of a subflow joins; the first of its subflows makes it. */
  #wholeOf(
    { token, subflows, dstPort }: Segment,
    { address }: Peer,
    listener: PortListener,
  ): MultipathConnection {
    const key = `${address} ${dstPort} ${token}`;
    const known = this.#multipath.get(key);
    if (known !== undefined) return known;
    const scheduler = listener.options.subflows?.scheduler ?? "least_rtt";
    const whole = new MultipathConnection(token, subflows, scheduler);
    whole.onAccepted = () => listener.accept(whole);
    whole.onOver = () => this.#multipath.delete(key);
    this.#multipath.set(key, whole);
    return whole;
  }

  /** RFC 9293, section 3.10.7.1. */
  #reset(segment: Segment, peer: Peer): void {
    const { ipVersion, flags, sequence, acknowledgement, payloadLength, dstPort, lane } = segment;
    const { flow, builder } = this.#make(ipVersion, dstPort, peer, lane);
    builder.ecn = false;
    const length = payloadLength + ((flags & FLAG_SYN) !== 0 ? 1 : 0) + ((flags & FLAG_FIN) !== 0 ? 1 : 0);
    const frame =
      (flags & FLAG_ACK) !== 0
        ? builder.build(acknowledgement, 0, 0, FLAG_RST, 0, 0)
        : builder.build(0, sequence + length, 0, FLAG_RST | FLAG_ACK, 0, 0);
    this.#send(flow, frame, 0);
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
