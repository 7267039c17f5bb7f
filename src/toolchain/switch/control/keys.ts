/** Checks match keys of the control plane (P4Runtime spec 9.1.1) and converts them to words. */
import { bitLength, maskOf } from "../../../base/index.js";
import { DeviceError, type Match, type StatusCode } from "../../device/index.js";
import { type EntryKey, type KeyField, type KeyShape, prefixMask, putWords } from "../tables/shape.js";

/** Ends an update with an error status; the state has not changed. */
export function refuse(code: StatusCode, message: string): never {
  throw new DeviceError(code, message);
}

export function checkWidth(what: string, value: bigint, width: number): void {
  if (value < 0n || bitLength(value) > width)
    refuse(
      "INVALID_ARGUMENT",
      `${what} is ${value}, which does not fit in ${width} bit${width === 1 ? "" : "s"}`,
    );
}

/** Checks a prefix match and returns its mask. */
export function checkPrefix(what: string, value: bigint, length: number, width: number): bigint {
  checkWidth(what, value, width);
  if (!Number.isInteger(length) || length < 0 || length > width)
    refuse("INVALID_ARGUMENT", `${what} has a prefix of ${length} bits; possible are 0 to ${width}`);
  const mask = prefixMask(length, width);
  if ((value & mask) !== value)
    refuse("INVALID_ARGUMENT", `${what} is ${value} with bits beyond its prefix of ${length}`);
  return mask;
}

export function checkMasked(what: string, value: bigint, mask: bigint, width: number): void {
  checkWidth(what, value, width);
  checkWidth(`the mask of ${what}`, mask, width);
  if ((value & mask) !== value)
    refuse("INVALID_ARGUMENT", `${what} is ${value} with bits outside of its mask ${mask}`);
}

export function checkBounds(what: string, low: bigint, high: bigint, width: number): void {
  checkWidth(`the low bound of ${what}`, low, width);
  checkWidth(`the high bound of ${what}`, high, width);
  if (low > high)
    refuse("INVALID_ARGUMENT", `${what} goes from ${low} to ${high}: the low bound is above the high one`);
}

/** A key in words, and a text that is equal for equal keys. */
export interface Key {
  readonly words: EntryKey;
  readonly name: string;
  /** The parts that do not match everything, in the order of the key. */
  readonly match: readonly Match[];
}

/**
 * @param fieldNames names that the control plane uses, in the order of the shape's fields
 * @param priority 0 where the key has no ternary, range or optional field
 */
export function readKey(
  table: string,
  shape: KeyShape,
  fieldNames: readonly string[],
  match: readonly Match[],
  priority: number,
): Key {
  const given = new Map<string, Match>();
  for (const part of match) {
    if (!fieldNames.includes(part.field) && !shape.fields.some((field) => field.name === part.field))
      refuse(
        "NOT_FOUND",
        `table ${table} has no match field ${part.field}; it has ${fieldNames.join(", ") || "none"}`,
      );
    if (given.has(part.field))
      refuse("INVALID_ARGUMENT", `match field ${part.field} of table ${table} is given twice`);
    given.set(part.field, part);
  }
  const words = {
    values: new Int32Array(shape.words),
    masks: new Int32Array(shape.words),
    lows: new Int32Array(shape.words),
    highs: new Int32Array(shape.words),
    prefix: 0,
    priority,
  };
  const names: string[] = [];
  const kept: Match[] = [];
  shape.fields.forEach((field, i) => {
    const part = given.get(fieldNames[i]!) ?? given.get(field.name);
    const what = `match field ${fieldNames[i]} of table ${table}`;
    names.push(readPart(what, field, part, words));
    if (part !== undefined && names.at(-1) !== "") kept.push({ ...part, field: fieldNames[i]! });
  });
  return { words, name: `${names.join("|")}#${priority}`, match: kept };
}

function readPart(
  what: string,
  field: KeyField,
  part: Match | undefined,
  words: EntryKey & { prefix: number },
): string {
  const { width } = field;
  if (part === undefined) {
    if (field.kind === "exact")
      refuse("INVALID_ARGUMENT", `${what} is missing, and an exact field cannot be left out`);
    if (field.kind === "range") putWords(words.highs, field, maskOf(width));
    return "";
  }
  if (part.kind !== field.kind)
    refuse("INVALID_ARGUMENT", `${what} is ${field.kind}, the entry gives ${part.kind}`);
  switch (part.kind) {
    case "exact":
    case "optional":
      checkWidth(what, part.value, width);
      putWords(words.values, field, part.value);
      putWords(words.masks, field, maskOf(width));
      return part.value.toString(16);
    case "lpm": {
      const length = part.prefixLength;
      const mask = checkPrefix(what, part.value, length, width);
      putWords(words.values, field, part.value);
      putWords(words.masks, field, mask);
      words.prefix = length;
      return length === 0 ? "" : `${part.value.toString(16)}/${length}`;
    }
    case "ternary":
      checkMasked(what, part.value, part.mask, width);
      putWords(words.values, field, part.value);
      putWords(words.masks, field, part.mask);
      return part.mask === 0n ? "" : `${part.value.toString(16)}&${part.mask.toString(16)}`;
    case "range": {
      checkBounds(what, part.low, part.high, width);
      putWords(words.lows, field, part.low);
      putWords(words.highs, field, part.high);
      // The high bits that both bounds share limit the search.
      const shared = prefixMask(width - bitLength(part.low ^ part.high), width);
      putWords(words.values, field, part.low & shared);
      putWords(words.masks, field, shared);
      return part.low === 0n && part.high === maskOf(width)
        ? ""
        : `${part.low.toString(16)}-${part.high.toString(16)}`;
    }
  }
}
