/** Depths and rates of output queues that the control plane set, for one queue, one port, or all; the last setting counts. */
import type { QueueSelection } from "../../device/index.js";

class Limit {
  #all: number | undefined;
  readonly #ports = new Map<number, number>();
  readonly #queues = new Map<number, number>();

  set(value: number, { port, priority }: QueueSelection): void {
    if (port === undefined) {
      this.#all = value;
      this.#ports.clear();
      this.#queues.clear();
    } else if (priority === undefined) {
      this.#ports.set(port, value);
      for (const queue of [...this.#queues.keys()]) if (queue >>> 8 === port) this.#queues.delete(queue);
    } else this.#queues.set((port << 8) | priority, value);
  }

  get(port: number, priority: number): number | undefined {
    return this.#queues.get((port << 8) | priority) ?? this.#ports.get(port) ?? this.#all;
  }
}

export class QueueLimits {
  /** Whether any limit was set. */
  any = false;
  readonly #depths = new Limit();
  readonly #rates = new Limit();

  /** Sets the number of packets that may wait; 0 drops all packets. */
  setDepth(packets: number, queues: QueueSelection): void {
    this.any = true;
    this.#depths.set(packets, queues);
  }

  /** Sets the rate in packets per second; 0 is no limit. */
  setRate(packets: number, queues: QueueSelection): void {
    this.any = true;
    this.#rates.set(packets, queues);
  }

  depth(port: number, priority: number): number | undefined {
    return this.any ? this.#depths.get(port, priority) : undefined;
  }

  rate(port: number, priority: number): number | undefined {
    return this.any ? this.#rates.get(port, priority) : undefined;
  }
}
