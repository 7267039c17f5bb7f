/**
 * Runs the tests of an exercise on a submission. The result of each test has the expected and the observed behaviour, with the
 * path of the packets. {@link runTests} runs all tests, {@link runTest} one. The network is simulated unless the caller gives
 * another one ({@link TestNetwork}). This room does not depend on the machine, so that it works in a browser too.
 */
export { bootSwitches } from "./boot.js";
export type { RunningController, StartController } from "./controller.js";
export { StepFailure, tooManyFrames } from "./failure.js";
export { portName, type TestNetwork } from "./network.js";
export type { TestResult } from "./result.js";
export { hiddenMark, type RunTestOptions, runTest, runTests } from "./run-test.js";
export { Submission } from "./submission.js";
export { TestHost } from "./test-host.js";
