/**
 * The control flow of a control, with the nodes and edges of p4c's `p4c-graphs`: a table is followed by its key, its actions and
 * their bodies; statements between them are one node; controls that are applied are drawn inside, as clusters.
 */
import type { Diagnostics } from "../../base/index.js";
import { type ast, printExpression } from "../p4/index.js";
import { GraphBuilder, type OpenEdge } from "./builder.js";
import { isActionRun, tableCalls } from "./expressions.js";
import type { BlockGraph } from "./graph.js";

/** Where `return`, `break` and `continue` lead. */
interface Scope {
  readonly returns: OpenEdge[];
  readonly breaks: OpenEdge[];
  readonly continues: OpenEdge[];
}

type Control = ast.ControlDeclaration;

/** The graph of a control with a body; undefined after P41301. `calls`: controls that it applies are one node each. */
export function controlGraph(
  control: Control,
  roles: readonly string[],
  calls: boolean,
  diagnostics: Diagnostics,
): BlockGraph | undefined {
  const { name } = control.name;
  const drawing = new ControlDrawing(new GraphBuilder(name, diagnostics), calls);
  const { graph } = drawing;
  if (!graph.build(() => drawing.block(control), control.name.span)) return undefined;
  return { name, kind: "control", roles, nodes: graph.nodes, edges: graph.edges, clusters: graph.clusters };
}

class ControlDrawing {
  /** Texts of statements that become one node. */
  #statements: string[] = [];
  #first: ast.Statement["span"] | undefined;
  #exit = 0;

  constructor(
    readonly graph: GraphBuilder,
    readonly calls: boolean,
  ) {}

  block(control: Control): void {
    this.graph.add("start", ["__START__"]);
    this.#exit = this.graph.place("exit", ["__EXIT__"]);
    this.#body(control.body?.apply);
    this.graph.closeAt(this.#exit);
  }

  /** The body of a control or action; `return` leads behind it. */
  #body(body: ast.BlockStatement | undefined): void {
    const scope: Scope = { returns: [], breaks: [], continues: [] };
    if (body !== undefined) this.#statement(body, scope);
    this.#flush();
    this.graph.open = [...this.graph.open, ...scope.returns];
  }

  /** Draws the statements that are waiting, as one node. */
  #flush(): void {
    if (this.#statements.length === 0) return;
    const lines = this.#statements;
    this.#statements = [];
    this.graph.add("statements", lines, this.#first);
  }

  #wait(text: string, span: ast.Statement["span"]): void {
    if (this.#statements.length === 0) this.#first = span;
    this.#statements.push(text);
  }

  /** Ends a path: what waits is drawn before its edges are handed over. */
  #leave(): OpenEdge[] {
    this.#flush();
    const { open } = this.graph;
    this.graph.open = [];
    return open;
  }

  #statement(statement: ast.Statement, scope: Scope): void {
    // Nothing leads to a statement behind `exit` or `return`.
    if (this.graph.open.length === 0) return;
    switch (statement.kind) {
      case "block":
        for (const one of statement.statements) this.#statement(one, scope);
        return;
      case "assignment":
        this.#tables(statement.right);
        this.#wait(assignmentText(statement), statement.span);
        return;
      case "declaration": {
        const { declaration } = statement;
        if (declaration.kind !== "variable" || declaration.initializer === undefined) return;
        this.#tables(declaration.initializer);
        this.#wait(`${declaration.name.name} = ${printExpression(declaration.initializer)}`, statement.span);
        return;
      }
      case "callStatement":
        this.#call(statement.call, statement.span);
        return;
      case "if":
        this.#if(statement, scope);
        return;
      case "switch":
        this.#switch(statement, scope);
        return;
      case "for":
      case "forIn":
        this.#loop(statement, scope);
        return;
      case "return":
        this.#tables(statement.value);
        scope.returns.push(...this.#leave());
        return;
      case "exit":
        this.graph.open = this.#leave();
        this.graph.closeAt(this.#exit);
        return;
      case "break":
        scope.breaks.push(...this.#leave());
        return;
      case "continue":
        scope.continues.push(...this.#leave());
        return;
      case "empty":
        return;
    }
  }

  #call(call: ast.CallExpression, span: ast.Statement["span"]): void {
    const { resolved } = call;
    switch (resolved?.kind) {
      case "tableApply":
        this.#table(resolved.declaration, span);
        return;
      case "controlApply":
        this.#control(resolved.declaration, objectName(resolved.object), span);
        return;
      case "action":
        this.#action(resolved.declaration.name.name, resolved.declaration, span);
        return;
      default:
        for (const { value } of call.args) this.#tables(value);
        this.#wait(printExpression(call), span);
    }
  }

  #control(control: Control, name: string, span: ast.Statement["span"]): void {
    this.#flush();
    if (this.calls || control.body === undefined) {
      this.graph.add("call", [`${this.graph.qualified(name)}.apply`], span);
      return;
    }
    this.graph.inCluster(name, () => this.#body(control.body?.apply));
  }

  #action(name: string, action: ast.ActionDeclaration | undefined, span: ast.Statement["span"]): void {
    this.#flush();
    this.graph.add("action", [name], span);
    this.#body(action?.body);
  }

  /** The tables that an expression applies, before the node that uses the result. */
  #tables(expression: ast.Expression | undefined): void {
    for (const { resolved, span } of tableCalls(expression))
      if (resolved?.kind === "tableApply") this.#table(resolved.declaration, span);
  }

  #table(table: ast.TableDeclaration, span: ast.Statement["span"]): void {
    this.#flush();
    this.graph.add("table", [this.graph.qualified(table.name.name)], span);
    const key = table.properties.find((one) => one.kind === "key");
    if (key !== undefined && key.elements.length > 0)
      this.graph.add(
        "key",
        key.elements.map((one) => `${one.matchKind.name}: ${keyText(one)}`),
        key.span,
      );
    const before = this.graph.open;
    const after: OpenEdge[] = [];
    for (const property of table.properties)
      if (property.kind === "actions")
        for (const ref of property.actions) {
          this.graph.open = before;
          this.#action(ref.name.name, ref.declaration, ref.span);
          after.push(...this.graph.open);
        }
    if (runsNoAction(table)) {
      this.graph.open = before;
      this.#action(NO_ACTION, undefined, table.name.span);
      after.push(...this.graph.open);
    }
    this.graph.open = after;
  }

  #if(statement: ast.IfStatement, scope: Scope): void {
    const { condition, whenTrue, whenFalse, span } = statement;
    this.#tables(condition);
    this.#flush();
    const node = this.graph.add("condition", [printExpression(condition)], span);
    const after: OpenEdge[] = [];
    for (const [label, branch] of [
      ["TRUE", whenTrue],
      ["FALSE", whenFalse],
    ] as const) {
      this.graph.open = [{ from: node, label }];
      if (branch !== undefined) this.#statement(branch, scope);
      after.push(...this.#leave());
    }
    this.graph.open = after;
  }

  #switch(statement: ast.SwitchStatement, scope: Scope): void {
    this.#tables(statement.subject);
    this.#flush();
    const text = isActionRun(statement.subject) ? "action_run" : printExpression(statement.subject);
    const node = this.graph.add("switch", [`switch: ${text}`], statement.span);
    const after: OpenEdge[] = [];
    let entering: OpenEdge[] = [];
    let hasDefault = false;
    for (const { label, body } of statement.cases) {
      hasDefault ||= label.kind === "default";
      const text = label.kind === "default" ? "default" : printExpression(label);
      entering.push({ from: node, label: text });
      // A label without body falls through to the next one.
      if (body === undefined) continue;
      this.graph.open = entering;
      entering = [];
      this.#statement(body, scope);
      after.push(...this.#leave());
    }
    if (!hasDefault) after.push({ from: node, label: "default" });
    this.graph.open = [...after, ...entering];
  }

  #loop(statement: ast.ForStatement | ast.ForInStatement, scope: Scope): void {
    if (statement.kind === "for") for (const one of statement.init) this.#statement(one, scope);
    this.#flush();
    const text =
      statement.kind === "for"
        ? `for: ${printExpression(statement.condition)}`
        : `for: ${loopVariable(statement)} in ${printExpression(statement.collection)}`;
    const node = this.graph.add("condition", [text], statement.span);
    const inner: Scope = { returns: scope.returns, breaks: [], continues: [] };
    this.graph.open = [{ from: node, label: "TRUE" }];
    this.#statement(statement.body, inner);
    this.#flush();
    this.graph.open = [...this.graph.open, ...inner.continues];
    if (statement.kind === "for") for (const one of statement.update) this.#statement(one, inner);
    this.#flush();
    this.graph.closeAt(node);
    this.graph.open = [{ from: node, label: "FALSE" }, ...inner.breaks];
  }
}

const NO_ACTION = "NoAction";

/** Whether a miss runs the NoAction of core.p4 although the table does not list it (specification 14.2.1.3); p4c adds it to the list. */
function runsNoAction({ properties }: ast.TableDeclaration): boolean {
  return !properties.some(
    (one) =>
      (one.kind === "property" && one.name.name === "default_action") ||
      (one.kind === "actions" && one.actions.some(({ name }) => name.name === NO_ACTION)),
  );
}

function assignmentText({ left, op, right }: ast.AssignmentStatement): string {
  return `${printExpression(left)} ${op ?? ""}= ${printExpression(right)}`;
}

/** The instance, or the type of a control that is applied without one. */
function objectName(object: ast.Expression): string {
  return printExpression(object);
}

/** A key as the control plane knows it: its `@name`, or its expression. */
function keyText({ annotations, expression }: ast.KeyElement): string {
  const value = annotations.find(({ name }) => name === "name")?.body;
  const text = value?.kind === "unstructured" ? value.values?.[0] : undefined;
  return text?.kind === "stringLiteral" ? text.value : printExpression(expression);
}

function loopVariable({ variable }: ast.ForInStatement): string {
  return variable.kind === "variable" ? variable.name.name : printExpression(variable);
}
