import { describe, expect, it } from "vitest";
import { HostClock } from "../../../../src/course/submissions/testbed/host-clock.js";
import { Simulation } from "../../../../src/fabric/sim/packet/index.js";

const MS = 1e6;

/** Hosts that send a frame at each of these times, in milliseconds; `sent` has the machine's times at which they left. */
function hosts(times: readonly number[], switchesWork: (machine: number) => boolean = () => false) {
  let machine = 1000 * MS;
  const simulation = new Simulation();
  const clock = new HostClock(
    simulation,
    () => machine,
    () => switchesWork(machine / MS - 1000),
  );
  const sent: number[] = [];
  for (const time of times)
    simulation.at(time * MS, () => {
      sent.push(machine / MS - 1000);
      clock.frameSent();
    });
  /** Advances the clock at these times of the machine. */
  const runAt = (...moments: readonly number[]): void => {
    for (const moment of moments) {
      machine = (1000 + moment) * MS;
      clock.advance();
    }
  };
  return { simulation, sent, runAt };
}

const every = (step: number, end: number): number[] =>
  Array.from({ length: Math.floor(end / step) }, (_, i) => (i + 1) * step);

describe("the clock of hosts on a real machine", () => {
  it("keeps the machine's time while nothing is sent, even if it is rarely advanced", () => {
    const { simulation, runAt } = hosts([]);
    runAt(1, 2, 300, 301, 1000);
    expect(simulation.now).toBe(1000 * MS);
  });

  it("sends each frame at its time", () => {
    const { sent, runAt } = hosts([1, 3, 200, 201]);
    runAt(...every(1, 250));
    expect(sent).toEqual([1, 3, 200, 201]);
  });

  it("catches up while hosts send consecutive frames", () => {
    const { sent, runAt } = hosts(every(2, 100));
    runAt(1, 60, ...every(1, 100).map((ms) => 60 + ms));
    expect(sent.filter((at) => at === 60)).toHaveLength(30);
    expect(sent.at(-1)).toBe(100);
  });

  it("does not shorten a pause if the frame before it was late", () => {
    const { sent, runAt } = hosts([1, 101, 102]);
    runAt(80, ...every(1, 200).map((ms) => 80 + ms));
    expect(sent).toEqual([80, 180, 181]);
  });

  it("ends a pause at once if it is late for its end", () => {
    const { sent, runAt } = hosts([1, 101]);
    runAt(1, 2, 400);
    expect(sent).toEqual([1, 400]);
  });

  it("sends at most 32 frames before the switches are idle", () => {
    const { sent, runAt } = hosts(every(0.1, 10), (machine) => machine < 56);
    runAt(50, 51, 52, 53);
    expect(sent).toEqual(Array(32).fill(50));
    runAt(56, 57, 58, 59);
    expect(sent).toHaveLength(100);
  });

  it("continues after 20 ms when a switch works endlessly", () => {
    const { sent, runAt } = hosts(every(0.1, 10), () => true);
    runAt(50, 60, 69);
    expect(sent).toHaveLength(32);
    runAt(70);
    expect(sent).toHaveLength(64);
  });
});
