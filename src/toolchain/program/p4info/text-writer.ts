/**
 * Writes protobuf messages in the text format, laid out as C++ `TextFormat::Print` does (p4c's output): fields
 * by number, map entries by key, two spaces, strings escaped to ASCII, an `Any` of a known type expanded.
 */
import type { DescField, DescMessage, Message } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect, type ScalarValue } from "@bufbuild/protobuf/reflect";
import { type Any, isAny, unpackAny } from "./any-types.js";

/** The fields of a message, one per line, with `\n` at the end of each. */
export function writeText(schema: DescMessage, message: Message): string {
  const lines: string[] = [];
  writeFields(reflect(schema, message), "", lines);
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

const sortedFields = new WeakMap<DescMessage, readonly DescField[]>();

function fieldsByNumber(schema: DescMessage): readonly DescField[] {
  let fields = sortedFields.get(schema);
  if (fields === undefined) {
    fields = [...schema.fields].sort((a, b) => a.number - b.number);
    sortedFields.set(schema, fields);
  }
  return fields;
}

function writeFields(message: ReflectMessage, indent: string, lines: string[]): void {
  const held = isAny(message.desc) ? unpackAny(message.message as Any) : undefined;
  if (held !== undefined) {
    const { typeUrl } = message.message as Any;
    writeMessage(`[${typeUrl}]`, reflect(held.schema, held.message), indent, lines);
    return;
  }
  for (const field of fieldsByNumber(message.desc)) {
    if (!message.isSet(field)) continue;
    switch (field.fieldKind) {
      case "message":
        writeMessage(field.name, message.get(field), indent, lines);
        break;
      case "list":
        for (const item of message.get(field)) {
          if (field.listKind === "message") writeMessage(field.name, item as ReflectMessage, indent, lines);
          else lines.push(`${indent}${field.name}: ${scalarText(field, item as ScalarValue)}`);
        }
        break;
      case "map": {
        const map = message.get(field);
        const keys = [...map.keys()] as (string | number | bigint | boolean)[];
        keys.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        for (const key of keys) {
          lines.push(`${indent}${field.name} {`);
          lines.push(`${indent}  key: ${typeof key === "string" ? quote(key) : key}`);
          const value = map.get(key);
          if (field.mapKind === "message")
            writeMessage("value", value as ReflectMessage, `${indent}  `, lines);
          else lines.push(`${indent}  value: ${scalarText(field, value as ScalarValue)}`);
          lines.push(`${indent}}`);
        }
        break;
      }
      default:
        lines.push(`${indent}${field.name}: ${scalarText(field, message.get(field))}`);
    }
  }
}

function writeMessage(name: string, message: ReflectMessage, indent: string, lines: string[]): void {
  lines.push(`${indent}${name} {`);
  writeFields(message, `${indent}  `, lines);
  lines.push(`${indent}}`);
}

function scalarText(field: DescField, value: ScalarValue): string {
  if (field.enum !== undefined) return field.enum.value[value as number]?.name ?? String(value);
  if (typeof value === "string") return quote(value);
  if (value instanceof Uint8Array) return quoteBytes(value);
  return String(value);
}

const encoder = new TextEncoder();

function quote(text: string): string {
  return quoteBytes(encoder.encode(text));
}

const ESCAPES: Readonly<Record<number, string>> = {
  9: "\\t",
  10: "\\n",
  13: "\\r",
  34: '\\"',
  39: "\\'",
  92: "\\\\",
};

function quoteBytes(bytes: Uint8Array): string {
  let text = '"';
  for (const byte of bytes) {
    text +=
      ESCAPES[byte] ??
      (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, "0")}`);
  }
  return `${text}"`;
}
