/**
 * A control plane program as people write it. A {@link Controller} sees devices, a clock, link and switch events, random
 * numbers and a log, all through its {@link ControllerContext}. It does not see the engine: the same code controls the
 * switches of the simulator in virtual time, and real switches over P4Runtime.
 */
import type { Json, Random } from "../../base/index.js";
import type { Device } from "../../toolchain/device/index.js";
import type { Link, Topology, TopologyNode } from "../topology/index.js";
import type { ControllerClock } from "./clock.js";

/**
 * A control plane program: one for the whole fabric, or one for each switch.
 *
 * An exception of its methods, timers or listeners, and every rejected promise that one of them returns, ends the
 * controller and the run (P43301). So await each promise, or return it: for a promise that is neither awaited nor returned,
 * the controller that it belongs to is unknown.
 */
export interface Controller {
  /**
   * Work that must be done before traffic starts, such as a first measurement: a run waits for all controllers. Called at each
   * start, before `start`.
   */
  prepare?(context: ControllerContext): Promise<void> | void;
  /**
   * Controls. The controller runs until it is stopped or killed, even after `start` has returned: its timers and
   * listeners stay. `start` may also run for the whole life of the controller.
   */
  start(context: ControllerContext): Promise<void> | void;
}

/** One controller of a fabric. */
export interface ControllerPlan {
  /** Unique in its fabric; in the log, and in the faults of an experiment (`controller: NAME`). */
  readonly name: string;
  /** Node indexes of the switches that it controls: all of them (central), one, or any number between. */
  readonly switches: readonly number[];
  readonly controller: Controller;
  /** Where it runs; `central` unless given. */
  readonly place?: ControllerPlace;
}

/**
 * `central`: on a machine of its own, so that its messages cross the management network. `switch`: on the processor of each of its
 * switches. The simulator gives them different delays; real switches have only one way, the connection of the testbed.
 */
export type ControllerPlace = "central" | "switch";

/** A switch and the device that controls it. */
export interface ControlledSwitch {
  readonly node: TopologyNode;
  /**
   * Sends and receives over the control channel of the switch. While the switch does not run, every call is refused with
   * the DeviceError UNAVAILABLE. `close` does nothing: the control channel belongs to the run.
   */
  readonly device: Device;
}

/** A port of a controlled switch lost its carrier, or got it back. A link between two switches has an event for each end. */
export interface LinkEvent {
  readonly switch: TopologyNode;
  readonly port: number;
  /** The link of the topology at this port. */
  readonly link: Link;
  readonly up: boolean;
}

/** The process of a controlled switch ended, or was restarted. */
export interface SwitchEvent {
  readonly switch: TopologyNode;
  /** True: it runs again, with the program and the state of its scheme's plan; later writes of controllers are lost. */
  readonly running: boolean;
}

/** A host, whose policy answers questions. */
export interface ControlledHost {
  readonly node: TopologyNode;
  /**
   * The answer of the host's policy (`HostPolicy.onMessage`), over the control channel. A channel that loses messages delays it, but does
   * not lose it. Rejects with the DeviceError UNIMPLEMENTED where the policy takes no messages, and with a TypeError for a
   * message that is no plain JSON.
   */
  ask(message: Json): Promise<Json>;
}

/** The policy of a host sent a message (`HostContext.tell`). */
export interface HostEvent {
  readonly host: TopologyNode;
  readonly message: Json;
}

/** A command to the controllers of a scheme, from an experiment file or another caller that runs the fabric. */
export interface CommandEvent {
  readonly name: string;
  /** The values after the scheme's schema of this command has parsed them. */
  readonly values: Json;
}

/** All that a controller can see and do. A restarted controller gets a new one, and keeps no state of earlier incarnations. */
export interface ControllerContext {
  readonly name: string;
  /** 1 at the first start, 2 after the first restart. */
  readonly incarnation: number;
  readonly topology: Topology;
  /** In the order of {@link ControllerPlan.switches}. */
  readonly switches: readonly ControlledSwitch[];
  /** The device of a controlled switch. Throws DiagnosticError P43303 for any other name. */
  device(name: string): Device;
  /** All hosts of the topology, in its order. */
  readonly hosts: readonly ControlledHost[];
  /** A host by its name. Throws DiagnosticError P43308 for any other name. */
  host(name: string): ControlledHost;
  readonly clock: ControllerClock;
  /** A random stream for each start of each controller, from the seed of the run. */
  readonly random: Random;
  /** Adds a line to the log of the run, with the time and the name of the controller. */
  log(text: string): void;
  /**
   * Calls back for each port of the controlled switches that is down when the switch answers, then for each change. The
   * event takes the delay of the control channel. Changes while a switch does not run are reported when it runs again.
   * Returns a function that ends the subscription.
   */
  watchLinks(listener: (event: LinkEvent) => void | Promise<void>): () => void;
  /** Calls back for each controlled switch that does not run at the time of the call, then for each end and each restart. */
  watchSwitches(listener: (event: SwitchEvent) => void | Promise<void>): () => void;
  /** Calls back for each later command; a command that arrives while the controller does not run is lost. */
  watchCommands(listener: (command: CommandEvent) => void | Promise<void>): () => void;
  /** Calls back for each later message of a host's policy. Returns a function that ends the subscription. */
  watchHosts(listener: (event: HostEvent) => void | Promise<void>): () => void;
  /**
   * Aborted when the controller is asked to end, never by a kill. If `start` has returned, the controller ends after the
   * signal's listeners. Otherwise pending `sleep`s reject with the signal's reason and `every` ends, but devices, `at` and
   * new `sleep`s still work, so that it can leave a consistent state: it has ended when `start` returns or rejects with
   * that reason, or when the time limit is over.
   */
  readonly stopped: AbortSignal;
}
