/** The ports of a switch as Linux interfaces. */
import { type InterfaceStatistics, Interfaces } from "../interfaces/index.js";
import type { Captures } from "./captures.js";
import type { PortInterface } from "./setup.js";

export interface InterfacePortEvents {
  frame(port: number, frame: Uint8Array): void;
  link(port: number, up: boolean): void;
  warn(message: string, note: string): void;
}

export class InterfacePorts {
  readonly #interfaces: Interfaces;

  /** Opens interfaces; frames come after {@link start}. Fails with P4002x. */
  constructor(
    ports: readonly PortInterface[],
    readonly captures: Captures,
    events: InterfacePortEvents,
  ) {
    this.#interfaces = new Interfaces(ports, {
      frame: (port, frame) => {
        if (captures.any) captures.took(port, frame);
        events.frame(port, frame);
      },
      link: events.link,
      warn: (_port, message, note) => events.warn(message, note),
    });
  }

  start(): void {
    this.#interfaces.start();
  }

  /** Opens one more interface after the start. Fails with P4002x; there is no such port then. */
  add(port: PortInterface): void {
    this.#interfaces.add(port);
  }

  /** Closes one interface; returns false when there is no such port. */
  remove(port: number): boolean {
    return this.#interfaces.remove(port);
  }

  /** Sends a frame; returns false when there is no such port. */
  transmit(port: number, frame: Uint8Array): boolean {
    if (!this.#interfaces.send(port, frame)) return false;
    if (this.captures.any) this.captures.sent(port, frame);
    return true;
  }

  get statistics(): InterfaceStatistics[] {
    return this.#interfaces.statistics;
  }

  /** Stops reading; frames that came before are still given to `frame`. */
  stop(): Promise<void> {
    return this.#interfaces.stop();
  }

  /** Sends the frames that wait and closes everything. */
  close(): void {
    this.#interfaces.close();
  }
}
