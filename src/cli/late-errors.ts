/** Handles uncaught errors, mostly of users' code, as the end of a command and not as a crash of Node. */
import { lateError } from "../fabric/own-schemes/index.js";
import { conclude } from "./outcome.js";

/**
 * Runs the body of a command. An uncaught error meanwhile aborts the signal with that error as its reason; after the body it is printed, and
 * decides the exit status.
 */
export async function withLateErrors(body: (late: AbortSignal) => Promise<number>): Promise<number> {
  const late = new AbortController();
  let ended = false;
  let concluded = false;
  const take = (error: unknown) => {
    const told = lateError(error) ?? error;
    if (!ended) late.abort(told);
    // The message of the first error decides. A timer that throws again and again would keep the process from its end.
    else if (concluded) process.exit();
    else {
      concluded = true;
      void conclude(async () => {
        throw told;
      });
    }
  };
  process.on("uncaughtException", take);
  process.on("unhandledRejection", (error) => {
    // A control plane listens too: it knows whose promise it was.
    if (process.listenerCount("unhandledRejection") === 1) take(error);
  });
  try {
    const status = await body(late.signal);
    late.signal.throwIfAborted();
    return status;
  } finally {
    ended = true;
  }
}
