/**
 * Generates updates that a controller may write: entries within sizes, kinds of match and scopes of actions, groups,
 * sessions, registers.
 */
import type { Random } from "../../../src/base/index.js";
import { maskOf } from "../../../src/base/index.js";
import type { ActionCall, Match, Replica, TableEntry, Update } from "../../../src/toolchain/device/index.js";
import type {
  ActionInfo,
  FieldInfo,
  P4InfoIndex,
  ProfileInfo,
  TableInfo,
} from "../../../src/toolchain/program/index.js";
import type { Values } from "./values.js";

/** Ports of the switch, from 0. */
export const PORTS = 8;

/** As in P4Info's `ActionRef.Scope`. */
const SCOPE = { tableOnly: 1, defaultOnly: 2 };

export interface EntryOptions {
  index: P4InfoIndex;
  values: Values;
  random: Random;
  /** Entries a table, at most. */
  entries: number;
}

/** Updates in an order in which each refers only to existing entities. */
export function randomUpdates(options: EntryOptions): Update[] {
  const { index, random } = options;
  const updates: Update[] = [];
  const insert = (entity: Update["entity"]) => updates.push({ type: "insert", entity });
  for (const groupId of [1, 2, 3, 4, 5])
    insert({ kind: "multicastGroup", groupId, replicas: replicas(random) });
  for (const sessionId of [1, 2, 3, 4, 5, 6, 7, 8, 100, 250, 255, 500])
    insert({
      kind: "cloneSession",
      sessionId,
      replicas: replicas(random).slice(0, 1),
      classOfService: 0,
      packetLengthBytes: 0,
    });
  const profiles = new Map<ProfileInfo, { members: number[]; groups: number[] }>();
  for (const profile of index.actionProfiles.list)
    profiles.set(profile, profileUpdates(options, profile, insert));
  for (const { name, message } of index.registers.list) {
    const width = index.bitwidthOf(message.typeSpec) ?? 0;
    if (width === 0 || message.size === 0) continue;
    for (const at of [0, 1, message.size - 1])
      if (at < message.size && random.int(3) === 0)
        updates.push({
          type: "modify",
          entity: { kind: "register", register: name, index: at, value: options.values.number(width) },
        });
  }
  for (const { name, fields, message } of index.valueSets.list) {
    const count = Math.min(2, message.size);
    const members = distinct(Array.from({ length: count }, () => matches(options, fields.list)));
    updates.push({ type: "modify", entity: { kind: "valueSet", valueSet: name, members } });
  }
  for (const table of index.tables.list) updates.push(...tableUpdates(options, table, profiles));
  return updates;
}

function replicas(random: Random): Replica[] {
  const count = 1 + random.int(3);
  return Array.from({ length: count }, (_, instance) => ({ port: random.int(PORTS), instance }));
}

function profileUpdates(
  options: EntryOptions,
  profile: ProfileInfo,
  insert: (entity: Update["entity"]) => void,
): { members: number[]; groups: number[] } {
  const { random } = options;
  const actions = profile.tables[0] === undefined ? [] : actionsOf(profile.tables[0], SCOPE.defaultOnly);
  if (actions.length === 0) return { members: [], groups: [] };
  const size = Number(profile.message.size);
  const members = Array.from({ length: Math.min(4, size) }, (_, i) => i + 1);
  for (const memberId of members)
    insert({ kind: "member", profile: profile.name, memberId, action: call(options, random.pick(actions)) });
  if (!profile.message.withSelector) return { members, groups: [] };
  const groups = [1, 2];
  for (const groupId of groups) {
    const chosen = random.shuffle([...members]).slice(0, 1 + random.int(members.length));
    const inGroup = chosen.sort((a, b) => a - b).map((memberId) => ({ memberId, weight: 1 }));
    insert({ kind: "group", profile: profile.name, groupId, members: inGroup, maxSize: 0 });
  }
  return { members, groups };
}

function tableUpdates(
  options: EntryOptions,
  table: TableInfo,
  profiles: ReadonlyMap<ProfileInfo, { members: number[]; groups: number[] }>,
): Update[] {
  const { random } = options;
  const updates: Update[] = [];
  const profile = table.profile === undefined ? undefined : profiles.get(table.profile);
  const inserted = new Set<string>();
  const allowed = actionsOf(table, SCOPE.defaultOnly);
  const count = table.message.isConstTable
    ? 0
    : Math.min(options.entries, Number(table.message.size) || 1024);
  for (let i = 0; i < count && table.fields.list.length > 0; i++) {
    const match = matches(options, table.fields.list);
    const key = JSON.stringify(match, (_, value) => (typeof value === "bigint" ? String(value) : value));
    // A key that leaves everything open belongs to the default entry.
    if (inserted.has(key) || (match.length === 0 && !table.hasPriority)) continue;
    inserted.add(key);
    const entry: TableEntry = {
      kind: "tableEntry",
      table: table.name,
      match,
      priority: table.hasPriority ? i + 1 : 0,
    };
    if (profile !== undefined) {
      const { members, groups } = profile;
      if (members.length === 0) break;
      entry.action =
        groups.length > 0 && random.int(2) === 0
          ? { kind: "group", groupId: random.pick(groups) }
          : { kind: "member", memberId: random.pick(members) };
    } else if (allowed.length === 0) break;
    else entry.action = { kind: "action", ...call(options, random.pick(allowed)) };
    updates.push({ type: "insert", entity: entry });
  }
  const forDefault = actionsOf(table, SCOPE.tableOnly);
  if (
    profile === undefined &&
    table.message.constDefaultActionId === 0 &&
    forDefault.length > 0 &&
    random.int(2) === 0
  )
    updates.push({
      type: "modify",
      entity: {
        kind: "tableEntry",
        table: table.name,
        match: [],
        priority: 0,
        isDefault: true,
        action: { kind: "action", ...call(options, random.pick(forDefault)) },
      },
    });
  return updates;
}

/** The table's actions but those of one scope. */
function actionsOf(table: TableInfo, without: number): ActionInfo[] {
  return [...table.actions.values()].filter(({ scope }) => scope !== without).map(({ action }) => action);
}

function call({ values, random }: EntryOptions, action: ActionInfo): ActionCall {
  const params: Record<string, bigint> = {};
  for (const { name, bitwidth, isString } of action.params.list) {
    // Values of nine bits mostly are ports.
    const isPort = bitwidth === 9 || isString;
    params[name] = isPort && random.int(6) > 0 ? BigInt(random.int(PORTS)) : values.number(bitwidth || 9);
  }
  return { action: action.name, params };
}

function matches(options: EntryOptions, fields: readonly FieldInfo[]): Match[] {
  return fields.flatMap((field) => matchOf(options, field) ?? []);
}

function matchOf({ values, random }: EntryOptions, { name: field, kind, bitwidth, isString }: FieldInfo) {
  const width = isString ? 9 : bitwidth;
  const value = width === 9 && random.int(6) > 0 ? BigInt(random.int(PORTS)) : values.number(width);
  const all = maskOf(width);
  const dontCare = random.int(2) === 0;
  switch (kind) {
    case "exact":
      return { kind, field, value } as const;
    case "optional":
      return dontCare ? undefined : ({ kind, field, value } as const);
    case "lpm": {
      const prefixLength = random.int(2) === 0 ? width : random.int(width + 1);
      if (prefixLength === 0) return undefined;
      const mask = (all << BigInt(width - prefixLength)) & all;
      return { kind, field, value: value & mask, prefixLength } as const;
    }
    case "ternary": {
      const mask = random.int(2) === 0 ? all : values.any(width);
      return dontCare || mask === 0n ? undefined : ({ kind, field, value: value & mask, mask } as const);
    }
    case "range": {
      const other = values.number(width);
      const [low, high] = value < other ? [value, other] : [other, value];
      return dontCare || (low === 0n && high === all) ? undefined : ({ kind, field, low, high } as const);
    }
    default:
      return undefined;
  }
}

function distinct(members: readonly Match[][]): Match[][] {
  const seen = new Map<string, Match[]>();
  for (const member of members)
    seen.set(
      JSON.stringify(member, (_, value) => (typeof value === "bigint" ? String(value) : value)),
      member,
    );
  return [...seen.values()];
}
