import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Handles } from "../../../../src/toolchain/switch/tables/handles.js";

/** Takes (`null`) are more frequent than releases, so that many handles are held and free ones come up in any order. */
const step = fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 2, arbitrary: fc.nat() });

describe("handles", () => {
  it("are the lowest free number, in any order of taking and giving back", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200, size: "max" }), (steps) => {
        const handles = new Handles();
        const held = new Set<number>();
        for (const step of steps) {
          if (step === null || held.size === 0) {
            let lowest = 0;
            while (held.has(lowest)) lowest++;
            expect(handles.take()).toBe(lowest);
            held.add(lowest);
          } else {
            const handle = [...held][step % held.size]!;
            held.delete(handle);
            handles.release(handle);
          }
        }
      }),
    );
  });

  it("are as before when takes and releases are rolled back, last first", () => {
    const steps = fc.array(step, { maxLength: 60, size: "max" });
    fc.assert(
      fc.property(steps, steps, (first, second) => {
        const handles = new Handles();
        const held = new Set<number>();
        const run = (list: readonly (number | null)[]) =>
          list.map((step) => {
            if (step === null || held.size === 0) {
              const handle = handles.take();
              held.add(handle);
              return () => {
                held.delete(handle);
                handles.release(handle);
              };
            }
            const handle = [...held][step % held.size]!;
            held.delete(handle);
            handles.release(handle);
            return () => {
              held.add(handle);
              handles.claim(handle);
            };
          });
        run(first);
        const before = [...held].sort();
        for (const undo of run(second).reverse()) undo();
        expect([...held].sort()).toEqual(before);
        for (let i = 0; i < 10; i++) {
          let lowest = 0;
          while (held.has(lowest)) lowest++;
          expect(handles.take()).toBe(lowest);
          held.add(lowest);
        }
      }),
    );
  });
});
