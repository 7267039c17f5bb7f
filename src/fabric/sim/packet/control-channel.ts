/**
 * The control channel between control planes and a switch, in virtual time. Messages of one direction keep their order.
 * A message takes its time of transmission (its bytes at the channel's rate, after the messages before it) and the
 * delay; the switch works on one request after the other and takes a processing time for each update or query.
 *
 * The channel outlives the process of the switch: {@link ControlChannel.disconnect} when the process ends, {@link
 * ControlChannel.connect} when it runs again.
 */

import type { Json } from "../../../base/index.js";
import {
  type Atomicity,
  type ControllerPacket,
  type Device,
  DeviceError,
  type DeviceEvent,
  type Entity,
  type ReadQuery,
  settingsThrough,
  type TargetSettings,
  type Update,
} from "../../../toolchain/device/index.js";
import type { Program } from "../../../toolchain/program/index.js";
import { ControlDirection, type ControlFault } from "./control-direction.js";
import { entityBytes, eventBytes, MESSAGE_BYTES, packetBytes, queryBytes } from "./control-messages.js";
import type { Host } from "./host.js";
import type { Simulation } from "./simulation.js";
import { type PortSource, STEADY_PORTS } from "./switch-node.js";

export interface ControlChannelOptions {
  /** Propagation, one way, in nanoseconds. */
  delay: number;
  /** Bits per second of each direction; 0 or absent: messages take no time of transmission. */
  rate?: number | undefined;
  /** Nanoseconds that the switch needs for an update, a query or a packet-out; 0 unless given. */
  processing?: number | undefined;
}

/** The state of the switch that a control plane can see in addition to the answers of its device. */
export interface ChannelState {
  /** Whether the process of the switch runs. */
  readonly running: boolean;
  /** Ports without a carrier; while the switch does not run, as in its last report. */
  readonly downPorts: ReadonlySet<number>;
}

/** Actions between a control plane and a switch, at the time when the switch executes them. */
export type ControlAct =
  | { readonly kind: "write"; readonly updates: readonly Update[] }
  | { readonly kind: "packet-out" }
  | { readonly kind: "event"; readonly event: DeviceEvent };

export class ControlChannel implements Device {
  /** For recordings. */
  observer: ((act: ControlAct) => void) | undefined;
  readonly #simulation: Simulation;
  readonly #device: Device;
  readonly #ports: PortSource;
  readonly #processing: number;
  readonly #toSwitch: ControlDirection;
  readonly #fromSwitch: ControlDirection;
  /** Time at which the switch has finished all received requests. */
  #switchFreeAt = 0;
  /** Number of the process at the switch, and whether it runs. */
  #process = 0;
  #runs = true;
  /** Whether the control plane knows that the process runs. */
  #connected = true;
  /** Requests without an answer: each is refused when the control plane is notified that the process has ended. */
  readonly #open = new Set<() => void>();
  readonly #onConnection = new Set<() => void>();

  constructor(
    simulation: Simulation,
    device: Device,
    { delay, rate = 0, processing = 0 }: ControlChannelOptions,
    ports: PortSource = STEADY_PORTS,
  ) {
    this.#simulation = simulation;
    this.#device = device;
    this.#ports = ports;
    this.#processing = processing;
    this.#toSwitch = new ControlDirection(simulation, delay, rate);
    this.#fromSwitch = new ControlDirection(simulation, delay, rate);
  }

  get name(): string {
    return this.#device.name;
  }

  get program(): Program | undefined {
    return this.#device.program;
  }

  /** Each setting takes the time of a request. */
  get settings(): TargetSettings | undefined {
    return settingsThrough(this.#device.settings, (work) => this.#request(MESSAGE_BYTES, 1, work));
  }

  /** The program itself is assumed to be at the switch: only the request takes time. */
  load(program: Program): Promise<void> {
    return this.#request(MESSAGE_BYTES, 1, () => this.#device.load(program));
  }

  verify(program: Program): Promise<void> {
    return this.#request(MESSAGE_BYTES, 1, async () => this.#device.verify?.(program));
  }

  write(updates: readonly Update[], atomicity?: Atomicity): Promise<void> {
    const bytes = updates.reduce((sum, { entity }) => sum + entityBytes(entity), MESSAGE_BYTES);
    return this.#request(bytes, updates.length, () => {
      this.observer?.({ kind: "write", updates });
      return this.#device.write(updates, atomicity);
    });
  }

  read(queries: readonly ReadQuery[]): Promise<Entity[]> {
    const bytes = queries.reduce((sum, query) => sum + queryBytes(query), MESSAGE_BYTES);
    return this.#request(
      bytes,
      queries.length,
      () => this.#device.read(queries),
      (entities) => entities.reduce((sum, entity) => sum + entityBytes(entity), MESSAGE_BYTES),
    );
  }

  packetOut(packet: ControllerPacket): Promise<void> {
    return this.#request(MESSAGE_BYTES + packetBytes(packet), 1, () => {
      this.observer?.({ kind: "packet-out" });
      return this.#device.packetOut(packet);
    });
  }

  acknowledgeDigest(digest: string, listId: bigint): Promise<void> {
    return this.#request(MESSAGE_BYTES, 1, () => this.#device.acknowledgeDigest(digest, listId));
  }

  /** Events take the channel back to the control plane; those still in flight when the returned function is called are dropped. */
  watch(listener: (event: DeviceEvent) => void): () => void {
    let watching = true;
    const stop = this.#device.watch((event) => {
      if (!this.#runs) return;
      this.observer?.({ kind: "event", event });
      this.#fromSwitch.send(eventBytes(event), () => {
        if (!watching) return;
        this.#simulation.letPromisesRun();
        listener(event);
      });
    });
    return () => {
      watching = false;
      stop();
    };
  }

  /**
   * Calls back with the state of the switch one round trip after the call, and with each change of its ports or of its
   * process, one delay after the change. Returns a function that ends this; reports in flight are then dropped.
   */
  watchState(listener: (state: ChannelState) => void): () => void {
    let watching = true;
    let downPorts: ReadonlySet<number> = new Set();
    const notify = () => {
      if (!watching) return;
      this.#simulation.letPromisesRun();
      listener({ running: this.#connected, downPorts });
    };
    const report = () => {
      if (!this.#runs) return;
      const now: ReadonlySet<number> = new Set(this.#ports.downPorts);
      this.#fromSwitch.send(MESSAGE_BYTES, () => {
        downPorts = now;
        notify();
      });
    };
    let stopPorts = () => {};
    const subscribe = () => {
      if (!watching) return;
      stopPorts();
      stopPorts = this.#ports.watchPorts(report);
      report();
    };
    const changed = () => {
      notify();
      if (this.#connected) this.#toSwitch.send(MESSAGE_BYTES, subscribe);
    };
    this.#onConnection.add(changed);
    if (this.#connected) this.#toSwitch.send(MESSAGE_BYTES, subscribe);
    else this.#simulation.at(this.#simulation.now, notify);
    return () => {
      watching = false;
      this.#onConnection.delete(changed);
      stopPorts();
    };
  }

  /**
   * The process of the switch ends. Control planes are notified one delay later: open requests are then refused
   * with UNAVAILABLE, and new ones at once, until control planes are notified of {@link connect}.
   */
  disconnect(): void {
    if (!this.#runs) return;
    this.#runs = false;
    this.#process++;
    this.#switchFreeAt = 0;
    this.#fromSwitch.send(MESSAGE_BYTES, () => {
      this.#connected = false;
      this.#simulation.letPromisesRun();
      for (const refuse of this.#open) refuse();
      this.#open.clear();
      for (const listener of [...this.#onConnection]) listener();
    });
  }

  /** A process of the switch runs again. Control planes are notified one delay later. */
  connect(): void {
    if (this.#runs) return;
    this.#runs = true;
    this.#fromSwitch.send(MESSAGE_BYTES, () => {
      this.#connected = true;
      this.#simulation.letPromisesRun();
      for (const listener of [...this.#onConnection]) listener();
    });
  }

  /** From now on the fault affects messages of both directions; those in flight are not affected. */
  beginFault(fault: ControlFault): void {
    this.#toSwitch.begin(fault);
    this.#fromSwitch.begin(fault);
  }

  endFault(fault: ControlFault): void {
    this.#toSwitch.end(fault);
    this.#fromSwitch.end(fault);
  }

  close(): Promise<void> {
    return this.#device.close();
  }

  #request<T>(
    bytes: number,
    operations: number,
    ask: () => Promise<T>,
    answerBytes: (answer: T) => number = () => MESSAGE_BYTES,
  ): Promise<T> {
    const simulation = this.#simulation;
    const unavailable = () => new DeviceError("UNAVAILABLE", `switch ${this.name} is not running`);
    if (!this.#connected) return Promise.reject(unavailable());
    return new Promise((resolve, reject) => {
      const refuse = () => reject(unavailable());
      this.#open.add(refuse);
      const process = this.#process;
      const isGone = () => process !== this.#process || !this.#runs;
      this.#toSwitch.send(bytes, () => {
        if (isGone()) return;
        const start = Math.max(this.#switchFreeAt, simulation.now);
        this.#switchFreeAt = start + operations * this.#processing;
        const answer = (size: number, settle: () => void) => {
          if (isGone()) return;
          this.#fromSwitch.send(size, () => {
            this.#open.delete(refuse);
            simulation.letPromisesRun();
            settle();
          });
        };
        const carryOut = () => {
          if (isGone()) return;
          simulation.letPromisesRun();
          ask().then(
            (value) => answer(answerBytes(value), () => resolve(value)),
            (error) => answer(MESSAGE_BYTES, () => reject(error)),
          );
        };
        if (this.#switchFreeAt > simulation.now) simulation.at(this.#switchFreeAt, carryOut);
        else carryOut();
      });
    });
  }
}

/**
 * Runs the simulation until `promise` is settled and gives its value. The clock stays at the event that settled it.
 * The promise may depend only on events in virtual time.
 *
 * @throws Error when no event is left and the promise is still open
 */
export async function settle<T>(simulation: Simulation, promise: Promise<T>): Promise<T> {
  let settled = false;
  const mark = () => {
    settled = true;
  };
  promise.then(mark, mark);
  await simulation.runAsync(Number.POSITIVE_INFINITY, () => settled);
  if (!settled) throw new Error("no event is left, and an answer is still missing");
  return promise;
}

// The channel between the controllers and the policy of one host, in virtual time, like the control channel of a switch.

export class HostChannel {
  readonly #simulation: Simulation;
  readonly #host: Host;
  readonly #toHost: ControlDirection;
  readonly #fromHost: ControlDirection;
  readonly #listeners = new Set<(message: Json) => void>();

  constructor(simulation: Simulation, host: Host, { delay, rate = 0 }: ControlChannelOptions) {
    this.#simulation = simulation;
    this.#host = host;
    this.#toHost = new ControlDirection(simulation, delay, rate);
    this.#fromHost = new ControlDirection(simulation, delay, rate);
  }

  /** The answer of the host's policy. Rejects with DeviceError UNIMPLEMENTED where the policy takes no messages. */
  ask(message: Json): Promise<Json> {
    const { policy, name } = this.#host;
    return new Promise((resolve, reject) => {
      this.#toHost.send(bytesOf(message), () => {
        const answer = (bytes: number, settle: () => void) =>
          this.#fromHost.send(bytes, () => {
            this.#simulation.letPromisesRun();
            settle();
          });
        if (policy.onMessage === undefined) {
          const refusal = new DeviceError("UNIMPLEMENTED", `the policy of host ${name} takes no messages`);
          answer(MESSAGE_BYTES, () => reject(refusal));
          return;
        }
        const said = copyOf(policy.onMessage(copyOf(message)));
        answer(bytesOf(said), () => resolve(said));
      });
    });
  }

  /** Sends a message of the host's policy; it is lost if no controller is subscribed when it arrives. */
  tell(message: Json): void {
    const sent = copyOf(message);
    this.#fromHost.send(bytesOf(sent), () => {
      this.#simulation.letPromisesRun();
      for (const listener of [...this.#listeners]) listener(sent);
    });
  }

  watch(listener: (message: Json) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  beginFault(fault: ControlFault): void {
    this.#toHost.begin(fault);
    this.#fromHost.begin(fault);
  }

  endFault(fault: ControlFault): void {
    this.#toHost.end(fault);
    this.#fromHost.end(fault);
  }
}

/** A copy, so that later changes of a message by one side do not affect the other. */
function copyOf(message: Json): Json {
  return JSON.parse(JSON.stringify(message)) as Json;
}

function bytesOf(message: Json): number {
  return MESSAGE_BYTES + JSON.stringify(message).length;
}
