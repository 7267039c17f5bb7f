/** Members, groups and one-shot sets of action profiles (P4Runtime spec 9.2). */
import { defined, given } from "../../../base/index.js";
import type {
  ActionProfileGroup,
  ActionProfileMember,
  GroupMember,
  WeightedAction,
} from "../../device/index.js";
import type { StoredGroup } from "../tables/profile.js";
import { type Instance, type ProfileControl, putParameters } from "./instance.js";
import { refuse } from "./keys.js";
import { checkAction, type Undo } from "./write-checks.js";

export class ProfileWriter {
  constructor(readonly instance: Instance) {}

  find(name: string): ProfileControl {
    const { profiles, p4 } = this.instance;
    const profile = profiles.get(name) ?? profiles.get(p4.actionProfiles.byName(name)?.name ?? "");
    if (profile === undefined) refuse("NOT_FOUND", `the program has no action profile ${name}`);
    return profile;
  }

  member(type: "insert" | "modify" | "delete", entity: ActionProfileMember): Undo {
    const profile = this.find(entity.profile);
    const { store } = profile;
    const { memberId } = entity;
    const present = store.members.get(memberId);
    if (type === "insert") {
      this.#refuseMixing(profile, true);
      if (!Number.isInteger(memberId) || memberId < 0) refuse("INVALID_ARGUMENT", `member id ${memberId}`);
      if (present !== undefined)
        refuse("ALREADY_EXISTS", `action profile ${profile.name} has a member ${memberId}`);
      const action = checkAction(`action profile ${profile.name}`, profile.info.actions, entity.action);
      // No set of weighted actions has members here: the two do not mix.
      if (store.members.size >= store.maxSize)
        refuse(
          "RESOURCE_EXHAUSTED",
          `action profile ${profile.name} is full: it has room for ${store.maxSize} members`,
        );
      const words = new Int32Array(store.stride);
      putParameters(words, 0, action, entity.action.params);
      const member = store.addMember(memberId, entity.action, this.#number(entity.action.action), words);
      return () => store.removeMember(member);
    }
    if (present === undefined || present.hidden)
      refuse("NOT_FOUND", `action profile ${profile.name} has no member ${memberId}`);
    if (type === "delete") {
      if (present.uses > 0)
        refuse("FAILED_PRECONDITION", `member ${memberId} of action profile ${profile.name} is in use`);
      store.removeMember(present);
      return () => {
        const words = new Int32Array(store.stride);
        putParameters(
          words,
          0,
          defined(profile.info.actions.get(present.action.action)),
          present.action.params,
        );
        store.restoreMember(present, this.#number(present.action.action), words);
      };
    }
    const action = checkAction(`action profile ${profile.name}`, profile.info.actions, entity.action);
    const before = present.action;
    const words = new Int32Array(store.stride);
    putParameters(words, 0, action, entity.action.params);
    store.write(present, entity.action, this.#number(entity.action.action), words);
    return () => {
      this.member("modify", { ...entity, action: before });
    };
  }

  group(type: "insert" | "modify" | "delete", entity: ActionProfileGroup): Undo {
    const profile = this.find(entity.profile);
    const { store } = profile;
    const { groupId } = entity;
    if (!store.hasSelector)
      refuse("INVALID_ARGUMENT", `action profile ${profile.name} has no selector, so no groups`);
    const present = store.groups.get(groupId);
    if (!Number.isInteger(entity.maxSize) || entity.maxSize < 0)
      refuse("INVALID_ARGUMENT", `group ${groupId} has a size of ${entity.maxSize}`);
    if (type === "insert") {
      if (!Number.isInteger(groupId) || groupId < 0) refuse("INVALID_ARGUMENT", `group id ${groupId}`);
      if (present !== undefined)
        refuse("ALREADY_EXISTS", `action profile ${profile.name} has a group ${groupId}`);
      this.#checkMembers(profile, entity.members, entity.maxSize);
      const dropCopies = store.keepCopies(entity.members);
      const group = store.addGroup(groupId, entity.members, entity.maxSize);
      return () => {
        store.removeGroup(group);
        dropCopies();
      };
    }
    if (present === undefined || present.hidden)
      refuse("NOT_FOUND", `action profile ${profile.name} has no group ${groupId}`);
    if (type === "delete") {
      if (present.uses > 0)
        refuse("FAILED_PRECONDITION", `group ${groupId} of action profile ${profile.name} is in use`);
      const { members } = present;
      store.removeGroup(present);
      return () => store.restoreGroup(present, members);
    }
    if (entity.maxSize !== 0 && entity.maxSize !== present.maxSize)
      refuse(
        "INVALID_ARGUMENT",
        `the size of group ${groupId} was set to ${present.maxSize} and cannot change`,
      );
    this.#checkMembers(profile, entity.members, present.maxSize);
    const before = present.members;
    const dropCopies = store.keepCopies(entity.members);
    store.setMembers(present, entity.members);
    return () => {
      store.setMembers(present, before);
      dropCopies();
    };
  }

  #number(action: string): number {
    return defined(this.instance.specialised.actionNumbers.get(action));
  }

  /** A profile has either members and groups or one-shot sets (spec 9.2.3). */
  #refuseMixing(profile: ProfileControl, visible: boolean): void {
    if ((visible ? profile.store.hiddenCount : profile.store.visibleCount) === 0) return;
    refuse(
      "INVALID_ARGUMENT",
      visible
        ? `entries give action profile ${profile.name} sets of weighted actions: it cannot have members and groups too`
        : `action profile ${profile.name} has members or groups: entries cannot give it sets of weighted actions too`,
    );
  }

  #checkMembers(profile: ProfileControl, members: readonly GroupMember[], maxSize: number): void {
    this.#refuseMixing(profile, true);
    const seen = new Set<number>();
    let weights = 0;
    for (const { memberId, weight } of members) {
      const member = profile.store.members.get(memberId);
      if (member === undefined || member.hidden)
        refuse("NOT_FOUND", `action profile ${profile.name} has no member ${memberId}`);
      if (seen.has(memberId)) refuse("INVALID_ARGUMENT", `member ${memberId} is twice in the group`);
      seen.add(memberId);
      if (!Number.isInteger(weight) || weight < 1)
        refuse("INVALID_ARGUMENT", `member ${memberId} has weight ${weight}; a weight is at least 1`);
      weights += weight;
    }
    this.#checkSize(profile, weights, maxSize);
  }

  #checkSize(profile: ProfileControl, weights: number, maxSize: number): void {
    const limits = [maxSize, profile.maxGroupSize].filter((limit) => limit > 0);
    const limit = limits.length === 0 ? undefined : Math.min(...limits);
    if (limit !== undefined && weights > limit)
      refuse("RESOURCE_EXHAUSTED", `the group's weights add up to ${weights}; at most ${limit} fit`);
    if (weights > 1 << 20) refuse("RESOURCE_EXHAUSTED", `the group's weights add up to ${weights}`);
  }

  /** @param freed number of members of the set that this set replaces */
  checkOneShot(profile: ProfileControl, actions: readonly WeightedAction[], freed: number): void {
    if (!profile.store.hasSelector)
      refuse(
        "INVALID_ARGUMENT",
        `action profile ${profile.name} has no selector: no set of weighted actions`,
      );
    this.#refuseMixing(profile, false);
    if (actions.length === 0) refuse("INVALID_ARGUMENT", "a set of weighted actions needs at least one");
    let weights = 0;
    for (const action of actions) {
      checkAction(`action profile ${profile.name}`, profile.info.actions, action);
      if (!Number.isInteger(action.weight) || action.weight < 1)
        refuse(
          "INVALID_ARGUMENT",
          `action ${action.action} has weight ${action.weight}; a weight is at least 1`,
        );
      weights += action.weight;
    }
    this.#checkSize(profile, weights, 0);
    const { maxSize, hiddenMembers } = profile.store;
    const room = maxSize - hiddenMembers + freed;
    if (actions.length > room)
      refuse(
        "RESOURCE_EXHAUSTED",
        `action profile ${profile.name} has room for ${maxSize} members, ${room} of them free: not for ${actions.length} more`,
      );
  }

  makeOneShot(profile: ProfileControl, actions: readonly WeightedAction[]): StoredGroup {
    const { store } = profile;
    const members = actions.map((call): GroupMember => {
      const memberId = store.hiddenId();
      const words = new Int32Array(store.stride);
      putParameters(words, 0, defined(profile.info.actions.get(call.action)), call.params);
      store.addMember(memberId, call, this.#number(call.action), words);
      return {
        memberId,
        weight: call.weight,
        ...given({ watchPort: call.watchPort }),
      };
    });
    return store.addGroup(store.hiddenId(), members, 0);
  }

  removeOneShot(profile: ProfileControl, number: number): void {
    const { store } = profile;
    const group = defined(store.byNumber[number]);
    const { members } = group;
    store.removeGroup(group);
    for (const { memberId } of members) store.removeMember(defined(store.members.get(memberId)));
  }
}
