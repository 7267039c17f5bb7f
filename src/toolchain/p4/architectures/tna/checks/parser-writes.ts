/**
 * Fields that a parser writes several times for one packet. A parser of Tofino ors what it extracts into a field; Tofino 2 can also
 * clear a field before a write. The rules are p4c's open Tofino back end's (`parde/check_parser_multi_write`):
 *
 * - One way of writing a field: either all later writes are ors (`f = f | x`), or none is.
 * - On Tofino a later write must not be needed to clear a bit that an earlier one set, where the earlier state leads on to states
 *   that write the field again. An end of the parser does not count as a way on. A write of zeros before all others is none.
 * - A field that takes the result of a checksum's `verify` is written once, or all of its writes are ors.
 * - Two residuals of checksums go to two fields.
 *
 * Elements of stacks that `next` chooses, fields that are written in parts, and fields of states in loops are not judged.
 */
import { type Diagnostics, defined, given } from "../../../../../base/index.js";
import { CODES } from "../../../codes.js";
import { fold } from "../../../lower/fold.js";
import type {
  Expr,
  IrParser,
  IrProgram,
  IrState,
  IrType,
  Stmt,
  StmtOf,
  Variable,
} from "../../../lower/ir.js";
import { parsersOf } from "../../../lower/ir.js";
import { statesOfParser, successorsOf } from "../../../lower/walk.js";

interface Write {
  readonly state: IrState;
  readonly stmt: Stmt;
  /** Bits of the field. */
  readonly width: number;
  /** What it writes; undefined for bits of the packet and others that are not known. */
  readonly constant: bigint | undefined;
  readonly kind: "value" | "or" | "verify" | "residual";
  /** Bits of the packet that begin or end within a byte: an extractor takes whole bytes, so that a later write does not replace it. */
  readonly partial?: true;
}

export function checkParserWrites(program: IrProgram, chip: "tna" | "t2na", diagnostics: Diagnostics): void {
  for (const parser of parsersOf(program)) {
    const graph = new StateGraph(parser);
    const fields = new FieldWrites(graph);
    for (const state of graph.states) fields.addState(state);
    // A statement that writes several fields is reported once.
    const reported = new Set<Stmt>();
    for (const [field, writes] of fields.judged()) {
      const finding = findingOf(writes, graph, chip);
      if (finding === undefined || reported.has(finding.later.stmt)) continue;
      reported.add(finding.later.stmt);
      report(field, finding, diagnostics);
    }
  }
}

// ---------------------------------------------------------------- states

/** Which states a parser can reach from which. */
class StateGraph {
  readonly states: readonly IrState[];
  private readonly reached = new Map<IrState, ReadonlySet<IrState>>();

  constructor(parser: IrParser) {
    this.states = statesOfParser(parser);
    for (const state of this.states) this.reached.set(state, reachableFrom(state));
  }

  /** By one step or more. */
  leads(from: IrState, to: IrState): boolean {
    return defined(this.reached.get(from)).has(to);
  }

  /** Whether every way on from a state, ends apart, comes to one of the set. Of a graph without loops through `state`. */
  leadsAlways(state: IrState, set: ReadonlySet<IrState>): boolean {
    const next = successorsOf(state);
    return next.length > 0 && next.every((one) => set.has(one) || this.leadsAlwaysOnce(one, set));
  }

  private readonly asked = new Map<ReadonlySet<IrState>, Map<IrState, boolean>>();

  private leadsAlwaysOnce(state: IrState, set: ReadonlySet<IrState>): boolean {
    const known = this.asked.get(set) ?? new Map<IrState, boolean>();
    this.asked.set(set, known);
    const before = known.get(state);
    if (before !== undefined) return before;
    // A state that is met again on the way is in a loop, from which a way on must lead, too.
    known.set(state, false);
    const answer = this.leadsAlways(state, set);
    known.set(state, answer);
    return answer;
  }
}

function reachableFrom(state: IrState): Set<IrState> {
  const seen = new Set<IrState>();
  const open = successorsOf(state);
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (seen.has(one)) continue;
    seen.add(one);
    open.push(...successorsOf(one));
  }
  return seen;
}

// ---------------------------------------------------------------- writes

/** The writes of each field of a parser, in the order of the states and their statements. */
class FieldWrites {
  private readonly writes = new Map<string, Write[]>();
  /** Fields with a write that is not judged. */
  private readonly left = new Set<string>();
  private readonly graph: StateGraph;

  constructor(graph: StateGraph) {
    this.graph = graph;
  }

  judged(): [string, readonly Write[]][] {
    return [...this.writes].filter(([field, list]) => list.length > 1 && !this.left.has(field));
  }

  addState(state: IrState): void {
    // Local variables of a state that hold the result of `verify`.
    const verified = new Set<Variable>();
    for (const stmt of state.body) {
      if (stmt.kind === "extract") this.extract(state, stmt);
      else if (stmt.kind === "assign") this.assign(state, stmt, verified);
      else if (stmt.kind === "extern") this.call(state, stmt, verified);
    }
  }

  private extract(state: IrState, stmt: StmtOf<"extract">): void {
    const place = this.placeOf(stmt.header);
    if (place === undefined) return;
    let bit = 0;
    for (const { path, width } of leavesOf(stmt.header.type)) {
      const partial = bit % 8 !== 0 || width % 8 !== 0 ? { partial: true as const } : {};
      this.add(place + path, { state, stmt, width, constant: undefined, kind: "value", ...partial });
      bit += width;
    }
  }

  private assign(state: IrState, stmt: StmtOf<"assign">, verified: Set<Variable>): void {
    const field = this.placeOf(stmt.left);
    const { right } = stmt;
    const fromVerify = (part: Expr): boolean =>
      part.kind === "cast"
        ? fromVerify(part.operand)
        : part.kind === "variable" && verified.has(part.variable);
    if (field === undefined) {
      if (stmt.left.kind === "slice") this.leaveOut(stmt.left);
      return;
    }
    if (!isLeaf(stmt.left.type)) {
      this.leaveOut(stmt.left);
      return;
    }
    const write = { state, stmt, width: widthOf(stmt.left.type) };
    const ors = right.kind === "binary" && (right.op === "|" || right.op === "||");
    if (ors && [right.left, right.right].some((part) => this.placeOf(part) === field))
      this.add(field, { ...write, constant: undefined, kind: "or" });
    else if (fromVerify(right)) this.add(field, { ...write, constant: undefined, kind: "verify" });
    else this.add(field, { ...write, constant: constantOf(right), kind: "value" });
  }

  private call(state: IrState, stmt: StmtOf<"extern">, verified: Set<Variable>): void {
    const residual = stmt.name === "Checksum.subtract_all_and_deposit";
    const results = stmt.result === undefined ? [] : [stmt.result];
    for (const target of [...stmt.outs.map((index) => defined(stmt.args[index])), ...results]) {
      const field = this.placeOf(target);
      const verifies = stmt.name === "Checksum.verify";
      if (verifies && target.kind === "variable") verified.add(target.variable);
      if (field === undefined || !isLeaf(target.type)) {
        this.leaveOut(target);
        continue;
      }
      const kind = residual ? "residual" : verifies ? "verify" : "value";
      this.add(field, { state, stmt, width: widthOf(target.type), constant: undefined, kind });
    }
  }

  private add(field: string, write: Write): void {
    if (this.graph.leads(write.state, write.state)) this.left.add(field);
    this.writes.set(field, [...(this.writes.get(field) ?? []), write]);
  }

  private leaveOut(place: Expr): void {
    const whole = place.kind === "slice" ? place.operand : place;
    const name = this.placeOf(whole);
    if (name === undefined) return;
    for (const { path } of leavesOf(whole.type)) this.left.add(name + path);
  }

  /** The name of a field of a block's parameters; undefined for other places. */
  private placeOf(place: Expr): string | undefined {
    if (place.kind === "variable") {
      const { variable } = place;
      if (variable.role !== "block") return undefined;
      return variable.name;
    }
    if (place.kind === "field") {
      const base = this.placeOf(place.base);
      return base === undefined ? undefined : `${base}.${place.name}`;
    }
    if (place.kind !== "element") return undefined;
    const [base, index] = [this.placeOf(place.base), fold(place.index)];
    return base === undefined || index.kind !== "number" ? undefined : `${base}[${index.value}]`;
  }
}

function isLeaf(type: IrType): boolean {
  return type.kind === "bits" || type.kind === "bool" || type.kind === "enum" || type.kind === "error";
}

function widthOf(type: IrType): number {
  return type.kind === "bits" ? type.width : 1;
}

/** The fields of a type; of a field itself the empty path. */
function leavesOf(type: IrType): { path: string; width: number }[] {
  if (isLeaf(type)) return [{ path: "", width: widthOf(type) }];
  if (type.kind !== "struct" && type.kind !== "header" && type.kind !== "union") return [];
  return type.fields.flatMap((field) =>
    leavesOf(field.type).map(({ path, width }) => ({ path: `.${field.name}${path}`, width })),
  );
}

function constantOf(value: Expr): bigint | undefined {
  const folded = fold(value);
  if (folded.kind === "number") return folded.value;
  return folded.kind === "bool" ? BigInt(folded.value) : undefined;
}

// ---------------------------------------------------------------- rules

interface Finding {
  readonly later: Write;
  readonly earlier: Write;
  readonly why: string;
}

function report(field: string, { later, earlier, why }: Finding, diagnostics: Diagnostics): void {
  diagnostics.error(
    CODES.parserWritesTwice,
    later.stmt.span,
    `the parser writes ${field} in state ${later.state.name}, and has written it in state ${earlier.state.name}: ${why}`,
    { message: "the earlier write is here", ...given({ span: earlier.stmt.span }) },
    "write the field once, or write it as FIELD = FIELD | VALUE each time; skip what is read again with advance()",
  );
}

function findingOf(all: readonly Write[], graph: StateGraph, chip: "tna" | "t2na"): Finding | undefined {
  const order = new WriteOrder(all, graph);
  for (const [index, one] of all.entries())
    for (const other of all.slice(index + 1))
      if (one.kind === "residual" && other.kind === "residual" && order.eitherFollows(one, other))
        return { later: other, earlier: one, why: "a field takes the residual of one checksum" };
  const writes = order.effective();
  const pairs = writes.flatMap((later) => order.before(later, writes).map((earlier) => ({ earlier, later })));
  const clearing = pairs.filter(({ earlier, later }) => later.kind !== "or" && !absorbs(later, earlier));
  const [first] = clearing;
  if (first === undefined) return undefined;
  const other = (one: Write): Write => (first.later === one ? first.earlier : first.later);
  const or = writes.find((one) => one.kind === "or" && order.hasEarlier(one, writes));
  if (or !== undefined) return { later: or, earlier: other(or), why: "some writes are ors and some are not" };
  const verify = writes.find(({ kind }) => kind === "verify");
  if (chip === "t2na")
    return verify === undefined
      ? undefined
      : { later: verify, earlier: other(verify), why: "the result of a checksum is ored into a field" };
  const states = new Set(writes.map(({ state }) => state));
  const always = clearing.find(({ earlier }) => graph.leadsAlways(earlier.state, states));
  return always === undefined ? undefined : { ...always, why: "Tofino ors the second value into the first" };
}

/** Whether the bits of two writes, ored, are those of the later one. */
function absorbs(later: Write, earlier: Write): boolean {
  if (later.kind !== "value" || earlier.kind !== "value") return false;
  if (later.constant !== undefined && earlier.constant !== undefined)
    return (later.constant | earlier.constant) === later.constant;
  if (later.constant !== undefined) return later.constant === (1n << BigInt(later.width)) - 1n;
  return earlier.constant === 0n;
}

/** Which writes of a field a packet can meet before which. */
class WriteOrder {
  private readonly all: readonly Write[];
  private readonly graph: StateGraph;

  constructor(all: readonly Write[], graph: StateGraph) {
    this.all = all;
    this.graph = graph;
  }

  /** Those before a write, but for the same constant. A residual is written at the end of the parser. */
  before(write: Write, among: readonly Write[]): Write[] {
    return among.filter(
      (one) => (one.constant === undefined || one.constant !== write.constant) && this.isBefore(one, write),
    );
  }

  hasEarlier(write: Write, among: readonly Write[]): boolean {
    return among.some((one) => this.isBefore(one, write));
  }

  eitherFollows(one: Write, other: Write): boolean {
    const [a, b] = [one.state, other.state];
    return a === b || this.graph.leads(a, b) || this.graph.leads(b, a);
  }

  /** Without zeros before all others, and without what the same state writes over. */
  effective(): Write[] {
    const stays = this.all.some(({ kind, partial }) => kind === "or" || partial);
    const kept = this.all.filter(
      (one) =>
        !(
          one.constant === 0n &&
          !this.hasEarlier(
            one,
            this.all.filter((other) => other !== one),
          )
        ),
    );
    if (stays) return kept;
    return kept.filter(
      (one, index) =>
        one.kind === "verify" ||
        one.kind === "residual" ||
        !kept.slice(index + 1).some(({ state }) => state === one.state),
    );
  }

  private isBefore(one: Write, other: Write): boolean {
    if (one === other || one.kind === "residual") return false;
    if (other.kind === "residual") return true;
    if (this.graph.leads(one.state, other.state)) return true;
    return one.state === other.state && this.all.indexOf(one) < this.all.indexOf(other);
  }
}
