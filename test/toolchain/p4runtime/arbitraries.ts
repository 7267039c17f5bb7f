/** Random entities that a program's P4Info allows, for property tests. */
import fc from "fast-check";
import type { ActionCall, Entity, Match, Replica, TableEntry } from "../../../src/toolchain/device/index.js";
import {
  type ActionInfo,
  type FieldInfo,
  type P4InfoIndex,
  p4info,
  type Slot,
  type TableInfo,
} from "../../../src/toolchain/program/index.js";

const ofWidth = (bitwidth: number) => fc.bigInt(0n, (1n << BigInt(bitwidth)) - 1n);
const int64 = fc.bigInt(0n, (1n << 63n) - 1n);
const id = fc.integer({ min: 1, max: 0xffffffff });

/** A match of the field, or nothing where leaving it out means the same. */
function matchOf(field: FieldInfo): fc.Arbitrary<Match | undefined> {
  const all = (1n << BigInt(field.bitwidth)) - 1n;
  const value = ofWidth(field.bitwidth);
  const name = field.name;
  switch (field.kind) {
    case "exact":
      return value.map((v) => ({ kind: "exact", field: name, value: v }));
    case "optional":
      return fc
        .option(value, { nil: undefined })
        .map((v) => (v === undefined ? undefined : { kind: "optional", field: name, value: v }));
    case "lpm":
      return fc.tuple(value, fc.integer({ min: 0, max: field.bitwidth })).map(([v, prefixLength]) => {
        if (prefixLength === 0) return undefined;
        const rest = BigInt(field.bitwidth - prefixLength);
        return { kind: "lpm", field: name, value: (v >> rest) << rest, prefixLength };
      });
    case "ternary":
      return fc.tuple(value, value).map(([v, mask]) => {
        return mask === 0n ? undefined : { kind: "ternary", field: name, value: v & mask, mask };
      });
    case "range":
      return fc.tuple(value, value).map(([a, b]) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        return low === 0n && high === all ? undefined : { kind: "range", field: name, low, high };
      });
    case "other":
      throw new Error("not in the test programs");
  }
}

function keyOf(fields: readonly FieldInfo[]): fc.Arbitrary<Match[]> {
  return fc.tuple(...fields.map(matchOf)).map((list) => list.filter((match) => match !== undefined));
}

function valuesOf(slots: readonly Slot[]): fc.Arbitrary<Record<string, bigint>> {
  return fc.record(Object.fromEntries(slots.map((slot) => [slot.name, ofWidth(slot.bitwidth)])));
}

function callOf(action: ActionInfo): fc.Arbitrary<ActionCall> {
  return valuesOf(action.params.list).map((params) => ({ action: action.name, params }));
}

function usableActions(table: TableInfo): ActionInfo[] {
  const { DEFAULT_ONLY } = p4info.ActionRef_Scope;
  return [...table.actions.values()].filter((use) => use.scope !== DEFAULT_ONLY).map((use) => use.action);
}

function actionOf(table: TableInfo): fc.Arbitrary<ActionCall> {
  return fc.constantFrom(...usableActions(table)).chain(callOf);
}

const weight = fc.integer({ min: 1, max: 4 });
const port = fc.integer({ min: 1, max: 511 });

/** What entries of a table with a selector may do beside naming a member. */
function selectorActions(table: TableInfo): fc.Arbitrary<TableEntry["action"] & object>[] {
  const one = fc.tuple(actionOf(table), weight, fc.option(port, { nil: undefined }));
  return [
    id.map((groupId) => ({ kind: "group", groupId })),
    fc.array(one, { maxLength: 4 }).map((list) => ({
      kind: "oneShot",
      actions: list.map(([call, w, watchPort]) => ({
        ...call,
        weight: w,
        ...(watchPort === undefined ? {} : { watchPort }),
      })),
    })),
  ];
}

function tableEntry(table: TableInfo): fc.Arbitrary<Entity> {
  const action: fc.Arbitrary<TableEntry["action"] & object> =
    table.profile === undefined
      ? actionOf(table).map((call) => ({ kind: "action", ...call }))
      : fc.oneof(
          id.map((memberId) => ({ kind: "member" as const, memberId })),
          ...(table.profile.message.withSelector ? selectorActions(table) : []),
        );
  const idle = table.message.idleTimeoutBehavior !== 0;
  const counter = { packets: int64, bytes: int64 };
  return fc.record(
    {
      kind: fc.constant("tableEntry" as const),
      table: fc.constant(table.name),
      match: keyOf(table.fields.list),
      priority: table.hasPriority ? fc.integer({ min: 1, max: 0x7fffffff }) : fc.constant(0),
      action,
      controllerMetadata: fc.bigInt(1n, (1n << 64n) - 1n),
      metadata: fc.uint8Array({ minLength: 1, maxLength: 8 }),
      ...(idle ? { idleTimeoutNs: fc.bigInt(1n, (1n << 63n) - 1n) } : {}),
      ...(table.directCounter === undefined ? {} : { counter: fc.record(counter) }),
    },
    { requiredKeys: ["kind", "table", "match", "priority", "action"] },
  ) as fc.Arbitrary<Entity>;
}

const replicas = fc.uniqueArray(fc.record({ port: fc.nat(0xffffffff), instance: fc.nat(0xffff) }), {
  selector: (replica: Replica) => `${replica.port}/${replica.instance}`,
  maxLength: 5,
});

const meterConfig = fc.tuple(int64, int64, int64, int64).map(([a, b, committedBurst, peakBurst]) => {
  const [committedRate, peakRate] = a < b ? [a, b] : [b, a];
  return { committedRate, peakRate, committedBurst, peakBurst };
});

/** Entities of every kind that the program has, as they can be inserted or modified. */
export function entities(index: P4InfoIndex): fc.Arbitrary<Entity> {
  const all: fc.Arbitrary<Entity>[] = [];
  for (const table of index.tables.list) {
    if (table.message.isConstTable || table.fields.list.length === 0) continue;
    if (usableActions(table).length > 0) all.push(tableEntry(table));
  }
  for (const profile of index.actionProfiles.list) {
    const [table] = profile.tables;
    all.push(
      fc.record({
        kind: fc.constant("member" as const),
        profile: fc.constant(profile.name),
        memberId: id,
        action: actionOf(table!),
      }),
    );
    if (!profile.message.withSelector) continue;
    const members = fc.uniqueArray(
      fc.record(
        { memberId: fc.integer({ min: 1, max: 99 }), weight, watchPort: port },
        { requiredKeys: ["memberId", "weight"] },
      ),
      { selector: (member) => member.memberId, maxLength: 4 },
    );
    all.push(
      fc.record({
        kind: fc.constant("group" as const),
        profile: fc.constant(profile.name),
        groupId: id,
        members,
        maxSize: fc.constantFrom(0, 16),
      }) as fc.Arbitrary<Entity>,
    );
  }
  const cell = <T extends { name: string; message: { size: bigint | number } }>(object: T) => ({
    name: fc.constant(object.name),
    index: fc.nat(Number(object.message.size) - 1),
  });
  for (const counter of index.counters.list) {
    const { name, index: at } = cell(counter);
    const data = fc.record({ packets: int64, bytes: int64 });
    all.push(fc.record({ kind: fc.constant("counter" as const), counter: name, index: at, data }));
  }
  for (const meter of index.meters.list) {
    const { name, index: at } = cell(meter);
    all.push(
      fc.record(
        { kind: fc.constant("meter" as const), meter: name, index: at, config: meterConfig },
        { requiredKeys: ["kind", "meter", "index"] },
      ) as fc.Arbitrary<Entity>,
    );
  }
  for (const register of index.registers.list) {
    const { name, index: at } = cell(register);
    const value = ofWidth(index.bitwidthOf(register.message.typeSpec)!);
    all.push(fc.record({ kind: fc.constant("register" as const), register: name, index: at, value }));
  }
  for (const set of index.valueSets.list) {
    all.push(
      fc.record({
        kind: fc.constant("valueSet" as const),
        valueSet: fc.constant(set.name),
        members: fc.uniqueArray(keyOf(set.fields.list), {
          selector: (member) => member.map((m) => String(Object.values(m))).join(),
          maxLength: Math.min(3, set.message.size),
        }),
      }),
    );
  }
  for (const digest of index.digests.list) {
    all.push(
      fc.record({
        kind: fc.constant("digest" as const),
        digest: fc.constant(digest.name),
        maxListSize: fc.nat(0x7fffffff),
        maxTimeoutNs: int64,
        ackTimeoutNs: int64,
      }),
    );
  }
  all.push(
    fc.record(
      {
        kind: fc.constant("multicastGroup" as const),
        groupId: id,
        replicas,
        metadata: fc.uint8Array({ minLength: 1 }),
      },
      { requiredKeys: ["kind", "groupId", "replicas"] },
    ) as fc.Arbitrary<Entity>,
    fc.record({
      kind: fc.constant("cloneSession" as const),
      sessionId: id,
      replicas,
      classOfService: fc.nat(0xffffffff),
      packetLengthBytes: fc.nat(0x7fffffff),
    }),
  );
  return fc.oneof(...all);
}

/** Metadata of a controller header. */
export function metadataOf(index: P4InfoIndex, header: string): fc.Arbitrary<Record<string, bigint>> {
  return valuesOf(index.controllerHeaders.byName(header)?.fields.list ?? []);
}
