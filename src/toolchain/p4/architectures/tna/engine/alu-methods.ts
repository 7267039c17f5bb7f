/** The methods of register actions in the form that `p4loom fit` holds against the stateful ALU. */
import type { bmv2 } from "../../../../program/index.js";
import { sourceInfo } from "../../../emit/source-info.js";
import type { Expr, ExternInstance, IrMethod, Stmt, Variable } from "../../../lower/ir.js";
import { totalWidth } from "../../../lower/ir-types.js";
import { rootOf } from "../../../lower/places.js";
import { printExpr } from "../../../lower/print.js";
import { effectsOf, forEachStmt } from "../../../lower/walk.js";
import type { Type } from "../../../types/index.js";

/** Actions whose method is code for an entry and results alone. */
const PLAIN_ACTION = /^(?:Direct)?RegisterAction\d?$/;

/** The method of a register action, undefined where it has none of this form. */
export function aluMethod(
  action: ExternInstance,
  register: ExternInstance,
  cells: string,
): bmv2.AluMethod | undefined {
  const method = action.methods.find(({ name }) => name === "apply");
  const entry = wordsOf(register.typeArgs[0]);
  if (method === undefined || entry === undefined || !PLAIN_ACTION.test(action.extern)) return undefined;
  const [cell] = method.params;
  if (cell?.direction !== "inout") return undefined;
  const own = wordsOf(action.typeArgs[0]);
  return {
    register: cells,
    action: action.name,
    ...entry,
    sameWords: own?.width === entry.width && own.words === entry.words,
    body: new Method(method).statements(method.body),
    ...sourceInfo(method.span),
  };
}

/** Number and bits of the words of an entry. */
function wordsOf(type: Type | undefined): { width: number; words: number } | undefined {
  const width = bitsOf(type);
  if (width !== undefined) return { width, words: 1 };
  if (type?.kind !== "struct") return undefined;
  const widths = type.fields.map((field) => bitsOf(field.type));
  const [first] = widths;
  return first === undefined ? undefined : { width: first, words: widths.length };
}

function bitsOf(type: Type | undefined): number | undefined {
  if (type?.kind === "newType" || type?.kind === "serializableEnum") return bitsOf(type.underlying);
  return type?.kind === "bit" || type?.kind === "int" ? type.width : undefined;
}

class Method {
  /** Variables that the method sets, its parameters included. */
  readonly #own = new Set<Variable>();

  constructor(readonly method: IrMethod) {
    for (const { variable } of method.params) this.#own.add(variable);
    forEachStmt(method.body, (stmt) => {
      for (const place of effectsOf(stmt).writes) {
        const root = rootOf(place);
        if (root !== undefined) this.#own.add(root);
      }
    });
  }

  statements(body: readonly Stmt[]): bmv2.AluStatement[] {
    return body.flatMap((stmt): bmv2.AluStatement[] => {
      const place = sourceInfo(stmt.span);
      switch (stmt.kind) {
        case "block":
          // A block with a label can be left early.
          return stmt.label === undefined ? this.statements(stmt.body) : [{ kind: "other", ...place }];
        case "assign":
          return [{ kind: "assign", left: this.expr(stmt.left), right: this.expr(stmt.right), ...place }];
        case "if":
          return [
            {
              kind: "if",
              condition: this.expr(stmt.condition),
              yes: this.statements(stmt.whenTrue),
              no: this.statements(stmt.whenFalse),
              ...place,
            },
          ];
        case "extern": {
          const { name, instance, result, args } = stmt;
          return [
            {
              kind: "call",
              name: name.slice(name.lastIndexOf(".") + 1),
              instance: instance?.name ?? "",
              result: result === undefined ? undefined : this.expr(result),
              args: args.map((arg) => this.expr(arg)),
              ...place,
            },
          ];
        }
        default:
          return [{ kind: "other", ...place }];
      }
    });
  }

  expr(expr: Expr): bmv2.AluExpr {
    const { type } = expr;
    const shape = {
      width: type.kind === "bits" || type.kind === "bool" ? totalWidth(type) : 0,
      type:
        type.kind === "bool"
          ? ("bool" as const)
          : type.kind !== "bits"
            ? ("other" as const)
            : type.signed
              ? ("int" as const)
              : ("bits" as const),
      ...sourceInfo(expr.span),
    };
    switch (expr.kind) {
      case "number":
        return { kind: "number", value: expr.value, ...shape };
      case "bool":
        return { kind: "number", value: expr.value ? 1n : 0n, ...shape };
      case "slice":
        return { kind: "slice", operand: this.expr(expr.operand), low: expr.low, ...shape };
      case "unary":
        return { kind: "unary", op: expr.op, operand: this.expr(expr.operand), ...shape };
      case "binary":
        return {
          kind: "binary",
          op: expr.op,
          left: this.expr(expr.left),
          right: this.expr(expr.right),
          ...shape,
        };
      case "conditional":
        return {
          kind: "choice",
          condition: this.expr(expr.condition),
          yes: this.expr(expr.whenTrue),
          no: this.expr(expr.whenFalse),
          ...shape,
        };
      case "cast":
        return { kind: "cast", operand: this.expr(expr.operand), ...shape };
      default:
        return this.#place(expr, shape);
    }
  }

  #place(expr: Expr, shape: Pick<bmv2.AluExpr, "width" | "type">): bmv2.AluExpr {
    const root = rootOf(expr);
    if (root === undefined || !this.#own.has(root))
      return shape.type === "other"
        ? { kind: "other", ...shape }
        : { kind: "packet", text: printExpr(expr), ...shape };
    const word = wordIn(expr, root);
    if (word === undefined) return { kind: "other", ...shape };
    const at = this.method.params.findIndex(({ variable }) => variable === root);
    if (at > 0) return { kind: "result", index: at - 1, ...shape };
    return at < 0 ? { kind: "local", name: root.name, word, ...shape } : { kind: "cell", word, ...shape };
  }
}

/** The word of a number or pair that a place is; null: the pair. Undefined for other places. */
function wordIn(expr: Expr, root: Variable): 0 | 1 | null | undefined {
  if (expr.kind === "variable") return root.type.kind === "struct" ? null : 0;
  if (expr.kind !== "field" || expr.base.kind !== "variable" || root.type.kind !== "struct") return undefined;
  const at = root.type.fields.findIndex(({ name }) => name === expr.name);
  return at === 0 || at === 1 ? at : undefined;
}
