/** Packets as bytes: what is written can be read again, and a changed byte is noticed where a checksum covers it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  Arp,
  addWords,
  ETHERTYPE_IPV4,
  ETHERTYPE_IPV6,
  finishIp,
  foldSum,
  get16,
  get32,
  Icmp,
  PacketFilter,
  PROTOCOL_UDP,
  payloadBytes,
  prepareHeaders,
  put16,
  put32,
  SELECTOR_FIELDS,
  selectorHeaders,
  selectorOf,
} from "../../src/base/packets/index.js";

const mac = fc.bigInt(0n, 2n ** 48n - 1n);
const address = fc.bigInt(0n, 2n ** 32n - 1n);

it("numbers of 16 and 32 bits", () => {
  fc.assert(
    fc.property(fc.nat(0xffff), fc.integer({ min: 0, max: 0xffff_ffff }), (short, long) => {
      const bytes = new Uint8Array(8);
      put16(bytes, 1, short);
      put32(bytes, 3, long);
      expect([get16(bytes, 1), get32(bytes, 3)]).toEqual([short, long]);
      expect([bytes[0], bytes[7]]).toEqual([0, 0]);
    }),
  );
});

it("messages of ARP, and nothing shorter", () => {
  fc.assert(
    fc.property(
      fc.record({
        operation: fc.constantFrom(1, 2),
        senderMac: mac,
        sender: address,
        targetMac: mac,
        target: address,
      }),
      fc.nat(41),
      (message, length) => {
        const frame = Arp.frameOf(message);
        expect(Arp.parseFrame(frame)).toEqual(message);
        expect(Arp.parseFrame(frame.subarray(0, length))).toBeUndefined();
      },
    ),
  );
});

it("messages of ICMP, and none with a changed byte", () => {
  fc.assert(
    fc.property(
      fc.record({
        type: fc.constantFrom(0, 3, 8, 11),
        code: fc.nat(15),
        identifier: fc.nat(0xffff),
        sequence: fc.nat(0xffff),
        body: fc.uint8Array({ maxLength: 60 }),
        ttl: fc.integer({ min: 1, max: 255 }),
      }),
      address,
      address,
      fc.nat(),
      (message, src, dst, place) => {
        const frame = Icmp.frameOf({ srcMac: 1n, src, dst }, message);
        const read = Icmp.parseFrame(frame)!;
        expect({ ...read, body: [...read.body] }).toEqual({
          ...message,
          body: [...message.body],
          source: Number(src),
          destination: Number(dst),
        });
        // Behind the Ethernet header, each byte is covered by one of the two checksums.
        frame[14 + (place % (frame.length - 14))]! ^= 0x55;
        expect(Icmp.parseFrame(frame)).toBeUndefined();
      },
    ),
  );
});

describe("headers of a flow", () => {
  const flow = fc.record({
    ipVersion: fc.constantFrom<4 | 6>(4, 6),
    srcMac: mac,
    dstMac: mac,
    src: address,
    dst: address,
    srcPort: fc.nat(0xffff),
    dstPort: fc.nat(0xffff),
  });
  const selector = fc.record({ field: fc.constantFrom(...SELECTOR_FIELDS), value: fc.nat(7) });

  it("have a right checksum, the length, and what a filter finds", () => {
    fc.assert(
      fc.property(
        flow,
        selector,
        fc.integer({ min: 8, max: 100 }),
        fc.boolean(),
        (ends, { field, value }, length, ecn) => {
          const headers = selectorHeaders(field, value);
          const prepared = prepareHeaders(ends, headers, PROTOCOL_UDP, length);
          const { bytes, ipAt, transportAt } = prepared;
          finishIp(bytes, prepared, ends.ipVersion, ecn, length);
          expect(bytes.length).toBe(transportAt + length);
          expect(get16(bytes, ipAt - 2)).toBe(ends.ipVersion === 4 ? ETHERTYPE_IPV4 : ETHERTYPE_IPV6);
          if (ends.ipVersion === 4) expect(foldSum(addWords(bytes, ipAt, transportAt, 0))).toBe(0xffff);
          expect(payloadBytes(bytes)).toBe(length - 8);
          const bits = ends.ipVersion === 4 ? 32 : 128;
          const match = { ipVersion: ends.ipVersion, address: ends.src, length: bits };
          expect(
            new PacketFilter({ src: match, srcPort: ends.srcPort, protocol: PROTOCOL_UDP }).matches(bytes),
          ).toBe(true);
          expect(new PacketFilter({ src: match, srcPort: ends.srcPort ^ 1 }).matches(bytes)).toBe(false);
          expect(new PacketFilter({ dst: { ...match, address: ends.dst ^ 1n } }).matches(bytes)).toBe(false);
        },
      ),
    );
  });

  it("carry the selector of their field", () => {
    fc.assert(
      fc.property(selector, ({ field, value }) => {
        expect(selectorOf(field, selectorHeaders(field, value))).toBe(value);
      }),
    );
  });
});
