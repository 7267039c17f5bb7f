/** The ports of a switch as pcap files: frames come in by their time stamps, and leave to one file for each port. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { Captures } from "./captures.js";
import { checkPcap, PcapInput, PcapOutput } from "./pcap-file.js";
import type { PortFiles } from "./setup.js";

/** Number of frames that are played before controllers and signals are served. */
const FRAMES_A_TURN = 64;

interface Port {
  readonly files: PortFiles;
  readonly input: PcapInput;
  readonly output: PcapOutput;
}

/** Reads all inputs to their ends, so that a damaged input is reported before anything is started or written. */
export function checkInputs(files: readonly PortFiles[]): void {
  for (const { input } of files) checkPcap(input);
}

export class PcapPorts {
  readonly #ports: Port[] = [];
  readonly #byNumber = new Map<number, Port>();
  readonly #captures: Captures;

  /**
   * Opens the inputs and starts the outputs anew.
   * @param now milliseconds since the epoch
   * @param onError told once a file when it cannot be written any more
   */
  constructor(
    files: readonly PortFiles[],
    readonly now: () => number,
    onError: (error: unknown) => void,
  ) {
    this.#captures = new Captures(files, now, onError);
    for (const port of files) {
      const opened: Port = {
        files: port,
        input: new PcapInput(port.input),
        output: new PcapOutput(port.output, onError),
      };
      this.#ports.push(opened);
      this.#byNumber.set(port.port, opened);
    }
  }

  /** Writes a frame to the file of a port; returns false when there is no such port. */
  transmit(number: number, frame: Uint8Array): boolean {
    const port = this.#byNumber.get(number);
    if (port === undefined) return false;
    port.output.add(this.now(), frame);
    this.#captures.sent(number, frame);
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
      this.#captures.took(port.files.port, packet.frame);
      receive(port.files.port, packet.frame);
    }
  }

  /** Writes what waits and closes all files. */
  close(): void {
    this.#captures.close();
    for (const { input, output } of this.#ports) {
      input.close();
      output.close();
    }
    this.#ports.length = 0;
    this.#byNumber.clear();
  }

  #earliest(): Port | undefined {
    let best: Port | undefined;
    let seconds = 0;
    let nanoseconds = 0;
    for (const port of this.#ports) {
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
