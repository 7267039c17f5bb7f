/** A trace as indented text: one line for each event, decisions in colour, the P4 line at the right. */
import { printable } from "../../base/index.js";
import type { PacketTrace } from "../switch/index.js";
import type { Style } from "./phrases.js";
import type { SourceLines } from "./source-lines.js";
import { type StoryLine, storyLines } from "./story-lines.js";

const CODES: Readonly<Record<Style, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };

/** Column of the P4 source, unless the line is longer. */
const SOURCE_COLUMN = 64;
const STEP = "  ";

/** The name of a switch without a name. */
const SOLE_DEVICE = "switch";

/** A text on one line, with blanks for tabs. */
function inline(text: string): string {
  return printable(text.replaceAll("\t", " "));
}

export class Story {
  /** The switch of the last document. */
  #device = SOLE_DEVICE;

  constructor(
    readonly sources: SourceLines,
    readonly colours: boolean,
  ) {}

  /** The lines of one document. */
  of(packet: PacketTrace): string[] {
    // A file of one switch needs no name in each line; where several switches take turns, each is named.
    const device = packet.device === this.#device ? "" : `${packet.device}: `;
    this.#device = packet.device;
    return storyLines(packet, device).map((line) => this.#print(line));
  }

  #paint(text: string, style: Style | undefined): string {
    return this.colours && style !== undefined ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text;
  }

  #print({ depth, text, style, source }: StoryLine): string {
    const indent = STEP.repeat(depth);
    const line = indent + this.#paint(inline(text), style);
    if (source === undefined) return line;
    const room = Math.max(2, SOURCE_COLUMN - indent.length - text.length);
    const quoted = this.sources.line(source.filename, source.line) ?? source.source_fragment;
    const place = `${source.filename.split("/").at(-1)}:${source.line}`;
    return line + " ".repeat(room) + this.#paint(inline(`${place}  ${quoted}`.trimEnd()), "dim");
  }
}
