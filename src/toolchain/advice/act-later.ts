/**
 * Statements of an action that need none of the entry's data, behind their table: `switch (t.apply().action_run)`. A table whose action waits
 * for a value of an earlier table can then be matched before that value is there.
 */
import type { FitResult } from "../fit/index.js";
import type { ast } from "../p4/index.js";
import { meets, placeIn } from "./effects.js";
import { placeOf } from "./own-text.js";
import { type Edit, indentOf, ownSpan, type Rewrite, textOf } from "./rewrite.js";
import { exitingNames, nodesOf, type TableText, type TableTexts } from "./tables.js";

/** One change for each table whose actions, and not its key, wait for an earlier unit. */
export function actLater(texts: TableTexts, { model, problem }: FitResult, unit: ast.SourceUnit): Rewrite[] {
  const exiting = exitingNames(unit);
  return model.units.flatMap((one) => {
    const waits = problem.graph.incoming[one.id]!.some(
      ({ kind, distance }) => kind === "action" && distance > 0,
    );
    const text = one.kind === "match" && waits ? texts.of(one) : undefined;
    return text === undefined ? [] : (movedBehind(texts, text, { unit, exiting }) ?? []);
  });
}

function movedBehind(
  texts: TableTexts,
  text: TableText,
  { unit, exiting }: { unit: ast.SourceUnit; exiting: ReadonlySet<string> },
): Rewrite | undefined {
  const { table, control } = text;
  const name = table.name.name;
  const apply = onlyApply(control, name);
  const at = apply && ownSpan(texts.file, apply);
  const actions = table.properties.find((property) => property.kind === "actions");
  if (at === undefined || actions?.kind !== "actions") return undefined;
  const removals: Edit[] = [];
  const cases: string[] = [];
  for (const { declaration, args } of actions.actions) {
    if (declaration === undefined || !isUsedOnce(unit, declaration, table)) continue;
    // What the table names as an argument gets the parameter's value when the action ends.
    if ((args ?? []).length > 0) continue;
    // Nothing behind the table runs after an exit, and nothing in the action after a return.
    if (exiting.has(declaration.name.name) || nodesOf(declaration, "return").length > 0) continue;
    const moved = movable(declaration, namesIn(control.body?.apply));
    const spans = moved.flatMap((statement) => ownSpan(texts.file, statement) ?? []);
    if (moved.length === 0 || spans.length < moved.length) continue;
    removals.push(...spans.map((span) => ({ span, replacement: "" })));
    cases.push(`${declaration.name.name}: { ${moved.map((statement) => textOf(statement)).join(" ")} }`);
  }
  if (cases.length === 0) return undefined;
  const indent = `\n${indentOf(at)}`;
  const replacement = `switch (${name}.apply().action_run) {${cases.map((one) => `${indent}    ${one}`).join("")}${indent}}`;
  const words = `${placeOf(at)}: ${removals.length} statements of actions of table ${name} that need no data of the entry, behind it`;
  return { kind: "later", words, span: at, replacement, more: removals };
}

/** The statement `t.apply();`, where the table is applied nowhere else. */
export function onlyApply(control: ast.ControlDeclaration, name: string): ast.Statement | undefined {
  const isApply = ({ callee }: ast.CallExpression) =>
    callee.kind === "member" &&
    callee.member.name === "apply" &&
    callee.base.kind === "path" &&
    callee.base.name.name === name;
  const calls = (nodesOf(control, "call") as ast.CallExpression[]).filter(isApply);
  const statements = (
    nodesOf(control, "callStatement") as (ast.Statement & { call: ast.CallExpression })[]
  ).filter(({ call }) => isApply(call));
  return calls.length === 1 ? statements[0] : undefined;
}

/** No other table has the action, and nothing calls it. */
export function isUsedOnce(
  unit: ast.SourceUnit,
  action: ast.ActionDeclaration,
  table: ast.TableDeclaration,
): boolean {
  const name = action.name.name;
  const others = (nodesOf(unit, "table") as ast.TableDeclaration[]).filter((one) => one !== table);
  const inOthers = others.some(({ properties }) =>
    properties.some(
      (property) =>
        property.kind === "actions" && property.actions.some(({ declaration }) => declaration === action),
    ),
  );
  const isCalled = (nodesOf(unit, "call") as ast.CallExpression[]).some(
    ({ callee }) => callee.kind === "path" && callee.name.name === name && callee.declaration === action,
  );
  return !inOthers && !isCalled;
}

/** Names that a block declares: behind the table they would hide what the action means. */
const namesIn = (block: unknown): string[] =>
  (nodesOf(block, "declaration") as ast.Statement[]).flatMap((one) => localName(one));

/** Assignments without data of the entry and without calls, whose places nothing behind them in the action touches. */
function movable(
  { params, body }: ast.ActionDeclaration,
  hidden: readonly string[],
): ast.AssignmentStatement[] {
  const moved: ast.AssignmentStatement[] = [];
  const names = params.map((param) => param.name.name);
  const staying: ast.Statement[] = [];
  const local = new Set([...hidden, ...body.statements.flatMap((one) => localName(one))]);
  for (const statement of [...body.statements].reverse()) {
    if (isMovable(statement, names, local) && staying.every((other) => areApart(statement, other)))
      moved.unshift(statement);
    else staying.push(statement);
  }
  return moved;
}

const localName = (statement: ast.Statement): string[] =>
  statement.kind === "declaration" ? [textOf(statement).match(/(\w+)\s*[=;]/)?.[1] ?? ""] : [];

function isMovable(
  statement: ast.Statement,
  params: readonly string[],
  local: ReadonlySet<string>,
): statement is ast.AssignmentStatement {
  if (statement.kind !== "assignment" || statement.op !== undefined) return false;
  if (nodesOf(statement, "call").length > 0 || nodesOf(statement, "index").length > 0) return false;
  const paths = (nodesOf(statement, "path") as ast.PathExpression[]).map(({ name }) => name.name);
  // Only what reads a field waits for one.
  return (
    nodesOf(statement.right, "member").length + nodesOf(statement.right, "path").length > 0 &&
    paths.every((name) => !params.includes(name) && !local.has(name))
  );
}

/** Neither writes what the other touches: no path of one begins another's. */
function areApart(one: ast.AssignmentStatement, other: ast.Statement): boolean {
  if (callsBody(other)) return false;
  const [left, reads] = [placeIn(one.left), placesIn(one.right)];
  const all = placesIn(other);
  const written =
    other.kind === "assignment" ? [placeIn(other.left)] : other.kind === "declaration" ? [] : all;
  return (
    !all.some((place) => meets(place, left)) &&
    !written.some((place) => reads.some((read) => meets(place, read)))
  );
}

/** A call of an action or of a register action runs a body that touches more than the call names. */
const callsBody = (statement: ast.Statement): boolean =>
  (nodesOf(statement, "call") as ast.CallExpression[]).some(
    ({ callee }) => callee.kind === "path" || (callee.kind === "member" && callee.member.name === "execute"),
  );

/** Places of the fields and variables in a node, each as a whole; of a call what it is called on. */
function placesIn(node: unknown): string[] {
  const members = nodesOf(node, "member") as ast.MemberExpression[];
  const called = new Set<unknown>(
    (nodesOf(node, "call") as ast.CallExpression[]).map(({ callee }) => callee),
  );
  const inner = new Set<unknown>(members.filter((one) => !called.has(one)).map(({ base }) => base));
  const all = [...members, ...(nodesOf(node, "path") as ast.PathExpression[])];
  return all.filter((one) => !called.has(one) && !inner.has(one)).map((one) => placeIn(one));
}
