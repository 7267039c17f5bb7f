/** Action profiles, whose entries are members, and selectors, whose entries are groups of them; value sets of parsers. */
import { maskOf } from "../../../base/index.js";
import {
  type ActionProfileGroup,
  type Device,
  DeviceError,
  type Entity,
  type Match,
  type ReadQuery,
} from "../../device/index.js";
import { type FieldInfo, P4InfoIndex } from "../../program/index.js";
import type { TableEntry } from "../generated/bfrt_proto/bfruntime_pb.js";
import { keyFields, keyOf } from "./keys.js";
import type { Table } from "./schema-index.js";
import { dataOf, keyFieldsOf, missing, type Row, type TableHandler, tableData } from "./table.js";
import { exactField, exactKey, type Value } from "./values.js";

const MEMBERS = "$ACTION_MEMBER_ID";
const STATUS = "$ACTION_MEMBER_STATUS";
const SIZE = "$MAX_GROUP_SIZE";

type Type = "insert" | "modify" | "delete";

/** Entries that have a number: what members and groups share. */
abstract class NumberedTable implements TableHandler {
  constructor(
    readonly table: Table,
    protected readonly device: Device,
  ) {}

  protected abstract query(id?: number): ReadQuery;
  /** The entity of an entry; a deleted one has the number alone. */
  protected abstract entity(id: number, entry: TableEntry, old?: Entity): Entity;
  protected abstract rowOf(entity: Entity): Row[];
  protected abstract numberOf(entity: Entity): number;

  #id(entry: TableEntry): number | undefined {
    const fields = keyFieldsOf(entry);
    const [part] = this.table.key;
    return fields === undefined || part === undefined ? undefined : Number(exactKey(fields, part));
  }

  async #apply(type: Type, id: number, entry: TableEntry, old?: Entity): Promise<void> {
    await this.device.write([{ type, entity: this.entity(id, entry, old) }]);
  }

  #named(entry: TableEntry): number {
    const id = this.#id(entry);
    if (id === undefined)
      throw new DeviceError("INVALID_ARGUMENT", `an entry of ${this.table.name} is named by its number`);
    return id;
  }

  insert(entry: TableEntry): Promise<void> {
    return this.#apply("insert", this.#named(entry), entry);
  }

  async modify(entry: TableEntry): Promise<void> {
    const id = this.#named(entry);
    const [old] = await this.device.read([this.query(id)]);
    if (old === undefined) throw missing(this.table);
    await this.#apply("modify", id, entry, old);
  }

  async remove(entry: TableEntry): Promise<void> {
    const id = this.#id(entry);
    const all =
      id === undefined ? (await this.device.read([this.query()])).map((one) => this.numberOf(one)) : [id];
    for (const one of all) await this.#apply("delete", one, entry);
  }

  async read(entry: TableEntry): Promise<Row[]> {
    const id = this.#id(entry);
    const found = await this.device.read([this.query(id)]);
    if (found.length === 0 && id !== undefined) throw missing(this.table);
    return found.flatMap((entity) => this.rowOf(entity));
  }
}

export class ProfileTable extends NumberedTable {
  protected query(id?: number): ReadQuery {
    const profile = this.table.name;
    return id === undefined ? { kind: "member", profile } : { kind: "member", profile, memberId: id };
  }

  protected entity(memberId: number, { data }: TableEntry): Entity {
    const { action, params } = dataOf(this.table, data);
    return {
      kind: "member",
      profile: this.table.name,
      memberId,
      action: { action: action?.name ?? "", params },
    };
  }

  protected numberOf(entity: Entity): number {
    return entity.kind === "member" ? entity.memberId : 0;
  }

  protected rowOf(entity: Entity): Row[] {
    if (entity.kind !== "member") return [];
    const { action, params } = entity.action;
    const key = this.table.key.map((part) => exactField(part, BigInt(entity.memberId)));
    return [{ key, data: tableData(this.table, { name: action, params }, new Map()) }];
  }
}

/** A member that is not active is in no group of the device; the server remembers it. */
export class SelectorTable extends NumberedTable {
  readonly #lists = new Map<number, { members: readonly number[]; active: readonly boolean[] }>();

  constructor(
    table: Table,
    device: Device,
    private readonly profile: string,
  ) {
    super(table, device);
  }

  protected query(id?: number): ReadQuery {
    const { profile } = this;
    return id === undefined ? { kind: "group", profile } : { kind: "group", profile, groupId: id };
  }

  protected entity(groupId: number, { data }: TableEntry, old?: Entity): Entity {
    const { values } = dataOf(this.table, data);
    const kept = this.#lists.get(groupId);
    const given = values.get(MEMBERS);
    const members = Array.isArray(given) ? (given as number[]) : (kept?.members ?? []);
    const status = values.get(STATUS);
    const active = Array.isArray(status) ? (status as boolean[]) : (kept?.active ?? members.map(() => true));
    if (active.length !== members.length)
      throw new DeviceError(
        "INVALID_ARGUMENT",
        `${members.length} members have ${active.length} values of ${STATUS}`,
      );
    const size = values.get(SIZE);
    this.#lists.set(groupId, { members, active });
    const group: ActionProfileGroup = {
      kind: "group",
      profile: this.profile,
      groupId,
      members: members.flatMap((memberId, i) => (active[i] === true ? [{ memberId, weight: 1 }] : [])),
      maxSize: typeof size === "bigint" ? Number(size) : old?.kind === "group" ? old.maxSize : 0,
    };
    return group;
  }

  protected numberOf(entity: Entity): number {
    return entity.kind === "group" ? entity.groupId : 0;
  }

  protected rowOf(entity: Entity): Row[] {
    if (entity.kind !== "group") return [];
    const own = entity.members.map(({ memberId }) => memberId);
    const { members, active } = this.#lists.get(entity.groupId) ?? {
      members: own,
      active: own.map(() => true),
    };
    const values = new Map<string, Value>([
      [MEMBERS, [...members]],
      [STATUS, [...active]],
      [SIZE, BigInt(entity.maxSize)],
    ]);
    const key = this.table.key.map((part) => exactField(part, BigInt(entity.groupId)));
    return [{ key, data: tableData(this.table, undefined, values) }];
  }
}

/** The domain writes a value set as a whole. */
export class ValueSetTable implements TableHandler {
  constructor(
    readonly table: Table,
    private readonly device: Device,
  ) {}

  async #members(): Promise<readonly (readonly Match[])[]> {
    const [found] = await this.device.read([{ kind: "valueSet", valueSet: this.table.name }]);
    return found?.kind === "valueSet" ? found.members : [];
  }

  async #set(members: readonly (readonly Match[])[]): Promise<void> {
    await this.device.write([
      { type: "modify", entity: { kind: "valueSet", valueSet: this.table.name, members } },
    ]);
  }

  /** The fields as the device has them: a set of plain values is exact there, and its field has no name. */
  get #fields(): readonly FieldInfo[] {
    const { program } = this.device;
    const index = this.device.index ?? (program && new P4InfoIndex(program.p4info));
    return index?.valueSets.byName(this.table.name)?.fields.list ?? [];
  }

  #member(entry: TableEntry): Match[] {
    const names = this.table.key.map(({ name }) => name);
    const own = this.#fields;
    return keyOf(this.table, keyFieldsOf(entry) ?? []).match.map((one): Match => {
      const slot = own[names.indexOf(one.field)];
      const field = slot?.name ?? one.field;
      if (slot?.kind !== "exact" || one.kind !== "ternary") return { ...one, field };
      if (one.mask !== maskOf(slot.bitwidth))
        throw new DeviceError("INVALID_ARGUMENT", `a member of ${this.table.name} has all bits`);
      return { kind: "exact", field, value: one.value };
    });
  }

  async insert(entry: TableEntry): Promise<void> {
    const member = this.#member(entry);
    const members = await this.#members();
    if (members.some((one) => isSame(one, member)))
      throw new DeviceError("ALREADY_EXISTS", `${this.table.name} has this member`);
    await this.#set([...members, member]);
  }

  async modify(): Promise<void> {
    throw new DeviceError("INVALID_ARGUMENT", `a member of ${this.table.name} has nothing to modify`);
  }

  async remove(entry: TableEntry): Promise<void> {
    if (keyFieldsOf(entry) === undefined) return this.#set([]);
    const member = this.#member(entry);
    const members = await this.#members();
    const rest = members.filter((one) => !isSame(one, member));
    if (rest.length === members.length) throw missing(this.table);
    return this.#set(rest);
  }

  async read(): Promise<Row[]> {
    const members = await this.#members();
    const own = this.#fields;
    const shown = (match: Match, i: number): Match => {
      const field = this.table.key[i]?.name ?? match.field;
      if (match.kind !== "exact") return { ...match, field };
      return { kind: "ternary", field, value: match.value, mask: maskOf(own[i]?.bitwidth ?? 0) };
    };
    return members.map((match) => ({
      key: keyFields(this.table, { match: match.map(shown), priority: 0 }),
      data: tableData(this.table, undefined, new Map()),
    }));
  }
}

function isSame(a: readonly Match[], b: readonly Match[]): boolean {
  const text = (match: readonly Match[]): string =>
    JSON.stringify(match, (_, value) => (typeof value === "bigint" ? String(value) : value));
  return text(a) === text(b);
}
