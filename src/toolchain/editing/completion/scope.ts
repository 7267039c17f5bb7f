/** The names that are visible at a place. */
import type { Span } from "../../../base/index.js";
import type { ast } from "../../p4/index.js";
import type { P4Document } from "../document.js";
import { sourceOf } from "../spans.js";

export interface Surroundings {
  /** The innermost names first, so that a name comes before the names that it hides. */
  readonly names: readonly ast.Declaration[];
  /** The parser or control that contains the place. */
  readonly owner: ast.ParserDeclaration | ast.ControlDeclaration | undefined;
  readonly state: ast.StateDeclaration | undefined;
  readonly table: ast.TableDeclaration | undefined;
  /** Whether the place is in the statements of an apply block, an action, a state or a function. */
  readonly inStatements: boolean;
}

/** The declarations that are visible at an offset of the document. */
export function surroundings(document: P4Document, offset: number): Surroundings {
  const outer: ast.Declaration[] = [];
  const inner: ast.Declaration[][] = [];
  let owner: Surroundings["owner"];
  let state: Surroundings["state"];
  let table: Surroundings["table"];
  let inStatements = false;
  const inside = ({ file, start, end }: Span) =>
    sourceOf(file) === document.file && start <= offset && offset <= end;
  const isBefore = ({ file, end }: Span) => sourceOf(file) !== document.file || end <= offset;
  const enterStatements = (statements: readonly ast.Statement[]) => {
    inStatements = true;
    const names: ast.Declaration[] = [];
    inner.unshift(names);
    for (const statement of statements) {
      if (statement.kind === "declaration" && isBefore(statement.span)) names.unshift(statement.declaration);
      if (inside(statement.span)) enterStatement(statement);
    }
  };
  const enterStatement = (statement: ast.Statement): void => {
    switch (statement.kind) {
      case "block":
        enterStatements(statement.statements);
        return;
      case "if":
        for (const branch of [statement.whenTrue, statement.whenFalse])
          if (branch !== undefined && inside(branch.span)) enterStatement(branch);
        return;
      case "switch":
        for (const { body } of statement.cases)
          if (body !== undefined && inside(body.span)) enterStatement(body);
        return;
      case "for":
        enterStatements([...statement.init]);
        if (inside(statement.body.span)) enterStatement(statement.body);
        return;
      case "forIn":
        if (statement.variable.kind === "variable") inner.unshift([statement.variable]);
        if (inside(statement.body.span)) enterStatement(statement.body);
    }
  };
  const enter = (declaration: ast.Declaration): void => {
    switch (declaration.kind) {
      case "parser":
      case "control": {
        owner = declaration;
        const { body } = declaration;
        inner.unshift([...declaration.typeParams, ...declaration.constructorParams, ...declaration.params]);
        if (body === undefined) return;
        const locals = body.locals.filter(({ span }) => isBefore(span) || inside(span));
        inner.unshift([...locals].reverse());
        for (const local of body.locals) if (inside(local.span)) enter(local);
        if ("states" in body) {
          inner.unshift([...body.states]);
          state = body.states.find(({ span }) => inside(span));
          if (state !== undefined) enterStatements(state.statements);
        } else if (inside(body.apply.span)) enterStatements(body.apply.statements);
        return;
      }
      case "action":
      case "function":
        inner.unshift([...declaration.params]);
        if (declaration.kind === "function") inner.unshift([...declaration.typeParams]);
        if (declaration.body !== undefined && inside(declaration.body.span))
          enterStatements(declaration.body.statements);
        return;
      case "table":
        table = declaration;
    }
  };
  for (const declaration of document.unit.declarations) {
    if (inside(declaration.span)) enter(declaration);
    if (declaration.kind !== "error" && declaration.kind !== "matchKind" && isBefore(declaration.span))
      outer.push(declaration);
  }
  const seen = new Set<string>();
  const names = [...inner.flat(), ...outer.reverse()].filter(
    ({ name }) => !seen.has(name.name) && seen.add(name.name),
  );
  return { names, owner, state, table, inStatements };
}
