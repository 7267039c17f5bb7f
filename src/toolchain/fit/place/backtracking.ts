/**
 * Placement that goes back where a program exceeds the device (p4c, mau/table_placement.cpp, BacktrackManagement and find_backtrack_point):
 * the table whose chain ends too late, or one that it waits for, is placed in an earlier stage that had been open to it, and what
 * follows is placed again.
 */
import { defined } from "../../../base/index.js";
import type { Problem } from "./placement.js";

/** A step of a placement. */
export interface Step {
  readonly unit: number;
  readonly stage: number;
  /** A condition alone, because the tables whose gateway it could be wait for something else, too. */
  readonly isAlone: boolean;
}

/** The steps before a decision, and a unit that could be placed then. */
interface Option {
  readonly before: readonly Step[];
  readonly step: Step;
  /** The unit was chosen. */
  readonly isChosen: boolean;
  /** How often placement had gone back when it was noted. */
  readonly pass: number;
  isTried: boolean;
}

/** What a placement did until it stopped. */
export interface Stopped {
  readonly steps: readonly Step[];
  /** The step that would exceed the device. */
  readonly step: Step;
}

/** By unit and stage. */
type Options = Map<number, Map<number, Option>>;

export class Backtracking {
  /** Options of the last pass in which the unit could be placed, and of all passes. */
  readonly #local: Options = new Map();
  readonly #global: Options = new Map();
  readonly #attempted = new Set<string>();
  #pass = 0;

  /** @param most how often placement may go back */
  constructor(
    private readonly problem: Problem,
    private readonly most: number,
  ) {}

  get mayGoBack(): boolean {
    return this.#pass < this.most;
  }

  /** Whether a step leaves too few stages for what waits for its unit. */
  exceeds({ unit, stage }: Step): boolean {
    return stage + defined(this.problem.graph.below[unit]) >= this.problem.target.stages;
  }

  /** Notes the units that could be placed instead of the one of a step. */
  note(before: readonly Step[], ready: readonly number[], chosen: Step): void {
    for (const unit of ready) {
      const step = { unit, stage: chosen.stage, isAlone: false };
      const option = { before, step, isChosen: unit === chosen.unit, pass: this.#pass, isTried: false };
      const local = this.#local.get(unit);
      const [first] = local?.values() ?? [];
      if (local === undefined || first?.pass !== this.#pass)
        this.#local.set(unit, new Map([[step.stage, option]]));
      else if (local.get(step.stage)?.isTried !== false) local.set(step.stage, option);
      const known = this.#global.get(unit) ?? new Map<number, Option>();
      this.#global.set(unit, known);
      const old = known.get(step.stage);
      if (old === undefined || old.isTried || old.pass !== this.#pass) known.set(step.stage, option);
    }
  }

  /**
   * The steps from which placement goes on, with a unit of the chain in an earlier stage; undefined: there are none.
   * @param places whether the steps can be taken, and the last one places all of its unit
   */
  goBack(
    stopped: Stopped,
    places: (steps: readonly Step[]) => "whole" | "part" | "none",
  ): readonly Step[] | undefined {
    for (const options of [this.#local, this.#global]) {
      const found = this.#find(stopped, options, places);
      if (found === undefined) continue;
      this.#pass++;
      return found;
    }
    return undefined;
  }

  #find(
    { steps, step }: Stopped,
    options: Options,
    places: (steps: readonly Step[]) => "whole" | "part" | "none",
  ): readonly Step[] | undefined {
    const { graph, target } = this.problem;
    const offset = step.stage + defined(graph.below[step.unit]) - (target.stages - 1);
    const try1 = (unit: number, limit: number) =>
      this.#optionOf(unit, { options, steps, offset, limit, places });
    const own = try1(step.unit, step.stage);
    if (own !== undefined) return own;
    let chain: ReadonlySet<number> = new Set([step.unit]);
    const wanted = new Set<number>();
    for (let stage = step.stage; stage > 0; stage--) {
      const here = new Set(steps.filter((one) => one.stage === stage).map(({ unit }) => unit));
      for (const unit of chain) {
        wanted.add(unit);
        for (const { from, distance } of defined(graph.incoming[unit])) {
          if (distance > 0) wanted.add(from);
          // What the unit follows in its stage has to move, too.
          else if (here.has(from)) {
            const found = try1(from, stage + 1);
            if (found !== undefined) return found;
            wanted.add(from);
          }
          for (const before of distance === 0 ? defined(graph.incoming[from]) : [])
            if (before.distance > 0) wanted.add(before.from);
        }
      }
      const next = new Set<number>();
      for (const one of [...steps].reverse()) {
        if (one.stage !== stage - 1 || !wanted.has(one.unit)) continue;
        next.add(one.unit);
        const found = try1(one.unit, stage - 1);
        if (found !== undefined) return found;
      }
      if (next.size > 0) chain = next;
    }
    return undefined;
  }

  /** The latest option of a unit that is `offset` stages before `limit`. */
  #optionOf(
    unit: number,
    {
      options,
      steps,
      offset,
      limit,
      places,
    }: {
      options: Options;
      steps: readonly Step[];
      offset: number;
      limit: number;
      places: (steps: readonly Step[]) => "whole" | "part" | "none";
    },
  ): readonly Step[] | undefined {
    const first = steps.find((one) => one.unit === unit)?.stage ?? limit;
    const all = [...(options.get(unit) ?? [])].sort(([a], [b]) => b - a);
    let variant: Option | undefined;
    for (const [stage, option] of all) {
      if (option.isChosen || option.isTried || stage + offset > limit) continue;
      const taken = [...option.before, option.step];
      const how = places(taken);
      const mayBePart = stage + offset <= first && stage + offset < limit;
      if (how === "none" || (how === "part" && !mayBePart)) continue;
      const key = `${unit}:${stage}`;
      if (this.#attempted.has(key)) {
        variant = option;
        continue;
      }
      this.#attempted.add(key);
      option.isTried = true;
      return taken;
    }
    if (variant === undefined) return undefined;
    variant.isTried = true;
    return [...variant.before, variant.step];
  }
}
