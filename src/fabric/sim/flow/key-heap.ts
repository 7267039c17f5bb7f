/** Numbers in the order of their keys: a binary heap in two arrays, filled as a whole, then taken from. */

export class KeyHeap {
  #keys = new Float64Array(1024);
  #items = new Int32Array(1024);
  #size = 0;

  /** Infinite for an empty heap. */
  get leastKey(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : this.#keys[0]!;
  }

  /** The number with the least key. */
  get least(): number {
    return this.#items[0]!;
  }

  clear(): void {
    this.#size = 0;
  }

  /** Adds at the end; {@link order} makes a heap of it. */
  add(key: number, item: number): void {
    if (this.#size === this.#keys.length) {
      const keys = new Float64Array(2 * this.#size);
      const items = new Int32Array(2 * this.#size);
      keys.set(this.#keys);
      items.set(this.#items);
      [this.#keys, this.#items] = [keys, items];
    }
    this.#keys[this.#size] = key;
    this.#items[this.#size++] = item;
  }

  order(): void {
    for (let at = (this.#size >> 1) - 1; at >= 0; at--) this.#sink(at);
  }

  /** Removes the number with the least key. */
  pop(): void {
    const last = --this.#size;
    this.#keys[0] = this.#keys[last]!;
    this.#items[0] = this.#items[last]!;
    if (last > 0) this.#sink(0);
  }

  /** Increases the key of the number with the least key. */
  raise(key: number): void {
    this.#keys[0] = key;
    this.#sink(0);
  }

  #sink(at: number): void {
    const [keys, items, size] = [this.#keys, this.#items, this.#size];
    const key = keys[at]!;
    const item = items[at]!;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && keys[child + 1]! < keys[child]!) child++;
      if (keys[child]! >= key) break;
      keys[at] = keys[child]!;
      items[at] = items[child]!;
      at = child;
    }
    keys[at] = key;
    items[at] = item;
  }
}
