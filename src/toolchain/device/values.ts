/**
 * Values as people write them: integers, MAC, IPv4 and IPv6 addresses, checked against the width of what
 * they are for. Text in, unsigned number out, and back; parts of table keys as text that the shell reads back.
 */
import { defined, maskOf } from "../../base/index.js";
import { ipv4Text, ipv6Text, macText } from "../../base/packets/index.js";
import type { FieldInfo, Slot } from "../program/index.js";
import type { Match } from "./device.js";
import type { Naming } from "./names.js";

/** What a text means, or what is wrong with it: a sentence that names the text and what would be right. */
export type ParsedValue =
  | { readonly ok: true; readonly value: bigint }
  | { readonly ok: false; readonly message: string };

/** How a value is written. */
export type ValueStyle = "decimal" | "hex" | "mac" | "ipv4" | "ipv6";

const DIGITS =
  /^(?:0[xX][0-9a-fA-F](?:_?[0-9a-fA-F])*|0[bB][01](?:_?[01])*|0[oO][0-7](?:_?[0-7])*|\d(?:_?\d)*)$/;
const MAC = /^[0-9a-fA-F]{1,2}(?:([:-])[0-9a-fA-F]{1,2})(?:\1[0-9a-fA-F]{1,2}){4}$/;
const IPV4 = /^(?:0|[1-9]\d{0,2})(?:\.(?:0|[1-9]\d{0,2})){3}$/;
const GROUP = /^[0-9a-fA-F]{1,4}$/;

const plural = (bits: number): string => `${bits} bit${bits === 1 ? "" : "s"}`;

const mistake = (message: string): ParsedValue => ({ ok: false, message });

/**
 * Reads an unsigned value of `bits` bits: decimal, `0x`, `0b` or `0o` digits (with `_` between them), a MAC
 * address (`:` or `-`), a dotted IPv4 address, an IPv6 address (RFC 4291, section 2.2), `true` and `false` for
 * one bit. With `signed` also negative integers, which become their two's complement. A value that does not
 * fit is a mistake, never cut; so is an address that has more bits than there are.
 */
export function parseValue(text: string, bits: number, signed = false): ParsedValue {
  if (bits === 1 && (text === "true" || text === "false")) {
    return { ok: true, value: text === "true" ? 1n : 0n };
  }
  if (DIGITS.test(text)) {
    const value = BigInt(text.replaceAll("_", ""));
    const limit = signed ? bits - 1 : bits;
    if (value >> BigInt(limit) === 0n) return { ok: true, value };
    return mistake(`${text} does not fit ${range(bits, signed)}`);
  }
  if (text.startsWith("-") && DIGITS.test(text.slice(1))) {
    const value = -BigInt(text.slice(1).replaceAll("_", ""));
    if (!signed) return mistake(`${text} is negative; the value is unsigned, ${range(bits, false)}`);
    if (BigInt.asIntN(bits, value) !== value) return mistake(`${text} does not fit ${range(bits, true)}`);
    return { ok: true, value: BigInt.asUintN(bits, value) };
  }
  if (MAC.test(text)) return address("a MAC address", 48, parseMac(text), text, bits);
  if (IPV4.test(text)) return address("an IPv4 address", 32, parseIpv4(text), text, bits);
  if (text.includes(":") && bits === 48) {
    return mistake(`${JSON.stringify(text)} is not a MAC address: give six bytes, such as 08:00:00:00:01:11`);
  }
  if (text.includes(":")) return address("an IPv6 address", 128, parseIpv6(text), text, bits);
  return mistake(`${JSON.stringify(text)} is no value; give an integer, a MAC address or an IP address`);
}

function range(bits: number, signed: boolean): string {
  if (signed) return `${plural(bits)} (-${1n << BigInt(bits - 1)} to ${maskOf(bits - 1)})`;
  return `${plural(bits)} (0 to ${bits > 64 ? `2^${bits} - 1` : maskOf(bits)})`;
}

function address(
  kind: string,
  width: number,
  value: bigint | undefined,
  text: string,
  bits: number,
): ParsedValue {
  if (value === undefined) return mistake(`${JSON.stringify(text)} is not ${kind}`);
  if (bits < width) return mistake(`${text} is ${kind} of ${width} bits; there are only ${bits}`);
  return { ok: true, value };
}

function parseMac(text: string): bigint {
  return text.split(/[:-]/).reduce((sum, part) => (sum << 8n) | BigInt(`0x${part}`), 0n);
}

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split(".").map(Number);
  if (parts.length !== 4 || parts.some((part) => part > 255)) return undefined;
  return BigInt(parts.reduce((sum, part) => sum * 256 + part, 0));
}

function parseIpv6(text: string): bigint | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const lists = halves.map((half) => (half === "" ? [] : half.split(":")));
  // the last 32 bits may be written as an IPv4 address
  const last = defined(lists.at(-1));
  if (IPV4.test(last.at(-1) ?? "")) {
    const low = parseIpv4(defined(last.pop()));
    if (low === undefined) return undefined;
    last.push((low >> 16n).toString(16), (low & 0xffffn).toString(16));
  }
  const missing = 8 - lists.reduce((sum, list) => sum + list.length, 0);
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups =
    halves.length === 1 ? last : [...defined(lists[0]), ...Array<string>(missing).fill("0"), ...last];
  if (!groups.every((group) => GROUP.test(group))) return undefined;
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}

/** How values of this width are best read when nothing else is known about them. */
export function styleOfWidth(bits: number): ValueStyle {
  if (bits === 48) return "mac";
  if (bits === 128) return "ipv6";
  return bits <= 16 ? "decimal" : "hex";
}

/**
 * Writes an unsigned value of `bits` bits so that {@link parseValue} reads it again: hex with all digits of
 * the width, IPv6 as RFC 5952 recommends. Throws a RangeError for a value that has more bits than the width
 * or the style.
 */
export function formatValue(value: bigint, bits: number, style: ValueStyle = styleOfWidth(bits)): string {
  const width = Math.min(bits, STYLE_BITS[style] ?? bits);
  if (value < 0n || value >> BigInt(width) !== 0n) {
    throw new RangeError(`${value} does not fit ${plural(width)}`);
  }
  switch (style) {
    case "decimal":
      return value.toString();
    case "hex":
      return `0x${value.toString(16).padStart(Math.ceil(bits / 4), "0")}`;
    case "mac":
      return macText(value);
    case "ipv4":
      return ipv4Text(value);
    case "ipv6":
      return ipv6Text(value);
  }
}

const STYLE_BITS: Readonly<Partial<Record<ValueStyle, number>>> = { mac: 48, ipv4: 32, ipv6: 128 };

/** Names of fields that are MAC addresses when they have 48 bits, and headers whose 48 bits are. Other fields of 48 bits are mostly times. */
const MAC_NAME = /(src|dst|addr|address|mac|source|dest\w*|target|station|neighbou?r|[st]ha)$/i;
const WITH_MACS = /(^|[._])(eth|ethernet|arp|vlan)\w*\.\w+$/i;

/** Whether 48 bits of this name, of a field with its header or without, are a MAC address. */
export function isMacName(name: string): boolean {
  return MAC_NAME.test(name.split(".").at(-1) ?? name) || WITH_MACS.test(name);
}

/** How the value of a slot is best read: addresses are known by width and name. */
function styleOf({ name, bitwidth }: Slot): ValueStyle {
  if (bitwidth === 32 && /ip|addr|hop/i.test(name)) return "ipv4";
  if (bitwidth === 48) return isMacName(name) ? "mac" : "decimal";
  return styleOfWidth(bitwidth);
}

/** A value as it would be written; masks and odd values in hexadecimal where addresses would mislead. */
export function valueText(naming: Naming | undefined, slot: Slot, value: bigint): string {
  if (slot.isString && slot.stringType !== undefined && naming !== undefined)
    return naming.name(slot.stringType, value);
  if (value >> BigInt(slot.bitwidth) !== 0n) return value.toString();
  return formatValue(value, slot.bitwidth, styleOf(slot));
}

/** What a field is matched with: `v`, `v/length`, `v&&&mask` or `low->high`. */
export function matchText(naming: Naming | undefined, field: FieldInfo, match: Match): string {
  const value = (number: bigint): string => valueText(naming, field, number);
  switch (match.kind) {
    case "exact":
    case "optional":
      return value(match.value);
    case "lpm":
      return `${value(match.value)}/${match.prefixLength}`;
    case "ternary":
      return `${value(match.value)}&&&${formatValue(match.mask, field.bitwidth, maskStyle(field))}`;
    case "range":
      return `${value(match.low)}->${value(match.high)}`;
  }
}

/** IPv4 masks are written like addresses, all others in hexadecimal. */
function maskStyle(field: FieldInfo): ValueStyle {
  return styleOf(field) === "ipv4" ? "ipv4" : "hex";
}
