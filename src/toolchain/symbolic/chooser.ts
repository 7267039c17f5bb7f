/**
 * Paths of an execution by its decisions: code asks for one of several ways at each decision, and runs again from its start for each path. The first decisions of
 * a path are given; those after them are made here, and the ways that were not taken are kept as paths to try later.
 */
import { defined } from "../../base/index.js";
import { Evaluator, type Model, type Solver, type Term } from "../solver/index.js";
import { Unhandled } from "./unhandled.js";

/** Most decisions of one path; a program that sweeps over the cells of a register has more, each with a question to the solver. */
const MAX_DECISIONS = 512;

export interface Way {
  /** Names what is reached this way. */
  readonly label: string;
  /** Of width 1; the ways of a decision cover all cases. */
  readonly condition: Term;
}

/** A path that was not tried: the decisions up to one, and the way to take there. */
export interface Waiting {
  readonly decisions: readonly number[];
  readonly label: string;
  /** In which pass of the packet the way is. */
  readonly pass: number;
  /** The labels of a path, of which so many first ones are on the way there. */
  readonly before: { readonly labels: readonly string[]; readonly count: number };
}

/** The path has no packet that takes it. */
export class Impossible extends Error {}
/** The solver gave up: whether there is a packet that takes the path is not known. */
export class Undecided extends Error {}

/** Chooses the order in which ways are tried: the number of the next one of these. */
export type Preference = (ways: readonly Way[], open: readonly number[], pass: number) => number;

export class Chooser {
  readonly conditions: Term[] = [];
  readonly labels: string[] = [];
  /** By label: in which pass of the packet its way was. */
  readonly passes: number[] = [];
  /** The present pass of the packet, from 1. */
  pass = 1;
  readonly made: number[] = [];
  readonly waiting: Waiting[] = [];
  /** The other way of the first decision by {@link chooseFirst}. */
  #other: Waiting | undefined;
  #wantsOther = false;
  #evaluator = new Evaluator(new Map());
  #model: Model = new Map();

  constructor(
    readonly solver: Solver,
    readonly decisions: readonly number[],
    readonly preference: Preference,
    given: readonly Term[],
  ) {
    this.conditions.push(...given);
  }

  /** Values with which the path is taken so far. */
  get model(): Model {
    return this.#model;
  }

  /** What must hold from here on. */
  require(condition: Term): void {
    if (condition === this.solver.terms.true) return;
    this.conditions.push(condition);
    if (this.#evaluator.valueOf(condition) === 1n) return;
    // The last given decision decides whether the path exists; before it there is nothing to ask.
    if (this.made.length < this.decisions.length) return;
    this.#solve(this.conditions);
  }

  /** Takes one of the ways; gives its number. `order`: which is tried first; the first one is where the others are rare. */
  choose(ways: readonly Way[], order: "preferred" | "first" = "preferred"): number {
    const { true: yes, false: no } = this.solver.terms;
    const possible = ways.flatMap(({ condition }, i) => (condition === no ? [] : [i]));
    const certain = possible.find((i) => defined(ways[i]).condition === yes);
    if (possible.length === 1 && certain !== undefined) {
      this.#label(defined(ways[certain]).label);
      return certain;
    }
    const at = this.made.length;
    if (at >= MAX_DECISIONS) throw new Unhandled(`a path of more than ${MAX_DECISIONS} decisions`);
    if (at < this.decisions.length) {
      const way = defined(this.decisions[at]);
      this.#take(way, defined(ways[way]));
      if (at === this.decisions.length - 1) this.#solve(this.conditions);
      return way;
    }
    return this.#decide(ways, possible, order);
  }

  /** Takes the first of two ways that nothing decides; the other one is tried where {@link wantOther} is called later on the path. */
  chooseFirst(first: string, other: string): boolean {
    const before = [...this.made];
    const { true: condition } = this.solver.terms;
    if (before.length < this.decisions.length) {
      const ways = [first, other].map((label) => ({ label, condition }));
      if (this.choose(ways) === 1) return false;
    } else this.#take(0, { label: first, condition });
    const there = { labels: this.labels, count: this.labels.length };
    this.#other ??= { decisions: [...before, 1], label: other, pass: this.pass, before: there };
    return true;
  }

  /** The other way of the first decision by {@link chooseFirst} is to be tried. */
  wantOther(): void {
    this.#wantsOther = true;
  }

  /** A path to try later, which several paths may ask for. */
  get wanted(): Waiting | undefined {
    return this.#wantsOther ? this.#other : undefined;
  }

  #decide(ways: readonly Way[], possible: readonly number[], order: "preferred" | "first"): number {
    const open = [...possible];
    let undecided = false;
    while (open.length > 0) {
      const place = order === "first" ? 0 : this.preference(ways, open, this.pass);
      const [way] = open.splice(place, 1) as [number];
      const { condition } = defined(ways[way]);
      try {
        if (this.#evaluator.valueOf(condition) !== 1n) this.#solve([...this.conditions, condition]);
      } catch (error) {
        if (error instanceof Undecided) undecided = true;
        else if (!(error instanceof Impossible)) throw error;
        continue;
      }
      const before = { labels: this.labels, count: this.labels.length };
      for (const other of open)
        this.waiting.push({
          decisions: [...this.made, other],
          label: defined(ways[other]).label,
          pass: this.pass,
          before,
        });
      this.#take(way, defined(ways[way]));
      return way;
    }
    if (undecided) throw new Undecided();
    throw new Impossible();
  }

  #label(label: string): void {
    this.labels.push(label);
    this.passes.push(this.pass);
  }

  #take(way: number, { label, condition }: Way): void {
    this.made.push(way);
    this.#label(label);
    if (condition !== this.solver.terms.true) this.conditions.push(condition);
  }

  #solve(conditions: readonly Term[]): void {
    const { answer, model } = this.solver.solve(conditions);
    if (answer === "no") throw new Impossible();
    if (answer === "unknown") throw new Undecided();
    this.#model = model;
    this.#evaluator = new Evaluator(model);
  }
}
