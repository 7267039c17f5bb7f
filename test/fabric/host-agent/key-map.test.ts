import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toHex } from "../../../src/base/index.js";
import {
  addressBytes,
  addressText,
  flowKey,
  flowOf,
  reverseKey,
} from "../../../src/fabric/host-agent/addresses.js";
import { KeyMap } from "../../../src/fabric/host-agent/flows.js";

/** Keys of two lengths, few of them, so that they meet again. */
const key = fc
  .tuple(fc.constantFrom(12, 36), fc.integer({ min: 0, max: 20 }))
  .map(([length, seed]) => Uint8Array.from({ length }, (_, i) => (i % 5 === 0 ? seed : 0)));

describe("a map of keys in packets", () => {
  it.each([
    ["does what a map of texts does", undefined],
    ["distinguishes keys with one hash", () => 7],
  ] as const)("%s", (_what, hash) => {
    const steps = fc.array(
      fc.record({ key, value: fc.nat(), what: fc.constantFrom("set", "delete", "get") }),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(steps, fc.integer({ min: 0, max: 7 }), (steps, at) => {
        const map = new KeyMap<number>(hash);
        const model = new Map<string, number>();
        for (const { key, value, what } of steps) {
          if (what === "set") {
            map.set(key, value);
            model.set(toHex(key), value);
          } else if (what === "delete") {
            map.delete(key);
            model.delete(toHex(key));
          }
          const packet = new Uint8Array(at + key.length + 3).fill(0xee);
          packet.set(key, at);
          expect(map.get(packet, at, key.length)).toBe(model.get(toHex(key)));
        }
      }),
    );
  });
});

describe("addresses and flow keys", () => {
  it.each(["10.0.0.1", "255.1.2.3", "fd00::1", "2001:db8:1:2:3:4:5:6"])("reads and writes %s", (text) => {
    expect(addressText(addressBytes(text)!)).toBe(text);
  });

  it.each(["", "10.0.0", "10.0.0.256", "fd00", "1", "0x0a000001", "fd00::1::2", "h1"])(
    "refuses %j",
    (text) => {
      expect(addressBytes(text)).toBeUndefined();
    },
  );

  it("reverses a key, and gives its numbers", () => {
    const key = flowKey(addressBytes("10.0.0.1")!, addressBytes("10.0.0.2")!, 4000, 53);
    expect(toHex(key)).toBe("0a0000010a0000020fa00035");
    const { src, dst, srcPort, dstPort, protocol } = flowOf(reverseKey(key), 17);
    expect([src, dst, srcPort, dstPort, protocol]).toEqual([0x0a000002n, 0x0a000001n, 53, 4000, 17]);
    expect(reverseKey(reverseKey(key))).toEqual(key);
  });
});
