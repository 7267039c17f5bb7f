import { SequenceIndex } from "../../base/index.js";

/** Equal-cost next hops, by ascending port number. A hop set without ports: the destination is unreachable. */
export interface HopSet {
  /** `local`: the port of a host; `down`: all next hops in a lower tier; `up`: everything else. */
  readonly direction: "local" | "down" | "up";
  readonly ports: readonly number[];
}

/** The hop sets of all switches of a topology: equal hop sets are one object, and so are equal lists of them. */
export class HopSets {
  readonly #indexes: Readonly<Record<HopSet["direction"], SequenceIndex>> = {
    local: new SequenceIndex(),
    down: new SequenceIndex(),
    up: new SequenceIndex(),
  };
  readonly #sets: Readonly<Record<HopSet["direction"], HopSet[]>> = { local: [], down: [], up: [] };
  readonly #numbers = new Map<HopSet, number>();
  readonly #listIndex = new SequenceIndex();
  readonly #lists: (readonly HopSet[])[] = [];

  of(direction: HopSet["direction"], ports: readonly number[]): HopSet {
    const sets = this.#sets[direction];
    const index = this.#indexes[direction].indexOf(ports);
    let set = sets[index];
    if (set === undefined) {
      set = { direction, ports };
      sets[index] = set;
      this.#numbers.set(set, this.#numbers.size);
    }
    return set;
  }

  /** The list of these hop sets, which must all be of this object. */
  list(sets: readonly HopSet[]): readonly HopSet[] {
    const index = this.#listIndex.indexOf(sets.map((set) => this.#numbers.get(set)!));
    return (this.#lists[index] ??= sets);
  }
}
