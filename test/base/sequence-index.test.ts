import fc from "fast-check";
import { expect, test } from "vitest";
import { SequenceIndex } from "../../src/base/index.js";

test("numbers sequences as their texts are numbered", () => {
  const sequence = fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 4 });
  fc.assert(
    fc.property(fc.array(sequence, { maxLength: 200 }), (sequences) => {
      const index = new SequenceIndex();
      const texts: string[] = [];
      for (const one of sequences) {
        const text = one.join(" ");
        if (!texts.includes(text)) texts.push(text);
        expect(index.indexOf(one)).toBe(texts.indexOf(text));
      }
      expect(index.size).toBe(texts.length);
    }),
  );
});

test("distinguishes sequences with equal hashes", () => {
  // FNV's prime is odd, so that 0x811c9dc5 * prime ^ (0 * prime) can be met from another first word.
  const prime = 0x01000193;
  const start = 0x811c9dc5 | 0;
  const one = [1, 0];
  const other = [2, Math.imul(start ^ 1, prime) ^ Math.imul(start ^ 2, prime)];
  const index = new SequenceIndex();
  expect([
    index.indexOf(one),
    index.indexOf(other),
    index.indexOf([...one]),
    index.indexOf([...other]),
  ]).toEqual([0, 1, 0, 1]);
});
