/** Registers on one path: what was written, and what cells held at first. */
import type { Term, Terms } from "../solver/index.js";
import type { Chooser } from "./chooser.js";
import type { Environment } from "./environment.js";
import type { Situation } from "./situation.js";

export interface Write {
  /** Undefined: every cell. */
  readonly index: Term | undefined;
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

  write(register: string, index: Term | undefined, value: Term): void {
    this.writes.set(register, [...(this.writes.get(register) ?? []), { index, value }]);
  }

  /** `start`: what each cell holds when the switch starts. */
  read(register: string, index: Term, width: number, start = 0n): Term {
    return this.after(register, index, this.#initial(register, index, width, start));
  }

  /** What a cell holds after the writes so far. */
  after(register: string, index: Term, initial: Term): Term {
    const { terms } = this;
    let value = initial;
    for (const write of this.writes.get(register) ?? [])
      value =
        write.index === undefined
          ? write.value
          : terms.choose(terms.equal(index, write.index), write.value, value);
    return value;
  }

  /** Reads of one cell give the same value, by whatever index they name it. */
  #initial(register: string, index: Term, width: number, start: bigint): Term {
    const { terms } = this;
    const { leftOut, writesRegisters } = this.environment;
    const name = `register ${register} ${index.id}`;
    if (leftOut !== undefined && !writesRegisters) this.situation.leftOut.add(leftOut.outside);
    const value = writesRegisters ? terms.variable(name, width) : this.environment.outside(name, width);
    for (const read of this.situation.cells)
      if (read.register === register)
        this.chooser.require(
          terms.or(terms.not(terms.equal(index, read.index)), terms.equal(value, read.value)),
        );
    this.situation.cells.push({ register, index, value, start });
    return value;
  }
}
