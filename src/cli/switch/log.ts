/** The log of a running switch: to stdout, to a file that starts anew when it is full, or both. */
import { closeSync, existsSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { fail } from "../../base/index.js";

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "off"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Lines that wait at most. */
const LINES_A_WRITE = 1000;

export interface LogSetup {
  level: LogLevel;
  console: boolean;
  file?: string;
  maxBytes: number;
  maxFiles: number;
}

/**
 * Lines `[hour:minute:second.ms] [p4loom] [I] text`, times in UTC, as BMv2 writes them (where they are local). They
 * are written together once a turn of the event loop, warnings and errors at once.
 */
export class Log {
  readonly #least: number;
  #descriptor: number | undefined;
  #bytes = 0;
  #waiting: string[] = [];

  /**
   * Starts the file anew. Fails with P40003 when that cannot be done.
   * @param now milliseconds since the epoch
   */
  constructor(
    readonly setup: LogSetup,
    readonly now: () => number,
    readonly print: (text: string) => void,
    /** Told once when the file cannot be written any more; the log goes on without it. */
    readonly onError: (error: unknown) => void,
  ) {
    this.#least =
      setup.console || setup.file !== undefined ? LOG_LEVELS.indexOf(setup.level) : LOG_LEVELS.length;
    if (setup.file !== undefined) this.#try(() => this.#open());
  }

  /** Whether lines of a level are kept: ask before making a costly one. */
  has(level: Exclude<LogLevel, "off">): boolean {
    return LOG_LEVELS.indexOf(level) >= this.#least;
  }

  write(level: Exclude<LogLevel, "off">, text: string): void {
    if (!this.has(level)) return;
    const time = new Date(this.now()).toISOString().slice(11, 23);
    const line = `[${time}] [p4loom] [${level[0]!.toUpperCase()}] ${text}\n`;
    if (this.#waiting.push(line) === 1) setImmediate(() => this.flush());
    if (level === "warn" || level === "error" || this.#waiting.length >= LINES_A_WRITE) this.flush();
  }

  /** Writes what waits. */
  flush(): void {
    const lines = this.#waiting;
    if (lines.length === 0) return;
    this.#waiting = [];
    if (this.setup.console) this.print(lines.join(""));
    if (this.#descriptor === undefined) return;
    this.#guard(() => this.#append(lines));
  }

  close(): void {
    this.flush();
    this.#guard(() => this.#closeFile());
  }

  /** However closing ends, the descriptor is not one any more. */
  #closeFile(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor !== undefined) closeSync(descriptor);
  }

  #append(lines: readonly string[]): void {
    let piece = "";
    for (const line of lines) {
      const length = Buffer.byteLength(line);
      if (this.#bytes > 0 && this.#bytes + length > this.setup.maxBytes) {
        writeFileSync(this.#descriptor!, piece);
        piece = "";
        this.#rotate();
      }
      piece += line;
      this.#bytes += length;
    }
    writeFileSync(this.#descriptor!, piece);
  }

  #open(): void {
    this.#descriptor = openSync(this.#path(0), "w");
    this.#bytes = 0;
  }

  /** FILE.txt becomes FILE.1.txt, that one FILE.2.txt and so on; the last one goes. */
  #rotate(): void {
    const { maxFiles } = this.setup;
    this.#closeFile();
    rmSync(this.#path(maxFiles), { force: true });
    for (let age = maxFiles; age > 0; age--) {
      if (existsSync(this.#path(age - 1))) renameSync(this.#path(age - 1), this.#path(age));
    }
    this.#open();
  }

  #path(age: number): string {
    return age === 0 ? `${this.setup.file}.txt` : `${this.setup.file}.${age}.txt`;
  }

  #guard(task: () => void): void {
    try {
      this.#try(task);
    } catch (error) {
      try {
        this.#closeFile();
      } catch {
        // The first error is the one to tell.
      }
      this.onError(error);
    }
  }

  #try(task: () => void): void {
    try {
      task();
    } catch (error) {
      fail("P40003", undefined, `cannot write the log ${this.#path(0)}: ${(error as Error).message}`);
    }
  }
}
