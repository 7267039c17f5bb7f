/**
 * The control plane of a running fabric: the controllers of its scheme and those that the experiment file asks for. Engines
 * hand in clock and control channels: `on-simulator.ts`, `control-plane-on-testbed.ts`.
 */
import { readFileSync } from "node:fs";
import { z } from "zod";
import {
  type DiagnosticError,
  type Diagnostics,
  defined,
  didYouMean,
  type Json,
  type Locate,
  Random,
} from "../../base/index.js";
import { describeIssues } from "../../toolchain/documents/index.js";
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
import { durationSchema, type Topology } from "../topology/index.js";
import { CODES } from "./codes.js";
import type { SchemeRun } from "./experiment.js";
import type { ListedFault } from "./faults/listed-faults.js";
import { collecting } from "./files.js";

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

// Commands of an experiment file to the controllers of its schemes: `{ at: 20ms, scheme: LABEL, command: update, ... }`.

/** Value of the key `commands`. All other keys of an entry belong to the command: the scheme has their schema. */
export const commandsSchema = z
  .array(z.looseObject({ at: durationSchema, scheme: z.string(), command: z.string() }))
  .default([]);

type CommandSpec = z.output<typeof commandsSchema>[number];

export interface Command {
  /** Nanoseconds from the start. */
  readonly at: number;
  /** Label of the scheme. */
  readonly scheme: string;
  readonly name: string;
  /** The values after the scheme's schema has parsed them. */
  readonly values: Json;
  /** Place in the file's list. */
  readonly number: number;
}

/**
 * The commands, in time order. Adds P43014 for a scheme that the file does not have, P43022 for a time after the end, and P43071
 * for a command that the scheme does not have, or values that its schema refuses. After an error the commands must not be used.
 */
export function listedCommands(
  {
    commands,
    duration,
    schemes: entries,
  }: {
    readonly commands: readonly CommandSpec[];
    readonly duration: number;
    readonly schemes: readonly (string | { readonly scheme: string; readonly label?: string | undefined })[];
  },
  schemes: readonly SchemeRun[],
  locate: Locate,
  diagnostics: Diagnostics,
): Command[] {
  const found = commands.flatMap((spec, number): Command[] => {
    const { at, scheme, command: name, ...values } = spec;
    const place = (key: string) => locate(["commands", number, key]) ?? locate(["commands", number]);
    if (at >= duration)
      diagnostics.error(
        CODES.afterTheEnd,
        place("at"),
        "the command comes after the end of the run, see `duration`",
      );
    const labels = schemes.map(({ label }) => label);
    const run = schemes.find(({ label }) => label === scheme);
    // A scheme that was refused has been reported; its commands cannot be checked.
    const isListed = entries.some(
      (entry) => (typeof entry === "string" ? entry : (entry.label ?? entry.scheme)) === scheme,
    );
    if (run === undefined && isListed) return [];
    if (run === undefined) {
      diagnostics.error(
        CODES.unknownPlace,
        place("scheme"),
        `no scheme of this file is called "${scheme}"${didYouMean(scheme, labels, '"')}`,
        `schemes: ${labels.join(", ")}`,
      );
      return [];
    }
    const known = Object.keys(run.commands);
    const schema = Object.hasOwn(run.commands, name) ? defined(run.commands[name]) : undefined;
    if (schema === undefined) {
      diagnostics.error(
        CODES.command,
        place("command"),
        `scheme ${scheme} has no command "${name}"${didYouMean(name, known, '"')}`,
        known.length === 0 ? `scheme ${scheme} has no commands` : `its commands: ${known.join(", ")}`,
      );
      return [];
    }
    const parsed = schema.safeParse(values);
    if (parsed.success) {
      const command = { name, values: parsed.data };
      const within: Locate = (path, atKey) =>
        locate(["commands", number, ...path], atKey) ?? locate(["commands", number]);
      collecting(diagnostics, () => run.checkCommand?.(command, within));
      return [{ at, scheme, name, values: parsed.data as Json, number }];
    }
    for (const { path, atKey, message, notes } of describeIssues(parsed.error.issues, schema, values))
      diagnostics.error(
        CODES.command,
        locate(["commands", number, ...path], atKey) ?? locate(["commands", number]),
        `command ${name} of scheme ${scheme}: ${message}`,
        ...notes,
      );
    return [];
  });
  return found.toSorted((a, b) => a.at - b.at || a.number - b.number);
}

// Faults of controllers in the list of an experiment file: `{ at: 1s, kind: kill, controller: routes }`.

export interface ControllerFault {
  /** Nanoseconds from the start. */
  readonly at: number;
  readonly kind: "kill" | "restart";
  /** Name of the controller. */
  readonly controller: string;
  /** Place in the file's list. */
  readonly number: number;
}

/**
 * The faults of controllers, in time order. Adds P43014 for a controller that no scheme has, P43015 for one that is killed
 * already, P43022 for a time after the end, and P43027 for what a fault of a controller cannot have.
 * After an error the faults must not be used.
 */
export function controllerFaults(
  { faults, duration }: { readonly faults: readonly ListedFault[]; readonly duration: number },
  schemes: readonly SchemeRun[],
  locate: Locate,
  diagnostics: Diagnostics,
): ControllerFault[] {
  const names = [...new Set(schemes.flatMap(({ plan }) => (plan.controllers ?? []).map(({ name }) => name)))];
  const found = faults.flatMap((spec, number): ControllerFault[] => {
    const { at, kind, controller } = spec;
    if (controller === undefined) return [];
    const place = (key: string) => locate(["faults", number, key]) ?? locate(["faults", number]);
    const others = Object.keys(spec).filter(
      (key) => !["at", "kind", "controller"].includes(key) && spec[key as keyof ListedFault] !== undefined,
    );
    for (const key of others)
      diagnostics.error(
        CODES.controllerFault,
        place(key),
        `a fault of a controller has no ${key}`,
        "it has at and kind",
      );
    if (at >= duration)
      diagnostics.error(
        CODES.afterTheEnd,
        place("at"),
        "the fault comes after the end of the run, see `duration`",
      );
    if (!names.includes(controller))
      diagnostics.error(
        CODES.unknownPlace,
        place("controller"),
        `no controller is called "${controller}"${didYouMean(controller, names, '"')}`,
        names.length > 0
          ? `controllers: ${names.join(", ")}`
          : "no scheme of this file has controllers; control_plane: { recompute_routes: true } gives one",
      );
    if (kind === "kill" || kind === "restart") return [{ at, kind, controller, number }];
    diagnostics.error(
      CODES.controllerFault,
      place("kind"),
      kind === undefined
        ? "a fault of a controller without a kind"
        : `a controller has no fault of the kind "${kind}"`,
      "kinds of a controller: kill, restart",
    );
    return [];
  });
  const inTime = found.toSorted((a, b) => a.at - b.at || a.number - b.number);
  const killed = new Set<string>();
  for (const { controller, kind, number } of inTime) {
    if (kind === "kill" && killed.has(controller))
      diagnostics.error(
        CODES.faultState,
        locate(["faults", number, "kind"]),
        `${controller} has already been killed`,
      );
    if (kind === "kill") killed.add(controller);
    else killed.delete(controller);
  }
  return inTime;
}
