/** Why a test failed. */

/** A step of a test did not go as expected. Texts are sentences or parts of them, for people. */
export class StepFailure extends Error {
  constructor(
    readonly expected: string,
    readonly seen: string,
    readonly details: readonly string[] = [],
  ) {
    super(`expected ${expected}; seen: ${seen}`);
    this.name = "StepFailure";
  }
}
