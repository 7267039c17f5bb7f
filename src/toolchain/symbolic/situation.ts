/** What a path asks of its surroundings: entries of tables, groups, sessions, results that are no terms of the packet. */
import type { bmv2 } from "../program/index.js";
import type { Term } from "../solver/index.js";

export interface Entry {
  readonly table: bmv2.Bmv2Table;
  /** In the order of the table's key: the values that it matches, all of their bits. */
  readonly key: readonly Term[];
  readonly action: bmv2.Bmv2Action;
  readonly parameters: readonly Term[];
}

export interface DefaultAction {
  readonly table: bmv2.Bmv2Table;
  readonly action: bmv2.Bmv2Action;
  readonly parameters: readonly Term[];
}

/** A multicast group with one copy, or a clone session. */
export interface Copies {
  readonly kind: "group" | "session";
  readonly id: Term;
  readonly port: Term;
  /** `egress_rid` of the copy. */
  readonly instance: Term;
}

/** The result of a function that is not followed: a hash, a checksum over a payload. */
export interface Opaque {
  readonly variable: Term;
  readonly algorithm: string;
  /** Without the payload. */
  readonly input: Term;
  /** First byte of the payload that belongs to the input; undefined: none does. */
  readonly payload: number | undefined;
}

/** A cell of a register that a path reads, with what it holds before the packet, and what it holds when the switch starts. */
export interface Cell {
  readonly register: string;
  readonly index: Term;
  readonly value: Term;
  readonly start: bigint;
}

/** A key of a parser's value set: all of its parts, the first one highest. */
export interface Member {
  readonly set: string;
  readonly key: Term;
}

export class Situation {
  readonly entries: Entry[] = [];
  readonly defaults: DefaultAction[] = [];
  /** Of this program alone; a situation that another program's path begins with has none. */
  readonly copies: Copies[] = [];
  readonly opaque: Opaque[] = [];
  /** What else could happen at this path's decisions, and is not followed. */
  readonly leftOut = new Set<string>();
  /** Keys that no entry of a table may match. */
  readonly missed: { table: bmv2.Bmv2Table; key: readonly Term[] }[] = [];
  /** Members of parsers' value sets. */
  readonly members: Member[] = [];
  /** Keys that no value set may have. */
  readonly notMembers: Member[] = [];
  /** Registers' cells that were read, with what they held at first. */
  readonly cells: Cell[] = [];

  /** How many random numbers the path has drawn, in all of its passes. */
  randoms = 0;
  /** Meters that the path has executed. */
  readonly meters = new Set<string>();

  /** What another program's path finds: the same entries, default actions and cells. */
  forAnother(): Situation {
    const next = new Situation();
    next.entries.push(...this.entries);
    next.defaults.push(...this.defaults);
    next.opaque.push(...this.opaque);
    next.missed.push(...this.missed);
    next.members.push(...this.members);
    next.notMembers.push(...this.notMembers);
    next.cells.push(...this.cells);
    return next;
  }

  /** What both programs find, with the groups and sessions of another path. */
  withCopies(copies: readonly Copies[]): Situation {
    const next = this.forAnother();
    next.copies.push(...copies);
    return next;
  }
}
