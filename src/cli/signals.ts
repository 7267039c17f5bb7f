/** Runs commands that must clean up when a signal ends them. */

/** Exit status of a command that a signal ended: 128 and the signal's number. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * The value of `work`, or the exit status after a signal: then `work` was stopped and has cleaned up. `late` stops it too; then its
 * reason is thrown.
 */
export async function untilSignal<T>(
  work: (stop: AbortSignal) => Promise<T>,
  late?: AbortSignal,
): Promise<T | number> {
  const stop = new AbortController();
  let status: number | undefined;
  late?.addEventListener("abort", () => stop.abort(late.reason), { once: true });
  const handlers = (["SIGINT", "SIGTERM"] as const).map((signal) => {
    const handle = () => {
      status = SIGNALS[signal];
      stop.abort(new Error(signal));
    };
    process.on(signal, handle);
    return () => process.off(signal, handle);
  });
  try {
    return await work(stop.signal);
  } catch (error) {
    if (status === undefined) throw error;
    return status;
  } finally {
    for (const remove of handlers) remove();
  }
}
