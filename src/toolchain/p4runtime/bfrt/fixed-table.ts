/** Tables whose entries the server keeps: their keys are exact, and a change of an entry may do something to the device. */
import { DeviceError } from "../../device/index.js";
import type { TableEntry } from "../generated/bfrt_proto/bfruntime_pb.js";
import { initialOf } from "./fixed-form.js";
import { actionOf, commonFields, type Table } from "./schema-index.js";
import { dataOf, keyFieldsOf, missing, type Row, type TableHandler, tableData } from "./table.js";
import { exactKey, exactText, keyField, type Value } from "./values.js";

export type Key = readonly (bigint | string)[];

/** Parameters of the action and fields, by their names. */
export interface Stored {
  readonly action: string | undefined;
  readonly values: ReadonlyMap<string, Value>;
}

export interface Behaviour {
  /** Throws where the entry cannot be as it is now to be. Undefined: no such entry. */
  change?(key: Key, before: Stored | undefined, after: Stored | undefined): Promise<void>;
  /** Fields that no controller writes. */
  computed?(key: Key, entry: Stored): Iterable<readonly [string, Value]>;
  /** Every entry exists from the start, those of `all` even where nobody wrote one; undefined: entries are inserted. */
  readonly all?: () => Iterable<Key>;
}

const EMPTY: Stored = { action: undefined, values: new Map() };

export class FixedTable implements TableHandler {
  readonly #entries = new Map<string, { readonly key: Key; readonly entry: Stored }>();

  constructor(
    readonly table: Table,
    private readonly behaviour: Behaviour = {},
  ) {}

  get(key: Key): Stored | undefined {
    return this.#entries.get(nameOf(key))?.entry;
  }

  *[Symbol.iterator](): IterableIterator<readonly [Key, Stored]> {
    for (const { key, entry } of this.#entries.values()) yield [key, entry];
  }

  /** Undefined: all entries. */
  #key(entry: TableEntry): Key | undefined {
    if (this.table.key.length === 0) return [];
    const fields = keyFieldsOf(entry);
    return fields === undefined
      ? undefined
      : this.table.key.map((part) =>
          part.type.type === "string" ? exactText(fields, part) : exactKey(fields, part),
        );
  }

  #named(entry: TableEntry): Key {
    const key = this.#key(entry);
    if (key === undefined)
      throw new DeviceError("INVALID_ARGUMENT", `an entry of ${this.table.name} is named by its key`);
    return key;
  }

  async #set(key: Key, after: Stored | undefined): Promise<void> {
    const name = nameOf(key);
    const before = this.#entries.get(name)?.entry;
    if (before === undefined && after !== undefined && this.#entries.size >= this.table.size)
      throw new DeviceError("RESOURCE_EXHAUSTED", `${this.table.name} has ${this.#entries.size} entries`);
    await this.behaviour.change?.(key, before, after);
    if (after === undefined) this.#entries.delete(name);
    else this.#entries.set(name, { key, entry: after });
  }

  /** What a controller sends, over what was there. */
  #sent(entry: TableEntry, old: Stored): Stored {
    const { action, params, values } = dataOf(this.table, entry.data);
    const readOnly = this.table.data.find(
      ({ read_only, singleton }) => read_only && singleton !== undefined && values.has(singleton.name),
    );
    if (readOnly !== undefined)
      throw new DeviceError("INVALID_ARGUMENT", `${readOnly.singleton!.name} is read only`);
    return {
      action: action?.name ?? old.action,
      values: new Map<string, Value>([...old.values, ...Object.entries(params), ...values]),
    };
  }

  async insert(entry: TableEntry): Promise<void> {
    if (this.behaviour.all !== undefined) return this.modify(entry);
    const key = this.#named(entry);
    if (this.get(key) !== undefined)
      throw new DeviceError("ALREADY_EXISTS", `${this.table.name} has the entry ${nameOf(key)}`);
    await this.#set(key, this.#sent(entry, EMPTY));
  }

  async modify(entry: TableEntry): Promise<void> {
    const key = this.#named(entry);
    const old = this.get(key);
    if (old === undefined && this.behaviour.all === undefined) throw missing(this.table);
    await this.#set(key, this.#sent(entry, old ?? EMPTY));
  }

  /** Adds the places of lists that are sent, or removes the places whose first list has one of the numbers that are sent. */
  async modifyLists(entry: TableEntry, adds: boolean): Promise<void> {
    const key = this.#named(entry);
    const old = this.get(key);
    if (old === undefined) throw missing(this.table);
    const { values } = this.#sent(entry, EMPTY);
    const lists = [...values].filter((pair): pair is [string, readonly number[]] => Array.isArray(pair[1]));
    const listOf = (name: string): readonly number[] => (old.values.get(name) as readonly number[]) ?? [];
    const gone = new Set(lists[0]?.[1]);
    const stays = listOf(lists[0]?.[0] ?? "").map((one) => !gone.has(one));
    const changed = lists.map(([name, list]): [string, Value] => [
      name,
      adds ? [...listOf(name), ...list] : listOf(name).filter((_, i) => stays[i] !== false),
    ]);
    await this.#set(key, { ...old, values: new Map<string, Value>([...old.values, ...changed]) });
  }

  async remove(entry: TableEntry): Promise<void> {
    const key = this.#key(entry);
    if (key !== undefined && this.get(key) === undefined && this.behaviour.all === undefined)
      throw missing(this.table);
    for (const one of key === undefined ? [...this].map(([each]) => each) : [key])
      await this.#set(one, undefined);
  }

  async clear(): Promise<void> {
    for (const [key] of [...this]) await this.#set(key, undefined);
  }

  async read(entry: TableEntry): Promise<Row[]> {
    const { all } = this.behaviour;
    const key = this.#key(entry);
    if (key !== undefined && this.get(key) === undefined && all === undefined) throw missing(this.table);
    const keys = key === undefined ? [...(all?.() ?? [...this].map(([each]) => each))] : [key];
    return keys.map((one) => this.#row(one, this.get(one) ?? EMPTY));
  }

  #row(key: Key, entry: Stored): Row {
    const { table } = this;
    const values = new Map<string, Value>(commonFields(table).map((part) => [part.name, initialOf(part)]));
    for (const [name, value] of entry.values) values.set(name, value);
    for (const [name, value] of this.behaviour.computed?.(key, entry) ?? []) values.set(name, value);
    const spec = actionOf(
      table,
      table.action_specs?.find(({ name }) => name === entry.action)?.id ?? table.action_specs?.[0]?.id ?? 0,
    );
    const params = Object.fromEntries(
      (spec?.data ?? []).map(({ name }) => {
        const value = values.get(name);
        return [name, typeof value === "bigint" ? value : 0n];
      }),
    );
    return {
      key: key.map((value, i) => keyField(table.key[i]!, value)),
      data: tableData(table, spec === undefined ? undefined : { name: spec.name, params }, values),
      ...(table.key.length === 0 ? { isDefault: true } : {}),
    };
  }
}

function nameOf(key: Key): string {
  return key.join(", ");
}

/** A table that nobody writes. */
export class InformationTable implements TableHandler {
  constructor(
    readonly table: Table,
    /** Of a key, undefined where there is no such entry; without one, of all. */
    private readonly rows: (
      key: Key | undefined,
    ) => Iterable<readonly [Key, Iterable<readonly [string, Value]>]>,
  ) {}

  #refused(): never {
    throw new DeviceError("PERMISSION_DENIED", `${this.table.name} is only read`);
  }

  async insert(): Promise<void> {
    this.#refused();
  }

  async modify(): Promise<void> {
    this.#refused();
  }

  async remove(): Promise<void> {
    this.#refused();
  }

  async read(entry: TableEntry): Promise<Row[]> {
    const { table } = this;
    const fields = keyFieldsOf(entry);
    const key =
      fields &&
      table.key.map((part) =>
        part.type.type === "string" ? exactText(fields, part) : exactKey(fields, part),
      );
    const found = [...this.rows(key)];
    if (key !== undefined && found.length === 0) throw missing(table);
    return found.map(([at, values]) => ({
      key: at.map((value, i) => keyField(table.key[i]!, value)),
      data: tableData(table, undefined, new Map(values)),
      ...(table.key.length === 0 ? { isDefault: true } : {}),
    }));
  }
}
