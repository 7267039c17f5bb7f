/** Insert, modify and delete of table entries (P4Runtime spec 9.1). Every function returns a function that undoes it. */

import { defined, given } from "../../../base/index.js";
import type { CounterData, Match, TableAction, TableEntry, WeightedAction } from "../../device/index.js";
import { setCounter } from "../tables/resources.js";
import type { StoredEntry } from "../tables/store.js";
import { type Instance, putParameters, type TableControl } from "./instance.js";
import { type Key, readKey, refuse } from "./keys.js";
import type { ProfileWriter } from "./profile-writer.js";
import { checkAction, type Undo } from "./write-checks.js";

export class TableWriter {
  constructor(
    readonly instance: Instance,
    readonly profiles: ProfileWriter,
    /** An entry of a table with idle timeouts came or changed. */
    readonly timed: (table: TableControl, entry: StoredEntry) => void,
  ) {}

  find(name: string): TableControl {
    const table =
      this.instance.tables.get(name) ??
      this.instance.tables.get(this.instance.p4.tables.byName(name)?.name ?? "");
    if (table === undefined) refuse("NOT_FOUND", `the program has no table ${name}`);
    return table;
  }

  key(table: TableControl, entry: { match: readonly Match[]; priority: number }): Key {
    const { priority } = entry;
    if (!Number.isInteger(priority) || priority < 0 || priority > 0x7fffffff)
      refuse("INVALID_ARGUMENT", `priority ${priority} is not within 0 to ${0x7fffffff}`);
    if (table.priority && priority === 0)
      refuse(
        "INVALID_ARGUMENT",
        `table ${table.name} has ternary, range or optional fields: an entry needs a priority above 0`,
      );
    if (!table.priority && priority !== 0)
      refuse(
        "INVALID_ARGUMENT",
        `table ${table.name} decides without priorities; the entry gives ${priority}`,
      );
    return readKey(table.name, table.shape, table.fieldNames, entry.match, priority);
  }

  /** The entry with that key; fails with NOT_FOUND when there is no such entry. */
  stored(table: TableControl, entry: { match: readonly Match[]; priority: number }): StoredEntry {
    const found = table.store.byName.get(this.key(table, entry).name);
    if (found === undefined) refuse("NOT_FOUND", `table ${table.name} has no entry with this key`);
    return found;
  }

  write(type: "insert" | "modify" | "delete", entry: TableEntry): Undo {
    const table = this.find(entry.table);
    if (entry.isDefault) return this.#writeDefault(type, table, entry);
    if (table.isConst) refuse("PERMISSION_DENIED", `table ${table.name} has constant entries only`);
    switch (type) {
      case "insert":
        return this.insert(table, entry, false);
      case "modify":
        return this.#modify(table, entry);
      case "delete":
        return this.#delete(table, entry);
    }
  }

  /** @param again number of a deleted entry that is inserted again, to undo the deletion */
  insert(table: TableControl, entry: TableEntry, isConst: boolean, again?: number): Undo {
    const key = this.key(table, entry);
    const { store } = table;
    if (store.byName.has(key.name))
      refuse("ALREADY_EXISTS", `table ${table.name} has an entry with this key`);
    if (entry.action === undefined)
      refuse("INVALID_ARGUMENT", `a new entry of table ${table.name} needs an action`);
    if (store.entries.size >= table.info.table.max_size)
      refuse(
        "RESOURCE_EXHAUSTED",
        `table ${table.name} is full: it has room for ${table.info.table.max_size} entries`,
      );
    this.#checkExtras(table, entry);
    const put = this.#prepare(table, entry.action);
    const target = put.take();
    const stored = store.insert(
      key.words,
      {
        name: key.name,
        match: key.match,
        priority: entry.priority,
        action: entry.action,
        idleTimeoutNs: entry.idleTimeoutNs ?? 0n,
        controllerMetadata: entry.controllerMetadata ?? 0n,
        metadata: entry.metadata,
        isConst,
        target,
      },
      again,
    );
    put.store(stored.number);
    this.#putExtras(table, stored, entry);
    this.#restartTime(table, stored);
    return this.#undoInsert(table, key.name);
  }

  /** Keeps only the name: a batch creates one of these for each update. */
  #undoInsert(table: TableControl, name: string): Undo {
    return () => {
      // An entry that expires may be gone by now.
      const now = table.store.byName.get(name);
      if (now !== undefined) this.expire(table, now);
    };
  }

  #checkExtras(table: TableControl, entry: TableEntry): void {
    if ((entry.idleTimeoutNs ?? 0n) !== 0n && !table.info.table.support_timeout)
      refuse("INVALID_ARGUMENT", `table ${table.name} does not support idle timeouts`);
    if ((entry.idleTimeoutNs ?? 0n) < 0n)
      refuse("INVALID_ARGUMENT", `an idle timeout of ${entry.idleTimeoutNs} ns`);
    if (entry.counter !== undefined) {
      if (!table.info.table.with_counters)
        refuse("INVALID_ARGUMENT", `table ${table.name} has no direct counter`);
      checkCounter(entry.counter);
    }
    if (entry.meter !== undefined) {
      if (table.store.meter === undefined)
        refuse("INVALID_ARGUMENT", `table ${table.name} has no direct meter`);
      checkMeter(entry.meter);
    }
  }

  #putExtras(table: TableControl, stored: StoredEntry, entry: TableEntry): void {
    const { store } = table;
    if (entry.counter !== undefined) {
      setCounter(store, stored.number, Number(entry.counter.packets), Number(entry.counter.bytes));
    }
    const now = this.instance.clock.now();
    if (entry.meter !== undefined) store.meter!.configure(stored.number, ratesOf(entry.meter), now);
    if (table.info.table.support_timeout) store.lastHit[stored.number] = now;
    store.idle.delete(stored.number);
  }

  #modify(table: TableControl, entry: TableEntry): Undo {
    const stored = this.stored(table, entry);
    if (entry.action === undefined)
      refuse("INVALID_ARGUMENT", `to modify an entry of table ${table.name}, give its action`);
    this.#checkExtras(table, entry);
    const before = asEntry(table, stored);
    const putBack = table.store.keep(stored.number);
    const put = this.#prepare(table, entry.action, stored.action);
    const target = put.take();
    this.#drop(table, stored);
    stored.action = entry.action;
    stored.target = target;
    stored.idleTimeoutNs = entry.idleTimeoutNs ?? 0n;
    stored.controllerMetadata = entry.controllerMetadata ?? 0n;
    stored.metadata = entry.metadata;
    put.store(stored.number);
    this.#putExtras(table, stored, entry);
    this.#restartTime(table, stored);
    return () => {
      if (table.info.table.expires && !table.store.byName.has(stored.name)) return;
      this.#modify(table, before);
      const now = defined(table.store.byName.get(stored.name));
      putBack(now.number);
      this.#restartTime(table, now);
    };
  }

  #delete(table: TableControl, entry: TableEntry): Undo {
    const stored = this.stored(table, entry);
    const before = asEntry(table, stored);
    const putBack = table.store.keep(stored.number);
    this.expire(table, stored);
    return () => {
      this.insert(table, before, stored.isConst, stored.number);
      const now = defined(table.store.byName.get(stored.name));
      putBack(now.number);
      this.#restartTime(table, now);
    };
  }

  /** Removes an entry, for good: at its time, or as a controller asks. */
  expire(table: TableControl, stored: StoredEntry): void {
    table.store.remove(stored);
    this.#drop(table, stored);
  }

  #restartTime(table: TableControl, entry: StoredEntry): void {
    if (table.info.table.support_timeout) this.timed(table, entry);
  }

  #writeDefault(type: "insert" | "modify" | "delete", table: TableControl, entry: TableEntry): Undo {
    if (type !== "modify")
      refuse("INVALID_ARGUMENT", `the default entry of table ${table.name} can only be modified`);
    if (entry.match.length > 0) refuse("INVALID_ARGUMENT", "a default entry has no match");
    if (table.profile !== undefined)
      refuse(
        "PERMISSION_DENIED",
        `the default entry of table ${table.name} is constant: the table has the action profile ${table.profile.name}`,
      );
    const own = table.info.table.default_entry;
    if (own?.action_const && own.action_entry_const)
      refuse("PERMISSION_DENIED", `the default action of table ${table.name} is constant`);
    const before = table.default;
    if (entry.action === undefined) this.instance.setDefault(table, table.ownDefault);
    else {
      if (entry.action.kind !== "action")
        refuse("INVALID_ARGUMENT", `the default entry of table ${table.name} needs an action of its own`);
      if (own?.action_const && entry.action.action !== table.ownDefault?.action)
        refuse("PERMISSION_DENIED", `the default action of table ${table.name} is constant`);
      if (table.tableOnly.has(entry.action.action))
        refuse(
          "INVALID_ARGUMENT",
          `action ${entry.action.action} is for entries of table ${table.name} only`,
        );
      checkAction(`table ${table.name}`, table.info.actions, entry.action);
      this.instance.setDefault(table, { action: entry.action.action, params: entry.action.params });
    }
    return () => this.instance.setDefault(table, before);
  }

  /** Checks an action and the action that it replaces. `take` counts the use of members and groups; `store` writes the record. */
  #prepare(
    table: TableControl,
    action: TableAction,
    replaced?: TableAction,
  ): { take(): number; store(entry: number): void } {
    const { store, info, profile } = table;
    if (action.kind === "action") {
      if (profile !== undefined)
        refuse(
          "INVALID_ARGUMENT",
          `table ${table.name} takes its actions from the action profile ${profile.name}`,
        );
      if (table.defaultOnly.has(action.action))
        refuse(
          "INVALID_ARGUMENT",
          `action ${action.action} is for the default entry of table ${table.name} only`,
        );
      const found = checkAction(`table ${table.name}`, info.actions, action);
      return {
        take: () => 0,
        store: (entry) => {
          const { records } = store;
          const at = store.recordAt(entry);
          records[at] = defined(this.instance.specialised.actionNumbers.get(action.action));
          records.fill(0, at + 1, at + info.record);
          putParameters(records, at + 1, found, action.params);
        },
      };
    }
    if (profile === undefined) refuse("INVALID_ARGUMENT", `table ${table.name} has no action profile`);
    const put = (target: () => number) => {
      let value = 0;
      return {
        take: () => {
          value = target();
          return value;
        },
        store: (entry: number) => {
          store.records[store.recordAt(entry)] = value;
        },
      };
    };
    switch (action.kind) {
      case "member": {
        const member = profile.store.members.get(action.memberId);
        if (member === undefined || member.hidden)
          refuse("NOT_FOUND", `action profile ${profile.name} has no member ${action.memberId}`);
        return put(() => {
          member.uses++;
          return defined(member.handles[0]);
        });
      }
      case "group": {
        const group = profile.store.groups.get(action.groupId);
        if (group === undefined || group.hidden)
          refuse("NOT_FOUND", `action profile ${profile.name} has no group ${action.groupId}`);
        return put(() => {
          group.uses++;
          return ~group.number;
        });
      }
      case "oneShot":
        this.profiles.checkOneShot(
          profile,
          action.actions,
          replaced?.kind === "oneShot" ? replaced.actions.length : 0,
        );
        return put(
          () => ~this.profiles.makeOneShot(profile, action.actions as readonly WeightedAction[]).number,
        );
    }
  }

  /** Counts off the use of the members and groups of an entry. */
  #drop(table: TableControl, entry: StoredEntry): void {
    const { profile } = table;
    if (profile === undefined) return;
    const { action } = entry;
    if (action.kind === "member") defined(profile.store.members.get(action.memberId)).uses--;
    else if (action.kind === "group") defined(profile.store.groups.get(action.groupId)).uses--;
    else if (action.kind === "oneShot") this.profiles.removeOneShot(profile, ~entry.target);
  }
}

/** A stored entry as an update would write it; `keep` of the store covers what packets change. */
function asEntry(table: TableControl, stored: StoredEntry): TableEntry {
  return {
    kind: "tableEntry",
    table: table.name,
    match: stored.match,
    priority: stored.priority,
    action: stored.action,
    idleTimeoutNs: stored.idleTimeoutNs,
    controllerMetadata: stored.controllerMetadata,
    ...given({ metadata: stored.metadata }),
  };
}

/** Rates in units per microsecond; P4Runtime has units per second. */
export function ratesOf(config: {
  committedRate: bigint;
  committedBurst: bigint;
  peakRate: bigint;
  peakBurst: bigint;
}) {
  return {
    committedRate: Number(config.committedRate) / 1e6,
    committedBurst: Number(config.committedBurst),
    peakRate: Number(config.peakRate) / 1e6,
    peakBurst: Number(config.peakBurst),
  };
}

/** Counts are kept exactly up to 2^53. */
export function checkCounter({ packets, bytes }: CounterData): void {
  for (const value of [packets, bytes])
    if (value < 0n || value >= 2n ** 63n)
      refuse("INVALID_ARGUMENT", `a counter of ${value}; counts are 0 to ${2n ** 63n - 1n}`);
}

export function checkMeter(config: {
  committedRate: bigint;
  committedBurst: bigint;
  peakRate: bigint;
  peakBurst: bigint;
}): void {
  for (const [name, value] of Object.entries(config))
    if (typeof value === "bigint" && value < 0n)
      refuse("INVALID_ARGUMENT", `${name} of a meter is ${value}; it cannot be negative`);
  if (config.peakRate < config.committedRate)
    refuse(
      "INVALID_ARGUMENT",
      `the peak rate ${config.peakRate} of a meter is below its committed rate ${config.committedRate}`,
    );
}
