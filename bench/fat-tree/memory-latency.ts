/** How long a processor waits for one word of a memory of some size: what a hop pays for each place that is not in the cache. */
import { Random } from "../../src/base/index.js";

const LINE_BYTES = 64;
const WORDS_A_LINE = LINE_BYTES / 4;
const READS = 2_000_000;

/** Nanoseconds of processor time of a read, in an order that no prefetcher guesses: each word says where the next one is. */
export function memoryLatency(bytes: number): number {
  const lines = bytes / LINE_BYTES;
  const random = new Random("memory latency");
  const order = Uint32Array.from({ length: lines }, (_, line) => line);
  // Sattolo's shuffle: one cycle through all lines.
  for (let i = lines - 1; i > 0; i--) {
    const other = random.int(i);
    [order[i], order[other]] = [order[other]!, order[i]!];
  }
  const words = new Uint32Array(lines * WORDS_A_LINE);
  for (let line = 0; line < lines; line++) words[WORDS_A_LINE * line] = WORDS_A_LINE * order[line]!;
  let at = follow(words, 0, lines);
  const before = process.cpuUsage();
  at = follow(words, at, READS);
  const { user } = process.cpuUsage(before);
  if (at >= words.length) throw new Error("the walk has left the memory");
  return (1000 * user) / READS;
}

function follow(words: Uint32Array, from: number, steps: number): number {
  let at = from;
  for (let i = 0; i < steps; i++) at = words[at]!;
  return at;
}
