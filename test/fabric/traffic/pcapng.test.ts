/** pcapng files as bytes: what is written is read again however it is cut; other writers' files; wrong files. */
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DiagnosticError } from "../../../src/base/index.js";
import {
  decodePcapng,
  PcapngDecoder,
  type PcapngPacket,
  pcapngInterface,
  pcapngPacket,
  pcapngSection,
} from "../../../src/base/packets/index.js";

const packet = (given: Partial<PcapngPacket> = {}): PcapngPacket => ({
  interface: 0,
  seconds: 1,
  nanoseconds: 2,
  frame: Uint8Array.of(0xab, 0xcd, 0xef),
  ...given,
});

function file(...blocks: Uint8Array[]): Uint8Array {
  return Uint8Array.from(blocks.flatMap((block) => [...block]));
}

const HEAD = file(pcapngSection(), pcapngInterface({ name: "eth0" }));

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** A block as any writer may write it. */
function raw(little: boolean, type: number, ...words: number[]): Uint8Array {
  const length = 12 + 4 * words.length;
  const view = new DataView(new ArrayBuffer(length));
  for (const [i, word] of [type, length, ...words, length].entries()) view.setUint32(4 * i, word, little);
  return new Uint8Array(view.buffer);
}

function complaint(bytes: Uint8Array): string {
  try {
    decodePcapng(bytes, "x.pcapng");
  } catch (error) {
    if (error instanceof DiagnosticError) return error.message;
    throw error;
  }
  throw new Error("was read without complaint");
}

describe("pcapng", () => {
  it("writes the bytes that the format wants", () => {
    expect(hex(pcapngSection({ application: "ab" }))).toBe(
      "0a0d0d0a28000000" +
        "4d3c2b1a01000000" +
        "ffffffffffffffff" +
        "04000200" +
        "61620000" +
        "00000000" +
        "28000000",
    );
    expect(hex(pcapngInterface({ name: "p1", speedBps: 1e10 }))).toBe(
      "0100000034000000" +
        "0100000000000000" +
        "0200020070310000" +
        "0800080000e40b5402000000" +
        "0900010009000000" +
        "00000000" +
        "34000000",
    );
    expect(hex(pcapngPacket(packet({ outbound: true, length: 60 })))).toBe(
      "0600000030000000" +
        "00000000" +
        "00000000" +
        "02ca9a3b" +
        "03000000" +
        "3c000000" +
        "abcdef00" +
        "0200040002000000" +
        "00000000" +
        "30000000",
    );
  });

  it("reads back what was written, cut anywhere", () => {
    const interfaces = fc.array(
      fc.record(
        {
          name: fc.string({ maxLength: 9, unit: "grapheme" }),
          description: fc.string({ maxLength: 5 }),
          speedBps: fc.integer({ min: 1, max: 2 ** 50 }),
          linkType: fc.integer({ min: 0, max: 65535 }),
        },
        { requiredKeys: ["name", "linkType"] },
      ),
      { minLength: 1, maxLength: 4 },
    );
    const packets = fc.array(
      fc.record(
        {
          interface: fc.nat(3),
          seconds: fc.integer({ min: 0, max: 18_446_744_072 }),
          nanoseconds: fc.nat(999_999_999),
          frame: fc.uint8Array({ maxLength: 40 }),
          outbound: fc.boolean(),
          comment: fc.string({ maxLength: 9 }),
          length: fc.integer({ min: 100, max: 2000 }),
        },
        { requiredKeys: ["interface", "seconds", "nanoseconds", "frame"] },
      ),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(interfaces, packets, fc.integer({ min: 1, max: 90 }), (ports, list, step) => {
        const known = list.map((one) => ({ ...one, interface: one.interface % ports.length }));
        const bytes = file(pcapngSection(), ...ports.map(pcapngInterface), ...known.map(pcapngPacket));
        const decoder = new PcapngDecoder("x");
        const read: PcapngPacket[] = [];
        for (let at = 0; at < bytes.length; at += step) {
          decoder.push(bytes.subarray(at, at + step));
          for (let one = decoder.next(); one !== undefined; one = decoder.next()) read.push(one);
        }
        decoder.finish();
        expect(read).toEqual(known);
        expect(decoder.interfaces).toMatchObject(ports);
      }),
    );
  });

  it("reads the other byte order, microseconds by default, powers of two, offsets, and old packet blocks", () => {
    const little = false;
    const section = raw(little, 0x0a0d0d0a, 0x1a2b3c4d, 0x00010000, 0xffffffff, 0xffffffff);
    const ethernet = 0x00010000;
    const micro = raw(little, 1, ethernet, 0);
    // if_tsresol 2^-10, if_tsoffset 5 s.
    const binary = raw(little, 1, ethernet, 0, 0x00090001, 0x8a000000, 0x000e0008, 0, 5, 0);
    const frame = 0xaabb0000;
    const first = raw(little, 6, 0, 0, 3_000_007, 2, 2, frame);
    const second = raw(little, 2, 0x00010000, 0, 1024 + 512, 2, 2, frame);
    const unknown = raw(little, 0xbad, 1, 2, 3);
    const read = decodePcapng(file(section, micro, binary, unknown, first, second), "x");
    expect(read).toEqual([
      { interface: 0, seconds: 3, nanoseconds: 7000, frame: Uint8Array.of(0xaa, 0xbb) },
      { interface: 1, seconds: 6, nanoseconds: 500_000_000, frame: Uint8Array.of(0xaa, 0xbb) },
    ]);
  });

  it("counts interfaces again in each section", () => {
    const other = file(
      pcapngSection(),
      pcapngInterface({ name: "other" }),
      pcapngPacket(packet({ seconds: 9 })),
    );
    const decoder = new PcapngDecoder("x");
    decoder.push(file(HEAD, pcapngPacket(packet()), other));
    expect([decoder.next()?.seconds, decoder.interfaces[0]?.name]).toEqual([1, "eth0"]);
    expect([decoder.next()?.seconds, decoder.interfaces.map(({ name }) => name)]).toEqual([9, ["other"]]);
    const lost = file(HEAD, pcapngSection(), pcapngPacket(packet()));
    expect(complaint(lost)).toContain("error[P42314]");
  });

  it.each([
    ["an empty file", new Uint8Array(0), "P42310", "x.pcapng is empty"],
    [
      "a classic pcap",
      Uint8Array.from(Buffer.from("d4c3b2a10200040000", "hex")),
      "P42310",
      "starts with 0xd4c3b2a1",
    ],
    ["another version", raw(true, 0x0a0d0d0a, 0x1a2b3c4d, 2, 0, 0), "P42310", "version 2"],
    ["no byte order", raw(true, 0x0a0d0d0a, 0x11223344, 1, 0, 0), "P42310", "byte-order magic"],
    ["a cut packet", file(HEAD, pcapngPacket(packet())).subarray(0, -3), "P42311", "33 of 36 bytes"],
    ["a cut length", HEAD.subarray(0, 6), "P42311", "is cut off: 6 bytes"],
    ["a block of 8 bytes", file(HEAD, raw(true, 6).fill(8, 4, 5)), "P42312", "length of 8 bytes"],
    ["two lengths", file(HEAD, raw(true, 5, 0).fill(9, 12, 13)), "P42312", "does not end with its length"],
    [
      "an unknown interface",
      file(HEAD, pcapngPacket(packet({ interface: 1 }))),
      "P42314",
      "names interface 1",
    ],
    ["a packet without a time", file(HEAD, raw(true, 3, 0)), "P42314", "without a time"],
    ["a short packet block", file(HEAD, raw(true, 6, 0, 0, 0)), "P42312", "12 of 20 bytes"],
    ["a frame that is not there", file(HEAD, raw(true, 6, 0, 0, 0, 5, 5)), "P42312", "20 of 25 bytes"],
    ["a frame of 1 MB", file(HEAD, raw(true, 6, 0, 0, 0, 1e6, 1e6)), "P42312", "a frame of 1000000 bytes"],
    ["an option beyond the end", file(HEAD, raw(true, 1, 1, 0, 0x00500002)), "P42312", "4 of 84 bytes"],
  ])("says what is wrong with %s", (_, bytes, code, message) => {
    const text = complaint(bytes);
    expect(text).toContain(`error[${code}]`);
    expect(text).toContain(message);
  });

  const tcpdump = spawnSync("tcpdump", ["--version"]).status === 0;
  it.skipIf(!tcpdump)("is read by tcpdump", () => {
    const frame = new Uint8Array(60).fill(1);
    const bytes = file(
      HEAD,
      pcapngPacket(packet({ seconds: 100, nanoseconds: 123_456_789, frame, comment: "one" })),
    );
    const { stdout, status } = spawnSync("tcpdump", ["-tt", "--nano", "-n", "-r", "-"], { input: bytes });
    expect(status).toBe(0);
    expect(stdout.toString()).toContain("100.123456789");
  });
});
