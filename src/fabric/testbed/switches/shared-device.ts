/**
 * A switch that other controllers may claim: read at any time, and claimed only for the time of a write, of a packet
 * or of a watch. The election id is the highest that the switch has seen, 1 on a new switch, so that a controller
 * with a fixed id (1 in the P4 tutorials) is not refused afterwards.
 */
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
  settingsThrough,
  type TargetSettings,
  type Update,
} from "../../../toolchain/device/index.js";
import type { RemoteDevice } from "../../../toolchain/p4runtime/index.js";
import type { P4InfoIndex, Program } from "../../../toolchain/program/index.js";

export class SharedDevice implements Device {
  /** Calls and watches that need the role of primary now. */
  #users = 0;
  /** Claims and resignations follow each other. */
  #last: Promise<void> = Promise.resolve();

  /**
   * @param remote as primary; this device resigns at once
   * @param log called when a watch gets no events because another controller is primary
   */
  constructor(
    private readonly remote: RemoteDevice,
    private readonly log: (line: string, severity: "warning") => void,
  ) {
    remote.resign();
  }

  get name(): string {
    return this.remote.name;
  }

  get program(): Program | undefined {
    return this.remote.program;
  }

  get index(): P4InfoIndex | undefined {
    return this.remote.index;
  }

  get names(): Names | undefined {
    return this.remote.names;
  }

  get settings(): TargetSettings | undefined {
    return settingsThrough(this.remote.settings, (work) => this.#asPrimary(work));
  }

  get ports(): PortControl | undefined {
    const { ports } = this.remote;
    if (ports === undefined) return undefined;
    return {
      add: (...words) => this.#asPrimary(() => ports.add(...words)),
      remove: (port) => this.#asPrimary(() => ports.remove(port)),
      list: () => ports.list(),
    };
  }

  get state(): StateControl | undefined {
    const { state } = this.remote;
    if (state === undefined) return undefined;
    return {
      save: () => state.save(),
      restore: (document) => this.#asPrimary(() => state.restore(document)),
      reset: () => this.#asPrimary(() => state.reset()),
    };
  }

  /** Asks the switch what it runs: another controller may have loaded another program. */
  refresh(): Promise<void> {
    return this.remote.refresh();
  }

  /** Rejects with PERMISSION_DENIED, saying what to do, when another controller is primary. */
  async #claim(): Promise<void> {
    this.#users++;
    const claimed = this.#last.then(() => this.remote.claim());
    this.#last = claimed.catch(() => {});
    try {
      await claimed;
    } catch (error) {
      await this.#release();
      if (!(error instanceof DeviceError) || !REFUSALS.has(error.code)) throw error;
      throw new DeviceError(
        "PERMISSION_DENIED",
        `another controller is primary of ${this.name}, so it can only be read; end that controller first`,
      );
    }
  }

  async #release(): Promise<void> {
    this.#users--;
    this.#last = this.#last.then(() => {
      if (this.#users === 0) this.remote.resign();
    });
    await this.#last;
  }

  async #asPrimary<T>(work: () => Promise<T>): Promise<T> {
    await this.#claim();
    return await work().finally(() => this.#release());
  }

  load(program: Program): Promise<void> {
    return this.#asPrimary(() => this.remote.load(program));
  }

  verify(program: Program): Promise<void> {
    return this.#asPrimary(() => this.remote.verify(program));
  }

  write(updates: readonly Update[], atomicity?: Atomicity): Promise<void> {
    return this.#asPrimary(() => this.remote.write(updates, atomicity));
  }

  read(queries: readonly ReadQuery[]): Promise<Entity[]> {
    return this.remote.read(queries);
  }

  packetOut(packet: ControllerPacket): Promise<void> {
    return this.#asPrimary(async () => {
      await this.remote.packetOut(packet);
      // Packets have no answer. That of a later call says that the switch has read them before the stream ends.
      await this.remote.channel.version();
    });
  }

  acknowledgeDigest(digest: string, listId: bigint): Promise<void> {
    return this.#asPrimary(() => this.remote.acknowledgeDigest(digest, listId));
  }

  watch(listener: (event: DeviceEvent) => void): () => void {
    const stop = this.remote.watch(listener);
    const claimed = this.#claim().then(
      () => true,
      (error: Error) => {
        this.log(`${error.message}; no events are seen`, "warning");
        return false;
      },
    );
    return () => {
      stop();
      void claimed.then((isPrimary) => (isPrimary ? this.#release() : undefined));
    };
  }

  async close(): Promise<void> {
    await this.remote.close();
  }
}

/** Status codes of a claim that another controller prevents; BMv2 refuses an election id that is in use. */
const REFUSALS: ReadonlySet<string> = new Set(["PERMISSION_DENIED", "INVALID_ARGUMENT"]);
