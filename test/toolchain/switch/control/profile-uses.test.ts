/** Names, uses and undone changes of action profiles (P4Runtime specification 9.2). */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DeviceError,
  type Entity,
  type GroupMember,
  type TableAction,
  type Update,
} from "../../../../src/toolchain/device/index.js";
import { ActionProfileStore } from "../../../../src/toolchain/switch/tables/profile.js";
import { p4infoOf } from "../../control/start.js";
import { startUnconfigured } from "../golden.js";

const PROFILE = "TheIngress.spread";
const use = (port: number) => ({ action: "TheIngress.use", params: { port: BigInt(port) } });
const member = (memberId: number, profile = PROFILE): Entity => ({
  kind: "member",
  profile,
  memberId,
  action: use(memberId),
});
const group = (groupId: number, ...members: number[]): Entity => ({
  kind: "group",
  profile: PROFILE,
  groupId,
  members: members.map((memberId) => ({ memberId, weight: 1 })),
  maxSize: 0,
});
const entry = (key: bigint, action?: TableAction, table = "TheIngress.paths"): Entity => ({
  kind: "tableEntry",
  table,
  match: [{ kind: "exact", field: "meta.vlan", value: key }],
  priority: 0,
  ...(action === undefined ? {} : { action }),
});

function start() {
  const { device } = startUnconfigured("cpu", p4infoOf("cpu"));
  const codeOf = (type: Update["type"], entity: Entity) => {
    try {
      device.apply([{ type, entity }]);
      return "OK";
    } catch (error) {
      if (!(error instanceof DeviceError)) throw error;
      return error.code;
    }
  };
  return { device, codeOf };
}

describe("a member or group", () => {
  it("can be deleted when the last entry that names it is gone", () => {
    const { codeOf } = start();
    for (const id of [1, 2]) expect(codeOf("insert", member(id))).toBe("OK");
    expect(codeOf("insert", group(1, 2))).toBe("OK");
    const named: [TableAction, Entity][] = [
      [{ kind: "member", memberId: 1 }, member(1)],
      [{ kind: "group", groupId: 1 }, group(1)],
    ];
    for (const [action, target] of named) {
      expect(codeOf("insert", entry(5n, action))).toBe("OK");
      expect(codeOf("insert", entry(6n, action))).toBe("OK");
      expect(codeOf("delete", target)).toBe("FAILED_PRECONDITION");
      expect(codeOf("delete", entry(5n))).toBe("OK");
      expect(codeOf("delete", target)).toBe("FAILED_PRECONDITION");
      // An entry that is changed to name something else names it no longer.
      const other: TableAction =
        action.kind === "member" ? { kind: "group", groupId: 1 } : { kind: "member", memberId: 2 };
      expect(codeOf("modify", entry(6n, other))).toBe("OK");
      expect(codeOf("delete", target)).toBe("OK");
      expect(codeOf("delete", entry(6n))).toBe("OK");
    }
    // Member 2 was in the group alone.
    expect(codeOf("delete", member(2))).toBe("OK");
  });

  it("of a set of weighted actions is known to its entry alone", () => {
    const { device, codeOf } = start();
    const actions = [{ ...use(3), weight: 2 }];
    expect(codeOf("insert", entry(1n, { kind: "oneShot", actions }))).toBe("OK");
    const [hidden] = [...device.internals.instance.profiles.get(PROFILE)!.store.members.keys()];
    const [set] = [...device.internals.instance.profiles.get(PROFILE)!.store.groups.keys()];
    expect(codeOf("delete", member(hidden!))).toBe("NOT_FOUND");
    expect(codeOf("modify", member(hidden!))).toBe("NOT_FOUND");
    expect(codeOf("delete", group(set!))).toBe("NOT_FOUND");
    expect(codeOf("insert", entry(2n, { kind: "member", memberId: hidden! }))).toBe("NOT_FOUND");
    expect(codeOf("insert", entry(2n, { kind: "group", groupId: set! }))).toBe("NOT_FOUND");
  });

  it("is needed in a table with an action profile, whose default action is constant", () => {
    const { codeOf } = start();
    expect(codeOf("insert", entry(1n, { kind: "action", ...use(3) }))).toBe("INVALID_ARGUMENT");
    const byDefault = { ...entry(0n, { kind: "action", ...use(3) }), match: [], isDefault: true } as Entity;
    expect(codeOf("modify", byDefault)).toBe("PERMISSION_DENIED");
  });
});

it("tables and profiles are known by their aliases too, others are not found", () => {
  const { device, codeOf } = start();
  expect(codeOf("insert", member(1, "spread"))).toBe("OK");
  expect(codeOf("insert", entry(1n, { kind: "member", memberId: 1 }, "paths"))).toBe("OK");
  expect(device.query([{ kind: "tableEntry", table: "TheIngress.paths" }])).toHaveLength(1);
  expect(device.query([{ kind: "member", profile: PROFILE }])).toHaveLength(1);
  expect(codeOf("insert", member(2, "unknown"))).toBe("NOT_FOUND");
  expect(codeOf("insert", entry(2n, { kind: "member", memberId: 1 }, "unknown"))).toBe("NOT_FOUND");
});

describe("a store of members and groups", () => {
  const call = (id: number) => ({ action: "use", params: { port: BigInt(id) } });
  const members = fc.uniqueArray(
    fc.record({ memberId: fc.integer({ min: 1, max: 4 }), weight: fc.integer({ min: 1, max: 3 }) }),
    {
      selector: ({ memberId }) => memberId,
      maxLength: 4,
    },
  );
  const step = fc.oneof(
    fc.record({ set: members, group: fc.integer({ min: 1, max: 2 }) }),
    fc.record({ drop: fc.integer({ min: 1, max: 2 }) }),
  );

  /** All that packets and the control plane see of it. */
  const stateOf = (store: ActionProfileStore) => ({
    members: [...store.members.values()].map(({ memberId, handles, uses }) => ({
      memberId,
      handles: [...handles],
      uses,
    })),
    groups: [...store.groups.values()]
      .map(({ groupId, number, members }) => ({ groupId, members, slots: [...store.slots[number]!] }))
      .sort((a, b) => a.groupId - b.groupId),
    visible: store.visibleCount,
    hidden: [store.hiddenCount, store.hiddenMembers],
  });

  /** A store with four members; `make` sets or drops a group and returns what undoes it, in the way of the control plane. */
  function filled() {
    const store = new ActionProfileStore("p", 1, 16, true, (port) => port !== 9);
    for (let id = 1; id <= 4; id++) store.addMember(id, call(id), id, Int32Array.of(10 * id));
    const make = (action: { set: GroupMember[]; group: number } | { drop: number }): (() => void) => {
      if ("drop" in action) {
        const group = store.groups.get(action.drop);
        if (group === undefined) return () => {};
        const { members } = group;
        store.removeGroup(group);
        return () => store.restoreGroup(group, members);
      }
      const dropCopies = store.keepCopies(action.set);
      const group = store.groups.get(action.group);
      if (group === undefined) {
        const added = store.addGroup(action.group, action.set, 0);
        return () => {
          store.removeGroup(added);
          dropCopies();
        };
      }
      const before = group.members;
      store.setMembers(group, action.set);
      return () => {
        store.setMembers(group, before);
        dropCopies();
      };
    };
    return { store, make };
  }

  it("has for a member of weight w the first w of its handles in each group, ascending, and counts its uses", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const { store, make } = filled();
        for (const action of steps) {
          make(action);
          const uses = new Map<number, number>();
          for (const { number, members } of store.groups.values()) {
            const handles = members.flatMap(({ memberId, weight }) => {
              uses.set(memberId, (uses.get(memberId) ?? 0) + 1);
              const own = store.members.get(memberId)!.handles;
              expect(own.length).toBeGreaterThanOrEqual(weight);
              return own.slice(0, weight);
            });
            expect([...store.slots[number]!]).toEqual(handles.sort((a, b) => a - b));
          }
          const all = [...store.members.values()].flatMap(({ memberId, handles }) => {
            expect(store.members.get(memberId)!.uses).toBe(uses.get(memberId) ?? 0);
            for (const handle of handles)
              expect([...store.records.subarray(2 * handle, 2 * handle + 2)]).toEqual([
                memberId,
                10 * memberId,
              ]);
            return handles;
          });
          // No handle is of two members, and the numbers have no gap.
          expect(all.sort((a, b) => a - b)).toEqual(all.map((_, i) => i));
          expect(store.visibleCount).toBe(4 + store.groups.size);
        }
      }),
    );
  });

  it("is as before when changes are undone, the last one first", () => {
    const steps = fc.array(step, { maxLength: 8 });
    fc.assert(
      fc.property(steps, steps, (first, second) => {
        const { store, make } = filled();
        first.forEach(make);
        const before = stateOf(store);
        for (const undo of second.map(make).reverse()) undo();
        expect(stateOf(store)).toEqual(before);
      }),
    );
  });

  it("counts members and groups of one-shot sets apart from the others, and gives each a number of its own below 0", () => {
    const { store } = filled();
    const ids = Array.from({ length: 3 }, () => store.hiddenId());
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => id < 0)).toBe(true);
    const [a, b, c] = ids as [number, number, number];
    const one = store.addMember(a, call(1), 1, Int32Array.of(1));
    store.addMember(b, call(2), 2, Int32Array.of(2));
    const set = store.addGroup(c, [{ memberId: a, weight: 1 }], 0);
    expect([store.hiddenCount, store.hiddenMembers, store.visibleCount]).toEqual([3, 2, 4]);
    expect([one.hidden, set.hidden]).toEqual([true, true]);
    expect(store.addGroup(0, [], 0).hidden).toBe(false);
    store.removeGroup(set);
    store.removeMember(one);
    expect([store.hiddenCount, store.hiddenMembers, store.visibleCount]).toEqual([1, 1, 5]);
    store.restoreMember(one, 1, Int32Array.of(1));
    expect([store.hiddenCount, store.hiddenMembers, store.visibleCount]).toEqual([2, 2, 5]);
  });

  it("leaves out the slots of members whose watched port is down", () => {
    const { store } = filled();
    const group = store.addGroup(
      1,
      [
        { memberId: 1, weight: 1, watchPort: 9 },
        { memberId: 2, weight: 1, watchPort: 8 },
        { memberId: 3, weight: 1 },
      ],
      0,
    );
    expect([...store.slots[group.number]!]).toEqual([1, 2]);
  });
});
