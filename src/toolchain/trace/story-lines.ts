/** A trace as lines with their depth, their style and the P4 place that each comes from: for a terminal and for a page. */
import { given } from "../../base/index.js";
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
  say(0, { text, style: "bold" });
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
