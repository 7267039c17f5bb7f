/**
 * The state machine of a parser, with the nodes and edges of p4c's `p4c-graphs`: states with the keys of their `select`, and
 * edges with the values that choose them. A `select` without `default` rejects all other packets.
 */
import type { Diagnostics } from "../../base/index.js";
import { type ast, printExpression } from "../p4/index.js";
import { GraphBuilder } from "./builder.js";
import { type BlockGraph, cutLine } from "./graph.js";

type Parser = ast.ParserDeclaration;

/** The graph of a parser with a body; undefined after P41301. */
export function parserGraph(
  parser: Parser,
  roles: readonly string[],
  diagnostics: Diagnostics,
): BlockGraph | undefined {
  const { name } = parser.name;
  const graph = new GraphBuilder(name, diagnostics);
  if (!graph.build(() => drawStates(parser, graph), parser.name.span)) return undefined;
  return { name, kind: "parser", roles, nodes: graph.nodes, edges: graph.edges, clusters: [] };
}

function drawStates(parser: Parser, graph: GraphBuilder): void {
  const states = parser.body?.states ?? [];
  const nodes = new Map<string, number>();
  // The start is drawn first, wherever it is declared.
  const start = states.filter(({ name }) => name.name === "start");
  for (const state of [...start, ...states.filter((one) => !start.includes(one))])
    nodes.set(state.name.name, graph.place("state", stateLines(state), state.name.span));
  const nodeOf = (name: string): number => {
    const known = nodes.get(name);
    if (known !== undefined) return known;
    // `accept` and `reject` are drawn where a transition leads to them.
    const made = graph.place("exit", [name]);
    nodes.set(name, made);
    return made;
  };
  for (const { name, transition } of states) {
    const from = nodeOf(name.name);
    if (transition?.kind === "direct") graph.connect(from, nodeOf(transition.next.name), "always");
    else if (transition?.kind === "select") {
      for (const { keySet, next } of transition.cases)
        graph.connect(from, nodeOf(next.name), cutLine(keySetText(keySet)));
      if (!transition.cases.some(({ keySet }) => matchesAll(keySet)))
        graph.connect(from, nodeOf("reject"), "fallthrough");
      // A state without a transition rejects (specification 13.4).
    } else graph.connect(from, nodeOf("reject"), "always");
  }
}

/** The name, what the state extracts and which parsers it applies, and the keys of its `select`. */
function stateLines({ name, statements, transition }: ast.StateDeclaration): string[] {
  const lines = [name.name, ...statements.flatMap(workOf)];
  if (transition?.kind === "select")
    lines.push(`select (${transition.keys.map(printExpression).join(", ")})`);
  return lines;
}

/** What a statement takes from the packet, also under a condition. */
function workOf(statement: ast.Statement): string[] {
  switch (statement.kind) {
    case "block":
      return statement.statements.flatMap(workOf);
    case "if":
      return [
        statement.whenTrue,
        ...(statement.whenFalse === undefined ? [] : [statement.whenFalse]),
      ].flatMap(workOf);
    case "callStatement": {
      const { resolved, args, callee } = statement.call;
      if (resolved?.kind === "parserApply") return [`apply ${printExpression(resolved.object)}`];
      const method = callee.kind === "member" ? callee.member.name : "";
      if (resolved?.kind !== "externMethod" || !["extract", "advance"].includes(method)) return [];
      return args.length === 0 ? [] : [`${method} ${printExpression(args[0]!.value)}`];
    }
    default:
      return [];
  }
}

function keySetText(keySet: readonly ast.Expression[]): string {
  const parts = keySet.map((one) =>
    one.kind === "default" ? "default" : one.kind === "dontCare" ? "_" : printExpression(one),
  );
  return parts.length === 1 ? parts.join("") : `(${parts.join(", ")})`;
}

function matchesAll(keySet: readonly ast.Expression[]): boolean {
  return keySet.every(({ kind }) => kind === "default" || kind === "dontCare");
}
