/** Hashes of 64 bits, against published check values. */
import { describe, expect, it } from "vitest";
import { Crc64 } from "../../../src/toolchain/hash/crc64.js";
import { bmv2Hash, bmv2WideHash, toeplitzHash, type WideHash } from "../../../src/toolchain/hash/index.js";

const bytes = (text: string) => new TextEncoder().encode(text);
const run = (hash: WideHash, input: Uint8Array) => {
  const low = hash.low(input, input.length);
  return (BigInt(hash.high >>> 0) << 32n) | BigInt(low >>> 0);
};

describe("xxh64", () => {
  // Published test vectors of XXH64 with seed 0.
  it.each([
    ["", 0xef46db3751d8e999n],
    ["a", 0xd24ec4f1a98c6e5bn],
    ["as", 0x1c330fb2d66be179n],
    ["asd", 0x631c37ce72a97393n],
    ["asdf", 0x415872f599cea71en],
    ["Call me Ishmael. Some years ago--never mind how long precisely-", 0x02a2e85470d6fd96n],
  ])("%j", (text, expected) => {
    const hash = bmv2WideHash("xxh64")!;
    expect(run(hash, bytes(text))).toBe(expected);
    // And with nothing left of the call before.
    run(hash, bytes("something else that is longer than thirty-two bytes"));
    expect(run(hash, bytes(text))).toBe(expected);
  });
});

describe("xxh64 of any length", () => {
  const P1 = 11400714785074694791n;
  const P2 = 14029467366897019727n;
  const P3 = 1609587929392839161n;
  const P4 = 9650029242287828579n;
  const P5 = 2870177450012600261n;
  const cut = (value: bigint) => BigInt.asUintN(64, value);
  const turn = (value: bigint, bits: bigint) => cut((value << bits) | (value >> (64n - bits)));
  const round = (lane: bigint, input: bigint) => cut(turn(cut(lane + input * P2), 31n) * P1);

  /** Section "XXH64 Algorithm Description" of the specification, in numbers of 64 bits. */
  function specified(input: Uint8Array): bigint {
    const view = new DataView(input.buffer, input.byteOffset, input.length);
    let at = 0;
    let sum: bigint = P5;
    if (input.length >= 32) {
      let lanes = [cut(P1 + P2), P2, 0n, cut(-P1)];
      for (; input.length - at >= 32; at += 32)
        lanes = lanes.map((lane, i) => round(lane, view.getBigUint64(at + 8 * i, true)));
      const [one, two, three, four] = lanes as [bigint, bigint, bigint, bigint];
      sum = cut(turn(one, 1n) + turn(two, 7n) + turn(three, 12n) + turn(four, 18n));
      for (const lane of lanes) sum = cut((sum ^ round(0n, lane)) * P1 + P4);
    }
    sum = cut(sum + BigInt(input.length));
    for (; input.length - at >= 8; at += 8)
      sum = cut(turn(sum ^ round(0n, view.getBigUint64(at, true)), 27n) * P1 + P4);
    for (; input.length - at >= 4; at += 4)
      sum = cut(turn(sum ^ cut(BigInt(view.getUint32(at, true)) * P1), 23n) * P2 + P3);
    for (; at < input.length; at++) sum = cut(turn(sum ^ cut(BigInt(input[at]!) * P5), 11n) * P1);
    sum = cut((sum ^ (sum >> 33n)) * P2);
    sum = cut((sum ^ (sum >> 29n)) * P3);
    return sum ^ (sum >> 32n);
  }

  it("is what the specification says", () => {
    const input = Uint8Array.from({ length: 100 }, (_, i) => 151 * i + (i >> 2));
    const hash = bmv2WideHash("xxh64")!;
    for (let length = 0; length <= input.length; length++) {
      const part = input.slice(0, length);
      expect(run(hash, part), `${length} bytes`).toBe(specified(part));
    }
  });
});

describe("CRCs of 64 bits", () => {
  // Check values of the public catalogue, for the bytes "123456789".
  const ones = 2n ** 64n - 1n;
  it.each([
    [
      "CRC-64/ECMA-182",
      { poly: 0x42f0e1eba9ea3693n, init: 0n, reflected: false, xorout: 0n },
      0x6c40df5f0b497347n,
    ],
    [
      "CRC-64/WE",
      { poly: 0x42f0e1eba9ea3693n, init: ones, reflected: false, xorout: ones },
      0x62ec59e3f1a4f00an,
    ],
    [
      "CRC-64/XZ",
      { poly: 0x42f0e1eba9ea3693n, init: ones, reflected: true, xorout: ones },
      0x995dc9bbdf1939fan,
    ],
    ["CRC-64/GO-ISO", { poly: 0x1bn, init: ones, reflected: true, xorout: ones }, 0xb90956c775a41001n],
  ])("%s", (_, { poly, init, reflected, xorout }, expected) => {
    const crc = new Crc64({ poly, init, refin: reflected, refout: reflected, xorout });
    expect(run(crc, bytes("123456789"))).toBe(expected);
  });
});

describe("hashes that count", () => {
  it("count calls, or new inputs", () => {
    const [all, fresh] = [bmv2WideHash("round_robin")!, bmv2WideHash("round_robin_consistent")!];
    const inputs = ["x", "y", "x", "", "y", "xy"].map(bytes);
    expect(inputs.map((input) => run(all, input))).toEqual([0n, 1n, 2n, 3n, 4n, 5n]);
    expect(inputs.map((input) => run(fresh, input))).toEqual([0n, 1n, 0n, 2n, 1n, 3n]);
  });
});

describe("round_robin_consistent", () => {
  it("takes two inputs as one when they are equal up to the length", () => {
    const hash = bmv2WideHash("round_robin_consistent")!;
    const numbers = ["abX", "abY", "ab", "aXX"].map((text) => hash.low(bytes(text), 2));
    expect(numbers).toEqual([0, 0, 0, 1]);
  });
});

describe("toeplitz", () => {
  // The verification suite of receive-side scaling: IPv4 addresses and ports, with the key that it publishes.
  const key = Uint8Array.from(
    Buffer.from("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa", "hex"),
  );
  const address = (text: string) => text.split(".").map(Number);
  const port = (number: number) => [number >> 8, number & 255];
  it.each([
    ["66.9.149.187", 2794, "161.142.100.80", 1766, 0x51ccc178],
    ["199.92.111.2", 14230, "65.69.140.83", 4739, 0xc626b0ea],
  ])("%s:%i to %s:%i", (from, sport, to, dport, expected) => {
    const input = Uint8Array.from([...address(from), ...address(to), ...port(sport), ...port(dport)]);
    expect(toeplitzHash(key)(input, input.length)).toBe(expected);
  });

  it("is 0 before it has a key", () => {
    expect(bmv2Hash("toeplitz")!(bytes("123456789"), 9)).toBe(0);
  });
});
