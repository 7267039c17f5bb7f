/** Value sets in P4Info: one match field for a number; for a struct, one match field per field. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { defined, fail } from "../../../base/index.js";
import { p4info } from "../../program/index.js";
import { CODES } from "../codes.js";
import type { IrValueSet } from "../lower/ir.js";
import type { Annotation } from "../syntax/ast.js";
import { annotated, annotationArguments, fieldIds } from "./p4info-annotations.js";
import type { SymbolTable } from "./p4info-symbols.js";
import { flatFields } from "./p4info-types.js";
import { typeWidth } from "./type-width.js";

type ValueSetInit = MessageInitShape<typeof p4info.ValueSetSchema>;

const EXACT = { case: "matchType" as const, value: p4info.MatchField_MatchType.EXACT };

const MATCH: Record<string, p4info.MatchField_MatchType> = {
  exact: p4info.MatchField_MatchType.EXACT,
  lpm: p4info.MatchField_MatchType.LPM,
  ternary: p4info.MatchField_MatchType.TERNARY,
  range: p4info.MatchField_MatchType.RANGE,
  optional: p4info.MatchField_MatchType.OPTIONAL,
};

export function valueSetMessage(symbols: SymbolTable, set: IrValueSet): ValueSetInit {
  return {
    preamble: {
      id: symbols.id("valueSet", set.name),
      name: set.name,
      alias: symbols.alias(set.name),
      ...annotated(set.annotations),
    },
    match: matchFields(set),
    size: set.size,
  };
}

function matchFields(set: IrValueSet): NonNullable<ValueSetInit["match"]> {
  const type = set.element;
  if (type.kind === "bit") return [{ id: 1, bitwidth: type.width, match: EXACT }];
  if (type.kind === "serializableEnum")
    return type.declaration.members.map((member, index) => ({
      id: index + 1,
      name: member.name.name,
      bitwidth: typeWidth(type.underlying),
      match: EXACT,
    }));
  if (type.kind !== "struct")
    return fail(
      CODES.valueSetType,
      set.span,
      "P4Info has value sets of bit<W>, of structs of bit<W>, and of enums with a width only",
    );
  const fields = flatFields(type);
  const ids = fieldIds(fields);
  return fields.map((field, index) => {
    if (field.type.kind !== "bit")
      fail(CODES.valueSetType, set.span, `the field ${field.name} of a value set must be a bit<W>`);
    return {
      id: defined(ids[index]),
      name: field.name,
      bitwidth: field.type.width,
      match: matchOf(field.annotations),
      ...annotated(field.annotations, ["match"]),
    };
  });
}

/** `@match(ternary)` on a field of the struct. */
function matchOf(annotations: readonly Annotation[]) {
  const value = annotationArguments(annotations, "match")?.[0];
  const name = value?.kind === "path" ? value.name.name : "exact";
  const standard = MATCH[name];
  return standard === undefined
    ? { case: "otherMatchType" as const, value: name }
    : { case: "matchType" as const, value: standard };
}
