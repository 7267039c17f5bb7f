/** Describes the processing of packets, as lines for the report on a failed test. */

import type { PacketTrace } from "../../toolchain/switch/index.js";
import { SourceLines, Story } from "../../toolchain/trace/index.js";
import type { Submission } from "./submission.js";

const MAX_LINES = 80;
const MAX_LENGTH = 400;

/** The stories of packets in the order of their arrival at switches; only the first ones if there are many. */
export function storyOf(traces: readonly PacketTrace[], { files }: Submission): string[] {
  const sources = new SourceLines(undefined, (path) => (files.exists(path) ? files.read(path) : undefined));
  const story = new Story(sources, false);
  const sorted = traces
    .map((trace, index) => ({ trace, index }))
    .sort((a, b) => a.trace.input.time_us - b.trace.input.time_us || a.index - b.index);
  const lines: string[] = [];
  for (const [shown, { trace }] of sorted.entries()) {
    const next = story.of(trace);
    if (shown > 0 && lines.length + next.length > MAX_LINES) {
      lines.push(`... and ${sorted.length - shown} more`);
      break;
    }
    // A single packet can have thousands of lines, if the switch copies it many times.
    lines.push(...next.slice(0, MAX_LINES).map((line) => line.slice(0, MAX_LENGTH)));
    if (next.length > MAX_LINES) lines.push(`... and ${next.length - MAX_LINES} lines more`);
  }
  return lines;
}
