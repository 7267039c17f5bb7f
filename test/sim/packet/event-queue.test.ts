import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventQueue, Simulation } from "../../../src/sim/packet/index.js";

describe("event queue", () => {
  it("pops by time, and at equal times in push order, whatever is pushed in between", () => {
    const step = fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constant("pop" as const));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const queue = new EventQueue(2);
        let model: { time: number; id: number }[] = [];
        const takeModel = () => {
          model = model.sort((a, b) => a.time - b.time || a.id - b.id);
          return model.shift();
        };
        const check = () => {
          const expected = takeModel();
          expect(queue.pop()).toBe(expected !== undefined);
          if (expected === undefined) return;
          expect([queue.time, queue.argument, queue.kind]).toEqual([
            expected.time,
            expected.id,
            expected.id % 3,
          ]);
        };
        for (const [id, item] of steps.entries()) {
          if (item === "pop") check();
          else {
            queue.push(item, id % 3, id);
            model.push({ time: item, id });
          }
          expect(queue.size).toBe(model.length);
        }
        while (model.length > 0) check();
        expect(queue.pop()).toBe(false);
        expect(queue.nextTime).toBe(Number.POSITIVE_INFINITY);
      }),
    );
  });
});

describe("simulation", () => {
  it("runs events in order up to a time, and calls that were not cancelled", () => {
    const simulation = new Simulation();
    const log: string[] = [];
    const kind = simulation.register((argument) => log.push(`${simulation.now}:${argument}`));
    simulation.schedule(20, kind, 2);
    simulation.schedule(10, kind, 1);
    const cancel = simulation.at(15, () => log.push("cancelled"));
    simulation.at(15, () => {
      log.push(`${simulation.now}:call`);
      simulation.at(15, () => log.push(`${simulation.now}:nested`));
    });
    cancel();
    simulation.run(15);
    expect(log).toEqual(["10:1", "15:call", "15:nested"]);
    expect(simulation.now).toBe(15);
    expect(() => simulation.schedule(14, kind, 0)).toThrow(RangeError);
    simulation.run(18);
    expect(simulation.now).toBe(18);
    simulation.run();
    expect(log).toEqual(["10:1", "15:call", "15:nested", "20:2"]);
    expect(simulation.now).toBe(20);
    expect(simulation.pending).toBe(0);
  });

  it("does not cancel a later call that reuses the slot", () => {
    const simulation = new Simulation();
    const log: number[] = [];
    const cancel = simulation.at(1, () => log.push(1));
    simulation.run();
    simulation.at(2, () => log.push(2));
    cancel();
    simulation.run();
    expect(log).toEqual([1, 2]);
  });
});
