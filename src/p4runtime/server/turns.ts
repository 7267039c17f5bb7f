/** Turns for other tasks of the event loop, packets and streams among them, during one large request. */
import type { Pace } from "../../device/index.js";

/** Pieces of work (updates, entities) between two turns: the dearest known takes 120 microseconds. */
const PIECES_PER_TURN = 50;

/** Counts the pieces of one request; after every 50 it asks for a turn of the event loop. */
export function paceOf(yieldTurn: () => Promise<void>): Pace {
  let done = 0;
  return (pieces = 1) => {
    done += pieces;
    if (done < PIECES_PER_TURN) return undefined;
    done = 0;
    return yieldTurn();
  };
}
