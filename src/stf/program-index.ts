/**
 * Tables, actions and counters of a BMv2 program under the names that a P4Info would give them, for programs that
 * come without one. p4c writes optional fields as ternary ones, so that is what they are here.
 */
import { type Bmv2Program, type bmv2, createP4Info, P4InfoIndex, p4info } from "../program/index.js";

const KINDS = {
  exact: p4info.MatchField_MatchType.EXACT,
  valid: p4info.MatchField_MatchType.EXACT,
  lpm: p4info.MatchField_MatchType.LPM,
  ternary: p4info.MatchField_MatchType.TERNARY,
  optional: p4info.MatchField_MatchType.OPTIONAL,
  range: p4info.MatchField_MatchType.RANGE,
} as const satisfies Record<bmv2.MatchKind, p4info.MatchField_MatchType>;

/** Ids are BMv2's own; tables, actions and counters share none with each other's kind, which is all that counts here. */
export function indexOf(program: Bmv2Program): P4InfoIndex {
  const width = fieldWidths(program);
  const tables = program.pipelines.flatMap((pipeline) => pipeline.tables);
  return new P4InfoIndex(
    createP4Info({
      tables: tables.map((table) => ({
        preamble: { id: table.id, name: table.name },
        matchFields: table.key.map((key, i) => ({
          id: i + 1,
          name: key.name ?? (typeof key.target === "string" ? `${key.target}.$valid$` : key.target.join(".")),
          bitwidth: typeof key.target === "string" ? 1 : width(key.target),
          match: { case: "matchType" as const, value: KINDS[key.match_type] },
        })),
        actionRefs: table.action_ids.map((id) => ({ id })),
      })),
      actions: program.actions.map((action) => ({
        preamble: { id: action.id, name: action.name },
        params: action.runtime_data.map(({ name, bitwidth }, i) => ({ id: i + 1, name, bitwidth })),
      })),
    }),
  );
}

/** Width of a field in bits; 1 for a header's validity. */
function fieldWidths(program: Bmv2Program): (field: bmv2.FieldRef) => number {
  const types = new Map(program.header_types.map((type) => [type.name, type]));
  const headers = new Map(program.headers.map((header) => [header.name, types.get(header.header_type)]));
  return ([header, name]) => {
    if (name === "$valid$") return 1;
    const field = headers.get(header)?.fields.find((candidate) => candidate[0] === name);
    return typeof field?.[1] === "number" ? field[1] : 0;
  };
}
