/** Frames of `base/packets` as scapy reads them, and frames of scapy as `base/packets` reads them. */
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../src/base/index.js";
import {
  Arp,
  DatagramBuilder,
  dissect,
  Icmp,
  Segment,
  SegmentBuilder,
  selectorHeaders,
  selectorOf,
} from "../../src/base/packets/index.js";

function python(script: string, input = ""): string {
  return execFileSync("/usr/bin/python3", ["-c", script], {
    input,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "ignore"],
  });
}

const missing = (() => {
  try {
    python("import scapy.all");
    return undefined;
  } catch {
    return "scapy of Debian (python3-scapy) is not installed";
  }
})();

/** One line a frame: its layers, and whether scapy computes the same lengths and checksums. */
const READ = `
import sys
from scapy.all import Ether, IP, IPv6, TCP, UDP, ICMP
for line in sys.stdin:
    raw = bytes.fromhex(line.strip())
    packet = Ether(raw)
    layers = packet.layers()
    for layer, fields in ((IP, ("chksum", "len")), (IPv6, ("plen",)), (TCP, ("chksum", "dataofs")), (UDP, ("chksum", "len")), (ICMP, ("chksum",))):
        if layer in packet:
            for field in fields:
                delattr(packet[layer], field)
    print("/".join(layer.__name__ for layer in layers), bytes(packet) == raw)
`;

const BUILD = `
from scapy.all import *
frames = [
    Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / IP(src="10.0.0.1", dst="10.0.1.2", options=[IPOption_Router_Alert()]) / TCP(sport=4000, dport=80, seq=7, options=[("MSS", 1460), ("SAckOK", b""), ("WScale", 7)]) / b"abc",
    Ether() / Dot1Q(vlan=9, prio=3) / IP(src="10.0.0.1", dst="10.0.1.2", tos=0xb9) / UDP(sport=1, dport=2) / b"abcd",
    Ether() / IPv6(src="fd00::1", dst="fd00::2", fl=77) / IPv6ExtHdrHopByHop(options=[RouterAlert()]) / IPv6ExtHdrDestOpt(options=[PadN(optdata=b"123")]) / UDP(sport=1, dport=2) / b"abcde",
    Ether() / IPv6(src="fd00::1", dst="fd00::2") / ICMPv6EchoRequest(id=5, seq=6, data=b"xyz"),
    Ether() / IPv6(src="fd00::1", dst="fd00::2") / IPv6ExtHdrFragment(offset=0, m=1, nh=6) / b"12345678",
    Ether() / IP(src="10.0.0.1", dst="10.0.1.2") / ICMP(type=8, id=3, seq=4) / b"ping",
    Ether() / ARP(op=2, hwsrc="02:00:00:00:00:01", psrc="10.0.0.1", hwdst="02:00:00:00:00:02", pdst="10.0.1.2"),
]
for frame in frames:
    print(bytes(frame).hex())
`;

const codec = (field: "dscp" | "vlan" | "dscp_flow_label") => ({
  headersOf: (selector: number) => selectorHeaders(field, selector),
  selectorOf: (headers: Parameters<typeof selectorOf>[1]) => selectorOf(field, headers),
});
const addresses = (ipVersion: 4 | 6) => ({
  ipVersion,
  srcMac: 0x02_0000_0000_01n,
  dstMac: 0x02_0000_0000_02n,
  src: ipVersion === 4 ? 0x0a000001n : (0xfdn << 120n) + 1n,
  dst: ipVersion === 4 ? 0x0a000102n : (0xfdn << 120n) + 2n,
  srcPort: 4000,
  dstPort: 80,
});

describe.skipIf(missing !== undefined)(`scapy${missing === undefined ? "" : `: ${missing}`}`, () => {
  it("finds the layers of our frames, and computes the same lengths and checksums", () => {
    const frames: [string, Uint8Array][] = [];
    for (const version of [4, 6] as const) {
      const ip = version === 4 ? "IP" : "IPv6";
      const flow = { src: 1n, dst: 2n, protocol: 17, srcPort: 4000, dstPort: 80 };
      frames.push([
        `Ether/${ip}/TCP/Raw`,
        new SegmentBuilder(addresses(version), codec("dscp_flow_label"), true, 3).build(
          1,
          2,
          99,
          0x18,
          45,
          6,
        ),
      ]);
      frames.push([
        `Ether/Dot1Q/${ip}/TCP`,
        new SegmentBuilder(addresses(version), codec("vlan")).build(2 ** 32 - 1, 0, 0, 0x02, 77, 6),
      ]);
      frames.push([
        `Ether/${ip}/UDP/Raw`,
        new DatagramBuilder(flow, addresses(version), codec("dscp")).build(9, 33, 5),
      ]);
    }
    const ends = { srcMac: 1n, src: 0x0a000001n, dst: 0x0a000102n };
    const echo = Icmp.frameOf(ends, {
      type: Icmp.ECHO_REQUEST,
      code: 0,
      identifier: 3,
      sequence: 4,
      body: Uint8Array.of(1, 2, 3),
    });
    frames.push(["Ether/IP/ICMP/Raw", echo]);
    frames.push(["Ether/IP/ICMP/IPerror/ICMPerror", Icmp.errorFrame(ends, 3, 1, echo)]);
    const message = { operation: Arp.REQUEST, senderMac: 1n, sender: 2n, targetMac: 0n, target: 3n };
    frames.push(["Ether/ARP", Arp.frameOf(message)]);
    const answer = python(READ, frames.map(([, frame]) => toHex(frame)).join("\n"));
    expect(answer.trim().split("\n")).toEqual(frames.map(([layers]) => `${layers} True`));
  });

  it("builds frames that we read", () => {
    const frames = python(BUILD)
      .trim()
      .split("\n")
      .map((hex) => fromHex(hex)!);
    const layers = frames.map((frame) => dissect(frame)!);
    expect(layers.map(({ network, transport }) => [network?.kind, transport?.kind])).toEqual([
      ["ipv4", "tcp"],
      ["ipv4", "udp"],
      ["ipv6", "udp"],
      ["ipv6", "icmpv6"],
      ["ipv6", undefined],
      ["ipv4", "icmp"],
      ["arp", undefined],
    ]);
    expect(layers.map(({ payload }) => payload.length)).toEqual([3, 4, 5, 3, 8, 4, 0]);
    const [first, second, third, fourth, , , last] = layers;
    expect(first!.network).toMatchObject({ header: { options: [{ kind: 148 }], protocol: 6 } });
    expect(first!.transport).toMatchObject({
      header: { srcPort: 4000, dstPort: 80, sequence: 7, options: [{ kind: 2 }, { kind: 4 }, { kind: 3 }] },
    });
    expect(second).toMatchObject({
      tags: [{ id: 9, priority: 3 }],
      network: { header: { dscp: 46, ecn: 1 } },
    });
    expect(third!.network).toMatchObject({
      header: { flowLabel: 77 },
      extensions: [{ type: 0 }, { type: 60 }],
    });
    expect(fourth!.transport).toMatchObject({ header: { type: 128, identifier: 5, sequence: 6 } });
    expect(last!.network).toMatchObject({ message: { operation: Arp.REPLY, target: 0x0a000102n } });
    const segment = new Segment();
    expect(frames.map((frame) => segment.read(frame))).toEqual([
      false,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});
