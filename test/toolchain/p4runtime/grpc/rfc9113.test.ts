/**
 * The rules of HTTP/2 one by one, by section of RFC 9113. The list is that of h2spec, a test suite for servers; it has the
 * sections of RFC 7540, of which priorities (5.3) are gone.
 */
import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
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
import { type Client, data, dial, message, open, request, start } from "./peer.js";

const END = FLAG.END_STREAM;
const headers = (stream: number, flags: number, block: Uint8Array = request("/t/Echo")) =>
  frame(FRAME.HEADERS, flags, stream, block);
const continuation = (stream: number, flags: number, block: Uint8Array = new Uint8Array(0)) =>
  frame(FRAME.CONTINUATION, flags, stream, block);
const priority = (stream: number, on = 0, weight = 15, isExclusive = false) => {
  const payload = Buffer.alloc(5, weight);
  payload.writeUInt32BE(on + (isExclusive ? 2 ** 31 : 0));
  return frame(FRAME.PRIORITY, 0, stream, payload);
};
const ping = (flags = 0, stream = 0, bytes = 8) => frame(FRAME.PING, flags, stream, Buffer.alloc(bytes, 7));
const windowUpdate = (stream: number, bytes: number) => wordFrame(FRAME.WINDOW_UPDATE, stream, bytes);
const reset = (stream: number, code: number = ERROR.CANCEL) => wordFrame(FRAME.RST_STREAM, stream, code);
const goaway = (code: number, stream = 0) => {
  const bytes = wordFrame(FRAME.GOAWAY, stream, 0, code);
  return bytes;
};
const echo = (stream: number) => [open(stream, "/t/Echo"), data(stream, message("x"))];
/** A request that the client has ended and the server has not answered. */
const halfClosed = (stream: number) => [open(stream, "/t/Hold"), data(stream, message("x"))];

/** Sends frames in steps; a number waits for the answer on that stream. */
async function send(client: Client, steps: readonly (Uint8Array | number)[]): Promise<void> {
  for (const step of steps) {
    if (typeof step === "number") await client.end(step);
    else client.send(step);
  }
}

type Row = [section: string, what: string, steps: (Uint8Array | number)[]];

const block = request("/t/Echo");
const long = request("/t/Echo", [["x-long", "a".repeat(200)]]);

describe("what a client may send", () => {
  it.each<Row>([
    ["3.4", "the preface alone", []],
    ["4.1", "a frame of an unknown type", [frame(0x16, 0, 0, Buffer.alloc(8))]],
    ["4.1", "a flag that is not defined", [ping(0x16)]],
    ["4.1", "the reserved bit", [frame(FRAME.PING, 0, 2 ** 31, Buffer.alloc(8))]],
    ["4.2", "DATA of 2^14 bytes", [open(1, "/t/Echo"), data(1, message(new Uint8Array(16_379))), 1]],
    ["5.1", "PRIORITY on an idle stream", [priority(1)]],
    ["5.1", "WINDOW_UPDATE on a half-closed stream", [...halfClosed(1), windowUpdate(1, 100)]],
    ["5.1", "PRIORITY on a half-closed stream", [...halfClosed(1), priority(1)]],
    ["5.1", "RST_STREAM on a half-closed stream", [...halfClosed(1), reset(1)]],
    ["5.1", "PRIORITY on a closed stream", [...echo(1), 1, priority(1)]],
    ["5.1", "WINDOW_UPDATE and RST_STREAM on a closed stream", [...echo(1), 1, windowUpdate(1, 9), reset(1)]],
    [
      "5.3.2",
      "HEADERS that depend on themselves",
      [headers(1, 4 | 32, Buffer.concat([priority(1, 1).subarray(9), block]))],
    ],
    ["5.3.2", "PRIORITY that depends on itself", [priority(1, 1)]],
    ["5.5", "a frame of an extension", [frame(0xfa, 0xff, 0x16, Buffer.alloc(8))]],
    [
      "6.1",
      "several DATA",
      [open(1, "/t/Echo"), data(1, message("xy").subarray(0, 3), 0), data(1, message("xy").subarray(3)), 1],
    ],
    [
      "6.1",
      "DATA with padding",
      [
        open(1, "/t/Echo"),
        data(1, Buffer.concat([Buffer.of(2), message("x"), Buffer.alloc(2)]), END | FLAG.PADDED),
        1,
      ],
    ],
    [
      "6.2",
      "HEADERS with padding",
      [
        headers(1, 4 | FLAG.PADDED, Buffer.concat([Buffer.of(2), block, Buffer.alloc(2)])),
        data(1, message("x")),
        1,
      ],
    ],
    [
      "6.2",
      "HEADERS with a priority",
      [headers(1, 4 | 32, Buffer.concat([priority(1).subarray(9), block])), data(1, message("x")), 1],
    ],
    ["6.3", "PRIORITY of weight 1", [priority(1, 0, 0)]],
    ["6.3", "PRIORITY of weight 256", [priority(1, 0, 255)]],
    ["6.3", "PRIORITY that depends on another stream", [priority(1, 3)]],
    ["6.3", "an exclusive PRIORITY", [priority(1, 3, 9, true)]],
    ["6.3", "PRIORITY on an idle stream above the next", [priority(199)]],
    ["6.4", "RST_STREAM", [open(1, "/t/Hold"), reset(1)]],
    ["6.5", "SETTINGS", [settingsFrame([[SETTING.MAX_FRAME_SIZE, 20_000]])]],
    ["6.5.2", "an unknown setting", [settingsFrame([[0xff, 1]])]],
    ["6.7", "PING", [ping()]],
    ["6.8", "GOAWAY", [goaway(ERROR.NO_ERROR)]],
    ["6.9", "WINDOW_UPDATE of the connection", [windowUpdate(0, 1)]],
    ["6.9", "WINDOW_UPDATE of a stream", [open(1, "/t/Hold"), windowUpdate(1, 1)]],
    [
      "6.10",
      "CONTINUATION",
      [headers(1, 0, block.subarray(0, 3)), continuation(1, 4, block.subarray(3)), data(1, message("x")), 1],
    ],
    [
      "6.10",
      "several CONTINUATION",
      [
        headers(1, 0, long.subarray(0, 9)),
        continuation(1, 0, long.subarray(9, 20)),
        continuation(1, 4, long.subarray(20)),
        data(1, message("x")),
        1,
      ],
    ],
    ["7", "GOAWAY with an unknown error", [goaway(0xff)]],
    ["7", "RST_STREAM with an unknown error", [open(1, "/t/Hold"), reset(1, 0xff)]],
    [
      "8.1",
      "trailers",
      [open(1, "/t/Echo"), data(1, message("x"), 0), headers(1, 4 | END, encodeHeaders([["x-end", "1"]])), 1],
    ],
  ])("section %s: %s", async (_section, _what, steps) => {
    const { server } = await start();
    const client = await dial(server.port);
    await send(client, steps);
    client.send(...echo(101));
    expect(await client.end(101)).toEqual({ "grpc-status": "0" });
  });

  it.each(["GET", "HEAD"])("section 8.1: %s is answered", async (method) => {
    const { server } = await start();
    const client = await dial(server.port);
    client.send(
      headers(
        1,
        4 | END,
        encodeHeaders([
          [":method", method],
          [":scheme", "http"],
          [":path", "/"],
        ]),
      ),
    );
    expect(await client.end(1)).toEqual({ ":status": "405" });
  });
});

type ErrorRow = [section: string, what: string, error: keyof typeof ERROR, steps: (Uint8Array | number)[]];

describe("a connection is closed with the error", () => {
  const [hold, long_] = [open(1, "/t/Hold"), new Uint8Array(16_385)];
  it.each<ErrorRow>([
    ["4.2", "DATA larger than SETTINGS_MAX_FRAME_SIZE", "FRAME_SIZE_ERROR", [hold, data(1, long_)]],
    ["4.2", "HEADERS larger than SETTINGS_MAX_FRAME_SIZE", "FRAME_SIZE_ERROR", [headers(1, 4, long_)]],
    ["4.3", "a header block that is wrong", "COMPRESSION_ERROR", [headers(1, 4, Buffer.of(0x80))]],
    ["4.3", "PRIORITY within a header block", "PROTOCOL_ERROR", [headers(1, 0), priority(1)]],
    [
      "4.3",
      "HEADERS of another stream within a header block",
      "PROTOCOL_ERROR",
      [headers(1, 0), headers(3, 4)],
    ],
    ["5.1", "DATA on an idle stream", "PROTOCOL_ERROR", [data(1, message("x"))]],
    ["5.1", "RST_STREAM on an idle stream", "PROTOCOL_ERROR", [reset(1)]],
    ["5.1", "WINDOW_UPDATE on an idle stream", "PROTOCOL_ERROR", [windowUpdate(1, 100)]],
    ["5.1", "CONTINUATION on an idle stream", "PROTOCOL_ERROR", [continuation(1, 4)]],
    ["5.1", "CONTINUATION on a half-closed stream", "PROTOCOL_ERROR", [...halfClosed(1), continuation(1, 4)]],
    ["5.1", "DATA on a closed stream", "STREAM_CLOSED", [...echo(1), 1, data(1, message("x"))]],
    ["5.1", "HEADERS on a closed stream", "STREAM_CLOSED", [...echo(1), 1, headers(1, 4 | END)]],
    ["5.1", "CONTINUATION on a closed stream", "PROTOCOL_ERROR", [...echo(1), 1, continuation(1, 4)]],
    ["5.1.1", "a stream of an even number", "PROTOCOL_ERROR", [open(2, "/t/Echo")]],
    ["5.1.1", "a stream of a smaller number", "PROTOCOL_ERROR", [open(5, "/t/Hold"), open(3, "/t/Hold")]],
    ["5.4.1", "a wrong PING", "FRAME_SIZE_ERROR", [ping(0, 0, 6)]],
    ["5.5", "an unknown frame within a header block", "PROTOCOL_ERROR", [headers(1, 0), frame(0x16, 0, 1)]],
    ["6.1", "DATA without a stream", "PROTOCOL_ERROR", [data(0, message("x"))]],
    [
      "6.1",
      "DATA with more padding than payload",
      "PROTOCOL_ERROR",
      [hold, data(1, Buffer.of(6, 0), FLAG.PADDED)],
    ],
    ["6.2", "HEADERS without a stream", "PROTOCOL_ERROR", [open(0, "/t/Echo")]],
    [
      "6.2",
      "HEADERS with more padding than payload",
      "PROTOCOL_ERROR",
      [headers(1, 4 | FLAG.PADDED, Buffer.of(9, 1))],
    ],
    [
      "6.2",
      "HEADERS too short for their priority",
      "FRAME_SIZE_ERROR",
      [headers(1, 4 | 32, Buffer.alloc(4))],
    ],
    ["6.3", "PRIORITY without a stream", "PROTOCOL_ERROR", [priority(0)]],
    [
      "6.3",
      "PRIORITY of a wrong size on an idle stream",
      "FRAME_SIZE_ERROR",
      [frame(FRAME.PRIORITY, 0, 1, Buffer.alloc(4))],
    ],
    ["6.4", "RST_STREAM without a stream", "PROTOCOL_ERROR", [reset(0)]],
    [
      "6.4",
      "RST_STREAM of a wrong size",
      "FRAME_SIZE_ERROR",
      [hold, frame(FRAME.RST_STREAM, 0, 1, Buffer.alloc(3))],
    ],
    [
      "6.5",
      "an ACK with settings",
      "FRAME_SIZE_ERROR",
      [frame(FRAME.SETTINGS, FLAG.ACK, 0, Buffer.alloc(6))],
    ],
    ["6.5", "SETTINGS on a stream", "PROTOCOL_ERROR", [frame(FRAME.SETTINGS, 0, 1)]],
    ["6.5", "SETTINGS of a wrong size", "FRAME_SIZE_ERROR", [frame(FRAME.SETTINGS, 0, 0, Buffer.alloc(5))]],
    ["6.5.2", "ENABLE_PUSH of 2", "PROTOCOL_ERROR", [settingsFrame([[SETTING.ENABLE_PUSH, 2]])]],
    [
      "6.5.2",
      "INITIAL_WINDOW_SIZE of 2^31",
      "FLOW_CONTROL_ERROR",
      [settingsFrame([[SETTING.INITIAL_WINDOW_SIZE, 2 ** 31]])],
    ],
    [
      "6.5.2",
      "MAX_FRAME_SIZE below 2^14",
      "PROTOCOL_ERROR",
      [settingsFrame([[SETTING.MAX_FRAME_SIZE, 16_383]])],
    ],
    [
      "6.5.2",
      "MAX_FRAME_SIZE of 2^24",
      "PROTOCOL_ERROR",
      [settingsFrame([[SETTING.MAX_FRAME_SIZE, 2 ** 24]])],
    ],
    ["6.6", "PUSH_PROMISE", "PROTOCOL_ERROR", [frame(FRAME.PUSH_PROMISE, 0, 1, Buffer.alloc(8))]],
    ["6.7", "PING on a stream", "PROTOCOL_ERROR", [ping(0, 1)]],
    ["6.7", "PING of a wrong size", "FRAME_SIZE_ERROR", [ping(0, 0, 7)]],
    ["6.8", "GOAWAY on a stream", "PROTOCOL_ERROR", [goaway(0, 1)]],
    ["6.9", "WINDOW_UPDATE of 0 of the connection", "PROTOCOL_ERROR", [windowUpdate(0, 0)]],
    [
      "6.9",
      "WINDOW_UPDATE of a wrong size",
      "FRAME_SIZE_ERROR",
      [frame(FRAME.WINDOW_UPDATE, 0, 0, Buffer.alloc(3))],
    ],
    [
      "6.9.1",
      "a window of the connection above 2^31 - 1",
      "FLOW_CONTROL_ERROR",
      [windowUpdate(0, 2 ** 31 - 1), windowUpdate(0, 2 ** 31 - 1)],
    ],
    [
      "6.9.2",
      "a window that grows above 2^31 - 1 by settings",
      "FLOW_CONTROL_ERROR",
      [hold, windowUpdate(1, 2 ** 31 - 65_536), settingsFrame([[SETTING.INITIAL_WINDOW_SIZE, 2 ** 31 - 1]])],
    ],
    [
      "6.10",
      "CONTINUATION and then another frame",
      "PROTOCOL_ERROR",
      [headers(1, 0), continuation(1, 0), data(1, message("x"))],
    ],
    ["6.10", "CONTINUATION of another stream", "PROTOCOL_ERROR", [headers(1, 0), continuation(3, 4)]],
    ["6.10", "CONTINUATION without a stream", "PROTOCOL_ERROR", [headers(1, 0), continuation(0, 4)]],
    ["6.10", "CONTINUATION after whole HEADERS", "PROTOCOL_ERROR", [hold, continuation(1, 4)]],
    [
      "6.10",
      "CONTINUATION after the last one",
      "PROTOCOL_ERROR",
      [headers(1, 0), continuation(1, 4), continuation(1, 4)],
    ],
    [
      "6.10",
      "CONTINUATION after DATA",
      "PROTOCOL_ERROR",
      [hold, data(1, message("x"), 0), continuation(1, 4)],
    ],
  ])("section %s: %s", async (_section, _what, error, steps) => {
    const { server } = await start();
    const client = await dial(server.port);
    await send(client, steps);
    expect(await client.goaway()).toBe(ERROR[error]);
    await expect(client.until(() => false)).rejects.toThrow("closed");
    const next = await dial(server.port);
    next.send(...echo(1));
    expect(await next.end(1)).toEqual({ "grpc-status": "0" });
  });

  it("section 3.4: a preface that is wrong ends the connection", async () => {
    const { server } = await start();
    const socket = connect(server.port, "127.0.0.1");
    socket.write(Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n"), settingsFrame([])]));
    await once(socket.resume(), "close");
  });
});

/** The headers of a request, of which some are replaced, left out (undefined) or put behind. */
function malformed(change: Record<string, string | undefined>, more: [string, string][] = []): Uint8Array {
  const fields: Record<string, string | undefined> = {
    ...{ ":method": "POST", ":scheme": "http", ":path": "/t/Hold", "content-type": "application/grpc" },
    ...change,
  };
  const list = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
  return headers(1, 4, encodeHeaders([...list, ...more]));
}

describe("a stream is reset with the error, and the connection continues", () => {
  const hold = open(1, "/t/Hold");
  it.each<ErrorRow>([
    ["5.1", "DATA on a half-closed stream", "STREAM_CLOSED", [...halfClosed(1), data(1, message("x"))]],
    ["5.1", "HEADERS on a half-closed stream", "STREAM_CLOSED", [...halfClosed(1), headers(1, 4 | END)]],
    ["5.1", "DATA after RST_STREAM", "STREAM_CLOSED", [hold, reset(1), data(1, message("x"))]],
    ["5.1", "HEADERS after RST_STREAM", "STREAM_CLOSED", [hold, reset(1), headers(1, 4 | END)]],
    [
      "6.1",
      "DATA on a stream that was reset while it was answered",
      "STREAM_CLOSED",
      [...halfClosed(1), reset(1), data(1, message("x"))],
    ],
    [
      "6.3",
      "PRIORITY of a wrong size",
      "FRAME_SIZE_ERROR",
      [hold, frame(FRAME.PRIORITY, 0, 1, Buffer.alloc(4))],
    ],
    ["6.9", "WINDOW_UPDATE of 0", "PROTOCOL_ERROR", [hold, windowUpdate(1, 0)]],
    [
      "6.9.1",
      "a window above 2^31 - 1",
      "FLOW_CONTROL_ERROR",
      [hold, windowUpdate(1, 2 ** 31 - 1), windowUpdate(1, 2 ** 31 - 1)],
    ],
    [
      "8.1",
      "HEADERS that follow and do not end it",
      "PROTOCOL_ERROR",
      [hold, headers(1, 4, encodeHeaders([["x-more", "1"]]))],
    ],
    [
      "8.1",
      "trailers with a pseudo-header",
      "PROTOCOL_ERROR",
      [hold, headers(1, 4 | END, encodeHeaders([[":method", "POST"]]))],
    ],
    [
      "8.1.1",
      "a content-length that DATA does not have",
      "PROTOCOL_ERROR",
      [malformed({ "content-length": "1" }), data(1, message("x"))],
    ],
    [
      "8.1.1",
      "a content-length that several DATA do not have",
      "PROTOCOL_ERROR",
      [
        malformed({ "content-length": "13" }),
        data(1, message("xy").subarray(0, 3), 0),
        data(1, message("xy").subarray(3)),
      ],
    ],
    [
      "8.1.1",
      "a content-length without a body",
      "PROTOCOL_ERROR",
      [malformed({ "content-length": "1" }), data(1, Buffer.alloc(0))],
    ],
    ["8.2.1", "a name with a capital", "PROTOCOL_ERROR", [malformed({ "X-test": "1" })]],
    ["8.2.1", "a value with a line end", "PROTOCOL_ERROR", [malformed({ "x-test": "a\r\nb" })]],
    ["8.2.2", "a header of connections", "PROTOCOL_ERROR", [malformed({ connection: "keep-alive" })]],
    [
      "8.2.2",
      "te with another value than trailers",
      "PROTOCOL_ERROR",
      [malformed({ te: "trailers, deflate" })],
    ],
    ["8.3", "an unknown pseudo-header", "PROTOCOL_ERROR", [malformed({ ":test": "1" })]],
    ["8.3", "a pseudo-header of responses", "PROTOCOL_ERROR", [malformed({ ":status": "200" })]],
    [
      "8.3",
      "a pseudo-header after another header",
      "PROTOCOL_ERROR",
      [malformed({ ":path": undefined }, [[":path", "/t/Hold"]])],
    ],
    ["8.3.1", "an empty path", "PROTOCOL_ERROR", [malformed({ ":path": "" })]],
    ["8.3.1", "no method", "PROTOCOL_ERROR", [malformed({ ":method": undefined })]],
    ["8.3.1", "no scheme", "PROTOCOL_ERROR", [malformed({ ":scheme": undefined })]],
    ["8.3.1", "no path", "PROTOCOL_ERROR", [malformed({ ":path": undefined })]],
    ...([":method", ":scheme", ":path"] as const).map(
      (name): ErrorRow => [
        "8.3.1",
        `two ${name}`,
        "PROTOCOL_ERROR",
        [headers(1, 4, Buffer.concat([encodeHeaders([[name, "POST"]]), request("/t/Hold")]))],
      ],
    ),
  ])("section %s: %s", async (_section, _what, error, steps) => {
    const { server } = await start();
    const client = await dial(server.port);
    await send(client, steps);
    expect(await client.reset(1)).toBe(ERROR[error]);
    client.send(...echo(3));
    expect(await client.end(3)).toEqual({ "grpc-status": "0" });
  });

  it("section 5.1.2: more streams than MAX_CONCURRENT_STREAMS are refused", async () => {
    const { server } = await start({ maxCalls: 2 });
    const client = await dial(server.port);
    client.send(open(1, "/t/Hold"), open(3, "/t/Hold"), open(5, "/t/Hold"));
    expect(await client.reset(5)).toBe(ERROR.REFUSED_STREAM);
    // What the client had sent on it before it knew is passed over.
    client.send(data(5, message("x")), headers(5, 4 | END, encodeHeaders([["x-end", "1"]])), ping());
    await client.until((f) => f.type === FRAME.PING && f.flags === FLAG.ACK);
  });

  it("a request is served once, and the handler of a stream is told of its error", async () => {
    const { server, held, told } = await start();
    const client = await dial(server.port);
    client.send(...halfClosed(1), headers(1, 4 | END, encodeHeaders([["x-end", "1"]])));
    client.send(open(3, "/t/Both"), headers(3, 4, encodeHeaders([["x-more", "1"]])), ...echo(5));
    await client.end(5);
    expect(held).toHaveLength(1);
    expect(told).toEqual(["cancelled"]);
  });
});

describe("what a server sends", () => {
  it("section 3.4: SETTINGS first", async () => {
    const { server } = await start();
    const client = await dial(server.port);
    client.send(ping());
    await client.until((f) => f.type === FRAME.PING);
    expect([client.frames[0]!.type, client.frames[0]!.flags]).toEqual([FRAME.SETTINGS, 0]);
  });

  it("section 6.5.3: an ACK for SETTINGS, of which the last value counts", async () => {
    const { server } = await start();
    const client = await dial(server.port);
    client.send(
      settingsFrame([
        [SETTING.INITIAL_WINDOW_SIZE, 100],
        [SETTING.INITIAL_WINDOW_SIZE, 1],
      ]),
      ...echo(1),
    );
    await client.until((f) => f.type === FRAME.DATA);
    expect(client.frames.filter((f) => f.type === FRAME.SETTINGS && f.flags === FLAG.ACK)).toHaveLength(2);
    expect(client.dataOf(1)).toHaveLength(1);
  });

  it("section 6.7: an ACK with the payload of a PING, and none for an ACK", async () => {
    const { server } = await start();
    const client = await dial(server.port);
    client.send(ping(FLAG.ACK), frame(FRAME.PING, 0, 0, Buffer.from("hello h2")));
    await client.until((f) => f.type === FRAME.PING);
    const answers = client.frames.filter((f) => f.type === FRAME.PING);
    expect(answers.map(({ flags, payload }) => [flags, payload.toString()])).toEqual([
      [FLAG.ACK, "hello h2"],
    ]);
  });

  it("section 6.9.1: no more DATA than the window takes", async () => {
    const { server } = await start();
    const client = await dial(server.port, [[SETTING.INITIAL_WINDOW_SIZE, 1]]);
    client.send(...echo(1), ping());
    await client.until((f) => f.type === FRAME.PING);
    expect(client.dataOf(1)).toHaveLength(1);
    client.send(windowUpdate(1, 2), ping());
    await client.until(() => client.dataOf(1).length === 3);
  });

  it("section 6.9.2: windows that SETTINGS change, also below 0", async () => {
    const { server } = await start();
    const client = await dial(server.port, [[SETTING.INITIAL_WINDOW_SIZE, 3]]);
    client.send(...echo(1));
    await client.until(() => client.dataOf(1).length === 3);
    // The window is -2 then, and 1 after the update.
    client.send(settingsFrame([[SETTING.INITIAL_WINDOW_SIZE, 1]]), windowUpdate(1, 2), ping());
    await client.until((f) => f.type === FRAME.PING);
    expect(client.dataOf(1)).toHaveLength(3);
    client.send(windowUpdate(1, 1), ping());
    await client.until(() => client.dataOf(1).length === 4);
    client.send(settingsFrame([[SETTING.INITIAL_WINDOW_SIZE, 100]]));
    expect(await client.end(1)).toEqual({ "grpc-status": "0" });
  });
});

describe("RFC 7541, in requests", () => {
  const hex = (text: string) => Buffer.from(text, "hex");
  const name = { plain: "0474657374", huffman: "8349509f" };
  it.each<[section: string, what: string, block: Buffer]>([
    ["6.1", "an indexed field", Buffer.concat([block, hex("90")])],
    ...(["plain", "huffman"] as const).flatMap((code): [string, string, Buffer][] =>
      (
        [
          ["6.2.1", "with incremental indexing", "7a", "40"],
          ["6.2.2", "without indexing", "0f2b", "00"],
          ["6.2.3", "never indexed", "1f2b", "10"],
        ] as const
      ).flatMap(([section, how, indexed, literal]): [string, string, Buffer][] => [
        [section, `${how}, an indexed name, ${code}`, Buffer.concat([block, hex(indexed + name[code])])],
        [
          section,
          `${how}, a new name, ${code}`,
          Buffer.concat([block, hex(literal + name[code] + name[code])]),
        ],
      ]),
    ),
    ["6.3", "an update of the table size", Buffer.concat([hex("20"), block])],
    ["6.3", "two updates of the table size", Buffer.concat([hex("203fe11f"), block])],
  ])("section %s: %s is taken", async (_section, _what, whole) => {
    const { server } = await start();
    const client = await dial(server.port);
    client.send(headers(1, 4, whole), data(1, message("x")));
    expect(await client.end(1)).toEqual({ "grpc-status": "0" });
  });

  it.each<[section: string, what: string, block: Buffer]>([
    ["2.3.3", "an index beyond the tables", Buffer.concat([block, hex("ff00")])],
    ["2.3.3", "a literal with such an index", Buffer.concat([block, hex("7f000161")])],
    ["4.2", "an update of the table size at the end", Buffer.concat([block, hex("20")])],
    ["5.2", "Huffman padding of more than 7 bits", Buffer.concat([block, hex("008449509fff0161")])],
    ["5.2", "Huffman padding of zeros", Buffer.concat([block, hex("00834950900161")])],
    ["5.2", "the end of a Huffman code", Buffer.concat([block, hex("0084ffffffff0161")])],
    ["6.1", "the index 0", Buffer.concat([block, hex("80")])],
    ["6.3", "a table larger than offered", Buffer.concat([hex("3fe21f"), block])],
  ])("section %s: %s closes the connection", async (_section, _what, whole) => {
    const { server } = await start();
    const client = await dial(server.port);
    client.send(headers(1, 4, whole));
    expect(await client.goaway()).toBe(ERROR.COMPRESSION_ERROR);
  });
});

it("reads a preface in pieces", async () => {
  const { server } = await start();
  const socket = connect(server.port, "127.0.0.1");
  for (const byte of PREFACE) socket.write(Uint8Array.of(byte));
  const [first] = (await once(socket, "data")) as [Buffer];
  expect(first[3]).toBe(FRAME.SETTINGS);
  socket.destroy();
});
