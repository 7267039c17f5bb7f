/** Controllers on real switches: the machine's monotonic clock, and the P4Runtime connections of the testbed. */

import { defined } from "../../base/index.js";
import { DeviceError } from "../../toolchain/device/index.js";
import type { Clock, HostSession, SwitchSession, SwitchState } from "../controllers/index.js";
import { restingHost } from "../hosts/index.js";
import type { Agent, RunningSwitch } from "../testbed/index.js";
import type { Topology } from "../topology/index.js";
import { type Command, type ControllerFault, ControlPlane } from "./control-plane.js";
import type { SchemeRun } from "./experiment.js";
import type { SchemeLog } from "./results.js";
import { MONOTONIC_CLOCK, type Clock as TestbedClock } from "./testbed/flow-watch.js";

/** Longest time that a timer of Node accepts, in nanoseconds; a longer timer fires at once. */
const LONGEST_TIMER_NS = 2 ** 31 * 1e6 - 1e6;

/** The machine's clock; its time 0 is now. */
export function wallControlClock(clock: TestbedClock = MONOTONIC_CLOCK): Clock {
  const zero = clock.now();
  return {
    now: () => clock.now() - zero,
    at: (time, wake) => {
      const due = time + zero;
      let cancel = () => {};
      const arm = () => {
        const next = Math.min(due, clock.now() + LONGEST_TIMER_NS);
        cancel = clock.at(next, next < due ? arm : wake);
      };
      arm();
      return () => cancel();
    },
  };
}

export interface TestbedControlOptions {
  readonly topology: Topology;
  readonly scheme: SchemeRun;
  readonly seed: number;
  /** A switch by its node index. */
  switch(node: number): RunningSwitch;
  /** The agent of a host by its node index. It is started at the first request. */
  agent(node: number): Promise<Agent>;
  log(line: string): void;
}

/** The controllers of one scheme on a testbed. */
export class TestbedControl {
  readonly #options: TestbedControlOptions;
  /** Node indexes of the switches that have the program and the state of their scheme. */
  readonly #configured = new Set<number>();
  readonly #listeners = new Map<number, Set<() => void>>();
  readonly #failed = new AbortController();
  #plane: ControlPlane | undefined;

  constructor(options: TestbedControlOptions) {
    this.#options = options;
  }

  /** Aborted with the DiagnosticError of a controller that fails. */
  get failed(): AbortSignal {
    return this.#failed.signal;
  }

  /** The switch has its program and its state: controllers now see it as running. */
  configured(node: number): void {
    this.#configured.add(node);
    for (const listener of this.#listeners.get(node) ?? []) listener();
  }

  /** Starts the controllers; resolves when all are ready for traffic. Rejects with the DiagnosticError of one that fails. */
  async start(): Promise<void> {
    const { topology, scheme, seed, log } = this.#options;
    const { label, plan } = scheme;
    if ((plan.controllers ?? []).length === 0) return;
    const plane = new ControlPlane({
      label,
      plan,
      topology,
      seed,
      clock: wallControlClock(),
      session: (node) => this.#session(node),
      hostSession: (node) => this.#hostSession(node),
      onLine: (line) => log(`controllers: ${line}`),
      onFailure: (error) => this.#failed.abort(error),
    });
    this.#plane = plane;
    await plane.host.startAll();
    plane.throwIfFailed();
  }

  apply(fault: ControllerFault): void {
    this.#plane?.apply(fault);
  }

  command(command: Command): void {
    this.#plane?.command(command);
  }

  /** Stops the controllers and lets them finish their work; rejects with the DiagnosticError of one that has failed. */
  async stop(): Promise<SchemeLog[]> {
    const plane = this.#plane;
    if (plane === undefined) return [];
    await plane.host.stopAll();
    plane.throwIfFailed();
    return [{ label: this.#options.scheme.label, lines: plane.log }];
  }

  /** Kills the controllers that still run. */
  close(): void {
    this.#plane?.close();
  }

  /** The connection between the testbed and the agent: it does not cross the switches. */
  #hostSession(node: number): HostSession {
    const { agent, scheme, topology } = this.#options;
    const takesMessages = scheme.hosts(restingHost()).onMessage !== undefined;
    return {
      ask: async (message) => {
        const { name } = defined(topology.nodes[node]);
        if (!takesMessages)
          throw new DeviceError("UNIMPLEMENTED", `the policy of host ${name} takes no messages`);
        return await (await agent(node)).message(message);
      },
      watch: (listener) => {
        let stop = () => {};
        let isOver = false;
        agent(node).then(
          (one) => {
            if (!isOver) stop = one.onTold(listener);
          },
          // The caller of the request gets the same error.
          () => {},
        );
        return () => {
          isOver = true;
          stop();
        };
      },
    };
  }

  #session(node: number): SwitchSession {
    const real = this.#options.switch(node);
    return {
      device: real.device,
      watchState: (listener) => {
        let state: SwitchState | undefined;
        const tell = () => {
          if (state !== undefined)
            listener({ ...state, running: state.running && this.#configured.has(node) });
        };
        const stop = real.watchState((next) => {
          state = next;
          if (!next.running) this.#configured.delete(node);
          tell();
        });
        const listeners = this.#listeners.get(node) ?? new Set();
        this.#listeners.set(node, listeners.add(tell));
        return () => {
          stop();
          listeners.delete(tell);
        };
      },
    };
  }
}
