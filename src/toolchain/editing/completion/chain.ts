/** The type of an expression such as `hdr.stack[0].field` before the cursor, in a program that is not complete. */

import { defined } from "../../../base/index.js";
import type { Element } from "../../formatting/index.js";
import { type ast, type Type, unwrapNew } from "../../p4/index.js";
import type { P4Document } from "../document.js";
import { type Surroundings, surroundings } from "./scope.js";

/** One element of a chain: a name, an index or a call. */
type Link =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "index" }
  | { readonly kind: "call" };

const OPENS: Readonly<Record<string, string>> = { ")": "(", "]": "[" };

/** The chain at the end of a list of tokens; undefined if the tokens do not end with a chain. */
function chainOf(tokens: readonly Element[]): Link[] | undefined {
  const links: Link[] = [];
  let at = tokens.length - 1;
  for (;;) {
    const token = tokens[at];
    if (token === undefined) return undefined;
    if (token.token === ")" || token.token === "]") {
      const open = openOf(tokens, at);
      if (open === undefined) return undefined;
      links.unshift({ kind: token.token === ")" ? "call" : "index" });
      at = open - 1;
      if (tokens[at]?.token === ">") at = (angleOf(tokens, at) ?? 0) - 1;
      continue;
    }
    if (!/^[A-Za-z_]\w*$/.test(token.text)) return undefined;
    links.unshift({ kind: "name", name: token.text });
    if (tokens[at - 1]?.token !== ".") return links;
    at -= 2;
  }
}

/** The index of the opening bracket for a closing bracket. */
function openOf(tokens: readonly Element[], close: number): number | undefined {
  let depth = 0;
  for (let at = close; at >= 0; at--) {
    const { token } = defined(tokens[at]);
    if (token === ")" || token === "]" || token === "}") depth++;
    else if (token === "(" || token === "[" || token === "{") {
      if (--depth > 0) continue;
      return token === OPENS[defined(tokens[close]).token] ? at : undefined;
    }
  }
  return undefined;
}

function angleOf(tokens: readonly Element[], close: number): number | undefined {
  let depth = 0;
  for (let at = close; at >= 0; at--) {
    const { token } = defined(tokens[at]);
    if (token === ">") depth++;
    else if (token === "<" && --depth === 0) return at;
    else if (token === ";" || token === "{" || token === "}") return undefined;
  }
  return undefined;
}

/** The meaning of a chain: a value of a type, a type itself, or a declaration that can be called. */
export interface Reached {
  readonly type: Type | undefined;
  /** The declarations that a call can refer to; several for overloads. */
  readonly callables: readonly ast.Declaration[];
}

/** The meaning of the chain at the end of the tokens before an offset. */
export function reachedBy(
  document: P4Document,
  tokens: readonly Element[],
  offset: number,
  around: Surroundings = surroundings(document, offset),
): Reached | undefined {
  const [first, ...rest] = chainOf(tokens) ?? [];
  if (first?.kind !== "name") return undefined;
  let reached = startOf(document, around, first.name);
  for (const link of rest) {
    if (reached === undefined) return undefined;
    reached = follow(reached, link);
  }
  return reached;
}

function startOf(document: P4Document, around: Surroundings, name: string): Reached | undefined {
  if (name === "error") return { type: { kind: "typeName", type: { kind: "error" } }, callables: [] };
  const found = around.names.find((declaration) => declaration.name.name === name);
  if (found === undefined) return undefined;
  const overloads = document.unit.declarations.filter(
    (one) => one.kind === "function" && one.name.name === name,
  );
  return { type: typeOf(found), callables: found.kind === "function" ? overloads : [found] };
}

/** The type of a name in an expression. */
function typeOf(declaration: ast.Declaration): Type | undefined {
  switch (declaration.kind) {
    case "parameter":
    case "variable":
    case "constant":
    case "instance":
    case "valueSet":
      return declaration.type;
    case "table":
      return { kind: "table", declaration };
    case "enum": {
      const underlying = declaration.underlying?.type;
      const type: Type =
        underlying === undefined
          ? { kind: "enum", declaration }
          : { kind: "serializableEnum", declaration, underlying };
      return { kind: "typeName", type };
    }
    case "control":
      return { kind: "typeName", type: { kind: "control", declaration, args: [] } };
    case "parser":
      return { kind: "typeName", type: { kind: "parser", declaration, args: [] } };
    case "typedef": {
      const type = declaration.typeExpression.type;
      return type === undefined ? undefined : { kind: "typeName", type };
    }
    default:
      return undefined;
  }
}

function follow({ type, callables }: Reached, link: Link): Reached | undefined {
  const base = type === undefined ? undefined : unwrapNew(type);
  if (link.kind === "index")
    return base?.kind === "stack" ? { type: base.element, callables: [] } : undefined;
  if (link.kind === "call") return { type: resultOf(callables[0]), callables: [] };
  if (base === undefined) return undefined;
  const { name } = link;
  switch (base.kind) {
    case "struct":
    case "header":
    case "headerUnion": {
      const field = base.fields.find((one) => one.name === name);
      return { type: field?.type, callables: [] };
    }
    case "stack":
      return { type: name === "next" || name === "last" ? base.element : undefined, callables: [] };
    case "extern":
      return {
        type: undefined,
        callables: base.declaration.methods.filter((method) => method.name.name === name),
      };
    case "table":
      return { type: undefined, callables: name === "apply" ? [base.declaration] : [] };
    case "control":
    case "parser":
      return { type: undefined, callables: name === "apply" ? [base.declaration] : [] };
    case "typeName":
      if (base.type.kind === "control" || base.type.kind === "parser")
        return { type: undefined, callables: name === "apply" ? [base.type.declaration] : [] };
      return { type: base.type, callables: [] };
    case "applyResult":
      return {
        type: name === "action_run" ? { kind: "actionRun", declaration: base.declaration } : { kind: "bool" },
        callables: [],
      };
    default:
      return undefined;
  }
}

/** The type of a call's result, if it does not depend on type arguments. */
function resultOf(callable: ast.Declaration | undefined): Type | undefined {
  if (callable?.kind === "table") return { kind: "applyResult", declaration: callable };
  if (callable?.kind === "function") return callable.returnType?.type;
  return undefined;
}
