/** Paths of a program, one after the other, each with values that take it. */
import { Random } from "../../base/index.js";
import type { Bmv2Program } from "../program/index.js";
import type { Model, Solver, Term, Terms } from "../solver/index.js";
import { Chooser, Impossible, type Preference, Undecided, type Waiting } from "./chooser.js";
import type { Environment } from "./environment.js";
import { Machine, type Outcome } from "./machine.js";
import type { Plan } from "./pass.js";
import { Registers } from "./registers.js";
import { Situation } from "./situation.js";
import { Tofino } from "./tofino.js";
import { Unhandled } from "./unhandled.js";

export interface Path {
  readonly outcome: Outcome;
  readonly conditions: readonly Term[];
  readonly labels: readonly string[];
  readonly situation: Situation;
  readonly registers: Registers;
  readonly model: Model;
}

/** Fields whose values the switch alone decides. */
const TIMES = [
  "ingress_global_timestamp",
  "egress_global_timestamp",
  "enq_timestamp",
  "enq_qdepth",
  "deq_timedelta",
  "deq_qdepth",
  // Of a Tofino.
  "global_tstamp",
  "ingress_mac_tstamp",
  "enq_tstamp",
];

/** Whether a control, an action or a parser names the field. */
function readsField({ actions, pipelines, parsers }: Bmv2Program, field: string): boolean {
  return JSON.stringify([actions, pipelines, parsers]).includes(`"${field}"]`);
}

/** Most paths that wait to be tried. */
const MAX_WAITING = 100_000;

const START: Waiting = { decisions: [], label: "", pass: 1, before: { labels: [], count: 0 } };

export interface ExploreOptions {
  readonly seed: number;
  /** What must hold on all paths. */
  readonly given?: readonly Term[];
  readonly environment: (terms: Terms) => Environment;
  /** What paths begin with; absent: nothing. */
  readonly situation?: Situation;
}

export class Explorer {
  readonly terms: Terms;
  readonly #random: Random;
  readonly #waiting: Waiting[] = [START];
  /** Those of {@link #waiting} that began, when they were kept, with something that no path had reached. */
  readonly #hopeful: Waiting[] = [];
  /** Whether the last path without anything fresh was a hopeful one: they take turns with any. */
  #wasHopeful = false;
  /** Decisions of paths that several others asked for. */
  readonly #wanted = new Set<string>();
  readonly #environment: Environment;
  readonly #given: readonly Term[];
  readonly #situation: Situation;
  /** What paths reached that were taken, in any pass. */
  readonly #reached = new Set<string>();
  /** Of the last path: what it reached first, by label with pass. */
  #new: (readonly [label: string, pass: number])[] = [];
  /** What paths reached, too, that could not be followed to an end: by label and pass. A first pass may yet reach what such a path saw in a later one. */
  readonly #seen = new Set<string>();
  /** Why paths were given up, with their number. */
  readonly unhandled = new Map<string, number>();
  /** Paths that the solver could not decide, and that were not kept. */
  undecided = 0;
  forgotten = 0;

  constructor(
    readonly plan: Plan,
    readonly solver: Solver,
    { seed, given, environment, situation }: ExploreOptions,
  ) {
    this.terms = solver.terms;
    this.#random = new Random(seed);
    this.#given = given ?? [];
    this.#situation = situation ?? new Situation();
    this.#environment = environment(solver.terms);
    if (this.#environment.leftOut !== undefined)
      for (const field of TIMES)
        if (readsField(plan.program, field)) this.#count(`other times and queues (${field})`);
    if (plan.program.architecture?.pipes.some(({ ghost }) => ghost !== undefined))
      this.#count("the ghost thread");
  }

  /** Whether all paths were tried that the execution can follow. */
  get isExhausted(): boolean {
    return this.#waiting.length === 0;
  }

  /** Whether nothing was left out: what no path reached, no packet reaches. */
  get isComplete(): boolean {
    return this.isExhausted && this.unhandled.size === 0 && this.undecided === 0 && this.forgotten === 0;
  }

  /** Tries one waiting path. Undefined: no packet takes it, or it cannot be followed. */
  step(): Path | undefined {
    const waiting = this.#pick();
    if (waiting === undefined) return undefined;
    const chooser = new Chooser(this.solver, waiting.decisions, this.#preference, this.#given);
    const { terms, plan } = this;
    const environment = this.#environment;
    const situation = this.#situation.forAnother();
    const registers = new Registers(terms, environment, chooser, situation);
    try {
      const shared = { plan, chooser, terms, environment, situation, registers };
      const isTofino = plan.program.architecture !== undefined;
      const outcome = (isTofino ? new Tofino(shared) : new Machine(shared)).run();
      const { conditions, labels, model } = chooser;
      this.#new = labels.flatMap((label, i) =>
        this.#reached.has(label) ? [] : [[label, chooser.passes[i] ?? 1]],
      );
      for (const [label] of this.#new) this.#reached.add(label);
      return { outcome, conditions, labels, situation, registers, model };
    } catch (error) {
      if (error instanceof Unhandled) {
        this.#count(error.message);
        chooser.labels.forEach((label, i) => {
          this.#seen.add(`${chooser.passes[i]} ${label}`);
        });
      } else if (error instanceof Undecided) this.undecided++;
      else if (!(error instanceof Impossible)) throw error;
      return undefined;
    } finally {
      for (const what of situation.leftOut) this.#count(what);
      this.#keep([...chooser.waiting, ...this.#firstTime(chooser.wanted)]);
    }
  }

  /** The last path is of no use: what it alone reached is still to be reached. */
  disregard(): void {
    for (const [label, pass] of this.#new) {
      this.#reached.delete(label);
      this.#seen.add(`${pass} ${label}`);
    }
    this.#new = [];
  }

  #count(what: string): void {
    this.unhandled.set(what, (this.unhandled.get(what) ?? 0) + 1);
  }

  #firstTime(wanted: Waiting | undefined): Waiting[] {
    const key = wanted?.decisions.join() ?? "";
    if (wanted === undefined || this.#wanted.has(key)) return [];
    this.#wanted.add(key);
    return [wanted];
  }

  #keep(paths: readonly Waiting[]): void {
    const room = MAX_WAITING - this.#waiting.length;
    const kept = paths.slice(0, room);
    this.#waiting.push(...kept);
    this.#hopeful.push(...kept.filter((one) => this.#isHopeful(one)));
    this.forgotten += paths.length - kept.length;
  }

  /**
   * A path that begins with something new, in the earliest pass of the packet, the latest of these; then one that passes something that only paths without an end
   * have seen, in turns with any.
   */
  #pick(): Waiting | undefined {
    const waiting = this.#waiting;
    if (waiting.length === 0) return undefined;
    let at = -1;
    for (let i = waiting.length - 1; i >= 0; i--) {
      const { label, pass } = waiting[i]!;
      if ((at < 0 || pass < waiting[at]!.pass) && this.#isFresh(label, pass)) at = i;
      if (at >= 0 && waiting[at]!.pass === 1) break;
    }
    if (at < 0) at = this.#hopefulPlace();
    if (at < 0) at = this.#random.int(waiting.length);
    const picked = waiting[at]!;
    waiting[at] = waiting.at(-1)!;
    waiting.pop();
    return picked;
  }

  /** The place of a hopeful path among those that wait; -1: there is none, or it is another's turn. */
  #hopefulPlace(): number {
    this.#wasHopeful = !this.#wasHopeful;
    if (!this.#wasHopeful) return -1;
    while (this.#hopeful.length > 0) {
      const picked = this.#random.int(this.#hopeful.length);
      const one = this.#hopeful[picked]!;
      this.#hopeful[picked] = this.#hopeful.at(-1)!;
      this.#hopeful.pop();
      const place = this.#isHopeful(one) ? this.#waiting.lastIndexOf(one) : -1;
      if (place >= 0) return place;
    }
    return -1;
  }

  #isHopeful({ label, before: { labels, count } }: Waiting): boolean {
    if (!this.#reached.has(label)) return true;
    for (let i = 0; i < count; i++) if (!this.#reached.has(labels[i]!)) return true;
    return false;
  }

  #isFresh(label: string, pass: number): boolean {
    return !this.#reached.has(label) && !this.#seen.has(`${pass} ${label}`);
  }

  readonly #preference: Preference = (ways, open, pass) => {
    const fresh = open.flatMap((way, i) => (this.#isFresh(ways[way]!.label, pass) ? [i] : []));
    return fresh.length > 0 ? fresh[this.#random.int(fresh.length)]! : this.#random.int(open.length);
  };
}
