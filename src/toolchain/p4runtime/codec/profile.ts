/** Members and groups of action profiles (P4Runtime spec 9.2). */
import { create } from "@bufbuild/protobuf";
import type {
  ActionProfileGroup,
  ActionProfileMember,
  GroupMember,
  ReadQuery,
  Update,
} from "../../device/index.js";
import type { ProfileInfo } from "../../program/index.js";
import {
  ActionProfileGroupSchema,
  ActionProfileMemberSchema,
  type ActionProfileGroup as GroupMessage,
  type ActionProfileMember as MemberMessage,
} from "../generated/p4/v1/p4runtime_pb.js";
import {
  anyAction,
  checkGroupSize,
  checkMemberAction,
  checkWeight,
  decodeAction,
  encodeAction,
} from "./action.js";
import { decodeWatch, encodeWatch } from "./ports.js";
import { arrayById, arrayNamed } from "./resources.js";
import { checkId, checkNumber, invalid, MAX_INT32, type Wire } from "./wire.js";

export function encodeMember(wire: Wire, entry: ActionProfileMember): MemberMessage {
  return create(ActionProfileMemberSchema, {
    actionProfileId: arrayNamed(wire.index.actionProfiles, entry.profile, "action profile").id,
    memberId: checkNumber(entry.memberId, "member id"),
    action: encodeAction(wire, entry.action),
  });
}

/** A member in the answer of a switch, which is not checked. */
export function decodeMember(wire: Wire, message: MemberMessage): ActionProfileMember {
  const profile = arrayById(wire.index.actionProfiles, message.actionProfileId, "action profile");
  const action = decodeAction(wire, message.action, anyAction);
  return { kind: "member", profile: profile.name, memberId: message.memberId, action };
}

export function decodeMemberUpdate(wire: Wire, type: Update["type"], message: MemberMessage): Update {
  const profile = arrayById(wire.index.actionProfiles, message.actionProfileId, "action profile");
  const memberId = checkId(message.memberId, "member id");
  // A DELETE uses only the key.
  const action =
    type === "delete"
      ? { action: "", params: {} }
      : decodeAction(wire, message.action, checkMemberAction(profile));
  return { type, entity: { kind: "member", profile: profile.name, memberId, action } };
}

export function encodeGroup(wire: Wire, entry: ActionProfileGroup): GroupMessage {
  const profile = arrayNamed(wire.index.actionProfiles, entry.profile, "action profile");
  return create(ActionProfileGroupSchema, {
    actionProfileId: profile.id,
    groupId: checkNumber(entry.groupId, "group id"),
    maxSize: checkNumber(entry.maxSize, "max_size", MAX_INT32),
    members: entry.members.map((member) => ({
      memberId: checkNumber(member.memberId, "member id"),
      weight: profile.message.weightsDisallowed ? 0 : checkNumber(member.weight, "weight", MAX_INT32),
      watchKind: encodeWatch(wire, member),
    })),
  });
}

export function decodeGroup(wire: Wire, message: GroupMessage): ActionProfileGroup {
  const profile = arrayById(wire.index.actionProfiles, message.actionProfileId, "action profile");
  const members = message.members.map((m) => decodeGroupMember(wire, m, m.weight));
  return {
    kind: "group",
    profile: profile.name,
    groupId: message.groupId,
    members,
    maxSize: message.maxSize,
  };
}

function decodeGroupMember(
  wire: Wire,
  message: GroupMessage["members"][number],
  weight: number,
): GroupMember {
  const { memberId, watchKind } = message;
  return { memberId, weight: Math.max(weight, 1), ...decodeWatch(wire, watchKind) };
}

export function decodeGroupUpdate(wire: Wire, type: Update["type"], message: GroupMessage): Update {
  const profile = arrayById(wire.index.actionProfiles, message.actionProfileId, "action profile");
  const groupId = checkId(message.groupId, "group id");
  if (!profile.message.withSelector)
    throw invalid(`action profile "${profile.name}" has no selector, so no groups`);
  const members = type === "delete" ? [] : checkedMembers(wire, profile, message);
  const entity: ActionProfileGroup = {
    kind: "group",
    profile: profile.name,
    groupId,
    members,
    maxSize: message.maxSize,
  };
  return { type, entity };
}

/** Members of a group to write: no duplicates, proper weights, not more than the sizes allow (9.2.2). */
function checkedMembers(wire: Wire, profile: ProfileInfo, message: GroupMessage): GroupMember[] {
  const { maxGroupSize } = profile.message;
  if (message.maxSize < 0) throw invalid(`max_size ${message.maxSize} is negative`);
  if (maxGroupSize > 0 && message.maxSize > maxGroupSize) {
    throw invalid(`max_size ${message.maxSize} is above max_group_size ${maxGroupSize} of "${profile.name}"`);
  }
  const seen = new Set<number>();
  const members = message.members.map((member) => {
    checkId(member.memberId, "member id");
    if (seen.has(member.memberId))
      throw invalid(`member ${member.memberId} twice in a group: use its weight`);
    seen.add(member.memberId);
    return decodeGroupMember(wire, member, checkWeight(profile, member.weight));
  });
  checkGroupSize(profile, members, message.maxSize || maxGroupSize, "RESOURCE_EXHAUSTED");
  return members;
}

type MemberQuery = Extract<ReadQuery, { kind: "member" }>;
type GroupQuery = Extract<ReadQuery, { kind: "group" }>;

export function encodeMemberQuery(wire: Wire, query: MemberQuery): MemberMessage {
  const message = create(ActionProfileMemberSchema);
  if (query.profile !== undefined) {
    message.actionProfileId = arrayNamed(wire.index.actionProfiles, query.profile, "action profile").id;
  }
  if (query.memberId !== undefined) message.memberId = checkNumber(query.memberId, "member id");
  return message;
}

export function decodeMemberQuery(wire: Wire, message: MemberMessage): MemberQuery {
  const query: MemberQuery = { kind: "member" };
  if (message.actionProfileId !== 0) {
    query.profile = arrayById(wire.index.actionProfiles, message.actionProfileId, "action profile").name;
  }
  if (message.memberId !== 0) query.memberId = message.memberId;
  return query;
}

export function encodeGroupQuery(wire: Wire, query: GroupQuery): GroupMessage {
  const message = create(ActionProfileGroupSchema);
  if (query.profile !== undefined) {
    message.actionProfileId = arrayNamed(wire.index.actionProfiles, query.profile, "action profile").id;
  }
  if (query.groupId !== undefined) message.groupId = checkNumber(query.groupId, "group id");
  return message;
}

export function decodeGroupQuery(wire: Wire, message: GroupMessage): GroupQuery {
  const query: GroupQuery = { kind: "group" };
  if (message.actionProfileId !== 0) {
    query.profile = arrayById(wire.index.actionProfiles, message.actionProfileId, "action profile").name;
  }
  if (message.groupId !== 0) query.groupId = message.groupId;
  return query;
}
