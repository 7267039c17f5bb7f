/** Handles of BMv2: the lowest free number. */
export class Handles {
  readonly #free: number[] = [];
  #used = 0;

  take(): number {
    if (this.#free.length === 0) return this.#used++;
    let least = 0;
    for (let i = 1; i < this.#free.length; i++) if (this.#free[i]! < this.#free[least]!) least = i;
    return this.#free.splice(least, 1)[0]!;
  }

  release(handle: number): void {
    if (handle === this.#used - 1) this.#used--;
    else this.#free.push(handle);
  }

  clear(): void {
    this.#free.length = 0;
    this.#used = 0;
  }
}
