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
  readonly #waiting: Waiting[] = [{ decisions: [], label: "", pass: 1 }];
  /** Decisions of paths that several others asked for. */
  readonly #wanted = new Set<string>();
  readonly #environment: Environment;
  readonly #given: readonly Term[];
  readonly #situation: Situation;
  /** What paths reached that were taken, in any pass. */
  readonly reached = new Set<string>();
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
      for (const label of labels) this.reached.add(label);
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
    this.#waiting.push(...paths.slice(0, room));
    this.forgotten += Math.max(0, paths.length - room);
  }

  /** A path that begins with something new, the latest of them; then any. */
  #pick(): Waiting | undefined {
    const last = this.#waiting.length - 1;
    if (last < 0) return undefined;
    let at = last;
    while (at >= 0 && !this.#isFresh(this.#waiting[at]!.label, this.#waiting[at]!.pass)) at--;
    if (at < 0) at = this.#random.int(last + 1);
    const picked = this.#waiting[at]!;
    this.#waiting[at] = this.#waiting[last]!;
    this.#waiting.pop();
    return picked;
  }

  #isFresh(label: string, pass: number): boolean {
    return !this.reached.has(label) && !this.#seen.has(`${pass} ${label}`);
  }

  readonly #preference: Preference = (ways, open, pass) => {
    const fresh = open.flatMap((way, i) => (this.#isFresh(ways[way]!.label, pass) ? [i] : []));
    return fresh.length > 0 ? fresh[this.#random.int(fresh.length)]! : this.#random.int(open.length);
  };
}
