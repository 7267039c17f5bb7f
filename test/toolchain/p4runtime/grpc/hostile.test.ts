/** Clients that mean harm: each is stopped, or costs a bounded amount, and the others are served. */
import { describe, expect, it } from "vitest";
import type { Later } from "../../../../src/toolchain/p4runtime/grpc/connection.js";
import {
  ERROR,
  FLAG,
  FRAME,
  frame,
  SETTING,
  settingsFrame,
  wordFrame,
} from "../../../../src/toolchain/p4runtime/grpc/frames.js";
import { MessageReader } from "../../../../src/toolchain/p4runtime/grpc/messages.js";
import { data, dial, MAX_BYTES, message, open, request, start } from "./peer.js";

/** Pings, resets and the like that a client may send between two PINGs of the server. */
const CONTROL_FRAMES = 10_000;
const ping = frame(FRAME.PING, 0, 0, Buffer.alloc(8));
const times = (count: number, bytes: Uint8Array) => Buffer.concat(Array.from({ length: count }, () => bytes));

describe("a flood", () => {
  /** Requests that are given up at once. */
  const rapidResets = Buffer.concat(
    Array.from({ length: CONTROL_FRAMES + 1 }, (_, i) => [
      open(2 * i + 1, "/t/Both"),
      wordFrame(FRAME.RST_STREAM, 2 * i + 1, ERROR.CANCEL),
    ]).flat(),
  );
  const block = request("/t/Echo");
  it.each<[string, Uint8Array]>([
    ["of resets (CVE-2023-44487)", rapidResets],
    ["of pings (CVE-2019-9512)", times(CONTROL_FRAMES + 1, ping)],
    [
      "of priorities (CVE-2019-9513)",
      times(CONTROL_FRAMES + 1, frame(FRAME.PRIORITY, 0, 1, Buffer.alloc(5))),
    ],
    [
      "of settings (CVE-2019-9515)",
      times(CONTROL_FRAMES + 1, settingsFrame([[SETTING.INITIAL_WINDOW_SIZE, 9]])),
    ],
    [
      "of empty frames (CVE-2019-9518)",
      Buffer.concat([open(1, "/t/Hold"), times(CONTROL_FRAMES + 1, data(1, Buffer.alloc(0), 0))]),
    ],
    ["of windows", times(CONTROL_FRAMES + 1, wordFrame(FRAME.WINDOW_UPDATE, 0, 1))],
    ["of frames of no type", times(CONTROL_FRAMES + 1, frame(0x99, 0, 0))],
    [
      "of CONTINUATION (CVE-2024-27316)",
      Buffer.concat([frame(FRAME.HEADERS, 0, 1, block), times(70, frame(FRAME.CONTINUATION, 0, 1))]),
    ],
    [
      "of headers",
      Buffer.concat([
        frame(FRAME.HEADERS, 0, 1, block),
        times(5, frame(FRAME.CONTINUATION, 0, 1, Buffer.alloc(16_000))),
      ]),
    ],
  ])("%s ends its connection, and others are served meanwhile", async (_name, bytes) => {
    const { server, told } = await start();
    const [bad, good] = [await dial(server.port), await dial(server.port)];
    bad.send(bytes);
    good.send(open(1, "/t/Echo"), data(1, message("alive")));
    expect(await good.end(1)).toEqual({ "grpc-status": "0" });
    expect(await bad.goaway()).toBe(ERROR.ENHANCE_YOUR_CALM);
    await expect(bad.until(() => false)).rejects.toThrow("closed");
    expect(new Set(told)).toEqual(new Set(bytes === rapidResets ? ["cancelled"] : []));
  });

  it("is not what a client sends that lives long, or that reads much", async () => {
    const timers: (() => void)[] = [];
    const later: Later = (_ms, task) => {
      timers.push(task);
      return () => {};
    };
    const { server } = await start({ later });
    const client = await dial(server.port);
    for (const round of [1, 2, 3]) {
      client.send(times(8999, ping), frame(FRAME.PING, 0, 0, Buffer.alloc(8, round)));
      await client.until(({ type, payload }) => type === FRAME.PING && payload[0] === round);
      // The server asks whether the client is there.
      timers[timers.length - 1]!();
      client.send(
        frame(FRAME.PING, FLAG.ACK, 0, Buffer.alloc(8)),
        open(2 * round - 1, "/t/Echo"),
        data(2 * round - 1, message("")),
      );
      await client.end(2 * round - 1);
      timers[timers.length - 1]!();
    }
    client.send(open(101, "/t/Many"), data(101, message("600")));
    let isOver = false;
    const ended = client.end(101).finally(() => {
      isOver = true;
    });
    for (let i = 0; !isOver; i++) {
      client.send(wordFrame(FRAME.WINDOW_UPDATE, 0, 2000), wordFrame(FRAME.WINDOW_UPDATE, 101, 2000));
      if (i % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await ended).toEqual({ "grpc-status": "0" });
  });
});

describe("memory", () => {
  it("of messages that never end is bounded; other calls of the connection and other connections continue", async () => {
    const { server } = await start();
    const [bad, good] = [await dial(server.port), await dial(server.port)];
    const part = message(new Uint8Array(MAX_BYTES - 5)).subarray(0, MAX_BYTES - 1);
    const begin = (stream: number) => {
      bad.send(open(stream, "/t/Hold"));
      for (let at = 0; at < part.length; at += 16_384)
        bad.send(data(stream, part.subarray(at, at + 16_384), 0));
    };
    begin(1);
    begin(3);
    begin(5);
    expect(await bad.end(5)).toMatchObject({
      "grpc-status": "8",
      "grpc-message": "the requests of this connection that have not been answered are too large together",
    });
    good.send(open(1, "/t/Echo"), data(1, message("alive")));
    expect(await good.end(1)).toEqual({ "grpc-status": "0" });
    // What is given up counts no longer.
    bad.send(wordFrame(FRAME.RST_STREAM, 1, ERROR.CANCEL), open(7, "/t/Echo"));
    const whole = message(new Uint8Array(500_000));
    for (let at = 0; at < whole.length; at += 16_384)
      bad.send(data(7, whole.subarray(at, at + 16_384), at + 16_384 >= whole.length ? FLAG.END_STREAM : 0));
    bad.send(wordFrame(FRAME.WINDOW_UPDATE, 0, 1e6), wordFrame(FRAME.WINDOW_UPDATE, 7, 1e6));
    expect(await bad.end(7)).toEqual({ "grpc-status": "0" });
  });

  it("of a message grows with what has come, not with what is announced, in pieces of any size", () => {
    const reader = new MessageReader(1 << 26);
    const received = Buffer.alloc(65_536);
    received.writeUInt32BE(1 << 26, 1);
    for (let i = 0; i < 2000; i++) {
      reader.push(received.subarray(i, i + 1));
      expect(reader.next()).toBeUndefined();
    }
    expect(reader.rest).toBe(2000);
    expect(reader.capacity).toBeLessThanOrEqual(4096);
  });

  it("of a client that does not read is bounded, and others are served", async () => {
    const { server, told } = await start();
    const [bad, good] = [
      await dial(server.port, [[SETTING.INITIAL_WINDOW_SIZE, 2 ** 31 - 1]]),
      await dial(server.port),
    ];
    bad.socket.pause();
    bad.send(wordFrame(FRAME.WINDOW_UPDATE, 0, 2 ** 30));
    for (const stream of [1, 3, 5]) bad.send(open(stream, "/t/Many"), data(stream, message("100000")));
    for (let stream = 1; stream < 40; stream += 2) {
      good.send(open(stream, "/t/Echo"), data(stream, message("alive")));
      expect(await good.end(stream)).toEqual({ "grpc-status": "0" });
    }
    // The answers wait for the reader; their work ends with its connection.
    expect(told).toEqual([]);
    bad.socket.destroy();
    for (let i = 0; told.length < 3; i++) {
      good.send(frame(FRAME.PING, 0, 0, Buffer.alloc(8, i)));
      await good.until((f) => f.type === FRAME.PING && f.payload[0] === i % 256);
    }
    const sent = told.map((line) => Number(line.split(" ").at(-1)) * 10_000);
    expect(Math.max(...sent)).toBeLessThan(32 * 1024 * 1024);
  });
});
