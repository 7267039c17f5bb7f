/** Slots of groups and meters, against the formulas of the paper and the RFC. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { areCoprime, bestSize, slotsOf, unevenness } from "../../src/fabric/schemes/hashing/groups.js";
import { MeterArray } from "../../src/toolchain/switch/tables/resources.js";
import { Rfc2698, Rfc4115 } from "../models/meters.js";
import { coprime, ecmpSlots, naiveSlots, slotVariation, splitSlots } from "../models/slots.js";

const weights = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 6 });
const counted = (slots: readonly number[], members: number): number[] =>
  Array.from({ length: members }, (_, member) => slots.filter((slot) => slot === member).length);

describe("slots", () => {
  it("are those of naive and split copies, and deviate as much", () => {
    fc.assert(
      fc.property(weights, fc.integer({ min: 1, max: 200 }), (own, size) => {
        fc.pre(size >= own.reduce((a, b) => a + b, 0));
        for (const [how, model] of [
          ["naive", naiveSlots],
          ["split", splitSlots],
        ] as const) {
          const slots = slotsOf(own, size, how);
          expect(counted(slots, own.length)).toEqual(model(own, size));
          expect(unevenness(own, slots)).toBeCloseTo(slotVariation(model(own, size), own), 9);
        }
        const equal = own.map(() => 1);
        expect(counted(slotsOf(equal, size, "split"), own.length)).toEqual(ecmpSlots(own.length, size));
      }),
    );
  });

  it("have a size that is coprime to all others and at least the group's, or none", () => {
    fc.assert(
      fc.property(
        weights,
        fc.array(fc.integer({ min: 2, max: 40 }), { maxLength: 4 }),
        fc.integer({ min: 1, max: 60 }),
        (own, others, most) => {
          const total = own.reduce((a, b) => a + b, 0);
          const possible = Array.from({ length: most }, (_, i) => i + 1).filter(
            (size) => size >= total && others.every((other) => coprime(size, other)),
          );
          const best = bestSize([own], others, most, "split");
          if (possible.length === 0) expect(best).toBeUndefined();
          else {
            expect(possible).toContain(best);
            const cv = (size: number) => slotVariation(splitSlots(own, size), own);
            expect(cv(best!)).toBeLessThanOrEqual(Math.min(...possible.map(cv)) + 1e-9);
          }
          for (const other of others) expect(areCoprime(most, other)).toBe(coprime(most, other));
        },
      ),
    );
  });
});

describe("meters of the switch", () => {
  it("colour as RFC 2698 says, for drawn packets, rates and bursts", () => {
    const packet = fc.record({ gap: fc.nat(5000), bytes: fc.integer({ min: 1, max: 1500 }) });
    const rates = fc.record({
      committed: fc.integer({ min: 0, max: 9 }),
      peak: fc.integer({ min: 0, max: 9 }),
      committedBurst: fc.integer({ min: 0, max: 5000 }),
      peakBurst: fc.integer({ min: 0, max: 5000 }),
    });
    fc.assert(
      fc.property(
        rates,
        fc.array(packet, { maxLength: 60 }),
        ({ committed, peak, committedBurst, peakBurst }, packets) => {
          // Rates in quarters of a byte a microsecond are exact as numbers.
          const meter = new MeterArray("m", 1, true);
          meter.configure(
            0,
            { committedRate: committed / 4, peakRate: peak / 4, committedBurst, peakBurst },
            0,
          );
          const model = new Rfc2698({
            committed: BigInt(committed * 250_000),
            second: BigInt(peak * 250_000),
            committedBurst: BigInt(committedBurst),
            secondBurst: BigInt(peakBurst),
          });
          let now = 0;
          for (const { gap, bytes } of packets) {
            now += gap;
            const wanted = ["green", "yellow", "red"].indexOf(
              model.meter(BigInt(now) * 1000n, BigInt(bytes)),
            );
            expect(meter.execute(0, bytes, now)).toBe(wanted);
          }
        },
      ),
    );
  });

  it("do not colour as RFC 4115 says, where a green packet takes from one bucket only", () => {
    const rates = { committed: 0n, second: 0n, committedBurst: 1000n, secondBurst: 1000n };
    const [two, four] = [new Rfc2698(rates), new Rfc4115(rates)];
    const meter = new MeterArray("m", 1, true);
    meter.configure(0, { committedRate: 0, peakRate: 0, committedBurst: 1000, peakBurst: 1000 }, 0);
    const colours = [0, 1, 2].map(() => [
      ["green", "yellow", "red"][meter.execute(0, 600, 0)],
      two.meter(0n, 600n),
      four.meter(0n, 600n),
    ]);
    expect(colours).toEqual([
      ["green", "green", "green"],
      ["red", "red", "yellow"],
      ["red", "red", "red"],
    ]);
  });
});
