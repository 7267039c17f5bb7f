/**
 * Reads protobuf text format into messages. Every error has its place in the file. An `Any` may be expanded
 * (`[type.googleapis.com/...] { }`) where its type is one of `any-types.ts`; `type_url`/`value` is always read.
 */

import { type DescField, type DescMessage, type MessageShape, ScalarType } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { defined, fail, type SourceFile, type Span } from "../../../base/index.js";
import { CODES } from "../codes.js";
import { type Any, anyPack, isAny, schemaOfUrl } from "./any-types.js";
import { nextToken, type Token, unquote } from "./text-tokens.js";

/** Deeper nesting is refused, so that no input exhausts the stack. */
const MAX_DEPTH = 100;

/** Throws a `DiagnosticError` (P41001 syntax, P41002 unknown field, P41003 wrong value) at the first mistake. */
export function readText<Desc extends DescMessage>(file: SourceFile, schema: Desc): MessageShape<Desc> {
  const message = reflect(schema);
  new TextReader(file).fields(message, "end", 0);
  return message.message as MessageShape<Desc>;
}

type Scalar = string | number | bigint | boolean | Uint8Array;

class TextReader {
  #token: Token;

  constructor(readonly file: SourceFile) {
    this.#token = nextToken(file, 0);
  }

  fields(message: ReflectMessage, close: string, depth: number): void {
    if (depth > MAX_DEPTH) this.#fail(CODES.textSyntax, `messages nested deeper than ${MAX_DEPTH}`);
    while (!(close === "end" ? this.#token.kind === "end" : this.#at(close))) {
      if (this.#token.kind === "end") this.#fail(CODES.textSyntax, `end of file where "${close}" is missing`);
      this.#field(message, depth);
      if (this.#at(",") || this.#at(";")) this.#advance();
    }
  }

  #field(message: ReflectMessage, depth: number): void {
    const name = this.#token;
    if (this.#at("[")) {
      this.#expandedAny(message, depth);
      return;
    }
    if (name.kind !== "name")
      this.#fail(CODES.textSyntax, `expected the name of a field, found ${describe(name)}`);
    const field = this.#fieldNamed(message, name.text);
    if (field.fieldKind !== "list" && field.fieldKind !== "map" && message.isSet(field)) {
      this.#fail(CODES.textValue, `field "${field.name}" is given twice`);
    }
    if (field.oneof !== undefined) {
      const other = message.oneofCase(field.oneof);
      if (other !== undefined) {
        this.#fail(
          CODES.textValue,
          `"${field.name}" and "${other.name}" exclude each other (oneof ${field.oneof.name})`,
        );
      }
    }
    this.#advance();
    const colon = this.#at(":");
    if (colon) this.#advance();
    const isMessage = field.message !== undefined || field.fieldKind === "map";
    if (!colon && !isMessage) {
      this.#fail(CODES.textSyntax, `expected ":" after "${field.name}", found ${describe(this.#token)}`);
    }
    if (this.#at("[") && (field.fieldKind === "list" || field.fieldKind === "map")) {
      this.#advance();
      while (!this.#at("]")) {
        this.#value(message, field, depth);
        if (this.#at(",")) this.#advance();
        else if (!this.#at("]"))
          this.#fail(CODES.textSyntax, `expected "," or "]", found ${describe(this.#token)}`);
      }
      this.#advance();
    } else this.#value(message, field, depth);
  }

  /** `[host/package.Message] { ... }`: the message in the place of `type_url` and `value`. */
  #expandedAny(message: ReflectMessage, depth: number): void {
    const { start } = this.#token;
    if (!isAny(message.desc)) {
      this.#fail(CODES.textField, `${message.desc.name} has no extensions, and is no Any to expand`);
    }
    this.#advance();
    let url = "";
    while (!this.#at("]")) {
      const { kind, text } = this.#token;
      if (kind !== "name" && kind !== "number" && !/^[./-]$/.test(text))
        this.#fail(CODES.textSyntax, `expected "]" after the type of an Any, found ${describe(this.#token)}`);
      url += text;
      this.#advance();
    }
    this.#advance();
    const unknown = `the type "${url}" of an Any is not known here`;
    const schema =
      schemaOfUrl(url) ?? this.#fail(CODES.textField, unknown, "write type_url and value", start);
    const any = message.message as Any;
    if (any.typeUrl !== "") this.#fail(CODES.textValue, "an Any is given twice", undefined, start);
    if (this.#at(":")) this.#advance();
    const { typeUrl, value } = anyPack(schema, this.#message(schema, depth).message);
    any.typeUrl = url.includes("/") ? url : typeUrl;
    any.value = value;
  }

  #fieldNamed(message: ReflectMessage, name: string): DescField {
    const field = message.desc.fields.find((f) => f.name === name);
    if (field !== undefined) return field;
    const known = message.desc.fields.map((f) => f.name).join(", ");
    return this.#fail(CODES.textField, `${message.desc.name} has no field "${name}"`, `its fields: ${known}`);
  }

  #value(message: ReflectMessage, field: DescField, depth: number): void {
    switch (field.fieldKind) {
      case "message":
        message.set(field, this.#message(field.message, depth));
        break;
      case "list":
        message
          .get(field)
          .add(field.listKind === "message" ? this.#message(field.message, depth) : this.#scalar(field));
        break;
      case "map":
        this.#mapEntry(message, field, depth);
        break;
      default:
        message.set(field, this.#scalar(field));
    }
  }

  #message(schema: DescMessage, depth: number): ReflectMessage {
    const close = this.#open();
    const inner = reflect(schema);
    this.fields(inner, close, depth + 1);
    this.#advance();
    return inner;
  }

  #mapEntry(message: ReflectMessage, field: DescField & { fieldKind: "map" }, depth: number): void {
    const close = this.#open();
    let key: Scalar | undefined;
    let value: Scalar | ReflectMessage | undefined;
    while (!this.#at(close)) {
      const name = this.#token;
      if (name.text !== "key" && name.text !== "value") {
        this.#fail(
          CODES.textField,
          `expected "key" or "value" in an entry of "${field.name}", found ${describe(name)}`,
        );
      }
      this.#advance();
      if (this.#at(":")) this.#advance();
      if (name.text === "key") key = this.#scalarOf(field.mapKey, "key");
      else value = field.mapKind === "message" ? this.#message(field.message, depth) : this.#scalar(field);
      if (this.#at(",") || this.#at(";")) this.#advance();
    }
    if (key === undefined) this.#fail(CODES.textValue, `entry of "${field.name}" without a key`);
    if (value === undefined) {
      if (field.mapKind !== "message")
        this.#fail(CODES.textValue, `entry of "${field.name}" without a value`);
      value = reflect((field as { message: DescMessage }).message);
    }
    this.#advance();
    message.get(field).set(key, value);
  }

  /** Consumes `{` or `<`; the answer closes it. */
  #open(): string {
    const close = this.#at("{") ? "}" : this.#at("<") ? ">" : undefined;
    if (close === undefined)
      return this.#fail(CODES.textSyntax, `expected "{", found ${describe(this.#token)}`);
    this.#advance();
    return close;
  }

  #scalar(field: DescField): Scalar {
    if (field.enum === undefined) return this.#scalarOf(field.scalar!, field.name);
    const token = this.#token;
    if (token.kind === "name") {
      const value = field.enum.values.find((v) => v.name === token.text);
      if (value === undefined) {
        const known = field.enum.values.map((v) => v.name).join(", ");
        this.#fail(
          CODES.textValue,
          `"${token.text}" is no value of ${field.enum.name}`,
          `its values: ${known}`,
        );
      }
      this.#advance();
      return value!.number;
    }
    return Number(this.#integer(field.name, 32, true));
  }

  #scalarOf(type: ScalarType, name: string): Scalar {
    switch (type) {
      case ScalarType.STRING: {
        const start = this.#token.start;
        const bytes = this.#string(name);
        try {
          return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
        } catch {
          return this.#fail(
            CODES.textValue,
            `"${name}" is text, but these bytes are not UTF-8`,
            undefined,
            start,
          );
        }
      }
      case ScalarType.BYTES:
        return this.#string(name);
      case ScalarType.BOOL:
        return this.#boolean(name);
      case ScalarType.INT32:
        return Number(this.#integer(name, 32, true));
      case ScalarType.UINT32:
        return Number(this.#integer(name, 32, false));
      case ScalarType.INT64:
        return this.#integer(name, 64, true);
      case ScalarType.UINT64:
        return this.#integer(name, 64, false);
      default:
        return this.#fail(CODES.textValue, `field "${name}" has a type that is not read from text`);
    }
  }

  #string(name: string): Uint8Array {
    if (this.#token.kind !== "string") {
      this.#fail(CODES.textValue, `"${name}" takes a quoted string, found ${describe(this.#token)}`);
    }
    const parts: Uint8Array[] = [];
    while (this.#token.kind === "string") {
      parts.push(unquote(this.file, this.#token));
      this.#advance();
    }
    if (parts.length === 1) return defined(parts[0]);
    const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }

  #boolean(name: string): boolean {
    const { text } = this.#token;
    const value = /^(true|True|t|1)$/.test(text)
      ? true
      : /^(false|False|f|0)$/.test(text)
        ? false
        : undefined;
    if (value === undefined) {
      return this.#fail(CODES.textValue, `"${name}" takes true or false, found ${describe(this.#token)}`);
    }
    this.#advance();
    return value;
  }

  #integer(name: string, bits: number, signed: boolean): bigint {
    const start = this.#token.start;
    const negative = this.#at("-");
    if (negative) this.#advance();
    const { text } = this.#token;
    if (!/^(0[xX][0-9a-fA-F]+|[0-9]+)$/.test(text)) {
      this.#fail(CODES.textValue, `"${name}" takes an integer, found ${describe(this.#token)}`);
    }
    if (/^0[0-9]+$/.test(text) && !/^0[0-7]+$/.test(text)) {
      this.#fail(CODES.textValue, `${text} begins with 0 and so is octal, but has the digit 8 or 9`);
    }
    const magnitude = BigInt(/^0[0-7]+$/.test(text) ? `0o${text}` : text);
    const value = negative ? -magnitude : magnitude;
    const low = signed ? -(1n << BigInt(bits - 1)) : 0n;
    const high = (1n << BigInt(signed ? bits - 1 : bits)) - 1n;
    if (value < low || value > high) {
      this.#fail(
        CODES.textValue,
        `${value} is out of range for "${name}": ${low} to ${high}`,
        undefined,
        start,
      );
    }
    this.#advance();
    return value;
  }

  #at(symbol: string): boolean {
    return this.#token.kind === "symbol" && this.#token.text === symbol;
  }

  #advance(): void {
    this.#token = nextToken(this.file, this.#token.end);
  }

  #fail(code: string, message: string, note?: string, start = this.#token.start): never {
    const span: Span = { file: this.file, start, end: Math.max(this.#token.end, start) };
    return fail(code, span, message, ...(note === undefined ? [] : [note]));
  }
}

function describe(token: Token): string {
  return token.kind === "end" ? "the end of the file" : `"${token.text}"`;
}
