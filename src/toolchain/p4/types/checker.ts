/** The state of one run of the checker while it walks the program: scopes, the present place, messages. */
import { closest, Diagnostics, defined, type Note, type Span } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { filesDeclaring, insteadOnTofino } from "../stdlib/index.js";
import type {
  ActionDeclaration,
  ControlDeclaration,
  Declaration,
  EnumMember,
  Expression,
  Identifier,
  ParserDeclaration,
  TableDeclaration,
} from "../syntax/ast.js";
import { contains, typeToString } from "./algebra.js";
import { Scope } from "./scope.js";
import type { ConstantValue, Type } from "./type.js";

/** What the checker is inside of. It decides which calls and statements are allowed (appendix F of the specification). */
export type PlaceKind =
  | "top"
  | "parserLocals"
  | "state"
  | "controlLocals"
  | "apply"
  | "action"
  | "function"
  | "abstractMethod"
  | "tableKey"
  | "tableProperty"
  /** The arguments of an action in a table's list, its default action or an entry. */
  | "actionArguments";

export interface Place {
  kind: PlaceKind;
  /** The parser or control around. */
  owner: ParserDeclaration | ControlDeclaration | undefined;
  /** In a function or method: what it returns. */
  returns: Type | undefined;
  /** The declaration whose body this is, for the recursion rule. */
  inside: Declaration | undefined;
}

const TOP: Place = { kind: "top", owner: undefined, returns: undefined, inside: undefined };

export class Checker {
  readonly globals = new Scope(undefined);
  scope: Scope = this.globals;
  place: Place = TOP;
  /** How many loops are around the statement. */
  loops = 0;
  /** The extern type that `this` stands for, in an abstract method's implementation. */
  thisType: Type | undefined;
  readonly errors: EnumMember[] = [];
  readonly errorByName = new Map<string, EnumMember>();
  readonly matchKinds: EnumMember[] = [];
  readonly matchKindByName = new Map<string, EnumMember>();
  /** Types that declarations stand for. */
  readonly declaredTypes = new Map<Declaration, Type>();
  /** Top-level declarations by name, also those further down, for the hint in "not declared". */
  readonly upcoming = new Map<string, Declaration>();
  /** Tables applied anywhere. */
  readonly appliedTables = new Set<TableDeclaration>();
  /** Objects of which a note has said that their declaration leaves a type open. */
  readonly leftOpen = new Set<Declaration>();
  /** The program is for a Tofino architecture: its annotations are checked, and what older compilers took is taken. */
  forTofino = false;
  /** Properties of tables that only this program's architecture has begin so. */
  propertyPrefix: string | undefined = undefined;
  /** Names of annotations without effect of which a note has been given. */
  readonly ignoredAnnotations = new Set<string>();
  /** Actions that a table names or a statement calls. */
  readonly usedActions = new Set<ActionDeclaration>();
  /** The declaration a value name stands for when it is a constructor parameter. */
  readonly constructorParameters = new Set<Declaration>();

  /** Loop variables that the body must not write. */
  readonly readOnly = new Set<Declaration>();
  /** Values of the members of serialisable enums. */
  readonly enumValues = new Map<EnumMember, ConstantValue>();
  /** Types of the members of serialisable enums. */
  readonly memberTypes = new Map<EnumMember, Type>();
  /** The expression of the switch statement being checked: the one place for `action_run`. */
  switchSubject: Expression | undefined;

  /** How many constructor calls are around the expression. */
  constructing = 0;

  /** Arguments whose types were looked at to choose an overload: once each, or nested calls would take exponential time. */
  readonly typedForOverload = new Set<Expression>();

  constructor(
    public diagnostics: Diagnostics,
    /** Whether what only older compilers took is refused, too. */
    readonly strict: boolean,
  ) {}

  /** Runs a check whose messages come again when it is run for good. */
  silently(body: () => void): void {
    const outer = this.diagnostics;
    this.diagnostics = new Diagnostics();
    try {
      body();
    } finally {
      this.diagnostics = outer;
    }
  }

  error(code: string, span: Span | undefined, message: string, ...notes: (Note | string)[]): void {
    this.diagnostics.error(code, span, message, ...notes);
  }

  warning(code: string, span: Span | undefined, message: string, ...notes: (Note | string)[]): void {
    this.diagnostics.warning(code, span, message, ...notes);
  }

  info(code: string, span: Span | undefined, message: string, ...notes: (Note | string)[]): void {
    this.diagnostics.info(code, span, message, ...notes);
  }

  /** Runs `body` in a new innermost scope. */
  scoped<T>(body: () => T): T {
    return this.scopedIn(this.scope, body);
  }

  /** Runs `body` in a new scope inside of `parent`. */
  scopedIn<T>(parent: Scope, body: () => T): T {
    const outer = this.scope;
    this.scope = new Scope(parent);
    try {
      return body();
    } finally {
      this.scope = outer;
    }
  }

  /** Runs `body` as standing at another place. */
  at<T>(place: Partial<Place>, body: () => T): T {
    const outer = this.place;
    this.place = { ...outer, ...place };
    try {
      return body();
    } finally {
      this.place = outer;
    }
  }

  /** Puts a declaration into the innermost scope; functions may share a name, anything else may not. */
  declare(declaration: Declaration): void {
    const { name } = declaration;
    const names = this.scope.names;
    const existing = names.get(name.name);
    if (existing === undefined) {
      names.set(name.name, [declaration]);
      if (
        declaration.kind !== "parameter" &&
        declaration.kind !== "typeParameter" &&
        this.scope !== this.globals
      )
        this.#forbidShadowing(declaration);
      return;
    }
    const first = defined(existing[0]);
    if (
      declaration.kind === "function" &&
      existing.every((other) => other.kind === "function" && !sameParameterNames(other, declaration))
    ) {
      existing.push(declaration);
      return;
    }
    this.duplicate(name, first.name);
  }

  /** In a body, a declaration must not hide a parameter; among a parser's or control's own it is only odd. */
  #forbidShadowing(declaration: Declaration): void {
    const { name } = declaration;
    for (let scope = this.scope.parent; scope !== undefined; scope = scope.parent) {
      const other = scope.names.get(name.name)?.[0];
      if (other === undefined) continue;
      if (other.kind !== "parameter") {
        const note = { message: "it is declared here", span: other.name.span };
        this.warning(
          CODES.hidesDeclaration,
          name.span,
          `'${name.name}' hides another declaration of the same name`,
          note,
        );
        return;
      }
      const note = { message: "the parameter is declared here", span: other.name.span };
      const message = `'${name.name}' hides a parameter of the same name`;
      if (this.place.kind === "parserLocals" || this.place.kind === "controlLocals")
        this.warning(CODES.hidesParameter, name.span, message, note);
      else this.error(CODES.declaredTwice, name.span, message, note);
      return;
    }
  }

  duplicate(name: Identifier, first: Identifier): void {
    this.error(CODES.declaredTwice, name.span, `'${name.name}' is declared twice`, {
      message: "the first declaration is here",
      span: first.span,
    });
  }

  /** Reports a name that nothing in sight has. */
  notDeclared(name: Identifier, what = "name"): void {
    this.notDeclaredAmong(name, what, this.scope.visible());
  }

  /** The same with the names that could have been meant. */
  notDeclaredAmong(name: Identifier, what: string, candidates: Iterable<string>): void {
    const later = this.upcoming.get(name.name);
    if (later !== undefined) {
      this.error(CODES.undeclaredName, name.span, `'${name.name}' is used before its declaration`, {
        message: "it is declared here; a declaration must come before its uses",
        span: later.name.span,
      });
      return;
    }
    this.error(
      CODES.undeclaredName,
      name.span,
      `no ${what} '${name.name}' is declared here`,
      ...hint(closest(name.name, candidates)),
      ...this.missingInclude(name.name),
    );
  }

  /** The note that library files declare a name which this program does not include, or what a Tofino has in its place; each note once. */
  private missingInclude(name: string): string[] {
    const present = new Set<string>();
    for (const declarations of this.globals.names.values())
      for (const { span } of declarations) present.add(span.file.path);
    const files = filesDeclaring(name, present);
    const instead = insteadOnTofino(name, present);
    if (files.length === 0 && instead === undefined) return [];
    const note =
      instead === undefined
        ? `declared in ${files.join(", ")}, which this program does not include`
        : `${name} is a name of v1model; on a Tofino ${instead}`;
    const said = this.diagnostics.list.some(({ notes }) => notes.some(({ message }) => message === note));
    return said ? [] : [note];
  }

  /** Warns of a call to something marked `@deprecated`. */
  deprecated(declaration: Declaration, span: Span): void {
    const mark = declaration.annotations.find((annotation) => annotation.name === "deprecated");
    if (mark === undefined) return;
    const text = mark.body.kind === "unstructured" ? mark.body.values?.[0] : undefined;
    const advice = text?.kind === "stringLiteral" ? [text.value] : [];
    this.warning(CODES.deprecated, span, `'${declaration.name.name}' is deprecated`, ...advice);
  }

  /** Reports `found` where `expected` is needed, unless either was reported before. */
  mismatch(span: Span, expected: Type, found: Type, what: string, ...notes: (Note | string)[]): void {
    if (isUnknown(expected) || isUnknown(found)) return;
    const [want, have] = [typeToString(expected), typeToString(found)];
    this.error(
      CODES.wrongType,
      span,
      `${what} must be of type ${want}, this is ${have === want ? `another ${have}` : have}`,
      ...notes,
    );
  }
}

/** Functions of the same name must differ in the number or the names of their parameters (section 7.2.9.2). */
function sameParameterNames(
  a: Extract<Declaration, { kind: "function" }>,
  b: Extract<Declaration, { kind: "function" }>,
): boolean {
  if (a.params.length !== b.params.length) return false;
  const names = new Set(a.params.map((param) => param.name.name));
  return b.params.every((param) => names.has(param.name.name));
}

export function hint(near: string | undefined): string[] {
  return near === undefined ? [] : [`did you mean '${near}'?`];
}

/** Whether a type is something already reported, or a literal of such things. */
export function isUnknown(type: Type): boolean {
  if (type.kind === "unknown") return true;
  if (type.kind === "tuple") return type.elements.some(isUnknown);
  if (type.kind === "set" || type.kind === "list" || type.kind === "stack") return isUnknown(type.element);
  if (type.kind === "structLiteral") return type.fields.some((field) => isUnknown(field.type));
  return false;
}

/** The same at any depth of declared types too. */
export function holdsUnknown(type: Type): boolean {
  return contains(type, (inner) => inner.kind === "unknown");
}
