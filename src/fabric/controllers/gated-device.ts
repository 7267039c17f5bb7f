/** The device of one incarnation of a controller: it has no effect after the end of that incarnation. */
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
import type { Incarnation } from "./incarnation.js";

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
