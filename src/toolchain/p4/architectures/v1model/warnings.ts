/** Warnings that need the whole program: no output port, a drop taken back, a header that is never valid, and others. */
import { Diagnostics, defined, type Span } from "../../../../base/index.js";
import { CODES } from "../../codes.js";
import { fold } from "../../lower/fold.js";
import type { Expr, IrControl, IrProgram, IrState, Label, Stmt, Variable } from "../../lower/ir.js";
import { controlsOf } from "../../lower/ir.js";
import { isAggregate } from "../../lower/ir-types.js";
import { readsFrom } from "../../lower/places.js";
import { warnOfUnset } from "../../lower/uninitialized.js";
import {
  blocksOf,
  effectsOf,
  forEachStmt,
  operandsOf,
  statesOf,
  successorsOf,
  targetsOf,
} from "../../lower/walk.js";
import type { Expression, SourceUnit } from "../../syntax/ast.js";
import { fieldLists } from "./field-lists.js";
import { type V1model, viewOf } from "./view.js";

export function warn(lowered: IrProgram, unit: SourceUnit, diagnostics: Diagnostics): void {
  const program = viewOf(lowered);
  const found = new Diagnostics();
  const bodies = [program.ingress, program.egress].flatMap(bodiesOf);
  warnOfPorts(program, found);
  for (const body of bodies) warnOfDrops(program, body, found);
  warnOfHeaders(program, found);
  warnOfRejects(program, found);
  warnOfDirect(program, unit, found);
  warnOfDefaults(program, found);
  warnOfFieldLists(program, bodies, found);
  for (const body of bodies) warnOfLoops(body, found);
  warnOfStateCycles(program, found);
  warnOfUnset(program, found);
  // An action that is called twice is in the program twice; its warnings are given once.
  const given = new Set<string>();
  for (const one of found.list) {
    const place = `${one.code} ${one.span?.file.path} ${one.span?.start}`;
    if (!given.has(place)) diagnostics.add(one);
    given.add(place);
  }
}

function bodiesOf(control: IrControl): Stmt[][] {
  return [control.body, ...control.actions.map((action) => action.body)];
}

/** `standard_metadata.name` as a place. */
function isStandard(program: V1model, place: Expr, name: string): boolean {
  if (place.kind === "slice") return isStandard(program, place.operand, name);
  return (
    place.kind === "field" &&
    place.name === name &&
    place.base.kind === "variable" &&
    place.base.variable === program.standard
  );
}

/** P40650: ingress never sets the output port of a packet. */
function warnOfPorts(program: V1model, diagnostics: Diagnostics): void {
  let decided = false;
  for (const body of bodiesOf(program.ingress))
    forEachStmt(body, (stmt) => {
      if (stmt.kind === "extern" && (stmt.name === "mark_to_drop" || stmt.name.startsWith("resubmit")))
        decided = true;
      for (const place of effectsOf(stmt).writes)
        if (
          isStandard(program, place, "egress_spec") ||
          isStandard(program, place, "mcast_grp") ||
          (place.kind === "variable" && place.variable === program.standard)
        )
          decided = true;
    });
  if (!decided)
    diagnostics.warning(
      CODES.noEgressPort,
      program.ingress.span,
      `${program.ingress.name} never sets egress_spec: every packet leaves through port 0`,
      "set standard_metadata.egress_spec, or call mark_to_drop",
    );
}

/** P40651: a drop that a later statement of the same sequence cancels. */
function warnOfDrops(program: V1model, body: readonly Stmt[], diagnostics: Diagnostics): void {
  let drop: Span | undefined;
  for (const stmt of body) {
    for (const inner of blocksOf(stmt)) warnOfDrops(program, inner, diagnostics);
    if (dropsAlways(stmt)) drop = stmt.span;
    else if (stmt.kind === "assign" && drop !== undefined && takesDropBack(program, stmt.left)) {
      diagnostics.warning(CODES.dropTakenBack, stmt.span, "this takes back the drop before it", {
        message: "the packet was marked to be dropped here",
        span: drop,
      });
      drop = undefined;
    }
  }
}

function takesDropBack(program: V1model, place: Expr): boolean {
  return isStandard(program, place, "egress_spec") || isStandard(program, place, "mcast_grp");
}

function dropsAlways(stmt: Stmt): boolean {
  if (stmt.kind === "extern") return stmt.name === "mark_to_drop";
  if (stmt.kind === "block") return stmt.body.some(dropsAlways);
  return stmt.kind === "action" && stmt.action.body.some(dropsAlways);
}

/** P40652: the program reads a field of a header that no parser and no statement makes valid. */
function warnOfHeaders(program: V1model, diagnostics: Diagnostics): void {
  const made = new Set<string>();
  const read = new Map<string, Span>();
  const bodies: Stmt[][] = [
    ...statesOf(program).map((state: IrState) => state.body),
    ...controlsOf(program).flatMap(bodiesOf),
  ];
  const look = (expr: Expr): void => {
    if (expr.kind === "valid") return;
    if (expr.kind === "field" && expr.base.type.kind === "header") {
      const name = headerName(program.headers, expr.base);
      if (name !== undefined && expr.span !== undefined && !read.has(name)) read.set(name, expr.span);
    }
    operandsOf(expr).forEach(look);
  };
  for (const body of bodies)
    forEachStmt(body, (stmt) => {
      const { writes, reads } = effectsOf(stmt);
      // A header given to an extern or copied whole is not read field by field.
      reads.forEach(look);
      for (const place of writes) {
        const name = isAggregate(place.type) ? headerName(program.headers, place) : undefined;
        if (name !== undefined) made.add(name);
      }
    });
  for (const [name, span] of read)
    if (![...made].some((one) => covers(one, name)))
      diagnostics.warning(
        CODES.headerNeverValid,
        span,
        `the header ${name} is read, but nothing ever makes it valid`,
        "extract it in the parser, or call setValid",
      );
}

/** The path of a header below the headers struct; elements of a stack count as the stack. */
function headerName(root: Variable, place: Expr): string | undefined {
  switch (place.kind) {
    case "variable":
      return place.variable === root ? "" : undefined;
    case "field": {
      const base = headerName(root, place.base);
      return base === undefined ? undefined : base === "" ? place.name : `${base}.${place.name}`;
    }
    case "element":
    case "stackProperty":
      return headerName(root, place.base);
    default:
      return undefined;
  }
}

function covers(made: string, name: string): boolean {
  return made === "" || made === name || name.startsWith(`${made}.`) || made.startsWith(`${name}.`);
}

/** P40653: BMv2 has no reject. A `verify` that always fails ends the parser before it. */
function warnOfRejects(program: V1model, diagnostics: Diagnostics): void {
  for (const state of statesOf(program)) {
    if (!targetsOf(state).includes("reject")) continue;
    if (state.body.some((stmt) => stmt.kind === "verify" && isFalse(stmt.condition))) continue;
    diagnostics.warning(
      CODES.rejectNotInBmv2,
      state.span,
      `the state ${state.name} rejects packets: BMv2 accepts them, and reject alone sets no parser_error`,
      "call verify with a condition that fails, and drop on parser_error in ingress",
    );
  }
}

function isFalse(condition: Expr): boolean {
  const folded = fold(condition);
  return folded.kind === "bool" && !folded.value;
}

/** P40654: a direct counter or meter that belongs to no table. */
function warnOfDirect(program: V1model, unit: SourceUnit, diagnostics: Diagnostics): void {
  const named = attachedInstances(unit);
  for (const control of controlsOf(program))
    for (const instance of control.instances) {
      if (instance.extern !== "direct_counter" && instance.extern !== "direct_meter") continue;
      if (named.some((span) => span.file === instance.span?.file && span.start === instance.span.start))
        continue;
      const property = instance.extern === "direct_counter" ? "counters" : "meters";
      diagnostics.warning(
        CODES.directInstanceWithoutTable,
        instance.span,
        `${instance.name} belongs to no table`,
        `write ${property} = ... in the table that it is for`,
      );
    }
}

/** The declarations of the counters and meters that tables, applied or not, name or construct. */
function attachedInstances(unit: SourceUnit): Span[] {
  const spanOf = (value: Expression): Span | undefined =>
    value.kind === "path" && value.declaration?.kind === "instance"
      ? value.declaration.name.span
      : value.span;
  return unit.declarations.flatMap((declaration) => {
    if (declaration.kind !== "control") return [];
    const tables = (declaration.body?.locals ?? []).filter((local) => local.kind === "table");
    return tables
      .flatMap((table) => table.properties)
      .flatMap((property) => {
        if (property.kind !== "property") return [];
        const { name } = property.name;
        return name === "counters" || name === "meters" ? [spanOf(property.value) ?? property.span] : [];
      });
  });
}

/** P40655: BMv2 has no default action for a table with an action profile. */
function warnOfDefaults(program: V1model, diagnostics: Diagnostics): void {
  for (const { tables } of [program.ingress, program.egress])
    for (const table of tables) {
      const written = table.declaration.properties.find(
        (one) => one.kind === "property" && one.name.name === "default_action",
      );
      if (table.implementation === undefined || written === undefined) continue;
      if (table.defaultAction.action.name === "NoAction") continue;
      diagnostics.warning(
        CODES.profileDefaultAction,
        written.span,
        `BMv2 does not run the default action of ${table.name}, since the table has an action profile`,
        "on a miss nothing runs; look at the outcome instead: if (!t.apply().hit) { ... }",
      );
    }
}

/** P40656: a packet must keep the fields of a list to which no field belongs. */
function warnOfFieldLists(program: V1model, bodies: readonly Stmt[][], diagnostics: Diagnostics): void {
  const known = fieldLists(program);
  for (const body of bodies)
    forEachStmt(body, (stmt) => {
      if (stmt.kind !== "extern" || !stmt.name.endsWith("_preserving_field_list")) return;
      const index = fold(defined(stmt.args.at(-1)));
      if (index.kind !== "number" || known.has(Number(index.value))) return;
      diagnostics.warning(
        CODES.emptyFieldList,
        stmt.span,
        `no field of the metadata has @field_list(${index.value}): the packet keeps none`,
        "annotate the fields that it is to keep",
      );
    });
}

/** P40657: nothing in a loop changes its condition or leaves the loop. */
function warnOfLoops(body: readonly Stmt[], diagnostics: Diagnostics): void {
  forEachStmt(body, (stmt) => {
    if (stmt.kind !== "loop") return;
    const condition = fold(stmt.condition);
    if (condition.kind === "bool" && !condition.value) return;
    const inside = new Set<Label>();
    let ends = false;
    const all = [...stmt.body, ...stmt.update];
    forEachStmt(all, (one) => {
      if (one.kind === "block" && one.label !== undefined) inside.add(one.label);
    });
    forEachStmt(all, (one) => {
      if (one.kind === "exit" || one.kind === "apply" || (one.kind === "leave" && !inside.has(one.label)))
        ends = true;
      ends ||= effectsOf(one).writes.some((place) => readsFrom(condition, place));
    });
    if (!ends) reportEndless(stmt.span, "this loop has no end", diagnostics);
  });
}

function reportEndless(span: Span | undefined, message: string, diagnostics: Diagnostics): void {
  diagnostics.warning(
    CODES.endlessLoop,
    span,
    message,
    "nothing in it changes a value that its condition reads",
  );
}

/** P40657 also: a cycle of parser states that extract nothing and change nothing. */
function warnOfStateCycles(program: V1model, diagnostics: Diagnostics): void {
  const idle = new Set(statesOf(program).filter((state) => state.body.length === 0));
  const done = new Set<IrState>();
  for (const start of idle) {
    const path: IrState[] = [];
    const visit = (state: IrState): boolean => {
      if (!idle.has(state) || done.has(state)) return false;
      if (path.includes(state)) return true;
      path.push(state);
      const found = successorsOf(state).some(visit);
      path.pop();
      done.add(state);
      return found;
    };
    if (visit(start))
      reportEndless(start.span, `the state ${start.name} comes back to itself without an end`, diagnostics);
  }
}
