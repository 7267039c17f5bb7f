/** Lines of the P4 files that a trace names, where the files exist. */
import { nameOfPath, pathIn } from "../../base/index.js";

export class SourceLines {
  readonly #files = new Map<string, readonly string[] | undefined>();

  /**
   * @param folder folder of the files; without it, the paths of the trace are used
   * @param read returns the text of a file, or undefined when there is no such file
   */
  constructor(
    readonly folder: string | undefined,
    readonly read: (path: string) => string | undefined,
  ) {}

  /** A line without its indentation; lines are counted from 1. */
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
      folder === undefined
        ? [filename]
        : [pathIn(folder, `./${filename}`), pathIn(folder, nameOfPath(filename))];
    for (const path of paths) {
      const text = this.read(path);
      if (text !== undefined) return text.split("\n");
    }
    return undefined;
  }
}
