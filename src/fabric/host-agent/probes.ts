/**
 * Probes: UDP datagrams between agents that show which selectors' paths work, for each direction separately.
 *
 * A probe leaves on one selector and lists the selectors of its replies; the other agent sends one reply on each. If
 * any reply arrives, the probe has arrived: its forward path works. For the probes that have arrived, the replies on a selector
 * show whether that reverse path works. The agents keep probes from the kernel, so any ports can be used.
 */

import { toHex } from "../../base/index.js";
import { addWords, get32, Ip, isWhole, PROTOCOL_UDP, put32, Udp } from "../../base/packets/index.js";
import { addressText, flowKey, flowOf, isSame, reverseKey } from "./addresses.js";
import type { DataPath } from "./data-path.js";
import type { AgentEvent } from "./events.js";
import { MOST_REVERSE, type ProbeRequest, RequestError, type StartRequest } from "./requests.js";
import type { Timers } from "./timers.js";

// The bytes of probes: IP, UDP, then {@link ProbeHeader}, and in a probe the selectors of its replies.

const HOP_LIMIT = 64;
const MAGIC = new TextEncoder().encode("p4loomPr");
const MAGIC_TEXT = toHex(MAGIC);
/** Magic, kind, number of reply selectors, two free bytes, request, number, selector, nanoseconds in 64 bits. */
const HEADER_LENGTH = 32;
const KIND_AT = 8;
const COUNT_AT = 9;
const REQUEST_AT = 12;
const INDEX_AT = 16;
const LEFT_ON_AT = 20;
const LEFT_AT_AT = 24;
const SELECTOR_LENGTH = 4;
const REPLY = 1;

interface ProbeHeader {
  readonly isReply: boolean;
  /** Id of the request that it belongs to. */
  readonly request: number;
  /** Number of the probe in its request. */
  readonly index: number;
  /** Selector that the probe left on. */
  readonly leftOn: number;
  /** When the probe left: nanoseconds on the clock of its host. */
  readonly leftAt: number;
  /** Selectors that the other end is to reply on; none in a reply. */
  readonly replies: readonly number[];
}

/** An IP packet with a UDP datagram, checksums computed. `key`: addresses and ports. */
export function probePacket(key: Uint8Array, probe: ProbeHeader): Uint8Array {
  const family = Ip.familyOf(key);
  const { src, dst, srcPort, dstPort } = flowOf(key, PROTOCOL_UDP);
  const udp = family.length;
  const at = udp + Udp.LENGTH;
  const packet = new Uint8Array(at + HEADER_LENGTH + SELECTOR_LENGTH * probe.replies.length);
  Ip.emit(packet, 0, family, {
    dscp: 0,
    ecn: 0,
    flowLabel: 0,
    hopLimit: HOP_LIMIT,
    protocol: PROTOCOL_UDP,
    source: src,
    destination: dst,
    payloadLength: packet.length - udp,
  });
  Udp.emit(packet, udp, { srcPort, dstPort, payloadLength: packet.length - at });
  packet.set(MAGIC, at);
  packet[at + KIND_AT] = probe.isReply ? REPLY : 0;
  packet[at + COUNT_AT] = probe.replies.length;
  put32(packet, at + REQUEST_AT, probe.request);
  put32(packet, at + INDEX_AT, probe.index);
  put32(packet, at + LEFT_ON_AT, probe.leftOn);
  put32(packet, at + LEFT_AT_AT, Math.floor(probe.leftAt / 2 ** 32));
  put32(packet, at + LEFT_AT_AT + 4, probe.leftAt % 2 ** 32);
  probe.replies.forEach((selector, i) => {
    put32(packet, at + HEADER_LENGTH + SELECTOR_LENGTH * i, selector);
  });
  Udp.writeChecksum(packet, udp, packet.length, pseudoSum(packet, family));
  return packet;
}

/** Reads a probe from an IP packet with a UDP datagram; undefined when it is none, or damaged. */
export function readProbe(packet: Uint8Array, family: Ip.Family): ProbeHeader | undefined {
  const udp = family.length;
  const at = udp + Udp.LENGTH;
  if (packet.length < at + HEADER_LENGTH || toHex(packet.subarray(at, at + MAGIC.length)) !== MAGIC_TEXT)
    return undefined;
  if (!isWhole(addWords(packet, udp, packet.length, pseudoSum(packet, family)))) return undefined;
  const count = packet[at + COUNT_AT]!;
  const end = at + HEADER_LENGTH + SELECTOR_LENGTH * count;
  if (packet.length < end || Udp.length(packet, udp) < end - udp) return undefined;
  return {
    isReply: packet[at + KIND_AT] === REPLY,
    request: get32(packet, at + REQUEST_AT),
    index: get32(packet, at + INDEX_AT),
    leftOn: get32(packet, at + LEFT_ON_AT),
    leftAt: get32(packet, at + LEFT_AT_AT) * 2 ** 32 + get32(packet, at + LEFT_AT_AT + 4),
    replies: Array.from({ length: count }, (_, i) => get32(packet, at + HEADER_LENGTH + SELECTOR_LENGTH * i)),
  };
}

function pseudoSum(packet: Uint8Array, family: Ip.Family): number {
  return Ip.pseudoSum(packet, 0, family, PROTOCOL_UDP, packet.length - family.length);
}

const MOST_PROBES = 100_000;
const MOST_REQUESTS = 64;

interface ProbeParts {
  readonly dataPath: DataPath;
  readonly timers: Timers;
  /** Nanoseconds. */
  now(): number;
  tell(event: AgentEvent): void;
}

export class Probes {
  readonly #trials = new Map<number, Trial>();

  constructor(
    readonly config: Pick<StartRequest, "ipv4" | "ipv6">,
    readonly parts: ProbeParts,
  ) {}

  /** Throws `RequestError` for probes that cannot be. */
  add(request: ProbeRequest): void {
    const source = request.to.length === 4 ? this.config.ipv4 : this.config.ipv6;
    if (source === undefined)
      throw new RequestError(`to: this host has no address of the family of ${addressText(request.to)}`);
    if (request.forward.length * request.count > MOST_PROBES)
      throw new RequestError(`count: at most ${MOST_PROBES} probes at once`);
    if (this.#trials.has(request.id)) throw new RequestError(`id: there are probes ${request.id} already`);
    if (this.#trials.size >= MOST_REQUESTS)
      throw new RequestError(`${MOST_REQUESTS} requests for probes are already in progress`);
    const trial = new Trial(request, source, {
      timers: this.parts.timers,
      now: this.parts.now,
      send: (key, probe, selector) => this.#send(key, probe, selector),
      done: (event) => {
        this.#trials.delete(request.id);
        this.parts.tell(event);
      },
    });
    this.#trials.set(request.id, trial);
    trial.next();
  }

  #send(key: Uint8Array, probe: ProbeHeader, selector: number): void {
    this.parts.dataPath.send(Ip.familyOf(key), key, PROTOCOL_UDP, probePacket(key, probe), selector);
  }

  /** Handles a datagram that arrived on a selector; false when it is no probe for this host. */
  take(family: Ip.Family, packet: Uint8Array, header: number, selector: number): boolean {
    if (header !== family.length) return false;
    const probe = readProbe(packet, family);
    if (probe === undefined) return false;
    const key = packet.slice(family.keyAt, family.keyAt + family.keyLength);
    if (!this.parts.dataPath.flows.isOwn(key.subarray(family.addressLength, 2 * family.addressLength)))
      return false;
    if (probe.isReply) {
      const trial = this.#trials.get(probe.request);
      if (trial !== undefined && isSame(reverseKey(key), trial.key))
        trial.reply(probe.index, selector, this.parts.now() - probe.leftAt);
      return true;
    }
    if (probe.replies.length > MOST_REVERSE) return false;
    const reply = { ...probe, isReply: true, replies: [] };
    for (const answer of probe.replies) this.#send(reverseKey(key), reply, answer);
    return true;
  }
}

interface TrialParts {
  readonly timers: Timers;
  now(): number;
  send(key: Uint8Array, probe: ProbeHeader, selector: number): void;
  done(event: AgentEvent): void;
}

/** The probes of one request. */
class Trial {
  readonly key: Uint8Array;
  /** Selectors to send on, in rounds, so that the probes of one selector are apart in time. */
  readonly #plan: readonly number[];
  #sent = 0;
  /** By probe: the selectors that replies came on. */
  readonly #replies: readonly Set<number>[];
  #missing: number;
  #minRtt = Number.POSITIVE_INFINITY;
  #over = false;

  constructor(
    readonly request: ProbeRequest,
    source: Uint8Array,
    readonly parts: TrialParts,
  ) {
    this.key = flowKey(source, request.to, request.clientPort, request.port);
    this.#plan = Array.from({ length: request.count }, () => request.forward).flat();
    this.#replies = this.#plan.map(() => new Set());
    this.#missing = this.#plan.length * request.reverse.length;
  }

  /** Sends the next probe. */
  next(): void {
    const { request, parts } = this;
    const now = parts.now();
    const index = this.#sent++;
    const leftOn = this.#plan[index]!;
    const probe = {
      isReply: false,
      request: request.id,
      index,
      leftOn,
      leftAt: now,
      replies: request.reverse,
    };
    parts.send(this.key, probe, leftOn);
    if (this.#sent < this.#plan.length) parts.timers.at(now + request.intervalNs, () => this.next());
    else parts.timers.at(now + request.timeoutNs, () => this.#end());
  }

  reply(index: number, selector: number, rtt: number): void {
    const replies = index < this.#sent ? this.#replies[index]! : undefined;
    if (replies === undefined || replies.has(selector) || !this.request.reverse.includes(selector)) return;
    replies.add(selector);
    this.#minRtt = Math.min(this.#minRtt, rtt);
    if (--this.#missing === 0) this.#end();
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    const { id, forward, reverse, count } = this.request;
    const received = new Map(forward.map((selector) => [selector, 0]));
    this.#plan.forEach((selector, i) => {
      if (this.#replies[i]!.size > 0) received.set(selector, received.get(selector)! + 1);
    });
    const arrived = [...received.values()].reduce((sum, number) => sum + number, 0);
    this.parts.done({
      event: "probed",
      id,
      forward: forward.map((selector) => ({ selector, sent: count, received: received.get(selector)! })),
      reverse: reverse.map((selector) => ({
        selector,
        sent: arrived,
        received: this.#replies.filter((replies) => replies.has(selector)).length,
      })),
      minRttNs: Number.isFinite(this.#minRtt) ? this.#minRtt : null,
    });
  }
}
