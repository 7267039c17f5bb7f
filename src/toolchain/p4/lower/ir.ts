/**
 * The program between the checker and the emitters: the pipes of a package, each with its parsers, controls and deparsers in the
 * roles that the architecture (`architecture.ts`) gives them. Every instance exists, every generic has its types, and every call
 * except table applications and those of the target's externs is inlined.
 * Names are resolved: expressions hold {@link Variable} objects, calls hold {@link ExternInstance}s.
 * The passes (`passes.ts`) restrict what the program can contain; the emitters take the result.
 */
import type { Span } from "../../../base/index.js";
import type { Annotation, TableDeclaration, TypeParameter, ValueSetDeclaration } from "../syntax/ast.js";
import type { Type } from "../types/index.js";
import type { ExternCall } from "./extern-call.js";
import type { Names } from "./names.js";

// ---------------------------------------------------------------- types

export type IrType =
  | BitsType
  | { kind: "varbits"; width: number }
  | { kind: "bool" }
  | { kind: "error" }
  | { kind: "enum"; name: string; members: readonly string[] }
  | { kind: "string" }
  /** Of an expression that names an instance. */
  | { kind: "extern"; name: string }
  | AggregateType
  | StackType;

export interface BitsType {
  kind: "bits";
  width: number;
  signed: boolean;
}

/** Structs and tuples (whose fields are named `f0`, `f1`, ...), headers, header unions. */
export interface AggregateType {
  kind: "struct" | "header" | "union";
  name: string;
  /** Of the name in the declaration; absent for tuples. */
  span?: Span;
  /** Of the declaration; absent for tuples. */
  annotations?: readonly Annotation[];
  fields: readonly IrField[];
}

export interface IrField {
  name: string;
  type: IrType;
  annotations: readonly Annotation[];
}

/** A header stack, or an array of other things. */
interface StackType {
  kind: "stack";
  element: IrType;
  size: number;
}

// ---------------------------------------------------------------- storage

/**
 * A piece of storage. `block`: parameters of the architecture's blocks, one for each entry of {@link IrPipe.storage};
 * `parameter`: a value that the control plane gives to an action.
 */
export interface Variable {
  name: string;
  type: IrType;
  role: "block" | "local" | "parameter";
  span: Span | undefined;
  /** The program declares it without a value: inside a block, or beside the actions of a control. */
  unset?: "inner" | "outer";
  /** Of its declaration. */
  annotations?: readonly Annotation[];
}

// ---------------------------------------------------------------- expressions

interface ExprBase {
  type: IrType;
  span: Span | undefined;
}

export type BinaryOp =
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

/** Expressions have no effects: calls have become statements. */
export type Expr =
  /** A number of its type; two's complement values are negative. */
  | (ExprBase & { kind: "number"; value: bigint; type: BitsType })
  | (ExprBase & { kind: "bool"; value: boolean })
  /** A member of an enum or of `error`, by position. */
  | (ExprBase & { kind: "member"; name: string; index: number })
  | (ExprBase & { kind: "string"; value: string })
  /** An instance as the argument of a constructor or call, or as the value of a table's property. */
  | (ExprBase & { kind: "instance"; instance: ExternInstance })
  | (ExprBase & { kind: "variable"; variable: Variable })
  | (ExprBase & { kind: "field"; base: Expr; name: string })
  | (ExprBase & { kind: "element"; base: Expr; index: Expr })
  /** `next` and `last` are headers, `lastIndex` and `size` 32-bit numbers. */
  | (ExprBase & { kind: "stackProperty"; base: Expr; property: "next" | "last" | "lastIndex" })
  | (ExprBase & { kind: "slice"; operand: Expr; high: number; low: number })
  | (ExprBase & { kind: "unary"; op: "!" | "~" | "-"; operand: Expr })
  | (ExprBase & { kind: "binary"; op: BinaryOp; left: Expr; right: Expr })
  | (ExprBase & { kind: "conditional"; condition: Expr; whenTrue: Expr; whenFalse: Expr })
  /** To `type`: between widths, signs and bool. */
  | (ExprBase & { kind: "cast"; operand: Expr })
  | (ExprBase & { kind: "valid"; header: Expr })
  /** One expression per field, in order; a header built this way is valid. */
  | (ExprBase & { kind: "aggregate"; elements: Expr[] })
  /** The invalid header `{#}`. */
  | (ExprBase & { kind: "invalid" })
  /** The next bits of the packet, `offset` bits ahead; parsers only. */
  | (ExprBase & { kind: "lookahead"; offset: number });

export type ExprOf<K extends Expr["kind"]> = Extract<Expr, { kind: K }>;

// ---------------------------------------------------------------- statements

/** The target of {@link Stmt} `leave`: the end of the block that carries it. */
export interface Label {
  name: string;
}

interface StmtBase {
  span: Span | undefined;
}

export type Stmt =
  /** `isHashed`: the program lets the hash unit of a Tofino compute the value. */
  | (StmtBase & { kind: "assign"; left: Expr; right: Expr; isHashed?: true })
  | (StmtBase & { kind: "validity"; header: Expr; valid: boolean })
  | (StmtBase & { kind: "shift"; stack: Expr; count: number; op: "push" | "pop" })
  /** A call of an extern function or method that the target provides; `name` is `counter.count`, `hash`, ... */
  | (StmtBase & {
      kind: "extern";
      name: string;
      instance: ExternInstance | undefined;
      args: Expr[];
      /** Positions of the arguments that the call writes. */
      outs: readonly number[];
      /** The place that takes what the call returns. */
      result: Expr | undefined;
      about: ExternCall;
    })
  | (StmtBase & {
      kind: "digest";
      receiver: Expr;
      name: string;
      elements: Expr[];
      data: Expr;
      declared: Type;
    })
  /** With annotations: a block of the program that must stay together. */
  | (StmtBase & {
      kind: "block";
      label: Label | undefined;
      body: Stmt[];
      annotations?: readonly Annotation[];
    })
  | (StmtBase & { kind: "leave"; label: Label })
  | (StmtBase & { kind: "if"; condition: Expr; whenTrue: Stmt[]; whenFalse: Stmt[] })
  /** The first case that holds the subject's value; a case without values is the default. */
  | (StmtBase & { kind: "switch"; subject: Expr; cases: SwitchCase[] })
  /** `own`: variables that the loop declares, so that nothing after it can read them. */
  | (StmtBase & { kind: "loop"; condition: Expr; body: Stmt[]; update: Stmt[]; own: readonly Variable[] })
  | (StmtBase & {
      kind: "apply";
      table: IrTable;
      branches: TableBranches | undefined;
      /** Of a table that is applied in several places: the variable that holds the number of the place, and the number of this one. */
      place?: { home: Expr; index: Expr };
    })
  /** A direct call of an action: its body, kept together. */
  | (StmtBase & { kind: "action"; action: IrAction })
  | (StmtBase & { kind: "exit" })
  | (StmtBase & { kind: "extract"; header: Expr; size: Expr | undefined })
  | (StmtBase & { kind: "advance"; size: Expr })
  | (StmtBase & { kind: "verify"; condition: Expr; error: Expr })
  | (StmtBase & { kind: "emit"; header: Expr });

export type StmtOf<K extends Stmt["kind"]> = Extract<Stmt, { kind: K }>;

export interface SwitchCase {
  /** Undefined for `default`. */
  values: Expr[] | undefined;
  body: Stmt[];
  span: Span;
}

/** The statements after a table, by its result. */
export type TableBranches =
  | { kind: "hit"; hit: Stmt[]; miss: Stmt[] }
  | { kind: "action"; cases: { actions: IrAction[]; body: Stmt[] }[]; otherwise: Stmt[] };

// ---------------------------------------------------------------- objects

/** The name that the control plane sees, and where it was declared. */
interface Named {
  name: string;
  annotations: readonly Annotation[];
  /** Of the name in the declaration. */
  span: Span | undefined;
}

export interface IrAction extends Named {
  /** Values from the control plane, in order. */
  params: ActionParam[];
  body: Stmt[];
  /** The compiler made it; the control plane does not see it. */
  hidden: boolean;
}

export interface ActionParam {
  variable: Variable;
  declared: Type;
  annotations: readonly Annotation[];
}

export interface IrKey {
  expression: Expr;
  matchKind: string;
  name: string;
  declared: Type;
  annotations: readonly Annotation[];
  span: Span;
  /** The bits that a key `FIELD & CONSTANT` has. */
  keeps?: bigint;
  /** Bits that count, in the program of a target that leaves out the others. */
  mask?: bigint;
}

export interface IrActionRef {
  action: IrAction;
  annotations: readonly Annotation[];
  span: Span;
}

export interface IrActionCall {
  action: IrAction;
  /** Constants, one per parameter. */
  args: Expr[];
}

export interface IrEntry {
  keys: EntryKey[];
  action: IrActionCall;
  priority: number | undefined;
  /** The value of `@priority`: the priority as BMv2 counts. */
  fixedPriority: number | undefined;
  isConst: boolean;
  annotations: readonly Annotation[];
  span: Span;
}

/** One field of an entry; numbers are unsigned and of the key's width. */
export type EntryKey =
  | { kind: "exact"; value: bigint }
  | { kind: "mask"; value: bigint; mask: bigint }
  | { kind: "range"; low: bigint; high: bigint }
  | { kind: "any" };

export interface IrTable extends Named {
  declaration: TableDeclaration;
  keys: IrKey[];
  actions: IrActionRef[];
  defaultAction: IrActionCall & { isConst: boolean };
  entries: { isConst: boolean; list: IrEntry[] } | undefined;
  size: number | undefined;
  implementation: ExternInstance | undefined;
  counters: ExternInstance | undefined;
  meters: ExternInstance | undefined;
  supportTimeout: boolean;
  /** All properties but key, actions, entries and default_action, in order of declaration. */
  properties: IrProperty[];
  /** The annotations in front of the four others. */
  partAnnotations: Readonly<Record<"key" | "actions" | "entries" | "defaultAction", readonly Annotation[]>>;
  /** Of entries with priorities the larger number wins, unless the table says otherwise (section 14.2.1.4). */
  largestPriorityWins: boolean;
}

/** `name = value` in a table; the value is constant or an instance. */
export interface IrProperty {
  name: string;
  value: Expr;
  isConst: boolean;
  annotations: readonly Annotation[];
  span: Span;
}

/** An instance of an extern type: counter, meter, register, action profile... */
export interface ExternInstance extends Named {
  /** Name of the extern type. */
  extern: string;
  typeArgs: Type[];
  /** Constructor arguments in order of the parameters, without those that are optional and not given. */
  args: Expr[];
  /** Names of the parameters of `args`. */
  argNames: readonly string[];
  /** Bits of a counter's cell, where its type states them. */
  cellWidth?: number | undefined;
  /** The abstract methods that its declaration gives a body. */
  methods: IrMethod[];
  instanceSpan: Span;
}

/** A method of an instance as a piece of code of its own, with storage for its parameters. */
export interface IrMethod {
  name: string;
  annotations: readonly Annotation[];
  span: Span;
  params: IrMethodParam[];
  /** What it returns. */
  result: Variable | undefined;
  body: Stmt[];
}

export interface IrMethodParam {
  variable: Variable;
  direction: "in" | "out" | "inout" | "none";
  declared: Type;
  annotations: readonly Annotation[];
}

export interface IrValueSet extends Named {
  declaration: ValueSetDeclaration;
  element: Type;
  size: number;
}

export interface IrControl {
  name: string;
  annotations: readonly Annotation[];
  span: Span;
  /** Tables and actions that a control plane may name, in order of declaration. */
  tables: IrTable[];
  actions: IrAction[];
  /** Actions that are called directly: the control plane sees them, without parameters. */
  called: Pick<IrAction, "name" | "annotations" | "span">[];
  instances: ExternInstance[];
  body: Stmt[];
}

export interface IrState {
  name: string;
  annotations?: readonly Annotation[];
  span: Span | undefined;
  body: Stmt[];
  next: IrTransition;
}

export type IrTransition =
  /** `accept` and `reject` are undefined states: `null` accepts. */
  { kind: "goto"; target: StateTarget } | { kind: "select"; keys: Expr[]; cases: IrSelectCase[]; span: Span };

export type StateTarget = IrState | "accept" | "reject";

export interface IrSelectCase {
  /** One pattern per key, or one value set for all keys. */
  patterns: EntryKey[] | IrValueSet;
  target: StateTarget;
  span: Span;
}

export interface IrParser {
  name: string;
  annotations: readonly Annotation[];
  span: Span;
  start: IrState;
  valueSets: IrValueSet[];
  instances: ExternInstance[];
}

/** A block of a pipe; the architecture names its role. */
export type IrBlock = {
  role: string;
  slot?: BlockSlot;
  /** What the type parameters of a generic parser or control stand for. */
  types: ReadonlyMap<TypeParameter, Type>;
} & ({ kind: "parser"; body: IrParser } | { kind: "control" | "checksum" | "deparser"; body: IrControl });

/** Where a block stands that is an argument of a package inside of the pipe's: parsers of a pipe with several. */
export interface BlockSlot {
  /** Control-plane name of the instance of that package, or the pipe's parameter where it has none. */
  readonly group: string;
  readonly parameter: string;
}

/** What one packet passes through: blocks in the order in which it meets them, and the storage that they share. */
export interface IrPipe {
  name: string;
  /** The parameter of the package around it. */
  parameter: string;
  annotations: readonly Annotation[];
  span: Span;
  /** The variables behind the parameters of blocks, by the names that the architecture gives them. */
  storage: ReadonlyMap<string, Variable>;
  blocks: IrBlock[];
}

export interface IrProgram {
  /** Name of the architecture. */
  architecture: string;
  pipes: IrPipe[];
  /** Every local variable, in order of appearance. */
  locals: Variable[];
  /** The names in use. A pass takes names for its variables from here. */
  names: Names;
  /** Extern instances outside of blocks. */
  globals: ExternInstance[];
  errors: string[];
  /** The places that create control instances, by the name of the instance. */
  controlSpans: ReadonlyMap<string, readonly Span[]>;
  /** Enums without underlying type that the user declares. */
  enums: { name: string; members: string[] }[];
  /** Annotations of the `main` instance. */
  annotations: readonly Annotation[];
  mainSpan: Span;
}

/** The parsers of all pipes. */
export function parsersOf(program: IrProgram): IrParser[] {
  return program.pipes.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === "parser" ? [block.body] : [])),
  );
}

/** The controls of all pipes, in the order in which a packet meets them; without `kinds` all, deparsers too. */
export function controlsOf(
  program: IrProgram,
  kinds: readonly IrBlock["kind"][] = ["control", "checksum", "deparser"],
): IrControl[] {
  return program.pipes.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind !== "parser" && kinds.includes(block.kind) ? [block.body] : [])),
  );
}

/** The extern instances of the whole program: those outside of blocks, then pipe by pipe those of parsers and controls. */
export function instancesOf(program: IrProgram): ExternInstance[] {
  return [
    ...program.globals,
    ...program.pipes.flatMap(({ blocks }) => blocks.flatMap(({ body }) => body.instances)),
  ];
}

/** A new local variable for a pass. */
export function newLocal(program: IrProgram, base: string, type: IrType, span: Span | undefined): Variable {
  const made: Variable = { name: program.names.unique(base), type, role: "local", span };
  program.locals.push(made);
  return made;
}

/** A value that the checker must have left here; its absence is an internal error. */
export function known<T>(value: T | undefined, span: Span | undefined, message: string): T {
  return value ?? fault(span, message);
}

/** A value that must be of this kind here; another one is an internal error. */
export function ofKind<T extends { kind: string }, K extends T["kind"]>(
  value: T | undefined,
  kind: K,
  span: Span | undefined,
  message: string,
): Extract<T, { kind: K }> {
  if (value?.kind !== kind) fault(span, message);
  return value as Extract<T, { kind: K }>;
}

/** An internal error: the checker should have refused or resolved this. */
export function fault(span: Span | undefined, message: string): never {
  if (span === undefined) throw new Error(`internal: ${message}`);
  const { line, column } = span.file.position(span.start);
  throw new Error(`internal: ${message} (${span.file.path}:${line}:${column})`);
}
