/**
 * The control plane of a running fabric: the controllers of its scheme and those that the experiment file asks for. Engines
 * hand in clock and control channels: `control-plane-simulated.ts`, `control-plane-on-lab.ts`.
 */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { type DiagnosticError, fail, type Locate, Random } from "../../base/index.js";
import {
  type Clock,
  ControllerHost,
  type ControllerPlace,
  ControllerStopped,
  failureOf,
  type HostSession,
  ROUTE_CONTROLLER,
  routeController,
  type SwitchSession,
} from "../controllers/index.js";
import type { FabricPlan } from "../schemes/index.js";
import { durationSchema, type Topology } from "../topology/index.js";
import { CODES } from "./codes.js";
import type { Command } from "./commands.js";
import type { ControllerFault } from "./control-plane-faults.js";

export const controlPlaneSchema = z.strictObject({
  /** Plan routes again when a port goes down or comes up, under schemes that can do so. */
  recompute_routes: z.boolean().default(false),
  /** Delay from the event of a port to the new plan. */
  detection: durationSchema.default(10_000_000),
});

export type ControlPlaneSettings = z.output<typeof controlPlaneSchema>;

/** The plan with the controllers that the file asks for. Fails with P43306 where the scheme cannot plan again. */
export function withControlPlane(
  plan: FabricPlan,
  topology: Topology,
  { recompute_routes, detection }: ControlPlaneSettings,
  locate: Locate,
): FabricPlan {
  if (!recompute_routes) return plan;
  const { replanning, switches, controllers = [] } = plan;
  if (replanning === undefined)
    fail(
      CODES.cannotReplan,
      locate(["control_plane", "recompute_routes"]),
      `scheme ${plan.scheme} cannot plan routes again while its switches run`,
      "leave recompute_routes out, or run this scheme in an experiment of its own",
    );
  const controller = routeController({
    planner: replanning.planner,
    planned: switches,
    detectionNs: detection,
  });
  const all = topology.nodes.filter(({ role }) => role !== "host").map(({ index }) => index);
  return {
    ...plan,
    programs: replanning.programs,
    controllers: [...controllers, { name: ROUTE_CONTROLLER, switches: all, controller }],
  };
}

/** What the controllers of one scheme logged. */
export interface SchemeLog {
  readonly label: string;
  readonly lines: readonly string[];
}

/** The result file `controllers.log`, if there were controllers: each line begins with the label of its scheme. */
export function logFiles(logs: readonly SchemeLog[]): [name: string, text: string][] {
  const lines = logs.flatMap(({ label, lines }) => lines.map((line) => `${label} ${line}\n`));
  return lines.length === 0 ? [] : [["controllers.log", lines.join("")]];
}

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
