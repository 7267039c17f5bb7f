/** The small parts of server and client that need no network. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entity, TableEntry, Update } from "../../../src/toolchain/device/index.js";
import { difference, entityKey, reconcile } from "../../../src/toolchain/device/index.js";
import { batches } from "../../../src/toolchain/p4runtime/client/batches.js";
import { Lock } from "../../../src/toolchain/p4runtime/server/server.js";
import { StagedDevice } from "../../../src/toolchain/p4runtime/server/staged.js";
import { Outbox } from "../../../src/toolchain/p4runtime/server/stream.js";
import { entities } from "./arbitraries.js";
import { cpuProgram, destination, refusal, wireOf } from "./helpers.js";
import { MemoryDevice } from "./memory-device.js";

const program = cpuProgram();
const { index } = wireOf(program);

describe("Outbox", () => {
  function sink() {
    const written: number[] = [];
    let drain: (() => void) | undefined;
    let room = 2;
    return {
      written,
      write(n: number): boolean {
        written.push(n);
        return --room > 0;
      },
      once(_: string, listener: () => void): void {
        drain = listener;
      },
      drain(space: number): void {
        room = space;
        drain!();
      },
    };
  }

  it("stops when the stream is full, drops notifications beyond its limit, and keeps the order", () => {
    const to = sink();
    const outbox = new Outbox<number>(to, () => {}, 2);
    for (let n = 0; n < 6; n++) outbox.notify(n);
    expect(to.written).toEqual([0, 1]);
    expect(outbox.dropped).toBe(2);
    outbox.send(100);
    to.drain(1);
    expect(to.written).toEqual([0, 1, 2]);
    to.drain(5);
    expect(to.written).toEqual([0, 1, 2, 3, 100]);
    outbox.notify(7);
    expect(to.written).toEqual([0, 1, 2, 3, 100, 7]);
    outbox.close();
    outbox.send(8);
    expect(to.written).toHaveLength(6);
  });

  it("ends with too many messages that may not be lost, and not with those that may", () => {
    const to = sink();
    let overflows = 0;
    const outbox = new Outbox<number>(to, () => overflows++, 2);
    for (let n = 0; n < 10; n++) outbox.notify(n);
    for (let n = 10; n < 12; n++) outbox.send(n);
    expect(overflows).toBe(0);
    to.drain(9);
    expect(to.written).toEqual([0, 1, 2, 3, 10, 11]);
    to.drain(0);
    outbox.notify(12);
    for (let n = 13; n < 15; n++) outbox.send(n);
    expect(overflows).toBe(0);
    outbox.send(15);
    outbox.send(16);
    expect(overflows).toBe(1);
  });
});

describe("Lock", () => {
  it("runs tasks one after the other, failures included", async () => {
    const lock = new Lock();
    const log: string[] = [];
    const task = (name: string, fails = false) =>
      lock.run(async () => {
        log.push(`${name} starts`);
        await new Promise((resolve) => setImmediate(resolve));
        log.push(`${name} ends`);
        if (fails) throw new Error(name);
      });
    const results = await Promise.allSettled([task("a"), task("b", true), task("c")]);
    expect(results.map((r) => r.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(log).toEqual(["a starts", "a ends", "b starts", "b ends", "c starts", "c ends"]);
  });
});

const updates: fc.Arbitrary<Update[]> = fc.array(
  fc.record({
    type: fc.constantFrom("insert" as const, "modify" as const, "delete" as const),
    entity: entities(index),
  }),
  { maxLength: 12 },
);

describe("batches", () => {
  it("hold all updates in order, up to the limit, never two updates of one key or two that may depend on each other", () => {
    fc.assert(
      fc.property(updates, fc.integer({ min: 1, max: 5 }), (list, size) => {
        const repeated = [...list, ...list];
        let next = 0;
        for (const [start, end] of batches(repeated, size)) {
          expect(start).toBe(next);
          expect(end).toBeGreaterThan(start);
          expect(end - start).toBeLessThanOrEqual(size);
          const batch = repeated.slice(start, end);
          expect(new Set(batch.map((u) => entityKey(u.entity))).size).toBe(batch.length);
          const has = (kind: Entity["kind"], gone: boolean): boolean =>
            batch.some((u) => u.entity.kind === kind && (u.type === "delete") === gone);
          const any = (kind: Entity["kind"]): boolean => has(kind, true) || has(kind, false);
          // what refers to a member or group is not beside it, whatever happens to either
          expect(has("tableEntry", false) && (any("group") || any("member"))).toBe(false);
          expect(has("tableEntry", true) && (has("group", true) || has("member", true))).toBe(false);
          expect(has("group", false) && any("member")).toBe(false);
          expect(has("group", true) && has("member", true)).toBe(false);
          expect(any("tableEntry") && (any("directCounter") || any("directMeter"))).toBe(false);
          // what makes room is not beside what needs it
          for (const kind of ["tableEntry", "member", "group", "multicastGroup"] as const)
            expect(has(kind, true) && has(kind, false)).toBe(false);
          next = end;
        }
        expect(next).toBe(repeated.length);
      }),
    );
  });

  it("are not split between independent updates", () => {
    const list = Array.from({ length: 2500 }, (_, i) => destination(i));
    expect([...batches(list, 1000)]).toEqual([
      [0, 1000],
      [1000, 2000],
      [2000, 2500],
    ]);
  });
});

describe("entityKey", () => {
  it("differs for entities exactly when their keys differ", () => {
    const { entity } = destination(1) as { entity: TableEntry };
    expect(entityKey({ ...entity, controllerMetadata: 4n })).toBe(entityKey(entity));
    expect(entityKey({ ...entity, priority: 4 })).not.toBe(entityKey(entity));
    expect(entityKey(destination(2).entity)).not.toBe(entityKey(entity));
    const two = [
      { kind: "exact", field: "a", value: 1n },
      { kind: "exact", field: "b", value: 2n },
    ] as const;
    expect(entityKey({ ...entity, match: two })).toBe(entityKey({ ...entity, match: [...two].reverse() }));
  });
});

describe("reconcile", () => {
  const inserted = (list: readonly Entity[]): Entity[] => {
    const kinds = ["tableEntry", "member", "group", "multicastGroup", "cloneSession"];
    return [...new Map(list.filter((e) => kinds.includes(e.kind)).map((e) => [entityKey(e), e])).values()];
  };

  it("turns any state into any other, and then finds nothing to change", async () => {
    const state = fc.array(entities(index), { maxLength: 10 }).map(inserted);
    await fc.assert(
      fc.asyncProperty(state, state, fc.array(fc.nat(20)), async (from, to, shared) => {
        const device = new StagedDevice(program);
        await device.write(from.map((entity) => ({ type: "insert", entity })));
        // some of the old state stays wanted
        const desired = inserted([...to, ...shared.flatMap((i) => from[i] ?? [])]);
        await reconcile(device, desired);
        expect(await reconcile(device, desired)).toEqual([]);
        const there = await device.read([
          { kind: "tableEntry" },
          { kind: "member" },
          { kind: "group" },
          { kind: "multicastGroup" },
          { kind: "cloneSession" },
        ]);
        const keys = (list: readonly Entity[]) => list.map(entityKey).sort();
        expect(keys(there)).toEqual(keys(desired));
      }),
      { numRuns: 50 },
    );
  });

  it("writes an entity before those that refer to it, and removes it after them", () => {
    const member: Entity = { kind: "member", profile: "p", memberId: 1, action: { action: "a", params: {} } };
    const group: Entity = { kind: "group", profile: "p", groupId: 1, members: [], maxSize: 0 };
    const entry = destination(1).entity;
    const order = (list: readonly Update[]) => list.map((u) => `${u.type} ${u.entity.kind}`);
    expect(order(difference([], [entry, group, member]))).toEqual([
      "insert member",
      "insert group",
      "insert tableEntry",
    ]);
    expect(order(difference([member, entry, group], []))).toEqual([
      "delete tableEntry",
      "delete group",
      "delete member",
    ]);
  });

  it("needs as few Writes as its steps", () => {
    const member = (memberId: number): Entity => {
      return { kind: "member", profile: "p", memberId, action: { action: "a", params: {} } };
    };
    const group = (groupId: number): Entity => ({
      kind: "group",
      profile: "p",
      groupId,
      members: [],
      maxSize: 0,
    });
    const tree = (groupId: number): Entity => ({ kind: "multicastGroup", groupId, replicas: [] });
    const entry = (i: number): Entity => destination(i).entity;
    const [from, to] = [1, 2].map((i) => [entry(i), tree(i), member(i), group(i)]);
    const steps = difference(from!, to!);
    const writes = [...batches(steps, 1000)].map(([start, end]) =>
      steps.slice(start, end).map((u) => `${u.type} ${u.entity.kind}`),
    );
    expect(writes).toEqual([
      ["delete tableEntry", "insert member", "insert multicastGroup"],
      ["insert group"],
      ["insert tableEntry"],
      ["delete group", "delete multicastGroup"],
      ["delete member"],
    ]);
  });

  it("compares with the entities that the program itself creates", async () => {
    const device = new MemoryDevice();
    await device.load(program);
    const table = program.p4info.tables.find(
      (t) => t.constDefaultActionId === 0 && t.implementationId === 0,
    )!;
    const action = index.actions.byId(table.actionRefs.find((ref) => ref.scope !== 1)!.id)!;
    const params = Object.fromEntries(action.params.list.map((param) => [param.name, 1n]));
    const fallback: TableEntry = {
      kind: "tableEntry",
      table: table.preamble!.name,
      match: [],
      priority: 0,
      isDefault: true,
      action: { kind: "action", action: action.name, params },
    };
    const register = program.p4info.registers[0]!.preamble!.name;
    const desired: Entity[] = [fallback, { kind: "register", register, index: 1, value: 1n }];
    expect(await reconcile(device, desired)).toHaveLength(2);
    expect(await reconcile(device, desired)).toEqual([]);
  });

  it("leaves constant entries alone, and modifies default entries and arrays", () => {
    const entry = destination(1).entity as TableEntry;
    expect(difference([{ ...entry, isConst: true }], [])).toEqual([]);
    const fallback: TableEntry = { ...entry, match: [], isDefault: true };
    expect(difference([], [fallback]).map((u) => u.type)).toEqual(["modify"]);
    const register: Entity = { kind: "register", register: "r", index: 0, value: 1n };
    expect(difference([{ ...register, value: 2n }], [register]).map((u) => u.type)).toEqual(["modify"]);
    expect(difference([register], [])).toEqual([]);
  });
});

describe("StagedDevice", () => {
  it("answers ALREADY_EXISTS and NOT_FOUND as a device does, and undoes a batch that fails", async () => {
    const device = new StagedDevice(program);
    await device.write([destination(1)]);
    const error = await refusal(
      device.write([
        destination(1),
        { ...destination(2), type: "modify" },
        destination(3),
        { ...destination(4), type: "delete" },
      ]),
    );
    expect(error.updates!.map((u) => u.code)).toEqual(["ALREADY_EXISTS", "NOT_FOUND", "OK", "NOT_FOUND"]);
    expect(await device.read([{ kind: "tableEntry" }])).toHaveLength(2);
    await refusal(device.write([destination(5), destination(1)], "rollbackOnError"));
    expect(await device.read([{ kind: "tableEntry" }])).toHaveLength(2);
    expect(device.updates).toHaveLength(2);
  });
});
