/** Values in statements: reads them, and converts them to parts of a key. */
import { fail, maskOf } from "../../base/index.js";
import { DeviceError, type Match, type Naming, parseValue } from "../device/index.js";
import type { FieldInfo, Slot } from "../program/index.js";
import { CODES } from "./codes.js";
import type { Word } from "./words.js";

/** A number of at most `bits` bits; `what` names it in the message. */
export function readValue(
  what: string,
  word: Word,
  bits: number,
  code: string = CODES.value,
  signed = false,
): bigint {
  const parsed = parseValue(word.text, bits, signed);
  if (!parsed.ok) fail(code, word.span, `${what}: ${parsed.message}`);
  return parsed.value;
}

/** Options for reading a value. */
export interface ValueForm {
  /** Translates names of values to numbers. */
  naming?: Naming | undefined;
  /** Of diagnostics; default P43204. */
  code?: string;
}

/** The value of a parameter or a field: a number, or a name where its type is translated to a string. */
export function readSlot(what: string, slot: Slot, word: Word, form: ValueForm = {}): bigint {
  const { naming, code = CODES.value } = form;
  if (!slot.isString) return readValue(what, word, slot.bitwidth, code, word.text.startsWith("-"));
  if (naming === undefined || slot.stringType === undefined)
    fail(CODES.unable, word.span, `${what} is a name, and the names of this switch are not known`);
  try {
    return naming.number(slot.stringType, word.text);
  } catch (error) {
    if (error instanceof DeviceError) fail(code, word.span, `${what}: ${error.message}`);
    throw error;
  }
}

/** A whole number from 0 (or `least`) to `most`. */
export function readInteger(what: string, word: Word, most = 0xffffffff, least = 0): number {
  const parsed = parseValue(word.text, 64);
  if (!parsed.ok || parsed.value > BigInt(most) || parsed.value < BigInt(least))
    fail(CODES.value, word.span, `${what} is \`${word.text}\`; give a number from ${least} to ${most}`);
  return Number(parsed.value);
}

/** The first `length` of `bits` bits. */
function prefixMask(length: number, bits: number): bigint {
  return maskOf(bits) ^ maskOf(bits - length);
}

export interface MatchForm extends ValueForm {
  /**
   * Lpm, ternary and range fields also take a plain value, of which all bits count. Ternary fields also take `v/length`.
   * `*` or `_` means a don't-care.
   */
  plain?: boolean;
}

/**
 * One part of a table key: `v`, `v/length`, `v&&&mask`, `low->high` (P4's own `low..high` too). Undefined for a
 * don't-care. Bits outside of a prefix or mask are cleared.
 */
export function readMatch(field: FieldInfo, word: Word, form: MatchForm = {}): Match | undefined {
  const { plain = false, code = CODES.value } = form;
  const { text, span } = word;
  const { name, kind, bitwidth: bits } = field;
  const what = `match field ${name}`;
  const value = (part: string, role = what): bigint => readSlot(role, field, { text: part, span }, form);
  const wrongForm = (wanted: string): never =>
    fail(code, span, `${what} is ${kind} and is written \`${wanted}\`, not \`${text}\``);
  const split = (by: RegExp): [string, string] | undefined => {
    const match = by.exec(text);
    return match === null
      ? undefined
      : [text.slice(0, match.index), text.slice(match.index + match[0].length)];
  };
  if (plain && (text === "*" || text === "_")) {
    if (kind === "exact") fail(code, span, `${what} is exact: it needs a value`);
    return undefined;
  }
  const isPlain = plain && split(/\/|&&&|->|\.\./) === undefined;
  switch (kind) {
    case "exact":
      return { kind, field: name, value: value(text) };
    case "lpm": {
      const parts = split(/\//) ?? (isPlain ? [text, String(bits)] : wrongForm("value/length"));
      if (!/^\d+$/.test(parts[1]) || Number(parts[1]) > bits)
        fail(code, span, `the prefix length of ${what} is \`${parts[1]}\`; it must be 0 to ${bits}`);
      const prefixLength = Number(parts[1]);
      const number = value(parts[0]);
      if (prefixLength === 0) return undefined;
      return { kind, field: name, value: number & prefixMask(prefixLength, bits), prefixLength };
    }
    case "ternary": {
      const prefix = plain ? split(/\//) : undefined;
      if (prefix !== undefined && /^\d+$/.test(prefix[1]) && Number(prefix[1]) <= bits) {
        const mask = prefixMask(Number(prefix[1]), bits);
        const number = value(prefix[0]) & mask;
        return mask === 0n ? undefined : { kind, field: name, value: number, mask };
      }
      if (isPlain) return { kind, field: name, value: value(text), mask: maskOf(bits) };
      const parts = split(/&&&/) ?? wrongForm("value&&&mask");
      const mask = value(parts[1], `the mask of ${what}`);
      const number = value(parts[0]) & mask;
      return mask === 0n ? undefined : { kind, field: name, value: number, mask };
    }
    case "optional": {
      const parts = split(/&&&/);
      if (parts === undefined) return { kind, field: name, value: value(text) };
      const mask = value(parts[1], `the mask of ${what}`);
      const number = value(parts[0]);
      if (mask === 0n) return undefined;
      if (mask !== maskOf(bits))
        fail(
          code,
          span,
          `the mask of ${what} is ${parts[1]}; the mask of an optional field has all bits or none`,
        );
      return { kind, field: name, value: number };
    }
    case "range": {
      if (isPlain) {
        const number = value(text);
        return { kind, field: name, low: number, high: number };
      }
      const parts = split(/->|\.\./) ?? wrongForm("low->high");
      const low = value(parts[0], `the low bound of ${what}`);
      const high = value(parts[1], `the high bound of ${what}`);
      if (low > high) fail(code, span, `the low bound of ${what} is above the high bound: ${text}`);
      return low === 0n && high === maskOf(bits) ? undefined : { kind, field: name, low, high };
    }
    case "other":
      fail(CODES.unable, span, `${what} has a target-specific kind of match, which cannot be written here`);
  }
}
