/** Looking up names, and saying what they are in messages. */
import type { Note } from "../../../base/index.js";
import type { Declaration } from "../syntax/ast.js";

const WORDS: Record<Declaration["kind"], string> = {
  constant: "constant",
  variable: "variable",
  instance: "instance",
  action: "action",
  table: "table",
  parser: "parser",
  control: "control",
  package: "package",
  extern: "extern",
  function: "function",
  struct: "struct",
  header: "header",
  headerUnion: "header union",
  enum: "enum",
  error: "error",
  matchKind: "match_kind",
  typedef: "type",
  valueSet: "value set",
  state: "state",
  parameter: "parameter",
  typeParameter: "type parameter",
  enumMember: "member",
};

/** `action`, `header union`, ... */
export function kindWord(declaration: Declaration): string {
  return WORDS[declaration.kind];
}

/** A note that shows where a name comes from. */
export function scopeNotes(declaration: Declaration): Note[] {
  const { name } = declaration;
  return [{ message: `'${name.name}' is the ${kindWord(declaration)} declared here`, span: name.span }];
}
