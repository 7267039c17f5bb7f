/** JSON lines: requests on stdin, events on stdout. */
import { fstatSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import type { AgentEvent } from "./events.js";

/** Characters of one request. */
const LONGEST_LINE = 1 << 20;
/** Characters of all events that wait for a slow reader. */
const MOST_WAITING = 16 << 20;

/**
 * Calls `onLine` for each line that is not empty, and `onEnd` once at the end of the input, or when it fails. A longer line
 * than any request is given to `onLine` in part, which makes it an error.
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
 * Writes events to a descriptor. They wait in memory for a slow reader, up to a bound: then {@link send} throws, since an
 * event that is left out could be the one that somebody waits for.
 */
export class EventOutput {
  /** Undefined for a file, which makes nobody wait. */
  readonly #socket: Socket | undefined;

  /** @param onGone nobody reads any more */
  constructor(
    readonly fd: number,
    onGone: () => void,
  ) {
    const stats = fstatSync(fd);
    if (!stats.isFIFO() && !stats.isSocket()) return;
    // Node's own stdout would make the agent wait for the reader of a pipe.
    this.#socket = new Socket({ fd, readable: false, writable: true });
    this.#socket.on("error", onGone);
  }

  readonly send = (event: AgentEvent): void => {
    const line = `${JSON.stringify(event)}\n`;
    if (this.#socket === undefined) writeSync(this.fd, line);
    else {
      this.#socket.write(line);
      const waiting = this.#socket.writableLength;
      if (waiting > MOST_WAITING) throw new Error(`nobody reads the events: ${waiting} bytes of them wait`);
    }
  };

  /** Calls back when all events are written, however long the reader takes. */
  finish(onDone: () => void): void {
    if (this.#socket === undefined) onDone();
    else this.#socket.end(onDone);
  }
}
