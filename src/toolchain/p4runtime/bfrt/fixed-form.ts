/** Forms of the tables that do not come from a program: key, actions, and fields of the data. */
import type { DataPart, Table } from "./schema-index.js";
import type { Value } from "./values.js";

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly width?: number;
  readonly repeated?: boolean;
  readonly choices?: readonly string[];
  readonly initial?: bigint | boolean | string | number;
  /** Where it does not follow the number of the field before. */
  readonly id?: number;
  readonly isReadOnly?: boolean;
}

export interface Action {
  readonly id: number;
  readonly name: string;
  readonly params: readonly Field[];
}

interface Form {
  readonly name: string;
  readonly id: number;
  readonly type: string;
  readonly size: number;
  readonly key: readonly Field[];
  readonly actions?: readonly Action[];
  readonly data: readonly Field[];
}

function typeOf({ type, width, choices, initial }: Field) {
  return {
    type,
    ...(width === undefined ? {} : { width }),
    ...(choices === undefined ? {} : { choices }),
    ...(initial === undefined ? {} : { default_value: initial }),
  };
}

function part(field: Field, id: number) {
  const { name, repeated = false } = field;
  return { id, name, repeated, annotations: [] as [], type: typeOf(field) };
}

/** A field gets the number after that of the field before, from 1 on, unless it has its own. */
function numbered(fields: readonly Field[]): { readonly field: Field; readonly id: number }[] {
  let next = 1;
  return fields.map((field) => {
    const id = field.id ?? next;
    next = id + 1;
    return { field, id };
  });
}

export function table({ name, id, type, size, key, actions, data }: Form): Table {
  return {
    name,
    id,
    table_type: type,
    size,
    annotations: [],
    depends_on: [],
    key: numbered(key).map(({ field, id: at }) => ({
      ...part(field, at),
      mandatory: true,
      match_type: "Exact",
    })),
    ...(actions === undefined
      ? {}
      : {
          action_specs: actions.map((action) => ({
            id: action.id,
            name: action.name,
            action_scope: "TableAndDefault",
            annotations: [],
            data: numbered(action.params).map(({ field, id: at }) => ({
              ...part(field, at),
              mandatory: true,
              read_only: false,
            })),
          })),
        }),
    data: numbered(data).map(({ field, id: at }) => ({
      mandatory: false,
      read_only: field.isReadOnly === true,
      singleton: part(field, at),
    })),
    supported_operations: [],
    attributes: [],
  };
}

/** What a field is while nobody has written it. */
export function initialOf({ type, repeated }: DataPart): Value {
  const kind = type as Pick<Field, "type" | "choices"> & { readonly default_value?: Field["initial"] };
  if (repeated) return kind.type === "bytes" ? new Uint8Array() : [];
  if (kind.default_value !== undefined) return kind.default_value;
  if (kind.type === "bool") return false;
  if (kind.type === "string") return kind.choices?.[0] ?? "";
  if (kind.type === "float") return 0;
  return 0n;
}
