import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../../../src/base/index.js";
import {
  addWords,
  FLAG_ACK,
  FLAG_PSH,
  finishChecksum,
  Segment,
  SegmentBuilder,
  type SelectorCodec,
} from "../../../../src/base/packets/index.js";

const codecs: Record<string, SelectorCodec> = {
  dscp: {
    headersOf: (selector) => ({ dscp: selector, vlan: undefined, flowLabel: 0 }),
    selectorOf: (headers) => headers.dscp,
  },
  vlan: {
    headersOf: (selector) => ({ dscp: 0, vlan: selector, flowLabel: 0 }),
    selectorOf: (headers) => headers.vlan ?? 0,
  },
  flowLabel: {
    headersOf: (selector) => ({ dscp: 0, vlan: undefined, flowLabel: selector }),
    selectorOf: (headers) => headers.flowLabel,
  },
};

const addresses4 = {
  ipVersion: 4 as const,
  srcMac: 0x0200_0000_0001n,
  dstMac: 0x0200_0000_0002n,
  src: 0x0a00_0001n,
  dst: 0x0a01_0002n,
  srcPort: 40000,
  dstPort: 5201,
};
const addresses6 = {
  ...addresses4,
  ipVersion: 6 as const,
  src: 0x2001_0db8_0000_0000_0000_0000_0000_0001n,
  dst: 0x2001_0db8_0001_0000_0000_0000_0000_0002n,
};

/** The checksum by its definition: ones' complement of the ones' complement sum, byte pairs in a plain loop. */
function plainChecksum(bytes: readonly number[]): number {
  let sum = 0;
  const padded = bytes.length % 2 === 0 ? bytes : [...bytes, 0];
  for (let i = 0; i < padded.length; i += 2) {
    sum += padded[i]! * 256 + padded[i + 1]!;
    if (sum > 0xffff) sum -= 0xffff;
  }
  return 0xffff - sum;
}

describe("checksums", () => {
  it("match the example of RFC 1071, section 3", () => {
    expect(finishChecksum(addWords(fromHex("0001f203f4f5f6f7")!, 0, 8, 0))).toBe(0xffff - 0xddf2);
  });
});

describe("segments", () => {
  it("are these bytes, tagged IPv4", () => {
    const frame = new SegmentBuilder(addresses4, codecs.vlan!).build(
      0x01020304,
      0x0a0b0c0d,
      3,
      FLAG_ACK | FLAG_PSH,
      0x123,
      7,
    );
    expect(toHex(frame)).toBe(
      "020000000002" +
        "020000000001" +
        "81000123" +
        "0800" +
        "4500003300004000400626c20a0000010a010002" +
        "9c401451" +
        "01020304" +
        "0a0b0c0d" +
        "7018ffff" +
        "63ca" +
        "0000" +
        "fd08503400000007" +
        "000000",
    ); // prettier-ignore
  });

  const cases = fc.record({
    codec: fc.constantFrom("dscp", "vlan", "flowLabel"),
    ipVersion: fc.constantFrom(4 as const, 6 as const),
    sequence: fc.integer({ min: 0, max: 2 ** 40 }),
    acknowledgement: fc.integer({ min: 0, max: 2 ** 40 }),
    length: fc.integer({ min: 0, max: 1461 }),
    selectors: fc.array(fc.integer({ min: 0, max: 63 }), { minLength: 1, maxLength: 3 }),
    echo: fc.integer({ min: 0, max: 2 ** 26 - 1 }),
  });

  it("read back as written, with checksums that hold by definition", () => {
    fc.assert(
      fc.property(cases, ({ codec, ipVersion, sequence, acknowledgement, length, selectors, echo }) => {
        const addresses = ipVersion === 4 ? addresses4 : addresses6;
        const builder = new SegmentBuilder(addresses, codecs[codec]!);
        const segment = new Segment();
        for (const selector of selectors) {
          const frame = builder.build(sequence, acknowledgement, length, FLAG_ACK, selector, echo);
          expect(segment.read(frame)).toBe(true);
          expect(segment).toMatchObject({
            ipVersion,
            srcPort: 40000,
            dstPort: 5201,
            sequence: sequence % 2 ** 32,
            acknowledgement: acknowledgement % 2 ** 32,
            payloadLength: length,
            flags: FLAG_ACK,
            echo,
            hopLimit: 64,
          });
          if (codec !== "flowLabel" || ipVersion === 6)
            expect(codecs[codec]!.selectorOf(segment.headers)).toBe(selector);
          const bytes = [...frame];
          const ip = codec === "vlan" ? 18 : 14;
          const ipLength = ipVersion === 4 ? 20 : 40;
          if (ipVersion === 4) expect(plainChecksum(bytes.slice(ip, ip + 20))).toBe(0);
          const tcp = bytes.slice(ip + ipLength);
          const addressBytes = ipVersion === 4 ? bytes.slice(ip + 12, ip + 20) : bytes.slice(ip + 8, ip + 40);
          const pseudo = [...addressBytes, 0, 6, tcp.length >> 8, tcp.length & 255];
          expect(plainChecksum([...pseudo, ...tcp])).toBe(0);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("are refused when any byte that a checksum covers was changed, or the frame was cut", () => {
    const builder = new SegmentBuilder(addresses4, codecs.dscp!);
    fc.assert(
      fc.property(
        fc.integer({ min: 14, max: 14 + 20 + 28 + 9 }),
        fc.integer({ min: 1, max: 255 }),
        (at, flip) => {
          const frame = builder.build(1, 2, 10, FLAG_ACK, 5, 0);
          frame[at]! ^= flip;
          expect(new Segment().read(frame)).toBe(false);
          frame[at]! ^= flip;
          expect(new Segment().read(frame.subarray(0, at))).toBe(false);
          expect(new Segment().read(frame)).toBe(true);
        },
      ),
    );
  });
});
