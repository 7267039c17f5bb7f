/** The controller of a submission, as a test uses it. The caller of the tests decides how its code is run. */
import type { TestNetwork } from "./network.js";

export interface RunningController {
  /** Resolves when the controller has handled all its events and waits. Rejects with StepFailure if it failed. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts the module of a controller on a network whose switches have their programs. Rejects with StepFailure if it
 * cannot start.
 */
export type StartController = (module: string, network: TestNetwork) => Promise<RunningController>;
