import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromHex } from "../../src/base/index.js";
import { HEADER_LAYOUTS, readBits, writeBits } from "../../src/exercises/header-layouts.js";
import {
  buildFrame,
  differences,
  type ExerciseHost,
  type StackPart,
  senderOf,
} from "../../src/exercises/index.js";

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
});
