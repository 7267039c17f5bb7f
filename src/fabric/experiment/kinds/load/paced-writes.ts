/** An application that writes the data of a TCP flow at a rate, a segment at a time, as `iperf3 -b` does with small blocks. */
import { NS_PER_S, type Simulation, type Stream } from "../../../sim/packet/index.js";

export interface PacedWrites {
  readonly bytes: number;
  /** Bits of payload per second. */
  readonly rateBps: number;
  readonly segmentBytes: number;
}

/**
 * Writes the first segment now, each further one at its time, and closes the stream after the last. Data that the
 * stream cannot send yet wait in it, so a slow stream may catch up. Returns a function that stops the writes.
 */
export function writePaced(
  simulation: Simulation,
  stream: Pick<Stream, "send" | "finish">,
  { bytes, rateBps, segmentBytes }: PacedWrites,
): () => void {
  const start = simulation.now;
  let written = 0;
  let cancel = (): void => {};
  const write = (): void => {
    const size = Math.min(segmentBytes, bytes - written);
    written += size;
    stream.send(size);
    if (written === bytes) stream.finish();
    else cancel = simulation.at(start + Math.ceil((8 * written * NS_PER_S) / rateBps), write);
  };
  write();
  return () => cancel();
}
