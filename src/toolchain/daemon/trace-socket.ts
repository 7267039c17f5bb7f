/**
 * Traces of a running switch for other processes: a Unix socket, whose readers get a first line about the clock and then one document
 * a line. Without a reader nothing is traced. Packets wait for no reader: documents that one does not take are left out for it.
 */
import { createServer, type Server, type Socket } from "node:net";
import { fail, systemErrorReason } from "../../base/index.js";
import type { PacketTrace, Switch } from "../switch/index.js";
import { CODES } from "./codes.js";
import { TraceSample } from "./trace-sample.js";
import { checkSocketFolder, socketPath } from "./unix-socket.js";

/** Packets a second that are traced, unless the user says otherwise. */
export const TRACES_PER_SECOND = 100;
/** Bytes that wait for one reader, at most. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;
/** Readers at one time; a further connection is closed at once. */
const MAX_READERS = 16;

export interface TraceSocketSetup {
  /** Path of the socket. */
  path: string;
  perSecond: number;
}

/** The first line of a stream. */
export interface TraceStreamHead {
  readonly trace_stream: 1;
  /** Time 0 of the switch's clock: microseconds since 1970 by the clock of the machine. */
  readonly epoch_us: number;
  /**
   * The same in microseconds of the machine's monotonic clock, which all processes of the machine share and which cannot
   * be set. Readers compare the times of several switches by it.
   */
  readonly monotonic_us: number;
}

/** Time 0 of the switch's clock by the clocks of the machine, in microseconds; see {@link TraceStreamHead}. */
export interface ClockStart {
  readonly epochUs: number;
  readonly monotonicUs: number;
}

export class TraceSocket {
  readonly #setup: TraceSocketSetup;
  readonly #device: Switch;
  readonly #head: TraceStreamHead;
  readonly #nowMs: () => number;
  readonly #server: Server;
  readonly #readers = new Set<Socket>();

  private constructor(setup: TraceSocketSetup, device: Switch, start: ClockStart, nowMs: () => number) {
    this.#setup = setup;
    this.#device = device;
    this.#head = { trace_stream: 1, epoch_us: start.epochUs, monotonic_us: start.monotonicUs };
    this.#nowMs = nowMs;
    this.#server = createServer((reader) => this.#add(reader));
    this.#server.maxConnections = MAX_READERS;
  }

  /**
   * Listens. Fails with P40014 when that is not possible.
   * @param nowMs milliseconds of any clock that does not go back
   */
  static async open(
    setup: TraceSocketSetup,
    device: Switch,
    start: ClockStart,
    nowMs: () => number,
  ): Promise<TraceSocket> {
    checkSocketFolder(`--trace-socket ${setup.path}`, setup.path);
    const socket = new TraceSocket(setup, device, start, nowMs);
    const server = socket.#server;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(socketPath(setup.path), resolve);
    }).catch((error: unknown) => {
      const notes =
        (error as NodeJS.ErrnoException).code === "EADDRINUSE"
          ? ["another switch uses it, or one that was killed has left it: remove the file then"]
          : [];
      fail(
        CODES.cannotListen,
        undefined,
        `--trace-socket ${setup.path}: ${systemErrorReason(error)}`,
        ...notes,
      );
    });
    // An error while a connection is accepted does not stop the switch.
    server.on("error", () => {});
    return socket;
  }

  #add(reader: Socket): void {
    reader.on("error", () => reader.destroy());
    reader.once("close", () => this.#remove(reader));
    reader.resume();
    reader.write(`${JSON.stringify(this.#head)}\n`);
    this.#readers.add(reader);
    if (this.#readers.size > 1) return;
    const sample = new TraceSample(this.#setup.perSecond);
    this.#device.traceFilter = (_port, frame) => sample.takes(frame, this.#nowMs());
    this.#device.trace = (packet) => this.#write(packet);
  }

  #remove(reader: Socket): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    this.#device.trace = undefined;
    this.#device.traceFilter = undefined;
  }

  #write(packet: PacketTrace): void {
    const line = `${JSON.stringify(packet)}\n`;
    for (const reader of this.#readers) if (reader.writableLength < MAX_WAITING_BYTES) reader.write(line);
  }

  /** Takes the socket away; what readers have not taken is lost. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const reader of [...this.#readers]) {
      if (reader.writableLength === 0) reader.destroySoon();
      else reader.destroy();
    }
    await closed;
  }
}
