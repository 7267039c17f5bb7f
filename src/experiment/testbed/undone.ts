/** Work that must be undone behind itself, on machines where either may fail. */

/** Runs `undo` behind `work` in any case. Where `work` rejects, that is the reason: what `undo` then says follows from it. */
export async function undone<T>(work: () => Promise<T>, undo: () => Promise<void>): Promise<T> {
  let value: T;
  try {
    value = await work();
  } catch (error) {
    await undo().catch(() => {});
    throw error;
  }
  await undo();
  return value;
}
