import { isIPv6 } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatValue, parseValue, styleOfWidth, valueText } from "../../../src/toolchain/device/index.js";
import type { ValueStyle } from "../../../src/toolchain/device/values.js";

const value = (text: string, bits: number, signed = false): bigint | string => {
  const parsed = parseValue(text, bits, signed);
  return parsed.ok ? parsed.value : parsed.message;
};

describe("parseValue", () => {
  it("reads what people write", () => {
    expect(value("0", 1)).toBe(0n);
    expect(value("511", 9)).toBe(511n);
    expect(value("0x0800", 16)).toBe(0x800n);
    expect(value("0XfF", 8)).toBe(255n);
    expect(value("0b1010_0001", 8)).toBe(0xa1n);
    expect(value("0o17", 8)).toBe(15n);
    expect(value("1_000_000", 32)).toBe(1_000_000n);
    expect(value("true", 1)).toBe(1n);
    expect(value("false", 1)).toBe(0n);
    expect(value("00:11:22:aa:BB:cc", 48)).toBe(0x001122aabbccn);
    expect(value("0-1-2-3-4-5", 48)).toBe(0x000102030405n);
    expect(value("10.0.1.255", 32)).toBe(0x0a0001ffn);
    expect(value("10.0.1.255", 64)).toBe(0x0a0001ffn);
    expect(value("::", 128)).toBe(0n);
    expect(value("::1", 128)).toBe(1n);
    expect(value("2001:db8::", 128)).toBe(0x20010db8n << 96n);
    expect(value("1:2:3:4:5:6:7:8", 128)).toBe(0x00010002000300040005000600070008n);
    expect(value("::ffff:10.0.0.1", 128)).toBe(0xffff0a000001n);
    expect(value("-1", 8, true)).toBe(255n);
    expect(value("-128", 8, true)).toBe(128n);
    expect(value("127", 8, true)).toBe(127n);
  });

  it("says why it does not read the rest", () => {
    expect(value("512", 9)).toBe("512 does not fit 9 bits (0 to 511)");
    expect(value("2", 1)).toBe("2 does not fit 1 bit (0 to 1)");
    expect(value(`0x1${"0".repeat(32)}`, 128)).toMatch(/does not fit 128 bits \(0 to 2\^128 - 1\)$/);
    expect(value("-1", 9)).toBe("-1 is negative; the value is unsigned, 9 bits (0 to 511)");
    expect(value("128", 8, true)).toBe("128 does not fit 8 bits (-128 to 127)");
    expect(value("-129", 8, true)).toBe("-129 does not fit 8 bits (-128 to 127)");
    expect(value("00:00:00:00:00:01", 32)).toBe(
      "00:00:00:00:00:01 is a MAC address of 48 bits; there are only 32",
    );
    expect(value("0.0.0.1", 16)).toMatch("IPv4 address of 32 bits; there are only 16");
    expect(value("::1", 64)).toMatch("IPv6 address of 128 bits");
    expect(value("10.0.0.256", 32)).toBe('"10.0.0.256" is not an IPv4 address');
    expect(value("::ffff:10.0.0.256", 128)).toBe('"::ffff:10.0.0.256" is not an IPv6 address');
    const nonsense = ["", " 1", "1 ", "0x", "1__0", "_1", "1_", "ten", "010.0.0.1", "1.2.3", "--1", "true"];
    for (const text of nonsense) expect(value(text, 32)).toMatch("is no value; give an integer");
    for (const text of [
      "1:2",
      "1:2:3:4:5:6:7",
      "1::2::3",
      "1:2:3:4:5:6:7:8:9",
      "12345::",
      "1:2:3:4::5:6:7:8",
    ])
      expect(value(text, 128)).toMatch("is not an IPv6 address");
    // all separators of a MAC address are equal
    expect(parseValue("00:11-22:33-44:55", 48).ok).toBe(false);
  });
});

describe("formatValue", () => {
  it("writes each style", () => {
    expect(formatValue(300n, 9)).toBe("300");
    expect(formatValue(0xabn, 32)).toBe("0x000000ab");
    expect(formatValue(0xabn, 9, "hex")).toBe("0x0ab");
    expect(formatValue(0x001122aabbccn, 48)).toBe("00:11:22:aa:bb:cc");
    expect(formatValue(0x0a0001ffn, 32, "ipv4")).toBe("10.0.1.255");
    expect(formatValue(0n, 128)).toBe("::");
    expect(formatValue(1n, 128)).toBe("::1");
    expect(formatValue(0x20010db8n << 96n, 128)).toBe("2001:db8::");
    // RFC 5952: one zero group stays, the first of the longest runs goes
    expect(value("2001:db8:0:1:1:1:1:1", 128)).not.toBe(0n);
    const normal = (text: string): string => formatValue(value(text, 128) as bigint, 128);
    expect(normal("2001:db8:0:1:1:1:1:1")).toBe("2001:db8:0:1:1:1:1:1");
    expect(normal("2001:db8:0:0:1:0:0:1")).toBe("2001:db8::1:0:0:1");
    expect(normal("2001:0:0:1:0:0:0:1")).toBe("2001:0:0:1::1");
    expect(() => formatValue(512n, 9)).toThrow(RangeError);
    expect(() => formatValue(-1n, 9)).toThrow(RangeError);
    expect(() => formatValue(1n << 32n, 48, "ipv4")).toThrow(RangeError);
  });

  it("writes what parseValue reads back", () => {
    const cases = fc.integer({ min: 1, max: 256 }).chain((bits) =>
      fc.record({
        bits: fc.constant(bits),
        number: fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n }),
        style: fc.constantFrom<ValueStyle>("decimal", "hex", styleOfWidth(bits)),
      }),
    );
    fc.assert(
      fc.property(cases, ({ bits, number, style }) => {
        expect(parseValue(formatValue(number, bits, style), bits)).toEqual({ ok: true, value: number });
      }),
    );
  });

  it("agrees with another reader about IPv6", () => {
    const group = fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 0xffffn }));
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        const number = groups.reduce((sum, each) => (sum << 16n) | each, 0n);
        const text = formatValue(number, 128);
        expect(isIPv6(text)).toBe(true);
        // the URL standard's serializer is RFC 5952's
        expect(new URL(`http://[${groups.map((each) => each.toString(16)).join(":")}]/`).hostname).toBe(
          `[${text}]`,
        );
      }),
    );
  });

  it("reads exactly the IPv6 addresses", () => {
    const letter = fc.constantFrom(":", ":", "::", "0", "1", "ab", "fffff", "1.2.3.4", "1.2.3.400");
    fc.assert(
      fc.property(fc.array(letter, { maxLength: 18 }), (parts) => {
        const text = parts.join("");
        const isMac = /^[^:]{1,2}(:[^:]{1,2}){5}$/.test(text);
        if (!text.includes(":") || isMac) return;
        expect(parseValue(text, 128).ok).toBe(isIPv6(text));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("valueText", () => {
  const text = (name: string, value: bigint, bitwidth = 48) =>
    valueText(undefined, { id: 1, name, bitwidth } as never, value);

  it.each([
    "dstAddr",
    "hdr.ethernet.src",
    "hdr.ethernet.a",
    "meta.dmac",
    "hdr.arp.tha",
    "smac",
    "next_hop_mac",
  ])("writes 48 bits as a MAC address where the name is one: %s", (name) => {
    expect(text(name, 0x001122aabbccn)).toBe("00:11:22:aa:bb:cc");
  });

  it.each(["now", "meta.ingress_global_timestamp", "last_seen", "r48", "gap", "bytes", "meta.ethernet_time"])(
    "writes 48 bits as a number where they are a time or an amount: %s",
    (name) => {
      expect(text(name, 508010n)).toBe("508010");
    },
  );

  it("writes what parseValue reads back, whatever the name", () => {
    fc.assert(
      fc.property(fc.string(), fc.bigInt({ min: 0n, max: (1n << 48n) - 1n }), (name, value) => {
        expect(parseValue(text(name, value), 48)).toEqual({ ok: true, value });
      }),
    );
  });
});
