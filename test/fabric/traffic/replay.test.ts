/** Recorded packets between other hosts: addresses, checksums, times, and what is left out. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DiagnosticError, fromBytes, toBytes } from "../../../src/base/index.js";
import {
  addWords,
  encodePcap,
  finishChecksum,
  foldSum,
  pcapngInterface,
  pcapngPacket,
  pcapngSection,
  type RecordedPacket,
  recordedPackets,
} from "../../../src/base/packets/index.js";
import { hostsOf } from "../../../src/fabric/topology/index.js";
import { Replay, type ReplaySpec } from "../../../src/fabric/traffic/index.js";
import { leafSpine } from "./flows.js";

const topology = leafSpine(2, 2);
const hosts = hostsOf(topology);
const A = { version: 4, address: 0x01020304n, length: 32, host: hosts[0]!.index } as const;
const B = { version: 4, address: 0x05060000n, length: 16, host: hosts[3]!.index } as const;

interface Given {
  version?: 4 | 6;
  source?: bigint;
  destination?: bigint;
  protocol?: number;
  payload?: Uint8Array;
  tags?: number;
}

const CHECKSUM = new Map([
  [6, 16],
  [17, 6],
  [58, 2],
]);

/** The sum over the pseudo header and the transport; 0xffff where the checksum is right. */
function transportSum(ip: Uint8Array): number {
  const version = ip[0]! >> 4;
  const header = version === 4 ? 20 : 40;
  const protocol = ip[version === 4 ? 9 : 6]!;
  const sum = addWords(ip, version === 4 ? 12 : 8, header, protocol + ip.length - header);
  return foldSum(addWords(ip, header, ip.length, sum));
}

function ipBytes({
  version = 4,
  source = 0x01020304n,
  destination = 0x05060708n,
  protocol = 6,
  payload,
}: Given) {
  const body = payload ?? new Uint8Array(30).fill(7);
  const header = version === 4 ? 20 : 40;
  const ip = new Uint8Array(header + body.length);
  ip.set(body, header);
  if (version === 4) {
    ip.set([0x45, 0, ip.length >> 8, ip.length & 0xff, 0, 1, 0, 0, 64, protocol, 0, 0]);
    ip.set(toBytes(source, 4), 12);
    ip.set(toBytes(destination, 4), 16);
    const checksum = finishChecksum(addWords(ip, 0, 20, 0));
    ip.set([checksum >> 8, checksum & 0xff], 10);
  } else {
    ip.set([0x60, 0, 0, 0, body.length >> 8, body.length & 0xff, protocol, 64]);
    ip.set(toBytes(source, 16), 8);
    ip.set(toBytes(destination, 16), 24);
  }
  const at = CHECKSUM.get(protocol);
  if (at !== undefined) {
    ip.fill(0, header + at, header + at + 2);
    const checksum = ~transportSum(ip) & 0xffff || 0xffff;
    ip.set([checksum >> 8, checksum & 0xff], header + at);
  }
  return ip;
}

function ethernet(given: Given): Uint8Array {
  const type = given.version === 6 ? [0x86, 0xdd] : [8, 0];
  const tags = Array.from({ length: given.tags ?? 0 }, () => [0x81, 0, 0, 5]).flat();
  return Uint8Array.from([...Array(12).fill(9), ...tags, ...type, ...ipBytes(given)]);
}

const recorded = (frame: Uint8Array, given: Partial<RecordedPacket> = {}): RecordedPacket => ({
  seconds: 100,
  nanoseconds: 0,
  frame,
  length: frame.length,
  linkType: 1,
  ...given,
});

function replay(packets: readonly RecordedPacket[], given: Partial<ReplaySpec> = {}) {
  const spec = { name: "x", packets: packets.values(), hosts: [A, B], spread: false, timeScale: 1, ...given };
  const source = new Replay(spec, topology);
  const frames = [];
  for (let one = source.next(); one !== undefined; one = source.next()) frames.push(one);
  return { frames, counters: source.counters };
}

describe("replay", () => {
  it("gives packets the addresses of the hosts, and keeps all checksums right", () => {
    const v6 = { ...A, version: 6 as const, address: 1n, length: 128 };
    const prefix6 = { ...B, version: 6 as const, address: 0xfdn << 120n, length: 8 };
    const cases = fc.record({
      version: fc.constantFrom<4 | 6>(4, 6),
      protocol: fc.constantFrom(6, 17, 58, 89),
      payload: fc.uint8Array({ minLength: 20, maxLength: 60 }),
      tags: fc.nat(2),
      low: fc.integer({ min: 0, max: 0xffff }),
    });
    fc.assert(
      fc.property(cases, ({ low, ...given }) => {
        fc.pre(given.version === 6 || given.protocol !== 58);
        const ends =
          given.version === 4
            ? { source: A.address, destination: B.address + BigInt(low) }
            : { source: v6.address, destination: prefix6.address + BigInt(low) };
        const { frames } = replay([recorded(ethernet({ ...given, ...ends }))], {
          hosts: [A, B, v6, prefix6],
        });
        const { frame, host } = frames[0]!;
        const [from, to] = [hosts[0]!, hosts[3]!];
        expect(host).toBe(from.index);
        expect(fromBytes(frame.subarray(0, 6))).toBe(topology.nodes[from.ports[0]!.peer]!.mac);
        expect(fromBytes(frame.subarray(6, 12))).toBe(from.mac);
        const family = given.version === 4 ? "ipv4" : "ipv6";
        const whole = ipBytes({ ...given, source: from.host![family], destination: to.host![family] });
        const ip = frame.slice(14);
        if (CHECKSUM.has(given.protocol)) expect(transportSum(ip)).toBe(0xffff);
        if (given.version === 4) expect(foldSum(addWords(ip, 0, 20, 0))).toBe(0xffff);
        // But for the two ways to write a checksum of zero, it is the packet that the hosts would have sent.
        const header = given.version === 4 ? 20 : 40;
        const at = header + (CHECKSUM.get(given.protocol) ?? 0);
        for (const bytes of [ip, whole]) bytes.fill(0, at, at + 2);
        for (const bytes of [ip, whole]) if (given.version === 4) bytes.fill(0, 10, 12);
        expect(ip).toEqual(whole);
      }),
    );
  });

  it("keeps a UDP checksum of zero, which says that there is none", () => {
    const frame = ethernet({ protocol: 17 });
    frame.fill(0, 14 + 20 + 6, 14 + 20 + 8);
    expect([...replay([recorded(frame)]).frames[0]!.frame.subarray(40, 42)]).toEqual([0, 0]);
  });

  it("never sends a computed UDP checksum of zero over IPv4: it is ffff (RFC 768)", () => {
    // A recorded checksum of every value: one of them becomes 0 by the change of addresses.
    const sent = new Set<number>();
    for (let recordedSum = 1; recordedSum <= 0xffff; recordedSum += 1) {
      const frame = ethernet({ protocol: 17 });
      frame.set([recordedSum >> 8, recordedSum & 0xff], 14 + 20 + 6);
      const out = replay([recorded(frame)]).frames[0]!.frame;
      sent.add((out[40]! << 8) | out[41]!);
    }
    expect(sent.has(0)).toBe(false);
    expect(sent.has(0xffff)).toBe(true);
  });

  it("fills what was not captured with zeros, and leaves later fragments their payload", () => {
    const frame = ethernet({ payload: new Uint8Array(100).fill(7) });
    const cut = replay([recorded(frame.subarray(0, 44), { length: frame.length })]).frames[0]!.frame;
    expect(cut.length).toBe(frame.length);
    expect([...cut.subarray(34, 44)]).toEqual(Array(10).fill(7));
    expect([...cut.subarray(44)].every((byte) => byte === 0)).toBe(true);
    const fragment = frame.slice();
    fragment[14 + 7] = 5;
    expect(replay([recorded(fragment)]).frames[0]!.frame.subarray(34)).toEqual(fragment.subarray(34));
  });

  it("sends at the times since the first packet, scaled, never backwards", () => {
    const frame = ethernet({});
    const at = (seconds: number, nanoseconds: number) => recorded(frame, { seconds, nanoseconds });
    const packets = [at(7, 999_999_000), at(8, 500), at(8, 400), at(9, 0)];
    expect(replay(packets, { timeScale: 0.5 }).frames.map(({ timeNs }) => timeNs)).toEqual([
      0, 750, 750, 500_000_500,
    ]);
  });

  it("counts what it leaves out", () => {
    const packets = [
      recorded(ethernet({})),
      recorded(ethernet({ source: 0x01020305n })),
      recorded(ethernet({ destination: A.address })),
      recorded(Uint8Array.from([...Array(12).fill(1), 8, 6, ...Array(28).fill(0)])),
      recorded(new Uint8Array(10)),
    ];
    expect(replay(packets).counters).toEqual({ sent: 1, notIp: 2, unmapped: 1, local: 1 });
  });

  it("may spread other addresses over the hosts, each always to the same one; the longest prefix counts", () => {
    const more = Array.from({ length: 200 }, (_, i) =>
      recorded(ethernet({ source: BigInt(0x0b000000 + i) })),
    );
    const { frames, counters } = replay([...more, ...more], { spread: true });
    expect(counters.sent + counters.local).toBe(400);
    const half = frames.length / 2;
    expect(frames.slice(0, half).map(({ host }) => host)).toEqual(frames.slice(half).map(({ host }) => host));
    expect(new Set(frames.map(({ host }) => host)).size).toBe(3);
    const longer = { ...B, address: 0x05060700n, length: 24, host: hosts[1]!.index };
    const all = { ...B, address: 0n, length: 0, host: hosts[2]!.index };
    const { frame } = replay([recorded(ethernet({}))], { hosts: [all, A, B, longer] }).frames[0]!;
    expect(fromBytes(frame.subarray(30, 34))).toBe(hosts[1]!.host!.ipv4);
  });

  it("reads plain IP, and no other links", () => {
    expect(replay([recorded(ipBytes({}), { linkType: 101 })]).frames[0]!.frame.length).toBe(64);
    expect(() => replay([recorded(ipBytes({}), { linkType: 105 })])).toThrow(/P42340.*link type 105/);
  });
});

describe("recordedPackets", () => {
  const frame = ethernet({});
  const read = (bytes: Uint8Array) => [...recordedPackets("x", [bytes.subarray(0, 30), bytes.subarray(30)])];

  it("reads pcap, and pcapng by its first bytes, frames captured in part too", () => {
    const stamp = { seconds: 5, nanoseconds: 6000, frame };
    const expected = { ...stamp, length: frame.length, linkType: 1 };
    expect(read(encodePcap([stamp]))).toEqual([expected]);
    const cut = encodePcap([stamp]);
    new DataView(cut.buffer).setUint32(24 + 12, 1500, true);
    expect(read(cut)).toEqual([{ ...expected, length: 1500 }]);
    const blocks = [
      pcapngSection(),
      pcapngInterface({ name: "a", linkType: 101 }),
      pcapngPacket({ interface: 0, ...stamp }),
    ];
    expect(read(Uint8Array.from(blocks.flatMap((block) => [...block])))).toEqual([
      { ...expected, interface: 0, linkType: 101 },
    ]);
  });

  it("says what is wrong", () => {
    const message = (bytes: Uint8Array[]) => {
      try {
        return [...recordedPackets("x", bytes)].length;
      } catch (error) {
        return (error as DiagnosticError).diagnostics[0]!.code;
      }
    };
    expect(message([])).toBe("P42310");
    expect(message([new Uint8Array(30)])).toBe("P42310");
    expect(message([encodePcap([{ seconds: 1, nanoseconds: 1, frame }]).subarray(0, 60)])).toBe("P42311");
  });
});
