/** pcap files on disk: read in pieces; written in the order of the packets, while packets are forwarded. */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { DiagnosticError, Diagnostics, fail, systemErrorReason } from "../../base/index.js";
import { PcapDecoder, type PcapPacket, pcapHeader, pcapRecord } from "../../base/packets/index.js";
import { makeFolders } from "../loading/index.js";
import { BufferedFile } from "./buffered-file.js";
import { CODES } from "./codes.js";

const PIECE_BYTES = 256 * 1024;

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
      // Opening a pipe would wait for a writer.
      if (!statSync(path).isFile())
        fail(CODES.cannotRead, undefined, `cannot read ${path}: not a plain file`);
      return openSync(path, "r");
    });
  }

  /** The next packet, without consuming it; undefined at the end. */
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

/** Number of packets that are checked before other tasks run. */
const PACKETS_A_TURN = 512;

/** Reads a file to its end without using its packets, in turns. Fails as {@link PcapInput} does. */
export async function checkPcap(path: string): Promise<void> {
  const input = new PcapInput(path);
  try {
    for (let packets = 0; input.take() !== undefined; packets++)
      if (packets % PACKETS_A_TURN === PACKETS_A_TURN - 1) await nextTurn();
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
    fail(CODES.cannotRead, undefined, `cannot read ${path}: ${systemErrorReason(error)}`);
  }
}

/** A pcap file with stamps in microseconds. */
export class PcapOutput {
  readonly #file: BufferedFile;

  /**
   * Starts the file anew. Fails with P40003 when that cannot be done.
   * @param onError called once, with P40003, when the file cannot be written any more; later packets are not in it
   */
  constructor(path: string, onError: (error: unknown) => void) {
    try {
      makeFolders(dirname(path));
      this.#file = new BufferedFile(path, (error) => onError(cannotWrite(path, error)));
    } catch (error) {
      throw cannotWrite(path, error as Error);
    }
    this.#file.add(pcapHeader());
  }

  /**
   * Adds a packet, which is copied.
   * @param time milliseconds since the epoch
   */
  add(time: number, frame: Uint8Array): void {
    const seconds = Math.floor(time / 1000);
    const nanoseconds = Math.min(Math.round((time - 1000 * seconds) * 1e6), 999_999_999);
    this.#file.add(pcapRecord({ seconds, nanoseconds, frame }));
  }

  /** Writes what waits, and returns when it is written. */
  close(): void {
    this.#file.close();
  }
}

function cannotWrite(path: string, error: Error): DiagnosticError {
  const diagnostics = new Diagnostics();
  diagnostics.error(CODES.cannotWrite, undefined, `cannot write ${path}: ${systemErrorReason(error)}`);
  return new DiagnosticError(diagnostics.list);
}
