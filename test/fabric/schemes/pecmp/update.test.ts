/** The transactional update (P-ECMP, section 3.4): no packet finds half of a state, whenever the controller dies. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { build } from "../../topology/load.js";
import { UpdateWorld } from "./update-world.js";

const topology = build({
  kind: "clos",
  pods: 2,
  tors_per_pod: 2,
  leaves_per_pod: 3,
  spines_per_plane: 2,
  hosts_per_rack: 2,
});
const INPUT = { version_bit: "overall", offsets: "primes", update: { mode: "transaction" } } as const;
const SPEC = { without: ["leaf0-1", ["tor1-0", "leaf1-2"]] };

async function world(kills: readonly number[], update: object = {}): Promise<UpdateWorld> {
  const made = new UpdateWorld(topology, { ...INPUT, update: { ...INPUT.update, ...update } }, kills);
  await made.start();
  return made;
}

/** Requests of an update without an interruption. */
async function callsOf(): Promise<number> {
  const made = await world([]);
  await made.update(SPEC, /update to version 1 has ended/);
  made.expectAt(SPEC, 1);
  const { calls } = made;
  await made.update({}, /update to version 0 has ended/);
  made.expectAt({}, 0);
  await made.update({ weights: [["leaf0-0", "spine0-0", 2]] }, /update to version 1 has ended/);
  made.expectAt({ weights: [["leaf0-0", "spine0-0", 2]] }, 1);
  made.close();
  return calls;
}

describe("a transaction", () => {
  it("leads to the new state, back, and to other weights, and leaves nothing behind", async () => {
    expect(await callsOf()).toBeGreaterThan(40);
  });

  it("is finished by the next controller, at whatever request the first one was killed", async () => {
    const calls = await callsOf();
    for (let kill = 1; kill <= calls; kill++) {
      const made = await world([kill]);
      await made.update(SPEC, /has ended|no update is in progress/);
      // Before the first announcement nothing was begun; after the last close nothing is left to do.
      const isBegun = made.log.some((line) => /has ended/.test(line)) || kill > calls - 4;
      made.expectAt(isBegun ? SPEC : {}, isBegun ? 1 : 0);
      made.close();
    }
  });

  it("is taken back where no host has changed, and finished where one has", async () => {
    const calls = await callsOf();
    const ends = new Set<string>();
    for (let kill = 1; kill <= calls; kill += 3) {
      const made = await world([kill], { interrupted: "take_back" });
      await made.update(SPEC, /has ended|stays|no update is in progress/);
      const last = made.log.at(-1)!;
      const isBack = /stays/.test(last);
      ends.add(isBack ? "back" : "done");
      const isDone = /has ended/.test(last) || kill > calls - 4;
      made.expectAt(isDone ? SPEC : {}, isDone ? 1 : 0);
      made.close();
    }
    expect(ends).toEqual(new Set(["back", "done"]));
  });

  it("survives controllers that are killed again and again", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 5, max: 150 }), { minLength: 2, maxLength: 6 }),
        fc.constantFrom("finish" as const, "take_back" as const),
        async (kills, interrupted) => {
          const made = await world(kills, { interrupted });
          await made.update(SPEC, /has ended|stays|no update is in progress/);
          await made.until(() => made.now > 200e6);
          made.check();
          expect(made.failure).toBeUndefined();
          made.close();
        },
      ),
      { numRuns: 20, seed: 4 },
    );
  });
});
