/**
 * A simulated host with the usual stack: below the transport of {@link Host} it has routes, an ARP table and ICMP. It
 * answers ARP requests and pings, refuses datagrams to closed ports, and reports for each frame how it was handled.
 */
import { toBytes } from "../../../../base/index.js";
import {
  Arp,
  addWords,
  ETHERTYPE_ARP,
  ETHERTYPE_IPV4,
  ETHERTYPE_IPV6,
  ETHERTYPE_VLAN,
  Ethernet,
  Icmp,
  Ip,
  Ipv4,
  ipv4Text,
  isWhole,
  PROTOCOL_ICMP,
  PROTOCOL_TCP,
  PROTOCOL_UDP,
  type SelectorCodec,
  Udp,
} from "../../../../base/packets/index.js";
import { fixedPath, type HostPolicy } from "../../../hosts/index.js";
import type { Channel, Node } from "../channel.js";
import { Host } from "../host.js";
import type { Simulation } from "../simulation.js";
import type { UdpReceiver } from "../transport/udp-flow.js";
import { Ping, type PingHost, type PingListener, type PingOptions } from "./ping.js";

// Address resolution (RFC 826) for IPv4 on Ethernet: the table of a host, with the frames that wait for an answer.

/** As Linux: three requests, a second apart (`mcast_solicit`, `retrans_time_ms`), then the host counts as unreachable. */
const MAX_REQUESTS = 3;
const REQUEST_GAP_NS = 1_000_000_000;
/** Maximum number of frames that wait for one address; the oldest is dropped first. */
const MAX_WAITING = 64;

interface Asked {
  readonly frames: Uint8Array[];
  requests: number;
  cancel(): void;
}

/** Operations of the host that the table uses. */
export interface ArpHost {
  now(): number;
  at(time: number, fn: () => void): () => void;
  request(address: bigint): void;
  /** The address is known: the frame can be sent. */
  release(frame: Uint8Array, mac: bigint): void;
  /** No host has answered for this address. */
  unreachable(address: bigint, frames: readonly Uint8Array[]): void;
}

export class ArpTable {
  readonly #known: Map<bigint, bigint>;
  readonly #permanent: ReadonlySet<bigint>;
  readonly #asked = new Map<bigint, Asked>();

  /** @param permanent addresses that need no request, and that no message changes */
  constructor(
    readonly host: ArpHost,
    permanent: ReadonlyMap<bigint, bigint>,
  ) {
    this.#known = new Map(permanent);
    this.#permanent = new Set(permanent.keys());
  }

  /** Addresses with their MAC addresses, in the order in which they were learned. */
  get entries(): ReadonlyMap<bigint, bigint> {
    return this.#known;
  }

  isPermanent(address: bigint): boolean {
    return this.#permanent.has(address);
  }

  lookUp(address: bigint): bigint | undefined {
    return this.#known.get(address);
  }

  /** Keeps the frame until the address is known, and sends a request unless one is pending. */
  await(address: bigint, frame: Uint8Array): void {
    const asked = this.#asked.get(address);
    if (asked !== undefined) {
      if (asked.frames.length >= MAX_WAITING) asked.frames.shift();
      asked.frames.push(frame);
      return;
    }
    const fresh: Asked = { frames: [frame], requests: 0, cancel: () => {} };
    this.#asked.set(address, fresh);
    this.#ask(address, fresh);
  }

  #ask(address: bigint, asked: Asked): void {
    if (asked.requests === MAX_REQUESTS) {
      this.#asked.delete(address);
      this.host.unreachable(address, asked.frames);
      return;
    }
    asked.requests++;
    asked.cancel = this.host.at(this.host.now() + REQUEST_GAP_NS, () => this.#ask(address, asked));
    this.host.request(address);
  }

  learn(address: bigint, mac: bigint): void {
    if (!this.#permanent.has(address)) this.#known.set(address, mac);
    const asked = this.#asked.get(address);
    if (asked === undefined) return;
    this.#asked.delete(address);
    asked.cancel();
    for (const frame of asked.frames) this.host.release(frame, this.#known.get(address)!);
  }
}

export interface StackHostOptions {
  readonly name: string;
  readonly mac: bigint;
  readonly ipv4: bigint;
  readonly ipv6?: bigint;
  /** The next hop for an IPv4 address; undefined without a route. */
  nextHop(destination: bigint): bigint | undefined;
  /** MAC addresses that need no request, by IPv4 address. */
  readonly neighbours: ReadonlyMap<bigint, bigint>;
  /**
   * MAC address of the router at each port, from port 1 on: all packets to other hosts are addressed to it, and there are no
   * requests. Absent: `nextHop` decides; IPv6 then has no route, since there is no neighbour discovery.
   */
  readonly gateways?: readonly bigint[];
  /** Selectors of the transport; absent: none. */
  readonly policy?: HostPolicy;
  readonly codec?: SelectorCodec;
}

/** How a host handled a frame: undefined when it accepted it, otherwise the reason. */
export type FrameVerdict = string | undefined;

/** A policy without selectors: packets are as any host sends them. */
const PLAIN_POLICY: HostPolicy = { open: () => fixedPath(0), nic: () => 0 };
const PLAIN_CODEC: SelectorCodec = {
  headersOf: () => ({ dscp: 0, vlan: undefined, flowLabel: 0 }),
  selectorOf: () => 0,
};

const IP_AT = Ethernet.LENGTH;
/** Replies to pings have this TTL, as Linux sends them. */
const ECHO_TTL = 64;

export class StackHost implements Node, PingHost {
  readonly name: string;
  /** Its transport: connections and UDP flows. Use {@link listenUdp} for UDP listeners. */
  readonly transport: Host;
  readonly arp: ArpTable;
  readonly #simulation: Simulation;
  readonly #mac: Uint8Array;
  readonly #address: number;
  readonly #pings = new Map<number, Ping>();
  readonly #udpPorts = new Set<number>();
  /** By port number minus one. */
  readonly #outputs: Channel[] = [];
  #nextIdentifier = 1;
  /** Called with each frame that came in. The frame is valid only during the call: the host reuses its memory. */
  onFrame: ((frame: Uint8Array, verdict: FrameVerdict) => void) | undefined;
  /** Called when frames cannot leave: no route, or no answer for the next hop. */
  onUndeliverable: ((why: string, frames: readonly Uint8Array[]) => void) | undefined;

  constructor(
    simulation: Simulation,
    readonly options: StackHostOptions,
  ) {
    const { name, mac, ipv4, ipv6 = 0n, policy = PLAIN_POLICY, codec = PLAIN_CODEC } = options;
    this.name = name;
    this.#simulation = simulation;
    this.#mac = toBytes(mac, Ethernet.ADDRESS_LENGTH);
    this.#address = Number(ipv4);
    this.transport = new Host(simulation, { name, mac, ipv4, ipv6, policy, codec });
    this.arp = new ArpTable(
      {
        now: () => this.now(),
        at: (time, fn) => this.at(time, fn),
        request: (target) => {
          const message = { operation: Arp.REQUEST, senderMac: mac, sender: ipv4, targetMac: 0n, target };
          this.sendFrame(Arp.frameOf(message));
        },
        release: (frame, macOf) => this.#addressed(frame, macOf),
        unreachable: (address, frames) => this.#unreachable(address, frames),
      },
      options.neighbours,
    );
  }

  now(): number {
    return this.#simulation.now;
  }

  at(time: number, fn: () => void): () => void {
    return this.#simulation.at(time, fn);
  }

  attach(port: number, output: Channel): void {
    this.#outputs[port - 1] = output;
    this.transport.attach(port, {
      send: (frame) => this.#route(frame, port),
      get busyUntil() {
        return output.busyUntil;
      },
      get rate() {
        return output.rate;
      },
    });
  }

  portState(port: number, up: boolean): void {
    this.transport.portState(port, up);
  }

  /** Sends a frame unchanged by a NIC. */
  sendFrame(frame: Uint8Array, port = 1): void {
    this.#outputs[port - 1]?.send(frame);
  }

  /** A frame of IP, which has no destination MAC address yet. */
  #route(frame: Uint8Array, port: number): void {
    const gateway = this.options.gateways?.[port - 1];
    if (gateway !== undefined) {
      this.#addressed(frame, gateway, port);
      return;
    }
    const at = Ethernet.payloadAt(frame);
    const isIpv4 = Ethernet.payloadType(frame, at) === ETHERTYPE_IPV4;
    const destination = isIpv4 ? Ipv4.destination(frame, at) : undefined;
    const next = destination === undefined ? undefined : this.options.nextHop(BigInt(destination));
    if (next === undefined) {
      const to = destination === undefined ? "IPv6" : ipv4Text(destination);
      this.#undeliverable(`no route to ${to}`, [frame]);
      return;
    }
    const known = this.arp.lookUp(next);
    if (known === undefined) this.arp.await(next, frame);
    else this.#addressed(frame, known);
  }

  #addressed(frame: Uint8Array, mac: bigint, port = 1): void {
    Ethernet.setDestination(frame, mac);
    this.sendFrame(frame, port);
  }

  #unreachable(address: bigint, frames: readonly Uint8Array[]): void {
    this.#undeliverable(`no host answers for ${ipv4Text(Number(address))} (ARP)`, frames);
  }

  #undeliverable(why: string, frames: readonly Uint8Array[]): void {
    this.onUndeliverable?.(why, frames);
    for (const frame of frames) {
      const message = Icmp.parseFrame(frame);
      if (message?.type === Icmp.ECHO_REQUEST)
        this.#pings.get(message.identifier)?.refuse(message.sequence, why, this.options.ipv4);
    }
  }

  /**
   * Sends echo requests, the first by an event at this instant, then at each interval. Several pings do not disturb each
   * other.
   */
  ping(options: PingOptions, listener: PingListener = {}): Ping {
    const identifier = this.#nextIdentifier;
    this.#nextIdentifier = (identifier % 0xffff) + 1;
    const ping = new Ping(this, identifier, options, listener);
    this.#pings.set(identifier, ping);
    this.at(this.now(), () => ping.start());
    return ping;
  }

  sendEcho({ identifier, options }: Ping, sequence: number): void {
    const body = new Uint8Array(options.bytes).map((_, i) => i);
    const { to, ttl } = options;
    this.#sendIcmp(to, { type: Icmp.ECHO_REQUEST, code: 0, identifier, sequence, body, ttl });
  }

  releasePing({ identifier }: Ping): void {
    this.#pings.delete(identifier);
  }

  #sendIcmp(to: bigint, message: Parameters<typeof Icmp.frameOf>[1]): void {
    const { mac, ipv4 } = this.options;
    this.#route(Icmp.frameOf({ srcMac: mac, src: ipv4, dst: to }, message), 1);
  }

  /** As {@link Host.listenUdp}; datagrams to ports without a listener are refused by ICMP. */
  listenUdp(port: number, accept: (receiver: UdpReceiver) => void): void {
    this.#udpPorts.add(port);
    this.transport.listenUdp(port, accept);
  }

  receive(port: number, frame: Uint8Array): void {
    const type = frame.length < IP_AT ? 0 : Ethernet.type(frame);
    const verdict = this.#verdict(frame, type);
    this.onFrame?.(frame, verdict);
    if (verdict !== undefined) {
      if (verdict === CLOSED_UDP_PORT) this.#refuse(frame);
      return;
    }
    if (type === ETHERTYPE_ARP) this.#receiveArp(frame);
    else if (type === ETHERTYPE_IPV4 && Ipv4.protocol(frame, IP_AT) === PROTOCOL_ICMP)
      this.#receiveIcmp(frame);
    else this.transport.receive(port, frame);
  }

  /** Why the frame is refused, from its headers. */
  #verdict(frame: Uint8Array, type: number): FrameVerdict {
    if (frame.length < IP_AT) return "shorter than an Ethernet header";
    const isMine = Ethernet.isTo(frame, this.#mac);
    if (!isMine && !Ethernet.isToGroup(frame)) return "for another MAC address";
    if (type === ETHERTYPE_ARP)
      return Arp.parseFrame(frame) === undefined ? "no whole ARP message" : undefined;
    if (type === ETHERTYPE_VLAN || type === ETHERTYPE_IPV6) return isMine ? undefined : "for a group";
    if (type !== ETHERTYPE_IPV4) return `of the unknown type 0x${type.toString(16).padStart(4, "0")}`;
    return this.#ipv4Verdict(frame, isMine);
  }

  #ipv4Verdict(frame: Uint8Array, isMine: boolean): FrameVerdict {
    if (!Ipv4.hasWholePacket(frame, IP_AT, frame.length)) return "no whole IPv4 packet";
    const end = IP_AT + Ipv4.totalLength(frame, IP_AT);
    const transport = IP_AT + Ipv4.headerLength(frame, IP_AT);
    if (!Ipv4.hasRightChecksum(frame, IP_AT)) return "wrong IPv4 header checksum";
    if (Ipv4.destination(frame, IP_AT) !== this.#address) return "for another IPv4 address";
    if (!isMine) return "for a group";
    if (Ipv4.ttl(frame, IP_AT) === 0) return "its TTL is 0";
    const protocol = Ipv4.protocol(frame, IP_AT);
    if (protocol === PROTOCOL_ICMP)
      return Icmp.parseFrame(frame) === undefined ? "wrong ICMP checksum or length" : undefined;
    if (protocol !== PROTOCOL_TCP && protocol !== PROTOCOL_UDP) return `of the unknown protocol ${protocol}`;
    const sum = Ip.pseudoSum(frame, IP_AT, Ip.IPV4, protocol, end - transport);
    const unchecked = protocol === PROTOCOL_UDP && Udp.hasNoChecksum(frame, transport);
    if (!unchecked && !isWhole(addWords(frame, transport, end, sum)))
      return `wrong ${protocol === PROTOCOL_TCP ? "TCP" : "UDP"} checksum`;
    if (protocol === PROTOCOL_UDP && !this.#udpPorts.has(Udp.dstPort(frame, transport)))
      return CLOSED_UDP_PORT;
    return undefined;
  }

  #refuse(frame: Uint8Array): void {
    const { mac, ipv4 } = this.options;
    const addresses = { srcMac: mac, src: ipv4, dst: BigInt(Ipv4.source(frame, IP_AT)) };
    this.#route(Icmp.errorFrame(addresses, Icmp.UNREACHABLE, Icmp.PORT_UNREACHABLE, frame), 1);
  }

  #receiveArp(frame: Uint8Array): void {
    const message = Arp.parseFrame(frame)!;
    const { mac, ipv4 } = this.options;
    // RFC 826: the host stores the address of a sender that asks for it or answers it.
    if (message.target !== ipv4) return;
    this.arp.learn(message.sender, message.senderMac);
    if (message.operation !== Arp.REQUEST) return;
    this.sendFrame(
      Arp.frameOf({
        operation: Arp.REPLY,
        senderMac: mac,
        sender: ipv4,
        targetMac: message.senderMac,
        target: message.sender,
      }),
    );
  }

  #receiveIcmp(frame: Uint8Array): void {
    const message = Icmp.parseFrame(frame)!;
    const { type, identifier, sequence, ttl, body } = message;
    const source = BigInt(message.source);
    if (type === Icmp.ECHO_REQUEST) {
      this.#sendIcmp(source, { type: Icmp.ECHO_REPLY, code: 0, identifier, sequence, body, ttl: ECHO_TTL });
    } else if (type === Icmp.ECHO_REPLY) this.#pings.get(identifier)?.reply(sequence, ttl);
    else {
      const why = Icmp.errorText(message);
      const echo = why === undefined ? undefined : Icmp.quotedEcho(body);
      if (why === undefined || echo === undefined) return;
      this.#pings.get(echo.identifier)?.refuse(echo.sequence, why, source);
    }
  }
}

const CLOSED_UDP_PORT = "its UDP port is closed";
