/** Action profiles and selectors: members, groups, and which member a group gives for a hash. */
import {
  type ActionProfile,
  ActionProfileSchema,
  type ActionSelector,
  ActionSelectorSchema,
} from "../p4info/generated/barefoot/tofino_pb.js";
import type { Context, Instance } from "./context.js";
import { annotations, field, fixed, indexKey, keyField, optional, plain, table } from "./fields.js";
import { FIELD_ID, idOfKind, PREFIX } from "./ids.js";
import { actionSpecs } from "./match-tables.js";
import type { BfrtTable } from "./schema.js";

/** The profile on which a match table depends, for the first table of each profile. */
export function profilesOfTables(context: Context): ReadonlyMap<number, number> {
  const all = new Map<number, number>();
  for (const { id, info } of context.instances(PREFIX.ACTION_PROFILE, ActionProfileSchema)) {
    const [first] = info.tableIds;
    if (first !== undefined && !all.has(first)) all.set(first, id);
  }
  return all;
}

export function profileTables(context: Context): BfrtTable[] {
  return context
    .instances(PREFIX.ACTION_PROFILE, ActionProfileSchema)
    .map((one) => profileTable(context, one));
}

/** Its actions are those of its tables, which all have the same. */
function profileTable(context: Context, one: Instance<ActionProfile>): BfrtTable {
  const tables = one.info.tableIds.map((id) => context.table(id, `action profile "${one.name}"`));
  const [first] = tables;
  const { name, id, annotations: texts } = one;
  return {
    name,
    id,
    table_type: "Action",
    size: one.info.size,
    annotations: annotations(texts),
    depends_on: [],
    key: indexKey("ACTION_MEMBER_ID"),
    action_specs: first === undefined ? [] : actionSpecs(context, first),
    data: [],
    supported_operations: [],
    attributes: [],
  };
}

export function selectorTables(context: Context): BfrtTable[] {
  return context
    .instances(PREFIX.ACTION_SELECTOR, ActionSelectorSchema)
    .flatMap((one) => [selectorTable(one), getMemberTable(one)]);
}

/** Where the action data of the group's members begins; no driver reads the number that stands here before one sets it. */
const NO_OFFSET = 0xdeadbeef;

function selectorTable(one: Instance<ActionSelector>): BfrtTable {
  const { numGroups, maxGroupSize, actionProfileId } = one.info;
  return table(
    {
      name: one.name,
      id: idOfKind(one.id, PREFIX.ACTION_SELECTOR),
      table_type: "Selector",
      size: numGroups,
      annotations: annotations(one.annotations),
      depends_on: [actionProfileId],
    },
    {
      key: indexKey("SELECTOR_GROUP_ID"),
      data: [
        optional(fixed("ACTION_MEMBER_ID", plain("uint32"), true)),
        optional(fixed("ACTION_MEMBER_STATUS", plain("bool"), true)),
        optional(fixed("MAX_GROUP_SIZE", plain("uint32", maxGroupSize))),
        optional(fixed("ADT_OFFSET", plain("uint32", NO_OFFSET))),
      ],
    },
  );
}

function getMemberTable(one: Instance<ActionSelector>): BfrtTable {
  const key = (id: number, name: string) => keyField(id, name, plain("uint64"), { mandatory: true });
  return table(
    {
      name: `${one.name}_get_member`,
      id: idOfKind(one.id, PREFIX.ACTION_SELECTOR_GET_MEMBER),
      table_type: "SelectorGetMember",
      size: 1,
      annotations: annotations(one.annotations),
      depends_on: [idOfKind(one.id, PREFIX.ACTION_SELECTOR)],
    },
    {
      key: [key(FIELD_ID.GET_MEMBER_GROUP_ID, "$SELECTOR_GROUP_ID"), key(FIELD_ID.HASH_VALUE, "hash_value")],
      data: [optional(field(FIELD_ID.GET_MEMBER_MEMBER_ID, "$ACTION_MEMBER_ID", plain("uint64")))],
    },
  );
}
