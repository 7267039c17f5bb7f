/** Traces as a file of JSON lines: written with a bound on its size, read line by line. */
import { closeSync, createReadStream, openSync, renameSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { fail } from "../../base/index.js";
import type { PacketTrace } from "../../switch/index.js";

/** Bytes of a trace file before it starts anew, unless the user says otherwise. */
export const TRACE_FILE_BYTES = 100 * 1024 * 1024;

/** Lines that wait are written at once beyond this. */
const BUFFER_BYTES = 256 * 1024;

export interface TraceFileSetup {
  /** `-` stands for the output stream, which is not bounded. */
  path: string;
  /** When the file would grow beyond, it becomes PATH.1, in place of an older one, and PATH starts anew. */
  maxBytes: number;
}

export class TraceFile {
  #file: number | undefined;
  #bytes = 0;
  #waiting: string[] = [];
  #waitingBytes = 0;
  #flush: NodeJS.Immediate | undefined;

  /**
   * Starts the file anew. Fails with P40003 when that cannot be done.
   * @param print takes the lines of `-`
   * @param onError told once when the file cannot be written any more; later packets are not written
   */
  constructor(
    readonly setup: TraceFileSetup,
    readonly print: (text: string) => void,
    readonly onError: (error: unknown) => void,
  ) {
    if (setup.path !== "-") this.#try(() => this.#open());
  }

  #open(): void {
    this.#file = openSync(this.setup.path, "w");
    this.#bytes = 0;
  }

  add(packet: PacketTrace): void {
    const line = `${JSON.stringify(packet)}\n`;
    if (this.setup.path === "-") {
      this.print(line);
      return;
    }
    if (this.#file === undefined) return;
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    if (this.#waitingBytes > BUFFER_BYTES) this.#guard(() => this.#write());
    else this.#flush ??= setImmediate(() => this.#guard(() => this.#write()));
  }

  #write(): void {
    if (this.#flush !== undefined) clearImmediate(this.#flush);
    this.#flush = undefined;
    const lines = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    let text = "";
    let size = 0;
    const put = (): void => {
      if (this.#file !== undefined && text !== "") writeSync(this.#file, text);
      this.#bytes += size;
      text = "";
      size = 0;
    };
    for (const line of lines) {
      const length = Buffer.byteLength(line);
      if (this.#bytes + size > 0 && this.#bytes + size + length > this.setup.maxBytes) {
        put();
        this.#rotate();
      }
      text += line;
      size += length;
    }
    put();
  }

  #rotate(): void {
    const { path } = this.setup;
    this.#closeFile();
    renameSync(path, `${path}.1`);
    this.#open();
  }

  /** Writes what waits. */
  close(): void {
    if (this.#file === undefined) return;
    this.#guard(() => {
      this.#write();
      this.#closeFile();
    });
  }

  /** However closing ends, the descriptor is not one any more. */
  #closeFile(): void {
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined) closeSync(file);
  }

  #guard(task: () => void): void {
    try {
      this.#try(task);
    } catch (error) {
      try {
        this.#closeFile();
      } catch {
        // The first error is the one to tell.
      }
      this.onError(error);
    }
  }

  #try(task: () => void): void {
    try {
      task();
    } catch (error) {
      fail("P40003", undefined, `cannot write the trace ${this.setup.path}: ${(error as Error).message}`);
    }
  }
}

/**
 * The lines of a trace file. Fails with P40001 when it cannot be read.
 * @param path `-`: the input stream
 */
export async function* traceLines(path: string): AsyncGenerator<string> {
  const input = path === "-" ? process.stdin : createReadStream(path, "utf8");
  try {
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    fail("P40001", undefined, `cannot read ${path}: ${code === "ENOENT" ? "no such file" : message}`);
  }
}
