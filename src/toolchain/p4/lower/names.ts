/** Unique names. */
export class Names {
  readonly #used = new Set<string>();
  /** The first number to try as the suffix of a name. */
  readonly #next = new Map<string, number>();

  /** `base` itself the first time, then `base_0`, `base_1`, ... */
  unique(base: string): string {
    let name = base;
    if (this.#used.has(base)) {
      let number = this.#next.get(base) ?? 0;
      do name = `${base}_${number++}`;
      while (this.#used.has(name));
      this.#next.set(base, number);
    }
    this.#used.add(name);
    return name;
  }
}
