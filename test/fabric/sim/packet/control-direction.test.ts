/** Faults of a control channel make messages late; none is lost, and their order stays. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { ControlDirection, type ControlFault } from "../../../../src/fabric/sim/packet/control-direction.js";
import { NS_PER_MS, Simulation } from "../../../../src/fabric/sim/packet/index.js";

const MS = NS_PER_MS;
const fault = (loss: number, delay: number, seed = 1): ControlFault => ({
  loss,
  delay,
  random: new Random(seed),
});

/** Arrival times in ms of messages that are sent every `every` ms, by their numbers. */
function arrivals(
  count: number,
  every: number,
  play: (direction: ControlDirection, at: typeof atOf) => void,
) {
  const simulation = new Simulation();
  const direction = new ControlDirection(simulation, 2 * MS, 0);
  const arrived: [number, number][] = [];
  for (let i = 0; i < count; i++)
    simulation.at(i * every * MS, () => direction.send(100, () => arrived.push([i, simulation.now / MS])));
  play(direction, (ms, fn) => void simulation.at(ms * MS, fn));
  simulation.run();
  return arrived;
}
declare function atOf(ms: number, fn: () => void): void;

describe("one direction of a control channel", () => {
  it("delays each message that is sent during a fault, and no other", () => {
    const slow = fault(0, 5 * MS);
    const arrived = arrivals(4, 10, (direction, at) => {
      at(5, () => direction.begin(slow));
      at(25, () => direction.end(slow));
    });
    expect(arrived).toEqual([
      [0, 2],
      [1, 17],
      [2, 27],
      [3, 32],
    ]);
  });

  it("delivers what was sent while it is cut one delay after the end of the last cut, in order", () => {
    const [one, other] = [fault(1, 0), fault(1, 0)];
    const arrived = arrivals(4, 10, (direction, at) => {
      at(5, () => direction.begin(one));
      at(8, () => direction.begin(other));
      at(15, () => direction.end(one));
      at(25, () => direction.end(other));
    });
    expect(arrived).toEqual([
      [0, 2],
      [1, 27],
      [2, 27],
      [3, 32],
    ]);
  });

  it("sends a lost message again after 200 ms, then 400 ms, ...; those behind it wait", () => {
    fc.assert(
      fc.property(fc.nat(), fc.double({ min: 0.05, max: 0.9, noNaN: true }), (seed, loss) => {
        const arrived = arrivals(20, 1, (direction) => direction.begin(fault(loss, 0, seed)));
        const draws = new Random(seed);
        let last = 0;
        const expected = Array.from({ length: 20 }, (_, i) => {
          let late = 0;
          for (let timeout = 200, losses = 0; losses < 10 && draws.float() < loss; losses++, timeout *= 2)
            late += timeout;
          last = Math.max(last, i + 2 + late);
          return [i, last];
        });
        expect(arrived).toEqual(expected);
      }),
    );
  });

  it("loses a share of the transmissions", () => {
    const arrived = arrivals(2_000, 1_000_000, (direction) => direction.begin(fault(0.3, 0)));
    const late = arrived.filter(([i, at]) => at > i * 1_000_000 + 2).length;
    // A binomial distribution: 600 with a standard deviation of 20.
    expect(Math.abs(late - 600)).toBeLessThan(100);
  });
});
