/**
 * A file that is written without blocking the event loop: added bytes wait in memory, and are written in large pieces while
 * packets are forwarded. Memory is bounded: when the disk is slower than the packets, the writer waits for the disk.
 */

import { close, closeSync, fstatSync, openSync, write, writeSync } from "node:fs";
import { defined } from "../../base/index.js";

/** Maximum number of waiting bytes; beyond it an addition itself writes to the disk. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

export class BufferedFile {
  readonly #descriptor: number;
  /** Pipes and devices have no positions, so that two writes cannot overlap: they are written at once. */
  readonly #seekable: boolean;
  /** Position of the waiting bytes, after the piece that is being written. */
  #position = 0;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** The piece that is being written, and where. */
  #piece: { bytes: Uint8Array; position: number } | undefined;
  #scheduled: NodeJS.Immediate | undefined;
  #state: "open" | "ending" | "closed" = "open";

  /**
   * Creates the file, or truncates it.
   * @param onError called once with the first error after the file was opened; the file is closed then, and later
   *   additions are ignored
   * @param onEnd called when the file is closed
   * @throws the system's error when the file cannot be opened
   */
  constructor(
    readonly path: string,
    readonly onError: (error: Error) => void,
    readonly onEnd: () => void = () => {},
  ) {
    this.#descriptor = openSync(path, "w");
    this.#seekable = fstatSync(this.#descriptor).isFile();
  }

  get isOpen(): boolean {
    return this.#state === "open";
  }

  /** Adds bytes, which must not change any more. */
  add(bytes: Uint8Array): void {
    if (this.#state !== "open") return;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.#guard(() => this.#writeNow());
    else this.#schedule();
  }

  /** Accepts no more bytes, and closes the file when all are written. */
  end(): void {
    if (this.#state !== "open") return;
    this.#state = "ending";
    this.#schedule();
  }

  /** Writes all waiting bytes, and returns when they are written. */
  close(): void {
    if (this.#state === "closed") return;
    this.#guard(() => {
      this.#writeNow();
      this.#finish();
    });
  }

  #schedule(): void {
    if (this.#piece !== undefined || this.#state === "closed") return;
    this.#scheduled ??= setImmediate(() => {
      this.#scheduled = undefined;
      this.#guard(() => this.#next());
    });
  }

  #next(): void {
    if (this.#waitingBytes === 0) {
      if (this.#state === "ending") this.#finish();
      return;
    }
    if (this.#seekable) this.#write(this.#take());
    else this.#writeNow();
    if (this.#state === "ending") this.#schedule();
  }

  #take(): Uint8Array {
    const bytes = this.#waiting.length === 1 ? defined(this.#waiting[0]) : Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    return bytes;
  }

  #write(bytes: Uint8Array): void {
    const position = this.#position;
    this.#piece = { bytes, position };
    this.#position += bytes.length;
    const rest = (done: number): void =>
      write(this.#descriptor, bytes, done, bytes.length - done, position + done, (error, written) => {
        if (error === null && done + written < bytes.length && this.#state !== "closed") {
          rest(done + written);
          return;
        }
        this.#piece = undefined;
        if (this.#state === "closed") close(this.#descriptor);
        else if (error !== null) this.#fail(error);
        else if (this.#waitingBytes > 0 || this.#state === "ending") this.#schedule();
      });
    rest(0);
  }

  /** Writes synchronously; also the piece that is being written, again, since its end cannot be awaited here. */
  #writeNow(): void {
    if (this.#piece !== undefined) this.#writeAll(this.#piece.bytes, this.#piece.position);
    const bytes = this.#take();
    this.#writeAll(bytes, this.#position);
    this.#position += bytes.length;
  }

  #writeAll(bytes: Uint8Array, position: number): void {
    for (let done = 0; done < bytes.length; ) {
      const at = this.#seekable ? position + done : null;
      done += writeSync(this.#descriptor, bytes, done, bytes.length - done, at);
    }
  }

  /** The descriptor stays open while a write uses it. */
  #finish(): void {
    this.#state = "closed";
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.onEnd();
    if (this.#piece === undefined) closeSync(this.#descriptor);
  }

  #guard(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #fail(error: Error): void {
    if (this.#state !== "closed") {
      try {
        this.#finish();
      } catch {
        // The first error is the one to report.
      }
    }
    this.onError(error);
  }
}
