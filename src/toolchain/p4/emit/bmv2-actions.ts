/** Actions as lists of primitives. Conditions and loops become jumps, by position in the list. */

import type { Span } from "../../../base/index.js";
import { fail } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { CODES } from "../codes.js";
import type { Expr, IrAction, Label, Stmt, StmtOf } from "../lower/ir.js";
import { parameterName, scalarWidth } from "../lower/ir-types.js";
import { hexValue } from "./bmv2-expressions.js";
import { type BlockKind, type Emission, type Primitive, primitive, target } from "./emission.js";

export function emitAction(
  emission: Emission,
  action: IrAction,
  id: number,
  block: BlockKind,
): bmv2.Bmv2Action {
  const variables = action.params.map((param) => param.variable);
  const primitives = emission.expressions.withParams(variables, () => {
    const body = new ActionBody(emission, block);
    body.emit(action.body);
    return body.finish();
  });
  return {
    name: action.name,
    id,
    runtime_data: action.params.map((param) => {
      const { type, span } = param.variable;
      const bitwidth = scalarWidth(type) ?? 0;
      if (bitwidth === 0)
        fail(CODES.zeroWidth, span, "BMv2 has no action parameters of 0 bits", "leave the parameter out");
      return { name: parameterName(param), bitwidth };
    }),
    primitives,
  };
}

/** A position in the list that is not known yet. It is set when the list is complete. */
interface JumpTarget {
  position: number | undefined;
}

class ActionBody {
  readonly #list: Primitive[] = [];
  readonly #jumps: { primitive: Primitive; target: JumpTarget }[] = [];
  readonly #labels = new Map<Label, JumpTarget>();
  readonly #end: JumpTarget = { position: undefined };

  constructor(
    readonly emission: Emission,
    readonly block: BlockKind,
  ) {}

  finish(): Primitive[] {
    this.#here(this.#end);
    for (const { primitive, target } of this.#jumps)
      primitive.parameters.push(hexValue(BigInt(target.position ?? this.#list.length)));
    return this.#list;
  }

  emit(body: readonly Stmt[]): void {
    for (const stmt of body) this.#stmt(stmt);
  }

  #here(target: JumpTarget): void {
    target.position = this.#list.length;
  }

  #jump(target: JumpTarget, span: Span | undefined): void {
    const made = primitive("_jump", [], span);
    this.#list.push(made);
    this.#jumps.push({ primitive: made, target });
  }

  #jumpUnless(condition: Expr, target: JumpTarget, span: Span | undefined): void {
    const { expressions } = this.emission;
    const test: bmv2.Value = {
      type: "expression",
      value: { type: "expression", value: { op: "b2d", left: null, right: expressions.truth(condition) } },
    };
    const made = primitive("_jump_if_zero", [test], span);
    this.#list.push(made);
    this.#jumps.push({ primitive: made, target });
  }

  #stmt(stmt: Stmt): void {
    switch (stmt.kind) {
      case "if": {
        const otherwise: JumpTarget = { position: undefined };
        const after: JumpTarget = { position: undefined };
        this.#jumpUnless(stmt.condition, otherwise, stmt.span);
        this.emit(stmt.whenTrue);
        if (stmt.whenFalse.length > 0) this.#jump(after, stmt.span);
        this.#here(otherwise);
        this.emit(stmt.whenFalse);
        this.#here(after);
        return;
      }
      case "block": {
        const after: JumpTarget = { position: undefined };
        if (stmt.label !== undefined) this.#labels.set(stmt.label, after);
        this.emit(stmt.body);
        this.#here(after);
        return;
      }
      case "leave":
        this.#jump(this.#labels.get(stmt.label) ?? this.#end, stmt.span);
        return;
      case "loop": {
        const head: JumpTarget = { position: undefined };
        const after: JumpTarget = { position: undefined };
        this.#here(head);
        this.#jumpUnless(stmt.condition, after, stmt.span);
        this.emit(stmt.body);
        this.emit(stmt.update);
        this.#jump(head, stmt.span);
        this.#here(after);
        return;
      }
      case "exit":
        // BMv2 only marks the packet, so a jump skips the rest of the action.
        this.#list.push(primitive("exit", [], stmt.span));
        this.#jump(this.#end, stmt.span);
        return;
      case "action":
        this.emit(stmt.action.body);
        return;
      default:
        this.#list.push(...plainPrimitives(this.emission, stmt, this.block));
    }
  }
}

/** Statements without control flow. */
export function plainPrimitives(emission: Emission, stmt: Stmt, block: BlockKind): Primitive[] {
  const { layout } = emission.expressions;
  switch (stmt.kind) {
    case "assign":
      return [assignment(emission, stmt)];
    case "validity": {
      const header: bmv2.Value = { type: "header", value: layout.instance(stmt.header) };
      return [primitive(stmt.valid ? "add_header" : "remove_header", [header], stmt.span)];
    }
    case "shift": {
      const stack: bmv2.Value = { type: "header_stack", value: layout.instance(stmt.stack) };
      return [primitive(stmt.op, [stack, hexValue(BigInt(stmt.count))], stmt.span)];
    }
    case "extern":
    case "digest":
      return emission.externs(emission, stmt, block);
    default:
      return fail(CODES.statementNotInBmv2, stmt.span, `BMv2 cannot do this here: ${stmt.kind}`);
  }
}

function assignment(emission: Emission, stmt: StmtOf<"assign">): Primitive {
  const { expressions } = emission;
  const { layout } = expressions;
  const { left, right, span } = stmt;
  const whole = (type: "header" | "header_stack" | "header_union" | "header_union_stack"): bmv2.Value[] => [
    { type, value: layout.instance(left) },
    { type, value: layout.instance(right) },
  ];
  switch (left.type.kind) {
    case "header":
      if (right.kind === "stackProperty")
        fail(CODES.nextOrLast, span, "not supported yet: a copy of the element that next or last names");
      return primitive("assign_header", whole("header"), span);
    case "union":
      return primitive("assign_union", whole("header_union"), span);
    case "stack":
      return left.type.element.kind === "union"
        ? primitive("assign_union_stack", whole("header_union_stack"), span)
        : primitive("assign_header_stack", whole("header_stack"), span);
    case "varbits":
      return primitive(
        "assign_VL",
        [
          { type: "field", value: layout.field(left) },
          { type: "field", value: layout.field(right) },
        ],
        span,
      );
    default:
      return {
        ...primitive("assign", [target(emission, left), expressions.parameter(right)], span),
        ...(emission.namesUnits === true && stmt.isHashed === true && { in_hash: true as const }),
      };
  }
}
