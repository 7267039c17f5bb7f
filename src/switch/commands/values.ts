/** Values as simple_switch_CLI writes them: numbers, MAC and IP addresses, and what a key field makes of them. */
import { bitLength, fail, maskOf, type Span } from "../../base/index.js";
import type { Match } from "../../program/index.js";
import type { KeyField } from "../tables/shape.js";

/** One word of a command and where it stands. */
export interface Word {
  readonly text: string;
  readonly span: Span;
}

/** Error codes of the command language. */
export const CODES = { command: "P41110", argument: "P41111", refused: "P41112" } as const;

function ipv6(text: string): bigint | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const groups = halves.map((half) => (half === "" ? [] : half.split(":")));
  const missing = 8 - groups.reduce((sum, list) => sum + list.length, 0);
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const all =
    halves.length === 1 ? groups[0]! : [...groups[0]!, ...Array<string>(missing).fill("0"), ...groups[1]!];
  let value = 0n;
  for (const group of all) {
    if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined;
    value = (value << 16n) | BigInt(`0x${group}`);
  }
  return value;
}

function plainValue(text: string): bigint | undefined {
  if (/^(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)$/.test(text)) return BigInt(text);
  if (text === "true") return 1n;
  if (text === "false") return 0n;
  if (/^[0-9a-fA-F]{1,2}(:[0-9a-fA-F]{1,2}){5}$/.test(text))
    return text.split(":").reduce((sum, part) => (sum << 8n) | BigInt(`0x${part}`), 0n);
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) {
    const parts = text.split(".").map(Number);
    return parts.some((part) => part > 255)
      ? undefined
      : parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  }
  return text.includes(":") ? ipv6(text) : undefined;
}

/** A number of at most `width` bits. */
export function readValue(what: string, text: string, width: number, span: Span): bigint {
  const value = plainValue(text);
  if (value === undefined)
    fail(CODES.argument, span, `${what} is \`${text}\`; give a number, a MAC address or an IP address`);
  if (bitLength(value) > width)
    fail(
      CODES.argument,
      span,
      `${what} is ${text}, which does not fit in ${width} bit${width === 1 ? "" : "s"}`,
    );
  return value;
}

export function readInteger(what: string, word: Word, max = 0xffffffff): number {
  const value = plainValue(word.text);
  if (value === undefined || value > BigInt(max))
    fail(CODES.argument, word.span, `${what} is \`${word.text}\`; give a number from 0 to ${max}`);
  return Number(value);
}

/** One part of a table key: `v`, `v/length`, `v&&&mask`, `low->high`. Undefined for a don't-care. */
export function readMatch(field: KeyField, name: string, word: Word): Match | undefined {
  const { text, span } = word;
  const { width } = field;
  const what = `match field ${name}`;
  const split = (by: string, form: string): [string, string] => {
    const at = text.indexOf(by);
    if (at < 0)
      fail(CODES.argument, span, `${what} is ${field.kind} and is written \`${form}\`, not \`${text}\``);
    return [text.slice(0, at), text.slice(at + by.length)];
  };
  switch (field.kind) {
    case "exact":
      return { kind: "exact", field: name, value: readValue(what, text, width, span) };
    case "lpm": {
      const [value, length] = split("/", "value/length");
      if (!/^\d+$/.test(length) || Number(length) > width)
        fail(
          CODES.argument,
          span,
          `the prefix length of ${what} is \`${length}\`; possible are 0 to ${width}`,
        );
      const prefixLength = Number(length);
      const mask = maskOf(width) ^ maskOf(width - prefixLength);
      return { kind: "lpm", field: name, value: readValue(what, value, width, span) & mask, prefixLength };
    }
    case "ternary":
    case "optional": {
      const [value, mask] = split("&&&", "value&&&mask");
      const bits = readValue(`the mask of ${what}`, mask, width, span);
      const number = readValue(what, value, width, span) & bits;
      if (field.kind === "ternary") return { kind: "ternary", field: name, value: number, mask: bits };
      if (bits === 0n) return undefined;
      if (bits !== maskOf(width))
        fail(CODES.argument, span, `the mask of ${what} is ${mask}; an optional field has all bits or none`);
      return { kind: "optional", field: name, value: number };
    }
    case "range": {
      const [low, high] = split("->", "low->high");
      return {
        kind: "range",
        field: name,
        low: readValue(`the low bound of ${what}`, low, width, span),
        high: readValue(`the high bound of ${what}`, high, width, span),
      };
    }
  }
}
