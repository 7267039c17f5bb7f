/** Tracks which bytes of a stream have arrived: everything before a position, and islands after it. */
export class ReceiveWindow {
  /** All bytes before this one have arrived. */
  next = 0;
  /** Start and end of each island, ascending and disjoint: start, end, start, end, ... */
  readonly #islands: number[] = [];

  /** @param mostIslands maximum number of islands that are kept, the first ones; a real host limits the memory that a sender can use */
  constructor(readonly mostIslands = Number.POSITIVE_INFINITY) {}

  /** Marks `[start, end)` as arrived; true when at least one byte of it is new. */
  add(start: number, end: number): boolean {
    if (end <= this.next) return false;
    const islands = this.#islands;
    let from = Math.max(start, this.next);
    // The islands that touch the new range are [first, last).
    let first = 0;
    while (first < islands.length && islands[first + 1]! < from) first += 2;
    if (first < islands.length && islands[first]! <= from && islands[first + 1]! >= end) return false;
    let last = first;
    while (last < islands.length && islands[last]! <= end) last += 2;
    let to = end;
    if (last > first) {
      from = Math.min(from, islands[first]!);
      to = Math.max(to, islands[last - 1]!);
    }
    if (from <= this.next) {
      islands.splice(0, last);
      this.next = to;
    } else {
      islands.splice(first, last - first, from, to);
      if (islands.length > 2 * this.mostIslands) islands.length = 2 * this.mostIslands;
    }
    return true;
  }

  /** Whether all that has arrived is in order. */
  get isInOrder(): boolean {
    return this.#islands.length === 0;
  }

  /** Number of the island that contains `position`, for {@link islandStart} and {@link islandEnd}; -1 where none does. */
  islandAt(position: number): number {
    const islands = this.#islands;
    let low = 0;
    let high = islands.length / 2;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (islands[2 * middle + 1]! > position) high = middle;
      else low = middle + 1;
    }
    return low < islands.length / 2 && islands[2 * low]! <= position ? low : -1;
  }

  islandStart(island: number): number {
    return this.#islands[2 * island]!;
  }

  islandEnd(island: number): number {
    return this.#islands[2 * island + 1]!;
  }
}
