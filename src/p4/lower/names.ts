/** Names that are used once. */
export class Names {
  readonly #used = new Set<string>();

  /** `base` itself the first time, then `base_0`, `base_1`, ... */
  unique(base: string): string {
    let name = base;
    for (let i = 0; this.#used.has(name); i++) name = `${base}_${i}`;
    this.#used.add(name);
    return name;
  }
}
