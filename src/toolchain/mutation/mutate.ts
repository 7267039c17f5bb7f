/** Finds all mutants of a program by its syntax tree. */
import { type Diagnostics, type SourceFile, type Span, spanText } from "../../base/index.js";
import { analyse, type ast, type CompileInput, partsOf, sourceOf } from "../p4/index.js";
import {
  acceptInstead,
  binaryChanges,
  boolChange,
  type Change,
  conditionChanges,
  constantChanges,
  elementsLeftOut,
  enumChange,
  leftOut,
  numberLike,
  quoted,
  statementLeftOut,
  unaryChange,
} from "./changes.js";
import type { Mutant } from "./mutant.js";

/**
 * All mutants of a program's own file, in the order of their places. Included files, types, annotations, and the sizes of tables and
 * of externs stay as they are: sizes are resources, not behaviour. A mutant may fail to compile. Empty if the program has errors,
 * which are added to `diagnostics`.
 */
export function mutantsOf(
  file: SourceFile,
  options: Pick<CompileInput, "resolveInclude" | "defines">,
  diagnostics: Diagnostics,
): Mutant[] {
  const { unit } = analyse(file, options, diagnostics);
  if (diagnostics.hasErrors) return [];
  const visitor = new Visitor(file);
  for (const declaration of unit.declarations) visitor.visit(declaration, "");
  visitor.macros();
  return named(visitor.found);
}

interface Found extends Change {
  readonly part: string;
}

function named(found: readonly Found[]): Mutant[] {
  const counts = new Map<string, number>();
  return found
    .toSorted((a, b) => a.span.start - b.span.start || a.span.end - b.span.end)
    .map(({ kind, part, words, span, replacement }) => {
      const base = `${part}: ${words}`;
      const count = (counts.get(base) ?? 0) + 1;
      counts.set(base, count);
      return {
        kind,
        part,
        change: words,
        name: count === 1 ? base : `${base} (${count})`,
        span,
        replacement,
      };
    });
}

type Node = { readonly kind?: string; readonly span?: Span };

/** Nodes of types: their widths stay. */
const TYPES: ReadonlySet<string> = new Set<ast.TypeExpression["kind"]>([
  "namedType",
  "bitType",
  "baseType",
  "stackType",
  "tupleType",
  "listType",
]);

/** Properties of tables that are resources. */
const RESOURCES = new Set(["size"]);

class Visitor {
  readonly found: Found[] = [];
  readonly #seen = new Set<string>();

  constructor(readonly file: SourceFile) {}

  /** @param part where the node is: the names of the declarations around it */
  visit(value: unknown, part: string): void {
    if (typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) {
      for (const item of value) this.visit(item, part);
      return;
    }
    const node = value as Node;
    if (isAnnotation(value) || TYPES.has(node.kind ?? "")) return;
    const { span } = node;
    if (span !== undefined && sourceOf(span.file) !== this.file) return;
    if (node.kind === "property" && RESOURCES.has((value as ast.ExpressionProperty).name.name)) return;
    if (this.#declaration(node as ast.Declaration, part)) return;
    this.#changes(node, part);
    for (const child of partsOf(value)) this.visit(child, part);
  }

  /** Constants that the preprocessor replaces: macros whose text is one number. */
  macros(): void {
    for (const match of this.file.text.matchAll(
      /^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+((?:\d+[ws])?(?:0x[\da-f]+|\d+))[ \t]*$/gim,
    )) {
      const [whole, name, text] = match as unknown as [string, string, string];
      const end = match.index + whole.trimEnd().length;
      const span = { file: this.file, start: end - text.length, end };
      const value = BigInt(text.replace(/^\d+[ws]/i, ""));
      this.#add(name, {
        kind: "constant",
        span,
        replacement: numberLike(text, value + 1n),
        words: `${quoted(text)} becomes ${quoted(numberLike(text, value + 1n))}`,
      });
    }
  }

  #add(part: string, ...changes: readonly Change[]): void {
    for (const change of changes) {
      const { start, end } = change.span;
      // Two nodes of one macro have the same span.
      const key = `${start} ${end} ${change.replacement}`;
      if (this.#seen.has(key) || sourceOf(change.span.file) !== this.file) continue;
      this.#seen.add(key);
      this.found.push({ ...change, span: { file: this.file, start, end }, part });
    }
  }

  /** Visits a declaration that gives its parts a name, or that stays as it is. Returns whether it did. */
  #declaration(node: ast.Declaration, part: string): boolean {
    const inside = (name: string): string => (part === "" ? name : `${part}.${name}`);
    switch (node.kind) {
      case "control":
        this.visit(node.body?.locals, node.name.name);
        this.visit(node.body?.apply, `${node.name.name}.apply`);
        return true;
      case "parser":
        this.visit(node.body, node.name.name);
        return true;
      case "action":
      case "function":
        this.visit(node.body, inside(node.name.name));
        return true;
      case "state":
        this.visit(node.statements, inside(node.name.name));
        this.#transition(node.transition, inside(node.name.name));
        return true;
      case "table":
        this.visit(node.properties, inside(node.name.name));
        return true;
      case "constant":
        this.visit(node.initializer, inside(node.name.name));
        return true;
      case "instance":
        this.#instance(node, inside(node.name.name));
        return true;
      case "struct":
      case "header":
        for (const field of node.fields)
          if (field.typeExpression.kind === "stackType")
            this.visit(field.typeExpression.size, inside(node.name.name));
        return true;
      case "enum":
      case "error":
      case "extern":
      case "headerUnion":
      case "matchKind":
      case "package":
      case "typedef":
      case "valueSet":
        return true;
      default:
        return false;
    }
  }

  /** Of an extern's arguments only its kinds change; numbers are sizes. */
  #instance({ args, body }: ast.InstanceDeclaration, part: string): void {
    for (const { value } of args) if (value.kind === "member") this.#add(part, ...enumChange(value));
    this.visit(body, part);
  }

  #transition(transition: ast.Transition | undefined, part: string): void {
    if (transition?.kind === "direct") this.#add(part, ...acceptInstead(transition.next, "the state"));
    if (transition?.kind !== "select") return;
    this.visit(transition.keys, part);
    for (const { span, keySet, next } of transition.cases) {
      this.#add(
        part,
        leftOut(span, "case"),
        ...acceptInstead(next, `the case ${quoted(spanText(span).split(":")[0]!)}`),
      );
      this.visit(keySet, part);
    }
  }

  #changes(value: Node, part: string): void {
    const node = value as ast.Statement | ast.Expression | ast.TableProperty;
    switch (node.kind) {
      case "block":
        for (const statement of node.statements) this.#statement(statement, part, false);
        return;
      case "if":
        this.#add(part, ...conditionChanges(node.condition));
        for (const branch of [node.whenTrue, node.whenFalse])
          if (branch !== undefined) this.#statement(branch, part, true);
        return;
      case "switch":
        for (const { span } of node.cases) this.#add(part, leftOut(span, "case"));
        return;
      case "for":
        this.#add(part, ...conditionChanges(node.condition));
        return;
      case "conditional":
        this.#add(part, ...conditionChanges(node.condition));
        return;
      case "key":
        this.#add(part, ...elementsLeftOut(node.elements, "key", "the key"));
        return;
      case "entries":
        for (const { span } of node.entries) this.#add(part, leftOut(span, "entry"));
        return;
      case "property":
        this.#property(node, part);
        return;
      default:
        this.#expression(node as ast.Expression, part);
    }
  }

  #property({ span, value }: ast.ExpressionProperty, part: string): void {
    // A table without a default action has NoAction (section 14.2.1.4).
    if (/\bNoAction\b/.test(spanText(value.span))) return;
    this.#add(part, leftOut(span, "property"));
  }

  #statement(statement: ast.Statement, part: string, isNeeded: boolean): void {
    const isWhole = [
      "assignment",
      "callStatement",
      "return",
      "exit",
      "break",
      "continue",
      "for",
      "forIn",
      "switch",
    ];
    if (isWhole.includes(statement.kind)) this.#add(part, statementLeftOut(statement, isNeeded));
  }

  #expression(node: ast.Expression, part: string): void {
    switch (node.kind) {
      case "intLiteral":
        this.#add(part, ...constantChanges(node));
        return;
      case "boolLiteral":
        this.#add(part, ...boolChange(node));
        return;
      case "member":
        this.#add(part, ...enumChange(node));
        return;
      case "binary":
        this.#add(part, ...binaryChanges(node));
        return;
      case "unary":
        this.#add(part, ...unaryChange(node));
        return;
      case "call":
        for (const { value } of node.args)
          if (value.kind === "list")
            this.#add(part, ...elementsLeftOut(value.elements, "element", "the list"));
    }
  }
}

/** Annotations describe; they are the only nodes whose name is a text. */
const isAnnotation = (value: object): boolean =>
  "body" in value && "name" in value && typeof value.name === "string";
