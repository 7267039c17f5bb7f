/** A switch from the view of its control plane for the whole time of the testbed, even when the process of the switch is restarted. */
import {
  type Atomicity,
  type ControllerPacket,
  type Device,
  DeviceError,
  type DeviceEvent,
  type Entity,
  type Names,
  type PortControl,
  type ReadQuery,
  type StateControl,
  type TargetSettings,
  type Update,
} from "../../../toolchain/device/index.js";
import type { P4InfoIndex, Program } from "../../../toolchain/program/index.js";

export class TestbedDevice implements Device {
  readonly #listeners = new Set<(event: DeviceEvent) => void>();
  #inner: Device | undefined;
  #unwatch: (() => void) | undefined;

  constructor(readonly name: string) {}

  /** From now on calls go to `inner`. */
  attach(inner: Device): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#inner = inner;
    this.#watchInner();
  }

  /** Only while there are listeners: a shared switch is claimed for as long as it is watched. */
  #watchInner(): void {
    if (this.#listeners.size === 0) {
      this.#unwatch?.();
      this.#unwatch = undefined;
    } else {
      this.#unwatch ??= this.#inner?.watch((event) => {
        for (const listener of [...this.#listeners]) listener(event);
      });
    }
  }

  /** The process has ended, or the connection is to be closed: calls are refused. */
  async detach(): Promise<void> {
    const inner = this.#inner;
    this.#inner = undefined;
    this.#unwatch?.();
    this.#unwatch = undefined;
    await inner?.close();
  }

  get #device(): Device {
    if (this.#inner === undefined) throw new DeviceError("UNAVAILABLE", `switch ${this.name} is not running`);
    return this.#inner;
  }

  get program(): Program | undefined {
    return this.#inner?.program;
  }

  get index(): P4InfoIndex | undefined {
    return this.#inner?.index;
  }

  get names(): Names | undefined {
    return this.#inner?.names;
  }

  get settings(): TargetSettings | undefined {
    return this.#inner?.settings;
  }

  get ports(): PortControl | undefined {
    return this.#inner?.ports;
  }

  get state(): StateControl | undefined {
    return this.#inner?.state;
  }

  async load(program: Program): Promise<void> {
    await this.#device.load(program);
  }

  async verify(program: Program): Promise<void> {
    await this.#device.verify?.(program);
  }

  async write(updates: readonly Update[], atomicity?: Atomicity): Promise<void> {
    await this.#device.write(updates, atomicity);
  }

  async read(queries: readonly ReadQuery[]): Promise<Entity[]> {
    return await this.#device.read(queries);
  }

  async packetOut(packet: ControllerPacket): Promise<void> {
    await this.#device.packetOut(packet);
  }

  async acknowledgeDigest(digest: string, listId: bigint): Promise<void> {
    await this.#device.acknowledgeDigest(digest, listId);
  }

  watch(listener: (event: DeviceEvent) => void): () => void {
    this.#listeners.add(listener);
    this.#watchInner();
    return () => {
      this.#listeners.delete(listener);
      this.#watchInner();
    };
  }

  /** Gives the switch to another controller; the process continues. */
  async close(): Promise<void> {
    await this.detach();
  }
}
