/** After the rollback of a batch, the numbers that decide between equal entries and among members are as before. */
import { describe, expect, it } from "vitest";
import type { Atomicity, Match, TableEntry, Update } from "../../../../src/toolchain/device/index.js";
import { Handles } from "../../../../src/toolchain/switch/tables/handles.js";
import { startUnconfigured } from "../golden.js";

const bad: Update = { type: "delete", entity: { kind: "multicastGroup", groupId: 9, replicas: [] } };
const modes: readonly Atomicity[] = ["rollbackOnError", "dataplaneAtomic"];

describe("handles", () => {
  it("are given back to who had them", () => {
    const handles = new Handles();
    for (let i = 0; i < 5; i++) handles.take();
    for (const handle of [1, 4, 3]) handles.release(handle);
    for (const handle of [3, 4]) handles.claim(handle);
    expect([handles.take(), handles.take()]).toEqual([1, 5]);
  });
});

describe.each(modes)("%s", (atomicity) => {
  it("members keep their handles, and get no copies", () => {
    const { device } = startUnconfigured("selector");
    const profile = "TheIngress.sel_crc32";
    const action = device.internals.instance.profiles.get(profile)!.info.actions.values().next().value!;
    const member = (type: Update["type"], memberId: number): Update => ({
      type,
      entity: {
        kind: "member",
        profile,
        memberId,
        action: {
          action: action.name,
          params: Object.fromEntries(action.runtime_data.map(({ name }) => [name, 1n])),
        },
      },
    });
    const { store } = device.internals.instance.profiles.get(profile)!;
    const handles = () =>
      Object.fromEntries([...store.members].map(([id, { handles }]) => [id, [...handles]]));
    device.apply([1, 2, 3, 4].map((id) => member("insert", id)));
    device.apply([member("delete", 1)]);
    const before = handles();
    expect(before).toEqual({ 2: [1], 3: [2], 4: [3] });
    const group: Update = {
      type: "insert",
      entity: { kind: "group", profile, groupId: 1, members: [{ memberId: 2, weight: 3 }], maxSize: 0 },
    };
    const updates = [member("delete", 3), member("delete", 4), group, member("insert", 7), bad];
    expect(() => device.apply(updates, atomicity)).toThrow();
    expect(handles()).toEqual(before);
    // As if nothing had been: the next one gets the lowest free handle.
    device.apply([member("insert", 5)]);
    expect(handles()).toEqual({ ...before, 5: [0] });
  });

  it("members are free again when the group that used them is rolled back", () => {
    const { device } = startUnconfigured("selector");
    const profile = "TheIngress.sel_crc32";
    const action = device.internals.instance.profiles.get(profile)!.info.actions.values().next().value!;
    const params = Object.fromEntries(action.runtime_data.map(({ name }) => [name, 1n]));
    const member: Update["entity"] = {
      kind: "member",
      profile,
      memberId: 1,
      action: { action: action.name, params },
    };
    const members = [{ memberId: 1, weight: 1 }];
    const group: Update["entity"] = { kind: "group", profile, groupId: 1, members, maxSize: 0 };
    device.apply([{ type: "insert", entity: member }]);
    const updates: Update[] = [{ type: "insert", entity: group }, { type: "delete", entity: group }, bad];
    expect(() => device.apply(updates, atomicity)).toThrow();
    device.apply([{ type: "delete", entity: member }]);
    expect(device.query([{ kind: "member" }, { kind: "group" }])).toEqual([]);
  });

  it("entries of one priority win as before", () => {
    const { device } = startUnconfigured("l3");
    const table = [...device.internals.instance.tables.values()].find(
      (candidate) => candidate.priority && !candidate.isConst,
    )!;
    const { name, bitwidth } = {
      name: table.fieldNames[0]!,
      bitwidth: table.shape.fields[0]!.width,
    };
    const { kind } = table.shape.fields[0]!;
    expect(kind).toBe("ternary");
    const call = [...table.info.actions.values()].find(({ id }) => id !== undefined)!;
    const entry = (bit: number): TableEntry => ({
      kind: "tableEntry",
      table: table.name,
      match: [
        { kind: "ternary", field: name, value: 1n << BigInt(bit), mask: 1n << BigInt(bit) } satisfies Match,
      ],
      priority: 5,
      action: {
        kind: "action",
        action: call.name,
        params: Object.fromEntries(call.runtime_data.map((parameter) => [parameter.name, 1n])),
      },
    });
    expect(bitwidth).toBeGreaterThan(3);
    device.apply([0, 1, 2, 3].map((bit) => ({ type: "insert", entity: entry(bit) })));
    device.apply([{ type: "delete", entity: entry(0) }]);
    const numbers = () =>
      [...table.store.entries.values()].map(({ number, name }) => `${name} is ${number}`).sort();
    const before = numbers();
    const updates: Update[] = [
      { type: "delete", entity: entry(3) },
      { type: "delete", entity: entry(1) },
      { type: "insert", entity: entry(0) },
      bad,
    ];
    expect(() => device.apply(updates, atomicity)).toThrow();
    expect(numbers()).toEqual(before);
  });
});

describe.each(modes)("%s", (atomicity) => {
  const digests = () => {
    const { device, clock, play } = startUnconfigured("cpu");
    const lists: unknown[] = [];
    device.watch((event) => event.kind === "digest" && lists.push(event.list.data.map(([first]) => first)));
    const entity = {
      kind: "digest" as const,
      digest: device.internals.digests.names[0]!,
      maxListSize: 0,
      maxTimeoutNs: 1_000_000n,
      ackTimeoutNs: 5_000_000n,
    };
    device.apply([{ type: "insert", entity }]);
    const learn = (source: string) => play(2, `02000000004d0200000000${source}123468656c6c6f`);
    return { device, clock, lists, entity, learn };
  };

  it("a digest that was turned off keeps what waits and what was not acknowledged", () => {
    const { device, clock, lists, entity, learn } = digests();
    learn("32");
    clock.advance(1000);
    learn("33");
    expect(() => device.apply([{ type: "delete", entity }, bad], atomicity)).toThrow();
    learn("32");
    clock.advance(2000);
    expect(lists).toEqual([[0x020000000032n], [0x020000000033n]]);
    clock.advance(10_000);
    learn("32");
    clock.advance(20_000);
    expect(lists).toHaveLength(3);
  });

  it("a digest that is turned off forgets both", () => {
    const { device, clock, lists, entity, learn } = digests();
    learn("32");
    device.apply(
      [
        { type: "delete", entity },
        { type: "insert", entity },
      ],
      atomicity,
    );
    clock.advance(500);
    learn("33");
    clock.advance(20_000);
    expect(lists).toEqual([[0x020000000033n]]);
  });
});

describe("members of value sets", () => {
  it.each([
    ["another field", [{ kind: "exact", field: "none", value: 1n }], "NOT_FOUND"],
    [
      "a prefix that is too long",
      [{ kind: "lpm", field: "", value: 0n, prefixLength: 99 }],
      "INVALID_ARGUMENT",
    ],
    ["bits outside of the mask", [{ kind: "ternary", field: "", value: 3n, mask: 1n }], "INVALID_ARGUMENT"],
    ["bounds the wrong way round", [{ kind: "range", field: "", low: 3n, high: 1n }], "INVALID_ARGUMENT"],
    ["more than one value", [{ kind: "range", field: "", low: 1n, high: 3n }], "UNIMPLEMENTED"],
  ] as [string, Match[], string][])("refuse %s", (_, match, code) => {
    const { device } = startUnconfigured("parse");
    const [set] = device.internals.instance.valueSets.values();
    const members = [match.map((part) => ({ ...part, field: part.field === "" ? set!.name : part.field }))];
    const update: Update = { type: "modify", entity: { kind: "valueSet", valueSet: set!.name, members } };
    expect(() => device.apply([update])).toThrow(expect.objectContaining({ code }));
    expect(device.query([{ kind: "valueSet", valueSet: set!.name }])).toMatchObject([{ members: [] }]);
  });
});
