/** The control plane that a submission brings, as a test sees it. How its code is run is up to whoever grades. */
import type { TestNetwork } from "./network.js";

export interface RunningController {
  /** Resolves when the controller has handled all that it was told, and waits. Rejects with StepFailure when it failed. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** Starts the module of a control plane on a network whose switches have their programs. Rejects with StepFailure when it cannot start. */
export type StartController = (module: string, network: TestNetwork) => Promise<RunningController>;
