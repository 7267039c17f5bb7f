/**
 * Runs the tests of an exercise on what somebody hands in, and says for each what was expected and what was seen, with the
 * way of the packets. {@link runTests} runs all of them, {@link runTest} one. The network is simulated unless another one is
 * given ({@link TestNetwork}). Nothing here touches the machine, so that it works in a browser too.
 */
export type { RunningController, StartController } from "./controller.js";
export { StepFailure, tooManyFrames } from "./failure.js";
export { portName, type TestNetwork } from "./network.js";
export type { TestResult } from "./result.js";
export { type RunTestOptions, runTest, runTests } from "./run-test.js";
export { Submission } from "./submission.js";
export { type ReceivedFrame, TestHost } from "./test-host.js";
