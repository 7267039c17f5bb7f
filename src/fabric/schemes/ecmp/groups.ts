/** Ids of the groups and members of one switch under plain ECMP: a set of next hops keeps its ids from plan to plan. */
import type { Entity } from "../../../toolchain/device/index.js";

interface GroupIds {
  readonly groupId: number;
  /** One for each port. */
  readonly memberIds: readonly number[];
}

export class EcmpGroups {
  readonly #known = new Map<string, GroupIds>();
  #nextGroup = 1;
  #nextMember = 1;

  /** @param entities groups and members that the switch has */
  constructor(entities: readonly Entity[] = []) {
    const ports = new Map<number, number>();
    for (const entity of entities) {
      if (entity.kind !== "member") continue;
      ports.set(entity.memberId, Number(entity.action.params["port"]));
      this.#nextMember = Math.max(this.#nextMember, entity.memberId + 1);
    }
    for (const entity of entities) {
      if (entity.kind !== "group") continue;
      this.#nextGroup = Math.max(this.#nextGroup, entity.groupId + 1);
      const memberIds = entity.members.map(({ memberId }) => memberId).sort((a, b) => a - b);
      this.#known.set(memberIds.map((id) => ports.get(id)).join(" "), { groupId: entity.groupId, memberIds });
    }
  }

  /** Ids for a group of these ports: those that it has, or new ones. */
  of(ports: readonly number[]): GroupIds {
    const key = ports.join(" ");
    let ids = this.#known.get(key);
    if (ids === undefined) {
      const first = this.#nextMember;
      this.#nextMember += ports.length;
      ids = { groupId: this.#nextGroup++, memberIds: ports.map((_, i) => first + i) };
      this.#known.set(key, ids);
    }
    return ids;
  }
}
