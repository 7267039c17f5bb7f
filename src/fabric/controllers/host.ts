/** Starts, stops, kills and restarts the controllers of a fabric, on any engine. */
import {
  type DiagnosticError,
  didYouMean,
  fail,
  type Json,
  notJson,
  printable,
  type Random,
} from "../../base/index.js";
import type { Device } from "../../toolchain/device/index.js";
import { hostsOf, nodeAt, type Topology } from "../topology/index.js";
import { IncarnationClock } from "./clock.js";
import { CODES } from "./codes.js";
import type {
  CommandEvent,
  ControlledHost,
  ControlledSwitch,
  ControllerContext,
  ControllerPlace,
  ControllerPlan,
} from "./controller.js";
import { failureOf, type ReadSource } from "./failure.js";
import { Incarnation, NeverReady } from "./incarnation.js";
import { GatedDevice, linkEvents, type SwitchSession, switchEvents } from "./switch-session.js";
import type { Clock } from "./time-source.js";

/** The channel between controllers and the policy of a host. A run hands in one for each host. */
export interface HostSession {
  /** The answer of the host's policy; rejects with DeviceError UNIMPLEMENTED where the policy takes no messages. */
  ask(message: Json): Promise<Json>;
  /** Calls the listener with each message of the host's policy; returns a function that ends this. */
  watch(listener: (message: Json) => void): () => void;
}

/** What the controllers of a run are given. */
interface ControllerEnvironment {
  readonly topology: Topology;
  readonly clock: Clock;
  /** The control channel of a switch, by its node index, for a controller at this place. */
  session(node: number, place: ControllerPlace): SwitchSession;
  /** The channel of a host, by its node index. */
  hostSession(node: number): HostSession;
  /** It is forked by the name of a controller and the number of its start. */
  readonly random: Random;
  /** Takes a line of the log, without the newline. */
  log(line: string): void;
  /** Called when a controller has failed (P433xx). That controller has ended; the others continue. */
  failed(error: DiagnosticError): void;
  /** For the excerpt of a diagnostic; absent: none is shown. */
  readonly readSource?: ReadSource;
}

/**
 * `running`: in `prepare` or `start`. `returned`: `start` has returned, timers and listeners stay active. `ended`: stopped or
 * killed. `failed`: it threw.
 */
type ControllerState = "idle" | "running" | "returned" | "stopping" | "ended" | "failed";

/** Default time limit for a controller that is asked to end: 1 s. */
export const STOP_LIMIT_NS = 1_000_000_000;

/** Time limit of `prepare`: 60 s. */
const PREPARE_LIMIT_NS = 60_000_000_000;

export class ControllerHost {
  readonly #slots = new Map<string, Slot>();

  /**
   * Starts nothing yet. Throws DiagnosticError P43304 when two controllers have the same name, or one controls a node that is no
   * switch of the topology.
   */
  constructor(plans: readonly ControllerPlan[], environment: ControllerEnvironment) {
    for (const plan of plans) {
      checkPlan(plan, environment.topology, this.#slots);
      this.#slots.set(plan.name, new Slot(plan, environment));
    }
  }

  /** In the order of the plans. */
  get names(): string[] {
    return [...this.#slots.keys()];
  }

  /** Throws DiagnosticError P43305 when there is no controller of that name; so do all methods here that take a name. */
  state(name: string): ControllerState {
    return this.#slot(name).state;
  }

  /**
   * Starts all that do not run, in the order of the plans. Resolves when all are ready for traffic: `prepare` of each has
   * returned, or the controller has ended. One that takes longer than {@link PREPARE_LIMIT_NS} fails with P43307. On the
   * simulator the caller must advance time meanwhile.
   */
  async startAll(): Promise<void> {
    await Promise.all([...this.#slots.values()].map((slot) => slot.start()));
  }

  /** As {@link startAll} for one. Its code runs at this instant of the clock, but not before this method returns. */
  start(name: string): Promise<void> {
    return this.#slot(name).start();
  }

  /**
   * Ends a controller at once, as a crash would: its timers do not fire, promises that it awaits do not settle, and its
   * listeners are not called any more. Messages that it has sent still reach their switches. No effect when it does not run.
   */
  kill(name: string): void {
    this.#slot(name).kill();
  }

  /** Passes a command to all controllers that run. */
  command(command: CommandEvent): void {
    for (const slot of this.#slots.values()) slot.command(command);
  }

  killAll(): void {
    for (const slot of this.#slots.values()) slot.kill();
  }

  /** Kills it if it runs, and starts it again: with a new context, and the next stream of random numbers. */
  restart(name: string): Promise<void> {
    const slot = this.#slot(name);
    slot.kill();
    return slot.start();
  }

  /**
   * Asks a controller to end, and kills it after `limitNs`. Resolves when it has ended; false: it had to be killed. On the
   * simulator the caller must advance time meanwhile.
   */
  stop(name: string, limitNs: number = STOP_LIMIT_NS): Promise<boolean> {
    return this.#slot(name).stop(limitNs);
  }

  /** {@link stop} for all at the same time; false: at least one had to be killed. */
  async stopAll(limitNs: number = STOP_LIMIT_NS): Promise<boolean> {
    const ends = await Promise.all([...this.#slots.values()].map((slot) => slot.stop(limitNs)));
    return ends.every((politely) => politely);
  }

  #slot(name: string): Slot {
    const slot = this.#slots.get(name);
    if (slot !== undefined) return slot;
    const known = this.names.join(", ") || "none";
    fail(
      CODES.unknownController,
      undefined,
      `no controller is called "${name}"${didYouMean(name, this.names, '"')}`,
      `controllers: ${known}`,
    );
  }
}

function checkPlan(
  { name, switches }: ControllerPlan,
  { nodes }: Topology,
  taken: ReadonlyMap<string, unknown>,
): void {
  if (taken.has(name)) fail(CODES.contradiction, undefined, `two controllers are called "${name}"`);
  for (const node of switches) {
    const role = nodes[node]?.role;
    if (role !== undefined && role !== "host") continue;
    const what = role === undefined ? `node ${node}, which is not there` : `the host ${nodes[node]!.name}`;
    fail(CODES.contradiction, undefined, `controller "${name}" controls ${what}`, "name switches only");
  }
}

/** One controller: its incarnations follow each other. */
class Slot {
  state: ControllerState = "idle";
  #starts = 0;
  #life: Incarnation | undefined;
  /** Called when the running incarnation has ended; true: by itself. */
  #onEnd: ((politely: boolean) => void) | undefined;
  #stopping: Promise<boolean> | undefined;
  #ready: Promise<void> = Promise.resolve();
  /** Of the running incarnation. */
  readonly #onCommand = new Set<(command: CommandEvent) => void>();

  constructor(
    readonly plan: ControllerPlan,
    readonly environment: ControllerEnvironment,
  ) {}

  start(): Promise<void> {
    if (this.#life !== undefined) return this.#ready;
    const { plan, environment } = this;
    const life = new Incarnation(plan.name, ++this.#starts, environment.clock, (error, stack) => {
      const failure = failureOf(plan.name, error, stack, environment.readSource);
      this.#end(life, "failed");
      this.#log(`failed: ${failure.diagnostics[0]!.message}`);
      environment.failed(failure);
    });
    this.#life = life;
    this.state = "running";
    this.#log(life.number === 1 ? "started" : `started again (${life.number})`);
    this.#ready = new Promise((resolve) => {
      life.keep(resolve);
      this.#soon(life, () => {
        const context = this.#context(life);
        const { clock } = environment;
        const cancel =
          plan.controller.prepare === undefined
            ? () => {}
            : clock.at(clock.now() + PREPARE_LIMIT_NS, () => life.fail(new NeverReady()));
        const forget = life.keep(cancel);
        const start = () => {
          forget();
          cancel();
          resolve();
          then(
            life.call(() => plan.controller.start(context)),
            () => this.#returned(life),
          );
        };
        then(
          life.call(() => plan.controller.prepare?.(context)),
          start,
        );
      });
    });
    return this.#ready;
  }

  /** Runs the listeners at this instant, as an event of the clock. */
  command(command: CommandEvent): void {
    const life = this.#life;
    if (life === undefined) return;
    this.#soon(life, () => {
      for (const listener of [...this.#onCommand]) listener(command);
    });
  }

  kill(): void {
    if (this.#life === undefined) return;
    this.#end(this.#life, "ended");
    this.#log("killed");
    this.#onEnd?.(false);
  }

  stop(limitNs: number): Promise<boolean> {
    const life = this.#life;
    if (life === undefined) return Promise.resolve(true);
    this.#stopping ??= new Promise((resolve) => {
      const { clock } = this.environment;
      this.#soon(life, () => {
        const hasReturned = this.state === "returned";
        this.state = "stopping";
        life.askToStop(!hasReturned);
        if (hasReturned) this.#returned(life);
      });
      const cancel = clock.at(clock.now() + limitNs, () => {
        if (this.#life === life) this.kill();
      });
      this.#onEnd = (politely) => {
        cancel();
        this.#onEnd = undefined;
        this.#stopping = undefined;
        resolve(politely);
      };
    });
    return this.#stopping;
  }

  /** `start` has returned, or rejected with the reason of the stop. */
  #returned(life: Incarnation): void {
    if (life.over) return;
    if (!life.stopped.aborted) {
      this.state = "returned";
      return;
    }
    this.#end(life, "ended");
    this.#log("stopped");
    this.#onEnd?.(true);
  }

  #end(life: Incarnation, state: ControllerState): void {
    life.end();
    this.#onCommand.clear();
    this.#life = undefined;
    this.state = state;
    // An event of the clock, after which the promises of the host's callers run on the simulator.
    const { clock } = this.environment;
    clock.at(clock.now(), () => {});
    if (state === "failed") this.#onEnd?.(true);
  }

  /** Runs `work` at this instant, as an event of the clock: on the simulator promises settle only after events. */
  #soon(life: Incarnation, work: () => void): void {
    const { clock } = this.environment;
    clock.at(clock.now(), () => {
      if (!life.over) work();
    });
  }

  #log(text: string): void {
    const { clock, log } = this.environment;
    for (const line of text.split("\n")) log(`${seconds(clock.now())} ${this.plan.name}: ${printable(line)}`);
  }

  #context(life: Incarnation): ControllerContext {
    const { plan, environment } = this;
    const { topology, random } = environment;
    const sessions = plan.switches.map((node) => ({
      node: nodeAt(topology, node),
      session: environment.session(node, plan.place ?? "central"),
    }));
    const switches = sessions.map(
      ({ node, session }): ControlledSwitch => ({ node, device: new GatedDevice(session.device, life) }),
    );
    const byName = new Map(switches.map(({ node, device }) => [node.name, device]));
    /** Watches the states of all switches until the returned function is called, or the incarnation ends. */
    const watch = (make: (node: ControlledSwitch["node"]) => Parameters<SwitchSession["watchState"]>[0]) => {
      if (life.over) return () => {};
      const stops = sessions.map(({ node, session }) => session.watchState(make(node)));
      const stop = () => {
        for (const each of stops) each();
      };
      const forget = life.keep(stop);
      return () => {
        forget();
        stop();
      };
    };
    const hosts = hostsOf(topology).map(
      (node): ControlledHost => ({
        node,
        ask: (message) => {
          const wrong = notJson(message);
          if (wrong !== undefined) {
            const at = wrong.path === "" ? "" : ` at ${wrong.path}`;
            return Promise.reject(
              new TypeError(`a message to ${node.name} has ${wrong.what}${at}, no plain JSON`),
            );
          }
          return life.ask(() => environment.hostSession(node.index).ask(message));
        },
      }),
    );
    return {
      name: plan.name,
      incarnation: life.number,
      topology,
      switches,
      device: (name) => byName.get(name) ?? noSwitch(plan.name, name, byName),
      hosts,
      host: (name) => hosts.find(({ node }) => node.name === name) ?? noHost(name, hosts),
      clock: new IncarnationClock(environment.clock, life),
      random: random.fork(`controller ${plan.name}`).fork(life.number),
      log: (text) => {
        if (!life.over) this.#log(text);
      },
      watchLinks: (listener) => {
        const heard = life.listener(listener);
        return watch((node) => linkEvents(topology, node, heard));
      },
      watchSwitches: (listener) => {
        const heard = life.listener(listener);
        return watch((node) => switchEvents(node, heard));
      },
      watchCommands: (listener) => {
        if (life.over) return () => {};
        const heard = life.listener(listener);
        this.#onCommand.add(heard);
        return () => this.#onCommand.delete(heard);
      },
      watchHosts: (listener) => {
        if (life.over) return () => {};
        const heard = life.listener(listener);
        const stops = hosts.map(({ node }) =>
          environment.hostSession(node.index).watch((message) => heard({ host: node, message })),
        );
        const stop = () => {
          for (const each of stops) each();
        };
        const forget = life.keep(stop);
        return () => {
          forget();
          stop();
        };
      },
      stopped: life.stopped,
    };
  }
}

/** Calls `next` at once, or when the promise resolves. */
function then(running: Promise<void> | undefined, next: () => void): void {
  if (running === undefined) next();
  else void running.then(next);
}

function noSwitch(controller: string, name: string, known: ReadonlyMap<string, Device>): never {
  fail(
    CODES.foreignSwitch,
    undefined,
    `controller "${controller}" controls no switch called "${name}"${didYouMean(name, known.keys(), '"')}`,
    `its switches: ${[...known.keys()].slice(0, MAX_LISTED).join(", ")}${known.size > MAX_LISTED ? ", ..." : ""}`,
  );
}

function noHost(name: string, hosts: readonly ControlledHost[]): never {
  const names = hosts.map(({ node }) => node.name);
  fail(
    CODES.unknownHost,
    undefined,
    `no host is called "${name}"${didYouMean(name, names, '"')}`,
    `hosts: ${names.slice(0, MAX_LISTED).join(", ")}${names.length > MAX_LISTED ? ", ..." : ""}`,
  );
}

const MAX_LISTED = 12;

/** Seconds with nine decimals. */
function seconds(ns: number): string {
  const whole = Math.trunc(Math.abs(ns) / 1e9);
  const rest = Math.round(Math.abs(ns) % 1e9);
  return `${ns < 0 ? "-" : ""}${whole}.${String(rest).padStart(9, "0")}`;
}
