/** A chooser that holds new data back and sends two copies: whenever nothing gets through for a while, the flow ends soon after. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { Random } from "../../../../src/base/index.js";
import { type PathChooser, ProbingPath } from "../../../../src/fabric/hosts/index.js";
import { CONGESTION_CONTROLS, NS_PER_MS, NS_PER_S } from "../../../../src/fabric/sim/packet/index.js";
import { pairOfHosts, policy } from "../packet/relay.js";
import { tcp } from "./options.js";

const MS = NS_PER_MS;
/** Handshake and transfer 40 ms, darkness to 70 ms, then the timer, which has doubled at most four times, and slow start. */
const BOUND_MS = 300;

/** Like a flow of an update: it holds from `from` on, until all that was sent has arrived. */
class HeldPath extends ProbingPath {
  #isOver = false;
  constructor(
    random: Random,
    readonly isHeld: () => boolean,
  ) {
    super({ leave: (_from, _tried, drawn) => drawn.int(64) }, random, 0, undefined);
  }

  get holds(): boolean {
    return !this.#isOver && this.isHeld();
  }

  onDrained(): void {
    this.#isOver ||= this.isHeld();
  }
}

it.each([
  ["DCTCP", { congestionControl: CONGESTION_CONTROLS.dctcp }],
  ["CUBIC, tolerant of reordering", { congestionControl: CONGESTION_CONTROLS.cubic, reordering: true }],
  ["BBR, paced", { congestionControl: CONGESTION_CONTROLS.bbr }],
  ["SACK without RACK", { rack: false }],
  ["NewReno", { sack: false, rack: false }],
])("%s: a flow ends within a few timeouts after a time without any packet", (_name, options) => {
  fc.assert(
    fc.property(
      fc.record({
        seed: fc.integer(),
        bytes: fc.integer({ min: 1, max: 20_000 }),
        heldFrom: fc.integer({ min: 0, max: 60 }),
        darkFrom: fc.integer({ min: 2, max: 40 }),
        darkFor: fc.integer({ min: 1, max: 30 }),
      }),
      ({ seed, bytes, heldFrom, darkFrom, darkFor }) => {
        const random = new Random(seed);
        const state: { now: () => number } = { now: () => 0 };
        const isHeld = () => state.now() >= heldFrom * MS;
        const open = (): PathChooser => new HeldPath(random, isHeld);
        const { network, relays, a, b } = pairOfHosts([policy(open), policy(open)], {
          rate: 1e7,
          delay: MS / 2,
        });
        const { simulation } = network;
        state.now = () => simulation.now;
        const isDark = () => simulation.now >= darkFrom * MS && simulation.now < (darkFrom + darkFor) * MS;
        for (const relay of relays) relay.loses = isDark;
        let received = 0;
        let endedAt = Number.POSITIVE_INFINITY;
        b.listen(
          80,
          tcp(options),
          (connection) => {
            connection.listener.received = (total) => {
              received = total;
              if (total === bytes) endedAt = simulation.now;
            };
          },
          new Random(3),
        );
        const connection = a.connect(
          4,
          4000,
          { address: b.address(4), port: 80 },
          new Random(4),
          tcp(options),
        );
        connection.send(bytes);
        connection.finish();
        simulation.run(100 * NS_PER_S);
        expect(received).toBe(bytes);
        expect(endedAt / MS).toBeLessThan(BOUND_MS);
      },
    ),
    { numRuns: 60 },
  );
});
