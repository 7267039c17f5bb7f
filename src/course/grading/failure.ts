/** The reason why a test failed. */

/** A step of a test failed. The texts are sentences or parts of sentences. */
export class StepFailure extends Error {
  constructor(
    readonly expected: string,
    readonly seen: string,
    readonly details: readonly string[] = [],
    /** It lies in the files that were handed in, and so is the same in every test. */
    readonly ofFiles = false,
  ) {
    super(`expected ${expected}; seen: ${seen}`);
    this.name = "StepFailure";
  }
}

/** The failure of a network whose switches send endlessly. */
export function tooManyFrames(limit: number): StepFailure {
  return new StepFailure(
    `at most ${limit} frames on the links of the network`,
    "more frames: packets are copied endlessly, or circulate in a loop",
  );
}
