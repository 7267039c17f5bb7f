import fc from "fast-check";
import { expect, it } from "vitest";
import { DueEntries } from "../../../../src/toolchain/switch/tables/due-entries.js";

it("gives the entry that is due first, while times change and entries go", () => {
  const step = fc.record({ entry: fc.nat(40), time: fc.option(fc.nat(1000), { freq: 3 }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const due = new DueEntries();
      const model = new Map<number, number>();
      for (const { entry, time } of steps) {
        if (time === null) {
          due.delete(entry);
          model.delete(entry);
        } else {
          due.set(entry, time);
          model.set(entry, time);
        }
        expect(due.size).toBe(model.size);
        expect(due.firstTime).toBe(Math.min(...model.values()));
        if (model.size > 0) expect(model.get(due.first)).toBe(due.firstTime);
        else expect(due.first).toBe(-1);
      }
      const drained: number[] = [];
      for (; due.size > 0; due.delete(due.first)) drained.push(due.firstTime);
      expect(drained).toEqual([...model.values()].sort((a, b) => a - b));
    }),
  );
});
