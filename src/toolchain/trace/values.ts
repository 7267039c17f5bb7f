/** Values of a trace in the notation that people use. */
import { isMacName } from "../device/index.js";

/** Names of fields that are addresses when they have 32 bits, and names of fields that are codes, not amounts. */
const ADDRESS = /(src|dst|addr|address|ip|gateway|target|source|dest\w*)$/i;
const CODE = /(type|sum|flags|mask|cookie|magic|hash|id)$/i;

/** @param name name of the field, which decides what 32 and 48 bits mean */
export function valueText(name: string, value: string): string {
  const digits = value.slice(2);
  const last = name.split(".").at(-1) ?? name;
  if (digits.length === 12 && isMacName(name)) return (digits.match(/../g) ?? []).join(":");
  // 48 bits are exact as a number.
  if (digits.length === 12 && !CODE.test(last)) return String(Number(value));
  if (digits.length === 32) return ipv6Text(digits);
  if (digits.length === 8 && ADDRESS.test(last)) return ipv4Text(digits);
  if (digits.length <= 8 && digits !== "" && !CODE.test(last)) return String(Number(value));
  const short = digits.replace(/^0+(?=.)/, "");
  return Number(value) < 10 && digits.length <= 2 ? short : `0x${digits.length <= 4 ? digits : short}`;
}

function ipv4Text(digits: string): string {
  return (digits.match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).join(".");
}

/** RFC 5952: the longest run of two or more zero groups becomes `::`. */
function ipv6Text(digits: string): string {
  const groups = (digits.match(/..../g) ?? []).map((group) => group.replace(/^0+(?=.)/, ""));
  let start = -1;
  let length = 1;
  for (let i = 0; i < groups.length; i++) {
    let end = i;
    while (groups[end] === "0") end++;
    if (end - i > length) {
      start = i;
      length = end - i;
    }
  }
  if (start < 0) return groups.join(":");
  return `${groups.slice(0, start).join(":")}::${groups.slice(start + length).join(":")}`;
}

export function bytesText(size: number): string {
  return `${size} byte${size === 1 ? "" : "s"}`;
}

/** A time in microseconds, in a suitable unit. */
export function timeText(us: number): string {
  if (us < 1000) return `${us} µs`;
  return us < 1e6 ? `${Number((us / 1000).toFixed(3))} ms` : `${Number((us / 1e6).toFixed(6))} s`;
}
