/** HTTP/2 by hand: what a client may do, and how its requests and its connection end. `rfc9113.test.ts` has the rules one by one. */
import { once } from "node:events";
import { connect } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Later } from "../../../../src/toolchain/p4runtime/grpc/connection.js";
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
import { data, dial, message, open, request, start } from "./peer.js";

describe("a client", () => {
  it("is answered, and gets the settings of the server", async () => {
    const { server } = await start();
    const client = await dial(server.port);
    client.send(open(1, "/t/Echo"), data(1, message("hello")));
    expect(await client.end(1)).toEqual({ "grpc-status": "0" });
    expect(client.dataOf(1)).toEqual(message("hello"));
    const settings = client.frames.find(({ type, flags }) => type === FRAME.SETTINGS && flags === 0)!;
    expect(settings.payload.readUInt16BE(0)).toBe(SETTING.MAX_CONCURRENT_STREAMS);
    expect(settings.payload.readUInt32BE(2)).toBe(10);
    expect(client.frames.some(({ type, flags }) => type === FRAME.SETTINGS && flags === FLAG.ACK)).toBe(true);
  });

  it("may send bytes one by one, padding, priorities, trailers, continued headers, and frames of types to come", async () => {
    const { server } = await start();
    const client = await dial(server.port);
    const block = request("/t/Echo");
    const all = Buffer.concat([
      frame(FRAME.PRIORITY, 0, 3, Buffer.alloc(5)),
      frame(0x42, 0xff, 7, Buffer.from("unknown")),
      frame(
        FRAME.HEADERS,
        FLAG.PRIORITY | FLAG.PADDED,
        1,
        Buffer.concat([Buffer.from([2]), Buffer.alloc(5), block.subarray(0, 4), Buffer.alloc(2)]),
      ),
      frame(FRAME.CONTINUATION, 0, 1, block.subarray(4, 9)),
      frame(FRAME.CONTINUATION, FLAG.END_HEADERS, 1, block.subarray(9)),
      data(
        1,
        Buffer.concat([Buffer.from([3]), message("in two").subarray(0, 4), Buffer.alloc(3)]),
        FLAG.PADDED,
      ),
      data(1, message("in two").subarray(4), 0),
      frame(FRAME.HEADERS, FLAG.END_HEADERS | FLAG.END_STREAM, 1, encodeHeaders([["x-end", "1"]])),
      frame(FRAME.PING, 0, 0, Buffer.from("12345678")),
    ]);
    for (const byte of all) {
      client.socket.write(Uint8Array.of(byte));
      if (byte === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await client.end(1)).toEqual({ "grpc-status": "0" });
    expect(client.dataOf(1)).toEqual(message("in two"));
    const pong = await client.until((f) => f.type === FRAME.PING && f.flags === FLAG.ACK);
    expect(pong.payload.toString()).toBe("12345678");
  });

  it("gets no more than its windows take, in frames of its size, streams in turn", async () => {
    const { server } = await start();
    const client = await dial(server.port, [[SETTING.INITIAL_WINDOW_SIZE, 30_000]]);
    client.send(open(1, "/t/Many"), data(1, message("20")), open(3, "/t/Many"), data(3, message("20")));
    const bytes = (stream: number) => client.dataOf(stream).length;
    // The windows of the streams end at 30,000 each, that of the connection at 65,535.
    await client.until(() => bytes(1) === 30_000 && bytes(3) === 30_000);
    client.send(settingsFrame([[SETTING.INITIAL_WINDOW_SIZE, 1_000_000]]));
    await client.until(() => bytes(1) + bytes(3) === 65_535);
    expect(Math.abs(bytes(1) - bytes(3))).toBeLessThan(16_384);
    client.send(wordFrame(FRAME.WINDOW_UPDATE, 0, 1_000_000));
    expect(await client.end(1)).toEqual({ "grpc-status": "0" });
    expect(await client.end(3)).toEqual({ "grpc-status": "0" });
    const expected = Buffer.concat(
      Array.from({ length: 20 }, (_, i) => message(new Uint8Array(10_000).fill(i))),
    );
    expect(client.dataOf(1)).toEqual(expected);
    expect(client.dataOf(3)).toEqual(expected);
    for (const { type, payload } of client.frames)
      if (type === FRAME.DATA) expect(payload.length).toBeLessThanOrEqual(16_384);
  });

  it("gets its window back for what it sends", async () => {
    const { server } = await start();
    const client = await dial(server.port);
    client.send(open(1, "/t/Both"));
    const piece = message(new Uint8Array(10_000));
    for (let i = 0; i < 60; i++) client.send(data(1, piece, 0));
    const update = await client.until((f) => f.type === FRAME.WINDOW_UPDATE && f.stream === 1);
    expect(update.payload.readUInt32BE(0)).toBeGreaterThanOrEqual(1 << 19);
    client.send(
      wordFrame(FRAME.WINDOW_UPDATE, 0, 1e6),
      wordFrame(FRAME.WINDOW_UPDATE, 1, 1e6),
      data(1, new Uint8Array(0)),
    );
    expect(await client.end(1)).toEqual({ "grpc-status": "0" });
    expect(client.dataOf(1).length).toBe(60 * piece.length);
  });

  it("that gives a request up ends its work", async () => {
    const { server, told } = await start();
    const client = await dial(server.port);
    client.send(open(1, "/t/Many"), data(1, message("1000000")), open(3, "/t/Both"));
    await client.until((f) => f.type === FRAME.DATA);
    client.send(wordFrame(FRAME.RST_STREAM, 1, ERROR.CANCEL), wordFrame(FRAME.RST_STREAM, 3, ERROR.CANCEL));
    client.send(open(5, "/t/Echo"), data(5, message("")));
    client.send(wordFrame(FRAME.WINDOW_UPDATE, 0, 1_000_000));
    // What was sent on a closed stream is passed over.
    client.send(data(1, new Uint8Array(9), 0), wordFrame(FRAME.WINDOW_UPDATE, 1, 5));
    expect(await client.end(5)).toEqual({ "grpc-status": "0" });
    expect(told[0]).toBe("cancelled");
    expect(told[1]).toMatch(/^cancelled after \d+$/);
  });

  it("that leaves ends the work of all its requests", async () => {
    const { server, told } = await start();
    const client = await dial(server.port);
    client.send(open(1, "/t/Both"), open(3, "/t/Both"), data(3, message("x"), 0));
    await client.until((f) => f.type === FRAME.DATA);
    client.socket.destroy();
    const other = await dial(server.port);
    for (let i = 0; told.length < 2; i++) {
      other.send(frame(FRAME.PING, 0, 0, Buffer.alloc(8, i)));
      await other.until((f) => f.type === FRAME.PING && f.payload[0] === i % 256);
    }
    expect(told).toEqual(["cancelled", "cancelled"]);
  });

  it("has a maximum number of requests, including cancelled ones whose work continues", async () => {
    const { server, held } = await start({ maxCalls: 3 });
    const client = await dial(server.port);
    for (const stream of [1, 3, 5]) client.send(open(stream, "/t/Hold"), data(stream, message("")));
    client.send(wordFrame(FRAME.RST_STREAM, 1, ERROR.CANCEL));
    client.send(open(7, "/t/Echo"), data(7, message("")));
    expect(await client.reset(7)).toBe(ERROR.REFUSED_STREAM);
    held[0]!();
    client.send(frame(FRAME.PING, 0, 0, Buffer.alloc(8)));
    await client.until((f) => f.type === FRAME.PING);
    client.send(open(9, "/t/Echo"), data(9, message("")));
    expect(await client.end(9)).toEqual({ "grpc-status": "0" });
  });

  it("is asked whether it is there, and given up when it does not answer, or never begins", async () => {
    const timers: { ms: number; task: () => void; cancelled: boolean }[] = [];
    const later: Later = (ms, task) => {
      const timer = { ms, task, cancelled: false };
      timers.push(timer);
      return () => {
        timer.cancelled = true;
      };
    };
    const { server } = await start({ later });
    const client = await dial(server.port);
    client.send(open(1, "/t/Echo"), data(1, message("")));
    await client.end(1);
    const pings = () => client.frames.filter((f) => f.type === FRAME.PING && f.flags === 0).length;
    expect(timers.map(({ ms }) => ms)).toEqual([30_000]);
    timers[0]!.task();
    await client.until(() => pings() === 1);
    // An answer, or any other frame, keeps the connection.
    client.send(frame(FRAME.PING, FLAG.ACK, 0, Buffer.alloc(8)), open(3, "/t/Echo"), data(3, message("")));
    await client.end(3);
    timers[1]!.task();
    expect(timers.map(({ ms }) => ms)).toEqual([30_000, 30_000, 30_000]);
    timers[2]!.task();
    await client.until(() => pings() === 2);
    timers[3]!.task();
    await expect(client.until(() => false)).rejects.toThrow("closed");
    const silent = connect(server.port, "127.0.0.1");
    await once(silent, "data");
    timers[4]!.task();
    await once(silent.resume(), "close");
    const leaving = await dial(server.port);
    await leaving.until((f) => f.type === FRAME.SETTINGS && f.flags === FLAG.ACK);
    leaving.socket.destroy();
    const next = await dial(server.port);
    next.send(open(1, "/t/Echo"), data(1, message("")));
    await next.end(1);
    expect(timers[5]!.cancelled).toBe(true);
  });

  it("is notified when the server closes, which waits for its requests", async () => {
    const { server, held } = await start();
    const client = await dial(server.port);
    client.send(open(1, "/t/Hold"), data(1, message("last")));
    client.send(frame(FRAME.PING, 0, 0, Buffer.alloc(8)));
    await client.until((f) => f.type === FRAME.PING);
    const closed = server.close(60_000);
    expect(await client.goaway()).toBe(ERROR.NO_ERROR);
    client.send(open(3, "/t/Echo"), data(3, message("")));
    expect(await client.reset(3)).toBe(ERROR.REFUSED_STREAM);
    held[0]!();
    expect(await client.end(1)).toEqual({ "grpc-status": "0" });
    await closed;
  });
});

describe("a connection that never speaks HTTP/2 is closed", () => {
  it.each([
    ["another protocol", Buffer.from("GET / HTTP/1.1\r\n\r\n")],
    [
      "a first frame that is not SETTINGS",
      Buffer.concat([PREFACE, frame(FRAME.PING, 0, 0, Buffer.alloc(8))]),
    ],
    ["random bytes", Buffer.from("0123456789abcdef0123456789abcdef")],
  ])("%s", async (_name, bytes) => {
    const { server } = await start();
    const socket = connect(server.port, "127.0.0.1");
    socket.write(bytes);
    await once(socket.resume(), "close");
  });
});

describe("a request that is not of gRPC", () => {
  it.each<[string, [string, string][], number]>([
    [
      "GET",
      [
        [":method", "GET"],
        [":scheme", "http"],
        [":path", "/t/Echo"],
        ["content-type", "application/grpc"],
      ],
      405,
    ],
    [
      "JSON",
      [
        [":method", "POST"],
        [":scheme", "http"],
        [":path", "/t/Echo"],
        ["content-type", "application/json"],
      ],
      415,
    ],
  ])("%s is refused with a status of HTTP", async (_name, headers, status) => {
    const { server } = await start();
    const client = await dial(server.port);
    client.send(frame(FRAME.HEADERS, FLAG.END_HEADERS | FLAG.END_STREAM, 1, encodeHeaders(headers)));
    expect(await client.end(1)).toEqual({ ":status": String(status) });
  });

  it("too many headers end it with a status", async () => {
    const { server } = await start();
    const client = await dial(server.port);
    // One header of the table, 300 times: 41 bytes in the list, one in the block.
    const block = Buffer.concat([request("/t/Echo", []), Buffer.alloc(2000, 0x90)]);
    client.send(frame(FRAME.HEADERS, FLAG.END_HEADERS, 1, block), data(1, message("")));
    expect(await client.end(1)).toMatchObject({
      "grpc-status": "8",
      "grpc-message": "the headers of the request are too long",
    });
  });
});

const anyFrame = fc
  .record({
    type: fc.oneof(fc.constantFrom(...Object.values(FRAME)), fc.nat(255)),
    flags: fc.oneof(fc.constantFrom(0, 1, 4, 5), fc.nat(255)),
    stream: fc.oneof(fc.constantFrom(0, 1, 1, 1, 3, 3, 5), fc.nat(20)),
    payload: fc.oneof(
      fc.uint8Array({ maxLength: 12 }),
      fc.constantFrom<Uint8Array>(
        request("/t/Echo"),
        request("/t/Both"),
        request("/t/Many"),
        message("5"),
        message("x", 1),
        new Uint8Array(4),
        new Uint8Array(8),
      ),
    ),
  })
  .map(({ type, flags, stream, payload }) => frame(type, flags, stream, payload));

it("serves on, whatever frames other clients send", async () => {
  const { server } = await start();
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyFrame, { maxLength: 30 }),
      fc.array(fc.nat(400), { maxLength: 6 }),
      async (frames, cuts) => {
        const client = await dial(server.port);
        const bytes = Buffer.concat(frames);
        let at = 0;
        for (const cut of [...cuts, bytes.length]) {
          client.socket.write(bytes.subarray(at, at + cut));
          at += cut;
          await new Promise((resolve) => setImmediate(resolve));
        }
        client.socket.end();
        await expect(client.until(() => false)).rejects.toThrow("closed");
        const next = await dial(server.port);
        next.send(open(1, "/t/Echo"), data(1, message("alive")));
        expect(await next.end(1)).toEqual({ "grpc-status": "0" });
        next.socket.destroy();
      },
    ),
    { numRuns: 150 },
  );
});
