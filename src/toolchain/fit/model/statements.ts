/** Statements of an action or a deparser as a tree: the JSON has an `if` as a jump. */
import { defined } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";

/** Statements of an action with their `if`s, which the JSON has as jumps forward. */
export type Statement =
  | { readonly kind: "primitive"; readonly primitive: bmv2.Primitive }
  | {
      readonly kind: "if";
      readonly condition: bmv2.Value;
      readonly yes: readonly Statement[];
      readonly no: readonly Statement[];
      readonly source: bmv2.SourceInfo | undefined;
    }
  /** A jump backward, or into another branch. */
  | { readonly kind: "loop"; readonly source: bmv2.SourceInfo | undefined }
  /** A jump to what follows the `if` around it: `return` or `exit` in a branch. */
  | { readonly kind: "leave"; readonly source: bmv2.SourceInfo | undefined };

function jumpTarget(value: bmv2.Value | undefined): number {
  return value?.type === "hexstr" ? Number(value.value) : -1;
}

/** Finds the `if`s of an action in the primitives from `from` to before `to`. */
export function structureOf(
  primitives: readonly bmv2.Primitive[],
  from = 0,
  to = primitives.length,
): Statement[] {
  const statements: Statement[] = [];
  let at = from;
  while (at < to) {
    const primitive = defined(primitives[at]);
    const source = primitive.source_info;
    if (primitive.op === "_jump") {
      // `return` and `exit`: what follows is not reached.
      const target = jumpTarget(primitive.parameters[0]);
      if (target <= at) return [...statements, { kind: "loop", source }];
      if (target > to) return [...statements, { kind: "leave", source }];
      at = target;
      continue;
    }
    if (primitive.op !== "_jump_if_zero") {
      statements.push({ kind: "primitive", primitive });
      at++;
      continue;
    }
    const [condition, offset] = primitive.parameters;
    const elseAt = jumpTarget(offset);
    if (elseAt <= at || elseAt > to) return [...statements, { kind: "loop", source }];
    // The branch that runs when the condition holds ends with a jump over the other one, if there is another one.
    const last = defined(primitives[elseAt - 1]);
    const end = last.op === "_jump" ? jumpTarget(last.parameters[0]) : elseAt;
    const hasElse = end > elseAt && end <= to;
    const yes = structureOf(primitives, at + 1, hasElse ? elseAt - 1 : elseAt);
    const no = hasElse ? structureOf(primitives, elseAt, end) : [];
    statements.push({ kind: "if", condition: condition!, yes, no, source });
    at = hasElse ? end : elseAt;
  }
  return statements;
}
