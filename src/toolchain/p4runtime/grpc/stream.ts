/**
 * One request of a connection. Received bytes are given to its receiver; bytes to send wait for the flow-control windows
 * of the client.
 */
import { ERROR, MAX_WINDOW } from "./frames.js";

/** Receives what a client sends on a stream. All functions are called from the event loop. */
export interface Receiver {
  data(bytes: Buffer): void;
  /** The client sends nothing more. */
  end(): void;
  /** The client cancelled the request, or its connection has ended. This is the last call. */
  cancel(): void;
}

/** Operations of the connection that a stream uses. */
export interface Transport {
  /** Sends a header block at once. */
  sendHeaders(stream: Http2Stream, block: Uint8Array, end: boolean): void;
  /** Sends what waits in the stream as far as the windows allow, now or later. */
  pump(stream: Http2Stream): void;
  sendReset(stream: Http2Stream, error: number): void;
  /** Counts bytes that wait in a stream to be sent; negative when they have left. */
  queue(bytes: number): void;
  /** Counts bytes of requests that are kept, negative when they are not kept any more; returns false when there are too many. */
  hold(bytes: number): boolean;
  /** The request is complete: the connection forgets the stream. */
  release(stream: Http2Stream): void;
}

/** Bytes that may wait before {@link Http2Stream.send} asks to wait. */
const HIGH_WATER = 64 * 1024;

/** What closed a stream: the client ended it, the client reset it, or this side did, perhaps while the client was sending. */
export type Ending = "ended" | "reset" | "server";

export class Http2Stream {
  receiver: Receiver | undefined;
  /** Bytes that the client still takes. */
  window: number;
  /** Bytes of the client's window that were received and not returned. */
  taken = 0;
  /** Neither side sends more. */
  closed = false;
  ending: Ending = "server";
  /** The client sends nothing more. */
  ended = false;
  readonly #waiting: Buffer[] = [];
  /** Bytes of the first buffer that were sent. */
  #sent = 0;
  #waitingBytes = 0;
  #trailers: Uint8Array | undefined;
  #finishing = false;
  #settled = false;
  #drained: (() => void)[] = [];

  constructor(
    readonly id: number,
    readonly transport: Transport,
    window: number,
  ) {
    this.window = window;
  }

  get needsDrain(): boolean {
    return !this.closed && this.#waitingBytes >= HIGH_WATER;
  }

  /** Whether data or trailers wait to be sent. */
  get hasOutput(): boolean {
    return !this.closed && (this.#waitingBytes > 0 || this.#trailers !== undefined);
  }

  /** The number of bytes that wait. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  respond(block: Uint8Array): void {
    if (!this.closed) this.transport.sendHeaders(this, block, false);
  }

  /** Sends data; returns false when the client reads more slowly than this side writes. */
  send(bytes: Buffer): boolean {
    if (this.closed || this.#finishing) return true;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.transport.queue(bytes.length);
    this.transport.pump(this);
    return !this.needsDrain;
  }

  /** Calls back once when less waits than before {@link send} returned false, or when the stream is closed. */
  onceDrained(listener: () => void): void {
    this.#drained.push(listener);
  }

  /** Sends a block of trailers after all data, and ends the stream. */
  finish(block: Uint8Array): void {
    if (this.closed || this.#finishing) return;
    this.#finishing = true;
    this.#trailers = block;
    this.transport.pump(this);
  }

  reset(error: number): void {
    if (this.closed) return;
    this.transport.sendReset(this, error);
    this.close();
  }

  /** The next piece of data of at most this number of bytes; undefined if there is none. */
  take(most: number): Buffer | undefined {
    const first = this.#waiting[0];
    if (first === undefined) return undefined;
    const piece = first.subarray(this.#sent, this.#sent + most);
    this.#sent += piece.length;
    if (this.#sent === first.length) {
      this.#waiting.shift();
      this.#sent = 0;
    }
    this.#waitingBytes -= piece.length;
    this.transport.queue(-piece.length);
    if (this.#drained.length > 0 && this.#waitingBytes < HIGH_WATER) this.#notify();
    return piece;
  }

  /** The trailers, when all data was sent; they are given once. */
  takeTrailers(): Uint8Array | undefined {
    if (this.#waiting.length > 0) return undefined;
    const block = this.#trailers;
    this.#trailers = undefined;
    return block;
  }

  /** Adds to the window; returns false when it would be too large. */
  widen(bytes: number): boolean {
    this.window += bytes;
    return this.window <= MAX_WINDOW;
  }

  /** The client cancelled the request or broke its rules, or the connection has ended. */
  cancel(ending: Ending): void {
    if (this.closed) return;
    const { receiver } = this;
    this.ending = ending;
    this.close();
    receiver?.cancel();
  }

  /** Ends both directions. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.#waiting.length = 0;
    this.transport.queue(-this.#waitingBytes);
    this.#waitingBytes = 0;
    this.#notify();
    if (this.#settled) this.transport.release(this);
  }

  /** The trailers were sent. When the client has not ended its request, it is asked to stop. */
  finished(): void {
    if (this.ended) this.ending = "ended";
    else this.transport.sendReset(this, ERROR.NO_ERROR);
    this.close();
  }

  /** The work for the request has ended, perhaps after the client cancelled it. */
  settle(): void {
    if (this.#settled) return;
    this.#settled = true;
    if (this.closed) this.transport.release(this);
  }

  /** Listeners may send, so they run after the piece that is being taken has left. */
  #notify(): void {
    const listeners = this.#drained;
    this.#drained = [];
    for (const listener of listeners) queueMicrotask(listener);
  }
}
