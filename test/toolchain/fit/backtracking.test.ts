/** Going back to earlier decisions of a placement: which unit is placed in which earlier stage, by histories that are written out. */
import { describe, expect, it } from "vitest";
import { Backtracking, type Step } from "../../../src/toolchain/fit/place/backtracking.js";
import type { Problem } from "../../../src/toolchain/fit/place/placement.js";

/** A device of three stages: what is placed in stage 3 is one too late. */
const STAGES = 3;
type Waits = Readonly<Record<number, readonly (readonly [from: number, distance: number])[]>>;

/** Units 0 to 9; `waits`: by unit, what it comes after. */
function turnsOf(waits: Waits = {}, below: Readonly<Record<number, number>> = {}): Backtracking {
  const units = Array.from({ length: 10 }, (_, id) => id);
  const graph = {
    below: units.map((id) => below[id] ?? 0),
    incoming: units.map((id) => (waits[id] ?? []).map(([from, distance]) => ({ from, to: id, distance }))),
  };
  return new Backtracking({ graph, target: { stages: STAGES } } as unknown as Problem, 12);
}

const step = (unit: number, stage: number): Step => ({ unit, stage, isAlone: false });
/** Steps that stand before a decision, to tell one from another. */
const history = (name: number): Step[] => [step(name, 0)];
const whole = () => "whole" as const;

describe("a placement that goes back", () => {
  it("stops where a unit leaves too few stages for the chain behind it", () => {
    const turns = turnsOf({}, { 5: 1 });
    expect([1, 2].map((stage) => turns.exceeds(step(5, stage)))).toEqual([false, true]);
    expect([2, 3].map((stage) => turns.exceeds(step(4, stage)))).toEqual([false, true]);
  });

  it("places the unit that stopped it in the latest stage that is early enough, in which another one was chosen", () => {
    const turns = turnsOf();
    turns.note(history(1), [4, 5], step(4, 1));
    turns.note(history(2), [4, 5], step(4, 2));
    turns.note(history(3), [4, 5], step(4, 3));
    const from = turns.goBack({ steps: history(3), step: step(5, 3) }, whole);
    expect(from).toEqual([...history(2), step(5, 2)]);
  });

  it("does not choose again what was chosen, nor twice the same option", () => {
    const turns = turnsOf();
    turns.note(history(1), [5], step(5, 2));
    expect(turns.goBack({ steps: [], step: step(5, 3) }, whole)).toBeUndefined();
    turns.note(history(2), [4, 5], step(4, 1));
    const goBack = () => turns.goBack({ steps: [], step: step(5, 3) }, whole);
    expect(goBack()).toEqual([...history(2), step(5, 1)]);
    expect(goBack()).toBeUndefined();
  });

  it("takes the first of several decisions of a stage, and of a pass", () => {
    const turns = turnsOf();
    turns.note(history(1), [4, 5], step(4, 2));
    turns.note(history(2), [6, 5], step(6, 2));
    expect(turns.goBack({ steps: [], step: step(5, 3) }, whole)).toEqual([...history(1), step(5, 2)]);

    // The pass after has an option that is too late; of all passes the first decision is the one, too.
    const global = turnsOf();
    global.note(history(1), [4, 5], step(4, 2));
    global.note(history(2), [6, 5], step(6, 2));
    global.note(history(3), [6, 7], step(6, 2));
    expect(global.goBack({ steps: [], step: step(7, 3) }, whole)).toEqual([...history(3), step(7, 2)]);
    global.note(history(4), [4, 5], step(4, 3));
    expect(global.goBack({ steps: [], step: step(5, 3) }, whole)).toEqual([...history(1), step(5, 2)]);
  });

  it("passes over decisions that cannot be taken, and takes a part of a table where the rest still has its stage", () => {
    const noted = () => {
      const turns = turnsOf();
      for (const stage of [0, 1, 2]) turns.note(history(stage), [4, 5], step(4, stage));
      return turns;
    };
    const stopped = { steps: [], step: step(5, 3) };
    const answers = (...list: readonly ("whole" | "part" | "none")[]) => {
      const rest = [...list];
      return () => rest.shift() ?? "none";
    };
    expect(noted().goBack(stopped, answers("none", "whole"))).toEqual([...history(1), step(5, 1)]);
    // A part in stage 2 would leave the rest for stage 3; one in stage 1 leaves it stage 2.
    expect(noted().goBack(stopped, answers("part", "part"))).toEqual([...history(1), step(5, 1)]);
    expect(noted().goBack(stopped, answers("none", "none", "none"))).toBeUndefined();
  });

  it("tries a stage of a unit that was not tried before one that was, in the pass before the others", () => {
    const turns = turnsOf();
    const pass = (name: number, ...stages: readonly number[]) => {
      for (const stage of stages) turns.note(history(name), [4, 5], step(4, stage));
      return turns.goBack({ steps: [], step: step(5, 3) }, whole);
    };
    expect(pass(1, 1, 2)).toEqual([...history(1), step(5, 2)]);
    expect(pass(2, 1, 2)).toEqual([...history(2), step(5, 1)]);
    // Both were tried: once more, after other steps.
    expect(pass(3, 1, 2)?.slice(0, 1)).toEqual(history(3));

    const again = turnsOf();
    again.note(history(1), [4, 5], step(4, 1));
    again.note(history(1), [4, 5], step(4, 2));
    const goBack = () => again.goBack({ steps: [], step: step(5, 3) }, whole);
    expect(goBack()).toEqual([...history(1), step(5, 2)]);
    // The last pass knows stage 2 alone: it comes before the decisions of other passes.
    again.note(history(2), [4, 5], step(4, 2));
    expect(goBack()).toEqual([...history(2), step(5, 2)]);
    expect(goBack()).toEqual([...history(1), step(5, 1)]);
  });

  it("moves what the unit waits for, of several the one that was placed last", () => {
    const turns = turnsOf({
      5: [
        [2, 1],
        [3, 1],
      ],
    });
    turns.note(history(1), [1, 2, 3], step(1, 1));
    const steps = [step(1, 1), step(2, 2), step(3, 2), step(4, 2)];
    expect(turns.goBack({ steps, step: step(5, 3) }, whole)).toEqual([...history(1), step(3, 1)]);
    expect(turns.goBack({ steps, step: step(5, 3) }, whole)).toEqual([...history(1), step(2, 1)]);
    expect(turns.goBack({ steps, step: step(5, 3) }, whole)).toBeUndefined();
  });

  it("moves what the unit follows in its own stage within that stage", () => {
    const turns = turnsOf({ 5: [[4, 0]] });
    turns.note(history(1), [3, 4], step(3, 3));
    const steps = [step(3, 3), step(4, 3)];
    expect(turns.goBack({ steps, step: step(5, 3) }, whole)).toEqual([...history(1), step(4, 3)]);
  });

  it("goes down a chain to where a unit of it had an earlier stage", () => {
    const turns = turnsOf({ 5: [[3, 1]], 3: [[2, 1]] });
    turns.note(history(0), [1, 2], step(1, 0));
    const steps = [step(1, 0), step(2, 1), step(3, 2)];
    expect(turns.goBack({ steps, step: step(5, 3) }, whole)).toEqual([...history(0), step(2, 0)]);
  });
});
