/** The end of the time that an execution with its questions may take. */

/** The time is over. */
export class OutOfTime extends Error {}

/** Steps (terms, gates, decisions) between two looks at the clock: a few milliseconds. */
const STEPS = 1024;

export class Deadline {
  #steps = 0;

  /** @param goesOn whether there is time left; absent: always */
  constructor(readonly goesOn?: () => boolean) {}

  /** @throws OutOfTime */
  check(): void {
    if (this.goesOn?.() === false) throw new OutOfTime("the time is over");
  }

  /**
   * Counts a step; looks at the clock at some of them.
   * @throws OutOfTime
   */
  step(): void {
    if (++this.#steps % STEPS === 0) this.check();
  }
}
