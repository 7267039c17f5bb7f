/**
 * Control flow of a pipeline as bit sets: which units can run after which, which exclude each other, and which decide
 * whether others run. The graph has no cycles; a packet takes one path through it.
 */
import type { Flow } from "./model.js";

class BitSet {
  readonly words: Uint32Array;

  constructor(readonly size: number) {
    this.words = new Uint32Array((size + 31) >> 5);
  }

  add(index: number): void {
    this.words[index >> 5]! |= 1 << (index & 31);
  }

  has(index: number): boolean {
    return ((this.words[index >> 5]! >>> (index & 31)) & 1) === 1;
  }

  addAll(other: BitSet): void {
    for (let i = 0; i < this.words.length; i++) this.words[i]! |= other.words[i]!;
  }

  keepOnly(other: BitSet): void {
    for (let i = 0; i < this.words.length; i++) this.words[i]! &= other.words[i]!;
  }
}

/** Units that can run next; each has a larger number. `null` is the end of the pipeline. */
export type Successors = readonly (number | null)[];

/**
 * Computes the flow of all pipelines together.
 * @param successors by unit
 * @param gressOf by unit. Units of different gresses are never exclusive: a packet passes both.
 * @param ways by unit, then by action: the successors of a packet that ran the action; without them, all of the unit
 */
export function makeFlow(
  successors: readonly Successors[],
  gressOf: readonly string[],
  ways: ReadonlyMap<number, readonly Successors[]> = new Map(),
): Flow {
  const count = successors.length;
  const reach: BitSet[] = [];
  /** Units on every path from here to the end. */
  const certain: BitSet[] = [];
  for (let u = count - 1; u >= 0; u--) {
    const after = new BitSet(count);
    let always: BitSet | undefined;
    for (const v of successors[u]!) {
      const next = new BitSet(count);
      if (v !== null) {
        after.add(v);
        after.addAll(reach[v]!);
        next.addAll(certain[v]!);
      }
      if (always === undefined) always = next;
      else always.keepOnly(next);
    }
    always ??= new BitSet(count);
    always.add(u);
    reach[u] = after;
    certain[u] = always;
  }
  /** By unit and action: the units that can run after it. */
  const byAction = new Map<number, readonly BitSet[]>();
  for (const [u, lists] of ways) {
    const sets = lists.map((list) => {
      const after = new BitSet(count);
      for (const v of list) {
        if (v === null) continue;
        after.add(v);
        after.addAll(reach[v]!);
      }
      return after;
    });
    byAction.set(u, sets);
  }
  const meets = certain.map((always, u) => {
    for (let v = u + 1; v < count; v++) if (always.has(v)) return v;
    return undefined;
  });
  const distinct = successors.map((list) => [...new Set(list)].filter((v) => v !== null));
  return {
    reaches: (u, v) => reach[u]!.has(v),
    exclusive: (u, v) => u !== v && gressOf[u] === gressOf[v] && !reach[u]!.has(v) && !reach[v]!.has(u),
    leads: (u, action, v) => (byAction.get(u)?.[action] ?? reach[u]!).has(v),
    decides: (u, v) => !certain[u]!.has(v) && distinct[u]!.some((next) => certain[next]!.has(v)),
    joins: (u) => meets[u]!,
    successors: (u) => distinct[u]!,
  };
}
