/**
 * The control channel between a control plane and a switch, in virtual time. Messages of one direction keep their order.
 * A message takes its time of transmission (its bytes at the channel's rate, after the messages before it) and the
 * delay; the switch works on one request after the other and takes a processing time for each update or query.
 */
import type {
  Atomicity,
  ControllerPacket,
  Device,
  DeviceEvent,
  Entity,
  ReadQuery,
  Update,
} from "../../device/index.js";
import type { Program } from "../../program/index.js";
import { entityBytes, MESSAGE_BYTES, packetBytes, queryBytes } from "./control-messages.js";
import { NS_PER_S, type Simulation } from "./simulation.js";

export interface ControlChannelOptions {
  /** Propagation, one way, in nanoseconds. */
  delay: number;
  /** Bits per second of each direction; 0 or absent: messages take no time of transmission. */
  rate?: number | undefined;
  /** Nanoseconds that the switch needs for an update, a query or a packet-out; 0 unless given. */
  processing?: number | undefined;
}

/** One direction of the channel: the time at which its transmitter is free again. */
class Direction {
  #freeAt = 0;

  constructor(
    readonly simulation: Simulation,
    readonly delay: number,
    readonly rate: number,
  ) {}

  /** Calls `fn` when a message of so many bytes, sent now, has arrived in full. */
  send(bytes: number, fn: () => void): void {
    const { now } = this.simulation;
    const time = this.rate > 0 ? Math.ceil((bytes * 8 * NS_PER_S) / this.rate) : 0;
    this.#freeAt = Math.max(this.#freeAt, now) + time;
    this.simulation.at(this.#freeAt + this.delay, fn);
  }
}

export class ControlChannel implements Device {
  readonly #simulation: Simulation;
  readonly #device: Device;
  readonly #processing: number;
  readonly #toSwitch: Direction;
  readonly #fromSwitch: Direction;
  /** Time at which the switch has finished the requests that it has got. */
  #switchFreeAt = 0;

  constructor(
    simulation: Simulation,
    device: Device,
    { delay, rate = 0, processing = 0 }: ControlChannelOptions,
  ) {
    this.#simulation = simulation;
    this.#device = device;
    this.#processing = processing;
    this.#toSwitch = new Direction(simulation, delay, rate);
    this.#fromSwitch = new Direction(simulation, delay, rate);
  }

  get name(): string {
    return this.#device.name;
  }

  get program(): Program | undefined {
    return this.#device.program;
  }

  /** The program itself is taken to be at the switch: only the request takes its time. */
  load(program: Program): Promise<void> {
    return this.#request(MESSAGE_BYTES, 1, () => this.#device.load(program));
  }

  verify(program: Program): Promise<void> {
    return this.#request(MESSAGE_BYTES, 1, async () => this.#device.verify?.(program));
  }

  write(updates: readonly Update[], atomicity?: Atomicity): Promise<void> {
    const bytes = updates.reduce((sum, { entity }) => sum + entityBytes(entity), MESSAGE_BYTES);
    return this.#request(bytes, updates.length, () => this.#device.write(updates, atomicity));
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
    return this.#request(MESSAGE_BYTES + packetBytes(packet), 1, () => this.#device.packetOut(packet));
  }

  acknowledgeDigest(digest: string, listId: bigint): Promise<void> {
    return this.#request(MESSAGE_BYTES, 1, () => this.#device.acknowledgeDigest(digest, listId));
  }

  /** Events take the channel back to the control plane; those still on it are not heard after the returned call. */
  watch(listener: (event: DeviceEvent) => void): () => void {
    let watching = true;
    const stop = this.#device.watch((event) => {
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
    return new Promise((resolve, reject) => {
      this.#toSwitch.send(bytes, () => {
        const start = Math.max(this.#switchFreeAt, simulation.now);
        this.#switchFreeAt = start + operations * this.#processing;
        const answer = (size: number, settle: () => void) =>
          this.#fromSwitch.send(size, () => {
            simulation.letPromisesRun();
            settle();
          });
        const carryOut = () => {
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

function eventBytes(event: DeviceEvent): number {
  switch (event.kind) {
    case "packetIn":
      return MESSAGE_BYTES + packetBytes(event.packet);
    case "digest":
      return event.list.data.reduce((sum, row) => sum + 8 * row.length, MESSAGE_BYTES);
    case "idleTimeout":
      return event.entries.reduce((sum, entry) => sum + entityBytes(entry), MESSAGE_BYTES);
    default:
      return MESSAGE_BYTES;
  }
}

/**
 * Runs the simulation until `promise` is settled and gives its value. The clock stays at the event that settled it.
 * Only what happens in virtual time may hold the promise up.
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
