import fc from "fast-check";
import { expect, it } from "vitest";
import { FlowHeaps } from "../../../../src/fabric/sim/flow/flow-heaps.js";

it("gives the flows of each bundle in the order of their keys, whatever was pushed and popped between", () => {
  const steps = fc.array(fc.record({ bundle: fc.nat(3), key: fc.option(fc.nat(50)) }), { maxLength: 200 });
  fc.assert(
    fc.property(steps, (list) => {
      const heaps = new FlowHeaps();
      const model: { key: number; start: number }[][] = [[], [], [], []];
      for (const [start, { bundle, key }] of list.entries()) {
        const own = model[bundle]!;
        if (key !== null) {
          heaps.push(bundle, key, start);
          own.push({ key, start });
          own.sort((a, b) => a.key - b.key);
        } else if (own.length > 0) {
          const { key: least } = own[0]!;
          expect(heaps.leastKey(bundle)).toBe(least);
          const start = heaps.pop(bundle);
          const at = own.findIndex((one) => one.start === start);
          expect(own[at]?.key).toBe(least);
          own.splice(at, 1);
        }
      }
    }),
  );
});
