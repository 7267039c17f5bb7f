/** The parser, its value sets and the deparser. */

import { defined, fail } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { CODES } from "../codes.js";
import type {
  EntryKey,
  Expr,
  IrControl,
  IrParser,
  IrSelectCase,
  IrState,
  StateTarget,
  Stmt,
} from "../lower/ir.js";
import { fault } from "../lower/ir.js";
import { scalarWidth } from "../lower/ir-types.js";
import { statesOfParser } from "../lower/walk.js";
import { plainPrimitives } from "./bmv2-actions.js";
import { hex } from "./bmv2-expressions.js";
import type { Emission } from "./emission.js";
import { target } from "./emission.js";
import { keepParserPlace } from "./parser-places.js";
import { sourceInfo } from "./source-info.js";
import { typeWidth } from "./type-width.js";

export function emitParser(emission: Emission, parser: IrParser, name = "parser", id = 0): bmv2.Bmv2Parser {
  const states = statesOfParser(parser);
  return {
    name,
    id,
    init_state: parser.start.name,
    parse_states: states.map((state, id) => emitState(emission, state, id)),
  };
}

function emitState(emission: Emission, state: IrState, id: number): bmv2.ParseState {
  const next = state.next;
  const emitted: bmv2.ParseState = {
    name: state.name,
    id,
    parser_ops: state.body.flatMap((stmt) =>
      parserOps(emission, stmt).map((op) => keepParserPlace(op, stmt.span)),
    ),
    transitions:
      next.kind === "goto"
        ? [{ type: "default", value: null, mask: null, next_state: stateName(next.target) }]
        : next.cases.map((one) => keepParserPlace(transition(one, next.keys), one.span)),
    transition_key: next.kind === "goto" ? [] : next.keys.map((key) => selectKey(emission, key)),
  };
  return keepParserPlace(emitted, state.span);
}

/** BMv2 has no reject: the parser can only end. */
function stateName(to: StateTarget): string | null {
  return typeof to === "string" ? null : to.name;
}

function selectKey(emission: Emission, key: Expr): bmv2.Value {
  const value = emission.expressions.number(key);
  if (value.type === "field" || value.type === "stack_field" || value.type === "union_stack_field")
    return value;
  return fault(key.span, "BMv2 selects on fields only");
}

function transition(one: IrSelectCase, keys: readonly Expr[]): bmv2.Transition {
  const next_state = stateName(one.target);
  if (!Array.isArray(one.patterns))
    return { type: "parse_vset", value: one.patterns.name, mask: null, next_state };
  if (one.patterns.every((pattern) => pattern.kind === "any"))
    return { type: "default", value: null, mask: null, next_state };
  let value = "";
  let mask = "";
  for (const [index, pattern] of one.patterns.entries()) {
    const width = scalarWidth(defined(keys[index]).type) ?? 0;
    const bits = patternBits(pattern, width);
    // Each part of the key fills whole bytes.
    value += hex(bits.value, width).slice(2);
    mask += hex(bits.mask, width).slice(2);
  }
  const exact = one.patterns.every((pattern) => pattern.kind === "exact");
  return { type: "hexstr", value: `0x${value}`, mask: exact ? null : `0x${mask}`, next_state };
}

function patternBits(pattern: EntryKey, width: number): { value: bigint; mask: bigint } {
  const all = (1n << BigInt(width)) - 1n;
  switch (pattern.kind) {
    case "exact":
      return { value: pattern.value, mask: all };
    case "mask":
      return { value: pattern.value, mask: pattern.mask };
    case "any":
      return { value: 0n, mask: 0n };
    case "range":
      throw new Error("a range was left in a select");
  }
}

function parserOps(emission: Emission, stmt: Stmt): bmv2.ParserOp[] {
  const { expressions } = emission;
  const { layout } = expressions;
  switch (stmt.kind) {
    case "extract": {
      const to = extractTarget(emission, stmt.header);
      if (stmt.size === undefined) return [{ op: "extract", parameters: [to] }];
      const size: bmv2.Value = { type: "expression", value: expressions.number(stmt.size) };
      return [{ op: "extract_VL", parameters: [to, size] }];
    }
    case "advance":
      return [{ op: "advance", parameters: [operand(expressions.number(stmt.size))] }];
    case "verify":
      return [
        {
          op: "verify",
          parameters: [expressions.truth(stmt.condition), operand(expressions.number(stmt.error))],
        },
      ];
    case "assign": {
      const kind = stmt.left.type.kind;
      if (kind === "header" || kind === "union" || kind === "stack" || kind === "varbits") break;
      if (stmt.right.kind === "lookahead") {
        const width = scalarWidth(stmt.right.type) ?? 0;
        const ahead: bmv2.Value = { type: "lookahead", value: [stmt.right.offset, width] };
        return [{ op: "set", parameters: [{ type: "field", value: layout.field(stmt.left) }, ahead] }];
      }
      return [
        { op: "set", parameters: [target(emission, stmt.left), operand(expressions.number(stmt.right))] },
      ];
    }
    default:
      break;
  }
  return plainPrimitives(emission, stmt, "parser").map((made) => ({ op: "primitive", parameters: [made] }));
}

/** Fields and numbers are written directly; any other value is written as an expression. */
function operand(value: bmv2.Value): bmv2.Value {
  return value.type === "field" || value.type === "hexstr" ? value : { type: "expression", value };
}

function extractTarget(emission: Emission, header: Expr): bmv2.ExtractTarget {
  const { layout } = emission.expressions;
  if (header.kind === "stackProperty") return { type: "stack", value: layout.instance(header.base) };
  if (header.kind === "field" && header.base.kind === "stackProperty")
    return { type: "union_stack", value: [layout.instance(header.base.base), header.name] };
  return { type: "regular", value: layout.instance(header) };
}

export function emitValueSets(parser: IrParser): bmv2.ParseValueSet[] {
  return parser.valueSets.map((set, id) => ({
    name: set.name,
    id,
    ...sourceInfo(set.span),
    compressed_bitwidth: typeWidth(set.element),
    max_size: set.size,
  }));
}

export function emitDeparser(emission: Emission, deparser: IrControl): bmv2.Bmv2Deparser {
  const order: string[] = [];
  for (const stmt of deparser.body) {
    if (stmt.kind !== "emit")
      fail(
        CODES.deparserStatement,
        stmt.span,
        "BMv2's deparser only emits headers",
        "do the rest at the end of egress",
      );
    order.push(emission.expressions.layout.instance(stmt.header));
  }
  return { name: "deparser", id: 0, ...sourceInfo(deparser.span), order, primitives: [] };
}
