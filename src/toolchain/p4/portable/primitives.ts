/** The portable externs as primitives of psa_switch and pna_nic, in the form in which p4c writes them. */
import { defined, fail } from "../../../base/index.js";
import type { bmv2 } from "../../program/index.js";
import { CODES } from "../codes.js";
import { calculationInput } from "../emit/bmv2-calculations.js";
import { hexValue } from "../emit/bmv2-expressions.js";
import { statePrimitives } from "../emit/bmv2-state.js";
import { type BlockKind, type Emission, primitive, target } from "../emit/emission.js";
import type { Expr, StmtOf } from "../lower/ir.js";

type Extern = StmtOf<"extern">;

export function portablePrimitives(
  emission: Emission,
  stmt: Extern | StmtOf<"digest">,
  _block: BlockKind,
): bmv2.Primitive[] {
  if (stmt.kind === "digest") {
    const elements = stmt.elements.map((element) => emission.expressions.number(element));
    const id = emission.resources.learnList(stmt.name, elements, stmt.span);
    return [primitive("generate_digest", [hexValue(1n), hexValue(BigInt(id))], stmt.span)];
  }
  const { args, span, instance, name } = stmt;
  const value = (at: number): bmv2.Value => emission.expressions.parameter(defined(args[at]));
  const place = (at: number): bmv2.Value => target(emission, defined(args[at]));
  const object: bmv2.Value = { type: "extern", value: instance?.name ?? "" };
  switch (name) {
    case "counter.count":
      return [primitive("_Counter_count", [object, value(0)], span)];
    case "portable.Meter.execute":
      return [primitive("_Meter_execute", [object, value(0), place(1)], span)];
    case "portable.hash":
      return [primitive("_Hash_get_hash", [object, place(0), fields(emission, args[1])], span)];
    case "portable.hash_mod":
      return [
        primitive(
          "_Hash_get_hash_mod",
          [object, place(0), value(1), fields(emission, args[2]), value(3)],
          span,
        ),
      ];
    case "portable.InternetChecksum.add":
    case "portable.InternetChecksum.subtract":
      return [primitive(method(name), [object, fields(emission, args[0])], span)];
    case "portable.InternetChecksum.get":
    case "portable.InternetChecksum.get_state":
      return [primitive(method(name), [object, place(0)], span)];
    case "portable.InternetChecksum.set_state":
      return [primitive(method(name), [object, value(0)], span)];
    case "portable.InternetChecksum.clear":
      return [primitive(method(name), [object], span)];
    case "assert":
    case "assume":
      return [primitive(name, [value(0)], span)];
    case "drop_packet":
    case "recirculate":
      return [primitive(name, [], span)];
    case "send_to_port":
      return [primitive(name, [value(0)], span)];
    case "mirror_packet":
      return [primitive(name, [value(0), value(1)], span)];
    default:
      return (
        statePrimitives(emission, stmt) ??
        fail(CODES.statementNotInBmv2, span, `BMv2 cannot do this here: ${name}`)
      );
  }
}

/** `portable.TYPE.METHOD` as BMv2 names it. */
function method(name: string): string {
  return name.replace("portable", "").replaceAll(".", "_");
}

function fields(emission: Emission, data: Expr | undefined): bmv2.Value {
  return { type: "field_list", value: calculationInput(emission, defined(data)) };
}
