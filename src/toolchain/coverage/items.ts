/**
 * What there is to reach in a program, and how often it was reached: the counts of a switch by place in the source. A piece of source that became
 * several pieces of the program (an action of two tables, a control that is applied twice) is one item, with the sum of their counts.
 */
import { defined, given } from "../../base/index.js";
import { type bmv2, parserPlace } from "../program/index.js";
import { type CountedPoint, type ProgramCounts, TABLE_COUNTS } from "../switch/index.js";

/** The order is that of all outputs. */
export const KINDS = ["statement", "branch", "action", "state"] as const;
export type Kind = (typeof KINDS)[number];

export interface Item {
  readonly kind: Kind;
  /** Undefined: the program has no place for it, as a BMv2 JSON has none for states of parsers. */
  readonly place: bmv2.SourceInfo | undefined;
  /** What it is, beside the text of the source. */
  readonly text: string;
  readonly hits: number;
  /** Items with the same text here are the ways out of one decision. */
  readonly decision?: string;
}

/** Parts of a program that one item may stand for, with their counts. */
interface Gathered {
  readonly kind: Kind;
  readonly place: bmv2.SourceInfo | undefined;
  readonly text: string;
  readonly decision: string | undefined;
  /** Hits by the action or state that the parts belong to: a statement that became several primitives ran as often as one of them. */
  readonly hits: Map<object, number>;
}

/** All items, by file, line and column; items without a place are last, in the order of the program. */
export function itemsOf(counts: ProgramCounts): Item[] {
  const gatherer = new Gatherer(counts);
  for (const counted of counts.points) gatherer.add(counted);
  return gatherer.finish();
}

class Gatherer {
  readonly #items = new Map<string, Gathered>();
  readonly #owners = new Map<bmv2.Primitive, bmv2.Bmv2Action>();
  readonly #states = new Map<bmv2.ParseState, number>();
  /** Code that the compiler made has no place in a program that has places; in one that has none, nothing has. */
  readonly #hasPlaces: boolean;
  readonly #actionNames: ReadonlyMap<number, string>;

  constructor(readonly counts: ProgramCounts) {
    const { program } = counts;
    for (const action of program.actions)
      for (const primitive of action.primitives) this.#owners.set(primitive, action);
    this.#hasPlaces = program.actions.some(({ primitives }) =>
      primitives.some(({ source_info }) => source_info !== undefined),
    );
    this.#actionNames = new Map(program.actions.map(({ id, name }) => [id, name]));
    for (const parser of program.parsers) for (const state of parser.parse_states) this.#states.set(state, 0);
  }

  add({ point, at }: CountedPoint): void {
    const hits = this.counts.hits[at] ?? 0;
    switch (point.kind) {
      case "extract":
      case "advance":
        this.#statement(parserPlace(point.op), point.op, point.op.op, hits);
        return;
      case "primitive": {
        const { primitive, parserOp } = point;
        const place = parserOp === undefined ? primitive.source_info : parserPlace(parserOp);
        this.#statement(place, this.#owners.get(primitive) ?? parserOp ?? primitive, primitive.op, hits);
        return;
      }
      case "branch": {
        const place = point.verify === undefined ? point.source : parserPlace(point.verify);
        const what = place?.source_fragment ?? "condition";
        this.#branch(place, `${what}: true`, point, hits);
        this.#branch(place, `${what}: false`, point, this.counts.hits[at + 1] ?? 0);
        return;
      }
      case "transition":
        this.#enter(point.state, hits);
        if (point.state.transition_key.length > 0) this.#case(point.state, point.transition, hits);
        return;
      case "stop":
        if (point.of !== undefined) this.#enter(point.of, hits);
        return;
      case "table":
        this.#table(point.table, at);
        return;
      case "checksum": {
        const { checksum } = point;
        const wrong = this.counts.hits[at + 1] ?? 0;
        this.#statement(checksum.source_info, checksum, checksum.verify ? "verify" : "update", hits + wrong);
        if (!checksum.verify) return;
        this.#branch(checksum.source_info, "checksum: right", checksum, hits);
        this.#branch(checksum.source_info, "checksum: wrong", checksum, wrong);
      }
    }
  }

  finish(): Item[] {
    for (const [state, hits] of this.#states) {
      const place = parserPlace(state);
      if (place !== undefined || !this.#hasPlaces) this.#gather("state", place, state.name, state, hits);
    }
    const items = [...this.#items.values()].map(({ kind, place, text, decision, hits }) => ({
      kind,
      place,
      text,
      hits: [...hits.values()].reduce((sum, count) => sum + count, 0),
      ...given({ decision }),
    }));
    return items.sort(byPlace);
  }

  /** A packet leaves each state that it enters, by a transition or by an error. */
  #enter(state: bmv2.ParseState, hits: number): void {
    this.#states.set(state, (this.#states.get(state) ?? 0) + hits);
  }

  #statement(place: bmv2.SourceInfo | undefined, owner: object, op: string, hits: number): void {
    if (place === undefined && this.#hasPlaces) return;
    this.#gather("statement", place, place?.source_fragment ?? op, owner, hits);
  }

  #branch(place: bmv2.SourceInfo | undefined, text: string, owner: object, hits: number): void {
    if (place === undefined && this.#hasPlaces) return;
    this.#gather("branch", place, text, owner, hits, "condition");
  }

  #case(state: bmv2.ParseState, transition: bmv2.Transition | undefined, hits: number): void {
    const own = transition === undefined ? undefined : parserPlace(transition);
    const place = own ?? parserPlace(state);
    if (place === undefined && this.#hasPlaces) return;
    const to = transition?.next_state ?? "the end of the parser";
    const value = transition?.type === "default" ? "default" : (transition?.value ?? "no case matches");
    const text =
      transition === undefined ? `${state.name}: no case matches` : `${state.name}: ${value} to ${to}`;
    this.#gather("branch", place, text, transition ?? state, hits, `select of ${state.name}`);
  }

  #table(table: bmv2.Bmv2Table, at: number): void {
    if (isMade(table)) return;
    const { hits, actionNumbers } = this.counts;
    const place = table.source_info;
    if (table.key.length > 0) {
      this.#gather("branch", place, `${table.name}: hit`, table, hits[at] ?? 0, `lookup of ${table.name}`);
      this.#gather(
        "branch",
        place,
        `${table.name}: miss`,
        table,
        hits[at + 1] ?? 0,
        `lookup of ${table.name}`,
      );
    }
    for (const id of table.action_ids) {
      const name = defined(this.#actionNames.get(id));
      const count = hits[at + TABLE_COUNTS + defined(actionNumbers.get(name))] ?? 0;
      this.#gather("action", place, `${table.name}: ${name}`, table, count);
    }
  }

  #gather(
    kind: Kind,
    place: bmv2.SourceInfo | undefined,
    text: string,
    owner: object,
    hits: number,
    decision?: string,
  ): void {
    const where =
      place === undefined ? `-${this.#items.size}` : `${place.filename}:${place.line}:${place.column}`;
    // A statement is its place; of the others several may stand at one place.
    const key = kind === "statement" ? `${kind} ${where}` : `${kind} ${where} ${text}`;
    let item = this.#items.get(key);
    if (item === undefined) {
      item = { kind, place, text, decision, hits: new Map() };
      this.#items.set(key, item);
    }
    item.hits.set(owner, Math.max(item.hits.get(owner) ?? 0, hits));
  }
}

/** A table that the compiler made of statements: it has one action, which nobody can change. */
function isMade({ key, action_ids, default_entry }: bmv2.Bmv2Table): boolean {
  return key.length === 0 && action_ids.length === 1 && default_entry?.action_const === true;
}

function byPlace(a: Item, b: Item): number {
  if (a.place === undefined || b.place === undefined)
    return Number(a.place === undefined) - Number(b.place === undefined);
  if (a.place.filename !== b.place.filename) return a.place.filename < b.place.filename ? -1 : 1;
  return (
    a.place.line - b.place.line ||
    a.place.column - b.place.column ||
    KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind)
  );
}
