/** What happened to packets, as lines for whoever failed a test. */

import type { PacketTrace } from "../switch/index.js";
import { SourceLines, Story } from "../trace/index.js";
import type { Submission } from "./submission.js";

const MAX_LINES = 80;
const MAX_LENGTH = 400;

/** The stories of packets in the order in which they came to their switches; the first of them when there are many. */
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
    // A packet that multiplies has thousands of lines by itself.
    lines.push(...next.slice(0, MAX_LINES).map((line) => line.slice(0, MAX_LENGTH)));
    if (next.length > MAX_LINES) lines.push(`... and ${next.length - MAX_LINES} lines more`);
  }
  return lines;
}
