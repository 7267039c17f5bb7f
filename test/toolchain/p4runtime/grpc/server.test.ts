/** Calls of gRPC with clients of others: grpc-js, and Python's grpcio where it is installed (P4LOOM_PYTHON names the interpreter). */
import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import {
  Client,
  compressionAlgorithms,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from "@grpc/grpc-js";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Method } from "../../../../src/toolchain/p4runtime/grpc/calls.js";
import { listen } from "../../../../src/toolchain/p4runtime/grpc/server.js";
import { encodeBinary, encodeMessage, timeoutMs } from "../../../../src/toolchain/p4runtime/grpc/text.js";

const MAX_BYTES = 1 << 22;

async function start(address = "127.0.0.1:0", maxConnections = 50) {
  const methods = new Map<string, Method>([
    ["/t/Echo", { kind: "unary", handle: async (bytes) => bytes }],
    ["/t/Never", { kind: "unary", handle: () => new Promise(() => {}) }],
    [
      "/t/Fail",
      {
        kind: "unary",
        handle: (bytes) => {
          throw { code: 9, details: Buffer.from(bytes).toString(), detailsBin: bytes };
        },
      },
    ],
    [
      "/t/Split",
      {
        kind: "serverStream",
        handle: async (bytes, call) => {
          for (const byte of bytes)
            if (!call.write(new Uint8Array(byte * 1000).fill(byte))) await call.drained();
          if (bytes.at(-1) === 0) throw { code: 5, details: "the last is 0" };
        },
      },
    ],
    [
      "/t/Join",
      {
        kind: "clientStream",
        handle: async (messages) => {
          const parts: Uint8Array[] = [];
          for await (const part of messages) {
            if (part.length === 13) throw { code: 3, details: "13 bytes" };
            parts.push(part);
          }
          return Buffer.concat(parts);
        },
      },
    ],
    [
      "/t/Both",
      {
        kind: "duplex",
        handle: (call) => ({
          message: (bytes) => {
            if (bytes.length === 0) call.fail({ code: 10, details: "an empty message" });
            else call.write(bytes);
          },
          ended: () => call.succeed(),
          cancel: () => {},
        }),
      },
    ],
  ]);
  const server = await listen({
    ...{
      address,
      maxBytes: MAX_BYTES,
      maxCalls: 100,
      maxConnections,
      keepaliveMs: 60_000,
      keepaliveTimeoutMs: 30_000,
      methods,
    },
    statusOf: (error) => error as { code: number; details: string },
  });
  onTestFinished(() => server.close(0));
  return { server };
}

const same = (bytes: Buffer) => bytes;

async function startClient(address?: string, options: object = {}) {
  const { server } = await start(address);
  const client = new Client(
    address?.replace(/^localhost:0$/, `localhost:${server.port}`) ?? `127.0.0.1:${server.port}`,
    credentials.createInsecure(),
    {
      "grpc.max_receive_message_length": -1,
      ...options,
    },
  );
  onTestFinished(() => client.close());
  const unary = (path: string, bytes: Uint8Array, metadata = new Metadata(), deadline?: number) =>
    new Promise<Buffer>((resolve, reject) => {
      const callOptions = deadline === undefined ? {} : { deadline: Date.now() + deadline };
      client.makeUnaryRequest(path, same, same, Buffer.from(bytes), metadata, callOptions, (error, answer) =>
        error === null ? resolve(answer!) : reject(error),
      );
    });
  return { server, client, unary };
}

const failure = (task: Promise<unknown>): Promise<ServiceError> =>
  task.then(
    () => {
      throw new Error("nothing failed");
    },
    (error) => error,
  );

const sizes = fc.oneof(
  fc.nat(40),
  fc.integer({ min: 16_300, max: 16_500 }),
  fc.integer({ min: 65_000, max: 300_000 }),
);

describe("grpc-js", () => {
  it("gets back what it sends, of any length, many calls at a time", async () => {
    const { unary } = await startClient();
    await fc.assert(
      fc.asyncProperty(fc.array(sizes, { maxLength: 12 }), async (lengths) => {
        const sent = lengths.map((length, i) => Buffer.alloc(length, i + 1));
        const got = await Promise.all(sent.map((bytes) => unary("/t/Echo", bytes)));
        expect(got.map((bytes, i) => bytes.equals(sent[i]!))).toEqual(sent.map(() => true));
      }),
      { numRuns: 30 },
    );
  });

  it("gets streams in order, and their errors after them", async () => {
    const { client } = await startClient();
    const read = (bytes: number[]) => {
      const call = client.makeServerStreamRequest("/t/Split", same, same, Buffer.from(bytes));
      const got: number[] = [];
      call.on("data", (part: Buffer) => got.push(part.length / 1000));
      return new Promise((resolve) => {
        call.on("error", ({ code, details }: ServiceError) => resolve([got, code, details]));
        call.on("end", () => resolve([got]));
      });
    };
    expect(await read([])).toEqual([[]]);
    expect(await read([255, 1, 200, 254])).toEqual([[255, 1, 200, 254]]);
    // An end after an error is passed over.
    expect(await read([7, 0])).toEqual(expect.arrayContaining([[7, 0]]));
  });

  it("sends streams, and is stopped when one is refused on the way", async () => {
    const { client } = await startClient();
    const write = (parts: number[]) =>
      new Promise<Buffer>((resolve, reject) => {
        const call = client.makeClientStreamRequest("/t/Join", same, same, (error, answer) =>
          error === null ? resolve(answer!) : reject(error),
        );
        for (const length of parts) call.write(Buffer.alloc(length, length));
        call.end();
      });
    expect((await write([5, 0, 100_000, 2_000_000])).length).toBe(2_100_005);
    expect((await write([])).length).toBe(0);
    expect(await failure(write([5, 13, 1_000_000, 1_000_000]))).toMatchObject({
      code: status.INVALID_ARGUMENT,
      details: "13 bytes",
    });
  });

  it("talks both ways until either side ends", async () => {
    const { client } = await startClient();
    const open = () => client.makeBidiStreamRequest("/t/Both", same, same);
    const call = open();
    const got: string[] = [];
    call.on("data", (bytes: Buffer) => got.push(bytes.toString()));
    for (const text of ["one", "two", "three"]) call.write(Buffer.from(text));
    call.end();
    await once(call, "end");
    expect(got).toEqual(["one", "two", "three"]);
    const ended = open();
    const error = new Promise((resolve) => ended.on("error", resolve));
    ended.resume();
    ended.write(Buffer.alloc(0));
    expect(await error).toMatchObject({ code: status.ABORTED, details: "an empty message" });
  });

  it("gets the whole status of an error, whatever its text", async () => {
    const { unary } = await startClient();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 60 }), async (text) => {
        const bytes = Buffer.from(text);
        const error = await failure(unary("/t/Fail", bytes));
        expect({ code: error.code, details: error.details }).toEqual({ code: 9, details: bytes.toString() });
        expect(error.metadata.get("grpc-status-details-bin")).toEqual([bytes]);
      }),
      { numRuns: 60 },
    );
  });

  it("gets details that need more than one frame", async () => {
    const { unary } = await startClient();
    const bytes = Buffer.alloc(20_000, "abcdefgh");
    const error = await failure(unary("/t/Fail", bytes));
    expect(error.details.length).toBe(20_000);
    expect(error.metadata.get("grpc-status-details-bin")).toEqual([bytes]);
  });

  it("is notified of unknown methods, its deadline, and messages that are too large", async () => {
    const { unary } = await startClient();
    expect(await failure(unary("/t/Other", Buffer.alloc(1)))).toMatchObject({
      code: status.UNIMPLEMENTED,
      details: "there is no method /t/Other",
    });
    expect((await failure(unary("/t/Never", Buffer.alloc(1), new Metadata(), 30))).code).toBe(
      status.DEADLINE_EXCEEDED,
    );
    expect(await failure(unary("/t/Echo", Buffer.alloc(MAX_BYTES + 1)))).toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
      details: `a message of ${MAX_BYTES + 1} bytes; at most ${MAX_BYTES} are taken`,
    });
    expect((await unary("/t/Echo", Buffer.alloc(MAX_BYTES))).length).toBe(MAX_BYTES);
  });

  it.each([
    ["gzip", compressionAlgorithms.gzip],
    ["deflate", compressionAlgorithms.deflate],
  ])("may compress with %s", async (_name, algorithm) => {
    const { unary, client } = await startClient(undefined, {
      "grpc.default_compression_algorithm": algorithm,
    });
    const bytes = Buffer.alloc(200_000, "compress me ");
    expect(await unary("/t/Echo", bytes)).toEqual(bytes);
    const call = client.makeBidiStreamRequest("/t/Both", same, same);
    const got: number[] = [];
    call.on("data", (part: Buffer) => got.push(part.length));
    for (const length of [1, 100_000, 2, 50_000, 3]) call.write(Buffer.alloc(length, "x"));
    call.end();
    await once(call, "end");
    expect(got).toEqual([1, 100_000, 2, 50_000, 3]);
    expect((await failure(unary("/t/Echo", Buffer.alloc(MAX_BYTES + 1)))).code).toBe(
      status.RESOURCE_EXHAUSTED,
    );
  });

  it("finds the server by a name with several addresses, by IPv6 and by a Unix socket", async () => {
    const named = await startClient("localhost:0");
    expect((await named.unary("/t/Echo", Buffer.from("x"))).toString()).toBe("x");
    const folder = mkdtempSync(join(tmpdir(), "p4loom-grpc-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const local = await startClient(`unix:${join(folder, "socket")}`);
    expect((await local.unary("/t/Echo", Buffer.from("y"))).toString()).toBe("y");
    expect(local.server.port).toBe(0);
  });
});

it.each([
  ["127.0.0.1:PORT", "EADDRINUSE"],
  ["unix:/nowhere/at/all", "EACCES"],
  ["192.0.2.1:0", "EADDRNOTAVAIL"],
])("%s is refused with the system's error", async (address, code) => {
  const { server } = await start();
  await expect(start(address.replace("PORT", String(server.port)))).rejects.toMatchObject({
    code,
    syscall: "listen",
  });
});

/** A request by hand: these bytes as the body, with these headers. */
async function send(body: Buffer, headers: Record<string, string> = {}) {
  const { server } = await start();
  const { connect: dial } = await import("node:http2");
  const session = dial(`http://127.0.0.1:${server.port}`);
  onTestFinished(() => session.destroy());
  const request = session.request({
    ":method": "POST",
    ":path": "/t/Echo",
    te: "trailers",
    "content-type": "application/grpc",
    ...headers,
  });
  let answer: Record<string, unknown> = {};
  const chunks: Buffer[] = [];
  request.on("response", (head) => {
    answer = { ...answer, ...head };
  });
  request.on("trailers", (trailers) => {
    answer = { ...answer, ...trailers };
  });
  request.on("data", (chunk) => chunks.push(chunk));
  request.end(body);
  await once(request, "close");
  return {
    status: Number(answer["grpc-status"]),
    message: decodeURIComponent(String(answer["grpc-message"] ?? "")),
    body: Buffer.concat(chunks),
  };
}

const framed = (bytes: Buffer, flag = 0): Buffer => {
  const head = Buffer.alloc(5);
  head[0] = flag;
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
};

describe("a request by hand", () => {
  const text = Buffer.from("some text");
  it.each<[string, Buffer, Record<string, string>, number, string]>([
    ["without a message", Buffer.alloc(0), {}, 13, "a request without a message"],
    [
      "with two messages",
      Buffer.concat([framed(text), framed(text)]),
      {},
      13,
      "a request of more than one message",
    ],
    ["with a cut message", framed(text).subarray(0, -1), {}, 13, "the last message is not complete"],
    ["with a cut length", Buffer.alloc(3), {}, 13, "the last message is not complete"],
    [
      "with a length beyond all bounds",
      Buffer.from("00ffffffff00", "hex"),
      {},
      8,
      `a message of 4294967295 bytes; at most ${MAX_BYTES} are taken`,
    ],
    [
      "compressed without an encoding",
      framed(gzipSync(text), 1),
      {},
      12,
      'messages of the encoding "identity"; gzip and deflate are possible',
    ],
    [
      "of an unknown encoding",
      framed(brotliCompressSync(text), 1),
      { "grpc-encoding": "br" },
      12,
      'messages of the encoding "br"; gzip and deflate are possible',
    ],
    [
      "of another encoding",
      framed(deflateSync(text), 1),
      { "grpc-encoding": "gzip" },
      13,
      "a message that is not gzip",
    ],
    [
      "that decompresses to too much",
      framed(gzipSync(Buffer.alloc(MAX_BYTES + 1)), 1),
      { "grpc-encoding": "gzip" },
      8,
      `a message of more than ${MAX_BYTES} bytes`,
    ],
    ["with a wrong time", framed(text), { "grpc-timeout": "soon" }, 13, 'grpc-timeout is "soon"'],
  ])("%s is refused", async (_name, body, headers, code, message) => {
    expect(await send(body, headers)).toEqual({ status: code, message, body: Buffer.alloc(0) });
  });

  it("may leave messages uncompressed under an encoding, and have a time", async () => {
    const answer = await send(framed(text), {
      "grpc-encoding": "gzip",
      "grpc-timeout": "99999999H",
      "content-type": "application/grpc+proto",
    });
    expect(answer).toEqual({ status: 0, message: "", body: framed(text) });
  });
});

it("reads the times and writes the texts of gRPC", () => {
  expect(["1H", "2M", "3S", "4m", "5u", "6n", "", "1", "S", "123456789S", "-1S"].map(timeoutMs)).toEqual([
    3_600_000,
    120_000,
    3000,
    4,
    0.005,
    6e-6,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(encodeMessage("100% ä\n~")).toBe("100%25 %C3%A4%0A~");
  expect(encodeBinary(Uint8Array.of(1))).toBe("AQ");
});

it("closes connections at once when its time to close is over", async () => {
  const { server, unary } = await startClient();
  const never = failure(unary("/t/Never", Buffer.alloc(1)));
  const idle = connect(server.port, "127.0.0.1");
  await once(idle.resume(), "data");
  await server.close(20);
  expect((await never).code).toBe(status.UNAVAILABLE);
});

it("closes connections beyond its bound, and serves a new one when one has gone", async () => {
  const { server } = await start(undefined, 2);
  const opened = async () => {
    const socket = connect(server.port, "127.0.0.1");
    const first = await Promise.race([
      once(socket, "data").then(() => "served"),
      once(socket, "close").then(() => "closed"),
    ]);
    return { socket, first };
  };
  const one = await opened();
  const two = await opened();
  expect([one.first, two.first, (await opened()).first]).toEqual(["served", "served", "closed"]);
  one.socket.end();
  await once(one.socket, "close");
  const four = await opened();
  expect(four.first).toBe("served");
  for (const { socket } of [two, four]) socket.destroy();
});

const python = process.env["P4LOOM_PYTHON"] ?? "python3";
const hasPython = spawnSync(python, ["-c", "import grpc"]).status === 0;

/** Calls of every kind by the C implementation of gRPC, plain and compressed. */
const SCRIPT = `
import sys, grpc
channel = grpc.insecure_channel(sys.argv[1], options=[("grpc.max_receive_message_length", -1)])
for compression in (grpc.Compression.NoCompression, grpc.Compression.Gzip, grpc.Compression.Deflate):
    echo = channel.unary_unary("/t/Echo")
    for length in (0, 1, 16379, 16384, 100000, 3000000):
        sent = bytes([length % 251]) * length
        assert echo(sent, compression=compression, timeout=60) == sent, length
    futures = [echo.future(bytes([i]) * 5000, compression=compression) for i in range(80)]
    assert all(f.result() == bytes([i]) * 5000 for i, f in enumerate(futures))
    parts = list(channel.unary_stream("/t/Split")(bytes([255, 3, 200]), compression=compression))
    assert [len(p) for p in parts] == [255000, 3000, 200000]
    sent = [bytes([i]) * (i * 1000) for i in range(100)]
    assert channel.stream_unary("/t/Join")(iter(sent), compression=compression) == b"".join(sent)
    assert list(channel.stream_stream("/t/Both")(iter(sent[1:]), compression=compression)) == sent[1:]
def code(call):
    try:
        call()
    except grpc.RpcError as error:
        return error.code().name, error.details(), dict(error.trailing_metadata()).get("grpc-status-details-bin")
text = "100% \\u00e4\\n".encode()
assert code(lambda: channel.unary_unary("/t/Fail")(text)) == ("FAILED_PRECONDITION", text.decode(), text)
assert code(lambda: channel.unary_unary("/t/None")(b""))[0] == "UNIMPLEMENTED"
assert code(lambda: channel.unary_unary("/t/Never")(b"", timeout=0.05))[0] == "DEADLINE_EXCEEDED"
assert code(lambda: channel.unary_unary("/t/Echo")(bytes(5000000)))[0] == "RESOURCE_EXHAUSTED"
assert code(lambda: channel.stream_unary("/t/Join")(iter([bytes(13)] * 2000)))[0] == "INVALID_ARGUMENT"
assert channel.unary_unary("/t/Echo")(b"still there") == b"still there"
print("done")
`;

it.skipIf(!hasPython)(
  hasPython ? "Python's grpcio has all its calls answered" : "grpcio (not installed)",
  async () => {
    const { server } = await start();
    const { stdout } = await promisify(execFile)(python, ["-c", SCRIPT, `127.0.0.1:${server.port}`], {
      timeout: 100_000,
    });
    expect(stdout).toBe("done\n");
  },
  120_000,
);
