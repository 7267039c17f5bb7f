/** Captures: what the ports of a switch took and sent, as pcap files. */
import { PcapOutput } from "./pcap-file.js";
import type { Capture } from "./setup.js";

interface Outputs {
  readonly input: PcapOutput;
  readonly output: PcapOutput;
}

export class Captures {
  readonly #byPort = new Map<number, Outputs>();

  /**
   * Starts the files anew. Fails with P40003 when one cannot be opened; then none is left open.
   * @param now milliseconds since the epoch
   * @param onError told once a file when it cannot be written any more
   */
  constructor(
    ports: readonly { port: number; capture?: Capture }[],
    readonly now: () => number,
    onError: (error: unknown) => void,
  ) {
    try {
      for (const { port, capture } of ports) {
        if (capture === undefined) continue;
        const input = new PcapOutput(capture.input, onError);
        try {
          this.#byPort.set(port, { input, output: new PcapOutput(capture.output, onError) });
        } catch (error) {
          input.close();
          throw error;
        }
      }
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Whether any port is captured. */
  get any(): boolean {
    return this.#byPort.size > 0;
  }

  took(port: number, frame: Uint8Array): void {
    this.#byPort.get(port)?.input.add(this.now(), frame);
  }

  sent(port: number, frame: Uint8Array): void {
    this.#byPort.get(port)?.output.add(this.now(), frame);
  }

  /** Writes what waits and closes all files. */
  close(): void {
    for (const { input, output } of this.#byPort.values()) {
      input.close();
      output.close();
    }
    this.#byPort.clear();
  }
}
