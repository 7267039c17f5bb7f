/**
 * Semantic types (P4-16 section 7). Declared types are compared by declaration and type arguments, the
 * others by structure. A type inside a generic declaration may hold {@link TypeVariable}s.
 */
import type {
  ActionDeclaration,
  ControlDeclaration,
  Declaration,
  EnumDeclaration,
  EnumMember,
  ExternDeclaration,
  FunctionDeclaration,
  PackageDeclaration,
  Parameter,
  ParserDeclaration,
  StructLikeDeclaration,
  TableDeclaration,
  TypedefDeclaration,
  TypeParameter,
} from "../syntax/ast.js";

export type Type =
  | { kind: "bit"; width: number }
  | { kind: "int"; width: number }
  | { kind: "varbit"; width: number }
  /** `int`: integers of any size, compile time only. */
  | { kind: "integer" }
  | { kind: "bool" }
  | { kind: "string" }
  | { kind: "error" }
  | { kind: "matchKind" }
  | { kind: "void" }
  | StructLikeType
  | { kind: "stack"; element: Type; size: number }
  | { kind: "tuple"; elements: Type[] }
  | { kind: "list"; element: Type }
  /** The type of key sets: `a &&& b`, `a .. b`, value sets (section 7.2.8.4). */
  | { kind: "set"; element: Type }
  | { kind: "enum"; declaration: EnumDeclaration }
  /** An enum with an underlying `bit<W>` or `int<W>` type. */
  | { kind: "serializableEnum"; declaration: EnumDeclaration; underlying: Type }
  /** `type T N;`. */
  | { kind: "newType"; declaration: TypedefDeclaration; underlying: Type }
  | { kind: "extern"; declaration: ExternDeclaration; args: Type[] }
  | { kind: "parser"; declaration: ParserDeclaration; args: Type[] }
  | { kind: "control"; declaration: ControlDeclaration; args: Type[] }
  | { kind: "package"; declaration: PackageDeclaration; args: Type[] }
  | { kind: "table"; declaration: TableDeclaration }
  /** What `table.apply()` yields: hit, miss, action_run. */
  | { kind: "applyResult"; declaration: TableDeclaration }
  /** The type of `t.apply().action_run`. */
  | { kind: "actionRun"; declaration: TableDeclaration }
  | { kind: "action"; declaration: ActionDeclaration }
  | { kind: "function"; declaration: FunctionDeclaration; params: Parameter[]; returns: Type }
  /** `{a, b}` and `{f = a}` before their context gives them a declared type. */
  | { kind: "structLiteral"; fields: { name: string; type: Type }[] }
  | TypeVariable
  /** A type used as an expression, as in `E.member`. */
  | { kind: "typeName"; type: Type }
  | { kind: "state" }
  | { kind: "invalidHeader" }
  | { kind: "dontCare" }
  | { kind: "default" }
  /** Something already reported; silences follow-up messages. */
  | { kind: "unknown" };

export interface StructLikeType {
  kind: "struct" | "header" | "headerUnion";
  declaration: StructLikeDeclaration;
  /** Type arguments of a generic struct. */
  args: Type[];
  /** In order of declaration, type arguments filled in. */
  fields: readonly TypedField[];
}

export interface TypedField {
  name: string;
  type: Type;
}

interface TypeVariable {
  kind: "typeVariable";
  declaration: TypeParameter;
}

/** A value known at compile time (P4-16 section 18.1). */
export type ConstantValue =
  /** Of type bit, int (two's complement as a negative number), integer, or a new type or serialisable enum over these. */
  | { kind: "integer"; value: bigint }
  | { kind: "bool"; value: boolean }
  | { kind: "string"; value: string }
  /** A member of an enum without underlying type, an error, or a match kind. */
  | { kind: "member"; member: EnumMember }
  /** A struct, header (valid), tuple or list; names are absent for the last two. */
  | { kind: "aggregate"; type: Type; elements: ConstantValue[] }
  | { kind: "invalidHeader" }
  /** A compile-time object: an extern instance, control or parser given to a constructor. */
  | { kind: "instance"; declaration: Declaration };
