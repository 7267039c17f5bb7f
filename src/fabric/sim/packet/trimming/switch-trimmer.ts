/** Packet trimming at one switch: which packets are cut or wait with the headers, by their code points, and what was counted. */
import { Ethernet, Trimming } from "../../../../base/packets/index.js";
import type { PacketTrimmer, TrimClass } from "../../../../toolchain/switch/index.js";
import type { TrimOptions } from "./trim-options.js";

/** Of one port; counts since the switch was made. */
export interface TrimCounts {
  /** Packets that were cut. */
  trimmed: number;
  /** Of these: lost, since the queue for headers was full. */
  lost: number;
  /** Packets lost there that had not been cut here: answers, packets not longer than a cut one, and headers that another switch had cut. */
  refused: number;
  /** The most bytes that waited there. */
  most: number;
}

export class SwitchTrimmer implements PacketTrimmer {
  readonly queueBytes: number;
  readonly perPacket: number | undefined;
  readonly #length: number;
  readonly #ports: (TrimCounts | undefined)[] = [];

  constructor({ queueBytes, length, perPacket }: TrimOptions) {
    this.queueBytes = queueBytes;
    this.#length = length;
    this.perPacket = perPacket;
  }

  classOf(frame: Uint8Array): TrimClass {
    switch (Trimming.dscpOf(frame)) {
      case Trimming.DSCP.trimmable:
        return "trimmable";
      case Trimming.DSCP.trimmed:
      case Trimming.DSCP.control:
        return "header";
      default:
        return "data";
    }
  }

  lengthOf(frame: Uint8Array): number {
    return this.#length + Ethernet.innerAt(frame) - Ethernet.LENGTH;
  }

  finish(frame: Uint8Array): Uint8Array {
    const length = this.lengthOf(frame);
    const cut = frame.length > length ? frame.slice(0, length) : frame;
    Trimming.markTrimmed(cut);
    return cut;
  }

  trimmed(port: number, waits: boolean): void {
    const counts = this.countsOf(port);
    counts.trimmed++;
    if (!waits) counts.lost++;
  }

  refused(port: number): void {
    this.countsOf(port).refused++;
  }

  waits(port: number, bytes: number): void {
    const counts = this.countsOf(port);
    if (bytes > counts.most) counts.most = bytes;
  }

  countsOf(port: number): TrimCounts {
    let counts = this.#ports[port];
    if (counts === undefined) {
      counts = { trimmed: 0, lost: 0, refused: 0, most: 0 };
      this.#ports[port] = counts;
    }
    return counts;
  }
}
