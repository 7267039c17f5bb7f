/** Moving bit fields between PHV words and big-endian byte strings at positions known at load time. */
import { wordsOf } from "./layout.js";

/** Words, low first and zero above `width`, as one part of a bit string. */
export interface BitPart {
  readonly words: readonly string[];
  readonly width: number;
}

/** Bits low..low+count-1 of a value (count at most 32), with garbage above them when `dirty` is allowed. */
function slice(part: BitPart, low: number, count: number, dirty: boolean): string {
  const index = low >>> 5;
  const shift = low & 31;
  const first = part.words[index]!;
  let text = shift === 0 ? first : `${first} >>> ${shift}`;
  if (shift + count > 32) text = `(${text}) | (${part.words[index + 1]} << ${32 - shift})`;
  // Nothing is above the top of the value, nor above the bits of a word that `>>>` brings to its top.
  if (dirty || count === 32 || low + count === part.width || shift + count === 32)
    return text === first ? first : `(${text})`;
  return `((${text}) & ${count === 31 ? 0x7fffffff : (1 << count) - 1})`;
}

/**
 * Bits start..start+count-1 (from the front, count at most 32) of the joined parts; the last bit is the lowest. Zeros follow
 * after the end. With `cut`, the caller cuts the expression to `count` bits itself.
 */
export function chunk(parts: readonly BitPart[], start: number, count: number, cut: boolean): string {
  const texts: string[] = [];
  let at = 0;
  for (const part of parts) {
    const from = Math.max(start, at);
    const to = Math.min(start + count, at + part.width);
    if (from < to) {
      const low = at + part.width - to;
      const up = start + count - to;
      const text = slice(part, low, to - from, cut && from === start);
      texts.push(up === 0 || text === "0" ? text : `(${text} << ${up})`);
    }
    at += part.width;
  }
  const used = texts.filter((text) => text !== "0");
  return used.length === 0 ? "0" : used.length === 1 ? used[0]! : `(${used.join(" | ")})`;
}

export function totalBits(parts: readonly BitPart[]): number {
  return parts.reduce((sum, part) => sum + part.width, 0);
}

/** `bytes[base + offset]` with the offset folded in. */
export function byteAt(bytes: string, base: string, offset: number): string {
  return offset === 0 ? `${bytes}[${base}]` : `${bytes}[${base} + ${offset}]`;
}

/** Words (low first, zero above) of the `width` bits that start `bit` bits after `bytes[base]`. */
export function load(bytes: string, base: string, bit: number, width: number): string[] {
  return Array.from({ length: wordsOf(width) }, (_, i) => {
    const end = bit + width - 32 * i;
    const count = Math.min(32, width - 32 * i);
    const start = end - count;
    const parts: string[] = [];
    for (let byte = start >> 3; byte <= (end - 1) >> 3; byte++) {
      const shift = end - 8 * (byte + 1);
      const inside = Math.min(8, 8 * (byte + 1) - start);
      const text = byteAt(bytes, base, byte);
      const masked = inside < 8 ? `(${text} & ${(1 << inside) - 1})` : text;
      parts.push(shift === 0 ? masked : shift > 0 ? `${masked} << ${shift}` : `${masked} >>> ${-shift}`);
    }
    return parts.length === 1 ? parts[0]! : `(${parts.join(" | ")})`;
  });
}
