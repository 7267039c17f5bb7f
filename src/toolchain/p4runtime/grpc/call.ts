/** One gRPC call over a stream: messages with their length in front, a status at the end. */
import { gunzip, type InputType, inflate, type ZlibOptions } from "node:zlib";
import { ERROR } from "./frames.js";
import { encodeHeaders, type Header } from "./hpack.js";
import { type Message, MessageReader, PREFIX_BYTES, TooLong } from "./messages.js";
import type { Http2Stream, Receiver } from "./stream.js";
import { encodeBinary, encodeMessage } from "./text.js";

/** The end of a call. */
export interface CallStatus {
  /** google.rpc.Code. */
  readonly code: number;
  readonly details: string;
  /** The trailer `grpc-status-details-bin`. */
  readonly detailsBin?: Uint8Array | undefined;
}

/** Handles the messages of a client in a call. */
export interface CallHandler {
  message(bytes: Uint8Array): void;
  /** The client sends no more messages. */
  ended(): void;
  /** The client cancelled the call, its deadline has passed, or its connection has ended. This is the last call. */
  cancel(): void;
}

export const CODE = {
  OK: 0,
  CANCELLED: 1,
  DEADLINE_EXCEEDED: 4,
  RESOURCE_EXHAUSTED: 8,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
} as const;

/** Longest timer of Node. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const RESPONSE: readonly Header[] = [
  [":status", "200"],
  ["content-type", "application/grpc"],
];
const RESPONSE_BLOCK = encodeHeaders(RESPONSE);
const OK_BLOCK = encodeHeaders([["grpc-status", "0"]]);

type Decompress = (
  bytes: InputType,
  options: ZlibOptions,
  done: (error: Error | null, out: Buffer) => void,
) => void;

/** How messages with the flag are compressed, by `grpc-encoding`. */
const ENCODINGS: Readonly<Record<string, Decompress>> = { gzip: gunzip, deflate: inflate };

export interface CallOptions {
  /** Largest message in bytes, also after decompression. */
  readonly maxBytes: number;
  /** As in `grpc-encoding`. */
  readonly encoding: string;
  /** Undefined: no limit. */
  readonly timeoutMs: number | undefined;
  /** Bytes that the client says it sends; undefined: it does not say. */
  readonly contentLength?: number | undefined;
  /** The handler keeps no message, so a message does not count as kept once it was delivered. */
  readonly isStream: boolean;
}

export class Call implements Receiver {
  handler: CallHandler | undefined;
  /** The client receives nothing more. */
  cancelled = false;
  /** The work for the call ends with the call. */
  settlesAtEnd = false;
  readonly #reader: MessageReader;
  /** Bytes of the body so far. */
  #received = 0;
  /** Bytes that count as kept by the connection. */
  #held = 0;
  /** Messages after a compressed message wait until it is decompressed. */
  #decompressing: Promise<void> | undefined;
  #responded = false;
  #over = false;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly stream: Http2Stream,
    readonly options: CallOptions,
  ) {
    this.#reader = new MessageReader(options.maxBytes);
    const { timeoutMs } = options;
    if (timeoutMs === undefined || timeoutMs > MAX_TIMER_MS) return;
    this.#timer = setTimeout(() => {
      const { handler } = this;
      this.fail({ code: CODE.DEADLINE_EXCEEDED, details: "the time of the call is over" });
      this.cancelled = true;
      handler?.cancel();
    }, timeoutMs);
  }

  data(bytes: Buffer): void {
    if (this.#over) return;
    this.#received += bytes.length;
    if (this.#received > (this.options.contentLength ?? Infinity)) {
      this.#malformed();
      return;
    }
    if (!this.#hold(bytes.length)) return;
    this.#reader.push(bytes);
    try {
      for (let next = this.#reader.next(); next !== undefined; next = this.#reader.next()) {
        this.#take(next);
        if (this.#over) return;
      }
    } catch (error) {
      if (!(error instanceof TooLong)) throw error;
      this.#refuse(CODE.RESOURCE_EXHAUSTED, error.message);
    }
  }

  #take({ isCompressed, bytes }: Message): void {
    if (isCompressed) this.#decompress(bytes);
    else
      this.#deliver(() => {
        if (this.options.isStream) this.#hold(-PREFIX_BYTES - bytes.length);
        this.handler?.message(bytes);
      });
  }

  /** Counts bytes that are kept for this call, or no longer; ends the call and returns false when the connection keeps too many. */
  #hold(bytes: number): boolean {
    this.#held += bytes;
    if (this.stream.transport.hold(bytes)) return true;
    this.#refuse(
      CODE.RESOURCE_EXHAUSTED,
      "the requests of this connection that have not been answered are too large together",
    );
    return false;
  }

  #decompress(message: Buffer): void {
    const decompress = Object.hasOwn(ENCODINGS, this.options.encoding)
      ? ENCODINGS[this.options.encoding]
      : undefined;
    if (decompress === undefined) {
      const known = Object.keys(ENCODINGS).join(" and ");
      this.#refuse(
        CODE.UNIMPLEMENTED,
        `messages of the encoding "${this.options.encoding}"; ${known} are possible`,
      );
      return;
    }
    const before = this.#decompressing ?? Promise.resolve();
    this.#decompressing = before.then(
      () =>
        new Promise((resolve) => {
          decompress(message, { maxOutputLength: this.options.maxBytes }, (error, out) => {
            if (this.#over) resolve();
            else if (error === null) this.#decompressed(message.length, out);
            else {
              const isLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
              this.#refuse(
                isLarge ? CODE.RESOURCE_EXHAUSTED : CODE.INTERNAL,
                isLarge
                  ? `a message of more than ${this.options.maxBytes} bytes`
                  : `a message that is not ${this.options.encoding}`,
              );
            }
            resolve();
          });
        }),
    );
  }

  #decompressed(before: number, message: Buffer): void {
    const kept = this.options.isStream ? 0 : message.length;
    if (this.#hold(kept - PREFIX_BYTES - before)) this.handler?.message(message);
  }

  /** In the order in which the client sent it. */
  #deliver(task: () => void): void {
    if (this.#decompressing === undefined) task();
    else
      this.#decompressing = this.#decompressing.then(() => {
        if (!this.#over) task();
      });
  }

  end(): void {
    if (this.#over) return;
    if (this.#received < (this.options.contentLength ?? 0)) this.#malformed();
    else if (this.#reader.rest > 0) this.#refuse(CODE.INTERNAL, "the last message is not complete");
    else this.#deliver(() => this.handler?.ended());
  }

  cancel(): void {
    if (this.#over) return;
    this.#finish();
    this.cancelled = true;
    this.handler?.cancel();
  }

  /** The body has not the length that its header gives (RFC 9113, section 8.1.1). */
  #malformed(): void {
    const { handler } = this;
    this.#finish();
    this.cancelled = true;
    this.stream.reset(ERROR.PROTOCOL_ERROR);
    handler?.cancel();
  }

  /** Ends a call whose client broke the rules; the handler gets `cancel` as its last call. */
  #refuse(code: number, details: string): void {
    const { handler } = this;
    this.fail({ code, details });
    this.cancelled = true;
    handler?.cancel();
  }

  #finish(): void {
    this.#over = true;
    this.#reader.clear();
    clearTimeout(this.#timer);
    if (this.settlesAtEnd) this.settle();
  }

  #respond(): void {
    if (this.#responded) return;
    this.#responded = true;
    this.stream.respond(RESPONSE_BLOCK);
  }

  /** Sends a message; returns false when the client reads more slowly than this side writes. */
  write(message: Uint8Array): boolean {
    if (this.#over) return true;
    this.#respond();
    const out = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
    out[0] = 0;
    out.writeUInt32BE(message.length, 1);
    out.set(message, PREFIX_BYTES);
    return this.stream.send(out);
  }

  get needsDrain(): boolean {
    return this.stream.needsDrain;
  }

  once(_event: "drain", listener: () => void): void {
    this.stream.onceDrained(listener);
  }

  /** Resolves when the client has read more, or when the call has ended; at once when nothing waits. */
  drained(): Promise<void> {
    if (!this.needsDrain) return Promise.resolve();
    return new Promise((resolve) => this.stream.onceDrained(resolve));
  }

  succeed(): void {
    if (this.#over) return;
    this.#respond();
    this.#finish();
    this.stream.finish(OK_BLOCK);
  }

  fail({ code, details, detailsBin }: CallStatus): void {
    if (this.#over) return;
    this.#finish();
    const status: Header[] = [
      ["grpc-status", String(code)],
      ["grpc-message", encodeMessage(details)],
    ];
    if (detailsBin !== undefined) status.push(["grpc-status-details-bin", encodeBinary(detailsBin)]);
    // Without a message there is one header block only.
    this.stream.finish(encodeHeaders(this.#responded ? status : [...RESPONSE, ...status]));
  }

  /** The work for the call has ended. */
  settle(): void {
    if (this.#held !== 0) this.stream.transport.hold(-this.#held);
    this.#held = 0;
    this.stream.settle();
  }
}

/** Ends a request that is not gRPC with a status of HTTP. */
export function refuseRequest(stream: Http2Stream, status: number): void {
  stream.finish(encodeHeaders([[":status", String(status)]]));
  stream.settle();
}

/** Ends a request that breaks the rules of HTTP/2. */
export function resetRequest(stream: Http2Stream): void {
  stream.reset(ERROR.PROTOCOL_ERROR);
  stream.settle();
}
