/**
 * Value sets of parsers on one path. As with tables, members are what the path needs: one for each key that it finds in a set. A key that it does not find is
 * one that no later member has.
 */
import type { Bmv2Program } from "../program/index.js";
import type { Term, Terms } from "../solver/index.js";
import type { Situation } from "./situation.js";

/** A way to find a key in a set. */
interface Found {
  readonly condition: Term;
  /** Adds what the way needs to the situation. */
  take(): void;
}

export class ValueSets {
  constructor(
    readonly terms: Terms,
    readonly program: Bmv2Program,
    readonly situation: Situation,
    /** Whether a controller gives them members. */
    readonly areWritten: boolean,
  ) {}

  /** How a set may have the key, of all its parts. None: it has no members. */
  find(name: string, parts: readonly Term[]): readonly Found[] {
    const { terms, situation } = this;
    const set = this.program.parse_vsets.find((one) => one.name === name);
    const key = terms.concat(...parts);
    if (!this.areWritten || set === undefined || set.compressed_bitwidth !== key.width) {
      situation.leftOut.add("members of a parser's value set");
      return [];
    }
    const members = situation.members.filter((one) => one.set === name);
    const known = this.#isOne(key, members);
    const found: Found[] = [];
    if (members.length > 0) found.push({ condition: known, take: () => {} });
    if (members.length < (set.max_size ?? Number.POSITIVE_INFINITY)) {
      const missed = situation.notMembers.filter((one) => one.set === name);
      found.push({
        condition: terms.not(terms.or(known, this.#isOne(key, missed))),
        take: () => situation.members.push({ set: name, key }),
      });
    }
    return found;
  }

  /** What must hold where the set does not have the key. */
  isMissed(name: string, parts: readonly Term[]): Term {
    const key = this.terms.concat(...parts);
    const members = this.situation.members.filter((one) => one.set === name);
    return this.terms.not(this.#isOne(key, members));
  }

  /** The path has taken a way on which the set does not have the key. */
  miss(name: string, parts: readonly Term[]): void {
    this.situation.notMembers.push({ set: name, key: this.terms.concat(...parts) });
  }

  #isOne(key: Term, members: readonly { readonly key: Term }[]): Term {
    const { terms } = this;
    return members.reduce((any, one) => terms.or(any, terms.equal(key, one.key)), terms.false);
  }
}
