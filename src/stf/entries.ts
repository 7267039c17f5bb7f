/** STF names and values as P4Info has them: suffix names, `0x**` ternary digits, `value/length`, `low->high`. */
import { bitLength, type Diagnostics, maskOf } from "../base/index.js";
import type {
  ActionCall,
  ActionInfo,
  FieldInfo,
  Match,
  P4InfoIndex,
  P4Object,
  TableEntry,
  TableInfo,
} from "../program/index.js";
import type { StfAction, StfCommand, StfMatch, Word } from "./script.js";

/** BMv2's command line lets the smaller priority win, P4Runtime the larger; this is where the scale is turned over. */
const PRIORITY_CEILING = 1 << 24;

/** The object called `word`, or the only one whose full name ends in `.word`. Reports P41253. */
function findByName<T extends P4Object<unknown>>(
  list: readonly T[],
  what: string,
  word: Word,
  diagnostics: Diagnostics,
): T | undefined {
  const exact = list.find((object) => object.name === word.text || object.alias === word.text);
  if (exact !== undefined) return exact;
  const bySuffix = list.filter((object) => object.name.endsWith(`.${word.text}`));
  if (bySuffix.length === 1) return bySuffix[0];
  const names = (bySuffix.length > 1 ? bySuffix : list).slice(0, 8).map((object) => object.name);
  diagnostics.error(
    "P41253",
    word.span,
    bySuffix.length > 1
      ? `more than one ${what} ends in \`${word.text}\``
      : `the program has no ${what} \`${word.text}\``,
    names.length === 0 ? `it has no ${what} at all` : `there are: ${names.join(", ")}`,
  );
  return undefined;
}

/** A key's name without what the two notations write differently: `a$1.b` is `a[1].b`, `h.valid` is `h.$valid$`. */
function normalise(name: string): string {
  return name.replace(/\$(\d+)/g, "[$1]").replace(/\.(\$valid\$|isValid\(\)|valid)$/, ".$valid$");
}

function findField(table: TableInfo, word: Word, diagnostics: Diagnostics): FieldInfo | undefined {
  const wanted = normalise(word.text);
  const fields = table.fields.list;
  const exact = fields.find((field) => normalise(field.name) === wanted);
  const bySuffix = fields.filter((field) => normalise(field.name).endsWith(`.${wanted}`));
  const found = exact ?? (bySuffix.length === 1 ? bySuffix[0] : undefined);
  if (found === undefined) {
    diagnostics.error(
      "P41253",
      word.span,
      `table ${table.name} has no key field \`${word.text}\``,
      `its key is: ${fields.map((field) => field.name).join(", ")}`,
    );
  }
  return found;
}

/** A number in decimal, `0x`, `0b` or `0o`; undefined when it is none. */
function readNumber(text: string): bigint | undefined {
  return /^(\d+|0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+)$/.test(text) ? BigInt(text) : undefined;
}

/** `0x1*`, `0b1**` as value and mask. */
function readTernary(text: string): { value: bigint; mask: bigint } | undefined {
  const match = /^0([xXbB])([0-9a-fA-F*]+)$/.exec(text);
  if (match === null) return undefined;
  const digitBits = match[1]!.toLowerCase() === "x" ? 4n : 1n;
  let value = 0n;
  let mask = 0n;
  for (const digit of match[2]!) {
    value <<= digitBits;
    mask <<= digitBits;
    if (digit === "*") continue;
    value |= BigInt(Number.parseInt(digit, 16));
    mask |= maskOf(Number(digitBits));
  }
  return { value, mask };
}

function wrongValue(word: Word, what: string, diagnostics: Diagnostics): undefined {
  diagnostics.error("P41254", word.span, `\`${word.text}\` is no value for ${what}`);
  return undefined;
}

/** Checks that a value fits the width (0: a string field, which STF cannot write). */
function fitting(
  value: bigint | undefined,
  width: number,
  word: Word,
  what: string,
  diagnostics: Diagnostics,
) {
  if (value === undefined || bitLength(value) > width) {
    return wrongValue(word, `${what}, which has ${width} bits`, diagnostics);
  }
  return value;
}

function matchOf(field: FieldInfo, word: Word, diagnostics: Diagnostics): Match | undefined {
  const { name, bitwidth } = field;
  const what = `${field.kind} field ${name}`;
  const number = (text: string) => fitting(readNumber(text), bitwidth, word, what, diagnostics);
  switch (field.kind) {
    case "exact":
    case "optional": {
      const value = number(word.text);
      return value === undefined ? undefined : { kind: field.kind, field: name, value };
    }
    case "lpm": {
      const [text, length = String(bitwidth)] = word.text.split("/");
      const value = number(text!);
      if (value === undefined) return undefined;
      const prefixLength = Number(length);
      if (!(prefixLength <= bitwidth)) return wrongValue(word, what, diagnostics);
      return { kind: "lpm", field: name, value: value & ~maskOf(bitwidth - prefixLength), prefixLength };
    }
    case "ternary": {
      const [text, maskText] = word.text.split("&&&");
      if (maskText !== undefined) {
        const value = number(text!);
        const mask = number(maskText);
        return value === undefined || mask === undefined
          ? undefined
          : { kind: "ternary", field: name, value: value & mask, mask };
      }
      const stars = word.text.includes("*") ? readTernary(word.text) : undefined;
      const value =
        stars === undefined ? number(word.text) : fitting(stars.value, bitwidth, word, what, diagnostics);
      if (value === undefined) return undefined;
      return {
        kind: "ternary",
        field: name,
        value,
        mask: (stars?.mask ?? maskOf(bitwidth)) & maskOf(bitwidth),
      };
    }
    case "range": {
      const [low, high = low] = word.text.split("->");
      const from = number(low!);
      const to = number(high!);
      return from === undefined || to === undefined
        ? undefined
        : { kind: "range", field: name, low: from, high: to };
    }
    case "other":
      return wrongValue(word, what, diagnostics);
  }
}

/** A ternary or range part that matches everything is left out, as P4Runtime wants it (spec 9.1.1). */
function isDontCare(match: Match, field: FieldInfo): boolean {
  if (match.kind === "ternary") return match.mask === 0n;
  if (match.kind === "lpm") return match.prefixLength === 0;
  return match.kind === "range" && match.low === 0n && match.high === maskOf(field.bitwidth);
}

function callOf(action: StfAction, info: ActionInfo, diagnostics: Diagnostics): ActionCall | undefined {
  const params: Record<string, bigint> = {};
  for (const arg of action.args) {
    const param = info.params.byName(arg.name.text);
    if (param === undefined) {
      diagnostics.error("P41253", arg.name.span, `action ${info.name} has no parameter \`${arg.name.text}\``);
      return undefined;
    }
    const value = fitting(
      readNumber(arg.value.text),
      param.bitwidth,
      arg.value,
      `parameter ${param.name}`,
      diagnostics,
    );
    if (value === undefined) return undefined;
    params[param.name] = value;
  }
  return { action: info.name, params };
}

function actionOf(table: TableInfo, action: StfAction, diagnostics: Diagnostics): ActionCall | undefined {
  const actions = [...table.actions.values()].map((use) => use.action);
  const info = findByName(actions, `action of table ${table.name}`, action.name, diagnostics);
  return info && callOf(action, info, diagnostics);
}

/** The table entry that `add` or `setdefault` means; undefined when something was reported. */
export function entryOf(
  command: StfCommand & { kind: "add" | "setDefault" },
  index: P4InfoIndex,
  diagnostics: Diagnostics,
): TableEntry | undefined {
  const table = findByName(index.tables.list, "table", command.table, diagnostics);
  const call = table && actionOf(table, command.action, diagnostics);
  if (table === undefined || call === undefined) return undefined;
  const action = { kind: "action" as const, ...call };
  if (command.kind === "setDefault") {
    return { kind: "tableEntry", table: table.name, match: [], priority: 0, action, isDefault: true };
  }
  const match: Match[] = [];
  for (const { field: word, value } of command.match satisfies StfMatch[]) {
    const field = findField(table, word, diagnostics);
    const part = field && matchOf(field, value, diagnostics);
    if (field === undefined || part === undefined) return undefined;
    if (!isDontCare(part, field)) match.push(part);
  }
  const priority = table.hasPriority ? PRIORITY_CEILING - (command.priority ?? 0) : 0;
  return { kind: "tableEntry", table: table.name, match, priority, action };
}
