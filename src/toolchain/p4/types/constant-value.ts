/** Values known at compile time (P4-16 section 18.1). */
import type { Declaration, EnumMember } from "../syntax/ast.js";
import type { Type } from "./type.js";

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
