/** All that packets change of a program's state, saved and restored. */
import type { Instance } from "../control/instance.js";

/** Saves registers, counters, meters, and what packets change of entries; the result restores them, any number of times. */
export function keepState({ tables, counters, meters, registers }: Instance): () => void {
  const restores: (() => void)[] = [];
  /** The array may be replaced by a larger one meanwhile. */
  const keep = (array: () => Int32Array | Float64Array): void => {
    const copy = array().slice();
    restores.push(() => array().set(copy));
  };
  for (const register of registers.values()) keep(() => register.data);
  for (const counter of counters.values()) keep(() => counter.counts);
  for (const meter of meters.values()) restores.push(meter.keepAll());
  for (const { store } of tables.values()) {
    keep(() => store.counts);
    keep(() => store.lastHit);
    if (store.meter !== undefined) restores.push(store.meter.keepAll());
    const idle = [...store.idle];
    restores.push(() => {
      for (const entry of idle) store.idle.add(entry);
    });
  }
  return () => {
    for (const restore of restores) restore();
  };
}
