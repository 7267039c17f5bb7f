/** A file with the names and line numbers that `#line` gives it. */
import { type Position, SourceFile } from "../../../base/index.js";

/** The text and offsets of `base` under another name, its lines counted from elsewhere. */
export class LineView extends SourceFile {
  constructor(
    path: string,
    readonly base: SourceFile,
    /** Added to the line numbers of `base`. */
    readonly shift: number,
  ) {
    super(path, base.text);
  }

  override position(offset: number): Position {
    const { line, column } = this.base.position(offset);
    return { line: Math.max(1, line + this.shift), column };
  }

  override lineText(line: number): string {
    return this.base.lineText(line - this.shift);
  }
}

/** The file that a text was read from, without the effect of `#line`. */
export function sourceOf(file: SourceFile): SourceFile {
  return file instanceof LineView ? sourceOf(file.base) : file;
}
