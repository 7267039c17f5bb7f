/** The log of a running switch: to stdout, to a file that starts anew when it is full, or both. */
import { appendFileSync, existsSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { fail } from "../../base/index.js";

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "off"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogSetup {
  level: LogLevel;
  console: boolean;
  file?: string;
  maxBytes: number;
  maxFiles: number;
}

/**
 * Lines `[hour:minute:second.ms] [p4loom] [I] text`, times in UTC, as BMv2 writes them (where they are local).
 */
export class Log {
  readonly #least: number;
  #bytes = 0;
  #toFile = false;

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
    if (setup.file !== undefined) this.#try(() => writeFileSync(this.#path(0), ""));
    this.#toFile = setup.file !== undefined;
  }

  /** Whether lines of a level are kept: ask before making a costly one. */
  has(level: Exclude<LogLevel, "off">): boolean {
    return LOG_LEVELS.indexOf(level) >= this.#least;
  }

  write(level: Exclude<LogLevel, "off">, text: string): void {
    if (!this.has(level)) return;
    const time = new Date(this.now()).toISOString().slice(11, 23);
    const line = `[${time}] [p4loom] [${level[0]!.toUpperCase()}] ${text}\n`;
    if (this.setup.console) this.print(line);
    if (!this.#toFile) return;
    try {
      this.#try(() => this.#append(line));
    } catch (error) {
      this.#toFile = false;
      this.onError(error);
    }
  }

  #append(line: string): void {
    const length = Buffer.byteLength(line);
    if (this.#bytes > 0 && this.#bytes + length > this.setup.maxBytes) this.#rotate();
    appendFileSync(this.#path(0), line);
    this.#bytes += length;
  }

  /** FILE.txt becomes FILE.1.txt, that one FILE.2.txt and so on; the last one goes. */
  #rotate(): void {
    const { maxFiles } = this.setup;
    rmSync(this.#path(maxFiles), { force: true });
    for (let age = maxFiles; age > 0; age--) {
      if (existsSync(this.#path(age - 1))) renameSync(this.#path(age - 1), this.#path(age));
    }
    writeFileSync(this.#path(0), "");
    this.#bytes = statSync(this.#path(0)).size;
  }

  #path(age: number): string {
    return age === 0 ? `${this.setup.file}.txt` : `${this.setup.file}.${age}.txt`;
  }

  #try(task: () => void): void {
    try {
      task();
    } catch (error) {
      fail("P40003", undefined, `cannot write the log ${this.#path(0)}: ${(error as Error).message}`);
    }
  }
}
