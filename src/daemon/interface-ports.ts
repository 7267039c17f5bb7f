/** The ports of a switch as Linux interfaces, with captures of those for which the setup wants them. */
import { type InterfaceStatistics, Interfaces } from "../interfaces/index.js";
import { Captures } from "./captures.js";
import type { PortInterface } from "./setup.js";

export interface InterfacePortEvents {
  frame(port: number, frame: Uint8Array): void;
  link(port: number, up: boolean): void;
  warn(message: string, note: string): void;
  /** A capture cannot be written any more. */
  error(error: unknown): void;
}

export class InterfacePorts {
  readonly #interfaces: Interfaces;
  readonly #captures: Captures;

  /**
   * Opens interfaces and starts captures anew; frames come after {@link start}. Fails with P40003 or P4002x.
   * @param now milliseconds since the epoch
   */
  constructor(ports: readonly PortInterface[], now: () => number, events: InterfacePortEvents) {
    const captured = ports.some(({ capture }) => capture !== undefined);
    this.#interfaces = new Interfaces(ports, {
      frame: captured
        ? (port, frame) => {
            this.#captures.took(port, frame);
            events.frame(port, frame);
          }
        : events.frame,
      link: events.link,
      warn: (_port, message, note) => events.warn(message, note),
    });
    try {
      this.#captures = new Captures(ports, now, events.error);
    } catch (error) {
      this.#interfaces.close();
      throw error;
    }
  }

  start(): void {
    this.#interfaces.start();
  }

  /** Sends a frame; returns false when there is no such port. */
  transmit(port: number, frame: Uint8Array): boolean {
    if (!this.#interfaces.send(port, frame)) return false;
    if (this.#captures.any) this.#captures.sent(port, frame);
    return true;
  }

  get statistics(): InterfaceStatistics[] {
    return this.#interfaces.statistics;
  }

  /** Stops reading; frames that came before are still given to `frame`. */
  stop(): Promise<void> {
    return this.#interfaces.stop();
  }

  /** Sends the frames that wait and closes everything. The captures are complete then. */
  close(): void {
    this.#interfaces.close();
    this.#captures.close();
  }
}
