/** ARP and ICMP frames at their bounds, and the verdicts of a host on whole frames. */
import { describe, expect, it } from "vitest";
import {
  Arp,
  addWords,
  DatagramBuilder,
  finishChecksum,
  Icmp,
  SegmentBuilder,
} from "../../../../src/base/packets/index.js";
import { Network, StackHost } from "../../../../src/fabric/sim/packet/index.js";

const MAC = 0x080000000222n;
const OWN = 0x0a000102n;
const PEER = 0x0a000101n;
const addresses = { srcMac: 0x080000000111n, src: PEER, dst: OWN };
const echo = { type: 8, code: 0, identifier: 0x1234, sequence: 7, body: Uint8Array.of(1, 2, 3) };
const codec = {
  headersOf: (dscp: number) => ({ dscp, vlan: undefined, flowLabel: 0 }),
  selectorOf: ({ dscp }: { dscp: number }) => dscp,
};

/** The frame with other bytes from `at` on, and a right IPv4 header checksum. */
function changed(frame: Uint8Array, at: number, bytes: readonly number[], fix = true): Uint8Array {
  const copy = Uint8Array.from(frame);
  copy.set(bytes, at);
  if (fix) {
    copy.set([0, 0], 24);
    const sum = finishChecksum(addWords(copy, 14, 34, 0));
    copy.set([sum >> 8, sum & 255], 24);
  }
  return copy;
}

describe("an ICMP message", () => {
  const frame = Icmp.frameOf(addresses, { ...echo, ttl: 9 });

  it("is read as it was written", () => {
    expect(Icmp.parseFrame(frame)).toEqual({
      ...echo,
      ttl: 9,
      source: Number(PEER),
      destination: Number(OWN),
    });
    expect(Icmp.parseFrame(Icmp.frameOf(addresses, echo))?.ttl).toBe(64);
    expect(Icmp.parseFrame(Icmp.frameOf(addresses, { ...echo, body: new Uint8Array(0) }))?.body).toHaveLength(
      0,
    );
    // Bytes after the packet are padding.
    expect(Icmp.parseFrame(Uint8Array.from([...frame, 0, 0]))?.body).toHaveLength(3);
  });

  it.each([
    ["an end that is cut off", frame.subarray(0, frame.length - 1)],
    ["less than its header", Icmp.frameOf(addresses, { ...echo, body: new Uint8Array(0) }).subarray(0, 41)],
    ["another Ethernet type", changed(frame, 12, [0x08, 0x06])],
    ["IPv4 options", changed(frame, 14, [0x46])],
    ["another protocol", changed(frame, 23, [17])],
    ["a length of less than a header", changed(frame, 16, [0, 27])],
    ["a length beyond the frame", changed(frame, 16, [0, 32])],
    ["a wrong header checksum", changed(frame, 22, [8], false)],
    ["a wrong checksum", changed(frame, 44, [9])],
  ])("with %s is none", (_, wrong) => {
    expect(Icmp.parseFrame(wrong)).toBeUndefined();
  });

  it("of an error quotes the IP header and eight bytes of what it is about", () => {
    const error = Icmp.parseFrame(Icmp.errorFrame(addresses, 3, 3, frame))!;
    expect(error).toMatchObject({ type: 3, code: 3, identifier: 0, sequence: 0 });
    expect([...error.body]).toEqual([...frame.subarray(14, 42)]);
  });

  it.each([
    [11, 0, "time to live exceeded"],
    [3, 0, "network unreachable"],
    [3, 1, "host unreachable"],
    [3, 3, "port unreachable"],
    [3, 9, "destination unreachable, code 9"],
    [0, 0, undefined],
    [8, 3, undefined],
  ])("of type %i and code %i says: %s", (type, code, text) => {
    expect(Icmp.errorText({ type, code })).toBe(text);
  });
});

describe("an ARP message", () => {
  const message = { operation: 1, senderMac: MAC, sender: OWN, targetMac: 0n, target: PEER };
  const frame = Arp.frameOf(message);

  it("is read as it was written: a request goes to all, a reply to its target", () => {
    expect(Arp.parseFrame(frame)).toEqual(message);
    expect([...frame.subarray(0, 6)]).toEqual(Array(6).fill(255));
    const reply = { ...message, operation: 2, targetMac: 5n };
    expect(Arp.parseFrame(Arp.frameOf(reply))).toEqual(reply);
    expect([...Arp.frameOf(reply).subarray(0, 6)]).toEqual([0, 0, 0, 0, 0, 5]);
  });

  it.each([
    ["a cut end", frame.subarray(0, 41)],
    ["another Ethernet type", changed(frame, 12, [8, 0], false)],
    ["another hardware", changed(frame, 14, [0, 6], false)],
    ["another protocol", changed(frame, 16, [0x86, 0xdd], false)],
    ["another length of MAC addresses", changed(frame, 18, [8], false)],
    ["another length of addresses", changed(frame, 19, [16], false)],
    ["operation 0", changed(frame, 20, [0, 0], false)],
    ["operation 3", changed(frame, 20, [0, 3], false)],
  ])("with %s is none", (_, wrong) => {
    expect(Arp.parseFrame(wrong)).toBeUndefined();
  });
});

describe("the verdict of a host on a frame", () => {
  const flow = { src: PEER, dst: OWN, protocol: 17, srcPort: 1, dstPort: 9 };
  const mine = { ...addresses, ipVersion: 4 as const, dstMac: MAC, srcPort: 1, dstPort: 9 };
  const udp = new DatagramBuilder(flow, mine, codec).build(1, 4, 0);
  const tcp = new SegmentBuilder(mine, codec).build(1, 1, 4, 0x10, 0, 0);
  const six = new SegmentBuilder({ ...mine, ipVersion: 6 }, codec).build(1, 1, 4, 0x10, 0, 0);
  const tagged = new SegmentBuilder(mine, {
    ...codec,
    headersOf: () => ({ dscp: 0, vlan: 5, flowLabel: 0 }),
  }).build(1, 1, 4, 0x10, 0, 0);
  const toGroup = (frame: Uint8Array) => changed(frame, 0, [1, 0, 0x5e, 0, 0, 1], false);

  function verdict(frame: Uint8Array, listens = true): string | undefined {
    const { simulation } = new Network();
    const host = new StackHost(simulation, {
      name: "h2",
      mac: MAC,
      ipv4: OWN,
      nextHop: (to) => to,
      neighbours: new Map(),
    });
    if (listens) host.listenUdp(9, () => {});
    let said: string | undefined = "nothing";
    host.onFrame = (_, own) => {
      said = own;
    };
    host.receive(1, Uint8Array.from(frame));
    return said;
  }

  it.each<[string, Uint8Array, string | undefined]>([
    ["a datagram", udp, undefined],
    ["a datagram without a checksum", changed(udp, 40, [0, 0]), undefined],
    ["a segment", tcp, undefined],
    ["IPv6", six, undefined],
    ["a tagged frame", tagged, undefined],
    ["a datagram with a wrong checksum", changed(udp, 45, [9]), "wrong UDP checksum"],
    ["a segment with a wrong checksum", changed(tcp, 45, [9]), "wrong TCP checksum"],
    ["a segment without a checksum", changed(tcp, 50, [0, 0]), "wrong TCP checksum"],
    ["a packet to a group", toGroup(udp), "for a group"],
    ["IPv6 to a group", toGroup(six), "for a group"],
    ["a tagged frame to a group", toGroup(tagged), "for a group"],
    ["a hop limit of 0", changed(udp, 22, [0]), "its TTL is 0"],
    ["another protocol", changed(udp, 23, [99]), "of the unknown protocol 99"],
    ["another version", changed(udp, 14, [0x65]), "no whole IPv4 packet"],
    ["a length beyond the frame", changed(udp, 16, [0, 33]), "no whole IPv4 packet"],
  ])("for %s", (_, frame, expected) => {
    expect(verdict(frame)).toBe(expected);
  });

  it("for a datagram to a closed port says so", () => {
    expect(verdict(udp, false)).toBe("its UDP port is closed");
  });
});

describe("a length field that ends a message too early", () => {
  it("is no ICMP message, also with a right checksum of the part before the end", () => {
    const frame = Icmp.frameOf(addresses, echo);
    for (const bytes of [20, 22, 24, 26]) {
      const cut = changed(frame, 16, [0, bytes]);
      // Type 8, code 0 and the checksum of these two bytes alone; zeros add nothing.
      cut.set([8, 0, 0xf7, 0xff, 0, 0, 0, 0], 34);
      expect(Icmp.parseFrame(cut), `${bytes} bytes`).toBeUndefined();
    }
    const whole = changed(frame, 16, [0, 28]);
    whole.set([8, 0, 0xf7, 0xff, 0, 0, 0, 0], 34);
    expect(Icmp.parseFrame(whole)).toMatchObject({ type: 8, identifier: 0, sequence: 0 });
  });
});
