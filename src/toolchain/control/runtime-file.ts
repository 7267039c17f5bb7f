/**
 * The tutorials' `sN-runtime.json`: the program of a switch, its table entries, multicast groups and clone sessions.
 * The notation of a value decides its type: numbers, MAC, IPv4 and IPv6 addresses, digits with `0x`. A match is `value`
 * for an exact or optional field, `[value, length]` for lpm, `[value, mask]` for ternary, `[low, high]` for range. The
 * notation of the command text (`"10.0.0.0/8"`, `"0x10&&&0xf0"`, `"1->9"`) is accepted too.
 */
import {
  type Diagnostics,
  defined,
  fail,
  given,
  type SourceFile,
  type Span,
  spanText,
} from "../../base/index.js";
import type { Match, Naming, Replica, TableEntry, Update } from "../device/index.js";
import {
  type FieldInfo,
  type JsonPath,
  jsonKeyPlace,
  jsonPlace,
  type P4InfoIndex,
  type Slot,
  type TableInfo,
} from "../program/index.js";
import { CODES } from "./codes.js";
import { actionsOf, slotNames } from "./context.js";
import { findJsonError } from "./json-error.js";
import { findNamed } from "./names.js";
import { readMatch, readSlot, type ValueForm } from "./values.js";
import { report, type Word } from "./words.js";

export interface RuntimeFile {
  /** `bmv2`, if the file has it. */
  readonly target?: string;
  /** Path of the P4Info, as written: relative to the folder of the exercise. */
  readonly p4info?: string;
  /** Path of the BMv2 JSON, as written. */
  readonly bmv2Json?: string;
  /**
   * The updates of the file in this order: table entries, multicast groups, clone sessions. Names and values that do not
   * fit the program are reported (P43211 to P43214), each at its place, and left out. `naming` translates names of values.
   */
  updates(index: P4InfoIndex, diagnostics: Diagnostics, naming?: Naming): Update[];
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Keys of the file; those that start with `_` are comments. */
const KEYS = [
  "target",
  "p4info",
  "bmv2_json",
  "table_entries",
  "multicast_group_entries",
  "clone_session_entries",
] as const;

/** Other spellings of keys, which older files use. */
const OLDER: Readonly<Record<string, string>> = {
  table_name: "table",
  match_fields: "match",
  action: "action_name",
  params: "action_params",
  group_id: "multicast_group_id",
  session_id: "clone_session_id",
  port: "egress_port",
  rid: "instance",
};

const ENTRY_KEYS = ["table", "match", "priority", "default_action", "action_name", "action_params"];
const GROUP_KEYS = ["multicast_group_id", "replicas"];
const CLONE_KEYS = ["clone_session_id", "replicas", "packet_length_bytes", "class_of_service"];
const REPLICA_KEYS = ["egress_port", "instance"];

/** Checks the structure of the file; undefined after errors (P43211). Its updates are read when the program is known. */
export function readRuntimeFile(file: SourceFile, diagnostics: Diagnostics): RuntimeFile | undefined {
  let root: unknown;
  const text = file.text.replace(/^\ufeff/, " ");
  try {
    root = JSON.parse(text);
  } catch {
    const { at, message } = findJsonError(text);
    diagnostics.error(CODES.fileShape, { file, start: at, end: at + 1 }, `not JSON: ${message}`);
    return undefined;
  }
  try {
    const reader = new RuntimeReader(file, diagnostics);
    const top = reader.object(root, [], KEYS);
    const named = (key: string): string | undefined =>
      top[key] === undefined ? undefined : reader.string(top[key], [key]);
    const [target, p4info, bmv2Json] = [named("target"), named("p4info"), named("bmv2_json")];
    if (target !== undefined && target !== "bmv2")
      reader.wrong(["target"], `the target is "${target}"; the only target is "bmv2"`);
    for (const key of KEYS.slice(3)) if (top[key] !== undefined) reader.list(top[key], [key]);
    return {
      ...given({ target, p4info, bmv2Json }),
      updates: (index, found, naming) => new RuntimeReader(file, found, index, naming).updates(top),
    };
  } catch (error) {
    report(error, diagnostics);
    return undefined;
  }
}

/** The place of an update in its runtime file. */
const places = new WeakMap<Update, Span>();

/** The place in its file of an update from {@link RuntimeFile.updates}. */
export function placeOf(update: Update): Span | undefined {
  return places.get(update);
}

class RuntimeReader {
  constructor(
    readonly file: SourceFile,
    readonly diagnostics: Diagnostics,
    readonly index?: P4InfoIndex,
    readonly naming?: Naming,
  ) {}

  get #form(): ValueForm {
    return { code: CODES.fileValue, naming: this.naming };
  }

  #place(path: JsonPath): Span {
    const span = jsonPlace(this.file, path);
    const line = spanText(span).indexOf("\n");
    // the first line of a long value is enough
    return line < 0 ? span : { ...span, end: span.start + Math.max(line, 1) };
  }

  /** The name of a member, before its value. */
  #keyPlace(path: JsonPath): Span {
    return jsonKeyPlace(this.file, path);
  }

  wrong(path: JsonPath, message: string, ...notes: string[]): never {
    fail(CODES.fileShape, this.#place(path), message, ...notes);
  }

  #type(value: unknown, path: JsonPath, wanted: string): never {
    const name = path.length === 0 ? "the file" : `\`${path.map(String).join(".")}\``;
    const found = value === undefined ? "missing" : short(JSON.stringify(value));
    this.wrong(path, `${name} is ${found}; it should be ${wanted}`);
  }

  /** An object with keys in their present spelling; other keys are reported and ignored. */
  object(value: unknown, path: JsonPath, keys: readonly string[]): JsonObject {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      this.#type(value, path, "an object");
    const result: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) {
      const name = keys.includes(key) ? key : Object.hasOwn(OLDER, key) ? defined(OLDER[key]) : key;
      if (keys.includes(name)) result[name] = item;
      else if (!key.startsWith("_") && key !== "comment")
        this.diagnostics.warning(
          CODES.fileShape,
          this.#keyPlace([...path, key]),
          `\`${key}\` is not a key here`,
          `there are: ${keys.join(", ")}`,
        );
    }
    return result;
  }

  string(value: unknown, path: JsonPath): string {
    return typeof value === "string" ? value : this.#type(value, path, "a string");
  }

  list(value: unknown, path: JsonPath): readonly unknown[] {
    if (value === undefined || value === null) return [];
    return Array.isArray(value) ? value : this.#type(value, path, "a list");
  }

  #integer(value: unknown, path: JsonPath, most: number, least = 0): number {
    const number = typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
    if (typeof number === "number" && Number.isInteger(number) && number >= least && number <= most)
      return number;
    return this.#type(value, path, `a whole number from ${least} to ${most}`);
  }

  updates(top: JsonObject): Update[] {
    const updates: Update[] = [];
    const each = (key: string, read: (value: unknown, path: JsonPath) => Update): void => {
      for (const [i, value] of this.list(top[key], [key]).entries()) {
        try {
          const update = read(value, [key, i]);
          places.set(update, this.#place([key, i]));
          updates.push(update);
        } catch (error) {
          report(error, this.diagnostics);
        }
      }
    };
    each("table_entries", (value, path) => this.#tableEntry(value, path));
    each("multicast_group_entries", (value, path) => this.#group(value, path));
    each("clone_session_entries", (value, path) => this.#session(value, path));
    return updates;
  }

  /** A JSON value as a word of the command text; numbers with all their digits. */
  #word(value: unknown, path: JsonPath): Word {
    const span = this.#place(path);
    if (typeof value === "string") return { text: value, span };
    if (typeof value === "boolean") return { text: String(value), span };
    if (typeof value === "number") {
      const written = spanText(span);
      return { text: Number.isSafeInteger(value) ? String(value) : written, span };
    }
    this.#type(value, path, "a number or a string");
  }

  #value(what: string, value: unknown, path: JsonPath, slot: Slot): bigint {
    const word = this.#word(Array.isArray(value) && value.length === 1 ? value[0] : value, path);
    return readSlot(what, slot, word, this.#form);
  }

  #tableEntry(value: unknown, path: JsonPath): Update {
    const entry = this.object(value, path, ENTRY_KEYS);
    const at = (key: string): JsonPath => [...path, key];
    const name = { text: this.string(entry["table"], at("table")), span: this.#place(at("table")) };
    const table = findNamed("table", this.index!.tables.list, name, "the program", CODES.fileName);
    const isDefault = entry["default_action"] === true;
    const match = this.#match(entry["match"], at("match"), table, isDefault);
    const given = entry["priority"] ?? undefined;
    const priority = given === undefined ? 0 : this.#integer(given, at("priority"), 0x7fffffff);
    const wanted = table.hasPriority && !isDefault;
    if (wanted !== priority > 0)
      fail(
        CODES.filePriority,
        this.#place(given === undefined ? path : at("priority")),
        wanted
          ? `an entry of table ${table.name} needs a \`priority\` above 0: its key has a ternary, range or optional field`
          : `the priority is ${priority}; ${isDefault ? "a default entry" : `an entry of table ${table.name}`} has none`,
      );
    const action = { kind: "action" as const, ...this.#action(entry, path, table) };
    const base: TableEntry = { kind: "tableEntry", table: table.name, match, priority, action };
    return isDefault ? { type: "modify", entity: { ...base, isDefault } } : { type: "insert", entity: base };
  }

  #match(value: unknown, path: JsonPath, table: TableInfo, isDefault: boolean): Match[] {
    const fields = table.fields.list;
    const parts = value === undefined || value === null ? {} : this.#plainObject(value, path);
    const found = new Map<FieldInfo, Match | undefined>();
    for (const [key, part] of Object.entries(parts)) {
      const place = [...path, key];
      const word = { text: key, span: this.#keyPlace(place) };
      const field = findNamed("match field", fields, word, `table ${table.name}`, CODES.fileName);
      if (isDefault) this.wrong(place, "a default entry has no match");
      if (found.has(field)) this.wrong(place, `match field ${field.name} is given twice`);
      found.set(field, this.#part(part, place, field));
    }
    if (isDefault) return [];
    const missing = fields.filter((field) => field.kind === "exact" && !found.has(field));
    if (missing.length > 0)
      this.wrong(
        value === undefined || value === null ? path.slice(0, -1) : path,
        `the match lacks ${slotNames(missing)}: an exact field cannot be left out`,
      );
    return fields.flatMap((field) => found.get(field) ?? []);
  }

  #plainObject(value: unknown, path: JsonPath): JsonObject {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as JsonObject;
    return this.#type(value, path, "an object");
  }

  #part(value: unknown, path: JsonPath, field: FieldInfo): Match | undefined {
    const { kind, name } = field;
    const what = `match field ${name}`;
    if (!Array.isArray(value) || value.length === 1) {
      const [item, place] = Array.isArray(value) ? [value[0], [...path, 0]] : [value, path];
      const word = this.#word(item, place);
      return readMatch(field, word, { ...this.#form, plain: true });
    }
    if (value.length !== 2 || kind === "exact" || kind === "optional" || kind === "other") {
      const form = { lpm: "[value, length]", ternary: "[value, mask]", range: "[low, high]" }[kind as string];
      this.#type(value, path, `${form ?? "a value"}: ${what} is ${kind}`);
    }
    const [first, second] = [0, 1].map((i) => this.#word(value[i], [...path, i])) as [Word, Word];
    const joint = { lpm: "/", ternary: "&&&", range: "->" }[kind];
    const number = (word: Word): Word => ({ ...word, text: this.#unsigned(what, word, field) });
    const length = kind === "lpm" ? second : number(second);
    const text = `${number(first).text}${joint}${length.text}`;
    return readMatch(field, { text, span: this.#place(path) }, { ...this.#form, plain: true });
  }

  /** A value as digits; checked at its own place. */
  #unsigned(what: string, word: Word, slot: Slot): string {
    return String(readSlot(what, slot, word, this.#form));
  }

  #action(entry: JsonObject, path: JsonPath, table: TableInfo) {
    const at = (key: string): JsonPath => [...path, key];
    const text = this.string(entry["action_name"], at("action_name"));
    const name = { text, span: this.#place(at("action_name")) };
    const action = findNamed("action", actionsOf(table), name, `table ${table.name}`, CODES.fileName);
    const given = entry["action_params"] ?? {};
    const params: Record<string, bigint> = {};
    for (const [key, value] of Object.entries(this.#plainObject(given, at("action_params")))) {
      const place = [...at("action_params"), key];
      const word = { text: key, span: this.#keyPlace(place) };
      const slot = findNamed("parameter", action.params.list, word, `action ${action.name}`, CODES.fileName);
      params[slot.name] = this.#value(`parameter ${slot.name}`, value, place, slot);
    }
    const missing = action.params.list.filter((slot) => !Object.hasOwn(params, slot.name));
    if (missing.length > 0)
      this.wrong(
        entry["action_params"] === undefined ? path : at("action_params"),
        `action ${action.name} lacks its ${missing.length === 1 ? "parameter" : "parameters"} ${slotNames(missing)}`,
      );
    return { action: action.name, params };
  }

  #replicas(value: unknown, path: JsonPath): Replica[] {
    return this.list(value, path).map((item, i) => {
      const place = [...path, i];
      const replica = this.object(item, place, REPLICA_KEYS);
      return {
        port: this.#integer(replica["egress_port"], [...place, "egress_port"], 511),
        instance: this.#integer(replica["instance"] ?? 0, [...place, "instance"], 0xffff),
      };
    });
  }

  #group(value: unknown, path: JsonPath): Update {
    const entry = this.object(value, path, GROUP_KEYS);
    const groupId = this.#integer(entry["multicast_group_id"], [...path, "multicast_group_id"], 0xffff, 1);
    const replicas = this.#replicas(entry["replicas"], [...path, "replicas"]);
    return { type: "insert", entity: { kind: "multicastGroup", groupId, replicas } };
  }

  #session(value: unknown, path: JsonPath): Update {
    const entry = this.object(value, path, CLONE_KEYS);
    const number = (key: string, most: number, least = 0): number =>
      this.#integer(entry[key] ?? (least === 0 ? 0 : undefined), [...path, key], most, least);
    return {
      type: "insert",
      entity: {
        kind: "cloneSession",
        sessionId: number("clone_session_id", 32767, 1),
        replicas: this.#replicas(entry["replicas"], [...path, "replicas"]),
        classOfService: number("class_of_service", 0xffffffff),
        packetLengthBytes: number("packet_length_bytes", 0xffff),
      },
    };
  }
}

function short(text: string): string {
  return text.length > 40 ? `${text.slice(0, 37)}...` : text;
}
