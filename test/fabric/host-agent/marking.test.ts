/** The bytes of segments: what the agent writes is what the simulator writes, and checksums stay right, or wrong. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toBytes, toHex } from "../../../src/base/index.js";
import {
  FIELD_BITS,
  get32,
  Ip,
  SELECTOR_FIELDS,
  Segment,
  SegmentBuilder,
  selectorHeaders,
  selectorOf,
} from "../../../src/base/packets/index.js";
import {
  addEcho,
  echoOf,
  hasEcho,
  hasRoom,
  type Mark,
  removeEcho,
  writeMark,
} from "../../../src/fabric/host-agent/marking.js";
import { makeRoom, pureAck } from "../../../src/fabric/host-agent/rewriting.js";
import { FAMILIES, segmentSum, tcpPacket } from "./packets.js";

const ROOM = 64;
const word = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const port = fc.integer({ min: 0, max: 65535 });
const family = fc.constantFrom(...FAMILIES);

/** The packet in memory with room before it. */
function withRoom(packet: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(ROOM + packet.length);
  bytes.set(packet, ROOM);
  return bytes;
}

function markOf(
  field: (typeof SELECTOR_FIELDS)[number],
  selector: number,
  frame: Uint8Array,
  ip: number,
): Mark {
  const { dscp, flowLabel, ttl } = selectorHeaders(field, selector);
  const version = frame[ip]! >>> 4;
  return {
    nic: 0,
    ethernet: frame.slice(0, ip),
    trafficClass: dscp << 2,
    flowLabel: version === 4 ? 0 : flowLabel,
    ttl,
  };
}

/** Frames as the simulator builds them: one segment with two selectors and two echoes. */
const frames = fc
  .record({
    field: fc.constantFrom(...SELECTOR_FIELDS),
    family,
    numbers: fc.tuple(word, word, word, word, word, word),
    ports: fc.tuple(port, port),
    payload: fc.integer({ min: 0, max: 1200 }),
    flags: fc.constantFrom(0x10, 0x18, 0x02, 0x11),
  })
  .map(({ field, family, numbers, ports, payload, flags }) => {
    const [a, b, firstEcho, secondEcho, sequence, acknowledgement] = numbers;
    const address = (number: number) => BigInt(number) + (family === Ip.IPV4 ? 0n : 0xfdn << 120n);
    const codec = {
      headersOf: (selector: number) => selectorHeaders(field, selector),
      selectorOf: (headers: Parameters<typeof selectorOf>[1]) => selectorOf(field, headers),
    };
    const addresses = {
      ipVersion: family.version,
      srcMac: 0x02000000000an,
      dstMac: 0x02000000000bn,
      src: address(a),
      dst: address(b),
      srcPort: ports[0],
      dstPort: ports[1],
    };
    const builder = new SegmentBuilder(addresses, codec);
    const limit = 2 ** FIELD_BITS[field];
    const build = (selector: number, echo: number) =>
      builder.build(sequence, acknowledgement, payload, flags, selector % limit, echo);
    const ip = 14 + (field === "vlan" ? 4 : 0);
    const ends = { first: build(a, firstEcho), second: build(b, secondEcho) };
    return { field, family, ip, payload, ...ends, selector: b % limit, firstEcho, secondEcho };
  });

describe("marks", () => {
  it("are the bytes that SegmentBuilder writes, and come off again", () => {
    const segment = new Segment();
    fc.assert(
      fc.property(
        frames,
        ({ field, family, ip, payload, first, second, selector, firstEcho, secondEcho }) => {
          const bytes = withRoom(first);
          const tcp = ROOM + ip + family.length;
          expect(hasEcho(bytes, tcp, bytes.length)).toBe(true);
          expect(echoOf(bytes, tcp)).toBe(firstEcho);
          const bare = removeEcho(bytes, ROOM + ip, family);
          expect(segmentSum(bytes.subarray(bare), family)).toBe(0xffff);
          expect(bytes.length - bare).toBe(family.length + 20 + payload);
          const marked = addEcho(bytes, bare, family, secondEcho);
          const start = writeMark(bytes, marked, family, markOf(field, selector, second, ip));
          expect(toHex(bytes.subarray(start))).toBe(toHex(second));
          expect(segment.read(bytes.subarray(start))).toBe(true);
        },
      ),
    );
  });

  it("keep damage visible: a wrong checksum stays wrong", () => {
    const damage = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 }));
    fc.assert(
      fc.property(
        frames,
        damage,
        ({ field, family, ip, first, second, selector, secondEcho }, [where, bits]) => {
          const bytes = withRoom(first);
          // A byte of TCP's ports, sequence numbers or window, or of the data: no length and no option.
          const tcp = ROOM + ip + family.length;
          const places = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15].map((at) => tcp + at);
          for (let at = tcp + 28; at < bytes.length; at++) places.push(at);
          bytes[places[where % places.length]!]! ^= bits;
          const marked = addEcho(bytes, removeEcho(bytes, ROOM + ip, family), family, secondEcho);
          const start = writeMark(bytes, marked, family, markOf(field, selector, second, ip));
          expect(new Segment().read(bytes.subarray(start))).toBe(false);
        },
      ),
    );
  });

  it("leave ECN to the packet, and keep the checksum of the IP header right", () => {
    const trafficClass = fc.integer({ min: 0, max: 63 }).map((dscp) => dscp << 2);
    const mark = fc.record({ trafficClass, flowLabel: fc.integer({ min: 0, max: 2 ** 20 - 1 }) });
    fc.assert(
      fc.property(family, fc.integer({ min: 0, max: 3 }), mark, mark, (family, ecn, ...marks) => {
        const bytes = withRoom(tcpPacket(family));
        const ethernet = new Uint8Array(14);
        const zero = { nic: 0, ethernet, trafficClass: ecn, flowLabel: 0 };
        // ECN is set as a mark sets DSCP: the field is empty before.
        writeMark(bytes, ROOM, family, family === Ip.IPV4 ? zero : { ...zero, trafficClass: 0 });
        if (family !== Ip.IPV4) bytes[ROOM + 1]! |= ecn << 4;
        for (const { trafficClass, flowLabel } of marks) {
          writeMark(bytes, ROOM, family, { nic: 0, ethernet, trafficClass, flowLabel });
          expect(Ip.dscp(bytes, ROOM, family)).toBe(trafficClass >> 2);
          expect(Ip.flowLabel(bytes, ROOM, family)).toBe(family === Ip.IPV4 ? 0 : flowLabel);
          const own = family === Ip.IPV4 ? bytes[ROOM + 1]! & 3 : (bytes[ROOM + 1]! >> 4) & 3;
          expect(own).toBe(ecn);
          expect(segmentSum(bytes.subarray(ROOM), family)).toBe(0xffff);
        }
      }),
    );
  });
});

const block = (n: number) => [...toBytes(BigInt(n) << 32n, 8)];
const TIMESTAMPS = [1, 1, 8, 10, 0, 0, 0, 7, 0, 0, 0, 8];
const DATA = Uint8Array.of(1, 2, 3);

function optionsAfter(family: Ip.Family, options: readonly number[]): number[] | undefined {
  const packet = tcpPacket(family, { options: Uint8Array.from(options), data: DATA });
  const shorter = makeRoom(packet, family);
  if (shorter === undefined) return undefined;
  expect(segmentSum(shorter, family)).toBe(0xffff);
  const tcp = family.length;
  const header = (shorter[tcp + 12]! >>> 4) * 4;
  expect(hasRoom(shorter, tcp)).toBe(true);
  expect([...shorter.subarray(tcp + header)]).toEqual([...DATA]);
  return [...shorter.subarray(tcp + 20, tcp + header)];
}

describe.each(FAMILIES)("rebuilt segments, IPv$version", (family) => {
  it("have room for the echo where SACK blocks filled the header: the last one gives way", () => {
    const full = [...TIMESTAMPS, 1, 1, 5, 26, ...block(1), ...block(2), ...block(3)];
    expect(optionsAfter(family, full)).toEqual([...TIMESTAMPS, 1, 1, 5, 18, ...block(1), ...block(2)]);
    // A SACK option cannot be empty.
    const single = [...TIMESTAMPS, 1, 1, 5, 10, ...block(1)];
    expect(optionsAfter(family, single)).toEqual([...TIMESTAMPS, 1, 1, 1, 1]);
    // What stands behind the blocks stays.
    const behind = [5, 18, ...block(1), ...block(2), 1, 1, ...TIMESTAMPS];
    expect(optionsAfter(family, behind)).toEqual([5, 10, ...block(1), 1, 1, ...TIMESTAMPS]);
    expect(optionsAfter(family, [...TIMESTAMPS, ...TIMESTAMPS, ...TIMESTAMPS])).toBeUndefined();
    // An option of length 0, one longer than the header, and one behind the end of the list.
    expect(optionsAfter(family, [254, 0, 0, 0])).toBeUndefined();
    expect(optionsAfter(family, [1, 1, 5, 26])).toBeUndefined();
    expect(optionsAfter(family, [0, 1, 5, 10, ...block(1)])).toBeUndefined();
  });

  it.each([
    ["data", 0x18, 100, 100],
    ["data and FIN", 0x11, 100, 101],
    ["SYN", 0x12, 0, 1],
  ])("are the acknowledgement alone of one with %s", (_what, flags, payload, length) => {
    const packet = tcpPacket(family, { flags, data: new Uint8Array(payload), sequence: 2 ** 32 - 50 });
    const ack = pureAck(packet, family);
    const tcp = family.length;
    expect(ack.length).toBe(tcp + 20);
    expect(segmentSum(ack, family)).toBe(0xffff);
    expect(get32(ack, tcp + 4)).toBe((2 ** 32 - 50 + length) % 2 ** 32);
    expect(get32(ack, tcp + 8)).toBe(get32(packet, tcp + 8));
    expect(ack[tcp + 13]).toBe(0x10);
  });
});
