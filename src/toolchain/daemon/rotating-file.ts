/** A file of lines with a bound on its size: when it is full, it is renamed and a new file is started. */
import { DiagnosticError, Diagnostics, systemErrorReason } from "../../base/index.js";
import { BufferedFile } from "./buffered-file.js";
import { CODES } from "./codes.js";

export interface RotatingFileSetup {
  path: string;
  /** What it is, for messages: `the log`. */
  what: string;
  /** Maximum size of the file in bytes, unless a single line is longer. */
  maxBytes: number;
  /** Renames the full file. */
  makeRoom(): void;
}

export class RotatingFile {
  #file: BufferedFile;
  /** Full files that are not on the disk yet. */
  readonly #ending = new Set<BufferedFile>();
  #bytes = 0;

  /**
   * Starts the file anew. Fails with P40003 when that cannot be done.
   * @param onError called once, with P40003, when the file cannot be written any more; later lines are lost
   */
  constructor(
    readonly setup: RotatingFileSetup,
    readonly onError: (error: unknown) => void,
  ) {
    try {
      this.#file = this.#open();
    } catch (error) {
      throw this.#describe(error as Error);
    }
  }

  /** Adds a line with its line end. */
  add(line: string): void {
    if (!this.#file.isOpen) return;
    const bytes = Buffer.from(line);
    if (this.#bytes > 0 && this.#bytes + bytes.length > this.setup.maxBytes && !this.#rotate()) return;
    this.#bytes += bytes.length;
    this.#file.add(bytes);
  }

  /** Writes all lines and returns when they are written. */
  close(): void {
    for (const file of [...this.#ending, this.#file]) file.close();
    this.#ending.clear();
  }

  #open(): BufferedFile {
    this.#bytes = 0;
    const file: BufferedFile = new BufferedFile(
      this.setup.path,
      (error) => this.onError(this.#describe(error)),
      () => this.#ending.delete(file),
    );
    return file;
  }

  #rotate(): boolean {
    const full = this.#file;
    this.#ending.add(full);
    full.end();
    try {
      this.setup.makeRoom();
      this.#file = this.#open();
      return true;
    } catch (error) {
      this.onError(this.#describe(error as Error));
      return false;
    }
  }

  #describe(error: Error): DiagnosticError {
    const diagnostics = new Diagnostics();
    diagnostics.error(
      CODES.cannotWrite,
      undefined,
      `cannot write ${this.setup.what} ${this.setup.path}: ${systemErrorReason(error)}`,
    );
    return new DiagnosticError(diagnostics.list);
  }
}
