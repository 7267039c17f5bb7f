/** What a host reads of a frame, and what it refuses: each length, option and field at its bound. */
import { describe, expect, it } from "vitest";
import {
  addWords,
  DatagramBuilder,
  ECHO_BITS,
  finishChecksum,
  PacketFilter,
  Segment,
  SegmentBuilder,
  type SelectorCodec,
  TcpOption,
} from "../../../../src/base/packets/index.js";

const codec: SelectorCodec = {
  headersOf: (selector) => ({ dscp: selector, vlan: undefined, flowLabel: 0 }),
  selectorOf: ({ dscp }) => dscp,
};
const addresses = (ipVersion: 4 | 6) => ({
  ipVersion,
  srcMac: 1n,
  dstMac: 2n,
  src: 0x0a000001n,
  dst: 0x0a000102n,
  srcPort: 4000,
  dstPort: 80,
});
const IP_AT = 14;
const IP_BYTES = { 4: 20, 6: 40 } as const;

/** A frame of these bytes after its IP header, with right lengths and checksums. `sumAt`: where the transport checksum stands. */
function frameOf(
  ipVersion: 4 | 6,
  protocol: number,
  transport: readonly number[],
  sumAt: number,
): Uint8Array {
  const head = new SegmentBuilder(addresses(ipVersion), codec).build(0, 0, 0, 0, 0, 0);
  const at = IP_AT + IP_BYTES[ipVersion];
  const frame = Uint8Array.from([...head.subarray(0, at), ...transport]);
  const length = transport.length;
  const addressesAt = at - (ipVersion === 4 ? 8 : 32);
  if (ipVersion === 4) {
    frame[IP_AT + 9] = protocol;
    frame.set([0, 20 + length], IP_AT + 2);
    frame.set([0, 0], IP_AT + 10);
    const sum = finishChecksum(addWords(frame, IP_AT, at, 0));
    frame.set([sum >> 8, sum & 255], IP_AT + 10);
  } else {
    frame[IP_AT + 6] = protocol;
    frame.set([0, length], IP_AT + 4);
  }
  if (sumAt + 2 <= length) {
    frame.set([0, 0], at + sumAt);
    const sum = finishChecksum(addWords(frame, addressesAt, frame.length, protocol + length));
    frame.set([sum >> 8, sum & 255], at + sumAt);
  }
  return frame;
}

/** A TCP header with the data offset (in words), options and payload given. */
function tcp(options: readonly number[], payload = 0, offset = 5 + options.length / 4): Uint8Array {
  const fixed = [0x0f, 0xa0, 0, 80, 0, 0, 0, 1, 0, 0, 0, 2, offset << 4, 0x10, 0x12, 0x34, 0, 0, 0, 0];
  return frameOf(4, 6, [...fixed, ...options, ...new Array<number>(payload).fill(7)], 16);
}

/** A UDP datagram with the length field given. */
function udp(ipVersion: 4 | 6, payload: number, length = 8 + payload): Uint8Array {
  return frameOf(
    ipVersion,
    17,
    [0x0f, 0xa0, 0, 80, 0, length, 0, 0, ...new Array<number>(payload).fill(7)],
    6,
  );
}

function read(frame: Uint8Array): Segment | undefined {
  const segment = new Segment();
  return segment.read(frame) ? segment : undefined;
}

describe("a frame", () => {
  it("of another type is refused, whatever it has in the place of IP", () => {
    for (const ipVersion of [4, 6] as const) {
      const frame = frameOf(
        ipVersion,
        17,
        [0x0f, 0xa0, 0, 80, 0, 28, 0, 0, ...new Array<number>(20).fill(7)],
        6,
      );
      expect(read(frame)?.payloadLength).toBe(20);
      for (const type of [0x88b5, ipVersion === 4 ? 0x86dd : 0x0800]) {
        const other = Uint8Array.from(frame);
        other.set([type >> 8, type & 255], 12);
        expect(read(other)).toBeUndefined();
      }
    }
  });

  it("of TCP with less than a whole header is refused, though its checksum is right", () => {
    const header = [0x0f, 0xa0, 0, 80, 0, 0, 0, 1, 0, 0, 0, 2, 0x50, 0x10, 0x12, 0x34, 0, 0, 0, 0];
    for (const ipVersion of [4, 6] as const) {
      expect(read(frameOf(ipVersion, 6, header, 16))?.dstPort).toBe(80);
      expect(read(frameOf(ipVersion, 6, header.slice(0, 18), 16))).toBeUndefined();
    }
  });
});

describe("a TCP segment", () => {
  it("of a header alone has no payload and no options", () => {
    const segment = read(tcp([]))!;
    expect(segment).toMatchObject({
      payloadLength: 0,
      hasEcho: false,
      mss: 0,
      windowScale: -1,
      sackPermitted: false,
    });
    expect(segment).toMatchObject({
      srcPort: 4000,
      dstPort: 80,
      sequence: 1,
      acknowledgement: 2,
      window: 0x1234,
    });
  });

  it.each([
    ["a data offset below 5 words", tcp([], 8, 4)],
    ["a data offset beyond its end", tcp([], 0, 6)],
    ["19 bytes", frameOf(4, 6, new Array<number>(19).fill(0x50), 16)],
  ])("with %s is refused", (_, frame) => {
    expect(read(frame)).toBeUndefined();
  });

  it("may end with its header", () => {
    expect(read(tcp([1, 1, 1, 1], 0))?.payloadLength).toBe(0);
    expect(read(tcp([1, 1, 1, 1], 3))?.payloadLength).toBe(3);
  });
});

describe("options of a segment", () => {
  const none = {
    mss: 0,
    windowScale: -1,
    sackPermitted: false,
    hasEcho: false,
    mapping: -1,
    token: -1,
    sackCount: 0,
  };
  const echo = (value: number) => [
    253,
    8,
    TcpOption.ECHO.experiment >> 8,
    TcpOption.ECHO.experiment & 255,
    0,
    0,
    0,
    value,
  ];
  const experiment = (
    { length, experiment: id }: { length: number; experiment: number },
    ...rest: number[]
  ) => [253, length, id >> 8, id & 255, ...rest];

  it.each<[string, number[], object]>([
    ["MSS", [2, 4, 5, 0xb4], { mss: 1460 }],
    ["MSS of another length", [2, 5, 5, 0xb4, 0, 0, 0, 0], {}],
    ["a window scale", [3, 3, 7, 0], { windowScale: 7 }],
    ["a window scale beyond 14 (RFC 7323, section 2.3)", [3, 3, 15, 0], { windowScale: 14 }],
    ["a window scale of another length", [3, 4, 7, 0], {}],
    ["an unknown option of three bytes", [99, 3, 7, 0], {}],
    ["SACK permitted", [4, 2, 0, 0], { sackPermitted: true }],
    ["SACK permitted of another length", [4, 3, 0, 0], {}],
    ["an unknown option of two bytes", [99, 2, 0, 0], {}],
    ["padding and MSS", [1, 1, 1, 1, 2, 4, 1, 0], { mss: 256 }],
    ["nothing after the end of the list", [0, 0, 0, 0, 2, 4, 1, 0], {}],
    ["nothing after an option without a length", [1, 1, 1, 2], {}],
    ["nothing after an option of length 1", [99, 1, 0, 0, 2, 4, 1, 0], {}],
    ["nothing of an option that is cut", [1, 2, 4, 1], {}],
    ["an option that ends with the header", [1, 1, 4, 2], { sackPermitted: true }],
    ["an echo", echo(9), { hasEcho: true, echo: 9 }],
    ["the first echo of two", [...echo(9), ...echo(8)], { hasEcho: true, echo: 9 }],
    ["an echo of another length", [...echo(9).slice(0, 1), 12, ...echo(9).slice(2), 0, 0, 0, 0], {}],
    ["an experiment without an identifier", [253, 2, 1, 1], {}],
    ["a mapping", experiment(TcpOption.MAPPING, 0, 0, 1, 0), { mapping: 256 }],
    [
      "a mapping of another length",
      [...experiment({ ...TcpOption.MAPPING, length: 12 }, 0, 0, 1, 0), 0, 0, 0, 0],
      {},
    ],
    [
      "a subflow that joins",
      [...experiment(TcpOption.JOIN, 0, 0, 2, 0, 3, 4), 1, 1],
      { token: 512, subflow: 3, subflows: 4 },
    ],
    [
      "a join of another length",
      [...experiment({ ...TcpOption.JOIN, length: 12 }, 0, 0, 2, 0, 3, 4, 0, 0)],
      {},
    ],
    ["another experiment", [253, 10, 0, 1, 0, 0, 2, 0, 3, 4, 1, 1], {}],
    ["two SACK blocks", [1, 1, 5, 18, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4], { sackCount: 2 }],
    ["SACK blocks, the last one cut", [1, 1, 5, 14, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3], { sackCount: 1 }],
  ])("are read: %s", (_, options, expected) => {
    expect(read(tcp(options))).toMatchObject({ ...none, ...expected });
  });

  it("begin again with each frame", () => {
    const segment = new Segment();
    segment.read(tcp([...echo(9), 2, 4, 1, 0, 3, 3, 7, 4, 2, 1, 1, 1]));
    expect(segment).toMatchObject({ hasEcho: true, mss: 256, windowScale: 7, sackPermitted: true });
    segment.read(tcp([]));
    expect(segment).toMatchObject({ ...none, echo: 0, lane: 0 });
    segment.read(tcp(echo(9)));
    segment.read(udp(4, 4));
    expect(segment.hasEcho).toBe(false);
  });

  it("carry the lane of a subflow above the echo", () => {
    const frame = new SegmentBuilder(addresses(4), codec, false, 5).build(1, 2, 0, 0x10, 0, 77);
    expect(read(frame)).toMatchObject({ lane: 5, echo: 77 });
    expect(5 * 2 ** ECHO_BITS).toBeLessThan(2 ** 32);
  });
});

describe("a UDP datagram", () => {
  it.each([4, 6] as const)("over IPv%i is read where its length and its checksum are right", (version) => {
    expect(read(udp(version, 4))).toMatchObject({
      payloadLength: 4,
      srcPort: 4000,
      dstPort: 80,
      ipVersion: version,
    });
    expect(read(udp(version, 0))?.payloadLength).toBe(0);
    expect(read(udp(version, 4, 11))).toBeUndefined();
    expect(read(udp(version, 4, 13))).toBeUndefined();
    const wrong = udp(version, 4);
    wrong[wrong.length - 1]! ^= 1;
    expect(read(wrong)).toBeUndefined();
  });

  it("may come without a checksum over IPv4 alone (RFC 768; RFC 8200, section 8.1)", () => {
    for (const version of [4, 6] as const) {
      const frame = udp(version, 4);
      frame.set([0, 0], IP_AT + IP_BYTES[version] + 6);
      expect(read(frame) !== undefined).toBe(version === 4);
    }
  });

  it("of less than a header is refused", () => {
    expect(read(frameOf(4, 17, [0x0f, 0xa0, 0, 80, 0, 7, 0], 9))).toBeUndefined();
  });

  it("says that it can be marked where its host wants that, else not", () => {
    const flow = { src: 1n, dst: 2n, protocol: 17, srcPort: 1, dstPort: 2 };
    const ecn = (ipVersion: 4 | 6, wants?: boolean) => {
      const frame = new DatagramBuilder(flow, addresses(ipVersion), codec, wants).build(1, 4, 0);
      return ipVersion === 4 ? frame[IP_AT + 1]! & 3 : (frame[IP_AT + 1]! >> 4) & 3;
    };
    expect([ecn(4), ecn(4, false), ecn(4, true)]).toEqual([0, 0, 2]);
    expect([ecn(6), ecn(6, false), ecn(6, true)]).toEqual([0, 0, 2]);
  });
});

describe("a frame of another kind", () => {
  const good = tcp([], 4);
  const changed = (at: number, value: number, frame = good) => {
    const copy = Uint8Array.from(frame);
    copy[at] = value;
    return copy;
  };

  it("is refused: Ethernet types, header lengths, versions, protocols", () => {
    expect(read(good)).toBeDefined();
    expect(read(good.subarray(0, 13))).toBeUndefined();
    expect(read(changed(13, 6))).toBeUndefined();
    const six = udp(6, 4);
    expect(read(changed(IP_AT, 0x50, six))).toBeUndefined();
    expect(read(six.subarray(0, IP_AT + 39))).toBeUndefined();
    expect(read(frameOf(4, 1, new Array<number>(20).fill(0x50), 16))).toBeUndefined();
    // IPv4 with options, its header checksum right.
    const options = changed(IP_AT, 0x46);
    options.set([0, 0], IP_AT + 10);
    const sum = finishChecksum(addWords(options, IP_AT, IP_AT + 20, 0));
    options.set([sum >> 8, sum & 255], IP_AT + 10);
    expect(read(options)).toBeUndefined();
  });

  it("is refused where its end is cut off", () => {
    expect(read(good.subarray(0, good.length - 1))).toBeUndefined();
    expect(read(Uint8Array.from([...good, 0]))).toBeDefined();
  });

  it("reads marks and hop limits in both versions", () => {
    const six = udp(6, 4);
    six[IP_AT + 1] = 3 << 4;
    six[IP_AT + 7] = 9;
    expect(read(six)).toMatchObject({ marked: true, hopLimit: 9 });
    expect(read(udp(6, 4))).toMatchObject({ marked: false, hopLimit: 64 });
    expect(read(good)).toMatchObject({ marked: false, hopLimit: 64 });
  });
});

describe("a filter at the end of a frame", () => {
  it("finds ports that the frame ends with, and none that are cut", () => {
    const frame = udp(4, 4);
    const ports = IP_AT + 20 + 4;
    const filter = new PacketFilter({ srcPort: 4000, dstPort: 80 });
    expect(filter.matches(frame.subarray(0, ports))).toBe(true);
    expect(filter.matches(frame.subarray(0, ports - 1))).toBe(false);
  });

  it("finds addresses of a header that the frame ends with, and none that are cut", () => {
    for (const ipVersion of [4, 6] as const) {
      const frame = udp(ipVersion, 4);
      const end = IP_AT + IP_BYTES[ipVersion];
      const length = ipVersion === 4 ? 32 : 128;
      const filter = new PacketFilter({ dst: { ipVersion, address: 0x0a000102n, length } });
      expect(filter.matches(frame.subarray(0, end))).toBe(true);
      expect(filter.matches(frame.subarray(0, end - 1))).toBe(false);
    }
  });

  it("finds nothing behind a tag that is cut", () => {
    const tagged = new SegmentBuilder(addresses(4), {
      ...codec,
      headersOf: (id) => ({ dscp: 0, vlan: id, flowLabel: 0 }),
    }).build(1, 1, 0, 0x10, 5, 0);
    const filter = new PacketFilter({ protocol: 6 });
    expect(filter.matches(tagged)).toBe(true);
    expect(filter.matches(tagged.subarray(0, 17))).toBe(false);
  });
});
