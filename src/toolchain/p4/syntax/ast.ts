/**
 * The syntax tree of P4-16 (specification 1.2.5, appendix G "P4 grammar"). The parser builds it; the checker
 * writes what it finds into the fields marked "checker", and nothing else is ever changed in it.
 * Every node has the span of its own text; a node that came out of a macro has the span of the macro's use.
 */
import type { Span } from "../../../base/index.js";
import type { BoundArguments, ResolvedCall, ResolvedMember } from "../types/resolution.js";
import type { ConstantValue, Type } from "../types/type.js";

export interface Identifier {
  name: string;
  span: Span;
}

/** `@name`, `@name(tokens)`, `@name[expr, ...]` or `@name[key = value, ...]` (section 18.2). */
export interface Annotation {
  name: string;
  span: Span;
  body:
    | { kind: "none" }
    /**
     * `text` is what stood between the parentheses, one space between tokens (as p4c writes it to P4Info);
     * `values` is it parsed as expressions or types where that is possible.
     */
    | { kind: "unstructured"; text: string; values: Expression[] | undefined }
    | { kind: "expressions"; values: Expression[] }
    | { kind: "pairs"; pairs: { key: Identifier; value: Expression }[] };
}

// ---------------------------------------------------------------- types as written

export type TypeExpression = NamedType | BitType | BaseType | StackType | TupleType | ListType;

interface TypeExpressionBase {
  span: Span;
  /** Set by the checker: the type that it denotes. */
  type?: Type;
}

/** `T`, `.T`, `T<A, B>`. */
export interface NamedType extends TypeExpressionBase {
  kind: "namedType";
  absolute: boolean;
  name: Identifier;
  args: TypeExpression[];
  /** Checker: what the name refers to. */
  declaration?: Declaration;
}

/** `bit<W>`, `int<W>`, `varbit<W>`; `bit` alone is `bit<1>` (width undefined), `int` alone is `int`. */
export interface BitType extends TypeExpressionBase {
  kind: "bitType";
  base: "bit" | "int" | "varbit";
  width: Expression | undefined;
}

interface BaseType extends TypeExpressionBase {
  kind: "baseType";
  name: "bool" | "error" | "match_kind" | "string" | "void" | "_";
}

interface StackType extends TypeExpressionBase {
  kind: "stackType";
  element: TypeExpression;
  size: Expression;
}

interface TupleType extends TypeExpressionBase {
  kind: "tupleType";
  elements: TypeExpression[];
}

/** `list<T>`. */
interface ListType extends TypeExpressionBase {
  kind: "listType";
  element: TypeExpression;
}

// ---------------------------------------------------------------- expressions

export type Expression =
  | IntLiteral
  | BoolLiteral
  | StringLiteral
  | PathExpression
  | TypeNameExpression
  | MemberExpression
  | IndexExpression
  | SliceExpression
  | UnaryExpression
  | BinaryExpression
  | ConditionalExpression
  | CastExpression
  | CallExpression
  | ListExpression
  | StructExpression
  | InvalidExpression
  | ThisExpression
  | MaskExpression
  | RangeExpression
  | DefaultExpression
  | DontCareExpression
  | DotsExpression;

interface ExpressionBase {
  span: Span;
  /** Checker: the type; inside a generic declaration it may hold type variables. */
  type?: Type;
  /** Checker: the value, where the expression is a compile-time known constant. */
  constant?: ConstantValue | undefined;
  /** Checker: the type that the place of the value needs, when that is not `type` (implicit casts, section 8.11.2). */
  implicitCast?: Type;
}

/** `10`, `8w10`, `4s0xF`. */
export interface IntLiteral extends ExpressionBase {
  kind: "intLiteral";
  value: bigint;
  width: number | undefined;
  signed: boolean;
  /** As written: keeps the base. */
  text: string;
}

interface BoolLiteral extends ExpressionBase {
  kind: "boolLiteral";
  value: boolean;
}

interface StringLiteral extends ExpressionBase {
  kind: "stringLiteral";
  value: string;
}

/** A name in an expression: `x`, `.x`. */
export interface PathExpression extends ExpressionBase {
  kind: "path";
  absolute: boolean;
  name: Identifier;
  /** Set by the checker: the declaration of the name. */
  declaration?: Declaration;
}

/** A type in the place of an expression: in `E.member`, `error.X`, `Type.apply()`, or as a constructor `T<A>(...)`. */
interface TypeNameExpression extends ExpressionBase {
  kind: "typeName";
  typeExpression: TypeExpression;
}

export interface MemberExpression extends ExpressionBase {
  kind: "member";
  base: Expression;
  member: Identifier;
  /** Checker. */
  resolved?: ResolvedMember;
}

export interface IndexExpression extends ExpressionBase {
  kind: "index";
  base: Expression;
  index: Expression;
}

/** `base[high:low]`. */
export interface SliceExpression extends ExpressionBase {
  kind: "slice";
  base: Expression;
  high: Expression;
  low: Expression;
  /** Present when written as `base[low+:width]`; `high` is then `low + width - 1`, added by the parser. */
  width?: Expression;
}

export interface UnaryExpression extends ExpressionBase {
  kind: "unary";
  op: "!" | "~" | "-" | "+";
  operand: Expression;
}

export type BinaryOperator =
  | "*"
  | "/"
  | "%"
  | "+"
  | "-"
  | "|+|"
  | "|-|"
  | "<<"
  | ">>"
  | "<"
  | ">"
  | "<="
  | ">="
  | "=="
  | "!="
  | "&"
  | "^"
  | "|"
  | "++"
  | "&&"
  | "||";

export interface BinaryExpression extends ExpressionBase {
  kind: "binary";
  op: BinaryOperator;
  left: Expression;
  right: Expression;
}

/** `condition ? whenTrue : whenFalse`. */
export interface ConditionalExpression extends ExpressionBase {
  kind: "conditional";
  condition: Expression;
  whenTrue: Expression;
  whenFalse: Expression;
}

export interface CastExpression extends ExpressionBase {
  kind: "cast";
  target: TypeExpression;
  operand: Expression;
}

/** `f(a)`, `x.m<T>(a)`, `T(args)` as a constructor call, `t.apply()`. */
export interface CallExpression extends ExpressionBase {
  kind: "call";
  callee: Expression;
  typeArgs: TypeExpression[];
  args: Argument[];
  /** Checker. */
  resolved?: ResolvedCall;
}

export interface Argument {
  span: Span;
  /** `name = value`. */
  name: Identifier | undefined;
  /** A `_` given for an out parameter is a {@link DontCareExpression}. */
  value: Expression;
}

/** `{ a, b }`, `(a, b)` in key sets; `dots` for a trailing `...`. */
export interface ListExpression extends ExpressionBase {
  kind: "list";
  elements: Expression[];
  dots: boolean;
  /** Given as `(T){...}`: the type; a plain cast in the syntax, kept as such by the parser. */
}

/** `{ f = a, g = b }`; `typeName` for `(T){ f = a }` is a cast around it. */
export interface StructExpression extends ExpressionBase {
  kind: "struct";
  fields: { name: Identifier; value: Expression }[];
  dots: boolean;
}

/** `{#}`: an invalid header or header union. */
interface InvalidExpression extends ExpressionBase {
  kind: "invalid";
}

interface ThisExpression extends ExpressionBase {
  kind: "this";
}

/** `value &&& mask`. */
export interface MaskExpression extends ExpressionBase {
  kind: "mask";
  value: Expression;
  mask: Expression;
}

/** `low .. high`. */
export interface RangeExpression extends ExpressionBase {
  kind: "range";
  low: Expression;
  high: Expression;
}

/** `default` in a select or switch. */
interface DefaultExpression extends ExpressionBase {
  kind: "default";
}

/** `_`. */
interface DontCareExpression extends ExpressionBase {
  kind: "dontCare";
}

/** `...` as a whole initialiser. */
interface DotsExpression extends ExpressionBase {
  kind: "dots";
}

// ---------------------------------------------------------------- declarations

export type Declaration =
  | ConstantDeclaration
  | VariableDeclaration
  | InstanceDeclaration
  | ActionDeclaration
  | TableDeclaration
  | ParserDeclaration
  | ControlDeclaration
  | PackageDeclaration
  | ExternDeclaration
  | FunctionDeclaration
  | StructLikeDeclaration
  | EnumDeclaration
  | ErrorDeclaration
  | MatchKindDeclaration
  | TypedefDeclaration
  | ValueSetDeclaration
  | StateDeclaration
  | Parameter
  | TypeParameter
  | EnumMember;

interface DeclarationBase {
  span: Span;
  name: Identifier;
  annotations: Annotation[];
}

export interface TypeParameter extends DeclarationBase {
  kind: "typeParameter";
}

export interface Parameter extends DeclarationBase {
  kind: "parameter";
  direction: "in" | "out" | "inout" | "none";
  typeExpression: TypeExpression;
  defaultValue: Expression | undefined;
  /** Checker. */
  type?: Type;
}

export interface ConstantDeclaration extends DeclarationBase {
  kind: "constant";
  typeExpression: TypeExpression;
  initializer: Expression;
  type?: Type;
  constant?: ConstantValue | undefined;
}

export interface VariableDeclaration extends DeclarationBase {
  kind: "variable";
  typeExpression: TypeExpression;
  initializer: Expression | undefined;
  type?: Type;
}

/** `Type(args) name;`, with the methods of an abstract extern in `body`. */
export interface InstanceDeclaration extends DeclarationBase {
  kind: "instance";
  typeExpression: TypeExpression;
  args: Argument[];
  body: (InstanceDeclaration | FunctionDeclaration)[] | undefined;
  /** Checker: the extern, control, parser or package type with its type arguments. */
  type?: Type;
  /** Checker: the constructor chosen and its arguments in parameter order. */
  resolved?: ResolvedCall;
}

export interface ActionDeclaration extends DeclarationBase {
  kind: "action";
  params: Parameter[];
  body: BlockStatement;
}

export interface TableDeclaration extends DeclarationBase {
  kind: "table";
  properties: TableProperty[];
}

export type TableProperty = KeyProperty | ActionsProperty | EntriesProperty | ExpressionProperty;

export interface KeyProperty {
  kind: "key";
  span: Span;
  annotations: Annotation[];
  elements: KeyElement[];
}

export interface KeyElement {
  span: Span;
  expression: Expression;
  matchKind: Identifier;
  annotations: Annotation[];
}

export interface ActionsProperty {
  kind: "actions";
  span: Span;
  annotations: Annotation[];
  actions: ActionRef[];
}

/** An action named in a table, perhaps with arguments for its directed parameters. */
export interface ActionRef {
  span: Span;
  annotations: Annotation[];
  absolute: boolean;
  name: Identifier;
  args: Argument[] | undefined;
  /** Checker. */
  declaration?: ActionDeclaration;
  /** Checker: in a table's list the parameters with a direction only, elsewhere all of them. */
  resolved?: BoundArguments;
}

export interface EntriesProperty {
  kind: "entries";
  span: Span;
  annotations: Annotation[];
  isConst: boolean;
  entries: TableEntrySyntax[];
}

export interface TableEntrySyntax {
  span: Span;
  annotations: Annotation[];
  isConst: boolean;
  priority: Expression | undefined;
  /** One element per key field; a single key is a list of one. */
  keys: Expression[];
  action: ActionRef;
}

/** `default_action = f(x);`, `size = 10;`, `implementation = p;` ... */
export interface ExpressionProperty {
  kind: "property";
  span: Span;
  annotations: Annotation[];
  isConst: boolean;
  name: Identifier;
  value: Expression;
}

/** A parser, or with `body` undefined a parser type. */
export interface ParserDeclaration extends DeclarationBase {
  kind: "parser";
  typeParams: TypeParameter[];
  params: Parameter[];
  constructorParams: Parameter[];
  body: { locals: Declaration[]; states: StateDeclaration[] } | undefined;
}

export interface StateDeclaration extends DeclarationBase {
  kind: "state";
  statements: Statement[];
  transition: Transition | undefined;
}

export type Transition =
  | { kind: "direct"; span: Span; next: Identifier }
  | { kind: "select"; span: Span; keys: Expression[]; cases: SelectCase[] };

export interface SelectCase {
  span: Span;
  /** One per key, or a single `default` / `_`. */
  keySet: Expression[];
  next: Identifier;
}

/** A control, or with `body` undefined a control type. */
export interface ControlDeclaration extends DeclarationBase {
  kind: "control";
  typeParams: TypeParameter[];
  params: Parameter[];
  constructorParams: Parameter[];
  body: { locals: Declaration[]; apply: BlockStatement } | undefined;
}

export interface PackageDeclaration extends DeclarationBase {
  kind: "package";
  typeParams: TypeParameter[];
  constructorParams: Parameter[];
}

/** An extern object; an extern function is a {@link FunctionDeclaration} without body. */
export interface ExternDeclaration extends DeclarationBase {
  kind: "extern";
  typeParams: TypeParameter[];
  constructors: FunctionDeclaration[];
  methods: FunctionDeclaration[];
}

/** A function, an extern function, a method or a constructor prototype (`returnType` undefined). */
export interface FunctionDeclaration extends DeclarationBase {
  kind: "function";
  typeParams: TypeParameter[];
  returnType: TypeExpression | undefined;
  params: Parameter[];
  body: BlockStatement | undefined;
  isAbstract: boolean;
}

export interface StructLikeDeclaration extends DeclarationBase {
  kind: "struct" | "header" | "headerUnion";
  typeParams: TypeParameter[];
  fields: FieldDeclaration[];
}

export interface FieldDeclaration {
  span: Span;
  annotations: Annotation[];
  typeExpression: TypeExpression;
  name: Identifier;
  type?: Type;
}

/** `underlying` is present in a serialisable enum. */
export interface EnumDeclaration extends DeclarationBase {
  kind: "enum";
  underlying: TypeExpression | undefined;
  members: EnumMember[];
}

export interface EnumMember extends DeclarationBase {
  kind: "enumMember";
  value: Expression | undefined;
}

/** All `error { ... }` declarations add to one set; `name` is `error`. */
export interface ErrorDeclaration extends DeclarationBase {
  kind: "error";
  members: EnumMember[];
}

export interface MatchKindDeclaration extends DeclarationBase {
  kind: "matchKind";
  members: EnumMember[];
}

/** `typedef T N;`, or `type T N;` when `isNew`. */
export interface TypedefDeclaration extends DeclarationBase {
  kind: "typedef";
  isNew: boolean;
  typeExpression: TypeExpression;
}

export interface ValueSetDeclaration extends DeclarationBase {
  kind: "valueSet";
  elementType: TypeExpression;
  size: Expression;
  type?: Type;
}

// ---------------------------------------------------------------- statements

export type Statement =
  | AssignmentStatement
  | CallStatement
  | BlockStatement
  | IfStatement
  | SwitchStatement
  | ForStatement
  | ForInStatement
  | ReturnStatement
  | ExitStatement
  | BreakStatement
  | ContinueStatement
  | EmptyStatement
  | DeclarationStatement;

interface StatementBase {
  span: Span;
  annotations: Annotation[];
}

/** `op` is the operator of a compound assignment: `"+"` for `+=`. */
export interface AssignmentStatement extends StatementBase {
  kind: "assignment";
  op: BinaryOperator | undefined;
  left: Expression;
  right: Expression;
}

interface CallStatement extends StatementBase {
  kind: "callStatement";
  call: CallExpression;
}

export interface BlockStatement extends StatementBase {
  kind: "block";
  statements: Statement[];
}

export interface IfStatement extends StatementBase {
  kind: "if";
  condition: Expression;
  whenTrue: Statement;
  whenFalse: Statement | undefined;
}

export interface SwitchStatement extends StatementBase {
  kind: "switch";
  subject: Expression;
  cases: SwitchCase[];
}

export interface SwitchCase {
  span: Span;
  /** An action name (path), a constant, or `default`. */
  label: Expression;
  /** Undefined falls through to the next case. */
  body: BlockStatement | undefined;
}

export interface ForStatement extends StatementBase {
  kind: "for";
  init: Statement[];
  condition: Expression;
  update: Statement[];
  body: Statement;
}

/** `for (T x in collection)` or, with `variable` a path, `for (x in collection)`. */
export interface ForInStatement extends StatementBase {
  kind: "forIn";
  variable: VariableDeclaration | Expression;
  collection: Expression;
  body: Statement;
}

export interface ReturnStatement extends StatementBase {
  kind: "return";
  value: Expression | undefined;
}

interface ExitStatement extends StatementBase {
  kind: "exit";
}

interface BreakStatement extends StatementBase {
  kind: "break";
}

interface ContinueStatement extends StatementBase {
  kind: "continue";
}

interface EmptyStatement extends StatementBase {
  kind: "empty";
}

interface DeclarationStatement extends StatementBase {
  kind: "declaration";
  declaration: VariableDeclaration | ConstantDeclaration | InstanceDeclaration;
}

/** A whole translation unit, in order. */
export interface SourceUnit {
  declarations: Declaration[];
}
