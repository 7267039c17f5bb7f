/**
 * Assignments behind a table, before it and in its actions that write what they read: `t.apply(); x = m;` where an action sets `m`. What
 * would wait a stage for the table's result is then set with it; where another action ran, or none, it keeps the value from before.
 */
import type { FitResult } from "../fit/index.js";
import type { ast } from "../p4/index.js";
import { isUsedOnce, onlyApply } from "./act-later.js";
import { type Effects, effectsOf, meets, placeIn } from "./effects.js";
import { placeOf } from "./own-text.js";
import { type Edit, indentOf, ownSpan, type Rewrite, textOf } from "./rewrite.js";
import { exitingNames, nodesOf, type TableText, type TableTexts } from "./tables.js";

/** One change for each table with such assignments right behind it. */
export function actSooner(texts: TableTexts, { model }: FitResult, unit: ast.SourceUnit): Rewrite[] {
  const exiting = exitingNames(unit);
  return model.units.flatMap((one) => {
    const text = one.kind === "match" ? texts.of(one) : undefined;
    return text === undefined ? [] : (movedInto(texts, text, { unit, exiting }) ?? []);
  });
}

function movedInto(
  texts: TableTexts,
  { table, control }: TableText,
  { unit, exiting }: { unit: ast.SourceUnit; exiting: ReadonlySet<string> },
): Rewrite | undefined {
  const name = table.name.name;
  const apply = onlyApply(control, name);
  const at = apply && ownSpan(texts.file, apply);
  const listed = table.properties.find((property) => property.kind === "actions");
  if (apply === undefined || at === undefined || listed?.kind !== "actions") return undefined;
  // An argument that the table names may be written by the action's parameter.
  if (listed.actions.some(({ args }) => (args ?? []).length > 0)) return undefined;
  const actions = listed.actions.flatMap(({ declaration }) => declaration ?? []);
  const effects = new Map(actions.map((action) => [action, effectsOf([action.body])]));
  if ([...effects.values()].includes(undefined) || actions.some((one) => exiting.has(one.name.name)))
    return undefined;
  const waiting = assignmentsBehind(control, apply, [...effects.values()] as Effects[]);
  const spans = waiting.flatMap((statement) => ownSpan(texts.file, statement) ?? []);
  const moved = effectsOf(waiting);
  if (waiting.length === 0 || spans.length < waiting.length || moved === undefined) return undefined;
  const key = table.properties.flatMap((one) => (one.kind === "key" ? one.elements : []));
  const asked = key.map(({ expression }) => placesOf(expression));
  const takers = actions.filter((action) => writesOneOf(effects.get(action)!, moved));
  const takesAll = takers.every(
    (action) =>
      isUsedOnce(unit, action, table) &&
      nodesOf(action.body, "return").length === 0 &&
      waiting.every((statement) => means(statement, control, action)),
  );
  const touched = [...asked, ...effects.values()].flatMap((one) =>
    one ? [...one.reads, ...one.writes] : [""],
  );
  const isSet = [...moved.writes].some((place) =>
    touched.some((other) => other === "" || meets(other, place)),
  );
  if (!takesAll || isSet || !mayRunTwice(waiting)) return undefined;
  const ends = takers.flatMap((action) => {
    const body = ownSpan(texts.file, action.body);
    return body === undefined ? [] : [{ ...body, start: body.end - 1, end: body.end - 1 }];
  });
  if (takers.length === 0 || ends.length < takers.length) return undefined;
  const words = waiting.map((statement) => textOf(statement)).join(" ");
  const edits: Edit[] = [
    ...ends.map((span) => ({ span, replacement: `${words} ` })),
    ...spans.map((span) => ({ span, replacement: "" })),
  ];
  const count = waiting.length === 1 ? "1 statement" : `${waiting.length} statements`;
  return {
    kind: "sooner",
    words: `${placeOf(at)}: ${count} behind table ${name}, before it and in the actions that write what they read (${takers.map((one) => one.name.name).join(", ")})`,
    span: { ...at, end: at.start },
    replacement: `${words}\n${indentOf(at)}`,
    more: edits,
  };
}

/** The assignments right behind a statement of a block, up to the last one that reads what an action writes. */
function assignmentsBehind(
  control: ast.ControlDeclaration,
  apply: ast.Statement,
  actions: readonly Effects[],
): ast.AssignmentStatement[] {
  for (const { statements } of nodesOf(control, "block") as ast.BlockStatement[]) {
    const at = statements.indexOf(apply);
    if (at < 0) continue;
    const behind: ast.AssignmentStatement[] = [];
    for (const one of statements.slice(at + 1)) {
      if (one.kind !== "assignment" || nodesOf(one, "call").length > 0) break;
      behind.push(one);
    }
    const reads = behind.map((one) => {
      const own = effectsOf([one]);
      return own !== undefined && actions.some((action) => writesOneOf(action, own));
    });
    return behind.slice(0, reads.lastIndexOf(true) + 1);
  }
  return [];
}

/** They set the same a second time: none reads what it or a later one sets. */
function mayRunTwice(statements: readonly ast.AssignmentStatement[]): boolean {
  return statements.every((one, at) => {
    const own = effectsOf([one]);
    const set = effectsOf(statements.slice(at));
    return own !== undefined && set !== undefined && !writesOneOf(set, own);
  });
}

/** What an expression reads; undefined where that is not known. */
function placesOf(expression: ast.Expression): Effects | undefined {
  const left = expression;
  const read = { kind: "assignment", op: undefined, left, right: expression } as ast.AssignmentStatement;
  return effectsOf([read]);
}

const writesOneOf = ({ writes }: Effects, { reads }: Effects): boolean =>
  [...writes].some((place) => [...reads].some((read) => meets(place, read)));

/** Every name of a statement means the same in the action: a parameter of the control, what stands before the action in it, or outside. */
function means(
  statement: ast.AssignmentStatement,
  control: ast.ControlDeclaration,
  action: ast.ActionDeclaration,
): boolean {
  const own = new Set([
    ...action.params.map(({ name }) => name.name),
    ...(nodesOf(action.body, "declaration") as (ast.Statement & { declaration: ast.Declaration })[]).map(
      ({ declaration }) => declaration.name.name,
    ),
  ]);
  const locals: readonly unknown[] = control.body?.locals ?? [];
  const before = new Set<unknown>(locals.slice(0, locals.indexOf(action)));
  const params = new Set<unknown>(control.params);
  return (nodesOf(statement, "path") as ast.PathExpression[]).every(
    ({ name, declaration }) =>
      placeIn(statement.left) !== "" &&
      !own.has(name.name) &&
      declaration !== undefined &&
      (params.has(declaration) ||
        before.has(declaration) ||
        (declaration.kind === "constant" && !locals.includes(declaration))),
  );
}
