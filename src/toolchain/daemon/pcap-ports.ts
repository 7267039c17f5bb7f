/**
 * The ports of a switch as pcap files: received frames are read in the order of their time stamps, sent frames are
 * written to one file for each port.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Captures } from "./captures.js";
import { PcapInput, PcapOutput } from "./pcap-file.js";
import type { PortFiles } from "./setup.js";

/** Number of frames that are processed before controllers and signals are served. */
const FRAMES_A_TURN = 64;

interface Port {
  readonly files: PortFiles;
  readonly input: PcapInput;
  readonly output: PcapOutput;
  received: number;
  sent: number;
}

/** Frames of a port since it was opened. */
export interface FileStatistics {
  readonly port: number;
  readonly name: string;
  readonly received: number;
  readonly sent: number;
}

export class PcapPorts {
  /** In the order in which they were opened. */
  readonly #ports = new Map<number, Port>();

  /**
   * @param now milliseconds since the epoch
   * @param onError called once for each file that cannot be written any more
   */
  constructor(
    readonly captures: Captures,
    readonly now: () => number,
    readonly onError: (error: unknown) => void,
  ) {}

  /** Opens the input and starts the output anew. Fails with P40001 or P40003; nothing is left open then. */
  add(files: PortFiles): void {
    const input = new PcapInput(files.input);
    try {
      const output = new PcapOutput(files.output, this.onError);
      this.#ports.set(files.port, { files, input, output, received: 0, sent: 0 });
    } catch (error) {
      input.close();
      throw error;
    }
  }

  /** Writes what waits and closes the files of a port; returns false when there is no such port. */
  remove(number: number): boolean {
    const port = this.#ports.get(number);
    this.#ports.delete(number);
    port?.input.close();
    port?.output.close();
    return port !== undefined;
  }

  get statistics(): FileStatistics[] {
    return [...this.#ports.values()].map(({ files, received, sent }) => ({
      port: files.port,
      name: files.name,
      received,
      sent,
    }));
  }

  /** Writes a frame to the file of a port; returns false when there is no such port. */
  transmit(number: number, frame: Uint8Array): boolean {
    const port = this.#ports.get(number);
    if (port === undefined) return false;
    port.sent++;
    port.output.add(this.now(), frame);
    this.captures.sent(number, frame);
    return true;
  }

  /**
   * Gives all frames of the inputs to `receive`, the earliest first, then in the order of the ports, as fast as they are
   * received. Returns their number. Fails when an input was damaged meanwhile.
   */
  async play(receive: (port: number, frame: Uint8Array) => void, stopped: () => boolean): Promise<number> {
    for (let frames = 0; ; frames++) {
      if (frames % FRAMES_A_TURN === 0) {
        await nextTurn();
        if (stopped()) return frames;
      }
      const port = this.#earliest();
      const packet = port?.input.take();
      if (port === undefined || packet === undefined) return frames;
      port.received++;
      this.captures.took(port.files.port, packet.frame);
      receive(port.files.port, packet.frame);
    }
  }

  /** Writes what waits and closes all files. */
  close(): void {
    for (const port of [...this.#ports.keys()]) this.remove(port);
  }

  #earliest(): Port | undefined {
    let best: Port | undefined;
    let seconds = 0;
    let nanoseconds = 0;
    for (const port of this.#ports.values()) {
      const head = port.input.peek();
      if (head === undefined) continue;
      const later = head.seconds - seconds || head.nanoseconds - nanoseconds;
      if (best !== undefined && later >= 0) continue;
      best = port;
      ({ seconds, nanoseconds } = head);
    }
    return best;
  }
}
