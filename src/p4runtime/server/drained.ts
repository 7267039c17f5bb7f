/** Waiting for a client that reads slowly. */
import type { Writable } from "node:stream";

/** Resolves when the client has read on, or is gone: at once when that is so already. */
export function drained(call: Writable & { cancelled: boolean }): Promise<void> {
  // The end of a call is reported once; a later listener would wait forever.
  if (call.cancelled || call.destroyed || call.writableEnded || !call.writableNeedDrain)
    return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      call.off("drain", done);
      call.off("cancelled", done);
      call.off("close", done);
      resolve();
    };
    call.once("drain", done);
    call.once("cancelled", done);
    call.once("close", done);
  });
}
