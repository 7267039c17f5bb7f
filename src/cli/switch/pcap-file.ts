/** pcap files on disk: read piece by piece, written in the order of the packets. */
import { closeSync, mkdirSync, openSync, readSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { fail } from "../../base/index.js";
import { PcapDecoder, type PcapPacket, pcapHeader, pcapRecord } from "../../traffic/index.js";

const PIECE_BYTES = 256 * 1024;
/** Beyond so many waiting bytes a file is written without being asked. */
const WAITING_BYTES = 1024 * 1024;

/** Fails with P40001 (cannot be read) or P4231x (not a sound pcap file). */
export class PcapInput {
  readonly #descriptor: number;
  readonly #decoder: PcapDecoder;
  readonly #piece = new Uint8Array(PIECE_BYTES);
  #head: PcapPacket | undefined;
  #open = true;

  constructor(readonly path: string) {
    this.#decoder = new PcapDecoder(path);
    this.#descriptor = reading(path, () => {
      // Opening a pipe would wait for whoever writes to it.
      if (!statSync(path).isFile()) fail("P40001", undefined, `cannot read ${path}: not a plain file`);
      return openSync(path, "r");
    });
  }

  /** The next packet, which stays; undefined at the end. */
  peek(): PcapPacket | undefined {
    while (this.#head === undefined && this.#open) {
      this.#head = this.#decoder.next();
      if (this.#head === undefined) this.#more();
    }
    return this.#head;
  }

  take(): PcapPacket | undefined {
    const packet = this.peek();
    this.#head = undefined;
    return packet;
  }

  close(): void {
    if (this.#open) closeSync(this.#descriptor);
    this.#open = false;
  }

  #more(): void {
    const length = reading(this.path, () => readSync(this.#descriptor, this.#piece, 0, PIECE_BYTES, null));
    if (length > 0) {
      this.#decoder.push(this.#piece.subarray(0, length));
      return;
    }
    this.close();
    this.#decoder.finish();
  }
}

/** Reads a file to its end: fails as {@link PcapInput} does, without a packet having been used. */
export function checkPcap(path: string): number {
  const input = new PcapInput(path);
  try {
    let packets = 0;
    while (input.take() !== undefined) packets++;
    return packets;
  } finally {
    input.close();
  }
}

function reading<T>(path: string, task: () => T): T {
  try {
    return task();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const reason = code === "ENOENT" ? "no such file" : code;
    fail("P40001", undefined, `cannot read ${path}: ${reason}`);
  }
}

/** A pcap file with stamps in microseconds. Every method fails with P40003 when the file cannot be written. */
export class PcapOutput {
  readonly #descriptor: number;
  #waiting: Uint8Array[] = [pcapHeader()];
  #bytes = 0;

  /** Starts the file anew. */
  constructor(readonly path: string) {
    this.#descriptor = this.#try(() => {
      mkdirSync(dirname(path), { recursive: true });
      return openSync(path, "w");
    });
    this.flush();
  }

  /**
   * Adds a packet; on disk after {@link flush}.
   * @param time milliseconds since the epoch
   */
  add(time: number, frame: Uint8Array): void {
    const seconds = Math.floor(time / 1000);
    const nanoseconds = Math.min(Math.round((time - 1000 * seconds) * 1e6), 999_999_999);
    this.#waiting.push(pcapRecord({ seconds, nanoseconds, frame }));
    this.#bytes += frame.length;
    if (this.#bytes >= WAITING_BYTES) this.flush();
  }

  flush(): void {
    if (this.#waiting.length === 0) return;
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#bytes = 0;
    this.#try(() => {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at);
    });
  }

  close(): void {
    try {
      this.flush();
    } finally {
      closeSync(this.#descriptor);
    }
  }

  #try<T>(task: () => T): T {
    try {
      return task();
    } catch (error) {
      fail("P40003", undefined, `cannot write ${this.path}: ${(error as Error).message}`);
    }
  }
}
