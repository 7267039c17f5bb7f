/** Names and where they can be seen (sections 6.3 and 6.9): one map a block, inside-out look-up. */
import type { Declaration } from "../syntax/ast.js";

/** Functions and methods may share a name, so a name stands for a list; for anything else it has one element. */
export class Scope {
  readonly names = new Map<string, Declaration[]>();

  constructor(readonly parent: Scope | undefined) {}

  /** The declarations of the innermost scope that knows the name. */
  lookup(name: string): Declaration[] | undefined {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent) {
      const found = scope.names.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Every name that can be seen from here, each once, inner ones first. */
  visible(): string[] {
    const all = new Set<string>();
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent)
      for (const name of scope.names.keys()) all.add(name);
    return [...all];
  }
}
