/**
 * A control plane program as people write it. A {@link Controller} sees devices, a clock, link and switch events, random
 * numbers and a log, all through its {@link ControllerContext}. It does not see the engine: the same code controls the
 * switches of the simulator in virtual time, and real switches over P4Runtime.
 */
import type { Json, Random } from "../base/index.js";
import type { Device } from "../device/index.js";
import type { Link, Topology, TopologyNode } from "../topology/index.js";
import type { ControllerClock } from "./clock.js";

/**
 * A control plane program: one for the whole fabric, or one for each switch.
 *
 * Whatever its methods, a timer or a listener throws, and every rejection of a promise that one of them returns, ends the
 * controller and the run (P43301). So await each promise, or return it: nobody can tell where a promise that was dropped
 * came from.
 */
export interface Controller {
  /**
   * What must be done before traffic starts, such as a first measurement: a run waits for all controllers. Called at each
   * start, before `start`.
   */
  prepare?(context: ControllerContext): Promise<void> | void;
  /**
   * Controls. The controller runs until it is stopped or killed, also when `start` has returned before: its timers and
   * listeners stay. `start` may run for the whole life of the controller as well.
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
 * `central`: on a machine of its own, its messages cross the management network. `switch`: on the processor of each of its
 * switches. The simulator gives the two different delays; on real switches there is one way, the connection of the lab.
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

/** A port of a controlled switch lost its carrier, or has it again. A link between two switches has an event for each end. */
export interface LinkEvent {
  readonly switch: TopologyNode;
  readonly port: number;
  /** The link of the topology at this port. */
  readonly link: Link;
  readonly up: boolean;
}

/** The process of a controlled switch ended, or runs again. */
export interface SwitchEvent {
  readonly switch: TopologyNode;
  /** True: it runs again, with the program and the state that its scheme planned; what controllers wrote later is lost. */
  readonly running: boolean;
}

/** A host, whose policy answers questions. */
export interface ControlledHost {
  readonly node: TopologyNode;
  /**
   * The answer of the host's policy (`HostPolicy.onMessage`), over the control channel. It is late, not lost, where the channel
   * loses messages. Rejects with the DeviceError UNIMPLEMENTED where the policy takes no messages, and with a TypeError for a
   * message that is no plain JSON.
   */
  ask(message: Json): Promise<Json>;
}

/** The policy of a host told something (`HostContext.tell`). */
export interface HostEvent {
  readonly host: TopologyNode;
  readonly message: Json;
}

/** An experiment file, or whoever runs the fabric, tells the controllers of a scheme what to do. */
export interface CommandEvent {
  readonly name: string;
  /** As the scheme's schema of this command has parsed them. */
  readonly values: Json;
}

/** All that a controller can see and do. A restarted controller gets a new one, and nothing else from its earlier lives. */
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
  /** A stream of its own for each start of each controller, from the seed of the run. */
  readonly random: Random;
  /** Adds a line to the log of the run, with the time and the name of the controller. */
  log(text: string): void;
  /**
   * Calls back for each port of the controlled switches that is down when the switch answers, then for each change. The
   * news takes the control channel, with its delay. What happened while a switch did not run is told when it runs again.
   * Returns how to stop.
   */
  watchLinks(listener: (event: LinkEvent) => void | Promise<void>): () => void;
  /** Calls back for each controlled switch that does not run when asked, then for each end and each return. */
  watchSwitches(listener: (event: SwitchEvent) => void | Promise<void>): () => void;
  /** Calls back for each command that comes from now on; one that comes while the controller does not run is lost. */
  watchCommands(listener: (command: CommandEvent) => void | Promise<void>): () => void;
  /** Calls back for each message that a host's policy tells from now on. Returns how to stop. */
  watchHosts(listener: (event: HostEvent) => void | Promise<void>): () => void;
  /**
   * Aborted when the controller is asked to end, never by a kill. If `start` has returned, the controller is over after the
   * signal's listeners. Otherwise pending `sleep`s reject with the signal's reason and `every` ends, but devices, `at` and
   * new `sleep`s still work, so that it can leave an orderly state: it has ended when `start` returns or rejects with
   * that reason, or when the limit is over.
   */
  readonly stopped: AbortSignal;
}
