/**
 * Brings a device to a desired state with as few updates as possible: reads what is there, compares by key,
 * and writes the differences in an order in which nothing refers to what is missing.
 */
import type { Device, Entity, ReadQuery, Update } from "./device.js";
import { entityKey } from "./entity-key.js";

/** The default scope of a reconciliation: all kinds of entities that controllers insert and delete. */
export const INSERTED_KINDS: readonly ReadQuery[] = [
  { kind: "tableEntry" },
  { kind: "member" },
  { kind: "group" },
  { kind: "multicastGroup" },
  { kind: "cloneSession" },
];

type Inserted = "tableEntry" | "member" | "group" | "multicastGroup" | "cloneSession" | "digest";

const RANK: Readonly<Record<Inserted, number>> = {
  member: 0,
  multicastGroup: 1,
  cloneSession: 2,
  digest: 3,
  group: 4,
  tableEntry: 5,
};

/** Direct resources come after their entries, all else before the groups; this order needs the fewest Writes. */
function rankOf({ kind }: Entity): number {
  if (kind === "directCounter" || kind === "directMeter") return RANK.tableEntry + 1;
  return RANK[kind as Inserted] ?? RANK.digest;
}

/**
 * The updates that turn `actual` into `desired`. Entries that came with the program are left alone; default
 * entries, counters, meters, registers and value sets are only ever modified.
 */
export function difference(actual: readonly Entity[], desired: readonly Entity[]): Update[] {
  const there = new Map(actual.map((entity) => [entityKey(entity), entity]));
  const wanted = new Map(desired.map((entity) => [entityKey(entity), entity]));
  const changes: Update[] = [];
  for (const [key, entity] of wanted) {
    const old = there.get(key);
    const exists = old !== undefined || !isInserted(entity);
    if (old === undefined || !sameEntity(old, entity)) {
      changes.push({ type: exists ? "modify" : "insert", entity });
    }
  }
  const removals: Update[] = [];
  for (const [key, entity] of there) {
    if (wanted.has(key) || !isInserted(entity)) continue;
    if (entity.kind === "tableEntry" && entity.isConst) continue;
    removals.push({ type: "delete", entity });
  }
  changes.sort((a, b) => rankOf(a.entity) - rankOf(b.entity));
  removals.sort((a, b) => rankOf(b.entity) - rankOf(a.entity));
  // entries are deleted first, to make room in their tables; the objects to which they refer are deleted last
  const entries = removals.filter(({ entity }) => entity.kind === "tableEntry");
  const rest = removals.filter(({ entity }) => entity.kind !== "tableEntry");
  return [...entries, ...changes, ...rest];
}

function isInserted(entity: Entity): boolean {
  return entity.kind in RANK && !(entity.kind === "tableEntry" && entity.isDefault);
}

/** Parts that the device adds of its own, or that have no order. */
function comparable(entity: Entity): unknown {
  if (entity.kind === "tableEntry") {
    const { elapsedNs: _, isConst: __, counter: ___, match, ...rest } = entity;
    return { ...rest, match: [...match].sort((a, b) => (a.field < b.field ? -1 : 1)) };
  }
  if (entity.kind === "group") {
    return { ...entity, members: [...entity.members].sort((a, b) => a.memberId - b.memberId) };
  }
  if (entity.kind === "multicastGroup" || entity.kind === "cloneSession") {
    const replicas = [...entity.replicas].sort((a, b) => a.port - b.port || a.instance - b.instance);
    return { ...entity, replicas };
  }
  // the key decides which entry it is; the rest of that entry does not count
  if (entity.kind === "directCounter") return entity.data;
  if (entity.kind === "directMeter") return entity.config;
  return entity;
}

/** Equality of plain values in any order of their members; a missing member equals 0 and false. */
function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const isNothing = (value: unknown): boolean =>
    value === undefined || value === 0 || value === 0n || value === false;
  if (isNothing(a) && isNothing(b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const names = new Set([...Object.keys(left), ...Object.keys(right)]);
  return [...names].every((name) => sameValue(left[name], right[name]));
}

function sameEntity(a: Entity, b: Entity): boolean {
  return sameValue(comparable(a), comparable(b));
}

/** What to read to learn the state of an entity that is there from the start; undefined for the others. */
function queryOf(entity: Entity): ReadQuery | undefined {
  switch (entity.kind) {
    case "tableEntry":
      return entity.isDefault ? { kind: "tableEntry", table: entity.table, isDefault: true } : undefined;
    case "counter":
      return { kind: "counter", counter: entity.counter };
    case "meter":
      return { kind: "meter", meter: entity.meter };
    case "register":
      return { kind: "register", register: entity.register };
    case "valueSet":
      return { kind: "valueSet", valueSet: entity.valueSet };
    case "directCounter":
    case "directMeter":
      return { kind: entity.kind, table: entity.entry.table };
    default:
      return undefined;
  }
}

/** The scope, and whatever else is desired. */
function widen(scope: readonly ReadQuery[], desired: readonly Entity[]): ReadQuery[] {
  const more = new Map<string, ReadQuery>();
  for (const entity of desired) {
    const query = queryOf(entity);
    if (query !== undefined) more.set(JSON.stringify(query), query);
  }
  const kinds = new Set(scope.map(({ kind }) => kind));
  const uncovered = [...more.values()].filter(({ kind }) => kind === "tableEntry" || !kinds.has(kind));
  return [...scope, ...uncovered];
}

/**
 * Makes the device's state within `scope` the desired one; answers what was changed. Default entries, counters,
 * meters, registers and value sets that are desired are compared, too; those that are not are left alone. What
 * is new comes before what goes, so that packets always find a way; a profile or group table needs room for both.
 */
export async function reconcile(
  device: Device,
  desired: readonly Entity[],
  scope: readonly ReadQuery[] = INSERTED_KINDS,
): Promise<readonly Update[]> {
  const updates = difference(await device.read(widen(scope, desired)), desired);
  if (updates.length > 0) await device.write(updates);
  return updates;
}
