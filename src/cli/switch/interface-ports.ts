/** The ports of a switch as Linux interfaces, with a capture of each where one is asked for. */
import { type InterfaceStatistics, Interfaces } from "../../interfaces/index.js";
import type { PortInterface } from "./options.js";
import { PcapOutput } from "./pcap-file.js";

export interface InterfacePortEvents {
  frame(port: number, frame: Uint8Array): void;
  link(port: number, up: boolean): void;
  warn(message: string, note: string): void;
  /** Told what goes wrong while captures are written. */
  error(error: unknown): void;
}

interface Captures {
  readonly input: PcapOutput;
  readonly output: PcapOutput;
}

export class InterfacePorts {
  readonly #interfaces: Interfaces;
  readonly #captures = new Map<number, Captures>();
  #flushing = false;

  /**
   * Opens interfaces and starts captures anew; frames come after {@link start}. Fails with P40003 or P4002x.
   * @param now milliseconds since the epoch
   */
  constructor(
    ports: readonly PortInterface[],
    readonly now: () => number,
    readonly events: InterfacePortEvents,
  ) {
    const captured = ports.some(({ capture }) => capture !== undefined);
    this.#interfaces = new Interfaces(ports, {
      frame: captured ? (port, frame) => this.#takeCaptured(port, frame) : events.frame,
      link: events.link,
      warn: (_port, message, note) => events.warn(message, note),
    });
    try {
      for (const { port, capture } of ports) {
        if (capture === undefined) continue;
        const [input, output] = [new PcapOutput(capture.input), new PcapOutput(capture.output)];
        this.#captures.set(port, { input, output });
      }
    } catch (error) {
      this.close();
      throw error;
    }
  }

  start(): void {
    this.#interfaces.start();
  }

  /** A frame leaves; false when no such port was given. */
  transmit(port: number, frame: Uint8Array): boolean {
    if (!this.#interfaces.send(port, frame)) return false;
    if (this.#captures.size > 0) this.#capture(this.#captures.get(port)?.output, frame);
    return true;
  }

  #takeCaptured(port: number, frame: Uint8Array): void {
    this.#capture(this.#captures.get(port)?.input, frame);
    this.events.frame(port, frame);
  }

  #capture(file: PcapOutput | undefined, frame: Uint8Array): void {
    this.#guard(() => file?.add(this.now(), frame));
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => {
      this.#flushing = false;
      this.#guard(() => {
        for (const { input, output } of this.#captures.values()) {
          input.flush();
          output.flush();
        }
      });
    });
  }

  get statistics(): InterfaceStatistics[] {
    return this.#interfaces.statistics;
  }

  /** Takes nothing more; what came before is handed over. */
  stop(): Promise<void> {
    return this.#interfaces.stop();
  }

  /** Sends what waits and closes everything. Fails with the first error of a capture. */
  close(): void {
    this.#interfaces.close();
    const files = [...this.#captures.values()].flatMap(({ input, output }) => [input, output]);
    this.#captures.clear();
    let first: unknown;
    for (const file of files) {
      try {
        file.close();
      } catch (error) {
        first ??= error;
      }
    }
    if (first !== undefined) throw first;
  }

  #guard(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.events.error(error);
    }
  }
}
