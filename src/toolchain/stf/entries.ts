/** Translates STF names and values to those of P4Info: suffix names, `0x**` ternary digits, `value/length`, `low->high`. */
import { bitLength, defined, fail, maskOf } from "../../base/index.js";
import type { ActionCall, Match, TableEntry } from "../device/index.js";
import type { ActionInfo, Bmv2Program, FieldInfo, P4InfoIndex, TableInfo } from "../program/index.js";
import { CODES } from "./codes.js";
import { findByName } from "./names.js";
import type { StfAction, StfCommand, Word } from "./script.js";

/**
 * The larger priority wins, as in P4Runtime. With `table_add` the smaller priority wins. In a test that uses both, p4c's
 * runner turns priority n of an `add` into 10000 - n. The same scale here gives both kinds of entries the same order.
 */
const PRIORITY_CEILING = 10_000;
const LOWEST_OF_TABLE_ADD = 0x7fffffff;

/** The name of a key in one notation: `a$1.b` becomes `a[1].b`, `h.valid` becomes `h.$valid$`, and of `a & 0xf` no blank stays. */
function normalise(name: string): string {
  return name
    .replace(/\s+/g, "")
    .replace(/\$(\d+)/g, "[$1]")
    .replace(/(^|\.)(\$valid\$|isValid\(\)|valid)$/, "$1$valid$");
}

/** A key that is a slice of a field can be named by the field: with the value of the slice, or of the field where several keys are slices. */
function slicesOf(table: TableInfo, word: Word): { field: FieldInfo; low: number }[] {
  const wanted = normalise(word.text);
  return table.fields.list.flatMap((field) => {
    const match = /^(.*)\[(\d+):(\d+)\]$/.exec(normalise(field.name));
    if (match === null || (match[1] !== wanted && !match[1]!.endsWith(`.${wanted}`))) return [];
    return [{ field, low: Number(match[3]) }];
  });
}

/** The part of a value of a field that a slice has. */
function sliced(word: Word, low: number, width: number): Word {
  const value = readNumber(word.text);
  if (value === undefined || bitLength(value) <= width) return word;
  return { ...word, text: `0x${((value >> BigInt(low)) & maskOf(width)).toString(16)}` };
}

function findField(table: TableInfo, word: Word): FieldInfo {
  const fields = table.fields.list;
  const wanted = normalise(word.text);
  // The name of a header without a field is its validity.
  for (const name of [wanted, `${wanted}.$valid$`]) {
    const exact = fields.find((field) => normalise(field.name) === name);
    if (exact !== undefined) return exact;
    const bySuffix = fields.filter((field) => normalise(field.name).endsWith(`.${name}`));
    if (bySuffix.length === 1) return defined(bySuffix[0]);
  }
  fail(
    CODES.unknownName,
    word.span,
    `table ${table.name} has no key field \`${word.text}\``,
    `its key is: ${fields.map((field) => field.name).join(", ")}`,
  );
}

/** A number in decimal, `0x`, `0b` or `0o`, or an IPv4 address; undefined when the text is neither. */
function readNumber(text: string): bigint | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(BigInt);
  if (parts?.every((part) => part < 256n)) return parts.reduce((sum, part) => (sum << 8n) | part, 0n);
  return /^(\d+|0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+)$/.test(text) ? BigInt(text) : undefined;
}

/** `0x1*`, `0b1**` as value and mask. */
function readStars(text: string): { value: bigint; mask: bigint } | undefined {
  const match = /^0(?:[xX][0-9a-fA-F*]+|[bB][01*]+|[oO][0-7*]+)$/.exec(text);
  if (match === null) return undefined;
  const digitBits = defined({ x: 4n, b: 1n, o: 3n }[defined(text[1]).toLowerCase()]);
  let value = 0n;
  let mask = 0n;
  for (const digit of text.slice(2)) {
    value <<= digitBits;
    mask <<= digitBits;
    if (digit === "*") continue;
    value |= BigInt(Number.parseInt(digit, 16));
    mask |= maskOf(Number(digitBits));
  }
  return { value, mask };
}

function wrongValue(word: Word, what: string, ...notes: string[]): never {
  fail(CODES.value, word.span, `\`${word.text}\` is no value for ${what}`, ...notes);
}

/** What the tests of the Tofino compiler write otherwise: its harness writes the bits that a key has. */
export interface TofinoKeys {
  /** The bits that count, of keys `FIELD & MASK`, by table and field. */
  readonly masks: ReadonlyMap<string, ReadonlyMap<string, bigint>>;
}

/** The masks of a program's keys. */
export function tofinoKeys({ architecture, pipelines }: Bmv2Program): TofinoKeys | undefined {
  if (architecture === undefined) return undefined;
  const masks = new Map<string, Map<string, bigint>>();
  for (const { name, key } of pipelines.flatMap(({ tables }) => tables))
    for (const { name: field = "", mask } of key)
      if (mask !== null) {
        const own = masks.get(name) ?? new Map<string, bigint>();
        masks.set(name, own.set(field, BigInt(mask)));
      }
  return { masks };
}

/** A value as a key of the Tofino has it: masked, and of ones only where it has ones only. */
function keptBits(field: FieldInfo, table: string, word: Word, { masks }: TofinoKeys): Word {
  const value = readNumber(word.text);
  if (value === undefined) return word;
  const all = maskOf(field.bitwidth);
  const fits = value > all && value === maskOf(bitLength(value)) ? all : value;
  const kept = fits & (masks.get(table)?.get(field.name) ?? fits);
  return kept === value ? word : { ...word, text: `0x${kept.toString(16)}` };
}

/** Checks that a value fits the width (0: a string field, which STF cannot write). */
function fitting(value: bigint | undefined, width: number, word: Word, what: string): bigint {
  if (value === undefined || bitLength(value) > width) wrongValue(word, `${what}, which has ${width} bits`);
  return value;
}

function matchOf(field: FieldInfo, word: Word): Match {
  const { name, bitwidth, kind } = field;
  const what = `${kind} field ${name}`;
  const number = (text: string) => fitting(readNumber(text), bitwidth, word, what);
  const all = maskOf(bitwidth);
  const stars = word.text.includes("*") ? readStars(word.text) : undefined;
  switch (kind) {
    case "exact":
    case "optional":
      return { kind, field: name, value: number(word.text) };
    case "lpm": {
      if (stars !== undefined) {
        const open = bitLength(~stars.mask & all);
        if ((stars.mask & all) !== all - maskOf(open))
          wrongValue(word, what, "stars must be at the end of a prefix");
        const value = fitting(stars.value, bitwidth, word, what);
        return { kind, field: name, value, prefixLength: bitwidth - open };
      }
      const [text, length = String(bitwidth)] = word.text.split("/");
      const prefixLength = /^\d+$/.test(length) ? Number(length) : Number.NaN;
      if (!(prefixLength <= bitwidth)) wrongValue(word, `${what}, which has ${bitwidth} bits`);
      return { kind, field: name, value: number(text!) & ~maskOf(bitwidth - prefixLength), prefixLength };
    }
    case "ternary": {
      if (stars !== undefined) {
        return {
          kind,
          field: name,
          value: fitting(stars.value, bitwidth, word, what),
          mask: stars.mask & all,
        };
      }
      const [text, maskText] = word.text.split("&&&");
      const mask = maskText === undefined ? all : number(maskText);
      return { kind, field: name, value: number(text!) & mask, mask };
    }
    case "range": {
      const [low, high = low] = word.text.split("->");
      return { kind, field: name, low: number(low!), high: number(high!) };
    }
    case "other":
      wrongValue(word, what);
  }
}

/** Leaves out a part that matches everything, as P4Runtime requires (spec 9.1.1). */
function isDontCare(match: Match, field: FieldInfo): boolean {
  if (match.kind === "ternary") return match.mask === 0n;
  if (match.kind === "lpm") return match.prefixLength === 0;
  return match.kind === "range" && match.low === 0n && match.high === maskOf(field.bitwidth);
}

function callOf(action: StfAction, info: ActionInfo): ActionCall {
  const params: Record<string, bigint> = {};
  for (const { name, value } of action.args) {
    const param = info.params.byName(name.text);
    if (param === undefined)
      fail(CODES.unknownName, name.span, `action ${info.name} has no parameter \`${name.text}\``);
    params[param.name] = fitting(readNumber(value.text), param.bitwidth, value, `parameter ${param.name}`);
  }
  const missing = info.params.list.map(({ name }) => name).filter((name) => !Object.hasOwn(params, name));
  if (missing.length > 0) {
    fail(CODES.unknownName, action.name.span, `action ${info.name} is called without ${missing.join(", ")}`);
  }
  return { action: info.name, params };
}

/** The table entry that `add` or `setdefault` means. Throws DiagnosticError (P41253, P41254). */
export function entryOf(
  command: StfCommand & { kind: "add" | "setDefault" },
  index: P4InfoIndex,
  tofino?: TofinoKeys,
): TableEntry {
  const table = findByName(index.tables.list, "table", command.table);
  const actions = [...table.actions.values()].map((use) => use.action);
  const info = findByName(actions, "action", command.action.name, `table ${table.name}`);
  const action = { kind: "action" as const, ...callOf(command.action, info) };
  if (command.kind === "setDefault") {
    return { kind: "tableEntry", table: table.name, match: [], priority: 0, action, isDefault: true };
  }
  const match: Match[] = [];
  const parts = command.match.flatMap(({ field: word, value }, at) => {
    const slices = slicesOf(table, word);
    if (slices.length === 0) return [{ field: findField(table, word), value }];
    // Named once for each slice: in the order of the key.
    const same = command.match.filter(({ field }) => field.text === word.text);
    if (same.length === slices.length && slices.length > 1) {
      const place = command.match.slice(0, at).filter(({ field }) => field.text === word.text).length;
      return [{ field: defined(slices[place]).field, value }];
    }
    return slices.map(({ field, low }) => ({ field, value: sliced(value, low, field.bitwidth) }));
  });
  for (const { field, value } of parts) {
    const part = matchOf(field, tofino === undefined ? value : keptBits(field, table.name, value, tofino));
    if (!isDontCare(part, field)) match.push(part);
  }
  // As in p4c's runner, an exact field that is not named is 0, and any other field matches everything.
  for (const { name, kind } of table.fields.list) {
    if (kind === "exact" && !match.some(({ field }) => field === name)) {
      match.push({ kind, field: name, value: 0n });
    }
  }
  const { priority: rank = 0 } = command;
  if (rank > PRIORITY_CEILING) {
    fail(CODES.value, command.span, `the priority is ${rank}; it is at most ${PRIORITY_CEILING}`);
  }
  const priority = table.hasPriority ? LOWEST_OF_TABLE_ADD - PRIORITY_CEILING + rank : 0;
  return { kind: "tableEntry", table: table.name, match, priority, action };
}
