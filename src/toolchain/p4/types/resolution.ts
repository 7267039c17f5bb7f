/** What the checker finds out about member accesses and calls, for the passes after it. */
import type {
  ActionDeclaration,
  Argument,
  ControlDeclaration,
  EnumMember,
  Expression,
  ExternDeclaration,
  FunctionDeclaration,
  PackageDeclaration,
  Parameter,
  ParserDeclaration,
  TableDeclaration,
} from "../syntax/ast.js";
import type { Type } from "./type.js";

export type ResolvedMember =
  | { kind: "field"; name: string }
  /** `stack.next`, `.last`, `.lastIndex`, `.size`. */
  | { kind: "stack"; property: "next" | "last" | "lastIndex" | "size" }
  /** `E.member`, `error.member`, `match_kind` member. */
  | { kind: "enumMember"; member: EnumMember }
  /** `t.apply().hit` and so on. */
  | { kind: "applyResult"; property: "hit" | "miss" | "action_run" }
  /** A method name before its call; the call says which. */
  | { kind: "method" };

/** Arguments in parameter order; undefined where a parameter's default value is used or the parameter is optional. */
export interface BoundArguments {
  params: Parameter[];
  args: (Argument | undefined)[];
}

export type ResolvedCall = BoundArguments & {
  /** Type arguments of the callee, given or inferred, in order of its type parameters. */
  typeArgs: Type[];
} & (
    | { kind: "action"; declaration: ActionDeclaration }
    | { kind: "function"; declaration: FunctionDeclaration }
    | { kind: "externFunction"; declaration: FunctionDeclaration }
    /** A method of an extern object; `object` is the expression before the dot. */
    | {
        kind: "externMethod";
        object: Expression;
        extern: ExternDeclaration;
        declaration: FunctionDeclaration;
      }
    | { kind: "tableApply"; object: Expression; declaration: TableDeclaration }
    | { kind: "controlApply"; object: Expression; declaration: ControlDeclaration }
    | { kind: "parserApply"; object: Expression; declaration: ParserDeclaration }
    /** isValid, setValid, setInvalid of headers and unions; push_front, pop_front of stacks; minSizeInBits... of types. */
    | {
        kind: "builtin";
        object: Expression;
        method:
          | "isValid"
          | "setValid"
          | "setInvalid"
          | "push_front"
          | "pop_front"
          | "minSizeInBits"
          | "minSizeInBytes"
          | "maxSizeInBits"
          | "maxSizeInBytes";
      }
    | {
        kind: "constructor";
        declaration: ExternDeclaration | ControlDeclaration | ParserDeclaration | PackageDeclaration;
        /** The extern constructor chosen. */
        prototype: FunctionDeclaration | undefined;
      }
  );
