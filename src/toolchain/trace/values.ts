/** Values of a trace in the notation that people use. */
import { ipv4Text, ipv6Text, macText } from "../../base/packets/index.js";
import { isMacName } from "../device/index.js";

/** Names of fields that are addresses when they have 32 bits, and names of fields that are codes, not amounts. */
const ADDRESS = /(src|dst|addr|address|ip|gateway|target|source|dest\w*)$/i;
const CODE = /(type|sum|flags|mask|cookie|magic|hash|id)$/i;

/** @param name name of the field, which decides what 32 and 48 bits mean */
export function valueText(name: string, value: string): string {
  const digits = value.slice(2);
  const last = name.split(".").at(-1) ?? name;
  if (digits.length === 12 && isMacName(name)) return macText(BigInt(value));
  // 48 bits are exact as a number.
  if (digits.length === 12 && !CODE.test(last)) return String(Number(value));
  if (digits.length === 32) return ipv6Text(BigInt(value));
  if (digits.length === 8 && ADDRESS.test(last)) return ipv4Text(BigInt(value));
  if (digits.length <= 8 && digits !== "" && !CODE.test(last)) return String(Number(value));
  const short = digits.replace(/^0+(?=.)/, "");
  return Number(value) < 10 && digits.length <= 2 ? short : `0x${digits.length <= 4 ? digits : short}`;
}

export function bytesText(size: number): string {
  return `${size} byte${size === 1 ? "" : "s"}`;
}

/** A time in microseconds, in a suitable unit. */
export function timeText(us: number): string {
  if (us < 1000) return `${us} µs`;
  return us < 1e6 ? `${Number((us / 1000).toFixed(3))} ms` : `${Number((us / 1e6).toFixed(6))} s`;
}
