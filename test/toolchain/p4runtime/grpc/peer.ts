/** A server of gRPC and clients of HTTP/2 by hand, for tests of the transport. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { Method } from "../../../../src/toolchain/p4runtime/grpc/calls.js";
import type { Later } from "../../../../src/toolchain/p4runtime/grpc/connection.js";
import {
  FLAG,
  FRAME,
  frame,
  PREFACE,
  settingsFrame,
} from "../../../../src/toolchain/p4runtime/grpc/frames.js";
import { encodeHeaders, HeaderDecoder } from "../../../../src/toolchain/p4runtime/grpc/hpack.js";
import { listen } from "../../../../src/toolchain/p4runtime/grpc/server.js";

/** Largest message of the server. */
export const MAX_BYTES = 1 << 20;

interface Frame {
  type: number;
  flags: number;
  stream: number;
  payload: Buffer;
}

/** A message of gRPC: its flag, its length, its bytes. */
export const message = (bytes: Uint8Array | string, flag = 0): Buffer => {
  const body = Buffer.from(bytes as string);
  const out = Buffer.alloc(5 + body.length);
  out[0] = flag;
  out.writeUInt32BE(body.length, 1);
  out.set(body, 5);
  return out;
};

/** A server whose methods echo, answer with many bytes, and wait. */
export async function start(options: { maxCalls?: number; later?: Later } = {}) {
  const held: (() => void)[] = [];
  const told: string[] = [];
  const methods = new Map<string, Method>([
    ["/t/Echo", { kind: "unary", handle: async (bytes) => bytes }],
    [
      "/t/Hold",
      { kind: "unary", handle: (bytes) => new Promise((resolve) => held.push(() => resolve(bytes))) },
    ],
    [
      "/t/Many",
      {
        kind: "serverStream",
        handle: async (bytes, call) => {
          for (let i = 0; i < Number(Buffer.from(bytes).toString()); i++) {
            if (!call.write(new Uint8Array(10_000).fill(i))) await call.drained();
            if (call.cancelled) {
              told.push(`cancelled after ${i}`);
              return;
            }
          }
        },
      },
    ],
    [
      "/t/Both",
      {
        kind: "duplex",
        handle: (call) => ({
          message: (bytes) => void call.write(bytes),
          ended: () => call.succeed(),
          cancel: () => told.push("cancelled"),
        }),
      },
    ],
  ]);
  const server = await listen({
    ...{
      address: "127.0.0.1:0",
      maxBytes: MAX_BYTES,
      maxCalls: 10,
      maxConnections: 100,
      keepaliveMs: 60_000,
      keepaliveTimeoutMs: 30_000,
    },
    ...options,
    methods,
    statusOf: (error) => ({ code: 13, details: String(error) }),
  });
  onTestFinished(() => server.close(0));
  return { server, held, told };
}

/** A client that sends and receives frames. */
export class Client {
  readonly frames: Frame[] = [];
  readonly #decoder = new HeaderDecoder();
  #rest = Buffer.alloc(0);
  #wake: () => void = () => {};
  closed = false;

  constructor(readonly socket: Socket) {
    socket.on("data", (chunk) => {
      this.#rest = Buffer.concat([this.#rest, chunk]);
      while (this.#rest.length >= 9) {
        const length = this.#rest.readUIntBE(0, 3);
        if (this.#rest.length < 9 + length) break;
        const payload = this.#rest.subarray(9, 9 + length);
        this.frames.push({
          type: this.#rest[3]!,
          flags: this.#rest[4]!,
          stream: this.#rest.readUInt32BE(5),
          payload,
        });
        this.#rest = this.#rest.subarray(9 + length);
      }
      this.#wake();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      this.closed = true;
      this.#wake();
    });
  }

  send(...frames: Uint8Array[]): void {
    this.socket.write(Buffer.concat(frames));
  }

  /** Waits until a frame has come, or the connection is closed. */
  async until(test: (frame: Frame) => boolean): Promise<Frame> {
    for (;;) {
      const found = this.frames.find(test);
      if (found !== undefined) return found;
      if (this.closed) throw new Error("the connection is closed");
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  headersOf({ payload }: Frame): Record<string, string> {
    return Object.fromEntries(this.#decoder.decode(payload, 1e6).headers);
  }

  /** The trailers of a stream. */
  async end(stream: number): Promise<Record<string, string>> {
    return this.headersOf(
      await this.until(
        (f) => f.stream === stream && f.type === FRAME.HEADERS && (f.flags & FLAG.END_STREAM) !== 0,
      ),
    );
  }

  dataOf(stream: number): Buffer {
    return Buffer.concat(
      this.frames.filter((f) => f.stream === stream && f.type === FRAME.DATA).map(({ payload }) => payload),
    );
  }

  /** The error with which the server ends the connection. */
  async goaway(): Promise<number> {
    return (await this.until((f) => f.type === FRAME.GOAWAY)).payload.readUInt32BE(4);
  }

  async reset(stream: number): Promise<number> {
    return (await this.until((f) => f.type === FRAME.RST_STREAM && f.stream === stream)).payload.readUInt32BE(
      0,
    );
  }
}

/** A connection after its preface and the client's settings. */
export async function dial(port: number, settings: [number, number][] = []) {
  const socket = connect(port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  await once(socket, "connect");
  const client = new Client(socket);
  client.send(PREFACE, settingsFrame(settings));
  return client;
}

/** The header block of a request. */
export const request = (path: string, more: [string, string][] = []) =>
  encodeHeaders([
    [":method", "POST"],
    [":scheme", "http"],
    [":path", path],
    ["te", "trailers"],
    ["content-type", "application/grpc"],
    ...more,
  ]);

export const open = (stream: number, path: string, more: [string, string][] = []) =>
  frame(FRAME.HEADERS, FLAG.END_HEADERS, stream, request(path, more));
export const data = (stream: number, bytes: Uint8Array, flags: number = FLAG.END_STREAM) =>
  frame(FRAME.DATA, flags, stream, bytes);
