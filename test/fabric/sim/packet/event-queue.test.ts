import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { EventHeap } from "../../../../src/fabric/sim/packet/event-heap.js";
import { EventQueue, Simulation } from "../../../../src/fabric/sim/packet/index.js";

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
          const earliest = model.reduce((least, { time }) => Math.min(least, time), Number.POSITIVE_INFINITY);
          expect(queue.nextTime).toBe(earliest);
        }
        while (model.length > 0) check();
        expect(queue.pop()).toBe(false);
        expect(queue.nextTime).toBe(Number.POSITIVE_INFINITY);
      }),
    );
  });
});

/** Delays in nanoseconds, as different as those of a network, and worse. */
const DELAYS: Readonly<Record<string, (random: Random) => number>> = {
  "all at few instants": (random) => 1000 * random.int(3),
  "a few nanoseconds": (random) => random.int(8),
  "fractions of nanoseconds": (random) => 1000 * random.float(),
  microseconds: (random) => random.int(5000),
  "from nanoseconds to seconds": (random) => Math.floor(10 ** (9 * random.float())),
  "packets and timers": (random) => (random.int(20) === 0 ? 5e6 + random.int(1e6) : random.int(1300)),
  seconds: (random) => 1e9 * (1 + random.int(100)),
};

/** Numbers of pending events, one after the other, and the events that are taken at each. */
const AMOUNTS = {
  few: { pendings: [1, 10, 300, 20, 2000, 2], taken: 1200 },
  many: { pendings: [1, 10, 3000, 20, 100_000, 2], taken: 20_000 },
} as const;
const CASES = Object.keys(DELAYS).flatMap((name) =>
  (["few", "many"] as const).map((amount) => [amount, name] as const),
);

describe("an event queue", () => {
  it.each(CASES)("of %s events takes them out as a heap does: delays of %s", (amount, name) => {
    const { pendings, taken } = AMOUNTS[amount];
    const random = new Random(name);
    const queue = new EventQueue(4);
    const heap = new EventHeap();
    let now = 0;
    let next = 0;
    const push = () => {
      const time = now + DELAYS[name]!(random);
      queue.push(time, next % 7, next);
      heap.push(time, next % 7, next++);
    };
    for (const pending of pendings) {
      while (queue.size < pending) push();
      for (let i = 0; i < taken || queue.size > pending; i++) {
        const until = random.int(10) === 0 ? now + 100 : Number.POSITIVE_INFINITY;
        const expected = heap.nextTime <= until && heap.pop();
        if (i % 64 === 0 && queue.nextTime !== (expected ? heap.time : heap.nextTime))
          expect.fail(`the next event is at ${queue.nextTime}`);
        if (queue.pop(until) !== expected) expect.fail(`event ${heap.argument} at ${heap.time}`);
        // The clock of a run that has ended is at its end.
        now = expected ? heap.time : Math.max(now, until);
        if (expected && (queue.time !== heap.time || queue.argument !== heap.argument))
          expect.fail(`${queue.argument} at ${queue.time} instead of ${heap.argument} at ${heap.time}`);
        if (expected && i < taken) push();
      }
      expect(queue.size).toBe(pending);
    }
    expect(queue.kind).toBe(queue.argument % 7);
  });

  it("takes events that are pushed before the last that was taken", () => {
    const queue = new EventQueue();
    for (const time of [1e6, 5, 2e9]) queue.push(time, 0, 0);
    const times: number[] = [];
    while (queue.pop()) {
      times.push(queue.time);
      if (times.length === 3) for (const time of [7, 3e9, 3]) queue.push(time, 0, 0);
    }
    expect(times).toEqual([5, 1e6, 2e9, 3, 7, 3e9]);
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
