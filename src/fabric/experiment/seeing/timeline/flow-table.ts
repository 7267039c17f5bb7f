/** The flows of a run, found by the bytes of their packets. */
import { toBytes } from "../../../../base/index.js";
import { type FlowKey, FrameFields, Ip, Tcp } from "../../../../base/packets/index.js";

/** A flow while it is recorded. */
export interface OpenFlow {
  /** Its index in the record. */
  readonly index: number;
  readonly number: number;
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly bytes: number | undefined;
  readonly path: FlowPath;
  end: number | undefined;
  timeouts: number;
  retransmissions: number;
  /** The sequence number after the highest data that were sent; undefined before the first. */
  highest: number | undefined;
}

interface Entry {
  readonly addresses: Uint8Array;
  readonly protocol: number;
  readonly flow: OpenFlow;
  /** Another key with the same sum. */
  readonly next: Entry | undefined;
}

export class FlowTable {
  readonly #entries = new Map<number, Entry>();
  /** Fields of the frame that {@link find} read last. */
  readonly fields = new FrameFields();

  /** A later flow with the same five-tuple replaces the earlier one. */
  add(key: FlowKey, isV4: boolean, flow: OpenFlow): void {
    const length = isV4 ? 4 : 16;
    const addresses = Uint8Array.of(
      ...toBytes(key.src, length),
      ...toBytes(key.dst, length),
      ...[key.srcPort >> 8, key.srcPort & 0xff, key.dstPort >> 8, key.dstPort & 0xff],
    );
    const sum = sumOf(addresses, 0, 2 * length, 2 * length);
    this.#entries.set(sum, { addresses, protocol: key.protocol, flow, next: this.#entries.get(sum) });
  }

  /** The flow whose data a frame carries; undefined for other frames, acknowledgements among them. */
  find(frame: Uint8Array): OpenFlow | undefined {
    const { fields } = this;
    fields.read(frame);
    const { ipVersion, srcAt, portsAt, protocol } = fields;
    if (portsAt === 0) return undefined;
    const length = ipVersion === 4 ? 8 : 32;
    let entry = this.#entries.get(sumOf(frame, srcAt, length, portsAt));
    for (; entry !== undefined; entry = entry.next) {
      const { addresses } = entry;
      if (entry.protocol !== protocol || addresses.length !== length + 4) continue;
      let i = 0;
      while (i < length && addresses[i] === frame[srcAt + i]) i++;
      if (i < length) continue;
      while (i < length + 4 && addresses[i] === frame[portsAt + i - length]) i++;
      if (i === length + 4) return entry.flow;
    }
    return undefined;
  }
}

/** FNV-1a hash of addresses and ports. */
function sumOf(bytes: Uint8Array, at: number, length: number, portsAt: number): number {
  let sum = 0x811c9dc5;
  for (let i = at; i < at + length; i++) sum = Math.imul(sum ^ bytes[i]!, 0x01000193);
  for (let i = portsAt; i < portsAt + 4; i++) sum = Math.imul(sum ^ bytes[i]!, 0x01000193);
  return sum;
}

/** Sequence number and length of the data of a TCP segment, whose headers `fields` has read. */
export function segmentData(
  frame: Uint8Array,
  { ipVersion, ipAt, portsAt }: FrameFields,
): { readonly sequence: number; readonly length: number } {
  const end = Ip.endOf(frame, ipAt, ipVersion === 4 ? Ip.IPV4 : Ip.IPV6);
  const length = end - portsAt - Tcp.headerLength(frame, portsAt);
  // As a signed number: positions of a stream are told apart by differences.
  return { sequence: Tcp.sequence(frame, portsAt) | 0, length };
}

// The path of one flow's data through the network, from the links on which they arrive.

/** Maximum number of path changes that are kept for one flow; later ones are only counted. */
const MAX_PATHS = 32;

/** The two ends of directed links. */
export interface DirectionEnds {
  from(direction: number): number;
  to(direction: number): number;
}

export class FlowPath {
  /** Complete paths, each with the time from which data took it. */
  readonly paths: [at: number, directions: readonly number[]][] = [];
  /** How often data left a node by another link than earlier data. */
  moves = 0;
  #hops: number[] = [];
  #since = 0;

  constructor(
    readonly ends: DirectionEnds,
    readonly destination: number,
  ) {}

  /** Data of the flow arrived over a directed link. Returns the node at which they left the previous path, if they did. */
  arrived(direction: number, now: number): number | undefined {
    const hops = this.#hops;
    const { ends } = this;
    const node = ends.from(direction);
    for (let i = 0; i < hops.length; i++) {
      if (hops[i] === direction) return undefined;
      if (ends.from(hops[i]!) !== node) continue;
      // A new path begins here. Packets in flight on the rest of the old one do not belong to the new one.
      hops.length = i;
      hops.push(direction);
      this.#since = now;
      this.moves++;
      this.#complete(direction);
      return node;
    }
    if (hops.length === 0) this.#since = now;
    else if (ends.to(hops.at(-1)!) !== node) return undefined;
    hops.push(direction);
    this.#complete(direction);
    return undefined;
  }

  #complete(last: number): void {
    if (this.ends.to(last) !== this.destination || this.paths.length >= MAX_PATHS) return;
    const before = this.paths.at(-1)?.[1];
    if (before?.length === this.#hops.length && before.every((one, i) => one === this.#hops[i])) return;
    this.paths.push([this.#since, [...this.#hops]]);
  }
}
