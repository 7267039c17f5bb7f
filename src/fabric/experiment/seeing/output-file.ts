/** A file that grows: written data wait in memory until they fill a block. */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { refuse } from "../files.js";

const BLOCK_BYTES = 1 << 20;

export class OutputFile {
  readonly #file: number;
  readonly #block = Buffer.alloc(BLOCK_BYTES);
  #used = 0;

  /** Creates its folder too. All methods throw DiagnosticError P43011 for a file that cannot be written. */
  constructor(readonly path: string) {
    try {
      mkdirSync(dirname(path), { recursive: true });
      this.#file = openSync(path, "w");
    } catch (error) {
      refuse(dirname(path), error);
    }
  }

  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#used === BLOCK_BYTES) this.#flush();
      const part = bytes.subarray(at, at + BLOCK_BYTES - this.#used);
      this.#block.set(part, this.#used);
      this.#used += part.length;
      at += part.length;
    }
  }

  close(): void {
    try {
      this.#flush();
    } finally {
      closeSync(this.#file);
    }
  }

  #flush(): void {
    const length = this.#used;
    this.#used = 0;
    try {
      for (let at = 0; at < length; ) at += writeSync(this.#file, this.#block, at, length - at);
    } catch (error) {
      refuse(dirname(this.path), error);
    }
  }
}
