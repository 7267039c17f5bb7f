/** The blocks of a checked program: those that `main` is made of, in its order, then the parsers that they apply. */
import { closest, type Diagnostics, fail } from "../../base/index.js";
import type { Analysis, ast } from "../p4/index.js";
import { CODES } from "./codes.js";
import { controlGraph } from "./control-graph.js";
import type { BlockGraph } from "./graph.js";
import { parserGraph } from "./parser-graph.js";

type Block = ast.ParserDeclaration | ast.ControlDeclaration;

export interface GraphSettings {
  /** The names of the blocks to draw; absent: all that `main` uses. */
  readonly blocks?: readonly string[];
  /** Draw a control that another one applies as one node, and by itself. */
  readonly calls?: boolean;
}

/**
 * The graphs of a program that was parsed and checked without errors, for any architecture. A program without `main` is drawn
 * whole.
 * @throws DiagnosticError P41300 where a block does not exist. P41301 is added to `diagnostics`.
 */
export function programGraphs(
  { unit, checked }: Analysis,
  { blocks, calls = false }: GraphSettings,
  diagnostics: Diagnostics,
): BlockGraph[] {
  const declared = unit.declarations.filter(isBlock).filter(({ body }) => body !== undefined);
  const used = checked.main === undefined ? new Map<Block, string[]>() : blocksOf(checked.main);
  const chosen = blocks === undefined ? [] : blocks.map((name) => namedBlock(declared, name));
  const all = used.size === 0 ? declared : withCalled([...used.keys()], calls);
  return (blocks === undefined ? all : chosen).flatMap((block) => {
    const roles = used.get(block) ?? [];
    const graph =
      block.kind === "parser"
        ? parserGraph(block, roles, diagnostics)
        : controlGraph(block, roles, calls, diagnostics);
    return graph ?? [];
  });
}

function isBlock(declaration: ast.Declaration): declaration is Block {
  return declaration.kind === "parser" || declaration.kind === "control";
}

function namedBlock(declared: readonly Block[], name: string): Block {
  const found = declared.find((one) => one.name.name === name);
  if (found !== undefined) return found;
  const names = declared.map((one) => one.name.name);
  const near = closest(name, names);
  return fail(
    CODES.noSuchBlock,
    undefined,
    `there is no parser or control ${name}${near === undefined ? "" : `; did you mean ${near}?`}`,
    names.length === 0 ? "the program has none" : `parsers and controls: ${names.join(", ")}`,
  );
}

/** Parsers and controls in the arguments of a package, with the parameters that they are for: `ig`, or `pipe.ingress`. */
function blocksOf(main: ast.InstanceDeclaration): Map<Block, string[]> {
  const roles = new Map<Block, string[]>();
  const visit = (call: ast.InstanceDeclaration["resolved"], prefix: string): void => {
    if (call === undefined) return;
    call.args.forEach((argument, index) => {
      const role = `${prefix}${call.params[index]!.name.name}`;
      const made = constructorIn(argument?.value);
      if (made?.kind !== "constructor") return;
      if (made.declaration.kind === "package") visit(made, `${role}.`);
      else if (isBlock(made.declaration))
        roles.set(made.declaration, [...(roles.get(made.declaration) ?? []), role]);
    });
  };
  visit(main.resolved, "");
  return roles;
}

/** The constructor call of an argument: written there, or that of the instance that it names. */
function constructorIn(value: ast.Expression | undefined): ast.InstanceDeclaration["resolved"] {
  if (value?.kind === "call") return value.resolved;
  return value?.kind === "path" && value.declaration?.kind === "instance"
    ? value.declaration.resolved
    : undefined;
}

/** The blocks and the parsers that they apply, directly or not; with `calls`, the controls too, which are otherwise drawn inside. */
function withCalled(blocks: readonly Block[], calls: boolean): Block[] {
  const all = new Set(blocks);
  // Blocks that are added here are visited in turn.
  for (const block of all)
    for (const called of appliedBy(block)) {
      if (called.body === undefined) continue;
      if (called.kind === "parser" || calls) all.add(called);
    }
  return [...all];
}

function appliedBy(block: Block): Block[] {
  const found: Block[] = [];
  const visit = (statement: ast.Statement | undefined): void => {
    switch (statement?.kind) {
      case "block":
        statement.statements.forEach(visit);
        return;
      case "if":
        visit(statement.whenTrue);
        visit(statement.whenFalse);
        return;
      case "switch":
        for (const { body } of statement.cases) visit(body);
        return;
      case "for":
      case "forIn":
        visit(statement.body);
        return;
      case "callStatement": {
        const { resolved } = statement.call;
        if (resolved?.kind === "parserApply" || resolved?.kind === "controlApply")
          found.push(resolved.declaration);
      }
    }
  };
  if (block.kind === "control") visit(block.body?.apply);
  else for (const state of block.body?.states ?? []) state.statements.forEach(visit);
  return found;
}
