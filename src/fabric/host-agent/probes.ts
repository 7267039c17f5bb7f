/**
 * Probes: UDP datagrams between agents that show which selectors' paths work, for each direction separately.
 *
 * A probe leaves on one selector and lists the selectors of its replies; the other agent sends one reply on each. If
 * any reply arrives, the probe has arrived: its forward path works. For the probes that have arrived, the replies on a selector
 * show whether that reverse path works. The agents keep probes from the kernel, so any ports can be used.
 */

import { Ip, PROTOCOL_UDP } from "../../base/packets/index.js";
import { addressText, flowKey, isSame, reverseKey } from "./addresses.js";
import type { DataPath } from "./data-path.js";
import type { AgentEvent } from "./events.js";
import { type ProbeHeader, probePacket, readProbe } from "./probe-packets.js";
import { MOST_REVERSE, type ProbeRequest, RequestError, type StartRequest } from "./requests.js";
import type { Timers } from "./timers.js";

const MOST_PROBES = 100_000;
const MOST_REQUESTS = 64;

export interface ProbeParts {
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
