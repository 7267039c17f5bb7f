/**
 * The way between a control plane and a switch: whatever one tells the other takes the same time, so orders and
 * events keep their order. On virtual time: {@link settle} runs the simulation until an answer is back.
 */
import type {
  Atomicity,
  ControllerPacket,
  Device,
  DeviceEvent,
  Entity,
  Program,
  ReadQuery,
  Update,
} from "../../program/index.js";
import type { Simulation } from "./simulation.js";

export class ControlChannel implements Device {
  readonly #simulation: Simulation;
  readonly #device: Device;
  readonly #delay: number;

  /** `delay` is in nanoseconds, one way. */
  constructor(simulation: Simulation, device: Device, delay: number) {
    this.#simulation = simulation;
    this.#device = device;
    this.#delay = delay;
  }

  get name(): string {
    return this.#device.name;
  }

  get program(): Program | undefined {
    return this.#device.program;
  }

  load(program: Program): Promise<void> {
    return this.#request(() => this.#device.load(program));
  }

  verify(program: Program): Promise<void> {
    return this.#request(async () => this.#device.verify?.(program));
  }

  write(updates: readonly Update[], atomicity?: Atomicity): Promise<void> {
    return this.#request(() => this.#device.write(updates, atomicity));
  }

  read(queries: readonly ReadQuery[]): Promise<Entity[]> {
    return this.#request(() => this.#device.read(queries));
  }

  packetOut(packet: ControllerPacket): Promise<void> {
    return this.#request(() => this.#device.packetOut(packet));
  }

  acknowledgeDigest(digest: string, listId: bigint): Promise<void> {
    return this.#request(() => this.#device.acknowledgeDigest(digest, listId));
  }

  watch(listener: (event: DeviceEvent) => void): () => void {
    let watching = true;
    const stop = this.#device.watch((event) => {
      this.#later(() => {
        if (watching) listener(event);
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

  #request<T>(ask: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#later(() => {
        ask().then(
          (answer) => this.#later(() => resolve(answer)),
          (error) => this.#later(() => reject(error)),
        );
      });
    });
  }

  #later(fn: () => void): void {
    this.#simulation.at(this.#simulation.now + this.#delay, fn);
  }
}

/**
 * Runs the simulation until `promise` is settled and gives its value. Only what happens on virtual time may hold
 * the promise up: when nothing is left to happen, that is a fault of ours and throws.
 */
export async function settle<T>(simulation: Simulation, promise: Promise<T>): Promise<T> {
  let settled = false;
  const mark = () => {
    settled = true;
  };
  promise.then(mark, mark);
  let idle = 0;
  while (!settled) {
    if (simulation.step()) idle = 0;
    // Promises that were settled by an event run their continuations now; a chain of them takes a few turns.
    else if (++idle > IDLE_TURNS)
      throw new Error("nothing is left to happen, and an answer is still missing");
    await Promise.resolve();
  }
  return promise;
}

const IDLE_TURNS = 1000;
