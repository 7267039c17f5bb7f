/** Frames that end early, and bounds: what a view must not read, what a filter takes, what a pool keeps. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addWords,
  Ethernet,
  FrameFields,
  foldSum,
  giveFrame,
  Ipv4,
  Ipv6,
  Ipv6Extensions,
  ipPacket,
  ipv6OptionsData,
  PacketFilter,
  PROTOCOL_AUTHENTICATION,
  PROTOCOL_HOP_BY_HOP,
  PROTOCOL_UDP,
  parseOptions,
  Tcp,
  TcpOption,
  takeFrame,
  without,
} from "../../src/base/packets/index.js";

/** Ethernet, IPv4 with `options` bytes of options, and four bytes of ports. */
function ipv4Frame(options = 0): Uint8Array {
  const frame = new Uint8Array(14 + 20 + options + 4);
  Ethernet.emit(frame, { destination: 1n, source: 2n, type: 0x0800 });
  const header = {
    ...{ dscp: 0, ecn: 0, identification: 0, dontFragment: false, moreFragments: false, fragmentOffset: 0 },
    ...{ ttl: 1, protocol: PROTOCOL_UDP, source: 0x0a0a0a0an, destination: 0x0a0a0b00n, payloadLength: 4 },
    options: options === 0 ? [] : [{ kind: 148, data: new Uint8Array(options - 2) }],
  };
  Ipv4.emit(frame, 14, header);
  frame.set([0, 7, 0, 8], 34 + options);
  return frame;
}

const ipv6Header = (nextHeader: number): Uint8Array => {
  const bytes = new Uint8Array(Ipv6.LENGTH);
  const addresses = { source: 1n, destination: 2n };
  Ipv6.emit(bytes, 0, {
    ...{ dscp: 0, ecn: 0, flowLabel: 0, payloadLength: 0, hopLimit: 1 },
    ...{ nextHeader, ...addresses },
  });
  return bytes;
};

describe("fields of a frame", () => {
  const fieldsOf = (frame: Uint8Array): FrameFields => {
    const fields = new FrameFields();
    fields.read(frame);
    return fields;
  };

  it("has no IP header that is cut, and ports only where both are there", () => {
    const frame = ipv4Frame();
    expect(fieldsOf(frame)).toMatchObject({ ipVersion: 4, ipAt: 14, srcAt: 26, portsAt: 34 });
    expect(fieldsOf(frame.subarray(0, 37))).toMatchObject({ ipVersion: 4, portsAt: 0 });
    expect(fieldsOf(frame.subarray(0, 33))).toMatchObject({ ipVersion: 0, portsAt: 0 });
  });

  it("has no ports behind options of IPv4, which generated programs do not parse", () => {
    expect(fieldsOf(ipv4Frame(4))).toMatchObject({ ipVersion: 4, portsAt: 0 });
  });
});

describe("a packet filter", () => {
  const takes = (match: ConstructorParameters<typeof PacketFilter>[0], frame = ipv4Frame()) =>
    new PacketFilter(match).matches(frame);

  it("has both bounds of the length inclusive, and each without the other", () => {
    const { length } = ipv4Frame();
    expect([takes({ minBytes: length }), takes({ minBytes: length + 1 })]).toEqual([true, false]);
    expect([takes({ maxBytes: length }), takes({ maxBytes: length - 1 })]).toEqual([true, false]);
    expect(takes({ minBytes: 1, maxBytes: 2000 })).toBe(true);
  });

  it("without a field of a header takes frames that are no IP packets", () => {
    const other = new Uint8Array(20);
    expect([takes({}, other), takes({ minBytes: 20 }, other), takes({ protocol: 0 }, other)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("compares the bits of a prefix, and no others", () => {
    fc.assert(
      fc.property(fc.nat(32), fc.nat(31), (length, bit) => {
        const address = 0x0a0a0a0an ^ (1n << BigInt(31 - bit));
        expect(takes({ src: { ipVersion: 4, address, length } })).toBe(bit >= length);
        expect(takes({ src: { ipVersion: 4, address: 0x0a0a0a0an, length } })).toBe(true);
      }),
    );
  });
});

describe("headers that are cut", () => {
  it("leave no extension header of IPv6", () => {
    for (const type of [PROTOCOL_HOP_BY_HOP, PROTOCOL_AUTHENTICATION]) {
      const bytes = ipv6Header(type);
      expect(Ipv6Extensions.parse(bytes, 0, bytes.length)).toBeUndefined();
      expect(Ipv6Extensions.parse(Uint8Array.from([...bytes, 59]), 0, bytes.length + 1)).toBeUndefined();
    }
  });

  it("are no IPv6 header of another version, and no TCP header whose length is below its fields'", () => {
    const bytes = ipv6Header(59);
    expect(Ipv6.parse(bytes, 0, bytes.length)).toBeDefined();
    bytes[0] = 0x45;
    expect(Ipv6.parse(bytes, 0, bytes.length)).toBeUndefined();
    const tcp = new Uint8Array(40);
    const lengthOf = (words: number) => {
      tcp[12] = words << 4;
      return Tcp.hasWholeHeader(tcp, 0, tcp.length);
    };
    expect([4, 5, 10, 11].map(lengthOf)).toEqual([false, true, true, false]);
  });

  it("leave no packet to readdress", () => {
    const frame = ipv4Frame();
    expect(ipPacket(frame, 1)).toMatchObject({ version: 4, at: 14 });
    expect(ipPacket(frame.subarray(0, 33), 1)).toBeUndefined();
  });

  it("of a link are found in either address", () => {
    const bytes = ipv6Header(59);
    const isLocal = (at: number) => {
      const one = Uint8Array.from(bytes);
      one[at] = 0xfe;
      return Ipv6.hasLinkAddress(one, 0);
    };
    expect([8, 24, 9].map(isLocal)).toEqual([true, true, false]);
  });
});

describe("what is written", () => {
  it("pads options of IPv6 by one option (RFC 8200, section 4.2)", () => {
    const option = (bytes: number) => [{ kind: 5, data: new Uint8Array(bytes) }];
    expect([...ipv6OptionsData(option(4))]).toEqual([5, 4, 0, 0, 0, 0]);
    expect([...ipv6OptionsData(option(3))]).toEqual([5, 3, 0, 0, 0, 0]);
    expect([...ipv6OptionsData(option(1))]).toEqual([5, 1, 0, 1, 1, 0]);
    expect([...ipv6OptionsData([])]).toEqual([1, 4, 0, 0, 0, 0]);
  });

  it("begins each TCP option at a word, behind options that do nothing (RFC 9293, section 3.2)", () => {
    const bytes = new Uint8Array(20);
    let at = TcpOption.putMss(bytes, 0, 1460);
    at = TcpOption.putSackPermitted(bytes, at);
    at = TcpOption.putWindowScale(bytes, at, 7);
    TcpOption.putSackBlock(bytes, at, 0, 1, 2);
    at = TcpOption.putSack(bytes, at, 0);
    expect(at).toBe(16);
    expect(parseOptions(bytes, 0, at)?.map(({ kind, data }) => [kind, ...data])).toEqual([
      [2, 5, 0xb4],
      [4],
      [3, 7],
      [5],
    ]);
  });

  it("removes words from a sum of ones' complement", () => {
    fc.assert(
      fc.property(fc.nat(0xffff), fc.nat(0xffff_ffff), (sum, words) => {
        const both = foldSum(sum + (words >>> 16) + (words & 0xffff));
        // 0 and 0xffff are the same number.
        expect(foldSum(both + without(words)) % 0xffff).toBe(sum % 0xffff);
      }),
    );
    expect(addWords(Uint8Array.of(0, 1), 0, 2, without(1))).toBe(0xffff);
  });
});

describe("the pool of frames", () => {
  it("keeps frames up to 4,096 bytes, and 4,096 of one length", () => {
    const long = takeFrame(4097);
    giveFrame(long);
    expect(takeFrame(4097)).not.toBe(long);
    const own = takeFrame(4096);
    giveFrame(own.fill(1));
    const again = takeFrame(4096);
    expect(again).toBe(own);
    expect(again.every((byte) => byte === 0)).toBe(true);
    const length = 977;
    const frames = new Set<Uint8Array>(Array.from({ length: 4097 }, () => new Uint8Array(length)));
    for (const frame of frames) giveFrame(frame);
    const back = Array.from({ length: 4097 }, () => takeFrame(length));
    expect(back.filter((frame) => frames.has(frame))).toHaveLength(4096);
  });
});
