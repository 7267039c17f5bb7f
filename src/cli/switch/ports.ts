/** The ports of a switch as pcap files: frames come in by the time they carry, and leave into one file a port. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { PortFiles } from "./options.js";
import { checkPcap, PcapInput, PcapOutput } from "./pcap-file.js";

/** Frames between two looks at what else there is to do (controllers, signals). */
const FRAMES_A_TURN = 64;

interface Port {
  readonly files: PortFiles;
  readonly input: PcapInput;
  readonly output: PcapOutput;
  readonly captureIn: PcapOutput | undefined;
  readonly captureOut: PcapOutput | undefined;
}

/** Reads all inputs to their ends, so that a damaged one is known before anything was started or written. */
export function checkInputs(files: readonly PortFiles[]): void {
  for (const { input } of files) checkPcap(input);
}

export class PcapPorts {
  readonly #ports: Port[] = [];
  readonly #byNumber = new Map<number, Port>();
  #flushing = false;
  #closed = false;

  /**
   * Opens the inputs and starts the outputs anew.
   * @param now milliseconds since the epoch
   * @param onError told what goes wrong while writing
   */
  constructor(
    files: readonly PortFiles[],
    readonly now: () => number,
    readonly onError: (error: unknown) => void,
  ) {
    for (const port of files) {
      const { capture } = port;
      const opened: Port = {
        files: port,
        input: new PcapInput(port.input),
        output: new PcapOutput(port.output),
        captureIn: capture && new PcapOutput(capture.input),
        captureOut: capture && new PcapOutput(capture.output),
      };
      this.#ports.push(opened);
      this.#byNumber.set(port.port, opened);
    }
  }

  /** A frame leaves; false when no such port was given. */
  transmit(number: number, frame: Uint8Array): boolean {
    const port = this.#byNumber.get(number);
    if (port === undefined) return false;
    this.#guard(() => {
      const time = this.now();
      port.output.add(time, frame);
      port.captureOut?.add(time, frame);
    });
    this.#flushSoon();
    return true;
  }

  /**
   * Hands over all frames of the inputs: earliest first, then in the order of the ports; as fast as they are taken.
   * Gives their number. Fails when an input was damaged meanwhile.
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
      this.#guard(() => port.captureIn?.add(this.now(), packet.frame));
      this.#flushSoon();
      receive(port.files.port, packet.frame);
    }
  }

  /** Writes what waits and closes all files. Fails with the first error. */
  close(): void {
    this.#closed = true;
    let first: unknown;
    for (const port of this.#ports) {
      port.input.close();
      for (const output of outputs(port)) {
        try {
          output.close();
        } catch (error) {
          first ??= error;
        }
      }
    }
    this.#ports.length = 0;
    if (first !== undefined) throw first;
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

  #flushSoon(): void {
    if (this.#flushing) return;
    this.#flushing = true;
    setImmediate(() => {
      this.#flushing = false;
      if (this.#closed) return;
      this.#guard(() => {
        for (const port of this.#ports) for (const output of outputs(port)) output.flush();
      });
    });
  }

  #guard(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.onError(error);
    }
  }
}

function outputs({ output, captureIn, captureOut }: Port): PcapOutput[] {
  return [output, captureIn, captureOut].filter((file) => file !== undefined);
}
