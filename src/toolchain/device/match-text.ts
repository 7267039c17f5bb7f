/** Parts of table keys and other values of a program as text that the shell reads back. */
import type { FieldInfo, Slot } from "../program/index.js";
import type { Match } from "./device.js";
import type { Naming } from "./names.js";
import { formatValue, styleOfWidth, type ValueStyle } from "./values.js";

/** Names of fields that are MAC addresses when they have 48 bits, and headers whose 48 bits are. Other fields of 48 bits are mostly times. */
const MAC = /(src|dst|addr|address|mac|source|dest\w*|target|station|neighbou?r|[st]ha)$/i;
const WITH_MACS = /(^|[._])(eth|ethernet|arp|vlan)\w*\.\w+$/i;

/** Whether 48 bits of this name, of a field with its header or without, are a MAC address. */
export function isMacName(name: string): boolean {
  return MAC.test(name.split(".").at(-1) ?? name) || WITH_MACS.test(name);
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
