/** The changes that a program offers: one walk over its tree. */
import { type SourceFile, type Span, spanText } from "../../base/index.js";
import { type ast, partsOf } from "../p4/index.js";
import { dividedArgument, dividedAssignment } from "./arithmetic.js";
import { areApart, effectsOf } from "./effects.js";
import { placeOf } from "./own-text.js";
import { areTexts, ownSpan, type Rewrite, textOf } from "./rewrite.js";
import { exitingNames } from "./tables.js";

/** Pragmas that only ask for a place, so that a program without them does the same. */
const PLACE_PRAGMAS =
  /^(stage|placement_priority|ternary|pack|ways|use_hash_action|pa_(no_overlay|solitary|container_size|container_type|no_init|no_pack|atomic|byte_pack|mutually_exclusive|alias|prioritize))$/;

/** All changes of a program's own file, in the order of their places. */
export function candidatesOf(file: SourceFile, unit: ast.SourceUnit): Rewrite[] {
  const finder = new Finder(file, exitingNames(unit));
  for (const declaration of unit.declarations) finder.visit(declaration, false);
  const found = finder.found.toSorted((a, b) => a.span.start - b.span.start || a.span.end - b.span.end);
  const pragmas = found.filter(({ kind }) => kind === "pragma");
  return [
    ...together(pragmas),
    ...found.filter((one) => !pragmas.includes(one) || pragmas.length <= MAX_PRAGMAS),
  ];
}

/** Pragmas that are left out one at a time; of more, only all of them, and all with one name. */
const MAX_PRAGMAS = 8;

function together(pragmas: readonly Rewrite[]): Rewrite[] {
  const nameOf = ({ span }: Rewrite) => /^@(?:pragma\s+)?(\w+)/.exec(spanText(span))?.[1] ?? "";
  const names = [...new Set(pragmas.map(nameOf))];
  const groups = [
    pragmas,
    ...(names.length < 2 ? [] : names.map((name) => pragmas.filter((one) => nameOf(one) === name))),
  ];
  return groups.flatMap((group, at) => {
    const [first, ...more] = group;
    if (first === undefined || more.length === 0) return [];
    const which =
      at === 0 && names.length > 1
        ? `pragmas (${names.map((name) => `@${name}`).join(", ")})`
        : `@${nameOf(first)}`;
    return [{ ...first, words: `${placeOf(first.span)}: without the ${group.length} ${which}`, more }];
  });
}

class Finder {
  readonly found: Rewrite[] = [];
  readonly #seen = new Set<string>();
  #names = 0;

  constructor(
    readonly file: SourceFile,
    /** What a statement calls and must not change places with. */
    readonly exiting: ReadonlySet<string>,
  ) {}

  visit(value: unknown, isInAction: boolean): void {
    if (typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) {
      for (const item of value) this.visit(item, isInAction);
      return;
    }
    const node = value as { kind?: string; span?: Span; annotations?: readonly ast.Annotation[] };
    if (node.span !== undefined && ownSpan(this.file, { span: node.span }) === undefined) return;
    for (const annotation of node.annotations ?? []) this.#pragma(annotation);
    if (node.kind === "parser" || node.kind === "function") return;
    if (node.kind === "assignment") {
      const divided = dividedAssignment(
        this.file,
        node as ast.AssignmentStatement,
        () => this.#fresh(),
        isInAction,
      );
      this.#add(divided);
    }
    if (node.kind === "assignment" || node.kind === "callStatement" || node.kind === "declaration")
      this.#add(dividedArgument(this.file, node as ast.Statement, () => this.#fresh()));
    else if (node.kind === "if") this.#add(this.#nested(node as ast.IfStatement));
    else if (node.kind === "table") this.#table(node as ast.TableDeclaration);
    else if (node.kind === "block" && !isInAction) this.#order(node as ast.BlockStatement);
    for (const child of partsOf(value)) this.visit(child, isInAction || node.kind === "action");
  }

  #add(rewrite: Rewrite | undefined): void {
    if (rewrite === undefined) return;
    // Nodes of one macro have the same span.
    const key = `${rewrite.span.start} ${rewrite.span.end} ${rewrite.replacement}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.found.push(rewrite);
  }

  /** A name that the text does not contain. */
  #fresh(): string {
    let name: string;
    do name = `part_${++this.#names}`;
    while (this.file.text.includes(name));
    return name;
  }

  #pragma(annotation: ast.Annotation): void {
    const { name } = annotation;
    const span = ownSpan(this.file, annotation);
    if (span === undefined || !PLACE_PRAGMAS.test(name)) return;
    const words = `${placeOf(span)}: without ${textOf(annotation).split("\n")[0]}`;
    this.#add({ kind: "pragma", words, span, replacement: "" });
  }

  /** `if (a && b)` without an else is `if (a) { if (b) }`: `b` is looked at where `a` holds, as before (P4-16 8.5). */
  #nested({ condition, whenTrue, whenFalse, span: whole }: ast.IfStatement): Rewrite | undefined {
    const span = ownSpan(this.file, { span: whole });
    if (span === undefined || whenFalse !== undefined) return undefined;
    if (condition.kind !== "binary" || condition.op !== "&&") return undefined;
    if (!areTexts(condition.left, condition.right)) return undefined;
    const [left, right] = [textOf(condition.left), textOf(condition.right)];
    const replacement = `if (${left}) { if (${right}) ${textOf(whenTrue)} }`;
    return {
      kind: "branch",
      words: `${placeOf(span)}: two conditions in place of ${left} && …`,
      span,
      replacement,
    };
  }

  #table(table: ast.TableDeclaration): void {
    for (const property of table.properties) {
      if (property.kind === "property" && property.name.name === "size") this.#size(table, property);
      if (property.kind === "key") this.#keys(table, property);
    }
  }

  #size({ name }: ast.TableDeclaration, { value }: ast.ExpressionProperty): void {
    const span = ownSpan(this.file, value);
    const size = value.constant?.kind === "integer" ? value.constant.value : undefined;
    if (span === undefined || size === undefined || size < 2n) return;
    for (const part of [2n, 4n, 8n]) {
      const smaller = size / part;
      if (smaller < 1n) continue;
      const words = `${placeOf(span)}: table ${name.name} with ${smaller} entries instead of ${size}`;
      this.#add({ kind: "size", words, span, replacement: String(smaller) });
    }
  }

  /** Only entries of the program are in a table whose entries are const, so that no controller sees the kinds of its keys. */
  #keys(table: ast.TableDeclaration, { elements }: ast.KeyProperty): void {
    const entries = table.properties.find((property) => property.kind === "entries");
    if (entries?.kind !== "entries" || !entries.isConst || entries.entries.length === 0) return;
    const isValue = (key: ast.Expression) => key.constant !== undefined;
    for (const [at, { matchKind, expression }] of elements.entries()) {
      const span = ownSpan(this.file, matchKind);
      const areValues = entries.entries.every(({ keys }) => keys[at] !== undefined && isValue(keys[at]));
      if (span === undefined || !areValues) continue;
      const other = { ternary: "exact", exact: "ternary" }[matchKind.name];
      if (other === undefined) continue;
      const words = `${placeOf(span)}: key ${textOf(expression)} of table ${table.name.name} is ${other}`;
      this.#add({ kind: "key", words, span, replacement: other });
    }
  }

  #mayExit(statement: ast.Statement): boolean {
    return [...textOf(statement).matchAll(/\w+/g)].some(([word]) => this.exiting.has(word));
  }

  /** Neighbours in a block in the other order; whether they are independent, fit's dependencies say (advise.ts). */
  #order({ statements }: ast.BlockStatement): void {
    for (const [at, first] of statements.entries()) {
      const second = statements[at + 1];
      if (second === undefined || !mayMove(first) || !mayMove(second)) continue;
      if ([first, second].some((one) => this.#mayExit(one))) continue;
      const [mine, theirs] = [effectsOf([first]), effectsOf([second])];
      if (mine === undefined || theirs === undefined || !areApart(mine, theirs)) continue;
      const [a, b] = [ownSpan(this.file, first), ownSpan(this.file, second)];
      if (a === undefined || b === undefined || a.end > b.start) continue;
      const between = this.file.text.slice(a.end, b.start);
      if (between.trim() !== "") continue;
      const span = { file: this.file, start: a.start, end: b.end };
      const words = `${placeOf(a)} and ${placeOf(b)} in the other order`;
      const replacement = spanText(b) + between + spanText(a);
      this.#add({ kind: "order", words, span, replacement, halves: [a, b] });
    }
  }
}

/** Nothing in the statement's own text ends the control or declares a name. */
function mayMove(statement: ast.Statement): boolean {
  if (!["if", "switch", "assignment", "callStatement"].includes(statement.kind)) return false;
  return !/\b(exit|return|hash|random|digest|clone|resubmit|recirculate)\b/.test(textOf(statement));
}
