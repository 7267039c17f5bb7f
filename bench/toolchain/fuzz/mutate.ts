/** Mutates a text by bytes, tokens or lines, similar to typical errors in programs. */
import type { Random } from "../../../src/base/index.js";

const interesting = [
  ..."0 1 255 4294967296 8w0 8w255 1w1 4s7 0xFFFFFFFFFFFFFFFFFFFF -1 128s1 2048w1 99999999999999999999999999".split(
    " ",
  ),
  ...'_ ... {#} default this error . .x .. &&& ++ |+| << >> < > ( ) { } [ ] ; : , = == ? @ @name("x") #'.split(
    " ",
  ),
  ..."if else for switch return exit break continue const in out inout bit<8> int int<8> varbit<8> bool void".split(
    " ",
  ),
  ..."tuple<> list<bit<8>> string match_kind header_union H M hdr meta std packet_in accept reject NoAction".split(
    " ",
  ),
  ..."isValid() setValid() apply() next last lastIndex push_front(1) pop_front(1) minSizeInBits() hit action_run".split(
    " ",
  ),
  "#define A A A",
  "#if 0",
  "#endif",
  "/*",
  "//",
  '"',
  "\\\n",
  "\u0000",
  "\uD800",
  "é",
];

/** @param others texts to take pieces from */
export function mutate(text: string, random: Random, others: readonly string[]): string {
  for (let changes = 1 + random.int(4); changes > 0; changes--) text = change(text, random, others);
  return text.slice(0, 100_000);
}

function change(text: string, random: Random, others: readonly string[]): string {
  const splice = (start: number, end: number, piece: string) =>
    text.slice(0, start) + piece + text.slice(end);
  const at = random.int(text.length + 1);
  const length = Math.min(1 + random.int(random.int(4) === 0 ? 200 : 8), text.length - at);
  const token = tokenAt(text, at);
  switch (random.int(11)) {
    case 0:
      return splice(at, at + length, "");
    case 1:
      return splice(at, at, String.fromCharCode(random.int(random.int(8) === 0 ? 65536 : 128)));
    case 2:
      return splice(at, at, random.pick(interesting));
    case 3:
      return splice(token.start, token.end, random.pick(interesting));
    case 4:
      return splice(token.start, token.end, "");
    case 5: {
      // Another token of the same text.
      const other = tokenAt(text, random.int(text.length + 1));
      return splice(token.start, token.end, text.slice(other.start, other.end));
    }
    case 6: {
      const other = random.pick(others);
      const from = random.int(other.length + 1);
      return splice(at, at, other.slice(from, from + random.int(300)));
    }
    case 7: {
      const { start, end } = lineAt(text, at);
      return splice(start, end, "");
    }
    case 8: {
      const { start, end } = lineAt(text, at);
      const target = lineAt(text, random.int(text.length + 1)).start;
      return text.slice(0, target) + text.slice(start, end) + text.slice(target);
    }
    case 9:
      // Deep or long constructs.
      return splice(at, at, text.slice(at, at + length).repeat(random.int(random.int(20) === 0 ? 2000 : 20)));
    default: {
      const other = lineAt(text, random.int(text.length + 1));
      const piece = text.slice(other.start, other.end);
      return splice(token.start, token.end, piece.trim());
    }
  }
}

function tokenAt(text: string, at: number): { start: number; end: number } {
  const pattern = /[A-Za-z_]\w*|\d\w*|"[^"\n]*"|[^\s\w]/g;
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  return match === null ? { start: at, end: at } : { start: match.index, end: match.index + match[0].length };
}

function lineAt(text: string, at: number): { start: number; end: number } {
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const next = text.indexOf("\n", at);
  return { start, end: next < 0 ? text.length : next + 1 };
}
