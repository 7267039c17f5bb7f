/** Requests to a switch that may end at any time. */

/** The answer; undefined: the switch does not run; `watchSwitches` reports when it does. */
export async function whileRunning<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    if ((error as { code?: unknown }).code === "UNAVAILABLE") return undefined;
    throw error;
  }
}
