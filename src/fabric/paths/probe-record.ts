/** Probes and their results, in little memory. */
export class ProbeRecord {
  #links = new Int32Array(1024);
  /** By probe: the end of its links; and whether it arrived. */
  #ends = new Int32Array(256);
  #arrived = new Uint8Array(256);
  readonly #lost: number[] = [];
  count = 0;

  /** Numbers of the lost probes, from 0, in their order. */
  get lost(): readonly number[] {
    return this.#lost;
  }

  add(links: ArrayLike<number>, arrived: boolean): void {
    const start = this.#startOf(this.count);
    const end = start + links.length;
    if (end > this.#links.length) this.#links = longer(this.#links, Int32Array, end);
    if (this.count === this.#ends.length) {
      this.#ends = longer(this.#ends, Int32Array, this.count + 1);
      this.#arrived = longer(this.#arrived, Uint8Array, this.count + 1);
    }
    for (let i = 0; i < links.length; i++) this.#links[start + i] = links[i]!;
    this.#ends[this.count] = end;
    this.#arrived[this.count] = arrived ? 1 : 0;
    if (!arrived) this.#lost.push(this.count);
    this.count++;
  }

  arrived(probe: number): boolean {
    return this.#arrived[probe] === 1;
  }

  linksOf(probe: number): Int32Array {
    return this.#links.subarray(this.#startOf(probe), this.#ends[probe]!);
  }

  #startOf(probe: number): number {
    return probe === 0 ? 0 : this.#ends[probe - 1]!;
  }
}

function longer<T extends Int32Array | Uint8Array>(old: T, make: new (size: number) => T, least: number): T {
  const array = new make(Math.max(2 * old.length, least));
  array.set(old);
  return array;
}
