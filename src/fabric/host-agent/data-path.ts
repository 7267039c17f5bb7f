/**
 * The path of packets between the kernel and the wire. Packets from the TUN device get a mark and leave by a NIC; frames from the NICs
 * lose the mark and go to the TUN device.
 *
 * TCP segments get the mark that their flow's chooser selects, and carry the echo. A retransmission after a
 * timeout, and an acknowledgement of data that show a loss, may leave several times, once on each selector that the
 * chooser returns. All other packets keep the mark of their application. What a device does not accept at once is
 * lost, as on a wire. Only new data of a flow whose chooser holds them wait here, until earlier data are acknowledged.
 */
import {
  Ethernet,
  FLAG_ACK,
  FLAG_ECE,
  FLAG_FIN,
  FLAG_RST,
  FLAG_SYN,
  Ip,
  Ipv4,
  Ipv6,
  PROTOCOL_TCP,
  PROTOCOL_UDP,
  type SelectorField,
  type SelectorHeaders,
  selectorOf,
  Tcp,
  Vlan,
} from "../../base/packets/index.js";
import { flowOf, reverseKey } from "./addresses.js";
import type { Flows } from "./flows.js";
import { addEcho, echoOf, hasEcho, hasRoom, type Mark, removeEcho, writeEce, writeMark } from "./marking.js";
import { makeRoom, pureAck } from "./rewriting.js";
import { type FlowWatcher, NO_PROGRESS, type TcpFlow } from "./tcp-flow.js";

/** Echo of a segment that carries none. */
const UNKNOWN = -1;
/** Room before a packet for the Ethernet header, a tag and the echo. */
const HEADROOM = 64;
const PACKET_BYTES = 65_535;

/** The devices that the data path connects. Memory that is handed over is reused after the call. */
export interface Devices {
  /** Hands a frame to a NIC. */
  toWire(nic: number, frame: Uint8Array): void;
  /** Hands a packet to the kernel; false when it does not take it. */
  toKernel(packet: Uint8Array): boolean;
  /** Nanoseconds. */
  now(): number;
}

/** Takes UDP datagrams that are probes: true for these. `packet` is an IP packet with this length of its IP header. */
export type ProbeTaker = (family: Ip.Family, packet: Uint8Array, header: number, selector: number) => boolean;

export class DataPath {
  readonly #field: SelectorField;
  /** Memory for packets that are built here. */
  readonly #room = new Uint8Array(new ArrayBuffer(HEADROOM + PACKET_BYTES));
  readonly #headers: SelectorHeaders = { dscp: 0, vlan: undefined, flowLabel: 0 };
  /** Marks of the received segment; choosers must not keep it. */
  readonly #marks = { selector: 0, echo: UNKNOWN, marked: false };
  /** The segment that is sent; choosers must not keep it. */
  readonly #segment = { position: 0, bytes: 0, nowNs: 0 };
  readonly #ecn: boolean;
  /** Must be set before the first frame arrives. */
  takeProbe: ProbeTaker = () => false;
  readonly counts = { fromKernel: 0, toKernel: 0, copies: 0, rejected: 0, kept: 0 };

  /** @param quietNs minimum time of the kernel's retransmission timer */
  constructor(
    readonly flows: Flows,
    readonly devices: Devices,
    readonly quietNs: number,
  ) {
    this.#field = flows.host.field;
    this.#ecn = flows.host.policy.ecn === true;
  }

  /** Handles the packet `bytes[ip, end)` of the kernel; at least 26 bytes before it must be writable. */
  fromKernel(bytes: Uint8Array, ip: number, end: number): void {
    this.counts.fromKernel++;
    const family = Ip.familyAt(bytes, ip);
    if (Ip.isTcp(bytes, ip, end, family)) this.#sendSegment(bytes, ip, end, family);
    else this.#sendOther(bytes, ip, end, family);
  }

  #sendSegment(bytes: Uint8Array, ip: number, end: number, family: Ip.Family): void {
    const tcp = ip + family.length;
    const keyAt = ip + family.keyAt;
    const flags = Tcp.flags(bytes, tcp);
    const sequence = Tcp.sequence(bytes, tcp);
    let flow = this.flows.sending(bytes, keyAt, family.keyLength);
    const opens = (flags & (FLAG_SYN | FLAG_ACK)) === FLAG_SYN;
    if (flow === undefined || (opens && flow.first !== undefined && flow.first !== sequence))
      flow = this.flows.open(bytes.slice(keyAt, keyAt + family.keyLength), flow, "client");
    const payload = end - tcp - Tcp.headerLength(bytes, tcp);
    const length = dataLength(flags, payload);
    if (length > 0 && flow.chooser.holds === true && flow.waits(sequence, length)) {
      flow.hold(bytes.slice(ip, end), sequence, length);
      return;
    }
    let selectors: readonly number[] | undefined;
    if (length > 0) selectors = this.#decide(flow, sequence, payload, length, (flags & FLAG_SYN) !== 0);
    if (this.#ecn && (flags & FLAG_ACK) !== 0) {
      writeEce(bytes, tcp, flow.owesMark);
      flow.owesMark = false;
    }
    let answers: readonly number[] | undefined;
    if (flow.answers !== undefined && (flags & FLAG_ACK) !== 0) {
      answers = flow.answers;
      flow.answers = undefined;
      if (length === 0 || (flags & FLAG_SYN) !== 0) {
        selectors ??= answers;
        answers = undefined;
      }
    }
    if (answers === undefined && hasRoom(bytes, tcp)) {
      // The usual case.
      const start = addEcho(bytes, ip, family, flow.echo);
      if (selectors === undefined)
        this.#sendMarked(bytes, start, end, family, flow.mark(flow.chooser.selector));
      else this.#sendOn(bytes, start, end, flow, selectors);
    } else {
      this.#sendPacket(bytes.slice(ip, end), flow, selectors ?? [flow.chooser.selector], answers ?? []);
    }
    if ((flags & (FLAG_RST | FLAG_FIN)) !== 0)
      this.flows.end(flow, flags & FLAG_RST ? 3 : 1, this.devices.now());
  }

  /** Sends packets that a flow held back as if the kernel had sent them now. */
  #sendHeld(packets: readonly Uint8Array[], family: Ip.Family): void {
    for (const packet of packets) {
      const room = new Uint8Array(HEADROOM + packet.length);
      room.set(packet, HEADROOM);
      this.#sendSegment(room, HEADROOM, room.length, family);
    }
  }

  /** Reports to the flow's chooser what the kernel does; returns its selectors where they differ from the ordinary one. */
  #decide(
    flow: TcpFlow,
    sequence: number,
    payload: number,
    length: number,
    isSyn: boolean,
  ): readonly number[] | undefined {
    const { chooser } = flow;
    const now = this.devices.now();
    const idle = payload > 0 ? flow.idleBefore(sequence, now) : undefined;
    const what = flow.sent(sequence, length, isSyn, now, this.quietNs);
    if (what === "timeout") {
      const selectors = chooser.onTimeout(flow.attempts);
      flow.watcher?.timedOut(flow, selectors);
      return selectors;
    }
    if (what === "fast") {
      const selectors = flow.resent();
      if (selectors !== undefined) return selectors;
    }
    if (idle !== undefined) chooser.onIdle?.(idle);
    if (payload === 0 || chooser.selectorFor === undefined) return undefined;
    const segment = this.#segment;
    segment.position = flow.positionOf(isSyn ? (sequence + 1) | 0 : sequence);
    segment.bytes = payload;
    segment.nowNs = now;
    return [chooser.selectorFor(segment)];
  }

  #sendMarked(bytes: Uint8Array, ip: number, end: number, family: Ip.Family, mark: Mark): void {
    const start = writeMark(bytes, ip, family, mark);
    // This takes a third of the time of `subarray`.
    this.devices.toWire(mark.nic, new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start));
  }

  /** Sends one packet on several selectors. */
  #sendOn(bytes: Uint8Array, ip: number, end: number, flow: TcpFlow, selectors: readonly number[]): void {
    this.counts.copies += selectors.length - 1;
    for (const selector of selectors)
      this.#sendMarked(bytes, ip, end, flow.parts.family, flow.mark(selector));
  }

  /** Sends a segment without room for the echo, or data with an acknowledgement that has paths of its own. */
  #sendPacket(
    packet: Uint8Array,
    flow: TcpFlow,
    selectors: readonly number[],
    answers: readonly number[],
  ): void {
    const { family } = flow.parts;
    const rest = answers.filter((selector) => !selectors.includes(selector));
    if (rest.length > 0) {
      this.counts.copies++;
      this.#sendCopy(pureAck(packet, family), flow, rest);
    }
    this.#sendCopy(packet, flow, selectors);
  }

  #sendCopy(packet: Uint8Array, flow: TcpFlow, selectors: readonly number[]): void {
    const { family } = flow.parts;
    const fits = hasRoom(packet, family.length) ? packet : makeRoom(packet, family);
    const room = this.#room;
    const sent = fits ?? packet;
    room.set(sent, HEADROOM);
    const start = fits === undefined ? HEADROOM : addEcho(room, HEADROOM, family, flow.echo);
    this.#sendOn(room, start, HEADROOM + sent.length, flow, selectors);
  }

  /** Sends a packet that is not TCP with its own marks: applications set DSCP and flow label themselves (P-ECMP, section 4). */
  #sendOther(bytes: Uint8Array, ip: number, end: number, family: Ip.Family): void {
    if (staysInHost(bytes, ip, end, family)) {
      this.counts.kept++;
      return;
    }
    const headers = this.#readHeaders(bytes, ip, family, 0);
    const protocol = Ip.protocol(bytes, ip, family);
    const header = Ip.headerLength(bytes, ip, family);
    const key = new Uint8Array(family.keyLength);
    const addressesAt = ip + family.keyAt;
    key.set(bytes.subarray(addressesAt, addressesAt + 2 * family.addressLength));
    const hasPorts =
      (protocol === PROTOCOL_TCP || protocol === PROTOCOL_UDP) &&
      end - ip >= header + Ip.PORTS_LENGTH &&
      !Ip.isFragment(bytes, ip, family);
    if (hasPorts)
      key.set(bytes.subarray(ip + header, ip + header + Ip.PORTS_LENGTH), 2 * family.addressLength);
    const mark = this.flows.mark(family, flowOf(key, protocol), selectorOf(this.#field, headers));
    const start = ip - mark.ethernet.length;
    bytes.set(mark.ethernet, start);
    this.devices.toWire(mark.nic, new Uint8Array(bytes.buffer, bytes.byteOffset + start, end - start));
  }

  /** Sends a packet of the agent's own on a selector. */
  send(family: Ip.Family, key: Uint8Array, protocol: number, packet: Uint8Array, selector: number): void {
    this.#room.set(packet, HEADROOM);
    const mark = this.flows.mark(family, flowOf(key, protocol), selector);
    this.#sendMarked(this.#room, HEADROOM, HEADROOM + packet.length, family, mark);
  }

  /** Handles a frame that a NIC has received. */
  fromWire(nic: number, frame: Uint8Array): void {
    const ip = Ethernet.payloadAt(frame);
    const family = ip === 0 ? undefined : Ip.familyOfType(Ethernet.payloadType(frame, ip));
    if (
      family === undefined ||
      !Ethernet.isTo(frame, this.flows.host.nics[nic]!.mac) ||
      frame.length < ip + family.length
    ) {
      this.counts.rejected++;
      return;
    }
    const inner = Ethernet.innerAt(frame);
    const vlan = ip === inner ? 0 : Vlan.id(frame, inner);
    const end = Ip.endOf(frame, ip, family);
    if (end > frame.length || end < ip + family.length) {
      this.counts.rejected++;
      return;
    }
    const selector = selectorOf(this.#field, this.#readHeaders(frame, ip, family, vlan));
    if (Ip.isTcp(frame, ip, end, family)) this.#receiveSegment(frame, ip, end, family, selector);
    else this.#receiveOther(frame, ip, end, family, selector);
  }

  #receiveSegment(frame: Uint8Array, ip: number, end: number, family: Ip.Family, selector: number): void {
    const tcp = ip + family.length;
    const payload = end - tcp - Tcp.headerLength(frame, tcp);
    if (payload < 0) {
      this.counts.rejected++;
      return;
    }
    const marks = this.#marks;
    marks.selector = selector;
    marks.echo = UNKNOWN;
    marks.marked = false;
    // The chooser's input is read before the headers move.
    const carries = hasEcho(frame, tcp, end);
    if (carries) marks.echo = echoOf(frame, tcp);
    if (this.#ecn) {
      marks.marked = (Tcp.flags(frame, tcp) & FLAG_ECE) !== 0;
      writeEce(frame, tcp, false);
    }
    const watcher = this.#track(frame, ip, family, payload, carries);
    const held = this.flows.receiving(frame, ip + family.keyAt, family.keyLength)?.release();
    if (held !== undefined) this.#sendHeld(held, family);
    const start = carries ? removeEcho(frame, ip, family) : ip;
    this.#giveToKernel(frame, start, end);
    // The kernel has processed the acknowledgement by now.
    watcher?.progressed();
  }

  /** Reports a received segment to the flow's chooser; returns the watcher of its progress, if there was progress. */
  #track(
    frame: Uint8Array,
    ip: number,
    family: Ip.Family,
    payload: number,
    carries: boolean,
  ): FlowWatcher | undefined {
    const tcp = ip + family.length;
    const keyAt = ip + family.keyAt;
    const flags = Tcp.flags(frame, tcp);
    const sequence = Tcp.sequence(frame, tcp);
    let flow = this.flows.receiving(frame, keyAt, family.keyLength);
    const opens = (flags & (FLAG_SYN | FLAG_ACK)) === FLAG_SYN;
    if (flow === undefined || (opens && flow.peerFirst !== undefined && flow.peerFirst !== sequence)) {
      const toAt = keyAt + family.addressLength;
      if ((flags & FLAG_RST) !== 0 || !this.flows.isOwn(frame.subarray(toAt, toAt + family.addressLength)))
        return undefined;
      flow = this.flows.open(reverseKey(frame.subarray(keyAt, keyAt + family.keyLength)), flow, "server");
    }
    const marks = this.#marks;
    // A segment without our option comes from another sender, such as a switch: it has no information about paths.
    if (carries) flow.echo = marks.selector;
    const { chooser } = flow;
    const length = dataLength(flags, payload);
    if (length > 0) {
      const known = flow.arrived(sequence, length);
      if ((flags & FLAG_SYN) !== 0) {
        flow.peerFirst = sequence;
        if (known) flow.answersAgain(this.devices.now());
      }
      if (this.#ecn && Ip.isMarked(frame, ip, family)) flow.owesMark = true;
      if (carries) flow.answerOn(chooser.onData(marks, known));
    }
    let watcher: FlowWatcher | undefined;
    if ((flags & (FLAG_ACK | FLAG_RST)) === FLAG_ACK) {
      const window = Tcp.window(frame, tcp);
      const now = this.devices.now();
      const ended = flow.acknowledge(Tcp.acknowledgement(frame, tcp), length === 0, window, now);
      if (ended !== NO_PROGRESS) {
        if (flow.isDrained) chooser.onDrained?.();
        if (carries) chooser.onAck(marks, flow.rttNs);
        flow.countRound(carries && marks.marked, now);
        watcher = flow.watcher;
        if (ended > 0) watcher?.recovered(flow, ended);
      }
    }
    if ((flags & (FLAG_RST | FLAG_FIN)) !== 0)
      this.flows.end(flow, flags & FLAG_RST ? 3 : 2, this.devices.now());
    return watcher;
  }

  #receiveOther(frame: Uint8Array, ip: number, end: number, family: Ip.Family, selector: number): void {
    if (Ip.protocol(frame, ip, family) === PROTOCOL_UDP) {
      const header = Ip.headerLength(frame, ip, family);
      if (this.takeProbe(family, frame.subarray(ip, end), header, selector)) return;
    }
    this.#giveToKernel(frame, ip, end);
  }

  #giveToKernel(frame: Uint8Array, ip: number, end: number): void {
    this.counts.toKernel++;
    const packet = new Uint8Array(frame.buffer, frame.byteOffset + ip, end - ip);
    if (!this.devices.toKernel(packet)) this.counts.rejected++;
  }

  #readHeaders(bytes: Uint8Array, ip: number, family: Ip.Family, vlan: number): SelectorHeaders {
    const headers = this.#headers;
    headers.dscp = Ip.dscp(bytes, ip, family);
    headers.vlan = vlan;
    headers.flowLabel = Ip.flowLabel(bytes, ip, family);
    headers.ttl = Ip.hopLimit(bytes, ip, family);
    return headers;
  }
}

/** Sequence numbers that a segment takes: its payload, and one each for FLAG_SYN and FLAG_FIN. */
function dataLength(flags: number, payload: number): number {
  return payload + (flags & FLAG_SYN ? 1 : 0) + (flags & FLAG_FIN ? 1 : 0);
}

/** Whether a packet must not leave the host: multicast, and IPv6 addresses of one link; the network of the NICs is routed. */
function staysInHost(bytes: Uint8Array, ip: number, end: number, family: Ip.Family): boolean {
  if (end - ip < family.length) return true;
  if (family === Ip.IPV4) return Ipv4.isToGroup(bytes, ip);
  return Ipv6.isToGroup(bytes, ip) || Ipv6.hasLinkAddress(bytes, ip);
}
