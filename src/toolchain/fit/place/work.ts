/**
 * Work of placements and proofs, counted and not timed, so that a bound on it gives the same answer on every machine. Its unit is one look at
 * one unit of the program: whether it may come next, or whether a stage has room for it. That takes 1 to 5 microseconds.
 */
export class Work {
  /** Units that were spent, the last ones past the limit. */
  spent = 0;

  /** @param limit units of work; without it there is no bound */
  constructor(readonly limit = Number.POSITIVE_INFINITY) {}

  spend(units = 1): void {
    this.spent += units;
  }

  /** The bound is reached: what is under way gives no answer. */
  get isSpent(): boolean {
    return this.spent > this.limit;
  }
}
