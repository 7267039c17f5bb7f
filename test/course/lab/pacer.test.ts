/** How simulated time follows real time; the test advances the real clock. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Pacer } from "../../../src/course/lab/pacer.js";
import { NS_PER_MS, NS_PER_S, Simulation } from "../../../src/fabric/sim/packet/index.js";

/** A real clock with timers. Its time advances when the test says so, or when simulated work takes time. */
class Wall {
  ms = 1000;
  readonly #timers: { at: number; fn: () => void }[] = [];

  readonly timers = {
    now: () => this.ms,
    later: (milliseconds: number, fn: () => void) => {
      const timer = { at: this.ms + milliseconds, fn };
      this.#timers.push(timer);
      return () =>
        void this.#timers.splice(0, this.#timers.length, ...this.#timers.filter((one) => one !== timer));
    },
  };

  get waiting(): number {
    return this.#timers.length;
  }

  /** Advances the time and runs the timers that are due. A timer that work has delayed runs late. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.ms + milliseconds;
    for (;;) {
      const next = this.#timers.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
      if (next > end) break;
      const timer = this.#timers.splice(
        this.#timers.findIndex(({ at }) => at === next),
        1,
      )[0]!;
      this.ms = Math.max(this.ms, next);
      timer.fn();
      // a frame sets the timer of the next frame after its promises
      for (let i = 0; i < 20; i++) await Promise.resolve();
    }
    this.ms = Math.max(this.ms, end);
  }
}

function start(isBusy: () => boolean = () => true) {
  const wall = new Wall();
  const simulation = new Simulation();
  const frames: number[] = [];
  const pacer = new Pacer({
    simulation,
    timers: wall.timers,
    controlled: false,
    isBusy,
    onFrame: () => frames.push(wall.ms),
  });
  pacer.start();
  return { wall, simulation, pacer, frames };
}

describe("the clock of a lab", () => {
  it("follows real time at any speed, and does not advance while it is paused", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ running: fc.boolean(), speed: fc.constantFrom(1, 0.5, 0.001, 20) }), {
          minLength: 1,
          maxLength: 6,
        }),
        async (parts) => {
          const { wall, simulation, pacer } = start();
          for (const { running, speed } of parts) {
            pacer.set({ running, speed, skipIdle: false });
            const before = simulation.now;
            await wall.pass(1000);
            const wanted = running ? NS_PER_S * speed : 0;
            // each frame rounds to nanoseconds; the last frame may not have ended yet
            expect(simulation.now - before).toBeLessThanOrEqual(wanted + 40);
            expect(simulation.now - before).toBeGreaterThanOrEqual(wanted * (1 - 0.034));
            expect(pacer.view.reached).toBeUndefined();
          }
          pacer.stop();
          expect(wall.waiting).toBe(0);
        },
      ),
      { numRuns: 20 },
    );
  });

  it("draws 30 frames a second, also while it is paused", async () => {
    const { wall, frames } = start();
    await wall.pass(2000);
    expect(frames.length).toBeGreaterThanOrEqual(59);
    expect(frames.length).toBeLessThanOrEqual(60);
  });

  it("does not catch up after a time in which the process was stopped", async () => {
    const { wall, simulation, pacer } = start();
    pacer.set({ running: true, speed: 1 });
    await wall.pass(100);
    const before = simulation.now;
    wall.ms += 60_000;
    await wall.pass(0);
    expect(simulation.now - before).toBeLessThanOrEqual(150 * NS_PER_MS);
  });
});

describe("a network that is too large for the machine", () => {
  /** An event each simulated millisecond that takes `cost` milliseconds of real time. */
  const loaded = (cost: number) => {
    const lab = start();
    const again = (): void => {
      lab.wall.ms += cost;
      lab.simulation.at(lab.simulation.now + NS_PER_MS, again);
    };
    lab.simulation.at(NS_PER_MS, again);
    lab.pacer.set({ running: true, speed: 1 });
    return lab;
  };

  it("runs as fast as possible, reports the speed, and still draws frames", async () => {
    const { wall, simulation, pacer, frames } = loaded(4);
    const from = { wall: wall.ms, simulated: simulation.now, frames: frames.length };
    await wall.pass(10_000);
    const seconds = (wall.ms - from.wall) / 1000;
    const speed = (simulation.now - from.simulated) / NS_PER_S / seconds;
    expect(speed).toBeLessThan(0.25);
    expect(speed).toBeGreaterThan(0.05);
    expect(pacer.view.reached).toBeLessThan(0.5);
    // Of the last frame, whose share of the time differs a little from the whole.
    expect(pacer.view.reached).toBeGreaterThan(0.05);
    expect((frames.length - from.frames) / seconds).toBeGreaterThan(10);
  });

  it("reports no speed while the machine is fast enough, also after it was too slow", async () => {
    const fast = loaded(0.3);
    await fast.wall.pass(2000);
    expect(fast.pacer.view.reached).toBeUndefined();
    expect(fast.simulation.now / NS_PER_S).toBeGreaterThan(1.9);

    const slow = loaded(4);
    await slow.wall.pass(1000);
    expect(slow.pacer.view.reached).toBeDefined();
    slow.pacer.set({ speed: 0.01 });
    await slow.wall.pass(1000);
    expect(slow.pacer.view.reached).toBeUndefined();
  });
});

it("a clock above real time keeps its speed without packets", async () => {
  const { wall, simulation, pacer } = start(() => false);
  pacer.set({ running: true, speed: 20, skipIdle: true });
  await wall.pass(1000);
  expect(simulation.now / NS_PER_S).toBeGreaterThan(19);
});

it("a clock that is stopped during a frame draws it no more", async () => {
  const { wall, simulation, pacer, frames } = start();
  pacer.set({ running: true, speed: 1 });
  simulation.at(50 * NS_PER_MS, () => pacer.stop());
  await wall.pass(1000);
  expect(frames).toHaveLength(1);
  expect(simulation.now).toBeLessThan(70 * NS_PER_MS);
  expect(wall.waiting).toBe(0);
});

describe("slow motion", () => {
  it("takes the rest of the frame in which the first packet leaves", async () => {
    let onWires = 0;
    const { wall, simulation, pacer } = start(() => onWires > 0);
    // Just after the beginning of a frame of 33 ms.
    const sent = 202 * NS_PER_MS;
    simulation.at(sent, () => {
      onWires = 1;
      pacer.wake();
    });
    pacer.set({ running: true, speed: 0.5, skipIdle: true });
    await wall.pass(801);
    // 800 ms at 30 frames a second: 202 ms at the speed of real time, the others at half of it.
    expect(Math.abs(simulation.now - sent - (598 / 2) * NS_PER_MS)).toBeLessThan(1 * NS_PER_MS);
  });

  it("runs at real time without packets, and returns to its speed at the first packet", async () => {
    let onWires = 0;
    const { wall, simulation, pacer } = start(() => onWires > 0);
    const sent = 200 * NS_PER_MS;
    simulation.at(sent, () => {
      onWires = 1;
      pacer.wake();
    });
    pacer.set({ running: true, speed: 0.001, skipIdle: true });
    await wall.pass(190);
    expect(simulation.now).toBeLessThan(sent);
    expect(simulation.now).toBeGreaterThan(150 * NS_PER_MS);
    await wall.pass(1000);
    // at a thousandth of real time, the packet is in flight for some milliseconds of real time
    expect(simulation.now - sent).toBeLessThan(1.1 * NS_PER_MS);
    expect(simulation.now).toBeGreaterThan(sent);
    onWires = 0;
    const before = simulation.now;
    await wall.pass(500);
    expect(simulation.now - before).toBeGreaterThan(400 * NS_PER_MS);
  });
});

describe("a step", () => {
  it("advances to the awaited event, and no further", async () => {
    const { simulation, pacer } = start();
    let arrived = 0;
    for (const at of [5, 9, 12])
      simulation.at(at * NS_PER_S, () => {
        arrived++;
        simulation.stop();
      });
    expect(await pacer.step(undefined, () => arrived === 2)).toBe(true);
    expect(simulation.now).toBe(9 * NS_PER_S);
    expect(await pacer.step(10 * NS_PER_S, () => arrived === 3)).toBe(false);
    expect(simulation.now).toBe(10 * NS_PER_S);
  });

  it("ends if no event remains, and if the search takes too long", async () => {
    const { wall, simulation, pacer } = start();
    expect(await pacer.step(undefined, () => false)).toBe(false);
    expect(simulation.now).toBe(0);
    const again = (): void => {
      wall.ms += 1;
      simulation.at(simulation.now + 1000, again);
    };
    simulation.at(1000, again);
    const before = wall.ms;
    expect(await pacer.step(undefined, () => false)).toBe(false);
    expect(wall.ms - before).toBeGreaterThanOrEqual(2000);
    expect(wall.ms - before).toBeLessThan(2200);
  });
});
