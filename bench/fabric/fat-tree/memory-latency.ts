/** Measures how long a processor waits for one word in memory of a given size: the cost of each cache miss of a hop. */
import { Random } from "../../../src/base/index.js";

const LINE_BYTES = 64;
const WORDS_A_LINE = LINE_BYTES / 4;
const READS = 2_000_000;

/**
 * Processor time of a read in nanoseconds. Each word has the index of the next one, so that no prefetcher can predict
 * the order.
 */
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
