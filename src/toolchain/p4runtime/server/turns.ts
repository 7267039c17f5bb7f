/** Lets other tasks of the event loop run, such as packets and streams, during one large request. */
import type { Pace } from "../../device/index.js";

/** Number of work units (updates, entities) between two turns: the most expensive one takes 120 microseconds. */
const PIECES_PER_TURN = 50;

/** Counts the units of one request; after every 50 it yields a turn of the event loop. */
export function paceOf(yieldTurn: () => Promise<void>): Pace {
  let done = 0;
  return (pieces = 1) => {
    done += pieces;
    if (done < PIECES_PER_TURN) return undefined;
    done = 0;
    return yieldTurn();
  };
}
