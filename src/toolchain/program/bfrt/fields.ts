/** Keys, data fields and their types, in the order in which the open compiler writes their parts. */
import { given } from "../../../base/index.js";
import { FIELD_ID, type FixedField } from "./ids.js";
import type {
  BfrtActionField,
  BfrtAnnotation,
  BfrtData,
  BfrtField,
  BfrtKeyField,
  BfrtTable,
  BfrtType,
} from "./schema.js";

export const bytes = (width: number): BfrtType => ({ type: "bytes", width });

export function plain(type: string, default_value?: BfrtType["default_value"]): BfrtType {
  return { type, ...given({ default_value }) };
}

export function choice(choices: readonly string[], default_value?: string): BfrtType {
  return { type: "string", choices, ...given({ default_value }) };
}

export function annotations(texts: readonly string[]): BfrtAnnotation[] {
  return texts.map((name) => ({ name: escaped(name) }));
}

const ESCAPES: Readonly<Record<string, string>> = { "\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t" };

/**
 * The open compiler escapes an annotation once more than JSON does only for characters that JSON cannot hold; quotes and backslashes
 * reach the file escaped once. So control characters stand in the value as an escape, and quotes as they are.
 */
function escaped(text: string): string {
  return text.replace(/[\b\f\n\r\t]/g, (char) => `\\${ESCAPES[char]}`);
}

export function field(id: number, name: string, type: BfrtType, repeated = false): BfrtField {
  return { id, name, repeated, annotations: [], type };
}

export function container(
  id: number,
  name: string,
  items: readonly BfrtData[],
  notes: readonly BfrtAnnotation[] = [],
): BfrtField {
  return { id, name, repeated: true, annotations: notes, container: items };
}

export function keyField(
  id: number,
  name: string,
  type: BfrtType,
  rest: { mandatory: boolean; matchType?: string; annotations?: readonly BfrtAnnotation[] },
): BfrtKeyField {
  return {
    id,
    name,
    repeated: false,
    annotations: rest.annotations ?? [],
    mandatory: rest.mandatory,
    match_type: rest.matchType ?? "Exact",
    type,
  };
}

export function actionField(
  id: number,
  name: string,
  type: BfrtType,
  rest: { mandatory: boolean; annotations?: readonly BfrtAnnotation[] },
): BfrtActionField {
  return {
    id,
    name,
    repeated: false,
    mandatory: rest.mandatory,
    read_only: false,
    annotations: rest.annotations ?? [],
    type,
  };
}

export const optional = (singleton: BfrtField): BfrtData => ({
  mandatory: false,
  read_only: false,
  singleton,
});
export const mandatory = (singleton: BfrtField): BfrtData => ({
  mandatory: true,
  read_only: false,
  singleton,
});
export const readOnly = (singleton: BfrtField): BfrtData => ({
  mandatory: false,
  read_only: true,
  singleton,
});

/** A field that the format declares, under its name `$NAME`. */
export function fixed(name: FixedField, type: BfrtType, repeated = false): BfrtField {
  return field(FIELD_ID[name], `$${name}`, type, repeated);
}

/** The index of an array, a key that must be given. */
export function indexKey(name: FixedField): BfrtKeyField[] {
  return [keyField(FIELD_ID[name], `$${name}`, plain("uint32"), { mandatory: true })];
}

/** A table with what most tables lack left empty. */
export function table(
  head: Pick<BfrtTable, "name" | "id" | "table_type" | "size" | "annotations" | "depends_on">,
  body: Pick<BfrtTable, "key" | "data"> & Partial<BfrtTable>,
): BfrtTable {
  const { name, id, table_type, size, depends_on } = head;
  const { key, data, action_specs, supported_operations, attributes, read_only } = body;
  return {
    name,
    id,
    table_type,
    size,
    ...given({ annotations: head.annotations }),
    depends_on,
    key,
    data,
    ...given({ action_specs }),
    supported_operations: supported_operations ?? [],
    attributes: attributes ?? [],
    ...given({ read_only }),
  };
}
