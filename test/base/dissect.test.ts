/** `dissect`: a frame that is emitted header by header is read as these headers, whatever pads it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  Arp,
  type Dissection,
  dissect,
  ETHERTYPE_ARP,
  ETHERTYPE_IPV4,
  ETHERTYPE_IPV6,
  ETHERTYPE_SERVICE_VLAN,
  ETHERTYPE_VLAN,
  Ethernet,
  Icmp,
  Icmpv6,
  Ip,
  Ipv4,
  Ipv6,
  Ipv6Extensions,
  type Network,
  PROTOCOL_DESTINATION_OPTIONS,
  PROTOCOL_FRAGMENT,
  PROTOCOL_ICMP,
  PROTOCOL_ICMPV6,
  PROTOCOL_TCP,
  PROTOCOL_UDP,
  Tcp,
  type Transport,
  Udp,
  Vlan,
} from "../../src/base/packets/index.js";

const ETHERNET = { destination: 0x0200_0000_0001n, source: 0x0200_0000_0002n };
const FIELDS = { dscp: 10, ecn: 1 };
const PAYLOAD = Uint8Array.of(1, 2, 3, 4, 5);

const TRANSPORTS = {
  tcp: {
    protocol: PROTOCOL_TCP,
    length: Tcp.LENGTH + 4,
    header: {
      ...{ srcPort: 1, dstPort: 2, sequence: 3, acknowledgement: 4, flags: 0x18, window: 5, urgent: 6 },
      options: [{ kind: 2, data: Uint8Array.of(5, 0xb4) }],
    },
  },
  udp: { protocol: PROTOCOL_UDP, length: Udp.LENGTH, header: { srcPort: 1, dstPort: 2, payloadLength: 5 } },
  icmp: {
    protocol: PROTOCOL_ICMP,
    length: Icmp.LENGTH,
    header: { type: 8, code: 0, identifier: 7, sequence: 9 },
  },
  icmpv6: {
    protocol: PROTOCOL_ICMPV6,
    length: Icmp.LENGTH,
    header: { type: 128, code: 0, identifier: 7, sequence: 9 },
  },
} as const;
type Kind = keyof typeof TRANSPORTS;

/** The transport header and the payload, with a checksum for the addresses of the IP header at `ip`. */
function putTransport(frame: Uint8Array, ip: number, family: Ip.Family, at: number, kind: Kind): void {
  const { protocol, length, header } = TRANSPORTS[kind];
  const end = at + length + PAYLOAD.length;
  frame.set(PAYLOAD, at + length);
  const sum = Ip.pseudoSum(frame, ip, family, protocol, end - at);
  if (kind === "tcp") {
    Tcp.emit(frame, at, header as Tcp.Header);
    Tcp.writeChecksum(frame, at, end, sum);
  } else if (kind === "udp") {
    Udp.emit(frame, at, header as Udp.Header);
    Udp.writeChecksum(frame, at, end, sum);
  } else {
    Icmp.emit(frame, at, header as Icmp.Header);
    if (kind === "icmp") Icmp.writeChecksum(frame, at, end);
    else Icmpv6.writeChecksum(frame, at, end, sum);
  }
}

interface Built {
  readonly frame: Uint8Array;
  readonly network: Network;
  /** Positions of the IP header, of what follows its extensions, and of the payload. */
  readonly ip: number;
  readonly at: number;
  readonly payloadAt: number;
}

interface Kinds {
  readonly kind: Kind;
  readonly tags?: readonly Vlan.Tag[];
  /** Bytes behind the packet. */
  readonly padding?: number;
  readonly fragment?: boolean;
}

/** Ethernet, the tags, and zeros behind them. */
function link(type: number, tags: readonly Vlan.Tag[], length: number): { frame: Uint8Array; ip: number } {
  const ip = Ethernet.LENGTH + tags.length * Vlan.LENGTH;
  const frame = new Uint8Array(ip + length);
  Ethernet.emit(frame, { ...ETHERNET, type: tags.length > 0 ? ETHERTYPE_SERVICE_VLAN : type });
  for (const [i, tag] of tags.entries())
    Vlan.emit(frame, Ethernet.LENGTH + i * Vlan.LENGTH, {
      ...tag,
      type: i < tags.length - 1 ? ETHERTYPE_VLAN : type,
    });
  return { frame, ip };
}

function ipv4({ kind, tags = [], padding = 0, fragment = false }: Kinds): Built {
  const { protocol, length } = TRANSPORTS[kind];
  const header = {
    ...{ ...FIELDS, identification: 1, dontFragment: false, moreFragments: fragment, fragmentOffset: 0 },
    ...{ ttl: 64, protocol, source: 0x0a000001n, destination: 0x0a000002n },
    options: [{ kind: 148, data: Uint8Array.of(0, 0) }],
    payloadLength: length + PAYLOAD.length,
  };
  const headerLength = Ipv4.emittedLength(header);
  const { frame, ip } = link(ETHERTYPE_IPV4, tags, headerLength + header.payloadLength + padding);
  Ipv4.emit(frame, ip, header);
  const at = ip + headerLength;
  putTransport(frame, ip, Ip.IPV4, at, kind);
  return { frame, network: { kind: "ipv4", header }, ip, at, payloadAt: at + length };
}

function ipv6({ kind, tags = [], padding = 0, fragment = false }: Kinds): Built {
  const { protocol, length } = TRANSPORTS[kind];
  const extensions = fragment
    ? [{ type: PROTOCOL_FRAGMENT, data: Uint8Array.of(0, 1, 0, 0, 0, 7) }]
    : [{ type: PROTOCOL_DESTINATION_OPTIONS, data: Uint8Array.of(1, 4, 0, 0, 0, 0) }];
  const header = {
    ...{ ...FIELDS, flowLabel: 0x12345, payloadLength: 8 + length + PAYLOAD.length },
    ...{ nextHeader: extensions[0]!.type, hopLimit: 64, source: 0xfd00n << 112n, destination: 9n },
  };
  const { frame, ip } = link(ETHERTYPE_IPV6, tags, Ipv6.LENGTH + header.payloadLength + padding);
  Ipv6.emit(frame, ip, header);
  const at = Ipv6Extensions.emit(frame, ip + Ipv6.LENGTH, extensions, protocol);
  putTransport(frame, ip, Ip.IPV6, at, kind);
  return { frame, network: { kind: "ipv6", header, extensions }, ip, at, payloadAt: at + length };
}

const tag = fc.record({
  priority: fc.nat(7),
  dropEligible: fc.boolean(),
  id: fc.nat(4095),
  type: fc.constant(0),
});
const BUILDERS = { ipv4, ipv6 };
const OWN = { ipv4: ["tcp", "udp", "icmp"], ipv6: ["tcp", "udp", "icmpv6"] } as const;
const version = fc.constantFrom("ipv4" as const, "ipv6" as const);

describe("dissect", () => {
  it("gives the headers that were emitted, without what pads the frame", () => {
    const kinds = version.chain((of) => fc.tuple(fc.constant(of), fc.constantFrom(...OWN[of])));
    fc.assert(
      fc.property(kinds, fc.array(tag, { maxLength: 3 }), fc.nat(9), ([of, kind], tags, padding) => {
        const { frame, network } = BUILDERS[of]({ kind, tags, padding });
        const read = dissect(frame)!;
        const { header } = TRANSPORTS[kind];
        const expected: Omit<Dissection, "ethernet" | "tags"> = {
          network,
          transport: { kind, header } as Transport,
          payload: PAYLOAD,
        };
        const { ethernet, tags: found, ...rest } = read;
        expect(rest).toEqual(expected);
        expect({ ...ethernet, type: 0 }).toEqual({ ...ETHERNET, type: 0 });
        expect(found.map((one) => ({ ...one, type: 0 }))).toEqual(tags);
      }),
    );
  });

  it.each([
    ["ipv4", "icmpv6"],
    ["ipv6", "icmp"],
  ] as const)("%s does not carry %s", (of, kind) => {
    const { frame, network, at } = BUILDERS[of]({ kind });
    const { transport, payload, ...rest } = dissect(frame)!;
    expect(transport).toBeUndefined();
    expect([rest.network, payload]).toEqual([network, frame.slice(at)]);
  });

  it.each(["ipv4", "ipv6"] as const)("a fragment of %s has no transport header", (of) => {
    const { frame, network, at } = BUILDERS[of]({ kind: "udp", fragment: true, padding: 3 });
    const { transport, payload, network: read } = dissect(frame)!;
    expect(transport).toBeUndefined();
    expect([read, payload]).toEqual([network, frame.slice(at, -3)]);
  });

  it.each([
    ["ipv4", "tcp"],
    ["ipv4", "udp"],
    ["ipv6", "tcp"],
    ["ipv6", "udp"],
    ["ipv6", "icmpv6"],
  ] as const)("%s: a payload that was changed leaves no %s header", (of, kind) => {
    const { frame, at, payloadAt } = BUILDERS[of]({ kind });
    frame[payloadAt]! ^= 1;
    const { transport, payload } = dissect(frame)!;
    expect(transport).toBeUndefined();
    expect(payload).toEqual(frame.slice(at));
  });

  it.each(["ipv4", "ipv6"] as const)("a packet of %s that is cut is payload", (of) => {
    const { frame, ip } = BUILDERS[of]({ kind: "tcp" });
    const cut = frame.slice(0, -1);
    const { network, payload } = dissect(cut)!;
    expect(network).toBeUndefined();
    expect(payload).toEqual(cut.slice(ip));
  });

  it("reads ARP, what follows it, and no tag that is cut", () => {
    const message = { operation: Arp.REQUEST, senderMac: 1n, sender: 2n, targetMac: 0n, target: 3n };
    const frame = Arp.frameOf(message);
    const padded = Uint8Array.from([...frame, 7, 8]);
    expect(dissect(padded)).toEqual({
      ethernet: { destination: Ethernet.BROADCAST, source: 1n, type: ETHERTYPE_ARP },
      tags: [],
      network: { kind: "arp", message },
      payload: Uint8Array.of(7, 8),
    });
    expect(dissect(Arp.frameOf({ ...message, operation: Arp.REPLY, targetMac: 5n }))?.ethernet).toMatchObject(
      { destination: 5n },
    );
    const tagged = link(0x1234, [{ priority: 0, dropEligible: false, id: 1, type: 0 }], 0).frame;
    expect(dissect(tagged.slice(0, -1))).toMatchObject({ tags: [], payload: tagged.slice(14, -1) });
    expect(dissect(tagged)).toMatchObject({ tags: [{ id: 1 }], payload: new Uint8Array(0) });
  });
});
