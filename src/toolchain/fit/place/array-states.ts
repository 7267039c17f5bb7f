/** Whether the array of SRAM of a stage holds some memories, worked out once for equal ones in equal order. One object serves one fit. */
import { arranged } from "../memory/array.js";
import type { ArrayUse } from "../memory/blocks.js";
import type { Target } from "../target.js";

/** Answers that are kept. Past that all are forgotten and worked out again. */
const MOST_KEPT = 50_000;

/** Memories in the order in which a stage got them, with a text that is equal for equal ones. */
export interface InArray {
  readonly uses: readonly ArrayUse[];
  readonly key: string;
}

export const EMPTY_ARRAY: InArray = { uses: [], key: "" };

export class ArrayStates {
  readonly #answers = new Map<string, boolean>();
  readonly #keys = new WeakMap<ArrayUse, string>();

  /** With the memories of one table more. */
  with(array: InArray, use: ArrayUse): InArray {
    if (isNothing(use)) return array;
    const key = this.#keys.get(use) ?? keyOf(use);
    this.#keys.set(use, key);
    return { uses: [...array.uses, use], key: `${array.key}|${key}` };
  }

  /** The array has a place for all of them; true where the target does not state how its array is made. */
  holds({ uses, key }: InArray, { sram, stateful }: Target): boolean {
    if (!sram.tofino_array || uses.length === 0) return true;
    const isSplit = stateful.max_statistics_blocks !== null;
    const question = `${isSplit ? "2" : "1"}${key}`;
    const known = this.#answers.get(question);
    if (known !== undefined) return known;
    const answer = arranged(uses, isSplit) !== undefined;
    if (this.#answers.size >= MOST_KEPT) this.#answers.clear();
    this.#answers.set(question, answer);
    return answer;
  }
}

function isNothing({ ways, partitions, indirection, action, alu }: ArrayUse): boolean {
  return (
    indirection === 0 &&
    [ways, partitions, action, alu].every((list: readonly unknown[]) => list.length === 0)
  );
}

/** Names do not matter, but which selector an action's data belongs to does. */
function keyOf({ ways, partitions, indirection, action, alu }: ArrayUse): string {
  const sizes = (list: ArrayUse["ways"]) => list.map(({ depth, width }) => `${depth}x${width}`).join();
  return [
    sizes(ways),
    sizes(partitions),
    indirection,
    action.map(({ depth, width, selector = "" }) => `${depth}x${width}:${selector}`).join(),
    alu
      .map(
        ({ name, kind, blocks, colours, hasResult, isDirect }) =>
          `${kind}${blocks}+${colours}${hasResult ? "r" : ""}${isDirect ? "d" : ""}${kind === "selector" ? `:${name}` : ""}`,
      )
      .join(),
  ].join(";");
}
