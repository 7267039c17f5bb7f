/**
 * Assignments of a branch ahead of its condition, and of what stands before that: `if (c) { m = random.get(); … }` as `m = random.get(); if (c) { … }`. A
 * large table that decides the condition then decides no longer when the value is made.
 *
 * Why the meaning is kept: what is assigned has no state (constants, places, random numbers, hashes), and nobody but the branch looks at the
 * place, so that it does not matter which value it has where the condition does not hold. What the assignment passes writes nothing
 * that it reads. It may end the control: nobody sees the place then, either.
 */
import type { FitResult } from "../fit/index.js";
import type { ast } from "../p4/index.js";
import { areApart, type Effects, effectsOf, meets } from "./effects.js";
import { placeOf, standsAt } from "./own-text.js";
import { hasPlainEnds, isPlain } from "./plain-text.js";
import { indentOf, ownSpan, type Rewrite, textOf } from "./rewrite.js";
import { nodesOf, type TableTexts, type Unit } from "./tables.js";

/** A statement of a block, with what the branches around it are in. */
interface Around {
  readonly statements: readonly ast.Statement[];
  readonly at: number;
  /** Conditions between this block and the statement around it; none for the block of the control. */
  readonly conditions: readonly ast.Expression[];
  readonly outer: Around | undefined;
}

/** One change for each assignment of a branch that waits for its condition in a later stage than the first. */
export function ahead(texts: TableTexts, { model, problem }: FitResult, unit: ast.SourceUnit): Rewrite[] {
  const { graph } = problem;
  const waits = model.units.filter(({ id, kind }) => {
    const late = ({ kind: why, from }: { kind: string; from: number }) =>
      why === "control" && graph.earliest[from]! > 0;
    return kind === "action" && graph.incoming[id]!.some(late);
  });
  if (waits.length === 0) return [];
  const controls = unit.declarations.filter((one) => one.kind === "control");
  return controls.flatMap((control) =>
    placesIn(control.body?.apply.statements ?? []).flatMap((place) => {
      const statement = place.statements[place.at]!;
      if (statement.kind !== "assignment" || place.outer === undefined) return [];
      const span = ownSpan(texts.file, statement);
      const name = nameIn(statement.left);
      const isOwn = ({ source, actions }: Unit) =>
        span !== undefined &&
        standsAt(span, source) &&
        actions.every(({ writes }) => writes.every(({ field }) => field.split(".").at(-1) === name));
      const writes = waits.filter(isOwn).flatMap(({ actions }) => actions.flatMap((one) => one.writes));
      const isSeen = ({ field }: { field: string }) =>
        model.fields.get(field)?.metadata !== true ||
        model.fields.get(field)!.intrinsic ||
        model.forDeparser.has(field) ||
        model.parser.reads("ingress").has(field) ||
        model.parser.reads("egress").has(field);
      if (span === undefined || writes.length === 0 || writes.some(isSeen)) return [];
      const effects = isStateless(statement) && isPlain(statement) ? effectsOf([statement]) : undefined;
      // Run twice, or for several instances of the control, an assignment that reads its own place would count.
      if (effects === undefined || readsItself(effects)) return [];
      const found = furthest(place, effects);
      const to = found !== undefined && hasPlainEnds(found) ? found : undefined;
      const target = to && ownSpan(texts.file, to);
      if (target === undefined || !isPrivate(statement, place, { control, unit })) return [];
      return {
        kind: "ahead" as const,
        words: `${placeOf(span)}: ${textOf(statement.left)} gets its value ahead of the conditions around it, at ${placeOf(target)}`,
        span,
        replacement: "",
        more: [
          {
            span: { ...target, end: target.start },
            replacement: `${textOf(statement)}\n${indentOf(target)}`,
          },
        ],
      };
    }),
  );
}

const readsItself = ({ reads, writes }: Effects): boolean =>
  [...writes].some((place) => [...reads].some((other) => meets(place, other)));

/** All statements of blocks, of branches of `if` too. */
function placesIn(
  statements: readonly ast.Statement[],
  conditions: readonly ast.Expression[] = [],
  outer?: Around,
): Around[] {
  return statements.flatMap((statement, at) => {
    const place = { statements, at, conditions, outer };
    return [place, ...branchesOf(statement, []).flatMap(([list, own]) => placesIn(list, own, place))];
  });
}

/** The blocks of the branches of an `if`, each with the conditions that lead to it. */
function branchesOf(
  statement: ast.Statement | undefined,
  before: readonly ast.Expression[],
): [readonly ast.Statement[], readonly ast.Expression[]][] {
  if (statement?.kind !== "if") return [];
  const conditions = [...before, statement.condition];
  const { whenTrue, whenFalse } = statement;
  const blocks = [whenTrue, whenFalse].flatMap((one): [readonly ast.Statement[], typeof conditions][] =>
    one?.kind === "block" ? [[one.statements, conditions]] : [],
  );
  return [...blocks, ...branchesOf(whenFalse, conditions)];
}

/** The first statement, outside the branch, that the assignment can stand before; undefined where it cannot leave the branch. */
function furthest(place: Around, effects: Effects): ast.Statement | undefined {
  const passes = (statement: ast.Statement) => {
    const other = effectsOf([statement], true);
    return other !== undefined && areApart(effects, other);
  };
  let to: ast.Statement | undefined;
  for (let here: Around | undefined = place; here !== undefined; here = here.outer) {
    let { at } = here;
    while (at > 0 && passes(here.statements[at - 1]!)) at--;
    if (here !== place) to = here.statements[at];
    const tests = here.conditions.map(
      (condition) => ({ kind: "if", condition, whenTrue: { kind: "empty" } }) as unknown as ast.Statement,
    );
    if (at > 0 || !tests.every(passes)) break;
  }
  return to;
}

/** What it assigns is made of places and constants, random numbers and hashes. */
function isStateless(statement: ast.AssignmentStatement): boolean {
  const calls = nodesOf(statement, "call") as ast.CallExpression[];
  const { op, left } = statement;
  return (
    op === undefined &&
    (left.kind === "path" || left.kind === "member") &&
    calls.every(({ callee }) => {
      if (callee.kind !== "member") return false;
      const method = callee.member.name;
      const object = callee.base.kind === "path" ? callee.base.declaration : undefined;
      const type = object?.kind === "instance" ? textOf(object.typeExpression) : "";
      return method === "isValid" || (method === "get" && /^(Random|Hash)\b/.test(type));
    })
  );
}

/** All that names the place stands behind it in the branch, or in what only the branch calls, and no statement takes a struct as a whole. */
function isPrivate(
  statement: ast.AssignmentStatement,
  { statements, at }: Around,
  { control, unit }: { control: ast.ControlDeclaration; unit: ast.SourceUnit },
): boolean {
  const { left } = statement;
  const name = nameIn(left);
  const locals = control.body!.locals;
  const isVariable =
    left.kind === "path" && left.declaration?.kind === "variable" && locals.includes(left.declaration);
  if (!isVariable && (left.kind !== "member" || takesStructs(unit))) return false;
  const inside = new Set<unknown>(statements.slice(at).flatMap((one) => namesIn(one)));
  for (let before = -1; before < inside.size; ) {
    before = inside.size;
    for (const local of locals)
      if (local.kind === "action" || local.kind === "instance" || local.kind === "table")
        if (isCalledBy(inside, local, unit)) for (const node of [local, ...namesIn(local)]) inside.add(node);
  }
  return namesIn(unit).every((node) => inside.has(node) || nameOf(node) !== name);
}

const namesIn = (node: unknown) =>
  [...nodesOf(node, "path"), ...nodesOf(node, "member")] as (ast.PathExpression | ast.MemberExpression)[];

/** The last name of a place. */
const nameIn = (place: ast.Expression): string =>
  place.kind === "member" || place.kind === "path" ? nameOf(place) : "";

const nameOf = (node: ast.PathExpression | ast.MemberExpression): string =>
  node.kind === "path" ? node.name.name : node.member.name;

/** Whether all that names a declaration is one of the nodes, and all tables that have it as an action are. */
function isCalledBy(inside: ReadonlySet<unknown>, local: ast.Declaration, unit: ast.SourceUnit): boolean {
  const paths = (nodesOf(unit, "path") as ast.PathExpression[]).filter((one) => one.declaration === local);
  const tables = (nodesOf(unit, "table") as ast.TableDeclaration[]).filter(({ properties }) =>
    properties.some(
      (one) => one.kind === "actions" && one.actions.some(({ declaration }) => declaration === local),
    ),
  );
  return paths.length + tables.length > 0 && [...paths, ...tables].every((one) => inside.has(one));
}

/** Whether a struct is used as a whole for anything but as the argument of a parser, a control or `emit`, or to name one of its members. */
function takesStructs(unit: ast.SourceUnit): boolean {
  const members = (nodesOf(unit, "member") as ast.MemberExpression[]).map(({ base }) => base);
  const given = (nodesOf(unit, "call") as ast.CallExpression[]).flatMap(({ callee, args }) =>
    callee.kind === "member" && (callee.member.name === "apply" || callee.member.name === "emit")
      ? args.map(({ value }) => value)
      : [],
  );
  const known = new Set<ast.Expression>([...members, ...given]);
  return namesIn(unit).some((node) => node.type?.kind === "struct" && !known.has(node));
}
