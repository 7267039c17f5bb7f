/** Where a run of the simulation stops, and the clocks that it gives to control planes and switches. */
import { describe, expect, it } from "vitest";
import {
  controlClock,
  MicrosecondClock,
  NS_PER_US,
  Simulation,
} from "../../../../src/fabric/sim/packet/simulation.js";

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("a run", () => {
  it("ends at its time, events of that time included, and stays where it is stopped", () => {
    const simulation = new Simulation();
    const seen: number[] = [];
    for (const time of [10, 20, 30]) simulation.at(time, () => seen.push(time));
    simulation.run(20);
    expect([seen, simulation.now, simulation.pending]).toEqual([[10, 20], 20, 1]);
    simulation.run(25);
    expect(simulation.now).toBe(25);
    simulation.run(24);
    expect(simulation.now).toBe(25);
    simulation.at(27, () => simulation.stop());
    simulation.run(40);
    expect([seen, simulation.now]).toEqual([[10, 20], 27]);
    simulation.run();
    expect([seen, simulation.now]).toEqual([[10, 20, 30], 30]);
    expect(simulation.eventCount).toBe(4);
  });

  it("leaves out calls that were cancelled", () => {
    const simulation = new Simulation();
    const seen: string[] = [];
    const cancel = simulation.at(10, () => seen.push("cancelled"));
    simulation.at(10, () => seen.push("kept"));
    cancel();
    simulation.run();
    // The place of the first call is used again: a late cancel concerns nobody else.
    simulation.at(20, () => seen.push("later"));
    cancel();
    simulation.run();
    expect(seen).toEqual(["kept", "later"]);
  });
});

describe("a run with promises", () => {
  it("may be made of parts with a number of events, and ends as one run would", async () => {
    const simulation = new Simulation({ turn });
    const seen: number[] = [];
    for (let time = 10; time <= 50; time += 10) simulation.at(time, () => seen.push(time));
    simulation.at(20, () => simulation.letPromisesRun());
    expect([await simulation.runSome(45, 2), seen, simulation.now]).toEqual([false, [10, 20], 20]);
    expect([await simulation.runSome(45, 3), seen, simulation.now]).toEqual([false, [10, 20, 30, 40], 40]);
    expect([await simulation.runSome(45, 3), seen, simulation.now]).toEqual([true, [10, 20, 30, 40], 45]);
    simulation.at(47, () => simulation.stop());
    expect([await simulation.runSome(60, 9), simulation.now]).toEqual([false, 47]);
  });

  it("needs a turn of the event loop", async () => {
    await expect(new Simulation().runAsync(1)).rejects.toThrow("made with `turn`");
  });

  it("runs what promises continue between two events, and ends at its time", async () => {
    const simulation = new Simulation({ turn });
    const seen: string[] = [];
    const clock = controlClock(simulation, 100);
    void (async () => {
      for (let i = 0; i < 3; i++) {
        await new Promise<void>((resolve) => clock.at(10 * i, resolve));
        seen.push(`woken at ${clock.now()}`);
      }
    })();
    simulation.at(110, () => seen.push("event at 110"));
    simulation.at(111, () => seen.push("event at 111"));
    await simulation.runAsync(200);
    expect(seen).toEqual(["woken at 0", "event at 110", "woken at 10", "event at 111", "woken at 20"]);
    expect(simulation.now).toBe(200);
    await simulation.runAsync(150);
    expect(simulation.now).toBe(200);
  });

  it("ends early when it is stopped, or when it is done", async () => {
    const simulation = new Simulation({ turn });
    simulation.at(10, () => simulation.stop());
    await simulation.runAsync(100);
    expect(simulation.now).toBe(10);
    let rounds = 0;
    simulation.at(20, () => simulation.letPromisesRun());
    await simulation.runAsync(100, () => ++rounds === 2);
    expect(simulation.now).toBe(20);
  });
});

describe("the clock of control planes", () => {
  it("counts from its zero, in whole nanoseconds, and never goes back", () => {
    const simulation = new Simulation();
    const clock = controlClock(simulation, 1000);
    const at: number[] = [];
    clock.at(-2000, () => at.push(simulation.now));
    clock.at(0.6, () => at.push(simulation.now));
    const cancel = clock.at(5, () => at.push(simulation.now));
    cancel();
    simulation.run(1001);
    expect(at).toEqual([0, 1001]);
    expect(clock.now()).toBe(1);
    simulation.run();
    expect(at).toHaveLength(2);
  });
});

describe("the clock of switches", () => {
  it("counts microseconds", () => {
    const simulation = new Simulation();
    const clock = new MicrosecondClock(simulation);
    const at: number[] = [];
    clock.at(1.5, () => at.push(clock.now()));
    simulation.run();
    clock.at(0, () => at.push(clock.now()));
    simulation.run();
    expect(at).toEqual([1.5, 1.5]);
  });

  it("has alarms that go off at the time that was set last, once", () => {
    const simulation = new Simulation();
    const { alarms } = new MicrosecondClock(simulation);
    const heard: [number, number][] = [];
    const own = Array.from({ length: 100 }, (_, i) =>
      alarms.add({ goOff: () => heard.push([i, simulation.now / NS_PER_US]) }),
    );
    for (const [i, alarm] of own.entries()) alarms.set(alarm, 10 + i);
    // Later, earlier, the same again, and never.
    alarms.set(own[0]!, 500);
    alarms.set(own[1]!, 3);
    alarms.set(own[2]!, 12);
    alarms.set(own[3]!, Number.POSITIVE_INFINITY);
    simulation.run();
    expect(heard.slice(0, 3)).toEqual([
      [1, 3],
      [2, 12],
      [4, 14],
    ]);
    expect(heard.at(-1)).toEqual([0, 500]);
    expect(heard).toHaveLength(99);
    // An alarm that was never set goes off at time 0 too.
    const other = new Simulation();
    const early: number[] = [];
    const more = new MicrosecondClock(other).alarms;
    const all = Array.from({ length: 100 }, (_, i) => more.add({ goOff: () => early.push(i) }));
    for (const alarm of all) more.set(alarm, 0);
    other.run();
    expect(early).toEqual(all);
    // It can be set again, to a time that is over: then at once.
    alarms.set(own[5]!, 1);
    simulation.run();
    expect(heard.at(-1)).toEqual([5, 500]);
  });
});
