/** What the server does with a table of BF Runtime, whatever it stands for. */
import { create } from "@bufbuild/protobuf";
import { DeviceError } from "../../device/index.js";
import {
  type KeyField,
  type TableData,
  TableDataSchema,
  type TableEntry,
  TableEntrySchema,
  type TargetDevice,
} from "../generated/bfrt_proto/bfruntime_pb.js";
import { actionOf, commonFields, type DataPart, type Table } from "./schema-index.js";
import { dataField, readValue, type Value } from "./values.js";

export interface Row {
  readonly key: KeyField[];
  readonly data: TableData;
  readonly isDefault?: boolean;
}

export interface TableHandler {
  readonly table: Table;
  insert(entry: TableEntry): Promise<void>;
  modify(entry: TableEntry): Promise<void>;
  /** Adds to lists of an entry, or takes from them. Absent: the table has no lists. */
  modifyLists?(entry: TableEntry, adds: boolean): Promise<void>;
  /** Without a key: all entries. */
  remove(entry: TableEntry): Promise<void>;
  /** Without a key: all entries, the default entry last. */
  read(entry: TableEntry, target?: TargetDevice): Promise<Row[]>;
}

export function keyFieldsOf({ value }: TableEntry): readonly KeyField[] | undefined {
  if (value.case === "handleId")
    throw new DeviceError("UNIMPLEMENTED", "entries are named by their keys, not by handles");
  return value.case === "key" && value.value.fields.length > 0 ? value.value.fields : undefined;
}

/** The action of an entry, and its values by the names of the fields. */
export interface Data {
  readonly action: { readonly id: number; readonly name: string } | undefined;
  readonly params: Readonly<Record<string, bigint>>;
  readonly values: ReadonlyMap<string, Value>;
}

export function dataOf(table: Table, data: TableData | undefined): Data {
  const spec = actionOf(table, data?.actionId ?? 0);
  const common = commonFields(table);
  const params: Record<string, bigint> = {};
  const values = new Map<string, Value>();
  for (const field of data?.fields ?? []) {
    const param = spec?.data.find(({ id }) => id === field.fieldId);
    const part: DataPart | undefined = param ?? common.find(({ id }) => id === field.fieldId);
    if (part === undefined)
      throw new DeviceError(
        "INVALID_ARGUMENT",
        `table ${table.name} has no data field of the id ${field.fieldId}`,
      );
    const value = readValue(field, part);
    if (param === undefined) values.set(part.name, value);
    else if (typeof value === "bigint") params[part.name] = value;
    else throw new DeviceError("INVALID_ARGUMENT", `the parameter ${part.name} of ${spec!.name} is a number`);
  }
  // A parameter that a client leaves out is 0, in an entry that is changed, too: the drivers (bf-drivers, `BfRtMatchActionTableData`) begin
  // with an action's data of zeros and do not look at what is mandatory.
  for (const { name } of spec?.data ?? []) params[name] ??= 0n;
  return { action: spec, params, values };
}

/** The data of an entry: the parameters of its action, then the fields that there are values for. */
export function tableData(
  table: Table,
  action: { name: string; params: Readonly<Record<string, bigint>> } | undefined,
  values: ReadonlyMap<string, Value>,
): TableData {
  const spec =
    action === undefined ? undefined : table.action_specs?.find(({ name }) => name === action.name);
  const params = (spec?.data ?? []).map((part) => dataField(part, action?.params[part.name] ?? 0n));
  const common = commonFields(table).flatMap((part) => {
    const value = values.get(part.name);
    return value === undefined ? [] : [dataField(part, value)];
  });
  return create(TableDataSchema, { actionId: spec?.id ?? 0, fields: [...params, ...common] });
}

export function entryMessage({ id }: Table, { key, data, isDefault = false }: Row): TableEntry {
  return create(TableEntrySchema, {
    tableId: id,
    // A client takes a row with a key for an entry.
    ...(isDefault ? {} : { value: { case: "key" as const, value: { fields: key } } }),
    data,
    isDefaultEntry: isDefault,
  });
}

export function missing(table: Table): DeviceError {
  return new DeviceError("NOT_FOUND", `table ${table.name} has no such entry`);
}
