/**
 * Whether two programs do the same with every packet: each path of the first one, and under its condition each path of the second one, with the same entries. A
 * difference is replayed on the switch before it is called one.
 */
import { defined } from "../../base/index.js";
import type { Program } from "../program/index.js";
import { Deadline, OutOfTime, Solver, type Term, Terms, TooLarge } from "../solver/index.js";
import {
  byteName,
  type Environment,
  Explorer,
  freshSwitch,
  type Outcome,
  type Path,
  type Plan,
} from "../symbolic/index.js";
import { planOf, stimulusOf } from "../testgen/index.js";
import { type Difference, differenceOf, Trial } from "./trial.js";

const ENDED = "the time or the number of paths ended before all paths were followed";

/** Paths of each program that are tried. */
const TRIED_PATHS = 64;

export interface CompareOptions {
  /** Entries that a controller may write: the same in both programs, or none. */
  readonly entries: "same" | "none";
  readonly seed: number;
  /** Whether to go on; asked before each path. */
  goesOn(): boolean;
  /** Whether there is time left; asked within paths, too. */
  hasTime?(): boolean;
}

export interface Comparison {
  readonly entries: CompareOptions["entries"];
  readonly verdict: "equal" | "different" | "bounded";
  readonly difference: Difference | undefined;
  /** Pairs of paths that were compared. */
  readonly pairs: number;
  /** Why it is not known that they are equal, with how often. */
  readonly reasons: ReadonlyMap<string, number>;
}

export async function comparePrograms(a: Program, b: Program, options: CompareOptions): Promise<Comparison> {
  return new Comparer(a, b, options).run();
}

/** Any state of a switch: the same for both programs. */
function anySwitch(
  terms: Terms,
  follows: "packet" | "copy",
  entries: CompareOptions["entries"],
): Environment {
  return {
    entries: entries === "same" ? "any" : "none",
    outside: (name, width) => terms.variable(`outside ${name}`, width),
    unwritten: (header, { name, width }) => terms.variable(`unwritten ${header}.${name}`, width),
    passes: 2,
    follows,
  };
}

class Comparer {
  readonly #solver: Solver;
  readonly #plans: readonly [Plan, Plan];
  readonly #reasons = new Map<string, number>();
  readonly #trial: Trial;
  #difference: Difference | undefined;
  #pairs = 0;

  constructor(
    readonly a: Program,
    readonly b: Program,
    readonly options: CompareOptions,
  ) {
    this.#solver = new Solver(new Terms(new Deadline(options.hasTime)));
    this.#plans = [planOf(a), planOf(b)];
    this.#trial = new Trial([a, b], options.seed);
  }

  async run(): Promise<Comparison> {
    await this.#search();
    try {
      for (const follows of ["packet", "copy"] as const)
        if (this.#difference === undefined) await this.#follow(follows);
    } catch (error) {
      if (error instanceof TooLarge) this.#count("the conditions take more memory than the solver has");
      else if (error instanceof OutOfTime) this.#count(ENDED);
      else throw error;
    }
    const verdict =
      this.#difference !== undefined ? "different" : this.#reasons.size === 0 ? "equal" : "bounded";
    const { entries } = this.options;
    return { verdict, entries, difference: this.#difference, pairs: this.#pairs, reasons: this.#reasons };
  }

  #count(reason: string, times = 1): void {
    this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + times);
  }

  /**
   * Packets of paths of both programs, and others like them, on fresh switches: most programs that differ show it to one of these, long before all pairs of
   * paths are compared. Where none does, nothing is known.
   */
  async #search(): Promise<void> {
    const { seed, entries, hasTime } = this.options;
    const environment = (terms: Terms): Environment => ({
      ...freshSwitch(terms),
      entries: entries === "same" ? "any" : "none",
      writesValueSets: false,
    });
    try {
      for (const plan of this.#plans) {
        const solver = new Solver(new Terms(new Deadline(hasTime)));
        const explorer = new Explorer(plan, solver, { seed, environment });
        for (let tried = 0; tried < TRIED_PATHS && !explorer.isExhausted; tried++) {
          const path = explorer.step();
          const stimulus = path === undefined ? undefined : stimulusOf(path, solver);
          if (stimulus !== undefined) this.#difference = await this.#trial.near(stimulus);
          if (this.#difference !== undefined) return;
        }
      }
    } catch (error) {
      // The comparison of paths tells both.
      if (!(error instanceof TooLarge || error instanceof OutOfTime)) throw error;
    }
  }

  async #follow(follows: "packet" | "copy"): Promise<void> {
    const { seed, entries } = this.options;
    const environment = (terms: Terms) => anySwitch(terms, follows, entries);
    const first = new Explorer(this.#plans[0], this.#solver, { seed, environment });
    await this.#each(first, async (one) => {
      const second = new Explorer(this.#plans[1], this.#solver, {
        seed,
        environment,
        given: one.conditions,
        situation: one.situation,
      });
      await this.#each(second, (other) => this.#compare(one, other));
    });
  }

  async #each(explorer: Explorer, take: (path: Path) => Promise<void>): Promise<void> {
    while (!explorer.isExhausted && this.#difference === undefined) {
      if (!this.options.goesOn()) {
        this.#count(ENDED);
        break;
      }
      const path = explorer.step();
      if (path !== undefined) await take(path);
    }
    for (const [what, times] of explorer.unhandled) this.#count(`not followed: ${what}`, times);
    if (explorer.undecided > 0) this.#count("the solver gave up on a path", explorer.undecided);
    if (explorer.forgotten > 0) this.#count("paths that found no room", explorer.forgotten);
  }

  async #compare(one: Path, other: Path): Promise<void> {
    this.#pairs++;
    const { terms } = this.#solver;
    const differs = terms.not(this.#same(one, other));
    if (differs === terms.false) return;
    const conditions = [...other.conditions, differs];
    const { answer } = this.#solver.solve(conditions);
    if (answer === "no") return;
    if (answer === "unknown") {
      this.#count("the solver gave up on a pair of paths");
      return;
    }
    // A group or session that only the first program's path asks for must be there, too.
    const situation =
      other.situation.copies.length > 0 ? other.situation : other.situation.withCopies(one.situation.copies);
    const difference = await this.#replayed({ ...other, situation, conditions });
    if (difference === undefined) this.#count("a possible difference that no replay on the switch shows");
    else this.#difference = difference;
  }

  /** The same packet at the same port, and the same registers afterwards. */
  #same(one: Path, other: Path): Term {
    const { terms } = this.#solver;
    const [left, right] = [one.situation.copies, other.situation.copies];
    if (left.length !== right.length) return terms.false;
    const copies = left.map(({ kind, id }, i) => {
      const copy = defined(right[i]);
      return copy.kind === kind && copy.id.width === id.width ? terms.equal(id, copy.id) : terms.false;
    });
    return terms.all([
      ...copies,
      this.#sameOutcome(one.outcome, other.outcome),
      this.#sameRegisters(one, other),
    ]);
  }

  #sameOutcome(a: Outcome, b: Outcome): Term {
    const { terms } = this.#solver;
    if (a.kind === "dropped" || b.kind === "dropped") return terms.truth(a.kind === b.kind);
    if (a.front.width - 8 * a.rest !== b.front.width - 8 * b.rest) return terms.false;
    const rest = Math.max(a.rest, b.rest);
    const bits = ({ front, rest: own }: { front: Term; rest: number }) =>
      terms.concat(
        front,
        ...Array.from({ length: rest - own }, (_, i) => terms.variable(byteName(own + i), 8)),
      );
    return terms.and(terms.equal(a.port, b.port), terms.equal(bits(a), bits(b)));
  }

  #sameRegisters(one: Path, other: Path): Term {
    const { terms } = this.#solver;
    const names = new Set([...one.registers.writes.keys(), ...other.registers.writes.keys()]);
    return terms.all(
      [...names].flatMap((name) => {
        const writes = [
          ...(one.registers.writes.get(name) ?? []),
          ...(other.registers.writes.get(name) ?? []),
        ];
        return writes.map(({ index: written, value }) => {
          // What is written to every cell is compared in any cell.
          const index = written ?? terms.variable(`cell of ${name}`, 32);
          const initial = terms.variable(`outside register ${name} ${index.id}`, value.width);
          return terms.equal(
            one.registers.after(name, index, initial),
            other.registers.after(name, index, initial),
          );
        });
      }),
    );
  }

  async #replayed(path: Path): Promise<Difference | undefined> {
    const stimulus = stimulusOf(path, this.#solver, "v1model", true);
    return stimulus === undefined ? undefined : differenceOf([this.a, this.b], stimulus);
  }
}
