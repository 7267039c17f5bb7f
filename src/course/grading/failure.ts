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

/** The failure of a network in which too much happens: copies to the control plane, packets of a controller. */
export function tooManyEvents(limit: number): StepFailure {
  return new StepFailure(
    `at most ${limit} events of the simulation`,
    "more events: packets are copied endlessly, or a controller sends without end",
  );
}

/** The failure of a switch that drops a packet which passes it again and again. */
export function endlessPacket(name: string): StepFailure {
  return new StepFailure(
    "each packet leaves its switch, or is dropped",
    `a packet goes round in ${name} without end: recirculated, resubmitted or cloned again and again`,
  );
}
