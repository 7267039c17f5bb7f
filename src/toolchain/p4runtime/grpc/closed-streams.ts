/** How the last streams of a connection were closed, for frames that come after that (RFC 9113, section 5.1). */
import type { Ending } from "./stream.js";

/** A client that sends on streams closed before so many others has had the time to notice. */
const REMEMBERED = 1024;
const ENDINGS: readonly Ending[] = ["ended", "reset", "server"];

export class ClosedStreams {
  /** Number of the stream and of its ending in one; a ring. */
  readonly #ring = new Float64Array(REMEMBERED);
  #next = 0;

  add(stream: number, ending: Ending): void {
    this.#ring[this.#next] = stream * ENDINGS.length + ENDINGS.indexOf(ending);
    this.#next = (this.#next + 1) % REMEMBERED;
  }

  /** Undefined for a stream that was not opened, or was closed long ago. */
  endingOf(stream: number): Ending | undefined {
    for (const entry of this.#ring)
      if (Math.floor(entry / ENDINGS.length) === stream) return ENDINGS[entry % ENDINGS.length];
    return undefined;
  }
}
