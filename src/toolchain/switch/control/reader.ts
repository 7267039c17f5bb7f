/** Reads (P4Runtime spec 11.3): wildcards, single entities, direct resources with their entries. */
import { given } from "../../../base/index.js";
import {
  type CounterData,
  DeviceError,
  type Entity,
  type Match,
  type MeterConfig,
  type ReadQuery,
  type TableEntry,
} from "../../device/index.js";
import { type MeterRates, readCounter } from "../tables/resources.js";
import type { StoredEntry } from "../tables/store.js";
import type { Digests } from "./digests.js";
import type { Instance, TableControl } from "./instance.js";
import { refuse } from "./keys.js";
import type { TableWriter } from "./table-writer.js";

function configOf(rates: MeterRates | undefined): MeterConfig | undefined {
  if (rates === undefined) return undefined;
  return {
    committedRate: BigInt(Math.round(rates.committedRate * 1e6)),
    committedBurst: BigInt(rates.committedBurst),
    peakRate: BigInt(Math.round(rates.peakRate * 1e6)),
    peakBurst: BigInt(rates.peakBurst),
  };
}

/** The default entry of a table with an action profile is constant (P4Runtime spec 9.1.3). */
const NO_ACTION = { action: "NoAction", params: {} } as const;

const isCounted = ({ info }: TableControl): boolean => info.table.with_counters;
const isMetered = ({ store }: TableControl): boolean => store.meter !== undefined;

export class Reader {
  constructor(
    readonly instance: Instance,
    readonly tables: TableWriter,
    readonly digests: Digests,
  ) {}

  /** The entities that a query means, one at a time. Throws a `DeviceError` for names, indexes and keys that do not exist. */
  *read(query: ReadQuery): Generator<Entity> {
    switch (query.kind) {
      case "tableEntry":
        yield* this.#tableEntries(query);
        return;
      case "directCounter":
        for (const [table, stored] of this.#direct(query.table, query, isCounted)) {
          const data = this.#counterOf(table, stored);
          yield { kind: "directCounter", entry: this.#plain(table, stored), data };
        }
        return;
      case "directMeter":
        for (const [table, stored] of this.#direct(query.table, query, isMetered)) {
          const config = configOf(table.store.meter!.rates(stored.number));
          const entry = this.#plain(table, stored);
          yield { kind: "directMeter", entry, ...given({ config }) };
        }
        return;
      case "member":
        for (const { name, store } of this.#profiles(query.profile)) {
          for (const { memberId, action, hidden } of store.members.values()) {
            if (!hidden && (query.memberId === undefined || query.memberId === memberId))
              yield { kind: "member", profile: name, memberId, action };
          }
        }
        return;
      case "group":
        for (const { name, store } of this.#profiles(query.profile)) {
          for (const { groupId, members, maxSize, hidden } of store.groups.values()) {
            if (!hidden && (query.groupId === undefined || query.groupId === groupId))
              yield { kind: "group", profile: name, groupId, members, maxSize };
          }
        }
        return;
      case "counter": {
        const { counters } = this.instance;
        for (const [array, index] of this.#elements("counter", counters, query.counter, query.index)) {
          const data = counterData(array, index);
          yield { kind: "counter", counter: array.name, index, data };
        }
        return;
      }
      case "meter": {
        const { meters } = this.instance;
        for (const [array, index] of this.#elements("meter", meters, query.meter, query.index)) {
          const config = configOf(array.rates(index));
          yield { kind: "meter", meter: array.name, index, ...given({ config }) };
        }
        return;
      }
      case "register": {
        const { registers } = this.instance;
        for (const [array, index] of this.#elements("register", registers, query.register, query.index))
          yield { kind: "register", register: array.name, index, value: array.get(index) };
        return;
      }
      case "multicastGroup":
        for (const [groupId, { replicas, metadata }] of this.instance.replication.groups) {
          if (query.groupId !== undefined && query.groupId !== groupId) continue;
          yield {
            kind: "multicastGroup",
            groupId,
            replicas,
            ...given({ metadata }),
          };
        }
        return;
      case "cloneSession":
        for (const [sessionId, session] of this.instance.replication.sessions) {
          if (query.sessionId !== undefined && query.sessionId !== sessionId) continue;
          yield {
            kind: "cloneSession",
            sessionId,
            replicas: session.replicas,
            classOfService: session.classOfService,
            packetLengthBytes: session.lengthLimit,
          };
        }
        return;
      case "digest":
        if (query.digest !== undefined && !this.digests.knows(query.digest))
          refuse("NOT_FOUND", `the program has no digest ${query.digest}`);
        for (const name of this.digests.names) {
          const config =
            query.digest === undefined || query.digest === name ? this.digests.config(name) : undefined;
          if (config !== undefined) yield config;
        }
        return;
      case "valueSet": {
        const { valueSets } = this.instance;
        if (query.valueSet !== undefined && !valueSets.has(query.valueSet))
          refuse("NOT_FOUND", `the program has no value set ${query.valueSet}`);
        for (const { name, members } of valueSets.values()) {
          if (query.valueSet === undefined || query.valueSet === name)
            yield { kind: "valueSet", valueSet: name, members: members.map(({ match }) => match) };
        }
      }
    }
  }

  #profiles(name: string | undefined) {
    const { profiles } = this.instance;
    if (name === undefined) return [...profiles.values()];
    const profile = profiles.get(name);
    if (profile === undefined) refuse("NOT_FOUND", `the program has no action profile ${name}`);
    return [profile];
  }

  *#elements<T extends { name: string; size: number }>(
    kind: string,
    arrays: ReadonlyMap<string, T>,
    name: string | undefined,
    index: number | undefined,
  ): Generator<[T, number]> {
    const chosen = name === undefined ? [...arrays.values()] : [arrays.get(name)];
    for (const array of chosen) {
      if (array === undefined) refuse("NOT_FOUND", `the program has no ${kind} ${name}`);
      if (index === undefined) {
        for (let i = 0; i < array.size; i++) yield [array, i];
        continue;
      }
      if (index < 0 || index >= array.size)
        refuse("OUT_OF_RANGE", `${kind} ${array.name} has indexes 0 to ${array.size - 1}, not ${index}`);
      yield [array, index];
    }
  }

  /** A wildcard covers the tables of P4Info: tables that the compiler made are not part of it. */
  #tables(name: string | undefined): TableControl[] {
    if (name !== undefined) return [this.tables.find(name)];
    const shown = this.instance.p4.tables;
    const all = [...this.instance.tables.values()];
    return shown.list.length === 0 ? all : all.filter((table) => shown.byName(table.name) !== undefined);
  }

  *#direct(
    name: string | undefined,
    query: { match?: readonly Match[]; priority?: number },
    has: (table: TableControl) => boolean,
  ): Generator<[TableControl, StoredEntry]> {
    for (const table of this.#tables(name)) {
      if (has(table)) for (const stored of this.#found(table, query)) yield [table, stored];
    }
  }

  /** Entries of a table in the order of their insertion; with `match` only the entry with that key, or NOT_FOUND. */
  *#found(
    table: TableControl,
    { match, priority }: { match?: readonly Match[]; priority?: number },
  ): Generator<StoredEntry> {
    if (match !== undefined && match.length > 0) {
      yield this.tables.stored(table, { match, priority: priority ?? 0 });
      return;
    }
    for (const entry of table.store.entries.values())
      if (!priority || priority === entry.priority) yield entry;
  }

  #counterOf({ store }: TableControl, { number }: StoredEntry): CounterData {
    return counterData(store, number);
  }

  #plain(table: TableControl, stored: StoredEntry): TableEntry {
    return { kind: "tableEntry", table: table.name, match: stored.match, priority: stored.priority };
  }

  *#tableEntries(query: ReadQuery & { kind: "tableEntry" }): Generator<TableEntry> {
    for (const table of this.#tables(query.table)) {
      if (query.isDefault) {
        const entry = this.#defaultEntry(table);
        if (entry !== undefined) yield entry;
        continue;
      }
      try {
        for (const stored of this.#found(table, query)) yield this.#entry(table, stored, query);
      } catch (error) {
        // No entry has this key: the answer is empty.
        if (!(error instanceof DeviceError && error.code === "NOT_FOUND")) throw error;
      }
    }
  }

  #defaultEntry(table: TableControl): TableEntry | undefined {
    const action = table.default ?? (table.profile === undefined ? undefined : NO_ACTION);
    if (action === undefined) return undefined;
    const entry: TableEntry = {
      kind: "tableEntry",
      table: table.name,
      match: [],
      priority: 0,
      isDefault: true,
    };
    // a program that never mentions NoAction has no id for it
    const { actions } = this.instance.p4;
    if (action !== NO_ACTION || actions.byName(NO_ACTION.action) !== undefined)
      entry.action = { kind: "action", action: action.action, params: action.params };
    return entry;
  }

  #entry(table: TableControl, stored: StoredEntry, query: ReadQuery & { kind: "tableEntry" }): TableEntry {
    const { store, info } = table;
    const { match, priority, action } = stored;
    const entry: TableEntry = { kind: "tableEntry", table: table.name, match, priority, action };
    if (stored.idleTimeoutNs !== 0n) entry.idleTimeoutNs = stored.idleTimeoutNs;
    if (stored.controllerMetadata !== 0n) entry.controllerMetadata = stored.controllerMetadata;
    if (stored.metadata !== undefined) entry.metadata = stored.metadata;
    if (stored.isConst) entry.isConst = true;
    if (query.counter && info.table.with_counters) entry.counter = this.#counterOf(table, stored);
    if (query.meter) {
      const meter = configOf(store.meter?.rates(stored.number));
      if (meter !== undefined) entry.meter = meter;
    }
    if (query.idle && info.table.support_timeout) {
      const passed = this.instance.clock.now() - store.lastHit[stored.number]!;
      entry.elapsedNs = BigInt(Math.floor(passed * 1000));
    }
    return entry;
  }
}

function counterData(counters: { counts: Float64Array }, index: number): CounterData {
  const { packets, bytes } = readCounter(counters, index);
  return { packets: BigInt(packets), bytes: BigInt(bytes) };
}
