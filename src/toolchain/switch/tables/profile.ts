/**
 * Action profiles and selectors. Members have handles, counted from 0, lowest free first; a group's slots
 * are the handles that take part, ascending (rules 1 and 4 of docs/switch.md): a member of weight w takes
 * part with its own handle and w - 1 copies, which get handles when a group first needs them and are shared
 * by all groups.
 */
import type { ActionCall, GroupMember } from "../../device/index.js";
import { Handles } from "./handles.js";
import { grown } from "./shape.js";

export interface StoredMember {
  readonly memberId: number;
  /** The member's own handle first, then the copies for its weight. */
  readonly handles: number[];
  action: ActionCall;
  /** Table entries and groups that name it. */
  uses: number;
  /** Whether the member belongs to a one-shot set, so that the control plane does not see it. */
  readonly hidden: boolean;
}

export interface StoredGroup {
  readonly groupId: number;
  readonly number: number;
  members: readonly GroupMember[];
  maxSize: number;
  /** Table entries that point to it. */
  uses: number;
  readonly hidden: boolean;
}

const NO_SLOTS = new Int32Array(0);

export class ActionProfileStore {
  /** By member handle, {@link stride} + 1 words each: the number of the action's name, then its parameters. */
  records = new Int32Array(0);
  /** Handles to choose from, by group number. */
  readonly slots: Int32Array[] = [];
  readonly members = new Map<number, StoredMember>();
  readonly groups = new Map<number, StoredGroup>();
  readonly byNumber: (StoredGroup | undefined)[] = [];
  readonly #handles = new Handles();
  readonly #groupNumbers = new Handles();
  #hiddenId = -1;

  constructor(
    readonly name: string,
    readonly stride: number,
    readonly maxSize: number,
    readonly hasSelector: boolean,
    /** Whether a port is up; a slot whose watch port is down takes no packets. */
    readonly portIsUp: (port: number) => boolean,
  ) {}

  /** Number of members and groups of one-shot sets. */
  hiddenCount = 0;
  hiddenMembers = 0;

  /** Number of members and groups that the control plane made. */
  get visibleCount(): number {
    return this.members.size + this.groups.size - this.hiddenCount;
  }

  #count(thing: { hidden: boolean }, by: number, isMember: boolean): void {
    if (!thing.hidden) return;
    this.hiddenCount += by;
    if (isMember) this.hiddenMembers += by;
  }

  hiddenId(): number {
    return this.#hiddenId--;
  }

  addMember(memberId: number, action: ActionCall, actionNumber: number, words: Int32Array): StoredMember {
    const member = { memberId, handles: [this.#take()], action, uses: 0, hidden: memberId < 0 };
    this.members.set(memberId, member);
    this.#count(member, 1, true);
    this.write(member, action, actionNumber, words);
    return member;
  }

  /** Undoes {@link removeMember}: the member has its handles again. */
  restoreMember(member: StoredMember, actionNumber: number, words: Int32Array): void {
    for (const handle of [...member.handles].reverse()) this.#handles.claim(handle);
    this.members.set(member.memberId, member);
    this.#count(member, 1, true);
    this.write(member, member.action, actionNumber, words);
  }

  /** Notes which copies the members of a group have; the result removes those that were made since. */
  keepCopies(members: readonly GroupMember[]): () => void {
    const before = members.map(({ memberId }) => {
      const { handles } = this.members.get(memberId)!;
      return { handles, length: handles.length };
    });
    return () => {
      for (const { handles, length } of before.reverse())
        while (handles.length > length) this.#handles.release(handles.pop()!);
    };
  }

  write(member: StoredMember, action: ActionCall, actionNumber: number, words: Int32Array): void {
    member.action = action;
    for (const handle of member.handles) {
      const at = handle * (this.stride + 1);
      this.records[at] = actionNumber;
      this.records.set(words, at + 1);
    }
  }

  removeMember(member: StoredMember): void {
    this.members.delete(member.memberId);
    this.#count(member, -1, true);
    for (const handle of member.handles) this.#handles.release(handle);
  }

  addGroup(groupId: number, members: readonly GroupMember[], maxSize: number): StoredGroup {
    const number = this.#groupNumbers.take();
    const group = { groupId, number, members: [], maxSize, uses: 0, hidden: groupId < 0 };
    this.groups.set(groupId, group);
    this.byNumber[number] = group;
    this.#count(group, 1, false);
    this.setMembers(group, members);
    return group;
  }

  /** Undoes {@link removeGroup}. */
  restoreGroup(group: StoredGroup, members: readonly GroupMember[]): void {
    this.#groupNumbers.claim(group.number);
    this.groups.set(group.groupId, group);
    this.byNumber[group.number] = group;
    this.#count(group, 1, false);
    this.setMembers(group, members);
  }

  setMembers(group: StoredGroup, members: readonly GroupMember[]): void {
    for (const { memberId } of group.members) this.members.get(memberId)!.uses--;
    for (const { memberId } of members) this.members.get(memberId)!.uses++;
    group.members = members;
    this.refresh(group);
  }

  removeGroup(group: StoredGroup): void {
    this.setMembers(group, []);
    this.groups.delete(group.groupId);
    this.byNumber[group.number] = undefined;
    this.#count(group, -1, false);
    this.slots[group.number] = NO_SLOTS;
    this.#groupNumbers.release(group.number);
  }

  /** Computes the slots again after a change of the members or of a port. */
  refresh(group: StoredGroup): void {
    const handles: number[] = [];
    for (const { memberId, weight, watchPort } of group.members) {
      const member = this.members.get(memberId)!;
      while (member.handles.length < weight) this.#copy(member);
      if (watchPort === undefined || this.portIsUp(watchPort))
        handles.push(...member.handles.slice(0, weight));
    }
    this.slots[group.number] = Int32Array.from(handles).sort();
  }

  refreshAll(): void {
    for (const group of this.groups.values()) this.refresh(group);
  }

  #take(): number {
    const handle = this.#handles.take();
    this.records = grown(this.records, (handle + 1) * (this.stride + 1));
    return handle;
  }

  #copy(member: StoredMember): void {
    const from = member.handles[0]!;
    const handle = this.#take();
    member.handles.push(handle);
    const words = this.stride + 1;
    this.records.copyWithin(handle * words, from * words, (from + 1) * words);
  }
}
