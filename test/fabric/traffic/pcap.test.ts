/** pcap files as bytes: what is written is read again however it is cut; wrong files say which packet and byte. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DiagnosticError } from "../../../src/base/index.js";
import { decodePcap, encodePcap, PcapDecoder, type PcapPacket } from "../../../src/base/packets/index.js";

const packet = (seconds: number, nanoseconds: number, ...frame: number[]): PcapPacket => ({
  seconds,
  nanoseconds,
  frame: Uint8Array.from(frame),
});

function complaint(bytes: Uint8Array): string {
  try {
    decodePcap(bytes, "x.pcap");
  } catch (error) {
    if (error instanceof DiagnosticError) return error.message;
    throw error;
  }
  throw new Error("was read without complaint");
}

/** Swaps the bytes of every number of the headers: the file as a big-endian machine writes it. */
function bigEndian(bytes: Uint8Array): Uint8Array {
  const swapped = bytes.slice();
  const swap = (at: number, width: number) => swapped.subarray(at, at + width).reverse();
  for (const at of [0, 8, 12, 16, 20]) swap(at, 4);
  for (const at of [4, 6]) swap(at, 2);
  for (let at = 24; at < bytes.length; ) {
    const length = new DataView(bytes.buffer).getUint32(at + 8, true);
    for (const field of [0, 4, 8, 12]) swap(at + field, 4);
    at += 16 + length;
  }
  return swapped;
}

const packets = fc.array(
  fc.record({
    seconds: fc.integer({ min: 0, max: 0xffffffff }),
    nanoseconds: fc.integer({ min: 0, max: 999_999_999 }),
    frame: fc.uint8Array({ maxLength: 100 }),
  }),
  { maxLength: 8 },
);

describe("pcap", () => {
  it("writes the bytes that the format wants", () => {
    const bytes = encodePcap([packet(1, 2_003_999, 0xab, 0xcd)]);
    expect(Buffer.from(bytes).toString("hex")).toBe(
      "d4c3b2a1020004000000000000000000" + "0000040001000000" + "01000000d30700000200000002000000" + "abcd",
    );
    expect(decodePcap(bytes, "x.pcap")).toEqual([packet(1, 2_003_000, 0xab, 0xcd)]);
  });

  it("reads back what was written, in either byte order, cut anywhere", () => {
    fc.assert(
      fc.property(packets, fc.boolean(), fc.integer({ min: 1, max: 70 }), (list, swapped, step) => {
        const bytes = encodePcap(list, { nanoseconds: true, linkType: 147 });
        const file = swapped ? bigEndian(bytes) : bytes;
        const decoder = new PcapDecoder("x.pcap");
        const read: PcapPacket[] = [];
        for (let at = 0; at < file.length; at += step) {
          decoder.push(file.subarray(at, at + step));
          for (let next = decoder.next(); next !== undefined; next = decoder.next()) read.push(next);
        }
        decoder.finish();
        expect(read).toEqual(list);
        expect(decoder.linkType).toBe(147);
      }),
    );
  });

  it("refuses a file cut off anywhere but between packets, and never crashes on random bytes", () => {
    const bytes = encodePcap([packet(0, 0, 1, 2, 3), packet(0, 0, 4)]);
    const whole = [24, 43, 60];
    for (let length = 0; length < bytes.length; length++) {
      if (whole.includes(length)) decodePcap(bytes.subarray(0, length), "x.pcap");
      else expect(complaint(bytes.slice(0, length))).toMatch(/P4231[01]/);
    }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (noise) => {
        const file = new Uint8Array(24 + noise.length);
        file.set(encodePcap([]));
        file.set(noise, 24);
        try {
          decodePcap(file, "x.pcap");
        } catch (error) {
          expect(error).toBeInstanceOf(DiagnosticError);
        }
      }),
    );
  });

  it("names other formats and other versions of the format", () => {
    const named = (...start: number[]) =>
      complaint(Uint8Array.from([...start, ...new Array<number>(20).fill(0)]));
    expect(named(0x0a, 0x0d, 0x0d, 0x0a)).toContain("it starts with 0x0a0d0d0a");
    expect(named(0x00, 0x00, 0x12, 0x34)).toContain("it starts with 0x00001234");
    const hint = (...start: number[]) => {
      try {
        decodePcap(Uint8Array.from(start), "x.pcap");
      } catch (error) {
        if (error instanceof DiagnosticError) return error.diagnostics[0]!.notes[0]!.message;
      }
      return undefined;
    };
    expect(hint(0x0a, 0x0d, 0x0d, 0x0a)).toContain("editcap");
    expect(hint(0x28, 0xb5, 0x2f, 0xfd)).toContain("zstd");
    expect(hint(0x1f, 0x8b, 0x08, 0x00)).toContain("gzip");
    expect(hint(1, 2, 3, 4)).toBe("expected a1b2c3d4");
    const old = encodePcap([]);
    old[4] = 1;
    expect(complaint(old)).toBe("error[P42310]: x.pcap has version 1 of pcap; 2 is read");
    expect(complaint(Uint8Array.of(0xd4, 0xc3, 0xb2))).toBe(
      "error[P42311]: x.pcap ends within its header: 3 of 24 bytes",
    );
    expect(complaint(encodePcap([]).slice(0, 23))).toBe(
      "error[P42311]: x.pcap ends within its header: 23 of 24 bytes",
    );
  });

  it("reads a fraction of a second or more as later seconds, in either unit", () => {
    const file = (nanoseconds: boolean, fraction: number) => {
      const bytes = encodePcap([packet(7, 0, 1)], { nanoseconds });
      new DataView(bytes.buffer).setUint32(28, fraction, true);
      return decodePcap(bytes, "x.pcap")[0]!;
    };
    expect(file(false, 2_000_003)).toMatchObject({ seconds: 9, nanoseconds: 3000 });
    expect(file(true, 2_000_000_003)).toMatchObject({ seconds: 9, nanoseconds: 3 });
    expect(file(true, 999_999_999)).toMatchObject({ seconds: 7, nanoseconds: 999_999_999 });
    expect(file(true, 1_000_000_000)).toMatchObject({ seconds: 8, nanoseconds: 0 });
  });

  it("reads frames of up to 262,144 bytes", () => {
    const frame = new Uint8Array(262_144).fill(5);
    const [longest] = decodePcap(encodePcap([{ seconds: 0, nanoseconds: 0, frame }]), "x.pcap");
    expect(longest!.frame).toEqual(frame);
    const tooLong = encodePcap([{ seconds: 0, nanoseconds: 0, frame: new Uint8Array(262_145) }]);
    expect(complaint(tooLong)).toContain("packet 1 (at byte 24) has a frame of 262145 bytes");
  });

  it("takes the lower half of the link type's field: the upper half describes check sequences", () => {
    const bytes = encodePcap([], { linkType: 0x14000001 });
    const decoder = new PcapDecoder("x.pcap");
    decoder.push(bytes);
    expect(decoder.next()).toBeUndefined();
    expect(decoder.linkType).toBe(1);
  });

  it("knows the link type when the header is complete, and not before", () => {
    const bytes = encodePcap([packet(1, 2000, 9)]);
    const decoder = new PcapDecoder("x.pcap");
    decoder.push(bytes.subarray(0, 23));
    expect([decoder.next(), decoder.linkType]).toEqual([undefined, undefined]);
    decoder.push(bytes.subarray(23, 24));
    expect([decoder.next(), decoder.linkType]).toEqual([undefined, 1]);
    decoder.push(bytes.subarray(24));
    expect(decoder.next()).toEqual(packet(1, 2000, 9));
    expect(decoder.next()).toBeUndefined();
    decoder.finish();
  });

  it("gives frames that do not change with the bytes they were read from", () => {
    const bytes = encodePcap([packet(0, 0, 1, 2)]);
    const [first] = decodePcap(bytes, "x.pcap");
    bytes.fill(0xff);
    expect([...first!.frame]).toEqual([1, 2]);
  });

  it("says which packet, at which byte", () => {
    const bytes = encodePcap([packet(0, 0, 1, 2, 3), packet(0, 0, 4, 5)]);
    expect(complaint(bytes.slice(0, 60))).toBe(
      "error[P42311]: x.pcap: packet 2 (at byte 43) is cut off: 17 of 18 bytes",
    );
    const partial = bytes.slice();
    new DataView(partial.buffer).setUint32(43 + 12, 1500, true);
    expect(complaint(partial)).toContain("packet 2 (at byte 43) holds 2 bytes of a frame of 1500");
  });

  it("counts the bytes of earlier pieces too", () => {
    const bytes = encodePcap([packet(0, 0, 1, 2, 3), packet(0, 0, 4, 5), packet(0, 0, 6)]);
    const messageAfter = (end: number) => {
      const decoder = new PcapDecoder("x.pcap");
      for (let at = 0; at < end; at += 10) {
        decoder.push(bytes.subarray(at, Math.min(at + 10, end)));
        while (decoder.next() !== undefined);
      }
      try {
        decoder.finish();
      } catch (error) {
        return (error as DiagnosticError).message;
      }
      return undefined;
    };
    expect(messageAfter(58)).toBe("error[P42311]: x.pcap: packet 2 (at byte 43) is cut off: 15 of 16 bytes");
    expect(messageAfter(59)).toBe("error[P42311]: x.pcap: packet 2 (at byte 43) is cut off: 16 of 18 bytes");
    expect(messageAfter(77)).toBe("error[P42311]: x.pcap: packet 3 (at byte 61) is cut off: 16 of 17 bytes");
    expect(messageAfter(78)).toBeUndefined();
  });

  it("reports each wrong file with its code", () => {
    const folder = join(import.meta.dirname, "../../bad/traffic");
    const messages = readdirSync(folder)
      .filter((name) => name.endsWith(".pcap"))
      .sort()
      .map((name) => `${name}: ${complaint(readFileSync(join(folder, name)))}`);
    expect(messages).toMatchInlineSnapshot(`
      [
        "P42310-empty.pcap: error[P42310]: x.pcap is empty",
        "P42310-pcapng.pcap: error[P42310]: x.pcap is no classic pcap file: it starts with 0x0a0d0d0a",
        "P42311-cut-off.pcap: error[P42311]: x.pcap: packet 2 (at byte 54) is cut off: 20 of 30 bytes",
        "P42312-length.pcap: error[P42312]: x.pcap: packet 2 (at byte 54) has a frame of 2147483647 bytes; at most 262144 are read",
        "P42313-captured-in-part.pcap: error[P42313]: x.pcap: packet 1 (at byte 24) holds 14 bytes of a frame of 1500",
      ]
    `);
  });
});
