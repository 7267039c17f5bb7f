/**
 * Satisfiability of clauses by conflict-driven clause learning (Marques-Silva and Sakallah, 1999; two watched literals and activities as in Moskewicz
 * et al., "Chaff", 2001; assumptions as in Eén and Sörensson, "An extensible SAT-solver", 2003). Clauses stay between calls, and
 * so do learned ones. A literal is 2 * variable, plus 1 if it is negated.
 */
import { defined } from "../../base/index.js";
import { Deadline } from "./deadline.js";

export type Answer = "yes" | "no" | "unknown";

/** Conflicts between two restarts, times the Luby sequence. */
const RESTART = 64;
const DECAY = 0.95;
/** Learned clauses that are kept, at least. */
const KEPT = 4000;

interface Clause {
  readonly literals: number[];
  readonly learned: boolean;
  activity: number;
  deleted: boolean;
}

const UNASSIGNED = -1;

export class Sat {
  /** By variable: 0 or 1 as value of its positive literal, or -1. */
  #values: number[] = [];
  #levels: number[] = [];
  #reasons: (Clause | undefined)[] = [];
  #phases: number[] = [];
  readonly #activities: number[] = [];
  #wanted: number[] = [];
  readonly #watches: Clause[][] = [];
  #learned: Clause[] = [];
  readonly #trail: number[] = [];
  readonly #levelStarts: number[] = [];
  #head = 0;
  #step = 1;
  #clauseStep = 1;
  #contradiction = false;
  #call = 0;
  readonly #heap = new ActivityHeap(this.#activities);

  readonly #deadline: Deadline;
  readonly #kept: number;

  /**
   * @param kept learned clauses that are never forgotten, by number
   * @param deadline ends a search, with an exception
   */
  constructor({ kept = KEPT, deadline = new Deadline() }: { kept?: number; deadline?: Deadline } = {}) {
    this.#kept = kept;
    this.#deadline = deadline;
  }

  addVariable(): number {
    const variable = this.#values.push(UNASSIGNED) - 1;
    this.#levels.push(0);
    this.#reasons.push(undefined);
    // Mixed values at first: a packet of zeros shows little.
    this.#phases.push((Math.imul(variable, 0x9e3779b1) >>> 13) & 1);
    this.#activities.push(0);
    this.#heap.addVariable();
    this.#wanted.push(0);
    this.#watches.push([], []);
    return variable;
  }

  /** Adds a clause; must not be called during {@link solve}. */
  add(literals: readonly number[]): void {
    const kept: number[] = [];
    for (const literal of literals) {
      const value = this.#valueOf(literal);
      if (value === 1 || kept.includes(literal ^ 1)) return;
      if (value === UNASSIGNED && !kept.includes(literal)) kept.push(literal);
    }
    if (kept.length === 0) this.#contradiction = true;
    else if (kept.length === 1) {
      this.#assign(defined(kept[0]), undefined);
      if (this.#propagate() !== undefined) this.#contradiction = true;
    } else this.#attach({ literals: kept, learned: false, activity: 0, deleted: false });
  }

  /** 1 or 0 after {@link solve} has answered yes; only of variables that were to be decided. */
  valueOf(variable: number): number {
    return this.#model[variable] ?? 0;
  }

  #model: number[] = [];

  /**
   * Whether the clauses can hold together with the assumed literals. Only the variables of `decide` are decided: every other variable must be
   * a function of variables whose clauses any assignment satisfies.
   * @throws OutOfTime
   */
  solve(assumed: readonly number[], decide: readonly number[], maxConflicts: number): Answer {
    if (this.#contradiction) return "no";
    this.#call++;
    for (const variable of decide) this.#wanted[variable] = this.#call;
    this.#heap.fill(decide);
    try {
      const answer = this.#searches(assumed, maxConflicts);
      if (answer === "yes") this.#model = this.#values.slice();
      return answer;
    } finally {
      this.#backTo(0);
    }
  }

  #searches(assumed: readonly number[], maxConflicts: number): Answer {
    let conflicts = 0;
    for (let round = 1; ; round++) {
      const limit = RESTART * luby(round);
      const found = this.#search(assumed, Math.min(limit, maxConflicts - conflicts));
      if (found !== undefined) return found;
      conflicts += limit;
      if (conflicts >= maxConflicts) return "unknown";
    }
  }

  /**
   * Those literals of which unit propagation shows, each alone, that they cannot hold with the assumed ones (failed literals; Freeman, 1995). Undefined: it shows
   * that the assumed ones cannot hold.
   */
  refuted(assumed: readonly number[], literals: readonly number[]): number[] | undefined {
    const isPossible = !this.#contradiction && assumed.every((literal) => this.#holds(literal));
    const level = this.#levelStarts.length;
    const found = !isPossible
      ? undefined
      : literals.filter((literal) => {
          const holds = this.#holds(literal);
          this.#backTo(level);
          return !holds;
        });
    this.#backTo(0);
    return found;
  }

  /** Assumes a literal, at a level of its own. False: it does not hold, or its consequences do not. */
  #holds(literal: number): boolean {
    const value = this.#valueOf(literal);
    if (value !== UNASSIGNED) return value === 1;
    this.#levelStarts.push(this.#trail.length);
    this.#assign(literal, undefined);
    return this.#propagate() === undefined;
  }

  #search(assumed: readonly number[], limit: number): Answer | undefined {
    for (let conflicts = 0; ; ) {
      this.#deadline.step();
      const conflict = this.#propagate();
      if (conflict !== undefined) {
        if (this.#levelStarts.length === 0) {
          this.#contradiction = true;
          return "no";
        }
        conflicts++;
        this.#learn(conflict);
        continue;
      }
      if (conflicts >= limit) {
        this.#backTo(0);
        return undefined;
      }
      if (this.#learned.length > this.#kept + 2 * this.#trail.length) this.#forget();
      const next = this.#next(assumed);
      if (next === "yes" || next === "no") return next;
      this.#levelStarts.push(this.#trail.length);
      if (next >= 0) this.#assign(next, undefined);
    }
  }

  /** The next literal to decide; -1 where an assumption holds already. */
  #next(assumed: readonly number[]): number | "yes" | "no" {
    if (this.#levelStarts.length < assumed.length) {
      const literal = defined(assumed[this.#levelStarts.length]);
      const value = this.#valueOf(literal);
      if (value === 0) return "no";
      return value === 1 ? -1 : literal;
    }
    for (;;) {
      const variable = this.#heap.pop();
      if (variable === undefined) return "yes";
      if (this.#values[variable] === UNASSIGNED) return 2 * variable + (this.#phases[variable] === 1 ? 0 : 1);
    }
  }

  #valueOf(literal: number): number {
    const value = this.#values[literal >> 1]!;
    return value === UNASSIGNED ? UNASSIGNED : value ^ (literal & 1);
  }

  #assign(literal: number, reason: Clause | undefined): void {
    const variable = literal >> 1;
    this.#values[variable] = (literal & 1) ^ 1;
    this.#levels[variable] = this.#levelStarts.length;
    this.#reasons[variable] = reason;
    this.#trail.push(literal);
  }

  #attach(clause: Clause): void {
    this.#watches[clause.literals[0]! ^ 1]!.push(clause);
    this.#watches[clause.literals[1]! ^ 1]!.push(clause);
  }

  /** Gives the clause that became false, if one did. */
  #propagate(): Clause | undefined {
    while (this.#head < this.#trail.length) {
      const literal = this.#trail[this.#head++]!;
      const watching = this.#watches[literal]!;
      let kept = 0;
      for (let i = 0; i < watching.length; i++) {
        const clause = watching[i]!;
        if (clause.deleted) continue;
        const { literals } = clause;
        const falsified = literal ^ 1;
        if (literals[0] === falsified) {
          literals[0] = literals[1]!;
          literals[1] = falsified;
        }
        const first = literals[0]!;
        if (this.#valueOf(first) === 1 || !this.#watchAnother(clause)) {
          watching[kept++] = clause;
          if (this.#valueOf(first) === 1) continue;
          if (this.#valueOf(first) === 0) {
            while (++i < watching.length) watching[kept++] = watching[i]!;
            watching.length = kept;
            this.#head = this.#trail.length;
            return clause;
          }
          this.#assign(first, clause);
        }
      }
      watching.length = kept;
    }
    return undefined;
  }

  #watchAnother(clause: Clause): boolean {
    const { literals } = clause;
    for (let k = 2; k < literals.length; k++) {
      if (this.#valueOf(literals[k]!) === 0) continue;
      const found = literals[k]!;
      literals[k] = literals[1]!;
      literals[1] = found;
      this.#watches[found ^ 1]!.push(clause);
      return true;
    }
    return false;
  }

  /** Learns the clause of the first unique implication point, and goes back to where it is a unit. */
  #learn(conflict: Clause): void {
    const seen = new Set<number>();
    const learned: number[] = [0];
    const level = this.#levelStarts.length;
    let open = 0;
    let at = this.#trail.length - 1;
    let reason: Clause | undefined = conflict;
    let literal = -1;
    for (;;) {
      if (reason !== undefined) {
        if (reason.learned) this.#raiseClause(reason);
        for (const one of reason.literals) {
          const variable = one >> 1;
          if (one === literal || seen.has(variable) || this.#levels[variable] === 0) continue;
          seen.add(variable);
          this.#raise(variable);
          if (this.#levels[variable] === level) open++;
          else learned.push(one);
        }
      }
      while (!seen.has(this.#trail[at]! >> 1)) at--;
      literal = this.#trail[at--]!;
      reason = this.#reasons[literal >> 1];
      if (--open <= 0) break;
    }
    learned[0] = literal ^ 1;
    this.#step /= DECAY;
    this.#clauseStep /= 0.999;
    this.#backJump(learned);
  }

  #backJump(learned: number[]): void {
    if (learned.length === 1) {
      this.#backTo(0);
      this.#assign(learned[0]!, undefined);
      return;
    }
    let highest = 1;
    for (let i = 2; i < learned.length; i++)
      if (this.#levels[learned[i]! >> 1]! > this.#levels[learned[highest]! >> 1]!) highest = i;
    [learned[1], learned[highest]] = [learned[highest]!, learned[1]!];
    this.#backTo(this.#levels[learned[1]! >> 1]!);
    const clause: Clause = { literals: learned, learned: true, activity: this.#clauseStep, deleted: false };
    this.#learned.push(clause);
    this.#attach(clause);
    this.#assign(learned[0]!, clause);
  }

  #raise(variable: number): void {
    this.#activities[variable]! += this.#step;
    if (this.#activities[variable]! > 1e100) {
      for (let i = 0; i < this.#activities.length; i++) this.#activities[i]! *= 1e-100;
      this.#step *= 1e-100;
    }
    this.#heap.raised(variable);
  }

  #raiseClause(clause: Clause): void {
    clause.activity += this.#clauseStep;
    if (clause.activity <= 1e20) return;
    for (const one of this.#learned) one.activity *= 1e-20;
    this.#clauseStep *= 1e-20;
  }

  /** Forgets the less active half of the learned clauses that are no reason now. */
  #forget(): void {
    const reasons = new Set(this.#reasons);
    const order = [...this.#learned].sort((a, b) => a.activity - b.activity);
    const half = order.length / 2;
    order.forEach((clause, i) => {
      if (i < half && clause.literals.length > 2 && !reasons.has(clause)) clause.deleted = true;
    });
    this.#learned = this.#learned.filter(({ deleted }) => !deleted);
  }

  #backTo(level: number): void {
    if (this.#levelStarts.length <= level) return;
    const start = this.#levelStarts[level]!;
    for (let i = this.#trail.length - 1; i >= start; i--) {
      const variable = this.#trail[i]! >> 1;
      this.#phases[variable] = this.#values[variable]!;
      this.#values[variable] = UNASSIGNED;
      this.#reasons[variable] = undefined;
      if (this.#wanted[variable] === this.#call) this.#heap.insert(variable);
    }
    this.#trail.length = start;
    this.#levelStarts.length = level;
    this.#head = start;
  }
}

/** The Luby sequence 1 1 2 1 1 2 4 ..., from 1. */
function luby(index: number): number {
  let size = 1;
  while (size < index + 1) size *= 2;
  return size === index + 1 ? size / 2 : luby(index - size / 2 + 1);
}

/** Variables by activity, the most active first; of equal ones the one with the smaller number. */
class ActivityHeap {
  #items: number[] = [];
  /** By variable: its place in the heap, or -1. */
  readonly #places: number[] = [];

  /** @param activities by variable; what changes there is told by {@link raised} */
  constructor(readonly activities: readonly number[]) {}

  addVariable(): void {
    this.#places.push(-1);
  }

  /** Exactly these variables, each once. */
  fill(variables: readonly number[]): void {
    for (const variable of this.#items) this.#places[variable] = -1;
    this.#items = [...variables];
    for (let i = 0; i < variables.length; i++) this.#places[variables[i]!] = i;
    for (let i = (variables.length >> 1) - 1; i >= 0; i--) this.#down(i);
  }

  insert(variable: number): void {
    if (this.#places[variable]! >= 0) return;
    this.#up(this.#items.push(variable) - 1);
  }

  raised(variable: number): void {
    const place = this.#places[variable]!;
    if (place >= 0) this.#up(place);
  }

  pop(): number | undefined {
    const items = this.#items;
    const first = items[0];
    if (first === undefined) return undefined;
    this.#places[first] = -1;
    const last = items.pop()!;
    if (items.length > 0) {
      items[0] = last;
      this.#down(0);
    }
    return first;
  }

  #before(a: number, b: number): boolean {
    const x = this.activities[a]!;
    const y = this.activities[b]!;
    return x > y || (x === y && a < b);
  }

  #up(from: number): void {
    const items = this.#items;
    const places = this.#places;
    const variable = items[from]!;
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = items[above]!;
      if (!this.#before(variable, parent)) break;
      items[place] = parent;
      places[parent] = place;
      place = above;
    }
    items[place] = variable;
    places[variable] = place;
  }

  #down(from: number): void {
    const items = this.#items;
    const places = this.#places;
    const variable = items[from]!;
    const { length } = items;
    let place = from;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= length) break;
      if (child + 1 < length && this.#before(items[child + 1]!, items[child]!)) child++;
      const below = items[child]!;
      if (!this.#before(below, variable)) break;
      items[place] = below;
      places[below] = place;
      place = child;
    }
    items[place] = variable;
    places[variable] = place;
  }
}
