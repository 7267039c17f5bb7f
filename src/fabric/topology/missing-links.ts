/** Links that a description leaves out of a generated network. */
import { fail, type Locate } from "../../base/index.js";
import { CODES } from "./codes.js";
import type { Draft, DraftNode } from "./draft.js";

export interface MissingLinks {
  /** Whether the link between these two nodes is left out. */
  takes(a: DraftNode, b: DraftNode): boolean;
  /** P42105 for a pair that names no link of the generator. */
  check(draft: Draft): void;
}

/** `pairs`: names of the two ends, in either order. */
export function missingLinks(pairs: readonly (readonly [string, string])[], locate: Locate): MissingLinks {
  const unused = new Map<string, number>();
  for (const [i, [a, b]] of pairs.entries()) unused.set(linkKey(a, b), i);
  const wanted = new Set(unused.keys());
  return {
    takes(a, b) {
      const key = linkKey(a.name, b.name);
      unused.delete(key);
      return wanted.has(key);
    },
    check(draft) {
      for (const i of unused.values()) {
        const unknown = pairs[i]!.findIndex((name) => !draft.byName.has(name));
        if (unknown >= 0) {
          fail(
            CODES.linkEnd,
            locate(["missing_links", i, unknown]),
            `no node is called "${pairs[i]![unknown]}"`,
          );
        }
        fail(
          CODES.linkEnd,
          locate(["missing_links", i]),
          `there is no link between "${pairs[i]!.join('" and "')}"`,
        );
      }
    },
  };
}

function linkKey(a: string, b: string): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}
