/** A trace as indented text: one line for each event, decisions in colour, the P4 line at the right. */
import { printable } from "../base/index.js";
import type { bmv2 } from "../program/index.js";
import type { PacketTrace, TraceEvent, TraceTree } from "../switch/index.js";
import { causeText, type Line, outcomeText, phraseOf, type Style } from "./phrases.js";
import type { SourceLines } from "./source-lines.js";
import { bytesText, timeText } from "./values.js";

const CODES: Readonly<Record<Style, number>> = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };

/** Column of the P4 source, unless the line is longer. */
const SOURCE_COLUMN = 64;
const STEP = "  ";

/** The name of a switch that was given none. */
const SOLE_DEVICE = "switch";

/** Events that do not belong to an action. All other events after a lookup are what the table's action did. */
const OWN: ReadonlySet<TraceEvent["kind"]> = new Set([
  "table_lookup",
  "branch",
  "digest",
  "clone_session_lookup",
  "multicast_group_lookup",
]);

/** A text on one line, with blanks for tabs. */
function inline(text: string): string {
  return printable(text.replaceAll("\t", " "));
}

export class Story {
  #lines: string[] = [];
  #depth = 0;
  /** The switch of the last document. */
  #device = SOLE_DEVICE;

  constructor(
    readonly sources: SourceLines,
    readonly colours: boolean,
  ) {}

  /** The lines of one document. */
  of(packet: PacketTrace): string[] {
    this.#lines = [];
    const { packet_id, ingress_port, packet_size, time_us } = packet.input;
    const size = bytesText(packet_size);
    // A file of one switch needs no name in each line; where several switches take turns, each is named.
    const device = packet.device === this.#device ? "" : `${packet.device}: `;
    this.#device = packet.device;
    this.#say({
      text: `${device}packet ${packet_id} on port ${ingress_port}: ${size} at ${timeText(time_us)}`,
      style: "bold",
    });
    this.#tree(packet.root);
    if (packet.cut) this.#say({ text: "more happened than a trace has room for", style: "yellow" });
    return this.#lines;
  }

  #paint(text: string, style: Style | undefined): string {
    return this.colours && style !== undefined ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text;
  }

  #say({ text, style }: Line, source?: bmv2.SourceInfo): void {
    const indent = STEP.repeat(this.#depth);
    let line = indent + this.#paint(inline(text), style);
    if (source !== undefined) {
      const room = Math.max(2, SOURCE_COLUMN - indent.length - text.length);
      const quoted = this.sources.line(source.filename, source.line) ?? source.source_fragment;
      const place = `${source.filename.split("/").at(-1)}:${source.line}`;
      line += " ".repeat(room) + this.#paint(inline(`${place}  ${quoted}`.trimEnd()), "dim");
    }
    this.#lines.push(line);
  }

  /** Adds lines at a greater depth than this one. */
  #below(levels: number, write: () => void): void {
    this.#depth += levels;
    write();
    this.#depth -= levels;
  }

  #tree(tree: TraceTree): void {
    this.#below(1, () => {
      let staged = 0;
      let acting = 0;
      for (const event of tree.events) {
        const isStage = event.kind === "pipeline_stage";
        if (isStage || OWN.has(event.kind)) acting = 0;
        this.#below(isStage ? 0 : staged + acting, () => this.#event(event));
        if (isStage) staged = 1;
        if (event.kind === "table_lookup" && !event.hidden) acting = 2;
      }
      const end = outcomeText(tree.outcome);
      if (end !== undefined)
        this.#say(end, tree.outcome.kind === "drop" ? tree.outcome.source_info : undefined);
      for (const branch of tree.branches ?? []) {
        this.#say({ text: causeText(branch), style: "bold" });
        this.#tree(branch);
      }
    });
  }

  #event(event: TraceEvent): void {
    const phrase = phraseOf(event);
    if (phrase === undefined) return;
    this.#say(phrase, event.source_info);
    this.#below(1, () => {
      for (const line of phrase.below ?? []) this.#say(line);
    });
  }
}
