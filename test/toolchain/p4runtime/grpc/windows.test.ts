/** One connection over a pipe in memory: sizes at their bounds, windows of what a client sends, and clients that do not read. */
import { Duplex } from "node:stream";
import { describe, expect, it } from "vitest";
import { Connection } from "../../../../src/toolchain/p4runtime/grpc/connection.js";
import {
  ERROR,
  FLAG,
  FRAME,
  frame,
  PREFACE,
  SETTING,
  settingsFrame,
  wordFrame,
} from "../../../../src/toolchain/p4runtime/grpc/frames.js";
import { encodeHeaders } from "../../../../src/toolchain/p4runtime/grpc/hpack.js";
import type { Http2Stream } from "../../../../src/toolchain/p4runtime/grpc/stream.js";

const turn = () => new Promise((resolve) => setImmediate(resolve));
const MIB = 1024 * 1024;

/** The client's end. `reads`: whether the system takes what the server sends. */
class Pipe extends Duplex {
  reads = true;
  sent = 0;
  readonly #chunks: Buffer[] = [];
  #waiting: (() => void)[] = [];

  override _read(): void {}
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.sent += chunk.length;
    this.#chunks.push(chunk);
    if (this.reads) done();
    else this.#waiting.push(done);
  }

  readAgain(): void {
    this.reads = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const done of waiting) done();
  }

  /** Type, stream and payload of the frames so far. */
  frames() {
    const bytes = Buffer.concat(this.#chunks);
    const found: { type: number; stream: number; flags: number; payload: Buffer }[] = [];
    for (let at = 0; at + 9 <= bytes.length; ) {
      const length = bytes.readUIntBE(at, 3);
      const payload = bytes.subarray(at + 9, at + 9 + length);
      found.push({
        type: bytes[at + 3]!,
        flags: bytes[at + 4]!,
        stream: bytes.readUInt32BE(at + 5),
        payload,
      });
      at += 9 + length;
    }
    return found;
  }

  of(type: number, stream?: number) {
    return this.frames().filter(
      (one) => one.type === type && (stream === undefined || one.stream === stream),
    );
  }
}

/** A connection after the preface; its requests receive into `got`. */
async function start(settings: [number, number][] = []) {
  const pipe = new Pipe();
  const streams: Http2Stream[] = [];
  const got: string[] = [];
  let closed = 0;
  const connection = new Connection(pipe, {
    maxStreams: 3,
    maxHeldBytes: 1000,
    keepaliveMs: 2,
    keepaliveTimeoutMs: 1,
    later: () => () => {},
    request: (stream) => {
      streams.push(stream);
      stream.receiver = {
        data: (bytes) => got.push(`${stream.id} ${bytes.length}`),
        end: () => got.push(`${stream.id} end`),
        cancel: () => got.push(`${stream.id} cancel`),
      };
    },
    closed: () => closed++,
  });
  const send = async (...frames: Uint8Array[]) => {
    pipe.push(Buffer.concat(frames));
    await turn();
    await turn();
  };
  await send(PREFACE, settingsFrame(settings));
  return { pipe, streams, got, send, connection, isClosed: () => closed };
}
const open = (stream: number, flags = 0) =>
  frame(FRAME.HEADERS, FLAG.END_HEADERS | flags, stream, encodeHeaders([[":path", "/x"]]));
const data = (stream: number, bytes: Uint8Array, flags = 0) => frame(FRAME.DATA, flags, stream, bytes);
const words = (frames: { payload: Buffer }[]) => frames.map(({ payload }) => payload.readUInt32BE(0));

describe("sizes at their bounds", () => {
  it.each([
    [16_384, true],
    [16_383, false],
    [2 ** 24 - 1, true],
    [2 ** 24, false],
  ])("frames of %i bytes of the client: %s", async (bytes, fine) => {
    const { pipe, isClosed, send, streams } = await start();
    await send(settingsFrame([[SETTING.MAX_FRAME_SIZE, bytes]]));
    expect(isClosed()).toBe(fine ? 0 : 1);
    if (!fine) {
      expect(pipe.of(FRAME.GOAWAY).map(({ payload }) => payload.readUInt32BE(4))).toEqual([
        ERROR.PROTOCOL_ERROR,
      ]);
      return;
    }
    await send(open(1));
    streams[0]!.send(Buffer.alloc(50_000));
    await turn();
    const sizes = pipe.of(FRAME.DATA).map(({ payload }) => payload.length);
    expect(sizes).toEqual(bytes > 50_000 ? [50_000] : [16_384, 16_384, 16_384, 848]);
  });

  it.each<[string, number[], string[] | "error"]>([
    ["no padding", [0], []],
    ["no padding before one byte", [0, 7], ["1 1"]],
    ["padding alone", [2, 0, 0], []],
    ["padding of one byte too many", [3, 0, 0], "error"],
    ["no length of the padding", [], "error"],
  ])("DATA with %s", async (_name, payload, expected) => {
    const { got, send, isClosed } = await start();
    await send(open(1), data(1, Uint8Array.from(payload), FLAG.PADDED));
    expect(isClosed()).toBe(expected === "error" ? 1 : 0);
    expect(got).toEqual(expected === "error" ? ["1 cancel"] : expected);
  });

  it("HEADERS with a priority and nothing else are a block without headers", async () => {
    const { streams, send, isClosed } = await start();
    await send(frame(FRAME.HEADERS, FLAG.END_HEADERS | FLAG.PRIORITY, 1, Buffer.alloc(5)));
    expect([streams.length, isClosed()]).toEqual([1, 0]);
  });

  it.each([
    ["in many parts", 64, 64, 0, false],
    ["in one part too many", 65, 65, 0, true],
    ["of 64 KiB", 5, 5, 65_536, false],
    ["of one byte more", 5, 5, 65_537, true],
  ])("a header block %s", async (_name, _parts, parts, bytes, isTooLong) => {
    const { pipe, send, isClosed } = await start();
    // Literals of a name and a value without bytes: two parts of a block, or filler.
    const block = Buffer.alloc(bytes === 0 ? parts : bytes, 0);
    const size = Math.ceil(block.length / parts);
    const pieces = Array.from({ length: parts }, (_, i) => block.subarray(i * size, (i + 1) * size));
    const [first, ...rest] = pieces;
    await send(
      frame(FRAME.HEADERS, 0, 1, first!),
      ...rest.map((piece) => frame(FRAME.CONTINUATION, 0, 1, piece)),
    );
    const codes = pipe.of(FRAME.GOAWAY).map(({ payload }) => payload.readUInt32BE(4));
    expect(codes).toEqual(isTooLong ? [ERROR.ENHANCE_YOUR_CALM] : []);
    expect(isClosed()).toBe(isTooLong ? 1 : 0);
  });
});

describe("what a client sends", () => {
  it("is given back to its windows when half of one is used", async () => {
    const { pipe, send } = await start();
    const before = words(pipe.of(FRAME.WINDOW_UPDATE, 0));
    expect(before).toEqual([16 * MIB - 65_535]);
    await send(open(1));
    const full = data(1, new Uint8Array(16_384));
    await send(...Array.from({ length: 31 }, () => full));
    expect(pipe.of(FRAME.WINDOW_UPDATE, 1)).toEqual([]);
    await send(full);
    expect(words(pipe.of(FRAME.WINDOW_UPDATE, 1))).toEqual([MIB / 2]);
    await send(...Array.from({ length: 8 * 64 - 32 - 1 }, () => full));
    expect(words(pipe.of(FRAME.WINDOW_UPDATE, 0))).toEqual(before);
    await send(full);
    expect(words(pipe.of(FRAME.WINDOW_UPDATE, 0))).toEqual([...before, 8 * MIB]);
    expect(words(pipe.of(FRAME.WINDOW_UPDATE, 1)).reduce((sum, one) => sum + one, 0)).toBe(8 * MIB);
  });

  it("needs no window of a stream that ends with it", async () => {
    const { pipe, send, got } = await start();
    const full = data(1, new Uint8Array(16_384));
    await send(
      open(1),
      ...Array.from({ length: 31 }, () => full),
      data(1, new Uint8Array(16_384), FLAG.END_STREAM),
    );
    expect(pipe.of(FRAME.WINDOW_UPDATE, 1)).toEqual([]);
    expect(got.slice(-2)).toEqual(["1 16384", "1 end"]);
  });

  it("may end with its HEADERS", async () => {
    const { streams, send, got } = await start();
    await send(open(3, FLAG.END_STREAM), open(5));
    expect(streams.map(({ id }) => id)).toEqual([3, 5]);
    expect(got).toEqual(["3 end"]);
  });
});

describe("what a client receives", () => {
  it("waits while the client does not read, and keeps its order", async () => {
    const { pipe, streams, send } = await start([[SETTING.INITIAL_WINDOW_SIZE, 2 ** 31 - 1]]);
    await send(wordFrame(FRAME.WINDOW_UPDATE, 0, 2 ** 30), open(1), open(3));
    pipe.reads = false;
    const [one, two] = streams as [Http2Stream, Http2Stream];
    for (const stream of [one, two]) stream.send(Buffer.alloc(200_000, stream.id));
    await turn();
    // What waits in the socket is bounded by what it took before it was full.
    expect(one.waitingBytes + two.waitingBytes).toBeLessThan(400_000);
    const waiting = one.waitingBytes;
    one.send(Buffer.alloc(50_000, 9));
    await turn();
    expect(one.waitingBytes).toBe(waiting + 50_000);
    two.finish(encodeHeaders([["grpc-status", "0"]]));
    pipe.readAgain();
    await turn();
    expect([one.waitingBytes, two.waitingBytes]).toEqual([0, 0]);
    const of = (id: number) => Buffer.concat(pipe.of(FRAME.DATA, id).map(({ payload }) => payload));
    expect(of(1)).toEqual(Buffer.concat([Buffer.alloc(200_000, 1), Buffer.alloc(50_000, 9)]));
    expect(of(3)).toEqual(Buffer.alloc(200_000, 3));
    expect(pipe.of(FRAME.HEADERS, 3).map(({ flags }) => flags & FLAG.END_STREAM)).toEqual([FLAG.END_STREAM]);
  });

  it("is shared by streams frame by frame", async () => {
    const { pipe, streams, send } = await start();
    await send(open(1), open(3));
    for (const stream of streams) stream.send(Buffer.alloc(40_000));
    await turn();
    // 65,535 bytes of the connection: the first stream was alone at first.
    const order = pipe.of(FRAME.DATA).map(({ stream, payload }) => `${stream} ${payload.length}`);
    expect(order.slice(0, 3)).toEqual(["1 16384", "1 16384", "1 7232"]);
    expect(order.slice(3)).toEqual(["3 16384", "3 9151"]);
    await send(wordFrame(FRAME.WINDOW_UPDATE, 0, 100_000));
    streams[0]!.send(Buffer.alloc(10_000));
    await turn();
    expect(pipe.of(FRAME.DATA, 3).at(-1)!.payload.length).toBe(14_465);
    expect(pipe.of(FRAME.DATA, 1).at(-1)!.payload.length).toBe(10_000);
  });

  it("ends the connection when more than 8 MiB wait in the socket", async () => {
    const { pipe, send, isClosed, streams } = await start();
    pipe.reads = false;
    // Four frames of trailers and RST_STREAM.
    const [trailers, each] = [Buffer.alloc(60_000), 60_000 + 4 * 9 + 13];
    const fit = Math.floor((8 * MIB) / each);
    for (let i = 0; i <= fit; i++) {
      expect(isClosed()).toBe(0);
      await send(open(2 * i + 1));
      streams.at(-1)!.finish(trailers);
      streams.at(-1)!.settle();
      await turn();
    }
    expect(isClosed()).toBe(1);
  });

  it("ends the connection when more than 64 MiB and one message wait in its streams", async () => {
    const { send, isClosed, streams, got } = await start([[SETTING.INITIAL_WINDOW_SIZE, 0]]);
    await send(open(1), open(3));
    streams[0]!.send(Buffer.alloc(64 * MIB));
    streams[1]!.send(Buffer.alloc(10));
    expect(isClosed()).toBe(0);
    streams[1]!.send(Buffer.alloc(1));
    expect(isClosed()).toBe(1);
    expect(got).toEqual(["1 cancel", "3 cancel"]);
    // What a stream has given up counts no longer.
    const other = await start([[SETTING.INITIAL_WINDOW_SIZE, 0]]);
    for (let id = 1; id < 9; id += 2) {
      await other.send(open(id));
      other.streams.at(-1)!.send(Buffer.alloc(40 * MIB));
      await other.send(wordFrame(FRAME.RST_STREAM, id, ERROR.CANCEL));
      other.streams.at(-1)!.settle();
    }
    expect(other.isClosed()).toBe(0);
  });

  it("is forgotten with its request, and a connection that leaves ends with its last one", async () => {
    const { pipe, streams, send, connection, isClosed } = await start();
    await send(open(1), open(3));
    connection.leave();
    connection.leave();
    await send(open(5));
    expect(
      pipe.of(FRAME.GOAWAY).map(({ payload }) => [payload.readUInt32BE(0), payload.readUInt32BE(4)]),
    ).toEqual([[3, ERROR.NO_ERROR]]);
    expect(words(pipe.of(FRAME.RST_STREAM, 5))).toEqual([ERROR.REFUSED_STREAM]);
    for (const stream of streams) {
      expect(pipe.writableEnded).toBe(false);
      stream.finish(encodeHeaders([["grpc-status", "0"]]));
      stream.settle();
      await turn();
    }
    expect(pipe.writableEnded).toBe(true);
    expect(isClosed()).toBe(0);
    pipe.push(null);
    await turn();
    await turn();
    expect(isClosed()).toBe(1);
    connection.destroy();
    expect(isClosed()).toBe(1);
  });
});
