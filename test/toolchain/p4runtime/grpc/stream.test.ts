/** One stream of HTTP/2 and one call on it, without a connection: what waits, when it leaves, and when the connection forgets it. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Call, CODE } from "../../../../src/toolchain/p4runtime/grpc/call.js";
import { ERROR } from "../../../../src/toolchain/p4runtime/grpc/frames.js";
import { HeaderDecoder } from "../../../../src/toolchain/p4runtime/grpc/hpack.js";
import { Http2Stream, type Transport } from "../../../../src/toolchain/p4runtime/grpc/stream.js";

const MAX_WINDOW = 2 ** 31 - 1;

/** A stream whose connection writes down what it is asked for. */
function make(window = 65_535) {
  const log: string[] = [];
  const queued = { now: 0 };
  const held = { now: 0, most: 1000 };
  const transport: Transport = {
    sendHeaders: (_stream, block, end) => log.push(`headers ${block.length}${end ? " end" : ""}`),
    pump: () => log.push("pump"),
    sendReset: (_stream, error) => log.push(`reset ${error}`),
    queue: (bytes) => {
      queued.now += bytes;
    },
    hold: (bytes) => {
      held.now += bytes;
      return held.now <= held.most;
    },
    release: () => log.push("release"),
  };
  return { stream: new Http2Stream(1, transport, window), log, queued, held };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("a stream", () => {
  it("gives its bytes in order and in pieces, and its trailers once after them", () => {
    const { stream, queued } = make();
    stream.send(Buffer.from("abc"));
    stream.send(Buffer.from("de"));
    stream.finish(Buffer.from("end"));
    expect([stream.waitingBytes, stream.hasOutput, stream.takeTrailers()]).toEqual([5, true, undefined]);
    const pieces = [2, 9, 1, 9, 9].map((most) => stream.take(most)?.toString());
    expect(pieces).toEqual(["ab", "c", "d", "e", undefined]);
    expect([stream.waitingBytes, queued.now, stream.hasOutput]).toEqual([0, 0, true]);
    expect(stream.takeTrailers()?.toString()).toBe("end");
    expect([stream.hasOutput, stream.takeTrailers()]).toEqual([false, undefined]);
  });

  it("asks to wait from 64 KiB on, and says once when less waits", async () => {
    const { stream } = make();
    let drained = 0;
    expect(stream.send(Buffer.alloc(65_535))).toBe(true);
    expect(stream.needsDrain).toBe(false);
    expect(stream.send(Buffer.alloc(2))).toBe(false);
    stream.onceDrained(() => drained++);
    stream.take(1);
    await turn();
    expect([stream.needsDrain, drained]).toEqual([true, 0]);
    stream.take(1);
    expect(drained, "a listener runs after the piece has left").toBe(0);
    await turn();
    expect([stream.needsDrain, drained]).toEqual([false, 1]);
    stream.take(1);
    await turn();
    expect(drained).toBe(1);
  });

  it("sends nothing after its end, and nobody waits for it", async () => {
    for (const end of [
      (stream: Http2Stream) => stream.finish(Buffer.from("end")),
      (stream: Http2Stream) => stream.close(),
    ]) {
      const { stream, log } = make();
      end(stream);
      const before = [...log];
      expect(stream.send(Buffer.alloc(100_000))).toBe(true);
      stream.finish(Buffer.from("again"));
      expect([stream.waitingBytes, log]).toEqual([0, before]);
      expect(stream.takeTrailers()?.toString()).toBe(before.length === 0 ? undefined : "end");
    }
    const { stream, log } = make();
    let drained = 0;
    stream.send(Buffer.alloc(100_000));
    stream.onceDrained(() => drained++);
    stream.close();
    stream.respond(Buffer.from("x"));
    stream.reset(ERROR.CANCEL);
    await turn();
    expect([drained, stream.needsDrain, stream.hasOutput, stream.take(9), log]).toEqual([
      1,
      false,
      false,
      undefined,
      ["pump"],
    ]);
  });

  it("is released once, when it is closed and its work has ended, in either order", () => {
    for (const order of [
      ["close", "settle"],
      ["settle", "close"],
    ] as const) {
      const { stream, log } = make();
      stream[order[0]]();
      expect(log).toEqual([]);
      stream[order[1]]();
      for (const step of order) stream[step]();
      expect(log).toEqual(["release"]);
    }
  });

  it("tells a client that still sends to stop, and no other", () => {
    for (const ended of [false, true]) {
      const { stream, log } = make();
      stream.ended = ended;
      stream.finished();
      expect(log).toEqual(ended ? [] : [`reset ${ERROR.NO_ERROR}`]);
      expect(stream.closed).toBe(true);
    }
  });

  it("tells its receiver of a cancellation once, and not after its end", () => {
    const { stream } = make();
    let cancelled = 0;
    stream.receiver = { data() {}, end() {}, cancel: () => cancelled++ };
    stream.cancel("reset");
    stream.cancel("server");
    expect([cancelled, stream.ending]).toEqual([1, "reset"]);
  });

  it("has a window of at most 2^31 - 1 bytes, which settings make negative", () => {
    const { stream } = make(10);
    expect(stream.widen(-20)).toBe(true);
    expect(stream.window).toBe(-10);
    expect(stream.widen(MAX_WINDOW + 10)).toBe(true);
    expect(stream.widen(1)).toBe(false);
  });
});

describe("a call", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function call(timeoutMs: number | undefined, maxBytes = 10) {
    const { stream, log } = make();
    const told: string[] = [];
    const made = new Call(stream, { maxBytes, encoding: "identity", timeoutMs, isStream: false });
    made.handler = {
      message: (bytes) => told.push(`message ${Buffer.from(bytes)}`),
      ended: () => told.push("ended"),
      cancel: () => told.push("cancel"),
    };
    stream.receiver = made;
    const status = () => new HeaderDecoder().decode(stream.takeTrailers() ?? Buffer.alloc(0), 1e6).headers;
    return { made, stream, told, log, status };
  }
  const frame = (text: string) => {
    const out = Buffer.alloc(5 + text.length);
    out.writeUInt32BE(text.length, 1);
    out.write(text, 5);
    return out;
  };

  it("ends when its time is over, and with no other timer than its own", () => {
    const { made, told, status } = call(5000);
    vi.advanceTimersByTime(4999);
    expect([told, made.cancelled]).toEqual([[], false]);
    vi.advanceTimersByTime(1);
    expect([told, made.cancelled]).toEqual([["cancel"], true]);
    expect(Object.fromEntries(status())).toMatchObject({ "grpc-status": String(CODE.DEADLINE_EXCEEDED) });
    for (const [timeout, timers] of [
      [undefined, 0],
      [2 ** 31 - 1, 1],
      // Node's timers would end at once.
      [2 ** 31, 0],
    ] as const) {
      vi.clearAllTimers();
      const { made: other } = call(timeout);
      expect(vi.getTimerCount()).toBe(timers);
      other.succeed();
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it("takes messages from chunks of any size", () => {
    const texts = ["", "a", "0123456789", "", "bc"];
    const bytes = Buffer.concat(texts.map(frame));
    for (let size = 1; size <= bytes.length; size++) {
      const { made, told } = call(undefined);
      for (let at = 0; at < bytes.length; at += size) made.data(bytes.subarray(at, at + size));
      made.end();
      expect(told).toEqual([...texts.map((text) => `message ${text}`), "ended"]);
    }
  });

  it("refuses a message that is too long, and a cut one; nothing of the client counts then", () => {
    for (const [bytes, code, before] of [
      [Buffer.concat([frame("ok"), frame("01234567890")]), CODE.RESOURCE_EXHAUSTED, ["message ok"]],
      [frame("0123456789").subarray(0, 14), CODE.INTERNAL, []],
      [Buffer.alloc(1), CODE.INTERNAL, []],
    ] as const) {
      const { made, told, status } = call(undefined);
      made.data(bytes);
      made.end();
      made.data(frame("late"));
      made.cancel();
      expect(told).toEqual([...before, "cancel"]);
      expect(Object.fromEntries(status())).toMatchObject({ ":status": "200", "grpc-status": String(code) });
    }
  });

  it("answers with headers once, messages with their length, and a status once", () => {
    const { made, stream, log, status } = call(undefined);
    expect(made.write(Buffer.from("hi"))).toBe(true);
    made.write(Buffer.from(""));
    expect(log.filter((entry) => entry.startsWith("headers"))).toHaveLength(1);
    expect(Buffer.concat([stream.take(100)!, stream.take(100)!]).toString("hex")).toBe(
      "000000000268690000000000",
    );
    made.fail({ code: 5, details: "no", detailsBin: Uint8Array.of(1, 2) });
    made.succeed();
    made.fail({ code: 6, details: "late" });
    expect(made.write(Buffer.alloc(100_000))).toBe(true);
    expect(status()).toEqual([
      ["grpc-status", "5"],
      ["grpc-message", "no"],
      ["grpc-status-details-bin", "AQI"],
    ]);
  });

  it("waits for a reader only while much waits", async () => {
    const { made, stream } = call(undefined);
    let drained = 0;
    await made.drained();
    made.write(Buffer.alloc(70_000));
    void made.drained().then(() => drained++);
    made.once("drain", () => drained++);
    await Promise.resolve();
    expect(drained).toBe(0);
    stream.take(70_005);
    for (let i = 0; i < 5; i++) await Promise.resolve();
    expect(drained).toBe(2);
  });

  it("releases its stream with its end, where its work ends with it", () => {
    for (const settlesAtEnd of [false, true]) {
      const { made, stream, log } = call(undefined);
      made.settlesAtEnd = settlesAtEnd;
      made.cancel();
      stream.close();
      expect(log.filter((entry) => entry === "release")).toHaveLength(settlesAtEnd ? 1 : 0);
      expect(made.cancelled).toBe(true);
    }
  });
});
