/** The interface that a run provides for each switch, and the events that controllers get from it. */
import {
  type Atomicity,
  type ControllerPacket,
  type Device,
  type DeviceEvent,
  type Entity,
  type Names,
  type Pace,
  type ReadQuery,
  settingsThrough,
  type TargetSettings,
  type Update,
} from "../../toolchain/device/index.js";
import type { P4InfoIndex, Program } from "../../toolchain/program/index.js";
import type { Topology, TopologyNode } from "../topology/index.js";
import type { LinkEvent, SwitchEvent } from "./controller.js";
import type { Incarnation } from "./incarnation.js";

/** The state of a switch that a control plane can see in addition to the answers of its device. */
export interface SwitchState {
  /** Whether its process runs and it has the program and state that its scheme planned. */
  readonly running: boolean;
  /** Ports without a carrier; while the switch does not run, as in its last report. */
  readonly downPorts: ReadonlySet<number>;
}

/** The control channel of a switch. It outlives the processes of the switch and all controllers. */
export interface SwitchSession {
  readonly device: Device;
  /** Calls back with the state as soon as it is known, and with each change; returns a function that ends the subscription. */
  watchState(listener: (state: SwitchState) => void): () => void;
}

/** A listener of states that calls back for each port that goes down or comes up. */
export function linkEvents(
  topology: Topology,
  node: TopologyNode,
  listener: (event: LinkEvent) => void,
): (state: SwitchState) => void {
  let known: ReadonlySet<number> = new Set();
  const notify = (port: number, up: boolean) => {
    const own = node.ports[port - 1];
    if (own !== undefined) listener({ switch: node, port, link: topology.links[own.link]!, up });
  };
  return ({ running, downPorts }) => {
    if (!running) return;
    const before = known;
    known = new Set(downPorts);
    for (const port of [...before].sort((a, b) => a - b)) if (!known.has(port)) notify(port, true);
    for (const port of [...known].sort((a, b) => a - b)) if (!before.has(port)) notify(port, false);
  };
}

/** A listener of states that calls back for each end and each restart of the switch. */
export function switchEvents(
  node: TopologyNode,
  listener: (event: SwitchEvent) => void,
): (state: SwitchState) => void {
  let known = true;
  return ({ running }) => {
    if (running === known) return;
    known = running;
    listener({ switch: node, running });
  };
}

// The device of one incarnation of a controller: it has no effect after the end of that incarnation.

export class GatedDevice implements Device {
  readonly #device: Device;
  readonly #life: Incarnation;

  constructor(device: Device, life: Incarnation) {
    this.#device = device;
    this.#life = life;
  }

  get name(): string {
    return this.#device.name;
  }

  get program(): Program | undefined {
    return this.#device.program;
  }

  get index(): P4InfoIndex | undefined {
    return this.#device.index;
  }

  get names(): Names | undefined {
    return this.#device.names;
  }

  get settings(): TargetSettings | undefined {
    return settingsThrough(this.#device.settings, (work) => this.#life.ask(work));
  }

  load(program: Program): Promise<void> {
    return this.#life.ask(() => this.#device.load(program));
  }

  verify(program: Program): Promise<void> {
    return this.#life.ask(async () => this.#device.verify?.(program));
  }

  write(updates: readonly Update[], atomicity?: Atomicity, pace?: Pace): Promise<void> {
    return this.#life.ask(() => this.#device.write(updates, atomicity, pace));
  }

  read(queries: readonly ReadQuery[], pace?: Pace): Promise<Entity[]> {
    return this.#life.ask(() => this.#device.read(queries, pace));
  }

  packetOut(packet: ControllerPacket): Promise<void> {
    return this.#life.ask(() => this.#device.packetOut(packet));
  }

  acknowledgeDigest(digest: string, listId: bigint): Promise<void> {
    return this.#life.ask(() => this.#device.acknowledgeDigest(digest, listId));
  }

  watch(listener: (event: DeviceEvent) => void): () => void {
    const life = this.#life;
    if (life.over) return () => {};
    const stop = this.#device.watch(life.listener(listener));
    const forget = life.keep(stop);
    return () => {
      forget();
      stop();
    };
  }

  /** The control channel belongs to the run. */
  async close(): Promise<void> {}
}
