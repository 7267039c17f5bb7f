/** Registers on one path: what was written, and what cells held at first. */
import type { Term, Terms } from "../solver/index.js";
import type { Chooser } from "./chooser.js";
import type { Environment } from "./environment.js";
import type { Situation } from "./situation.js";

export interface Write {
  readonly index: Term;
  readonly value: Term;
}

export class Registers {
  readonly writes = new Map<string, Write[]>();

  constructor(
    readonly terms: Terms,
    readonly environment: Environment,
    readonly chooser: Chooser,
    readonly situation: Situation,
  ) {}

  write(register: string, index: Term, value: Term): void {
    this.writes.set(register, [...(this.writes.get(register) ?? []), { index, value }]);
  }

  read(register: string, index: Term, width: number): Term {
    return this.after(register, index, this.#initial(register, index, width));
  }

  /** What a cell holds after the writes so far. */
  after(register: string, index: Term, initial: Term): Term {
    const { terms } = this;
    let value = initial;
    for (const write of this.writes.get(register) ?? [])
      value = terms.choose(terms.equal(index, write.index), write.value, value);
    return value;
  }

  /** Reads of one cell give the same value, by whatever index they name it. */
  #initial(register: string, index: Term, width: number): Term {
    const { terms } = this;
    const { leftOut } = this.environment;
    if (leftOut !== undefined) this.situation.leftOut.add(leftOut.outside);
    const value = this.environment.outside(`register ${register} ${index.id}`, width);
    for (const read of this.situation.cells)
      if (read.register === register)
        this.chooser.require(
          terms.or(terms.not(terms.equal(index, read.index)), terms.equal(value, read.value)),
        );
    this.situation.cells.push({ register, index, value });
    return value;
  }
}
