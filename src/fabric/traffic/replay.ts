/** Packets of a capture, sent by the hosts of a topology at the times of the capture. */
import { fail } from "../../base/index.js";
import type { RecordedPacket } from "../../base/packets/index.js";
import { ipPacket, isReadable, readdress } from "../../base/packets/index.js";
import { hostsOf, type Topology } from "../topology/index.js";
import { CODES } from "./codes.js";
import type { PacketSource, TimedFrame } from "./workload.js";

/** Addresses of a prefix in the capture, and the host that replaces them. */
export interface MappedPrefix {
  readonly version: 4 | 6;
  readonly address: bigint;
  /** Bits of the prefix. */
  readonly length: number;
  /** Index in `Topology.nodes`. */
  readonly host: number;
}

export interface ReplaySpec {
  /** Name of the capture for messages. */
  readonly name: string;
  readonly packets: Iterator<RecordedPacket>;
  /** For each address the longest matching prefix counts. */
  readonly hosts: readonly MappedPrefix[];
  /** Whether other addresses are replaced by hosts too, chosen by a hash of the address; otherwise their packets are left out. */
  readonly spread: boolean;
  /** Factor for the times since the first packet. */
  readonly timeScale: number;
}

/** Frames keep all headers of the recorded packets except their addresses; see {@link readdress}. */
export class Replay implements PacketSource {
  /** Number of packets so far: sent; without IP; with an address of no host; with both ends on one host. */
  readonly counters = { sent: 0, notIp: 0, unmapped: 0, local: 0 };
  readonly #topology: Topology;
  readonly #spec: ReplaySpec;
  readonly #all: readonly number[];
  /** By version and address. */
  readonly #known = new Map<string, number | undefined>();
  #first: RecordedPacket | undefined;
  #latest = 0;

  constructor(spec: ReplaySpec, topology: Topology) {
    this.#spec = spec;
    this.#topology = topology;
    this.#all = hostsOf(topology).map(({ index }) => index);
  }

  /** Fails as the packets do, and with P42340 for a link that is neither Ethernet nor IP. */
  next(): TimedFrame | undefined {
    for (;;) {
      const { value: packet, done } = this.#spec.packets.next();
      if (done) return undefined;
      const sent = this.#send(packet);
      if (sent === undefined) continue;
      this.counters.sent++;
      return sent;
    }
  }

  #send(packet: RecordedPacket): TimedFrame | undefined {
    const { frame, length, linkType } = packet;
    if (!isReadable(linkType))
      fail(
        CODES.captureLink,
        undefined,
        `${this.#spec.name}: link type ${linkType} is neither Ethernet nor IP`,
      );
    this.#first ??= packet;
    const ip = ipPacket(frame, linkType);
    if (ip === undefined) return this.#leaveOut("notIp");
    const source = this.#hostOf(ip.version, ip.source);
    const destination = this.#hostOf(ip.version, ip.destination);
    if (source === undefined || destination === undefined) return this.#leaveOut("unmapped");
    if (source === destination) return this.#leaveOut("local");
    const { nodes } = this.#topology;
    const [from, to] = [nodes[source]!, nodes[destination]!];
    const family = ip.version === 4 ? "ipv4" : "ipv6";
    const ends = {
      sourceMac: from.mac,
      destinationMac: nodes[from.ports[0]!.peer]!.mac,
      source: from.host![family],
      destination: to.host![family],
    };
    // In captures of several interfaces the times may be slightly out of order.
    this.#latest = Math.max(this.#latest, Math.floor(this.#sinceFirst(packet) * this.#spec.timeScale));
    return { timeNs: this.#latest, host: source, frame: readdress(frame, ip, length, ends) };
  }

  #leaveOut(why: "notIp" | "unmapped" | "local"): undefined {
    this.counters[why]++;
  }

  #sinceFirst({ seconds, nanoseconds }: RecordedPacket): number {
    return (seconds - this.#first!.seconds) * 1e9 + nanoseconds - this.#first!.nanoseconds;
  }

  #hostOf(version: 4 | 6, address: bigint): number | undefined {
    const key = `${version} ${address}`;
    let host = this.#known.get(key);
    if (host === undefined && !this.#known.has(key)) {
      host = this.#mapped(version, address) ?? this.#spreadTo(key);
      this.#known.set(key, host);
    }
    return host;
  }

  #mapped(version: 4 | 6, address: bigint): number | undefined {
    const bits = version === 4 ? 32 : 128;
    let best: MappedPrefix | undefined;
    for (const prefix of this.#spec.hosts) {
      if (prefix.version !== version || (best !== undefined && prefix.length <= best.length)) continue;
      const shift = BigInt(bits - prefix.length);
      if (address >> shift === prefix.address >> shift) best = prefix;
    }
    return best?.host;
  }

  /** FNV-1a of the digits, as the forks of random streams use. */
  #spreadTo(key: string): number | undefined {
    if (!this.#spec.spread) return undefined;
    let hash = 0x811c9dc5;
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193) >>> 0;
    return this.#all[hash % this.#all.length];
  }
}
