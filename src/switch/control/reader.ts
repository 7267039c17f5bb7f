/** Reads (P4Runtime spec 11.3): wildcards, single entities, direct resources with their entries. */
import {
  type CounterData,
  DeviceError,
  type Entity,
  type Match,
  type MeterConfig,
  type ReadQuery,
  type TableEntry,
} from "../../program/index.js";
import type { MeterRates } from "../tables/resources.js";
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

export class Reader {
  constructor(
    readonly instance: Instance,
    readonly tables: TableWriter,
    readonly digests: Digests,
  ) {}

  read(query: ReadQuery): Entity[] {
    switch (query.kind) {
      case "tableEntry":
        return this.#tableEntries(query);
      case "directCounter":
        return this.#direct(query.table, query, (table) => table.info.table.with_counters).map(
          ([table, stored]) => ({
            kind: "directCounter" as const,
            entry: this.#plain(table, stored),
            data: this.#counterOf(table, stored),
          }),
        );
      case "directMeter":
        return this.#direct(query.table, query, (table) => table.store.meter !== undefined).map(
          ([table, stored]) => {
            const config = configOf(table.store.meter!.rates(stored.number));
            return {
              kind: "directMeter" as const,
              entry: this.#plain(table, stored),
              ...(config === undefined ? {} : { config }),
            };
          },
        );
      case "member":
        return this.#profiles(query.profile).flatMap(({ name, store }) =>
          [...store.members.values()]
            .filter(
              (member) =>
                !member.hidden && (query.memberId === undefined || query.memberId === member.memberId),
            )
            .map(({ memberId, action }) => ({ kind: "member" as const, profile: name, memberId, action })),
        );
      case "group":
        return this.#profiles(query.profile).flatMap(({ name, store }) =>
          [...store.groups.values()]
            .filter(
              (group) => !group.hidden && (query.groupId === undefined || query.groupId === group.groupId),
            )
            .map(({ groupId, members, maxSize }) => ({
              kind: "group" as const,
              profile: name,
              groupId,
              members,
              maxSize,
            })),
        );
      case "counter":
        return this.#elements("counter", this.instance.counters, query.counter, query.index).map(
          ([array, index]) => ({
            kind: "counter" as const,
            counter: array.name,
            index,
            data: { packets: BigInt(array.packets[index]!), bytes: BigInt(array.bytes[index]!) },
          }),
        );
      case "meter":
        return this.#elements("meter", this.instance.meters, query.meter, query.index).map(
          ([array, index]) => {
            const config = configOf(array.rates(index));
            return {
              kind: "meter" as const,
              meter: array.name,
              index,
              ...(config === undefined ? {} : { config }),
            };
          },
        );
      case "register":
        return this.#elements("register", this.instance.registers, query.register, query.index).map(
          ([array, index]) => ({
            kind: "register" as const,
            register: array.name,
            index,
            value: array.get(index),
          }),
        );
      case "multicastGroup":
        return [...this.instance.replication.groups]
          .filter(([groupId]) => query.groupId === undefined || query.groupId === groupId)
          .map(([groupId, { replicas, metadata }]) => ({
            kind: "multicastGroup" as const,
            groupId,
            replicas,
            ...(metadata === undefined ? {} : { metadata }),
          }));
      case "cloneSession":
        return [...this.instance.replication.sessions]
          .filter(([sessionId]) => query.sessionId === undefined || query.sessionId === sessionId)
          .map(([sessionId, session]) => ({
            kind: "cloneSession" as const,
            sessionId,
            replicas: session.replicas,
            classOfService: session.classOfService,
            packetLengthBytes: session.lengthLimit,
          }));
      case "digest": {
        if (query.digest !== undefined && !this.digests.knows(query.digest))
          refuse("NOT_FOUND", `the program has no digest ${query.digest}`);
        return this.digests.names.flatMap((name) => {
          const config =
            query.digest === undefined || query.digest === name ? this.digests.config(name) : undefined;
          return config === undefined ? [] : [config];
        });
      }
      case "valueSet": {
        const { valueSets } = this.instance;
        if (query.valueSet !== undefined && !valueSets.has(query.valueSet))
          refuse("NOT_FOUND", `the program has no value set ${query.valueSet}`);
        return [...valueSets.values()]
          .filter(({ name }) => query.valueSet === undefined || query.valueSet === name)
          .map(({ name, members }) => ({
            kind: "valueSet" as const,
            valueSet: name,
            members: members.map(({ match }) => match),
          }));
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

  #elements<T extends { name: string; size: number }>(
    kind: string,
    arrays: ReadonlyMap<string, T>,
    name: string | undefined,
    index: number | undefined,
  ): [T, number][] {
    const chosen = name === undefined ? [...arrays.values()] : [arrays.get(name)];
    return chosen.flatMap((array) => {
      if (array === undefined) refuse("NOT_FOUND", `the program has no ${kind} ${name}`);
      if (index === undefined) return Array.from({ length: array.size }, (_, i): [T, number] => [array, i]);
      if (index < 0 || index >= array.size)
        refuse("OUT_OF_RANGE", `${kind} ${array.name} has indexes 0 to ${array.size - 1}, not ${index}`);
      return [[array, index] as [T, number]];
    });
  }

  /** A wildcard means what P4Info shows: tables that the compiler made up are not part of it. */
  #tables(name: string | undefined): TableControl[] {
    if (name !== undefined) return [this.tables.find(name)];
    const shown = this.instance.p4.tables;
    const all = [...this.instance.tables.values()];
    return shown.list.length === 0 ? all : all.filter((table) => shown.byName(table.name) !== undefined);
  }

  #direct(
    name: string | undefined,
    query: { match?: readonly Match[]; priority?: number },
    has: (table: TableControl) => boolean,
  ): [TableControl, StoredEntry][] {
    return this.#tables(name)
      .filter(has)
      .flatMap((table) =>
        this.#stored(table, query).map((stored): [TableControl, StoredEntry] => [table, stored]),
      );
  }

  /** Entries of a table, in the order of their numbers' insertion; with `match` the one that has that key. */
  #stored(table: TableControl, query: { match?: readonly Match[]; priority?: number }): StoredEntry[] {
    if (query.match === undefined || query.match.length === 0)
      return [...table.store.entries.values()].filter(
        ({ priority }) => !query.priority || query.priority === priority,
      );
    try {
      return [this.tables.stored(table, { match: query.match, priority: query.priority ?? 0 })];
    } catch (error) {
      if (error instanceof DeviceError && error.code === "NOT_FOUND") return [];
      throw error;
    }
  }

  #counterOf({ store }: TableControl, { number }: StoredEntry): CounterData {
    return { packets: BigInt(store.packets[number]!), bytes: BigInt(store.bytes[number]!) };
  }

  #plain(table: TableControl, stored: StoredEntry): TableEntry {
    return { kind: "tableEntry", table: table.name, match: stored.match, priority: stored.priority };
  }

  #tableEntries(query: ReadQuery & { kind: "tableEntry" }): TableEntry[] {
    return this.#tables(query.table).flatMap((table) => {
      if (query.isDefault) {
        const action = table.default;
        return action === undefined
          ? []
          : [
              {
                kind: "tableEntry" as const,
                table: table.name,
                match: [],
                priority: 0,
                isDefault: true,
                action: { kind: "action" as const, action: action.action, params: action.params },
              },
            ];
      }
      return this.#stored(table, query).map((stored) => this.#entry(table, stored, query));
    });
  }

  #entry(table: TableControl, stored: StoredEntry, query: ReadQuery & { kind: "tableEntry" }): TableEntry {
    const { store, info } = table;
    const entry: TableEntry = { ...this.#plain(table, stored), action: stored.action };
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
