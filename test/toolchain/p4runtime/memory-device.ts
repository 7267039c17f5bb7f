/** A device for tests: stores what is written, records its calls, and gives the answers of the test. */

import {
  type ControllerPacket,
  type Device,
  DeviceError,
  type DeviceEvent,
  type Entity,
  type ReadQuery,
  type Update,
} from "../../../src/toolchain/device/index.js";
import { StagedDevice } from "../../../src/toolchain/p4runtime/server/staged.js";
import type { Program } from "../../../src/toolchain/program/index.js";

export class MemoryDevice implements Device {
  readonly name = "memory";
  #state: StagedDevice | undefined;
  readonly packets: ControllerPacket[] = [];
  readonly acks: [digest: string, listId: bigint][] = [];
  readonly #listeners = new Set<(event: DeviceEvent) => void>();
  /** Runs before each write; for tests that need a slow or broken device. */
  beforeWrite: (updates: readonly Update[]) => Promise<void> = async () => {};
  /** Programs that this device cannot realise. */
  refuses: (program: Program) => string | undefined = () => undefined;

  get program(): Program | undefined {
    return this.#state?.program;
  }

  async verify(program: Program): Promise<void> {
    const why = this.refuses(program);
    if (why !== undefined) throw new DeviceError("INVALID_ARGUMENT", why);
  }

  async load(program: Program): Promise<void> {
    await this.verify(program);
    this.#state = new StagedDevice(program);
  }

  #running(): StagedDevice {
    if (this.#state === undefined) throw new DeviceError("FAILED_PRECONDITION", "no program");
    return this.#state;
  }

  async write(updates: readonly Update[], atomicity?: Parameters<Device["write"]>[1]): Promise<void> {
    await this.beforeWrite(updates);
    await this.#running().write(updates, atomicity);
  }

  read(queries: readonly ReadQuery[]): Promise<Entity[]> {
    return this.#running().read(queries);
  }

  async packetOut(packet: ControllerPacket): Promise<void> {
    this.packets.push(packet);
  }

  async acknowledgeDigest(digest: string, listId: bigint): Promise<void> {
    this.acks.push([digest, listId]);
  }

  say(event: DeviceEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  watch(listener: (event: DeviceEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {}
}
