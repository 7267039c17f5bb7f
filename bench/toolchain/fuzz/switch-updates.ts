/** Makes updates of a loaded program: mostly right ones over few keys and ids, and wrong ones of every sort. */
import type { Random } from "../../../src/base/index.js";
import type {
  ActionCall,
  Entity,
  GroupMember,
  Match,
  MeterConfig,
  TableAction,
  TableEntry,
  Update,
} from "../../../src/toolchain/device/index.js";
import type { Switch } from "../../../src/toolchain/switch/index.js";

type Instance = Switch["internals"]["instance"];
type Table = Instance["tables"] extends ReadonlyMap<string, infer T> ? T : never;
type Actions = Table["info"]["actions"];

/** Kinds of entities that have to do with each other. */
const FAMILIES = [
  ["tableEntry", "tableEntry", "member", "member", "group", "group"],
  ["tableEntry", "tableEntry", "default", "directCounter", "directMeter"],
  ["counter", "meter", "register", "digest", "valueSet"],
  ["multicastGroup", "cloneSession"],
] as const;

export type UpdateKind = (typeof FAMILIES)[number][number];

const ALL: readonly UpdateKind[] = FAMILIES.flat();

/** Kinds for one case: all, or a family, so that its members meet. */
export function someKinds(random: Random): readonly UpdateKind[] {
  return random.int(3) === 0 ? ALL : random.pick(FAMILIES);
}

/** Few values, so that keys come again; one in ten does not fit. */
function numberOf(random: Random, width: number): bigint {
  const all = (1n << BigInt(width)) - 1n;
  switch (random.int(10)) {
    case 0:
      return all;
    case 1:
      return random.int(4) === 0 ? all + 1n : 0n;
    case 2:
      return random.int(6) === 0 ? -1n : BigInt(random.uint32()) & all;
    default:
      return BigInt(random.int(4)) & all;
  }
}

function matchOf(random: Random, field: string, kind: Match["kind"], width: number): Match {
  const value = numberOf(random, width);
  const all = (1n << BigInt(width)) - 1n;
  const careless = random.int(20) === 0;
  switch (kind) {
    case "exact":
    case "optional":
      return { kind, field, value };
    case "lpm": {
      const prefixLength = random.int(width + (careless ? 3 : 1)) - (careless ? 1 : 0);
      const mask = prefixLength <= 0 ? 0n : (all << BigInt(Math.max(0, width - prefixLength))) & all;
      return { kind, field, value: careless ? value : value & mask, prefixLength };
    }
    case "ternary": {
      const mask = random.int(3) === 0 ? all : numberOf(random, width);
      return { kind, field, value: careless ? value : value & mask, mask };
    }
    case "range": {
      const other = numberOf(random, width);
      const [low, high] = value < other || careless ? [value, other] : [other, value];
      return { kind, field, low, high };
    }
  }
}

function callOf(random: Random, actions: Actions): ActionCall {
  const list = [...actions.values()];
  if (list.length === 0 || random.int(30) === 0) return { action: "nothing", params: {} };
  const action = random.pick(list);
  const params: Record<string, bigint> = {};
  for (const { name, bitwidth } of action.runtime_data)
    if (random.int(40) > 0) params[name] = numberOf(random, bitwidth);
  if (random.int(40) === 0) params.more = 1n;
  return { action: action.name, params };
}

function meterOf(random: Random): MeterConfig {
  const [committedRate, peakRate] = [BigInt(random.int(1000)), BigInt(random.int(1000))];
  return {
    committedRate,
    committedBurst: BigInt(random.int(50) - 1),
    peakRate: random.int(4) === 0 ? peakRate : committedRate + peakRate,
    peakBurst: BigInt(random.int(50)),
  };
}

const weightOf = (random: Random) => (random.int(20) === 0 ? random.int(3) - 1 : 1 + random.int(4));
const watchOf = (random: Random) => (random.int(3) === 0 ? { watchPort: random.int(4) } : {});
/** A member that is there, mostly. */
const memberOf = (random: Random, members: ReadonlyMap<number, unknown>) =>
  members.size === 0 || random.int(12) === 0 ? random.int(6) : random.pick([...members.keys()]);
/** Indexes of an array that updates name, so that the others need not be read. */
export function usedIndexes(size: number): number[] {
  const first = Array.from({ length: Math.min(size, 8) }, (_, i) => i);
  return size > 8 ? [...first, size - 1] : first;
}

const indexOf = (random: Random, size: number) =>
  random.int(10) === 0 ? random.pick([-1, size, size + 1, 2 ** 31]) : (pick(random, usedIndexes(size)) ?? 0);

function actionOf(random: Random, table: Table): TableAction {
  const asProfile = table.profile !== undefined;
  if (!asProfile !== (random.int(25) === 0)) return { kind: "action", ...callOf(random, table.info.actions) };
  switch (random.int(3)) {
    case 0:
      return { kind: "member", memberId: random.int(6) };
    case 1:
      return { kind: "group", groupId: random.int(4) };
    default:
      return {
        kind: "oneShot",
        actions: Array.from({ length: random.int(4) }, () => ({
          ...callOf(random, table.info.actions),
          weight: weightOf(random),
          ...watchOf(random),
        })),
      };
  }
}

/** An entry with a key of its own, or (`known`) often that of an entry which is there. */
function entryOf(random: Random, table: Table, known: boolean): TableEntry {
  const made = madeEntry(random, table);
  const present = [...table.store.entries.values()];
  if (!known || present.length === 0 || random.int(4) === 0) return made;
  const { match, priority } = random.pick(present);
  return { ...made, table: table.name, match, priority };
}

function madeEntry(random: Random, table: Table): TableEntry {
  const match: Match[] = [];
  table.shape.fields.forEach((field, i) => {
    if (field.kind !== "exact" && random.int(3) === 0) return;
    if (random.int(60) === 0) return;
    const kinds = ["exact", "lpm", "ternary", "range", "optional"] as const;
    const kind = random.int(50) === 0 ? random.pick(kinds) : field.kind;
    match.push(matchOf(random, table.fieldNames[i]!, kind, field.width));
  });
  if (random.int(60) === 0) match.push({ kind: "exact", field: "none", value: 0n });
  const hasPriority = table.priority !== (random.int(40) === 0);
  return {
    kind: "tableEntry",
    table: random.int(60) === 0 ? "none" : table.name,
    match,
    priority: hasPriority ? random.int(4) : 0,
    ...(random.int(30) === 0 ? {} : { action: actionOf(random, table) }),
    ...(random.int(table.info.table.support_timeout ? 3 : 30) === 0
      ? { idleTimeoutNs: BigInt(random.int(1000) - 10) * 1000n }
      : {}),
    ...(random.int(6) === 0 ? { controllerMetadata: BigInt(random.int(5)) } : {}),
    ...(random.int(6) === 0 ? { metadata: Uint8Array.of(random.int(256)) } : {}),
    ...(random.int(table.directCounter === undefined ? 30 : 4) === 0
      ? { counter: { packets: BigInt(random.int(9) - 1), bytes: 7n } }
      : {}),
    ...(random.int(table.directMeter === undefined ? 30 : 4) === 0 ? { meter: meterOf(random) } : {}),
  };
}

const pick = <T>(random: Random, list: readonly T[]): T | undefined =>
  list.length === 0 ? undefined : random.pick(list);

/** `known`: of something that is there, where there is such a thing. */
function entityOf(
  random: Random,
  device: Switch,
  kinds: readonly UpdateKind[],
  known: boolean,
): Entity | undefined {
  const { instance, digests } = device.internals;
  const table = pick(random, [...instance.tables.values()]);
  const profile = pick(random, [...instance.profiles.values()]);
  const kind = random.pick(kinds);
  const hasDirect = (candidate: Table) =>
    (kind === "directMeter" ? candidate.directMeter : candidate.directCounter) !== undefined;
  const direct = random.int(8) === 0 ? table : pick(random, [...instance.tables.values()].filter(hasDirect));
  switch (kind) {
    case "tableEntry":
      return table && entryOf(random, table, known);
    case "default":
      return (
        table && {
          kind: "tableEntry",
          table: table.name,
          match: [],
          priority: 0,
          isDefault: true,
          ...(random.int(4) === 0
            ? {}
            : { action: { kind: "action", ...callOf(random, table.info.actions) } }),
        }
      );
    case "member":
      return (
        profile && {
          kind,
          profile: profile.name,
          memberId: random.int(7) - (random.int(30) === 0 ? 1 : 0),
          action: callOf(random, profile.info.actions),
        }
      );
    case "group":
      return (
        profile && {
          kind,
          profile: profile.name,
          groupId: random.int(4),
          members: Array.from(
            { length: random.int(5) },
            (): GroupMember => ({
              memberId: memberOf(random, profile.store.members),
              weight: weightOf(random),
              ...watchOf(random),
            }),
          ),
          maxSize: random.int(5) === 0 ? random.int(10) - 1 : 0,
        }
      );
    case "counter": {
      const array = pick(random, [...instance.counters.values()]);
      if (array === undefined) return undefined;
      const data = { packets: BigInt(random.int(100) - 1), bytes: BigInt(random.uint32()) };
      return { kind, counter: array.name, index: indexOf(random, array.size), data };
    }
    case "meter": {
      const array = pick(random, [...instance.meters.values()]);
      if (array === undefined) return undefined;
      const index = indexOf(random, array.size);
      return {
        kind,
        meter: array.name,
        index,
        ...(random.int(3) === 0 ? {} : { config: meterOf(random) }),
      };
    }
    case "directCounter":
      return direct && { kind, entry: entryOf(random, direct, true), data: { packets: 3n, bytes: 4n } };
    case "directMeter":
      return (
        direct && {
          kind,
          entry: entryOf(random, direct, true),
          ...(random.int(3) === 0 ? {} : { config: meterOf(random) }),
        }
      );
    case "register": {
      const array = pick(random, [...instance.registers.values()]);
      if (array === undefined) return undefined;
      const index = indexOf(random, array.size);
      return { kind, register: array.name, index, value: numberOf(random, array.width) };
    }
    case "multicastGroup":
      return { kind, groupId: random.int(6), replicas: replicasOf(random) };
    case "cloneSession":
      return {
        kind,
        sessionId: random.int(20) === 0 ? 32768 : random.int(4),
        replicas: replicasOf(random),
        classOfService: random.int(30) === 0 ? 1 : 0,
        packetLengthBytes: random.int(4) === 0 ? random.int(60) - 1 : 0,
      };
    case "digest": {
      const digest = pick(random, digests.names);
      if (digest === undefined) return undefined;
      return {
        kind,
        digest,
        maxListSize: random.int(5) - (random.int(9) === 0 ? 1 : 0),
        maxTimeoutNs: BigInt(random.int(3)) * 1000n,
        ackTimeoutNs: BigInt(random.int(3)) * 1000n,
      };
    }
    case "valueSet": {
      const set = pick(random, [...instance.valueSets.values()]);
      if (set === undefined) return undefined;
      const fields = instance.p4.valueSets.byName(set.name)?.fields.list ?? [
        { name: set.name, bitwidth: set.width },
      ];
      const kinds = ["exact", "lpm", "ternary", "range", "optional"] as const;
      const members = Array.from({ length: random.int(6) }, () =>
        fields.flatMap(({ name, bitwidth }) =>
          random.int(8) === 0
            ? []
            : [matchOf(random, random.int(40) === 0 ? "none" : name, random.pick(kinds), bitwidth)],
        ),
      );
      return { kind, valueSet: set.name, members };
    }
  }
}

function replicasOf(random: Random) {
  return Array.from({ length: random.int(5) }, () => ({
    port: random.int(30) === 0 ? 600 : random.int(5),
    instance: random.int(30) === 0 ? -1 : random.int(4),
  }));
}

const ONLY_MODIFIED: ReadonlySet<string> = new Set([
  "counter",
  "directCounter",
  "meter",
  "directMeter",
  "register",
  "valueSet",
]);

/** One update of something that the switch's program has. */
export function makeUpdate(random: Random, device: Switch, kinds: readonly UpdateKind[] = ALL): Update {
  for (let tries = 0; ; tries++) {
    const type = random.pick(["insert", "insert", "insert", "modify", "modify", "delete"] as const);
    const entity = entityOf(random, device, tries < 20 ? kinds : ALL, type !== "insert");
    if (entity === undefined) continue;
    if (ONLY_MODIFIED.has(entity.kind) && random.int(12) > 0) return { type: "modify", entity };
    return { type, entity };
  }
}
