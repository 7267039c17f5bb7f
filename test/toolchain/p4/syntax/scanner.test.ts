import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile, spanText } from "../../../../src/base/index.js";
import { Scanner } from "../../../../src/toolchain/p4/syntax/scanner.js";
import type { Token } from "../../../../src/toolchain/p4/syntax/token.js";

function scan(text: string, diagnostics = new Diagnostics()): Token[] {
  const scanner = new Scanner(new SourceFile("t.p4", text), diagnostics);
  const tokens: Token[] = [];
  for (let token = scanner.next(); token.kind !== "end"; token = scanner.next()) tokens.push(token);
  return tokens;
}

const kinds = (text: string) => scan(text).map((token) => token.kind);

describe("scanner", () => {
  it("takes the longest operator", () => {
    const operators =
      "|+|= |-|= <<= >>= &&& ... |+| |-| {#} .. << && || == != >= <= ++ += -= *= /= %= &= |= ^= +:".split(
        " ",
      );
    expect(kinds(operators.join(" "))).toEqual(operators);
    expect(kinds("a|+|b")).toEqual(["identifier", "|+|", "identifier"]);
    expect(kinds("a&&&b")).toEqual(["identifier", "&&&", "identifier"]);
    expect(kinds("{ # }")).toEqual(["{", "#", "}"]);
  });

  it("leaves >> as two tokens, for type arguments", () => {
    expect(kinds("g<g<T>>")).toEqual(["identifier", "<", "identifier", "<", "identifier", ">", ">"]);
  });

  it("knows keywords from names and strings from the type string", () => {
    expect(kinds('string "string" stringer _ _x apply')).toEqual([
      "string",
      "stringLiteral",
      "identifier",
      "_",
      "identifier",
      "apply",
    ]);
  });

  it("keeps numbers with their width and base as one token", () => {
    const numbers = ["0", "1_000", "0xFF_ff", "0b1010", "0o17", "0d9", "8w0xFF", "4s7", "16w0b1_1"];
    expect(scan(numbers.join(" ")).map(({ kind, text }) => [kind, text])).toEqual(
      numbers.map((text) => ["integer", text]),
    );
    expect(kinds("1..2")).toEqual(["integer", "..", "integer"]);
  });

  it("keeps strings as written, over lines and with escaped quotes", () => {
    expect(scan('"a \\" b"')[0]!.text).toBe('a \\" b');
    expect(scan('"two\nlines" x').map(({ text }) => text)).toEqual(["two\nlines", "x"]);
    expect(scan('"joined \\\nline"')[0]!.text).toBe("joined line");
    expect(scan('"ends in backslash \\\\" x')).toHaveLength(2);
  });

  it("joins lines that end in a backslash", () => {
    const tokens = scan("ab\\\ncd 12\\\r\n34 // comment \\\n still comment\nx");
    expect(tokens.map(({ kind, text }) => [kind, text])).toEqual([
      ["identifier", "abcd"],
      ["integer", "1234"],
      ["identifier", "x"],
    ]);
    expect(spanText(tokens[0]!)).toBe("ab\\\ncd");
  });

  it("joins lines where spaces follow the backslash, as cpp does", () => {
    expect(scan("#define A b \\ \t\n c\nd").map(({ text, newline }) => [text, newline])).toEqual([
      ["#", true],
      ["define", false],
      ["A", false],
      ["b", false],
      ["c", false],
      ["d", true],
    ]);
    expect(scan("a // b \\  \nc\nd").map(({ text }) => text)).toEqual(["a", "d"]);
  });

  it("flags the first token of a line, not the one behind a comment of several lines", () => {
    const flags = scan("a b\n c /* \n */ d\n/* */ e").map(({ text, newline }) => [text, newline]);
    expect(flags).toEqual([
      ["a", true],
      ["b", false],
      ["c", true],
      ["d", false],
      ["e", true],
    ]);
  });

  it("gives every token the place of its text", () => {
    const text = "\uFEFFheader  h_t\t{ bit<8> a;/*c*/ } // end";
    for (const token of scan(text)) expect(spanText(token)).toBe(token.text);
  });

  it("reports what never ends, once, and continues after it", () => {
    const diagnostics = new Diagnostics();
    expect(scan('"open\nx', diagnostics).map(({ text }) => text)).toEqual(["open", "x"]);
    expect(scan("x /* open", diagnostics)).toHaveLength(1);
    expect(diagnostics.list.map(({ code }) => code)).toEqual(["P40102", "P40101"]);
  });
});
