import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromHex } from "../../../src/base/index.js";
import { HEADER_LAYOUTS, readBits, writeBits } from "../../../src/course/exercises/header-layouts.js";
import {
  buildFrame,
  differences,
  type ExerciseHost,
  frameText,
  patternText,
  type StackPart,
  senderOf,
} from "../../../src/course/exercises/index.js";

const host: ExerciseHost = {
  name: "h1",
  ipv4: 0x0a000001n,
  prefixLength: 24,
  mac: 0x080000000001n,
  commands: [],
};
const part = (header: string, fields: Record<string, bigint> = {}): StackPart => ({
  header,
  layout: HEADER_LAYOUTS.get(header)!,
  fields: new Map(Object.entries(fields)),
});
const bytes = (hex: string): StackPart => ({ bytes: fromHex(hex)! });

describe("packets of a test", () => {
  it("reads the value that it has written, and does not change other bits", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 1, max: 64 }),
        fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
        (at, width, any) => {
          const value = BigInt.asUintN(width, any);
          const frame = new Uint8Array(14).fill(0xff);
          writeBits(frame, at, width, value);
          expect(readBits(frame, at, width)).toBe(value);
          writeBits(frame, at, width, (1n << BigInt(width)) - 1n);
          expect(frame.every((byte) => byte === 0xff)).toBe(true);
        },
      ),
    );
    expect(readBits(new Uint8Array(2), 9, 8)).toBeUndefined();
  });

  it("reports no difference for a frame of the same stack, and each field that differs", () => {
    const stack = [
      part("ethernet"),
      part("ipv4", { dst: 0x0a000002n, ttl: 7n }),
      part("tcp", { dst: 80n }),
      bytes("abcd"),
    ];
    const frame = buildFrame(stack, senderOf(host, []));
    expect(differences({ parts: stack }, frame)).toEqual([]);
    const other = [part("ethernet"), part("ipv4", { ttl: 6n, protocol: 17n }), part("tcp"), bytes("abce")];
    expect(differences({ parts: other }, frame)).toEqual([
      "ipv4.ttl is 7, expected 6",
      "ipv4.protocol is 6, expected 17",
      "the payload at byte 54 is abcd, expected abce",
    ]);
  });

  it("reports a wrong checksum, and a frame that is too short", () => {
    const stack = [part("ethernet"), part("ipv4", { dst: 0x0a000002n }), part("udp")];
    const frame = buildFrame(stack, senderOf(host, []));
    frame[22]!--;
    expect(differences({ parts: stack }, frame)[0]).toMatch(/ipv4\.checksum is 0x\w{4}, which is wrong/);
    expect(differences({ parts: stack }, frame.subarray(0, 30))).toEqual([
      "the packet ends after 30 bytes, within ipv4, which ends at byte 34",
    ]);
  });

  it("accepts bytes after the last part, unless the pattern gives the length of the frame", () => {
    const parts = [part("ethernet")];
    const frame = buildFrame([...parts, bytes("00")], senderOf(host, []));
    expect(differences({ parts }, frame)).toEqual([]);
    expect(differences({ parts, bytes: 15 }, frame)).toEqual([]);
    expect(differences({ parts, bytes: 14 }, frame)).toEqual(["the packet has 15 bytes, expected 14"]);
    expect(patternText({ parts, bytes: 14 })).toBe("ethernet (14 bytes)");
  });

  it("reports a checksum that the pattern gives once, as a field that differs", () => {
    const frame = buildFrame([part("ethernet"), part("ipv4", { dst: 2n })], senderOf(host, []));
    frame[24] = 0;
    frame[25] = 1;
    expect(differences({ parts: [part("ethernet"), part("ipv4", { checksum: 1n })] }, frame)).toEqual([]);
    expect(differences({ parts: [part("ethernet"), part("ipv4", { checksum: 5n })] }, frame)).toHaveLength(1);
  });

  it("sends a UDP checksum of 0 as all ones (RFC 768): 0 would mean that there is none", () => {
    const stack = (payload: string) => [
      part("ethernet"),
      part("ipv4", { dst: 2n }),
      part("udp"),
      bytes(payload),
    ];
    const checksumOf = (payload: string): number => {
      const frame = buildFrame(stack(payload), senderOf(host, []));
      return frame[40]! * 256 + frame[41]!;
    };
    // The checksum over a payload of zeros, as the payload, makes the sum all ones and so the checksum 0.
    const payload = checksumOf("0000").toString(16).padStart(4, "0");
    expect(checksumOf(payload)).toBe(0xffff);
  });

  it("fills in the types of VLAN tags and the checksum of ICMP", () => {
    const stack = [
      part("ethernet"),
      part("vlan", { vid: 5n }),
      part("ipv4", { dst: 2n }),
      part("icmp", { id: 1n }),
    ];
    const frame = Buffer.from(buildFrame(stack, senderOf(host, []))).toString("hex");
    expect(frame.slice(0, 36)).toBe("ffffffffffff0800000000018100" + "0005" + "0800");
    expect(frame.slice(-16)).toBe("0800f7fe00010000");
  });

  it("is described as one line: the fields that the pattern names, and the values that a frame has", () => {
    const stack = [part("ethernet"), part("ipv4", { dst: 0x0a000002n, ttl: 7n }), bytes("abcd")];
    const frame = buildFrame(stack, senderOf(host, []));
    const pattern = {
      parts: [part("ethernet", { type: 0x86ddn }), part("ipv4", { ttl: 6n, dst: 1n }), bytes("abce")],
    };
    expect(patternText(pattern)).toBe("ethernet { type 0x86dd }, ipv4 { ttl 6, dst 0.0.0.1 }, payload abce");
    expect(frameText(pattern, frame)).toBe(
      "ethernet { type 0x0800 }, ipv4 { ttl 7, dst 10.0.0.2 }, payload abcd (36 bytes)",
    );
    expect(frameText({ parts: [part("ethernet"), part("ipv4")] }, frame)).toBe("ethernet, ipv4 (36 bytes)");
    expect(frameText(pattern, frame.subarray(0, 30))).toBe("ethernet { type 0x0800 } (30 bytes)");
    expect(frameText(pattern, frame.subarray(0, 10))).toBe(" (10 bytes)");
  });

  it("goes to the MAC address of the next hop of its first IPv4 header with a destination", () => {
    const other: ExerciseHost = { ...host, name: "h2", ipv4: 0x0a000002n, mac: 0x080000000002n };
    const to = (stack: StackPart[], from = host) =>
      Buffer.from(buildFrame(stack, senderOf(from, [host, other])).subarray(0, 6)).toString("hex");
    const ipv4 = part("ipv4", { dst: 0x0a000002n });
    expect(to([part("ethernet"), ipv4])).toBe("080000000002");
    expect(to([part("ethernet"), part("ipv4"), ipv4])).toBe("080000000002");
    expect(to([part("ethernet"), part("ipv4")])).toBe("ffffffffffff");
    // No route, and no host with the address.
    expect(to([part("ethernet"), part("ipv4", { dst: 0x0b000002n })])).toBe("ffffffffffff");
    expect(to([part("ethernet"), part("ipv4", { dst: 0x0a000003n })])).toBe("ffffffffffff");
    // A question of ARP goes to all, whatever follows it.
    expect(to([part("ethernet"), part("arp"), ipv4])).toBe("ffffffffffff");
    const via = { ...host, commands: ["arp -i eth0 -s 10.0.0.2 08:00:00:00:0a:0b"] };
    expect(to([part("ethernet"), ipv4], via)).toBe("080000000a0b");
  });

  it("has no checksum of UDP or TCP without an IP header before it, and keeps one that is given", () => {
    const tail = (stack: StackPart[], from: number) =>
      Buffer.from(buildFrame(stack, senderOf(host, [])).subarray(from)).toString("hex");
    expect(tail([part("ethernet"), part("udp", { src: 1n, dst: 2n })], 14)).toBe("0001000200080000");
    // The IP header behind it is not its own.
    expect(tail([part("ethernet"), part("udp", { src: 1n, dst: 2n }), part("ipv4")], 14).slice(0, 16)).toBe(
      "00010002001c0000",
    );
    expect(tail([part("ethernet"), part("ipv4"), part("udp", { checksum: 0x1234n })], 40)).toBe("1234");
    expect(tail([part("ethernet"), part("ipv4", { checksum: 0x1234n })], 24).slice(0, 4)).toBe("1234");
  });

  it("has checksums that a receiver accepts, over IPv4 and IPv6", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("udp", "tcp"),
        fc.constantFrom("ipv4", "ipv6"),
        fc.uint8Array({ minLength: 0, maxLength: 9 }),
        fc.bigInt({ min: 0n, max: (1n << 32n) - 1n }),
        (transport, network, payload, dst) => {
          const stack = [part("ethernet"), part(network, { dst }), part(transport), { bytes: payload }];
          const frame = buildFrame(stack, { ...senderOf(host, []), ipv6: 5n });
          const at = network === "ipv4" ? 34 : 54;
          const [from, to] = network === "ipv4" ? [26, 34] : [22, 54];
          // RFC 793, 8200: source and destination, protocol, length; then the segment, padded with a zero byte.
          const words = [...frame.subarray(from, to), 0, transport === "udp" ? 17 : 6, 0, frame.length - at];
          words.push(...frame.subarray(at));
          if (words.length % 2 === 1) words.push(0);
          let sum = 0;
          for (let i = 0; i < words.length; i += 2) sum += words[i]! * 256 + words[i + 1]!;
          while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
          expect(sum).toBe(0xffff);
        },
      ),
    );
  });

  it("answers who has an address with the sender's own", () => {
    const frame = buildFrame([part("ethernet"), part("arp", { target_ip: 0x0a000002n })], senderOf(host, []));
    expect(Buffer.from(frame).toString("hex")).toBe(
      "ffffffffffff0800000000010806" + "0001080006040001" + "0800000000010a000001" + "0000000000000a000002",
    );
  });
});
