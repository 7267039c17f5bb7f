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

/** Of a network whose switches send without end. */
export function tooManyFrames(limit: number): StepFailure {
  return new StepFailure(
    `at most ${limit} frames on the links of the network`,
    "more frames: packets are copied, or go round in a loop, without end",
  );
}
