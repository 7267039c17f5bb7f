/** Header compression: the examples of RFC 7541, what nghttp2 (in Node) sends, and blocks that break the rules. */
import { once } from "node:events";
import { connect } from "node:http2";
import { type AddressInfo, createServer } from "node:net";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { fromHex } from "../../../../src/base/index.js";
import { Connection } from "../../../../src/toolchain/p4runtime/grpc/connection.js";
import {
  CompressionError,
  encodeHeaders,
  type Header,
  HeaderDecoder,
} from "../../../../src/toolchain/p4runtime/grpc/hpack.js";

const bytes = (hex: string) => fromHex(hex.replace(/\s/g, ""))!;
const decode = (decoder: HeaderDecoder, hex: string) => decoder.decode(bytes(hex), 10_000).headers;

describe("the examples of RFC 7541", () => {
  const first = [
    [":method", "GET"],
    [":scheme", "http"],
    [":path", "/"],
    [":authority", "www.example.com"],
  ];
  const second = [...first, ["cache-control", "no-cache"]];
  const third = [
    ...[
      [":method", "GET"],
      [":scheme", "https"],
      [":path", "/index.html"],
      [":authority", "www.example.com"],
    ],
    ["custom-key", "custom-value"],
  ];

  it.each([
    [
      "C.3, without Huffman code",
      "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
      "8286 84be 5808 6e6f 2d63 6163 6865",
      "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
    ],
    [
      "C.4, with it",
      "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
      "8286 84be 5886 a8eb 1064 9cbf",
      "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf",
    ],
  ])("%s", (_name, one, two, three) => {
    const decoder = new HeaderDecoder();
    expect(decode(decoder, one)).toEqual(first);
    expect(decode(decoder, two)).toEqual(second);
    expect(decode(decoder, three)).toEqual(third);
  });

  it("C.2: literals that are indexed, not indexed and never indexed", () => {
    const decoder = new HeaderDecoder();
    expect(decode(decoder, "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572")).toEqual([
      ["custom-key", "custom-header"],
    ]);
    expect(decode(decoder, "040c 2f73 616d 706c 652f 7061 7468")).toEqual([[":path", "/sample/path"]]);
    expect(decode(decoder, "1008 7061 7373 776f 7264 0673 6563 7265 74")).toEqual([["password", "secret"]]);
    // Only the first is in the table.
    expect(decode(decoder, "be")).toEqual([["custom-key", "custom-header"]]);
    expect(() => decode(decoder, "bf")).toThrow("no entry 63");
  });
});

describe("the dynamic table", () => {
  const literal = (name: string, value: string) =>
    Buffer.concat([
      Buffer.from([0x40, name.length]),
      Buffer.from(name),
      Buffer.from([0x7f, value.length - 127]),
      Buffer.from(value),
    ]).toString("hex");

  it("evicts the oldest entries beyond its size", () => {
    const decoder = new HeaderDecoder();
    // 32 + 1 + 200 bytes each: 17 entries fit in 4096.
    for (let i = 0; i < 20; i++) decode(decoder, literal(String.fromCharCode(97 + i), "v".repeat(200)));
    expect(decode(decoder, "be")[0]![0]).toBe("t");
    expect(decode(decoder, (0x80 + 62 + 16).toString(16))[0]![0]).toBe("d");
    expect(() => decode(decoder, (0x80 + 62 + 17).toString(16))).toThrow(CompressionError);
  });

  it("takes another size before the first header, up to what was offered", () => {
    const decoder = new HeaderDecoder();
    decode(decoder, "4001610162");
    expect(decode(decoder, "20 82")).toEqual([[":method", "GET"]]);
    expect(() => decode(decoder, "be")).toThrow("no entry 62");
    // Too large for the table: it is empty then.
    expect(decode(decoder, "3f01 4001610162")).toEqual([["a", "b"]]);
    expect(() => decode(decoder, "be")).toThrow(CompressionError);
    expect(() => decode(decoder, "3fe21f")).toThrow("a table of 4097 bytes");
    expect(() => decode(decoder, "8220")).toThrow("after a header");
  });
});

const ENDLESS = "an integer that does not end";
const CUT = "a text beyond the end of the block";
const NO_CODE = "a text that is not in the Huffman code";
it.each([
  ["an index of 0", "80", "there is no entry 0 in the tables"],
  ["an index beyond the tables", "ff00", "there is no entry 127 in the tables"],
  ["an integer that does not end", "ffffffffffff", ENDLESS],
  ["an integer of more bytes than a block needs", "3f8080808000", ENDLESS],
  ["a cut integer", "7f", ENDLESS],
  ["a cut literal", "40", CUT],
  ["a literal without a value", "400161", CUT],
  ["a text beyond the end", "400161ff00", CUT],
  ["a text that ends one byte beyond the end", "00016102ff", CUT],
  ["a length of 2^27", "00ffffffff3f", CUT],
  ["padding of zeros", "00810000", NO_CODE],
  ["padding of ones and a zero", "00811e00", NO_CODE],
  ["padding of a whole byte", "00821fff00", NO_CODE],
  ["the end of the text as a symbol", "0084ffffffff00", NO_CODE],
])("%s is refused", (_name, hex, message) => {
  const decoder = new HeaderDecoder();
  expect(() => decode(decoder, hex)).toThrow(CompressionError);
  expect(() => decode(decoder, hex)).toThrow(message);
});

it("takes integers of four more bytes, and empty texts in either code", () => {
  // A table of 31 + 0 bytes, written with zeros in front.
  expect(decode(new HeaderDecoder(), "3f80808000 82")).toEqual([[":method", "GET"]]);
  expect(decode(new HeaderDecoder(), "008080 000000")).toEqual([
    ["", ""],
    ["", ""],
  ]);
  // The padding is seven ones at most: the code of "0" has five bits.
  expect(decode(new HeaderDecoder(), "00810700")).toEqual([["0", ""]]);
});

it.each<[string, Header, string]>([
  ["an entry of the static table as one byte", [":status", "200"], "88"],
  ["C.2.2: a name of the table", [":path", "/sample/path"], "04 0c 2f73616d706c652f70617468"],
  ["a name of the table beyond 14", ["content-type", "a"], "0f10 01 61"],
  [
    "C.2.1: a name that is not in the table",
    ["custom-key", "custom-header"],
    "00 0a 637573746f6d2d6b6579 0d 637573746f6d2d686561646572",
  ],
  ["a value of 127 bytes", [":path", "a".repeat(127)], `04 7f00 ${"61".repeat(127)}`],
  ["a value of 255 bytes", [":path", "a".repeat(255)], `04 7f8001 ${"61".repeat(255)}`],
])("encodes %s", (_name, header, hex) => {
  expect(encodeHeaders([header]).toString("hex")).toBe(hex.replace(/\s/g, ""));
});

it("leaves out what is beyond the bound, and keeps its table right", () => {
  const decoder = new HeaderDecoder();
  const { headers, complete } = decoder.decode(bytes("82 40016101 62 83"), 60);
  expect({ headers, complete }).toEqual({ headers: [[":method", "GET"]], complete: false });
  expect(decode(decoder, "be")).toEqual([["a", "b"]]);
});

it("never fails otherwise, whatever the bytes", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 5 }), (blocks) => {
      const decoder = new HeaderDecoder();
      for (const block of blocks) {
        try {
          decoder.decode(block, 1000);
        } catch (error) {
          expect(error).toBeInstanceOf(CompressionError);
          return;
        }
      }
    }),
  );
});

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/).map((text) => `x-${text}`);
const value = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 300,
});
const others = fc.uniqueArray(fc.tuple(name, value), { selector: ([key]) => key, maxLength: 12 });

it("decodes what encodeHeaders gives, of any length", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value)), (headers) => {
      const all: Header[] = [[":status", "200"], ["content-type", "application/grpc"], ...headers];
      expect(new HeaderDecoder().decode(encodeHeaders(all), 1e9).headers).toEqual(all);
    }),
  );
});

it("decodes what nghttp2 sends, over many requests of one connection", async () => {
  const seen: Header[][] = [];
  const server = createServer((socket) => {
    new Connection(socket, {
      ...{
        maxStreams: 100,
        maxHeldBytes: 1000,
        keepaliveMs: 1000,
        keepaliveTimeoutMs: 500,
        closed: () => {},
        later: () => () => {},
      },
      request: (stream, headers) => {
        seen.push([...headers]);
        stream.finish(encodeHeaders([[":status", "200"]]));
        stream.settle();
      },
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  await fc.assert(
    fc.asyncProperty(others, async (headers) => {
      const request = client.request({ ":method": "POST", ":path": "/x", ...Object.fromEntries(headers) });
      request.resume();
      await once(request, "close");
      const got = seen.at(-1)!.filter(([key]) => !key.startsWith(":"));
      expect(Object.fromEntries(got)).toEqual(Object.fromEntries(headers));
    }),
    { numRuns: 200 },
  );
});
