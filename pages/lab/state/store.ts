/** A value with listeners. */
import { useEffect, useState } from "preact/hooks";

export class Store<T extends object> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  /** Replaces the given members and notifies the listeners. */
  set(change: Partial<T>): void {
    this.#value = { ...this.#value, ...change };
    for (const listener of [...this.#listeners]) listener();
  }

  /** Replaces the given members without notifying the listeners. */
  replaceQuietly(change: Partial<T>): void {
    this.#value = { ...this.#value, ...change };
  }

  /** Calls `listener` after each change, until the returned function is called. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** The part of the store that `choose` returns; the component is drawn again when its identity changes. */
export function useStore<T extends object, U>(store: Store<T>, choose: (value: T) => U): U {
  const chosen = choose(store.value);
  const [, redraw] = useState({});
  useEffect(() => {
    let last = choose(store.value);
    if (!Object.is(last, chosen)) redraw({});
    return store.watch(() => {
      const next = choose(store.value);
      if (Object.is(next, last)) return;
      last = next;
      redraw({});
    });
  }, [store]);
  return chosen;
}
