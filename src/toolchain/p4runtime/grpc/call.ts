/** One gRPC call over a stream: messages with their length in front, a status at the end. */
import { gunzip, type InputType, inflate, type ZlibOptions } from "node:zlib";
import { ERROR } from "./frames.js";
import { encodeHeaders, type Header } from "./hpack.js";
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

/** Bytes before a message: a flag that it is compressed, and its length. */
const PREFIX_BYTES = 5;
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
}

export class Call implements Receiver {
  handler: CallHandler | undefined;
  /** The client receives nothing more. */
  cancelled = false;
  /** The work for the call ends with the call. */
  settlesAtEnd = false;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  /** Messages after a compressed message wait until it is decompressed. */
  #decompressing: Promise<void> | undefined;
  #responded = false;
  #over = false;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(
    readonly stream: Http2Stream,
    readonly options: CallOptions,
  ) {
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
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    while (!this.#over && this.#bytes >= PREFIX_BYTES && this.#next());
  }

  /** Takes one message from the chunks; returns false when it is not complete. */
  #next(): boolean {
    const first = this.#joined(PREFIX_BYTES);
    const length = first.readUInt32BE(1);
    const { maxBytes } = this.options;
    if (length > maxBytes) {
      this.#refuse(CODE.RESOURCE_EXHAUSTED, `a message of ${length} bytes; at most ${maxBytes} are taken`);
      return false;
    }
    if (this.#bytes < PREFIX_BYTES + length) return false;
    const whole = this.#joined(PREFIX_BYTES + length);
    const message = whole.subarray(PREFIX_BYTES, PREFIX_BYTES + length);
    const rest = whole.subarray(PREFIX_BYTES + length);
    if (rest.length > 0) this.#chunks[0] = rest;
    else this.#chunks.shift();
    this.#bytes -= PREFIX_BYTES + length;
    if (whole[0] === 0) this.#deliver(() => this.handler?.message(message));
    else this.#decompress(message);
    return true;
  }

  /** The first chunk with at least this number of bytes. */
  #joined(bytes: number): Buffer {
    let first = this.#chunks[0]!;
    if (first.length < bytes) {
      first = Buffer.concat(this.#chunks);
      this.#chunks.splice(0, this.#chunks.length, first);
    }
    return first;
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
            else if (error === null) this.handler?.message(out);
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
    if (this.#bytes > 0) this.#refuse(CODE.INTERNAL, "the last message is not complete");
    else this.#deliver(() => this.handler?.ended());
  }

  cancel(): void {
    if (this.#over) return;
    this.#finish();
    this.cancelled = true;
    this.handler?.cancel();
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
    this.#chunks.length = 0;
    this.#bytes = 0;
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
