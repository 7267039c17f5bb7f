/**
 * A trace as lines with their depth, their style and the P4 place that each comes from (for a page), and as indented text with decisions in
 * colour and the P4 line at the right (for a terminal).
 */
import { given, nameOfPath, pathIn, printable } from "../../base/index.js";
import type { bmv2 } from "../program/index.js";
import type { PacketTrace, TraceEvent, TraceTree } from "../switch/index.js";
import { causeText, type Line, outcomeText, phraseOf, type Style } from "./phrases.js";
import { bytesText, timeText } from "./values.js";

export interface StoryLine {
  /** Steps of indentation. */
  readonly depth: number;
  readonly text: string;
  readonly style?: Style;
  readonly source?: bmv2.SourceInfo;
}

/** Events that do not belong to an action. All other events after a lookup are what the table's action did. */
const OWN: ReadonlySet<TraceEvent["kind"]> = new Set([
  "table_lookup",
  "branch",
  "digest",
  "clone_session_lookup",
  "multicast_group_lookup",
]);

/** The lines of one document. `device` is put in front of the first one: the name of the switch, where it must be shown. */
export function storyLines(packet: PacketTrace, device = ""): StoryLine[] {
  const lines: StoryLine[] = [];
  const say = (depth: number, line: Line, source?: bmv2.SourceInfo) =>
    lines.push({ depth, ...line, ...given({ source }) });
  const { packet_id, ingress_port, packet_size, time_us } = packet.input;
  const text = `${device}packet ${packet_id} on port ${ingress_port}: ${bytesText(packet_size)} at ${timeText(time_us)}`;
  const { outcomes } = packet;
  const count = outcomes === undefined ? "" : `, ${outcomes} outcome${outcomes === 1 ? "" : "s"}`;
  say(0, { text: text + count, style: "bold" });
  tree(packet.root, 1);
  if (packet.cut) say(0, { text: "more happened than a trace has room for", style: "yellow" });
  return lines;

  function tree(copy: TraceTree, depth: number): void {
    let staged = 0;
    let acting = 0;
    for (const event of copy.events) {
      const isStage = event.kind === "pipeline_stage";
      if (isStage || OWN.has(event.kind)) acting = 0;
      const phrase = phraseOf(event);
      const here = depth + (isStage ? 0 : staged + acting);
      if (phrase !== undefined) {
        const { below = [], ...line } = phrase;
        say(here, line, event.source_info);
        for (const detail of below) say(here + 1, detail);
      }
      if (isStage) staged = 1;
      if (event.kind === "table_lookup" && !event.hidden) acting = 2;
    }
    const end = outcomeText(copy.outcome);
    if (end !== undefined)
      say(depth, end, copy.outcome.kind === "drop" ? copy.outcome.source_info : undefined);
    for (const branch of copy.branches ?? []) {
      say(depth, { text: causeText(branch), style: "bold" });
      tree(branch, depth + 1);
    }
  }
}

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

/** Lines of the P4 files that a trace names, where the files exist. */
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
