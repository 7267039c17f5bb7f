/**
 * P40658: a local variable is read where it has no value on some or all paths to that place. BMv2 reads
 * 0 there; on other targets the value is undefined. The analysis runs forward over the structured program. It visits a
 * loop body once, since in a second iteration only more variables have values.
 */

import type { Diagnostics, Span } from "../../../base/index.js";
import { defined } from "../../../base/index.js";
import { CODES } from "../codes.js";
import type {
  Expr,
  IrAction,
  IrControl,
  IrProgram,
  IrState,
  IrTable,
  IrType,
  Label,
  Stmt,
  Variable,
} from "./ir.js";
import { controlsOf, parsersOf } from "./ir.js";
import { indexesOf, rootOf } from "./places.js";
import { effectsOf, operandsOf, statesOfParser, successorsOf } from "./walk.js";

/** Bits of a scalar that have no value: on some path to here, and among them those on every path. What has no bits counts as one. */
interface Missing {
  readonly some: bigint;
  readonly always: bigint;
}

/** The scalars and arrays that can be without a value. */
type Unset = ReadonlyMap<string, Missing>;

/** Undefined: this place cannot be reached. */
type Flow = Unset | undefined;

export function warnOfUnset(program: IrProgram, diagnostics: Diagnostics): void {
  const tracked = new Map<Variable, number>();
  const start = new Map<string, Missing>();
  for (const variable of program.locals) {
    if (variable.unset === undefined) continue;
    tracked.set(variable, tracked.size);
    for (const { path, bits } of leaves(variable.type))
      start.set(`${tracked.get(variable)}${path}`, { some: bits, always: bits });
  }
  if (tracked.size === 0) return;
  const search = new Search(tracked, diagnostics);
  for (const parser of parsersOf(program)) search.parser(parser.start, statesOfParser(parser), start);
  for (const control of controlsOf(program)) search.control(control, start);
}

interface Leaf {
  readonly path: string;
  /** A one for each bit. */
  readonly bits: bigint;
}

/** The parts of a value that are set one by one; headers have validity instead. */
function leaves(type: IrType): Leaf[] {
  switch (type.kind) {
    case "struct":
      return type.fields.flatMap((field) =>
        leaves(field.type).map(({ path, bits }) => ({ path: `.${field.name}${path}`, bits })),
      );
    case "header":
    case "union":
      return [];
    case "stack":
      return leaves(type.element).length === 0 ? [] : [{ path: "", bits: 1n }];
    case "bits":
      return [{ path: "", bits: ones(type.width) }];
    default:
      return [{ path: "", bits: 1n }];
  }
}

function ones(width: number): bigint {
  return (1n << BigInt(width)) - 1n;
}

const NONE: Missing = { some: 0n, always: 0n };

function join(a: Flow, b: Flow): Flow {
  if (a === undefined || b === undefined) return a ?? b;
  const both = new Map<string, Missing>();
  for (const path of new Set([...a.keys(), ...b.keys()])) {
    const [one, other] = [a.get(path) ?? NONE, b.get(path) ?? NONE];
    both.set(path, { some: one.some | other.some, always: one.always & other.always });
  }
  return both;
}

class Search {
  /** The variables that can be unset at each label, from the `leave` statements seen so far. */
  readonly #left = new Map<Label, Flow>();
  readonly #reported = new Set<Variable>();

  constructor(
    readonly tracked: ReadonlyMap<Variable, number>,
    readonly diagnostics: Diagnostics,
  ) {}

  /** Reads are reported after the analysis knows, for every state, what can be unset before it. */
  parser(first: IrState, states: readonly IrState[], start: Unset): void {
    const before = new Map<IrState, Flow>([[first, start]]);
    const waiting = [first];
    const visit = (state: IrState): Flow => {
      const after = this.#list(state.body, before.get(state));
      if (after !== undefined && state.next.kind === "select")
        for (const key of state.next.keys) this.#read(key, after);
      return after;
    };
    this.#silent = true;
    for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
      const after = visit(state);
      for (const target of successorsOf(state)) {
        const known = before.get(target);
        const joined = join(known, after);
        if (same(known, joined)) continue;
        before.set(target, joined);
        waiting.push(target);
      }
    }
    this.#silent = false;
    for (const state of states) visit(state);
  }

  #silent = false;

  control(control: IrControl, start: Unset): void {
    this.#list(control.body, start);
  }

  #list(body: readonly Stmt[], before: Flow): Flow {
    let flow = before;
    for (const stmt of body) if (flow !== undefined) flow = this.#statement(stmt, flow);
    return flow;
  }

  #statement(stmt: Stmt, before: Unset): Flow {
    const { writes, reads } = effectsOf(stmt);
    // A place that is written reads the indexes in it.
    for (const expr of [...reads, ...writes.flatMap(indexesOf)]) this.#read(expr, before);
    switch (stmt.kind) {
      case "block": {
        const end = this.#list(stmt.body, before);
        if (stmt.label === undefined) return end;
        const left = this.#left.get(stmt.label);
        this.#left.delete(stmt.label);
        return join(end, left);
      }
      case "leave":
        this.#left.set(stmt.label, join(this.#left.get(stmt.label), before));
        return undefined;
      case "exit":
        return undefined;
      case "if":
        return join(this.#list(stmt.whenTrue, before), this.#list(stmt.whenFalse, before));
      case "switch": {
        let after: Flow = stmt.cases.some((one) => one.values === undefined) ? undefined : before;
        for (const one of stmt.cases) after = join(after, this.#list(one.body, before));
        return after;
      }
      case "loop":
        return join(before, this.#list(stmt.update, this.#list(stmt.body, before)));
      case "action":
        return this.#list(stmt.action.body, before);
      case "apply":
        return this.#apply(stmt.table, stmt.branches, before);
      default:
        return this.#set(writes, before);
    }
  }

  #apply(table: IrTable, branches: (Stmt & { kind: "apply" })["branches"], before: Unset): Flow {
    for (const key of table.keys) this.#read(key.expression, before);
    const after = new Map<IrAction, Flow>();
    for (const { action } of table.actions) after.set(action, this.#list(action.body, before));
    const { action: onMiss } = table.defaultAction;
    const missed = table.implementation === undefined ? after.get(onMiss) : before;
    const all = (flows: Iterable<Flow>): Flow => [...flows].reduce(join, undefined);
    if (branches === undefined) return join(all(after.values()), missed);
    if (branches.kind === "hit")
      return join(this.#list(branches.hit, all(after.values())), this.#list(branches.miss, missed));
    let end: Flow;
    const rest = new Map(after);
    for (const { actions, body } of branches.cases) {
      end = join(end, this.#list(body, all(actions.map((action) => after.get(action)))));
      for (const action of actions) rest.delete(action);
    }
    return join(end, this.#list(branches.otherwise, all(rest.values())));
  }

  #set(places: readonly Expr[], before: Unset): Unset {
    let after: Map<string, Missing> | undefined;
    for (const place of places) {
      const path = this.#pathOf(place);
      if (path === undefined) continue;
      after ??= new Map(before);
      const left = bitsOf(place);
      for (const [known, { some, always }] of before) {
        if (!covers(path, known)) continue;
        // Everything but a slice is set as a whole.
        const stays = left === undefined ? 0n : some & ~left;
        if (stays === 0n) after.delete(known);
        else after.set(known, { some: stays, always: always & stays });
      }
    }
    return after ?? before;
  }

  #read(expr: Expr, before: Unset): void {
    const path = this.#pathOf(expr);
    if (path === undefined) {
      for (const operand of operandsOf(expr)) this.#read(operand, before);
      return;
    }
    const parts = leaves(expr.type);
    const found = parts.flatMap(({ path: rest, bits }): Missing[] => {
      const missing = before.get(`${path}${rest}`);
      if (missing === undefined) return [];
      const read = bitsOf(expr) ?? bits;
      const some = missing.some & read;
      // A struct that is copied while some of its fields, or bits of them, have no value yet is not a mistake.
      if (some === 0n || (parts.length > 1 && some !== bits)) return [];
      return [{ some, always: missing.always & read }];
    });
    if (found.length === 0 || found.length < parts.length) return;
    const variable = defined(rootOf(expr));
    if (this.#silent || this.#reported.has(variable)) return;
    const always = found.every((each) => each.always !== 0n);
    // Actions that set a variable of the control and tables that use it often depend on each other in ways not seen here.
    if (!always && variable.unset === "outer") return;
    this.#reported.add(variable);
    const when = always ? "here" : "on every way to here";
    const [known] = parts.length === 1 ? leaves(scalarOf(expr).type) : [];
    const missing = before.get(path)?.some;
    // Of a scalar that has a value in part: the bits that are read without one.
    const what =
      known === undefined || missing === known.bits || throughElement(expr)
        ? "it has"
        : `${bitsText(defined(found[0]).some)} have`;
    const span: Span | undefined = expr.span;
    this.diagnostics.warning(
      CODES.readUninitialized,
      span,
      `${variable.span === undefined ? variable.name : textOf(variable.span)} is read, but ${what} no value ${when}`,
      ...(variable.span === undefined
        ? []
        : [{ message: "it is declared here, without a value", span: variable.span }]),
    );
  }

  /** The key of a tracked variable or of a part of it; elements of an array count as the array. */
  #pathOf(place: Expr): string | undefined {
    switch (place.kind) {
      case "variable": {
        const number = this.tracked.get(place.variable);
        return number === undefined ? undefined : String(number);
      }
      case "field": {
        const base = this.#pathOf(place.base);
        return base === undefined ? undefined : `${base}.${place.name}`;
      }
      case "element":
        return this.#pathOf(place.base);
      case "slice":
        return this.#pathOf(place.operand);
      default:
        return undefined;
    }
  }
}

/** The bits of its variable, or of the field of it, that a slice names; undefined: all. */
function bitsOf(place: Expr): bigint | undefined {
  if (place.kind !== "slice") return undefined;
  const { operand, high, low } = place;
  const own = ones(high - low + 1) << BigInt(low);
  // A slice of a slice counts from the low end of that; one of an element of an array is the array.
  if (operand.kind === "slice")
    return bitsOf({ ...operand, high: operand.low + high, low: operand.low + low });
  return throughElement(operand) ? undefined : own;
}

/** The place of which a slice is taken; any other place itself. */
function scalarOf(place: Expr): Expr {
  return place.kind === "slice" ? scalarOf(place.operand) : place;
}

function throughElement(place: Expr): boolean {
  if (place.kind === "element") return true;
  if (place.kind === "slice") return throughElement(place.operand);
  return place.kind === "field" && throughElement(place.base);
}

/** The runs of bits of a mask, from the highest: `bits 7, 3:0`. */
function bitsText(mask: bigint): string {
  const text = mask.toString(2);
  const runs = [...text.matchAll(/1+/g)].map(({ 0: run, index }) => {
    const high = text.length - 1 - index;
    return run.length === 1 ? `${high}` : `${high}:${high - run.length + 1}`;
  });
  return `bits ${runs.join(", ")}`;
}

function covers(path: string, known: string): boolean {
  return path === known || known.startsWith(`${path}.`);
}

function textOf({ file, start, end }: Span): string {
  return file.text.slice(start, end);
}

function same(a: Flow, b: Flow): boolean {
  return (
    a?.size === b?.size &&
    [...(b ?? [])].every(([path, { some, always }]) => {
      const known = a?.get(path);
      return known?.some === some && known.always === always;
    })
  );
}
