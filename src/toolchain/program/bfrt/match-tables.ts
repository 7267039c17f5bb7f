/** The match-action tables of the program. */
import { given } from "../../../base/index.js";
import {
  ActionRef_Scope,
  type MatchField,
  MatchField_MatchType,
  type Table,
  Table_IdleTimeoutBehavior,
} from "../p4info/generated/p4/config/v1/p4info_pb.js";
import { type Context, missing } from "./context.js";
import {
  actionField,
  annotations,
  bytes,
  choice,
  fixed,
  keyField,
  mandatory,
  optional,
  plain,
} from "./fields.js";
import { FIELD_ID, PREFIX, prefixOf } from "./ids.js";
import { directResources } from "./resources.js";
import type { BfrtActionSpec, BfrtData, BfrtKeyField, BfrtTable } from "./schema.js";

/** `profileOf` names the action profile of a table whose entries choose members of a selector. */
export function matchTables(context: Context, profileOf: ReadonlyMap<number, number>): BfrtTable[] {
  const resources = directResources(context);
  return context.p4info.tables.map((one) => matchTable(context, one, resources, profileOf));
}

function matchTable(
  context: Context,
  one: Table,
  resources: ReturnType<typeof directResources>,
  profileOf: ReadonlyMap<number, number>,
): BfrtTable {
  const { id, name } = one.preamble ?? { id: 0, name: "" };
  const texts: readonly string[] = one.preamble?.annotations ?? [];
  const implementation = one.implementationId;
  const profile = profileOf.get(id);
  const isDirect = implementation === 0;
  const specs = isDirect ? actionSpecs(context, one) : undefined;
  const lastId = (specs ?? []).reduce(
    (last, { data: params }) => params.reduce((most, { id: own }) => Math.max(most, own), last),
    0,
  );
  const data = isDirect ? [] : memberData(implementation, name);
  const operations: string[] = [];
  const attributes: string[] = [];
  for (const resource of one.directResourceIds) {
    const addition = resources.get(resource) ?? missing("direct resource", resource, `table "${name}"`);
    const { data: added, operation, attribute } = addition(lastId + 1);
    data.push(...added);
    if (operation !== undefined) operations.push(operation);
    if (attribute !== undefined) attributes.push(attribute);
  }
  attributes.push("EntryScope");
  if (texts.includes("@dynamic_table_key_masks(1)")) attributes.push("DynamicKeyMask");
  if (one.isConstTable) attributes.push("ConstTable");
  if (one.idleTimeoutBehavior === Table_IdleTimeoutBehavior.NOTIFY_CONTROL) {
    operations.push("UpdateHitState");
    attributes.push("IdleTimeout");
    data.push(...idleData(texts));
  }
  const depends = [implementation, profile].filter((other) => other !== undefined && other !== 0);
  const table_type = isDirect ? "MatchAction_Direct" : indirectType(implementation);
  return {
    name,
    id,
    ...(isDirect ? { table_type } : {}),
    size: one.size,
    annotations: annotations(texts),
    depends_on: [...new Set(depends as number[])],
    table_type,
    has_const_default_action: one.constDefaultActionId !== 0,
    key: tableKey(one.matchFields),
    ...given({ action_specs: specs }),
    data,
    supported_operations: operations,
    attributes,
  };
}

function indirectType(implementation: number): string {
  return prefixOf(implementation) === PREFIX.ACTION_SELECTOR
    ? "MatchAction_Indirect_Selector"
    : "MatchAction_Indirect";
}

/** An entry names a member, or with a selector a member or a group. */
function memberData(implementation: number, table: string): BfrtData[] {
  const member = fixed("ACTION_MEMBER_ID", plain("uint32"));
  switch (prefixOf(implementation)) {
    case PREFIX.ACTION_PROFILE:
      return [mandatory(member)];
    case PREFIX.ACTION_SELECTOR: {
      const oneof = [member, fixed("SELECTOR_GROUP_ID", plain("uint32"))];
      return [{ mandatory: true, read_only: false, oneof }];
    }
    default:
      return missing("action profile", implementation, `table "${table}"`);
  }
}

/** Precision 1 is polling alone: the entry has no time to live. */
function idleData(texts: readonly string[]): BfrtData[] {
  const state = optional(fixed("ENTRY_HIT_STATE", choice(["ENTRY_IDLE", "ENTRY_ACTIVE"])));
  const ttl = optional(fixed("ENTRY_TTL", plain("uint32", 0)));
  return texts.includes("@idletime_precision(1)") ? [state] : [state, ttl];
}

// ---------------------------------------------------------------- keys

const MATCH_TYPES: Readonly<Partial<Record<MatchField_MatchType, string>>> = {
  [MatchField_MatchType.EXACT]: "Exact",
  [MatchField_MatchType.LPM]: "LPM",
  [MatchField_MatchType.TERNARY]: "Ternary",
  [MatchField_MatchType.RANGE]: "Range",
  [MatchField_MatchType.OPTIONAL]: "Optional",
};

const OTHER_MATCH_TYPES: Readonly<Record<string, string>> = {
  atcam_partition_index: "ATCAM",
  dleft_hash: "DLEFT_HASH",
};

function matchTypeOf({ match }: MatchField): string | undefined {
  if (match.case === "matchType") return MATCH_TYPES[match.value];
  const name = match.value ?? "";
  return Object.hasOwn(OTHER_MATCH_TYPES, name) ? OTHER_MATCH_TYPES[name] : undefined;
}

/** Keys need not be given: the driver takes 0. Among entries that overlap a priority decides. */
function tableKey(fields: readonly MatchField[]): BfrtKeyField[] {
  const keys: BfrtKeyField[] = [];
  let overlaps = false;
  for (const one of fields) {
    const matchType = matchTypeOf(one);
    if (matchType === undefined) continue;
    overlaps ||= matchType === "Ternary" || matchType === "Range" || matchType === "Optional";
    keys.push(matchKey(one, matchType));
  }
  if (overlaps)
    keys.push(keyField(FIELD_ID.MATCH_PRIORITY, "$MATCH_PRIORITY", plain("uint32"), { mandatory: false }));
  return keys;
}

/** A name as the context of the driver has it: `hdr[1].f` is `hdr$1.f`, and a validity bit ends without a second `$`. */
function matchKey(one: MatchField, matchType: string): BfrtKeyField {
  const { name } = one;
  const notes = annotations(one.annotations);
  const slice = /\[[0-9]+:[0-9]+\]/.test(name) ? [{ name: "isFieldSlice", value: "true" }] : [];
  const keyName = (name.includes(".$valid") ? name.slice(0, -1) : name).replace(/\[([0-9]+)\]/g, "$$$1");
  const mask =
    matchType === "Exact" && keyName === name ? /\s*&\s*(0x[a-fA-F0-9]+)/.exec(name)?.[1] : undefined;
  const type = { ...bytes(one.bitwidth), ...given({ mask }) };
  return keyField(one.id, keyName, type, {
    mandatory: false,
    matchType,
    annotations: [...notes, ...slice],
  });
}

// ---------------------------------------------------------------- actions

const SCOPES: Readonly<Partial<Record<ActionRef_Scope, string>>> = {
  [ActionRef_Scope.TABLE_AND_DEFAULT]: "TableAndDefault",
  [ActionRef_Scope.TABLE_ONLY]: "TableOnly",
  [ActionRef_Scope.DEFAULT_ONLY]: "DefaultOnly",
};

export function actionSpecs(context: Context, one: Table): BfrtActionSpec[] {
  return one.actionRefs.map((ref) => {
    const action = context.action(ref.id, `table "${one.preamble?.name ?? ""}"`);
    return {
      id: ref.id,
      name: action.preamble?.name ?? "",
      action_scope: SCOPES[ref.scope] ?? "TableAndDefault",
      annotations: annotations(ref.annotations),
      data: action.params.map((param) =>
        actionField(param.id, param.name, bytes(param.bitwidth), {
          mandatory: true,
          annotations: annotations(param.annotations),
        }),
      ),
    };
  });
}
