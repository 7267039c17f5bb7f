/** Lines of the P4 files that a trace speaks of, as far as they are there. */
import { basename, join } from "node:path";

export class SourceLines {
  readonly #files = new Map<string, readonly string[] | undefined>();

  /**
   * @param folder where the files are; without one, where the trace says
   * @param read gives the text of a file, undefined where there is none
   */
  constructor(
    readonly folder: string | undefined,
    readonly read: (path: string) => string | undefined,
  ) {}

  /** The line without its indentation, counted from 1. */
  line(filename: string, number: number): string | undefined {
    let lines = this.#files.get(filename);
    if (!this.#files.has(filename)) {
      lines = this.#read(filename);
      this.#files.set(filename, lines);
    }
    return lines?.[number - 1]?.trim();
  }

  #read(filename: string): readonly string[] | undefined {
    const { folder } = this;
    const paths =
      folder === undefined ? [filename] : [join(folder, filename), join(folder, basename(filename))];
    for (const path of paths) {
      const text = this.read(path);
      if (text !== undefined) return text.split("\n");
    }
    return undefined;
  }
}
