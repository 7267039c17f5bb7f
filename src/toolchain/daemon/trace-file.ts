/** Traces as a file of JSON lines: written with a bound on its size, read line by line; also those of a running switch. */
import { createReadStream, renameSync } from "node:fs";
import { createConnection } from "node:net";
import { createInterface } from "node:readline";
import { fail, systemErrorReason } from "../../base/index.js";
import type { PacketTrace } from "../switch/index.js";
import { CODES } from "./codes.js";
import { RotatingFile } from "./rotating-file.js";
import { socketPath } from "./unix-socket.js";

/** Default of the bytes that a trace file takes before it starts anew. */
export const TRACE_FILE_BYTES = 100 * 1024 * 1024;

export interface TraceFileSetup {
  /** `-` stands for the output stream, which is not bounded. */
  path: string;
  /**
   * Maximum size in bytes. A file that would become larger is renamed to PATH.1, which replaces an older PATH.1, and a
   * new PATH is started.
   */
  maxBytes: number;
}

export class TraceFile {
  readonly #file: RotatingFile | undefined;

  /**
   * Starts the file anew. Fails with P40003 when that cannot be done.
   * @param print takes the lines of `-`
   * @param onError called once when the file cannot be written any more; later packets are not written
   */
  constructor(
    { path, maxBytes }: TraceFileSetup,
    readonly print: (text: string) => void,
    onError: (error: unknown) => void,
  ) {
    if (path === "-") return;
    const makeRoom = (): void => renameSync(path, `${path}.1`);
    this.#file = new RotatingFile({ path, what: "the trace", maxBytes, makeRoom }, onError);
  }

  add(packet: PacketTrace): void {
    const line = `${JSON.stringify(packet)}\n`;
    if (this.#file === undefined) this.print(line);
    else this.#file.add(line);
  }

  /** Writes all lines, and returns when they are written. */
  close(): void {
    this.#file?.close();
  }
}

const SOCKET = "unix:";

/**
 * The documents of a trace file, one a line. Fails with P40001 when it cannot be read.
 * @param path `-`: the input stream; `unix:PATH`: of a running switch, until it ends
 */
export async function* traceLines(path: string): AsyncGenerator<string> {
  const isSocket = path.startsWith(SOCKET);
  const input =
    path === "-"
      ? process.stdin
      : isSocket
        ? createConnection(socketPath(path.slice(SOCKET.length))).setEncoding("utf8")
        : createReadStream(path, "utf8");
  try {
    const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    // the first line of a socket is about the clock
    let isHead = isSocket;
    for await (const line of lines) {
      if (!isHead) yield line;
      isHead = false;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    fail(CODES.cannotRead, undefined, `cannot read ${path}: ${systemErrorReason(error)}`);
  } finally {
    // a connection without a reader would keep the process alive
    if (isSocket) input.destroy();
  }
}
