/** What passes by the ports, for control planes that ask. */
import type { PortTraffic } from "../../device/index.js";

/** Frames and bytes by port, in both directions. */
export class Traffic {
  readonly #ports = new Map<
    number,
    { received: number; receivedBytes: number; sent: number; sentBytes: number }
  >();

  #at(port: number) {
    let found = this.#ports.get(port);
    if (found === undefined) {
      found = { received: 0, receivedBytes: 0, sent: 0, sentBytes: 0 };
      this.#ports.set(port, found);
    }
    return found;
  }

  received(port: number, bytes: number): void {
    const counts = this.#at(port);
    counts.received++;
    counts.receivedBytes += bytes;
  }

  sent(port: number, bytes: number): void {
    const counts = this.#at(port);
    counts.sent++;
    counts.sentBytes += bytes;
  }

  of(port: number, timeUs: number): PortTraffic {
    return { ...this.#at(port), timeUs };
  }
}
