/** The log of a running switch: to stdout, to a file that is rotated when it is full, or both. */

import { existsSync, renameSync, rmSync } from "node:fs";
import { defined } from "../../base/index.js";
import { RotatingFile } from "./rotating-file.js";

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "off"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Maximum number of lines that wait for the console. */
const MAX_WAITING_LINES = 1000;

export interface LogSetup {
  level: LogLevel;
  console: boolean;
  file?: string;
  maxBytes: number;
  maxFiles: number;
}

/**
 * Lines `[hour:minute:second.ms] [p4loom] [I] text`, times in UTC, as BMv2 writes them (where they are local). The
 * console gets them together once a turn of the event loop, warnings and errors at once.
 */
export class Log {
  /** Lowest level that is kept. */
  readonly #lowest: number;
  readonly #file: RotatingFile | undefined;
  #waiting: string[] = [];

  /**
   * Starts the file anew. Fails with P40003 when that cannot be done.
   * @param now milliseconds since the epoch
   */
  constructor(
    readonly setup: LogSetup,
    readonly now: () => number,
    readonly print: (text: string) => void,
    /** Called once when the file cannot be written any more; the log then continues without the file. */
    onError: (error: unknown) => void,
  ) {
    const { console, file, level, maxBytes } = setup;
    this.#lowest = console || file !== undefined ? LOG_LEVELS.indexOf(level) : LOG_LEVELS.length;
    if (file === undefined) return;
    const makeRoom = (): void => this.#shift(file);
    this.#file = new RotatingFile({ path: pathOf(file, 0), what: "the log", maxBytes, makeRoom }, onError);
  }

  /** Whether lines of a level are kept: to be asked before making an expensive line. */
  has(level: Exclude<LogLevel, "off">): boolean {
    return LOG_LEVELS.indexOf(level) >= this.#lowest;
  }

  write(level: Exclude<LogLevel, "off">, text: string): void {
    if (!this.has(level)) return;
    const time = new Date(this.now()).toISOString().slice(11, 23);
    const line = `[${time}] [p4loom] [${defined(level[0]).toUpperCase()}] ${text}\n`;
    this.#file?.add(line);
    if (!this.setup.console) return;
    if (this.#waiting.push(line) === 1) setImmediate(() => this.flush());
    if (level === "warn" || level === "error" || this.#waiting.length >= MAX_WAITING_LINES) this.flush();
  }

  /** Prints the lines that wait for the console. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    this.print(this.#waiting.join(""));
    this.#waiting = [];
  }

  /** Prints and writes all lines. */
  close(): void {
    this.flush();
    this.#file?.close();
  }

  /** FILE.txt becomes FILE.1.txt, that one FILE.2.txt and so on; the last one is removed. */
  #shift(file: string): void {
    const { maxFiles } = this.setup;
    rmSync(pathOf(file, maxFiles), { force: true });
    for (let age = maxFiles; age > 0; age--) {
      if (existsSync(pathOf(file, age - 1))) renameSync(pathOf(file, age - 1), pathOf(file, age));
    }
  }
}

function pathOf(file: string, age: number): string {
  return age === 0 ? `${file}.txt` : `${file}.${age}.txt`;
}
