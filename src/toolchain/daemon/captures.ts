/** Captures: the frames that the ports of a switch received and sent, as pcap files. */
import { PcapOutput } from "./pcap-file.js";
import type { Capture } from "./setup.js";

interface Outputs {
  readonly input: PcapOutput;
  readonly output: PcapOutput;
}

export class Captures {
  readonly #byPort = new Map<number, Outputs>();

  /**
   * @param now milliseconds since the epoch
   * @param onError called once for each file that cannot be written any more
   */
  constructor(
    readonly now: () => number,
    readonly onError: (error: unknown) => void,
  ) {}

  /** Starts the files of a port anew. Fails with P40003 when one cannot be opened; then none is left open. */
  add(port: number, capture: Capture): void {
    const input = new PcapOutput(capture.input, this.onError);
    try {
      this.#byPort.set(port, { input, output: new PcapOutput(capture.output, this.onError) });
    } catch (error) {
      input.close();
      throw error;
    }
  }

  /** Writes what waits and closes the files of a port, if it has any. */
  remove(port: number): void {
    const files = this.#byPort.get(port);
    this.#byPort.delete(port);
    files?.input.close();
    files?.output.close();
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
    for (const port of [...this.#byPort.keys()]) this.remove(port);
  }
}
