/** JSON lines: requests on stdin, events on stdout. */
import { fstatSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import type { AgentEvent } from "./events.js";

/** Maximum number of characters of one request. */
const LONGEST_LINE = 1 << 20;
/** Maximum number of characters of all events that wait for a slow reader. */
const MOST_WAITING = 16 << 20;

/**
 * Calls `onLine` for each line that is not empty, and `onEnd` once at the end of the input, or when reading fails. Of a line that
 * exceeds the maximum, `onLine` gets a part, which is not valid JSON and so leads to an error.
 */
export function readLines(
  input: NodeJS.ReadableStream,
  onLine: (line: string) => void,
  onEnd: () => void,
): void {
  let rest = "";
  input.setEncoding("utf8");
  input.on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) if (line.trim() !== "") onLine(line);
    if (rest.length > LONGEST_LINE) {
      onLine(rest);
      rest = "";
    }
  });
  input.once("end", onEnd);
  input.once("error", onEnd);
}

/**
 * Writes events to a descriptor. They wait in memory for a slow reader, up to a limit: then {@link send} throws, since no
 * event may be left out.
 */
export class EventOutput {
  /** Undefined for a file, which never blocks. */
  readonly #socket: Socket | undefined;

  /** @param onGone called when the reader has closed the descriptor */
  constructor(
    readonly fd: number,
    onGone: () => void,
  ) {
    const stats = fstatSync(fd);
    if (!stats.isFIFO() && !stats.isSocket()) return;
    // Node's own stdout would block the agent while the reader of a pipe is slow.
    this.#socket = new Socket({ fd, readable: false, writable: true });
    this.#socket.on("error", onGone);
  }

  readonly send = (event: AgentEvent): void => {
    const line = `${JSON.stringify(event)}\n`;
    if (this.#socket === undefined) writeSync(this.fd, line);
    else {
      this.#socket.write(line);
      const waiting = this.#socket.writableLength;
      if (waiting > MOST_WAITING) throw new Error(`the events are not read: ${waiting} bytes wait`);
    }
  };

  /** Calls back when all events are written, even if the reader is slow. */
  finish(onDone: () => void): void {
    if (this.#socket === undefined) onDone();
    else this.#socket.end(onDone);
  }
}
