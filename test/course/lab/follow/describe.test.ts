/** What a page says of a frame: its protocol, a few words, and the key that both directions of a conversation have. */
import { describe, expect, it } from "vitest";
import { describeFrame } from "../../../../src/course/lab/follow/describe.js";
import { buildPacket, formatsOf } from "../../../../src/course/lab/index.js";

type Layers = Extract<Parameters<typeof buildPacket>[0], { layers: unknown }>["layers"];
type Fields = Layers[number]["fields"];

const FORMATS = formatsOf([]);
const bytesOf = (hex: string) => buildPacket({ hex }, FORMATS, {}).frame;
const ETHERNET = { header: "ethernet", fields: { dst: "02:00:00:00:00:02", src: "02:00:00:00:00:01" } };
const layer = (header: string, fields: Fields = {}) => ({ header, fields });
const frameOf = (layers: Layers, text?: string) =>
  buildPacket(
    { layers: [ETHERNET, ...layers], ...(text === undefined ? {} : { payload: { text } }) },
    FORMATS,
    {},
  ).frame;
const V4 = layer("ipv4", { src: "10.0.0.1", dst: "10.0.0.2" });
const BACK = layer("ipv4", { src: "10.0.0.2", dst: "10.0.0.1" });
const V6 = layer("ipv6", { src: "2001:db8::1", dst: "2001:db8::2" });
const tcp = (flags: number, src = 1000, dst = 80) => layer("tcp", { src, dst, flags });

describe("a TCP segment", () => {
  it.each([
    [0x02, "SYN"],
    [0x12, "SYN ACK"],
    [0x10, "ACK"],
    [0x11, "ACK FIN"],
    [0x14, "ACK RST"],
    [0x18, "ACK"],
  ])("with flags %i is called %s", (flags, names) => {
    expect(describeFrame(frameOf([V4, tcp(flags)]))).toMatchObject({
      protocol: "tcp",
      label: `TCP ${names} 10.0.0.1:1000 → 10.0.0.2:80`,
    });
  });

  it("tells the bytes of its payload", () => {
    expect(describeFrame(frameOf([V4, tcp(0x10)], "hello")).label).toBe(
      "TCP ACK 10.0.0.1:1000 → 10.0.0.2:80, 5 bytes",
    );
  });

  it("has the key of its connection in both directions, and another one than a second connection", () => {
    const key = (...layers: Layers) => describeFrame(frameOf(layers)).flowKey;
    const there = key(V4, tcp(2));
    expect(there).toBe("tcp 10.0.0.1:1000 10.0.0.2:80");
    expect(key(BACK, tcp(0x12, 80, 1000))).toBe(there);
    expect(key(V4, tcp(2, 1001))).not.toBe(there);
    expect(key(V4, layer("udp", { src: 1000, dst: 80 }))).not.toBe(there);
  });
});

it("a datagram is told by its ends, those of IPv6 in brackets", () => {
  const udp = layer("udp", { src: 7, dst: 9 });
  expect(describeFrame(frameOf([V4, udp]))).toEqual({
    protocol: "udp",
    label: "UDP 10.0.0.1:7 → 10.0.0.2:9",
    flowKey: "udp 10.0.0.1:7 10.0.0.2:9",
  });
  expect(describeFrame(frameOf([V6, udp], "abc"))).toEqual({
    protocol: "udp",
    label: "UDP [2001:db8::1]:7 → [2001:db8::2]:9, 3 bytes",
    flowKey: "udp [2001:db8::1]:7 [2001:db8::2]:9",
  });
});

describe("a message of ICMP", () => {
  const icmp = (type: number, of: Layers[number] = V4) =>
    describeFrame(frameOf([of, layer("icmp", { type, id: 5, sequence: 3 })]));

  it("of a ping has its sequence number, and the key of the ping in both directions", () => {
    expect(icmp(8)).toEqual({
      protocol: "icmp",
      label: "ICMP echo request 3 10.0.0.1 → 10.0.0.2",
      flowKey: "icmp 5 10.0.0.1 10.0.0.2",
    });
    expect(icmp(0, BACK)).toEqual({
      protocol: "icmp",
      label: "ICMP echo reply 3 10.0.0.2 → 10.0.0.1",
      flowKey: "icmp 5 10.0.0.1 10.0.0.2",
    });
  });

  it.each([
    [3, "ICMP unreachable 10.0.0.1 → 10.0.0.2"],
    [11, "ICMP time exceeded 10.0.0.1 → 10.0.0.2"],
    [13, "ICMP type 13 10.0.0.1 → 10.0.0.2"],
  ])("of type %i belongs to no ping", (type, label) => {
    expect(icmp(type)).toEqual({ protocol: "icmp", label });
  });
});

it("a message of ARP says who asks, and who answers", () => {
  const arp = (operation: number) =>
    describeFrame(frameOf([layer("arp", { operation, sender_ip: "10.0.0.1", target_ip: "10.0.0.2" })]));
  expect(arp(1)).toEqual({ protocol: "arp", label: "ARP who has 10.0.0.2? 10.0.0.1 asks" });
  expect(arp(2)).toEqual({ protocol: "arp", label: "ARP 10.0.0.1 answers 10.0.0.2" });
});

describe("a frame of a program that is not right yet", () => {
  const spoiled = (...layers: Layers) => {
    const frame = frameOf([{ ...V4, fields: { ...V4.fields, checksum: "0x1" } }, ...layers]);
    return describeFrame(frame);
  };

  it("is told by its IPv4 header, in spite of a wrong checksum", () => {
    expect(spoiled(tcp(2))).toEqual({ protocol: "other", label: "TCP 10.0.0.1 → 10.0.0.2" });
    expect(spoiled(layer("udp")).label).toBe("UDP 10.0.0.1 → 10.0.0.2");
    expect(spoiled().label).toBe("IPv4 protocol 253 10.0.0.1 → 10.0.0.2");
  });

  it("is told by its type and length without a whole header", () => {
    const [ethernet, ipv4] = ["02".repeat(12), frameOf([V4]).subarray(14)];
    const cut = (bytes: number) =>
      bytesOf(`${ethernet}0800${Buffer.from(ipv4.subarray(0, bytes)).toString("hex")}`);
    expect(describeFrame(cut(19)).label).toBe("type 0x0800, 33 bytes");
    expect(describeFrame(cut(20)).label).toBe("IPv4 protocol 253 10.0.0.1 → 10.0.0.2");
    expect(describeFrame(bytesOf(`${ethernet}0042${"00".repeat(30)}`))).toEqual({
      protocol: "other",
      label: "type 0x0042, 44 bytes",
    });
    expect(describeFrame(Uint8Array.of(1, 2, 3))).toEqual({ protocol: "other", label: "3 bytes" });
  });

  it("of ICMPv6 has no conversation", () => {
    const frame = frameOf([{ ...V6, fields: { ...V6.fields, next_header: 58 } }], "12345678");
    expect(describeFrame(frame)).toEqual({ protocol: "other", label: `type 0x86dd, ${frame.length} bytes` });
  });
});
