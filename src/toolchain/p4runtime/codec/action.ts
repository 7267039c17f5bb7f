/** Actions of entries: `ActionCall` and `TableAction` by name <-> by id (P4Runtime spec 9.1.2, 9.2.3). */
import { create } from "@bufbuild/protobuf";
import { type ActionCall, DeviceError, type TableAction, type WeightedAction } from "../../device/index.js";
import { type ActionInfo, type ProfileInfo, p4info, type TableInfo } from "../../program/index.js";
import {
  type Action,
  ActionProfileActionSchema,
  type ActionProfileActionSet,
  ActionProfileActionSetSchema,
  ActionSchema,
  type TableAction as TableActionMessage,
  TableActionSchema,
} from "../generated/p4/v1/p4runtime_pb.js";
import { decodeSlot, encodeSlot } from "./bytes.js";
import { decodeWatch, encodeWatch } from "./ports.js";
import { checkNumber, invalid, MAX_INT32, type Wire } from "./wire.js";

export function encodeAction(wire: Wire, call: ActionCall): Action {
  const action = wire.index.actions.byName(call.action);
  if (action === undefined) throw invalid(`the program has no action "${call.action}"`);
  const { params } = action;
  let given = 0;
  for (const _ in call.params) given++;
  const list = params.list.map((param) => {
    const value = call.params[param.name];
    if (value === undefined) throw invalid(`action "${action.name}": parameter "${param.name}" is missing`);
    const what = (): string => `action "${action.name}": parameter "${param.name}"`;
    return { paramId: param.id, value: encodeSlot(wire.naming, value, param, what) };
  });
  if (given !== list.length) {
    const extra = Object.keys(call.params).find((name) => params.byName(name) === undefined);
    throw invalid(`action "${action.name}" has no parameter "${extra}"`);
  }
  return create(ActionSchema, { actionId: action.id, params: list });
}

/** Decodes an action with all its parameters; `check` decides whether the action is allowed at this place. */
export function decodeAction(
  wire: Wire,
  message: Action | undefined,
  check: (action: ActionInfo) => void,
): ActionCall {
  if (message === undefined) throw invalid("the action is missing");
  const action = wire.index.actions.byId(message.actionId);
  if (action === undefined) throw invalid(`the program has no action of id ${message.actionId}`);
  check(action);
  const params: Record<string, bigint> = {};
  let count = 0;
  for (const { paramId, value } of message.params) {
    const param = action.params.byId(paramId);
    if (param === undefined) throw invalid(`action "${action.name}" has no parameter of id ${paramId}`);
    const what = (): string => `action "${action.name}": parameter "${param.name}"`;
    if (param.name in params) throw invalid(`${what()} twice`);
    params[param.name] = decodeSlot(wire.naming, value, param, what);
    count++;
  }
  if (count !== action.params.list.length) {
    const missing = action.params.list.find((param) => !(param.name in params));
    throw invalid(`action "${action.name}": parameter "${missing?.name}" is missing`);
  }
  return { action: action.name, params };
}

/** Checks that the table lists the action and that its scope allows the place (P4Runtime spec 9.1.2). */
export function checkTableAction(table: TableInfo, isDefault: boolean): (action: ActionInfo) => void {
  return (action) => {
    const use = table.actions.get(action.id);
    if (use === undefined) throw invalid(`"${action.name}" is no action of table "${table.name}"`);
    const { DEFAULT_ONLY, TABLE_ONLY } = p4info.ActionRef_Scope;
    if (use.scope === (isDefault ? TABLE_ONLY : DEFAULT_ONLY)) {
      throw new DeviceError(
        "PERMISSION_DENIED",
        `table "${table.name}": action "${action.name}" may ${isDefault ? "not be" : "only be"} the default action`,
      );
    }
  };
}

/** As above for a member of an action profile: some table that uses the profile must list the action. */
export function checkMemberAction(profile: ProfileInfo): (action: ActionInfo) => void {
  return (action) => {
    if (profile.tables.length === 0) return;
    const use = profile.tables.map((table) => table.actions.get(action.id)).find((u) => u !== undefined);
    if (use === undefined) {
      throw invalid(`"${action.name}" is no action of the tables of action profile "${profile.name}"`);
    }
    if (use.scope === p4info.ActionRef_Scope.DEFAULT_ONLY) {
      throw new DeviceError("PERMISSION_DENIED", `action "${action.name}" may only be a default action`);
    }
  };
}

/** For reads by a client: accepts any answer of the switch. */
export const anyAction = (): void => {};

export function encodeTableAction(wire: Wire, action: TableAction): TableActionMessage {
  switch (action.kind) {
    case "action":
      return create(TableActionSchema, { type: { case: "action", value: encodeAction(wire, action) } });
    case "member":
      return create(TableActionSchema, {
        type: { case: "actionProfileMemberId", value: checkNumber(action.memberId, "member id") },
      });
    case "group":
      return create(TableActionSchema, {
        type: { case: "actionProfileGroupId", value: checkNumber(action.groupId, "group id") },
      });
    case "oneShot": {
      const set = create(ActionProfileActionSetSchema, {
        actionProfileActions: action.actions.map((one) =>
          create(ActionProfileActionSchema, {
            action: encodeAction(wire, one),
            weight: checkNumber(one.weight, "weight", MAX_INT32),
            watchKind: encodeWatch(wire, one),
          }),
        ),
      });
      return create(TableActionSchema, { type: { case: "actionProfileActionSet", value: set } });
    }
  }
}

/** Decodes the action of an entry and checks that its form suits the table's implementation. */
export function decodeTableAction(
  wire: Wire,
  table: TableInfo,
  message: TableActionMessage,
  check: (action: ActionInfo) => void,
): TableAction {
  const { type } = message;
  const { profile } = table;
  const refuse = (): DeviceError => {
    const suits =
      profile === undefined
        ? "an action"
        : profile.message.withSelector
          ? "a member, group or action set"
          : "a member";
    return invalid(`table "${table.name}" takes ${suits}, not ${type.case ?? "nothing"}`);
  };
  switch (type.case) {
    case "action":
      if (profile !== undefined) throw refuse();
      return { kind: "action", ...decodeAction(wire, type.value, check) };
    case "actionProfileMemberId":
      if (profile === undefined) throw refuse();
      return { kind: "member", memberId: type.value };
    case "actionProfileGroupId":
      if (!profile?.message.withSelector) throw refuse();
      return { kind: "group", groupId: type.value };
    case "actionProfileActionSet":
      if (!profile?.message.withSelector) throw refuse();
      return { kind: "oneShot", actions: decodeActionSet(wire, profile, type.value, check) };
    default:
      throw refuse();
  }
}

function decodeActionSet(
  wire: Wire,
  profile: ProfileInfo,
  set: ActionProfileActionSet,
  check: (action: ActionInfo) => void,
): WeightedAction[] {
  if (set.groupAction !== undefined || set.actionSelectionMode !== 0 || set.sizeSemantics !== 0) {
    throw new DeviceError(
      "UNIMPLEMENTED",
      "group actions, selection modes and size semantics are not supported",
    );
  }
  const actions = set.actionProfileActions.map((message) => {
    return {
      ...decodeAction(wire, message.action, check),
      weight: checkWeight(profile, message.weight),
      ...decodeWatch(wire, message.watchKind),
    };
  });
  checkGroupSize(profile, actions, profile.message.maxGroupSize, "INVALID_ARGUMENT");
  return actions;
}

/** A weight as the action profile allows it; where weights are disallowed, the 0 that is sent means 1. */
export function checkWeight(profile: ProfileInfo, weight: number): number {
  const semantics = profile.message.selectorSizeSemantics;
  if (profile.message.weightsDisallowed) {
    if (weight !== 0)
      throw invalid(`action profile "${profile.name}" allows no weights, but one is ${weight}`);
    return 1;
  }
  if (weight <= 0) throw invalid(`weight ${weight} of action profile "${profile.name}" should be at least 1`);
  if (semantics.case === "sumOfMembers") {
    const most = semantics.value.maxMemberWeight;
    if (most > 0 && weight > most)
      throw invalid(`weight ${weight} is above the largest of a member, ${most}`);
  }
  return weight;
}

/** Members or weights, as the profile counts, must not exceed `limit`; 0 is no limit. */
export function checkGroupSize(
  profile: ProfileInfo,
  members: readonly { weight: number }[],
  limit: number,
  code: "INVALID_ARGUMENT" | "RESOURCE_EXHAUSTED",
): void {
  const byMembers = profile.message.selectorSizeSemantics.case === "sumOfMembers";
  const size = byMembers ? members.length : members.reduce((sum, m) => sum + m.weight, 0);
  if (limit > 0 && size > limit) {
    const counted = byMembers ? "members" : "weights";
    throw new DeviceError(
      code,
      `action profile "${profile.name}": ${size} ${counted} exceed the group size ${limit}`,
    );
  }
}
