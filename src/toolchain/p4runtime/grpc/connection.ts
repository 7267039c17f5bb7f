/**
 * The server's side of one HTTP/2 connection (RFC 9113). Node's own module needs some 0.2 ms for each request, most of it for
 * objects and for calls between C++ and JavaScript. A controller that writes one entry a request waits for that time.
 */
import type { Duplex } from "node:stream";
import { ClosedStreams } from "./closed-streams.js";
import {
  ERROR,
  FLAG,
  FRAME,
  FRAME_BYTES,
  frame,
  HEADER_BYTES,
  headersFrames,
  MAX_WINDOW,
  PREFACE,
  putHeader,
  SETTING,
  settingsFrame,
  WINDOW_BYTES,
  wordFrame,
} from "./frames.js";
import { CompressionError, type Header, HeaderDecoder } from "./hpack.js";
import { areTrailers } from "./request.js";
import { type Ending, Http2Stream, type Transport } from "./stream.js";

/** Runs a task once after a number of milliseconds; the result cancels it. */
export type Later = (ms: number, task: () => void) => () => void;

export interface ConnectionOptions {
  /** Maximum number of requests of one connection at a time. Cancelled requests whose work has not ended count, too. */
  readonly maxStreams: number;
  /** Milliseconds between two PINGs, and from a PING until a client that sends nothing is disconnected. */
  readonly keepaliveMs: number;
  readonly keepaliveTimeoutMs: number;
  readonly later: Later;
  /** Maximum number of bytes of requests that are not complete or not answered. */
  readonly maxHeldBytes: number;
  /**
   * A request came; the receiver of the stream must be set. `complete`: no header was left out because there were too
   * many.
   */
  request(stream: Http2Stream, headers: readonly Header[], complete: boolean): void;
  /** The connection has ended. */
  closed(connection: Connection): void;
}

/** Receive windows of each stream and of the connection, in bytes. */
const STREAM_WINDOW = 1024 * 1024;
const CONNECTION_WINDOW = 16 * 1024 * 1024;
/** A header block as it is sent, and its headers. */
const MAX_HEADER_BYTES = 64 * 1024;
/** CONTINUATION frames of one header block. */
const MAX_CONTINUATIONS = 64;
/** Maximum number of bytes that wait for a client that does not read; with more, its connection is closed. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;
/** The same for messages that wait for the windows of their streams, beyond one message. */
const MAX_QUEUED_BYTES = 64 * 1024 * 1024;
/**
 * Frames that ask for nothing (pings, settings, priorities, resets, empty data, windows) between two PINGs of this side, beyond
 * {@link CONTROL_PER_ANSWER} for each frame of data and each status that the client got. A client that sends more only wants work done.
 */
const MAX_CONTROL_FRAMES = 10_000;
const CONTROL_PER_ANSWER = 10;

const NOTHING = Buffer.alloc(0);

/** An error of the whole connection (section 5.4.1). */
class ConnectionError extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

const protocolError = (message: string) => new ConnectionError(ERROR.PROTOCOL_ERROR, message);

export class Connection implements Transport {
  readonly #streams = new Map<number, Http2Stream>();
  readonly #closed = new ClosedStreams();
  readonly #decoder = new HeaderDecoder();
  /** Streams that have output, in the order in which they have their turn. */
  readonly #ready = new Set<Http2Stream>();
  /** Requests whose work has not ended. */
  #active = 0;
  #lastStream = 0;
  #input: Buffer = NOTHING;
  #hasPreface = false;
  #hasSettings = false;
  /** The header block that is coming. */
  #block: { stream: number; end: boolean; parts: Buffer[]; bytes: number } | undefined;
  #output: Buffer[] = [];
  #flushing = false;
  /** The socket's buffer is full. */
  #blocked = false;
  #window = WINDOW_BYTES;
  #taken = 0;
  #held = 0;
  #queued = 0;
  #control = 0;
  #peerWindow = WINDOW_BYTES;
  #peerFrame = FRAME_BYTES;
  #leaving = false;
  #over = false;
  #hasReceived = true;
  #cancelKeepalive: () => void;

  constructor(
    readonly socket: Duplex & { setNoDelay?(on: boolean): unknown },
    readonly options: ConnectionOptions,
  ) {
    socket.setNoDelay?.(true);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("drain", () => {
      this.#blocked = false;
      this.#pumpAll();
    });
    socket.on("error", () => this.#close());
    socket.on("end", () => this.#close());
    socket.on("close", () => this.#close());
    this.#push(
      settingsFrame([
        [SETTING.MAX_CONCURRENT_STREAMS, options.maxStreams],
        [SETTING.INITIAL_WINDOW_SIZE, STREAM_WINDOW],
        [SETTING.MAX_HEADER_LIST_SIZE, MAX_HEADER_BYTES],
      ]),
    );
    this.#push(wordFrame(FRAME.WINDOW_UPDATE, 0, CONNECTION_WINDOW - WINDOW_BYTES));
    this.#cancelKeepalive = options.later(options.keepaliveTimeoutMs, () => this.#watch());
  }

  /** Sends PINGs. Disconnects a client that sends nothing after a PING, or no preface at the start. */
  #watch(): void {
    const { keepaliveMs, keepaliveTimeoutMs, later } = this.options;
    if (!this.#hasPreface) {
      this.#close();
      return;
    }
    this.#hasReceived = false;
    this.#control = 0;
    this.#push(frame(FRAME.PING, 0, 0, Buffer.alloc(8)));
    this.#cancelKeepalive = later(keepaliveTimeoutMs, () => {
      if (this.#hasReceived)
        this.#cancelKeepalive = later(keepaliveMs - keepaliveTimeoutMs, () => this.#watch());
      else this.#close();
    });
  }

  /** Refuses new requests; the connection is closed when the requests in progress have ended. */
  leave(): void {
    if (this.#leaving || this.#over) return;
    this.#leaving = true;
    this.#push(wordFrame(FRAME.GOAWAY, 0, this.#lastStream, ERROR.NO_ERROR));
    this.#closeWhenIdle();
  }

  /** Closes the connection at once. */
  destroy(): void {
    this.#close();
  }

  #closeWhenIdle(): void {
    if (!this.#leaving || this.#streams.size > 0 || this.#over) return;
    this.#flush();
    this.socket.end();
  }

  #close(): void {
    if (this.#over) return;
    this.#over = true;
    this.#cancelKeepalive();
    this.socket.destroy();
    for (const stream of [...this.#streams.values()]) stream.cancel("reset");
    this.options.closed(this);
  }

  // --- Input

  #receive(chunk: Buffer): void {
    if (this.#over) return;
    this.#hasReceived = true;
    this.#input = this.#input.length === 0 ? chunk : Buffer.concat([this.#input, chunk]);
    try {
      this.#parse();
    } catch (error) {
      if (!(error instanceof ConnectionError || error instanceof CompressionError)) throw error;
      const code = error instanceof ConnectionError ? error.code : ERROR.COMPRESSION_ERROR;
      const text = Buffer.from(error.message);
      const goaway = Buffer.concat([Buffer.alloc(8), text]);
      goaway.writeUInt32BE(this.#lastStream, 0);
      goaway.writeUInt32BE(code, 4);
      this.#push(frame(FRAME.GOAWAY, 0, 0, goaway));
      this.#flush();
      this.#close();
    }
  }

  #parse(): void {
    const input = this.#input;
    let at = 0;
    if (!this.#hasPreface) {
      const length = Math.min(input.length, PREFACE.length);
      if (input.compare(PREFACE, 0, length, 0, length) !== 0) {
        this.#close();
        return;
      }
      if (length < PREFACE.length) return;
      this.#hasPreface = true;
      at = PREFACE.length;
    }
    this.#input = NOTHING;
    while (input.length - at >= HEADER_BYTES && !this.#over) {
      const length = input.readUIntBE(at, 3);
      if (length > FRAME_BYTES)
        throw new ConnectionError(
          ERROR.FRAME_SIZE_ERROR,
          `a frame of ${length} bytes; at most ${FRAME_BYTES}`,
        );
      const start = at + HEADER_BYTES;
      if (input.length - start < length) break;
      const type = input[at + 3]!;
      const flags = input[at + 4]!;
      const stream = input.readUInt32BE(at + 5) & 0x7fffffff;
      at = start + length;
      this.#frame(type, flags, stream, input.subarray(start, at));
    }
    // The rest is copied, so that the whole received buffer can be freed.
    if (at < input.length) this.#input = Buffer.from(input.subarray(at));
  }

  #frame(type: number, flags: number, id: number, payload: Buffer): void {
    if (!this.#hasSettings && type !== FRAME.SETTINGS) throw protocolError("the first frame is not SETTINGS");
    if (this.#block !== undefined && (type !== FRAME.CONTINUATION || id !== this.#block.stream))
      throw protocolError("a header block was not continued");
    switch (type) {
      case FRAME.DATA:
        this.#data(flags, id, payload);
        break;
      case FRAME.HEADERS:
        this.#headers(flags, id, payload);
        break;
      case FRAME.CONTINUATION:
        this.#continue(flags, payload);
        break;
      case FRAME.RST_STREAM:
        checkSize(payload, 4);
        this.#checkOpened(id);
        this.#countControl();
        this.#streams.get(id)?.cancel("reset");
        break;
      case FRAME.SETTINGS:
        this.#settings(flags, id, payload);
        break;
      case FRAME.PING:
        checkSize(payload, 8);
        if (id !== 0) throw protocolError("PING on a stream");
        if ((flags & FLAG.ACK) === 0) this.#push(frame(FRAME.PING, FLAG.ACK, 0, payload));
        this.#countControl();
        break;
      case FRAME.WINDOW_UPDATE:
        this.#windowUpdate(id, payload);
        break;
      case FRAME.PRIORITY:
        if (id === 0) throw protocolError("PRIORITY without a stream");
        this.#countControl();
        if (payload.length !== 5) this.#sizeOfPriority(id, payload);
        break;
      case FRAME.PUSH_PROMISE:
        throw protocolError("a client cannot promise");
      case FRAME.GOAWAY:
        // The client opens no more streams; the open streams continue.
        if (id !== 0) throw protocolError("GOAWAY on a stream");
        break;
      default:
        // Frames of other types are ignored (section 5.5).
        this.#countControl();
    }
  }

  #countControl(): void {
    this.#control++;
    if (this.#control > MAX_CONTROL_FRAMES)
      throw new ConnectionError(ERROR.ENHANCE_YOUR_CALM, "too many frames that ask for nothing");
  }

  #allowControl(): void {
    this.#control = Math.max(0, this.#control - CONTROL_PER_ANSWER);
  }

  /** An error of the stream alone, where there is one (section 6.3). */
  #sizeOfPriority(id: number, payload: Buffer): void {
    const stream = this.#streams.get(id);
    if (stream === undefined || stream.closed) checkSize(payload, 5);
    else this.#fail(stream, ERROR.FRAME_SIZE_ERROR);
  }

  /** An error of one stream (section 5.4.2). */
  #fail(stream: Http2Stream, error: number): void {
    stream.cancel("server");
    this.sendReset(stream, error);
  }

  /** DATA or HEADERS on a stream that is closed (section 5.1). */
  #late(id: number, ending: Ending | undefined): void {
    if (ending === "ended") throw new ConnectionError(ERROR.STREAM_CLOSED, `stream ${id} was ended`);
    if (ending !== "reset") return;
    this.#countControl();
    this.#push(wordFrame(FRAME.RST_STREAM, id, ERROR.STREAM_CLOSED));
  }

  /** A frame on a stream that the client has not opened yet is an error. */
  #checkOpened(id: number): void {
    if (id === 0 || id % 2 === 0 || id > this.#lastStream) throw protocolError(`stream ${id} is not open`);
  }

  #data(flags: number, id: number, payload: Buffer): void {
    this.#checkOpened(id);
    const { length } = payload;
    // All bytes are taken at once, so the windows never run out.
    this.#taken += length;
    if (2 * this.#taken >= CONNECTION_WINDOW) {
      this.#push(wordFrame(FRAME.WINDOW_UPDATE, 0, this.#taken));
      this.#taken = 0;
    }
    const stream = this.#streams.get(id);
    if (stream === undefined || stream.closed) {
      this.#late(id, stream?.ending ?? this.#closed.endingOf(id));
      return;
    }
    if (stream.ended) {
      this.#fail(stream, ERROR.STREAM_CLOSED);
      return;
    }
    const end = (flags & FLAG.END_STREAM) !== 0;
    if (length === 0 && !end) this.#countControl();
    stream.taken += length;
    if (!end && 2 * stream.taken >= STREAM_WINDOW) {
      this.#push(wordFrame(FRAME.WINDOW_UPDATE, id, stream.taken));
      stream.taken = 0;
    }
    const data = (flags & FLAG.PADDED) === 0 ? payload : unpadded(payload);
    if (data.length > 0) stream.receiver?.data(data);
    if (end) this.#ended(stream);
  }

  #ended(stream: Http2Stream): void {
    if (stream.closed) return;
    stream.ended = true;
    stream.receiver?.end();
  }

  #headers(flags: number, id: number, payload: Buffer): void {
    if (id === 0 || id % 2 === 0) throw protocolError(`a client cannot open stream ${id}`);
    let block = (flags & FLAG.PADDED) === 0 ? payload : unpadded(payload);
    if ((flags & FLAG.PRIORITY) !== 0) {
      if (block.length < 5)
        throw new ConnectionError(ERROR.FRAME_SIZE_ERROR, "HEADERS too short for a priority");
      block = block.subarray(5);
    }
    const end = (flags & FLAG.END_STREAM) !== 0;
    if ((flags & FLAG.END_HEADERS) !== 0) this.#headerBlock(id, end, block);
    else this.#block = { stream: id, end, parts: [block], bytes: block.length };
  }

  #continue(flags: number, payload: Buffer): void {
    const block = this.#block;
    if (block === undefined) throw protocolError("CONTINUATION without HEADERS");
    block.parts.push(payload);
    block.bytes += payload.length;
    if (block.bytes > MAX_HEADER_BYTES || block.parts.length > MAX_CONTINUATIONS)
      throw new ConnectionError(ERROR.ENHANCE_YOUR_CALM, "a header block that is too long");
    if ((flags & FLAG.END_HEADERS) === 0) return;
    this.#block = undefined;
    this.#headerBlock(block.stream, block.end, Buffer.concat(block.parts));
  }

  #headerBlock(id: number, end: boolean, block: Buffer): void {
    // Each block changes the table of the compression, so none is skipped.
    const { headers, complete } = this.#decoder.decode(block, MAX_HEADER_BYTES);
    if (id <= this.#lastStream) {
      this.#trailers(id, end, headers);
      return;
    }
    this.#lastStream = id;
    const stream = new Http2Stream(id, this, this.#peerWindow);
    if (this.#leaving || this.#active >= this.options.maxStreams) {
      this.sendReset(stream, ERROR.REFUSED_STREAM);
      this.#closed.add(id, "server");
      return;
    }
    this.#streams.set(id, stream);
    this.#active++;
    this.options.request(stream, headers, complete);
    if (end) this.#ended(stream);
  }

  /** Trailers end a request; gRPC takes nothing from them. */
  #trailers(id: number, end: boolean, headers: readonly Header[]): void {
    const stream = this.#streams.get(id);
    if (stream === undefined || stream.closed) {
      const ending = stream?.ending ?? this.#closed.endingOf(id);
      if (ending === undefined) throw protocolError(`stream ${id} after stream ${this.#lastStream}`);
      this.#late(id, ending);
    } else if (stream.ended) this.#fail(stream, ERROR.STREAM_CLOSED);
    else if (!end || !areTrailers(headers)) this.#fail(stream, ERROR.PROTOCOL_ERROR);
    else this.#ended(stream);
  }

  #settings(flags: number, id: number, payload: Buffer): void {
    if (id !== 0) throw protocolError("SETTINGS on a stream");
    if ((flags & FLAG.ACK) !== 0) {
      checkSize(payload, 0);
      return;
    }
    if (payload.length % 6 !== 0)
      throw new ConnectionError(ERROR.FRAME_SIZE_ERROR, "SETTINGS of a wrong size");
    this.#countControl();
    let window = this.#peerWindow;
    for (let at = 0; at < payload.length; at += 6) {
      const value = payload.readUInt32BE(at + 2);
      switch (payload.readUInt16BE(at)) {
        case SETTING.ENABLE_PUSH:
          if (value > 1) throw protocolError(`ENABLE_PUSH is ${value}`);
          break;
        case SETTING.INITIAL_WINDOW_SIZE:
          if (value > MAX_WINDOW)
            throw new ConnectionError(ERROR.FLOW_CONTROL_ERROR, "a window beyond 2^31 - 1");
          window = value;
          break;
        case SETTING.MAX_FRAME_SIZE:
          if (value < FRAME_BYTES || value > 2 ** 24 - 1) throw protocolError(`frames of ${value} bytes`);
          this.#peerFrame = value;
          break;
        default:
        // This side does not push, and uses no table for what it sends.
      }
    }
    this.#resizeWindows(window);
    this.#hasSettings = true;
    this.#push(frame(FRAME.SETTINGS, FLAG.ACK, 0));
    for (const stream of this.#streams.values()) this.pump(stream);
  }

  /** Of several sizes in one frame only the last counts, so a frame costs one pass over the streams. */
  #resizeWindows(size: number): void {
    const change = size - this.#peerWindow;
    this.#peerWindow = size;
    if (change === 0) return;
    for (const stream of this.#streams.values()) {
      if (!stream.widen(change))
        throw new ConnectionError(ERROR.FLOW_CONTROL_ERROR, "a window beyond 2^31 - 1");
    }
  }

  #windowUpdate(id: number, payload: Buffer): void {
    checkSize(payload, 4);
    this.#countControl();
    const bytes = payload.readUInt32BE(0) & 0x7fffffff;
    if (id === 0) {
      if (bytes === 0) throw protocolError("a window that grows by 0");
      this.#window += bytes;
      if (this.#window > MAX_WINDOW)
        throw new ConnectionError(ERROR.FLOW_CONTROL_ERROR, "a window beyond 2^31 - 1");
      this.#pumpAll();
      return;
    }
    this.#checkOpened(id);
    const stream = this.#streams.get(id);
    if (stream === undefined || stream.closed) return;
    if (bytes === 0) this.#fail(stream, ERROR.PROTOCOL_ERROR);
    else if (!stream.widen(bytes)) this.#fail(stream, ERROR.FLOW_CONTROL_ERROR);
    else this.pump(stream);
  }

  // --- Output

  #push(bytes: Buffer): void {
    if (this.#over) return;
    this.#output.push(bytes);
    if (this.#flushing) return;
    this.#flushing = true;
    process.nextTick(this.#flushSoon);
  }

  readonly #flushSoon = (): void => this.#flush();

  #flush(): void {
    this.#flushing = false;
    if (this.#over || this.#output.length === 0) return;
    const bytes = this.#output.length === 1 ? this.#output[0]! : Buffer.concat(this.#output);
    this.#output = [];
    if (!this.socket.write(bytes)) this.#blocked = true;
    if (this.socket.writableLength > MAX_UNREAD_BYTES) this.#close();
  }

  sendHeaders(stream: Http2Stream, block: Uint8Array, end: boolean): void {
    this.#push(headersFrames(stream.id, block, end, this.#peerFrame));
  }

  sendReset(stream: Http2Stream, error: number): void {
    this.#push(wordFrame(FRAME.RST_STREAM, stream.id, error));
  }

  queue(bytes: number): void {
    // One message may be as long as the bound of messages, so it is counted after the check.
    if (bytes > 0 && this.#queued > MAX_QUEUED_BYTES) this.#close();
    else this.#queued += bytes;
  }

  hold(bytes: number): boolean {
    this.#held += bytes;
    return bytes <= 0 || this.#held <= this.options.maxHeldBytes;
  }

  pump(stream: Http2Stream): void {
    if (!stream.hasOutput) return;
    this.#ready.add(stream);
    this.#pumpAll();
  }

  /** Sends a frame of each stream that has output in turn, until none may send. */
  #pumpAll(): void {
    if (this.#over) return;
    for (const stream of this.#ready) {
      this.#ready.delete(stream);
      if (!stream.hasOutput) continue;
      if (stream.waitingBytes > 0) {
        if (this.#blocked || this.#window <= 0) {
          // It is served when the socket or the window takes more.
          this.#ready.add(stream);
          if (this.#isStuck()) return;
          continue;
        }
        // A stream without a window is served after its next WINDOW_UPDATE.
        if (stream.window <= 0) continue;
        const data = stream.take(Math.min(stream.window, this.#window, this.#peerFrame))!;
        stream.window -= data.length;
        this.#window -= data.length;
        this.#allowControl();
        const out = Buffer.allocUnsafe(HEADER_BYTES + data.length);
        putHeader(out, 0, data.length, FRAME.DATA, 0, stream.id);
        out.set(data, HEADER_BYTES);
        this.#push(out);
        if (this.#output.length >= 64) this.#flush();
      }
      const trailers = stream.takeTrailers();
      if (trailers !== undefined) {
        this.sendHeaders(stream, trailers, true);
        this.#allowControl();
        stream.finished();
      } else if (stream.hasOutput) this.#ready.add(stream);
    }
  }

  /** Whether all streams that have output wait for the connection. */
  #isStuck(): boolean {
    for (const stream of this.#ready) if (stream.waitingBytes === 0) return false;
    return true;
  }

  release(stream: Http2Stream): void {
    this.#active--;
    this.#closed.add(stream.id, stream.ending);
    this.#ready.delete(stream);
    this.#streams.delete(stream.id);
    this.#closeWhenIdle();
  }
}

function checkSize(payload: Buffer, bytes: number): void {
  if (payload.length !== bytes)
    throw new ConnectionError(
      ERROR.FRAME_SIZE_ERROR,
      `a payload of ${payload.length} bytes instead of ${bytes}`,
    );
}

/** The payload of a frame with padding (section 6.1). */
function unpadded(payload: Buffer): Buffer {
  const padding = payload[0] ?? 0;
  if (padding + 1 > payload.length) throw protocolError("more padding than payload");
  return payload.subarray(1, payload.length - padding);
}
