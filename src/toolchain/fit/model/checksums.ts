/**
 * Tables that the Tofino compiler adds at the end of a gress: a deparser has no conditions, so where a program updates a
 * checksum only sometimes, a table over the condition's bits and the header's validity decides whether the updated or the
 * original checksum is sent (p4c, backends/tofino/bf-p4c/parde/deparser_checksum_update.cpp, add_checksum_condition_table).
 */
import type { bmv2 } from "../../program/index.js";
import { type Expr, readsOf, readValue } from "./expressions.js";
import {
  type Access,
  type ActionModel,
  type FieldInfo,
  type Gress,
  NO_RESOURCES,
  type Unit,
} from "./model.js";
import { type Statement, structureOf } from "./statements.js";

/** One field that the deparser may update. */
interface Update {
  readonly header: string;
  readonly conditions: Access[];
  /** Field lists from which it is computed, each under its own condition. */
  lists: number;
  isUnconditional: boolean;
  readonly source: bmv2.SourceInfo | undefined;
}

/** The tables for the conditional updates of a deparser; their fields are added to `fields`. */
export function checksumTables(
  deparser: bmv2.Bmv2Deparser | undefined,
  gress: Gress,
  fields: Map<string, FieldInfo>,
): Omit<Unit, "id">[] {
  const updates = new Map<string, Update>();
  collect(structureOf(deparser?.primitives ?? []), [], { fields, updates });
  return [...updates]
    .filter(([, update]) => !update.isUnconditional)
    .map(([field, update]) => tableOf(field, update, gress, fields));
}

interface Collection {
  readonly fields: ReadonlyMap<string, FieldInfo>;
  readonly updates: Map<string, Update>;
}

function collect(nodes: readonly Statement[], guards: readonly Expr[], into: Collection): void {
  for (const node of nodes) {
    if (node.kind === "if") {
      const condition = readValue(node.condition, { fields: into.fields, parameters: [] });
      collect(node.yes, [...guards, condition], into);
      collect(node.no, [...guards, condition], into);
    } else if (node.kind === "primitive" && node.primitive.op === "assign")
      note(node.primitive, guards, into);
  }
}

function note(
  { parameters: [target], source_info: source }: bmv2.Primitive,
  guards: readonly Expr[],
  { fields, updates }: Collection,
): void {
  if (target?.type !== "field") return;
  const [header] = target.value;
  const field = target.value.join(".");
  if (fields.get(field)?.metadata !== false) return;
  const update = updates.get(field) ?? { header, conditions: [], lists: 0, isUnconditional: false, source };
  updates.set(field, update);
  // The header is valid wherever its checksum is sent.
  const tested = guards
    .flatMap((guard) => readsOf(guard))
    .filter((read) => read.field !== `${header}.$valid$`);
  update.lists += 1;
  if (tested.length === 0) update.isUnconditional = true;
  for (const access of tested)
    if (!update.conditions.some(({ field: known }) => known === access.field)) update.conditions.push(access);
}

/** An entry for each value of the conditions; the header is valid in all of them. Nothing happens for one that is not. */
function tableOf(
  field: string,
  { header, conditions, lists, source }: Update,
  gress: Gress,
  fields: Map<string, FieldInfo>,
): Omit<Unit, "id"> {
  const valid: Access = { field: `${header}.$valid$`, lo: 0, width: 1 };
  const outputs = ["original", ...Array.from({ length: lists }, (_, i) => `updated_${i}`)].map((name) => {
    const full = `${field}.$${name}$`;
    const offset = 0;
    fields.set(full, { name: full, header, width: 1, offset, metadata: true, intrinsic: true });
    return { field: full, lo: 0, width: 1 };
  });
  const action: ActionModel = {
    name: "$checksum",
    hit: true,
    isDefault: false,
    memories: [],
    data: outputs.map((target) => ({ bits: 1, target })),
    reads: [],
    writes: outputs,
    fromBus: [],
    arithmetic: [],
    operations: outputs.map((write) => ({ kind: "set", write, sources: [], data: true, source })),
    source,
  };
  const otherwise: ActionModel = {
    ...action,
    name: "$nop",
    hit: true,
    isDefault: true,
    data: [],
    writes: [],
    operations: [],
  };
  const key = [valid, ...conditions].map((access) => ({ access, kind: "exact" as const }));
  return {
    name: `${field}$checksum`,
    label: `condition of the checksum ${field}`,
    gress,
    kind: "match",
    table: undefined,
    key,
    actions: [action, otherwise],
    size: 2 ** key.length,
    ...NO_RESOURCES,
    constEntries: 2 ** (key.length - 1),
    isLast: true,
    condition: undefined,
    source,
  };
}
