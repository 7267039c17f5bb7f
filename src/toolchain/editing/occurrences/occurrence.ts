/** A name at a place. */

import type { Span } from "../../../base/index.js";
import type { ast, ConstantValue, Macro, Type } from "../../p4/index.js";

export interface Occurrence {
  /** The span in the file as read. It contains exactly the name, unless `written` is false. */
  readonly span: Span;
  readonly target: Target;
  readonly role: "declaration" | "read" | "write";
  /** Whether the name itself is at the span; otherwise a macro that is used there produced it. */
  readonly written: boolean;
  /** The type of the expression that ends with this name, if there is one. */
  readonly type?: Type | undefined;
  readonly constant?: ConstantValue | undefined;
}

/** The meaning of a name: its declaration. */
export type Target = ast.Declaration | ast.FieldDeclaration | Macro;
