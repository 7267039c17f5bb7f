/** The externs that the passes left, as primitives of the switch. */
import { defined, fail } from "../../../../../base/index.js";
import type { bmv2 } from "../../../../program/index.js";
import { CODES } from "../../../codes.js";
import { hexValue } from "../../../emit/bmv2-expressions.js";
import { calculation, hashPrimitive, statePrimitives } from "../../../emit/bmv2-state.js";
import type { BlockKind, Emission } from "../../../emit/emission.js";
import { primitive, target } from "../../../emit/emission.js";
import { number } from "../../../lower/build.js";
import type { Expr, StmtOf } from "../../../lower/ir.js";
import { bits } from "../../../lower/ir-types.js";
import { hashAlgorithm } from "./hashes.js";
import { mathUnit } from "./math-units.js";

type Extern = StmtOf<"extern">;

export function tnaPrimitives(
  emission: Emission,
  stmt: Extern | StmtOf<"digest">,
  _block: BlockKind,
): bmv2.Primitive[] {
  if (stmt.kind === "digest") {
    const elements = stmt.elements.map((element) => emission.expressions.number(element));
    const id = emission.resources.learnList(stmt.name, elements, stmt.span);
    return [primitive("generate_digest", [hexValue(0n), hexValue(BigInt(id))], stmt.span)];
  }
  const { args, span } = stmt;
  switch (stmt.name) {
    case "tna.hash":
      return [calculated(emission, hashAlgorithm(defined(stmt.instance)), stmt)];
    case "tna.checksum":
      return [calculated(emission, "csum16", stmt)];
    case "tna.place":
      return [primitive("parser_place", [target(emission, defined(args[0]))], span)];
    case "tna.parsed": {
      const from = emission.expressions.parameter(defined(args[1]));
      return [primitive("parsed_checksum", [target(emission, defined(args[0])), from], span)];
    }
    case "tna.alu": {
      const count = stmt.outs.length;
      const array: bmv2.Value = { type: "register_array", value: defined(stmt.instance).name };
      const results = args.slice(0, count).map((place) => target(emission, place));
      const others = args.slice(count).map((value) => emission.expressions.parameter(value));
      return [primitive("stateful_alu", [array, hexValue(BigInt(count)), ...results, ...others], span)];
    }
    case "tna.clear": {
      const array: bmv2.Value = { type: "register_array", value: defined(stmt.instance).name };
      return [primitive("register_fill", [array, emission.expressions.parameter(defined(args[0]))], span)];
    }
    case "tna.low_pass":
    case "tna.early_drop": {
      const [to, spec, state, value, index] = args.map(defined);
      const array = (one: Expr | undefined): bmv2.Value => ({
        type: "register_array",
        value: one?.kind === "instance" ? one.instance.name : "",
      });
      const others = [value!, index!].map((one) => emission.expressions.parameter(one));
      const op = stmt.name.slice("tna.".length);
      return [primitive(op, [target(emission, to!), array(spec), array(state), ...others], span)];
    }
    case "tna.math": {
      const { table, halfPowers, scale } = mathUnit(defined(stmt.instance));
      const numbers = [halfPowers, scale, ...table].map((value) => hexValue(BigInt(value)));
      const [to, operand] = args;
      return [
        primitive(
          "math_unit",
          [
            target(emission, defined(to)),
            emission.expressions.parameter(defined(operand)),
            { type: "parameters_vector", value: numbers },
          ],
          span,
        ),
      ];
    }
    case "tna.shorten":
      return [primitive("shorten_packet", [emission.expressions.parameter(defined(args[0]))], span)];
    case "tna.mirror":
      return [
        primitive(
          "mirror",
          [emission.expressions.parameter(defined(args[0])), ...gathered(emission, stmt, args[1])],
          span,
        ),
      ];
    case "tna.resubmit":
      return [primitive("resubmit_data", gathered(emission, stmt, args[0]), span)];
    default:
      return (
        statePrimitives(emission, stmt) ??
        fail(CODES.statementNotInBmv2, span, `the switch cannot do this here: ${stmt.name}`)
      );
  }
}

/** Of all 64 bits that the calculation has. */
function calculated(emission: Emission, algo: string, stmt: Extern): bmv2.Primitive {
  const [result, data] = stmt.args;
  const name = calculation(emission, algo, defined(data), stmt);
  const none = number(0n, bits(8), stmt.span);
  return hashPrimitive(emission, name, [defined(result), none, number(1n << 63n, bits(64), stmt.span)], stmt);
}

/** The bytes of a header that is put in front of a copy. */
function gathered(emission: Emission, stmt: Extern, data: Expr | undefined): bmv2.Value[] {
  if (data === undefined) return [];
  return [{ type: "calculation", value: calculation(emission, "bytes", data, stmt) }];
}
