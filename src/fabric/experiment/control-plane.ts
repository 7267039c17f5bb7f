/**
 * The control plane of a running fabric: the controllers of its scheme and those that the experiment file asks for. Engines
 * hand in clock and control channels: `on-simulator.ts`, `control-plane-on-lab.ts`.
 */
import { readFileSync } from "node:fs";
import { type DiagnosticError, Random } from "../../base/index.js";
import {
  type Clock,
  ControllerHost,
  type ControllerPlace,
  ControllerStopped,
  failureOf,
  type HostSession,
  type SwitchSession,
} from "../controllers/index.js";
import type { FabricPlan } from "../schemes/index.js";
import type { Topology } from "../topology/index.js";
import type { Command } from "./commands.js";
import type { ControllerFault } from "./control-plane-faults.js";

export interface ControlPlaneOptions {
  /** Label of the scheme. */
  readonly label: string;
  readonly plan: FabricPlan;
  readonly topology: Topology;
  readonly clock: Clock;
  session(node: number, place: ControllerPlace): SwitchSession;
  hostSession(node: number): HostSession;
  readonly seed: number;
  /** Called with each new line of {@link ControlPlane.log}. */
  readonly onLine?: (line: string) => void;
  /** Called once, with the first failure of a controller. */
  readonly onFailure?: (error: DiagnosticError) => void;
}

export class ControlPlane {
  /** Lines of all controllers, in the order of their times. */
  readonly log: string[] = [];
  readonly host: ControllerHost;
  readonly #label: string;
  #failure: DiagnosticError | undefined;
  readonly #onFailure: (error: DiagnosticError) => void;

  constructor(options: ControlPlaneOptions) {
    const {
      plan,
      topology,
      clock,
      session,
      hostSession,
      seed,
      onLine = () => {},
      onFailure = () => {},
    } = options;
    this.#label = options.label;
    this.#onFailure = onFailure;
    this.host = new ControllerHost(plan.controllers ?? [], {
      topology,
      clock,
      session,
      hostSession,
      random: new Random(seed).fork("control plane"),
      log: (line) => {
        this.log.push(line);
        onLine(line);
      },
      failed: (error) => this.#fail(error),
      readSource,
    });
    process.on("unhandledRejection", this.#onDropped);
  }

  /** Whether a controller has failed: the run must then end. */
  get failed(): boolean {
    return this.#failure !== undefined;
  }

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Applies a fault of the file; does nothing under schemes without a controller of that name. */
  apply({ controller, kind }: ControllerFault): void {
    if (!this.host.names.includes(controller)) return;
    if (kind === "kill") this.host.kill(controller);
    else void this.host.restart(controller);
  }

  /** Gives a command of the file to the controllers; does nothing for a command to another scheme. */
  command({ scheme, name, values }: Command): void {
    if (scheme === this.#label) this.host.command({ name, values });
  }

  /** Kills the controllers that still run. */
  close(): void {
    this.host.killAll();
    process.off("unhandledRejection", this.#onDropped);
  }

  /** Handles the rejection of a promise that a controller did not await; the end of a sleep at a stop is no failure. */
  readonly #onDropped = (error: unknown): void => {
    if (error instanceof ControllerStopped) return;
    const stack = error instanceof Error ? error.stack : undefined;
    this.#fail(failureOf(undefined, error, stack, readSource));
  };

  #fail(error: DiagnosticError): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#onFailure(error);
  }
}

function readSource(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
