/** Parts of the tables of BF Runtime by their ids. */
import { DeviceError } from "../../device/index.js";
import type { BfrtSchema } from "../../program/index.js";

export type Table = BfrtSchema["tables"][number];
export type KeyPart = Table["key"][number];
export type ActionSpec = NonNullable<Table["action_specs"]>[number];

/** A field of a table's data, or a parameter of an action. */
export interface DataPart {
  readonly id: number;
  readonly name: string;
  readonly repeated: boolean;
  readonly type?: { readonly type: string; readonly width?: number };
}

/** The fields of the data that belong to no action. */
export function commonFields({ data }: Table): DataPart[] {
  return data.flatMap(({ singleton, oneof }) => [
    ...(singleton === undefined ? [] : [singleton]),
    ...(oneof ?? []),
  ]);
}

export function actionOf(table: Table, id: number): ActionSpec | undefined {
  if (id === 0) return undefined;
  const found = table.action_specs?.find((one) => one.id === id);
  if (found === undefined)
    throw new DeviceError("INVALID_ARGUMENT", `table ${table.name} has no action of the id ${id}`);
  return found;
}

export function keyPart(table: Table, id: number): KeyPart {
  const found = table.key.find((one) => one.id === id);
  if (found === undefined)
    throw new DeviceError("INVALID_ARGUMENT", `table ${table.name} has no key field of the id ${id}`);
  return found;
}
