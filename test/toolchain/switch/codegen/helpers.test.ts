/** What generated code calls: stacks that shift (P4-16 spec 8.18), remainders of 64 bits, numbers for log messages. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bigOf, modulo64 } from "../../../../src/toolchain/switch/codegen/action.js";
import { shiftStack } from "../../../../src/toolchain/switch/codegen/store.js";

describe("a stack", () => {
  it("that is pushed or popped moves its elements, and those that come in are invalid", () => {
    const shapes = fc.record({
      size: fc.integer({ min: 1, max: 5 }),
      stride: fc.integer({ min: 0, max: 3 }),
      members: fc.integer({ min: 1, max: 3 }),
      count: fc.integer({ min: -7, max: 7 }),
      next: fc.nat(5),
    });
    fc.assert(
      fc.property(
        shapes,
        fc.array(fc.nat(1), { minLength: 15, maxLength: 15 }),
        ({ size, stride, members, count, next }, bits) => {
          // A word before and after each part, which is not the stack's.
          const valid = 1;
          const at = valid + size * members + 1;
          const place = at + size * stride + 1;
          const words = new Int32Array(place + 2).fill(-1);
          const elements = Array.from({ length: size }, (_, i) => ({
            valid: bits.slice(i * members, (i + 1) * members),
            fields: Array.from({ length: stride }, (_, k) => 100 + 10 * i + k),
          }));
          elements.forEach((element, i) => {
            words.set(element.valid, valid + i * members);
            words.set(element.fields, at + i * stride);
          });
          words[place] = Math.min(next, size);
          shiftStack(words, valid, members, at, stride, size, place, count);
          for (let i = 0; i < size; i++) {
            const from = elements[i - count];
            expect([...words.subarray(valid + i * members, valid + (i + 1) * members)]).toEqual(
              from?.valid ?? new Array(members).fill(0),
            );
            if (from !== undefined)
              expect([...words.subarray(at + i * stride, at + (i + 1) * stride)]).toEqual(from.fields);
          }
          expect(words[place]).toBe(Math.max(0, Math.min(size, Math.min(next, size) + count)));
          expect([words[0], words[at - 1], words[place - 1], words[place + 1]]).toEqual([-1, -1, -1, -1]);
        },
      ),
    );
  });
});

const word = fc.oneof(fc.integer(), fc.constantFrom(0, 1, -1, 0x10000, 0xffff, -0x80000000, 0x7fffffff));
const join = (low: number, high: number) => (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);

it("a remainder of 64 bits is that of unsigned integers; a divisor of 0 counts as 1", () => {
  fc.assert(
    fc.property(word, word, word, fc.oneof(word, fc.constant(0)), (low, high, maxLow, maxHigh) => {
      const scratch = new Int32Array(2);
      modulo64(scratch, low, high, maxLow, maxHigh);
      const divisor = join(maxLow, maxHigh);
      expect(join(scratch[0]!, scratch[1]!)).toBe(join(low, high) % (divisor === 0n ? 1n : divisor));
    }),
    { numRuns: 400 },
  );
});

it("the number of a log message is that of its words, with a sign where it has one", () => {
  expect(bigOf([-1], false)).toBe(0xffffffffn);
  expect(bigOf([-1], true)).toBe(-1n);
  expect(bigOf([1, 2], true)).toBe(0x200000001n);
  expect(bigOf([0, -1], true)).toBe(-0x100000000n);
  expect(bigOf([0, -1], false)).toBe(0xffffffff00000000n);
});
