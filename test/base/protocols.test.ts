/** Each protocol of `base/packets`: what is emitted is parsed again, checksums are those of a second model, and no bytes make a parser throw. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  Arp,
  addWords,
  dissect,
  ETHERTYPE_ARP,
  ETHERTYPE_IPV4,
  ETHERTYPE_IPV6,
  ETHERTYPE_VLAN,
  Ethernet,
  emitOptions,
  FrameFields,
  finishChecksum,
  Icmp,
  Icmpv6,
  Ip,
  Ipv4,
  Ipv6,
  Ipv6Extensions,
  ipv6OptionsData,
  type Option,
  optionsLength,
  PROTOCOL_DESTINATION_OPTIONS,
  PROTOCOL_FRAGMENT,
  PROTOCOL_HOP_BY_HOP,
  PROTOCOL_ICMP,
  PROTOCOL_ICMPV6,
  PROTOCOL_ROUTING,
  PROTOCOL_TCP,
  PROTOCOL_UDP,
  parseIpv6Options,
  parseOptions,
  Segment,
  Tcp,
  Udp,
  Vlan,
} from "../../src/base/packets/index.js";
import { checksumOf, pseudoHeader } from "../models/internet-packets.js";

const bits = (width: number) => fc.nat(2 ** width - 1);
const word = fc.integer({ min: 0, max: 0xffff_ffff });
const mac = fc.bigInt(0n, 2n ** 48n - 1n);
const option = (kinds: fc.Arbitrary<number>, most: number) =>
  fc.record({ kind: kinds, data: fc.uint8Array({ maxLength: most }) });
/** At most 40 bytes of options. */
const options = fc
  .array(option(fc.integer({ min: 2, max: 255 }), 12), { maxLength: 4 })
  .filter((list) => optionsLength(list) <= 40);
const payload = fc.uint8Array({ maxLength: 40 });

const ipv4 = fc.record({
  dscp: bits(6),
  ecn: bits(2),
  identification: bits(16),
  dontFragment: fc.boolean(),
  moreFragments: fc.boolean(),
  fragmentOffset: bits(13),
  ttl: bits(8),
  protocol: bits(8),
  source: fc.bigInt(0n, 2n ** 32n - 1n),
  destination: fc.bigInt(0n, 2n ** 32n - 1n),
  options,
});
const ipv6 = fc.record({
  dscp: bits(6),
  ecn: bits(2),
  flowLabel: bits(20),
  nextHeader: bits(8),
  hopLimit: bits(8),
  source: fc.bigInt(0n, 2n ** 128n - 1n),
  destination: fc.bigInt(0n, 2n ** 128n - 1n),
});
const tcp = fc.record({
  srcPort: bits(16),
  dstPort: bits(16),
  sequence: word,
  acknowledgement: word,
  flags: bits(8),
  window: bits(16),
  urgent: bits(16),
  options,
});
const icmp = fc.record({ type: bits(8), code: bits(8), identifier: bits(16), sequence: bits(16) });
const extension = fc.oneof(
  fc.record({
    type: fc.constantFrom(PROTOCOL_HOP_BY_HOP, PROTOCOL_DESTINATION_OPTIONS),
    data: fc
      .array(option(fc.integer({ min: 2, max: 255 }), 9), { maxLength: 3 })
      .map((list) => ipv6OptionsData(list)),
  }),
  fc.record({ type: fc.constant(PROTOCOL_ROUTING), data: fc.uint8Array({ minLength: 14, maxLength: 14 }) }),
);

/** Space for a header, with bytes before and after it that must stay. */
const BEFORE = 3;
function inside(length: number, emit: (bytes: Uint8Array, at: number) => void): Uint8Array {
  const bytes = new Uint8Array(BEFORE + length + 2);
  bytes.fill(0xaa, 0, BEFORE).fill(0xaa, BEFORE + length);
  emit(bytes, BEFORE);
  expect([...bytes.subarray(0, BEFORE), ...bytes.subarray(BEFORE + length)]).toEqual([
    170, 170, 170, 170, 170,
  ]);
  return bytes;
}

describe("what is emitted is parsed again", () => {
  it("Ethernet and VLAN", () => {
    const header = fc.record({ destination: mac, source: mac, type: bits(16) });
    const tag = fc.record({ priority: bits(3), dropEligible: fc.boolean(), id: bits(12), type: bits(16) });
    fc.assert(
      fc.property(header, tag, (one, other) => {
        const frame = new Uint8Array(18);
        Ethernet.emit(frame, one);
        Vlan.emit(frame, 14, other);
        expect([Ethernet.parse(frame), Vlan.parse(frame, 14)]).toEqual([one, other]);
        expect([Ethernet.parse(frame.subarray(0, 13)), Vlan.parse(frame.subarray(0, 17), 14)]).toEqual([
          undefined,
          undefined,
        ]);
      }),
    );
  });

  it("IPv4, with a checksum of the model, and not with a byte that is changed", () => {
    fc.assert(
      fc.property(ipv4, bits(10), fc.nat(), (fields, payloadLength, place) => {
        const header = { ...fields, payloadLength };
        const length = Ipv4.emittedLength(header);
        const bytes = inside(length, (to, at) => Ipv4.emit(to, at, header));
        const end = BEFORE + length + payloadLength;
        const whole = Uint8Array.from([...bytes, ...new Uint8Array(payloadLength)]);
        expect(Ipv4.parse(whole, BEFORE, end)).toEqual(header);
        expect(Ipv4.check(whole, BEFORE, end - 1)).toBe(false);
        const words = [...bytes.subarray(BEFORE, BEFORE + length)];
        words.fill(0, 10, 12);
        expect(Ipv4.checksum(bytes, BEFORE)).toBe(checksumOf(words));
        whole[BEFORE + (place % length)]! ^= 0x55;
        expect(Ipv4.check(whole, BEFORE, whole.length)).toBe(false);
      }),
    );
  });

  it("IPv6 with its extension headers", () => {
    fc.assert(
      fc.property(ipv6, fc.array(extension, { maxLength: 3 }), payload, (fields, headers, data) => {
        const header = {
          ...fields,
          nextHeader: headers[0]?.type ?? PROTOCOL_UDP,
          payloadLength: Ipv6Extensions.emittedLength(headers) + data.length,
        };
        const bytes = inside(Ipv6.LENGTH + header.payloadLength, (to, at) => {
          Ipv6.emit(to, at, header);
          const behind = Ipv6Extensions.emit(to, at + Ipv6.LENGTH, headers, PROTOCOL_UDP);
          to.set(data, behind);
        });
        const end = bytes.length - 2;
        expect(Ipv6.parse(bytes, BEFORE, end)).toEqual(header);
        expect(Ipv6.parse(bytes, BEFORE, end - 1)).toBeUndefined();
        expect(Ipv6Extensions.parse(bytes, BEFORE, end)).toEqual({
          headers,
          protocol: PROTOCOL_UDP,
          at: end - data.length,
          isFragment: false,
        });
      }),
    );
  });

  it("lists of options", () => {
    fc.assert(
      fc.property(options, (list: Option[]) => {
        const bytes = inside(optionsLength(list), (to, at) => emitOptions(to, at, list));
        expect(parseOptions(bytes, BEFORE, bytes.length - 2)).toEqual(list);
        const data = ipv6OptionsData(list);
        expect((data.length + 2) % 8).toBe(0);
        expect(parseIpv6Options(data, 0, data.length)).toEqual(list);
      }),
    );
  });

  it("TCP, UDP, ICMP and ICMPv6, with checksums of the model in both versions of IP", () => {
    const ends = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(
        ends,
        fc.constantFrom(Ip.IPV4, Ip.IPV6),
        tcp,
        icmp,
        payload,
        (addresses, family, segment, message, data) => {
          const ip = new Uint8Array(family.length);
          ip.set(addresses.subarray(0, 2 * family.addressLength), family.keyAt);
          const sumOf = (protocol: number, length: number) => Ip.pseudoSum(ip, 0, family, protocol, length);
          const modelOf = (bytes: Uint8Array, protocol: number, at: number) => {
            const words = [...bytes];
            words.fill(0, at, at + 2);
            const key = [...ip.subarray(family.keyAt, family.keyAt + 2 * family.addressLength)];
            return checksumOf([...pseudoHeader(key, protocol, bytes.length), ...words]);
          };
          const field = (bytes: Uint8Array, at: number) => bytes[at]! * 256 + bytes[at + 1]!;

          const length = Tcp.emittedLength(segment);
          const bytes = Uint8Array.from([...new Uint8Array(length), ...data]);
          Tcp.emit(bytes, 0, segment);
          Tcp.writeChecksum(bytes, 0, bytes.length, sumOf(PROTOCOL_TCP, bytes.length));
          expect(Tcp.parse(bytes, 0, bytes.length)).toEqual(segment);
          expect(Tcp.check(bytes, 0, bytes.length, sumOf(PROTOCOL_TCP, bytes.length))).toBe(true);
          expect(field(bytes, 16)).toBe(modelOf(bytes, PROTOCOL_TCP, 16));

          const datagram = Uint8Array.from([...new Uint8Array(8), ...data]);
          const { srcPort, dstPort } = segment;
          const header = { srcPort, dstPort, payloadLength: data.length };
          Udp.emit(datagram, 0, header);
          const udpSum = sumOf(PROTOCOL_UDP, datagram.length);
          Udp.writeChecksum(datagram, 0, datagram.length, udpSum);
          expect(Udp.parse(datagram, 0, datagram.length)).toEqual(header);
          expect(Udp.check(datagram, 0, datagram.length, udpSum, family.version)).toBe(true);
          expect(field(datagram, 6)).toBe(modelOf(datagram, PROTOCOL_UDP, 6) || 0xffff);
          expect(Udp.parse(datagram, 0, datagram.length - 1)).toBeUndefined();

          const echo = Uint8Array.from([...new Uint8Array(8), ...data]);
          Icmp.emit(echo, 0, message);
          Icmp.writeChecksum(echo, 0, echo.length);
          expect(Icmp.parse(echo, 0, echo.length)).toEqual(message);
          expect(field(echo, 2)).toBe(checksumOf([...echo].fill(0, 2, 4)));
          const sum = sumOf(PROTOCOL_ICMPV6, echo.length);
          Icmpv6.writeChecksum(echo, 0, echo.length, sum);
          expect(Icmpv6.check(echo, 0, echo.length, sum)).toBe(true);
          expect(Icmpv6.parse(echo, 0, echo.length)).toEqual(message);
          expect(field(echo, 2)).toBe(modelOf(echo, PROTOCOL_ICMPV6, 2));
        },
      ),
    );
  });
});

it("the sum of any bytes is that of the model", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 90 }), (bytes) => {
      expect(finishChecksum(addWords(bytes, 0, bytes.length, 0))).toBe(checksumOf([...bytes]));
    }),
  );
});

describe("fragments of IPv6", () => {
  const read = (offset: number, more: number) => {
    const bytes = new Uint8Array(Ipv6.LENGTH + 8);
    Ipv6.emit(bytes, 0, {
      dscp: 0,
      ecn: 0,
      flowLabel: 0,
      payloadLength: 8,
      nextHeader: PROTOCOL_FRAGMENT,
      hopLimit: 1,
      source: 1n,
      destination: 2n,
    });
    bytes.set([PROTOCOL_TCP, 0, offset >> 5, ((offset << 3) & 0xf8) | more], Ipv6.LENGTH);
    const chain = new Ipv6Extensions.Chain();
    expect(chain.read(bytes, 0, bytes.length)).toBe(true);
    return [chain.isFragment, chain.isLaterFragment, chain.protocol, chain.at];
  };

  it("are told from atomic ones, and later ones from the first (RFC 8200, section 4.5; RFC 6946)", () => {
    expect(read(0, 0)).toEqual([false, false, PROTOCOL_TCP, 48]);
    expect(read(0, 1)).toEqual([true, false, PROTOCOL_TCP, 48]);
    expect(read(3, 0)).toEqual([true, true, PROTOCOL_TCP, 48]);
  });
});

describe("random bytes", () => {
  const type = fc.constantFrom(ETHERTYPE_IPV4, ETHERTYPE_IPV6, ETHERTYPE_ARP, ETHERTYPE_VLAN, 0x1234);
  const protocol = fc.constantFrom(
    PROTOCOL_TCP,
    PROTOCOL_UDP,
    PROTOCOL_ICMP,
    PROTOCOL_ICMPV6,
    0,
    43,
    44,
    51,
    60,
  );
  const first = fc.constantFrom(0x45, 0x46, 0x4f, 0x60, 0x61, 0);
  /** Random bytes with plausible values where protocols look first. */
  const frame = fc
    .tuple(fc.uint8Array({ maxLength: 120 }), type, first, protocol)
    .map(([bytes, ethertype, version, next]) => {
      const changed = Uint8Array.from(bytes);
      const put = (at: number, value: number) => {
        if (at < changed.length) changed[at] = value;
      };
      put(12, ethertype >> 8);
      put(13, ethertype & 255);
      put(14, version);
      put(version >> 4 === 6 ? 20 : 23, next);
      return changed;
    });

  it("make nothing throw, and nothing be read beyond their end", () => {
    const segment = new Segment();
    const fields = new FrameFields();
    fc.assert(
      fc.property(frame, (bytes) => {
        const dissection = dissect(bytes);
        expect(dissection === undefined).toBe(bytes.length < Ethernet.LENGTH);
        if (dissection !== undefined) expect(dissection.payload.length).toBeLessThanOrEqual(bytes.length);
        if (segment.read(bytes))
          expect(segment.payloadAt + segment.payloadLength).toBeLessThanOrEqual(bytes.length);
        fields.read(bytes);
        expect(fields.portsAt).toBeLessThanOrEqual(Math.max(0, bytes.length - 4));
        Arp.parseFrame(bytes);
        Icmp.parseFrame(bytes);
        for (const parse of [Ipv4.parse, Ipv6.parse, Tcp.parse, Udp.parse, Icmp.parse, Icmpv6.parse])
          parse(bytes, 0, bytes.length);
        if (bytes.length >= Ipv6.LENGTH) Ipv6Extensions.parse(bytes, 0, bytes.length);
        parseOptions(bytes, 0, bytes.length);
        parseIpv6Options(bytes, 0, bytes.length);
      }),
      { numRuns: 2000 },
    );
  });
});
