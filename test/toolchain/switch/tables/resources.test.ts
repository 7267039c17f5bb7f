/** Registers and meters by themselves: words and widths, and the two rates and three colours of RFC 2698. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MeterArray, RegisterArray } from "../../../../src/toolchain/switch/tables/resources.js";

it("a register keeps the low bits of what is written, at its index alone", () => {
  const writes = fc.array(fc.tuple(fc.nat(3), fc.bigInt(0n, (1n << 140n) - 1n)), { maxLength: 12 });
  fc.assert(
    fc.property(fc.constantFrom(1, 8, 31, 32, 33, 64, 65, 128), writes, (width, list) => {
      const register = new RegisterArray("r", 4, width);
      const expected = [0n, 0n, 0n, 0n];
      for (const [index, value] of list) {
        register.set(index, value);
        expected[index] = BigInt.asUintN(width, value);
        expect([0, 1, 2, 3].map((i) => register.get(i))).toEqual(expected);
      }
      expect(register.data).toHaveLength(4 * Math.ceil(width / 32));
    }),
  );
});

describe("a meter", () => {
  const GREEN = 0;
  const YELLOW = 1;
  const RED = 2;
  /** One unit every 10 us within 2 units, one every 5 us within 4 units. */
  const rates = { committedRate: 0.1, committedBurst: 2, peakRate: 0.2, peakBurst: 4 };

  it("colours packets by two buckets that fill with time", () => {
    const meter = new MeterArray("m", 3, false);
    meter.configure(1, rates, 0);
    const steps: [now: number, color: number][] = [
      // Full buckets: green while both hold a packet, yellow while the peak bucket alone does, else red, which takes nothing.
      [0, GREEN],
      [0, GREEN],
      [0, YELLOW],
      [0, YELLOW],
      [0, RED],
      [4, RED],
      // The peak bucket has one unit after 5 us, both have one after 10 us.
      [5, YELLOW],
      [10, GREEN],
      [15, YELLOW],
      // No bucket holds more than its burst.
      [1000, GREEN],
      [1000, GREEN],
      [1000, YELLOW],
      [1000, YELLOW],
      [1000, RED],
      // A time before the last one fills nothing.
      [900, RED],
      [1004, RED],
      [1005, YELLOW],
    ];
    for (const [now, color] of steps) expect([now, meter.execute(1, 100, now)]).toEqual([now, color]);
    // The meters beside it have no rates.
    for (const index of [0, 2]) expect(meter.execute(index, 100, 0)).toBe(GREEN);
    expect(meter.rates(0)).toBeUndefined();
    expect(meter.rates(1)).toEqual(rates);
  });

  it("counts bytes, or packets of any length", () => {
    const bytes = new MeterArray("m", 1, true);
    bytes.configure(0, { committedRate: 0, committedBurst: 100, peakRate: 0, peakBurst: 150 }, 0);
    expect([100, 50, 1, 0].map((length) => bytes.execute(0, length, 0))).toEqual([GREEN, YELLOW, RED, GREEN]);
    const packets = new MeterArray("m", 1, false);
    packets.configure(0, { committedRate: 0, committedBurst: 2, peakRate: 0, peakBurst: 2 }, 0);
    expect([9000, 1, 1].map((length) => packets.execute(0, length, 0))).toEqual([GREEN, GREEN, RED]);
  });

  it("begins to fill when it is configured, with full buckets", () => {
    const meter = new MeterArray("m", 1, false);
    meter.configure(0, rates, 100);
    for (let i = 0; i < 4; i++) meter.execute(0, 1, 100);
    expect(meter.execute(0, 1, 104)).toBe(RED);
    expect(meter.execute(0, 1, 105)).toBe(YELLOW);
    meter.configure(0, rates, 105);
    expect(meter.execute(0, 1, 105)).toBe(GREEN);
    meter.configure(0, undefined, 105);
    expect(meter.rates(0)).toBeUndefined();
    for (let i = 0; i < 9; i++) expect(meter.execute(0, 1, 105)).toBe(GREEN);
  });

  it("is kept with the levels of its buckets, and put back at any index", () => {
    const meter = new MeterArray("m", 0, false);
    meter.reserve(1);
    meter.configure(0, rates, 0);
    for (let i = 0; i < 3; i++) meter.execute(0, 1, 0);
    const putBack = meter.keep(0);
    meter.configure(0, undefined, 0);
    meter.reserve(40);
    putBack(39);
    expect([0, 0, 5].map((now) => meter.execute(39, 1, now))).toEqual([YELLOW, RED, YELLOW]);
    expect(meter.rates(38)).toBeUndefined();
  });
});
