/** What the formatter writes of small texts, also of parts of programs, as an editor has them. A second time changes nothing. */
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { format } from "../../../src/toolchain/formatting/index.js";

/** The text, formatted; or the errors with their offsets. */
function formatted(text: string): unknown {
  const diagnostics = new Diagnostics();
  const result = format(new SourceFile("t.p4", text), diagnostics);
  return result ?? diagnostics.list.map(({ message, span }) => [message, span?.start]);
}

it.each([
  ["typedef bit<8>\ta;\ntypedef bit<16> bbbb;\n", "typedef bit<8>  a;\ntypedef bit<16> bbbb;\n"],
  ["apply {\n#define F(x) \\\n  x\ns();\n}", "apply {\n#define F(x) \\\n  x\n    s();\n}\n"],
  ["#else\nx();\n", "#else\nx();\n"],
  ["@pragma x y\nNAME\n#if A\nNAME\n#endif\n", "@pragma x y\nNAME\n#if A\nNAME\n#endif\n"],
  ["LOOP(i, {\na();\nb();\n})\n", "LOOP(i, {\n    a();\n    b();\n})\n"],
  ["enum e_t{};enum f_t{A};", "enum e_t { };\nenum f_t { A };\n"],
  ["const bit<8> NAME\n= 1;\n", "const bit<8> NAME\n    = 1;\n"],
  ["apply {\n/* x\n   y */\n{ x(); }\n}", "apply {\n    /* x\n       y */\n    { x(); }\n}\n"],
  ["apply {\nx = a\n\n+ b;\n}", "apply {\n    x = a\n\n        + b;\n}\n"],
  ["const t X = { a,\n\nb };", "const t X = { a,\n\n    b };\n"],
  ["y=a<b?x:x>>2;", "y = a < b ? x : x >> 2;\n"],
  ["(a);", "(a);\n"],
  ["register<bit<32>>(16)r;", "register<bit<32>>(16) r;\n"],
  ["x=y[a+:b];", "x = y[a+:b];\n"],
  ["tuple<bit<4>, // c\nbit<12>> t;", "tuple<bit<4>, // c\n    bit<12>> t;\n"],
  ["x=g<h>1;", "x = g < h > 1;\n"],
  ["return.x;", "return .x;\n"],
  ["f(a$b, a $ b, a \\ b);", "f(a$b, a $ b, a \\ b);\n"],
  [
    "const int A = 1; // a comment that goes on and on and on and on and on and on, beyond the limit of a line of code",
    "const int A = 1; // a comment that goes on and on and on and on and on and on, beyond the limit of a line of code\n",
  ],
  [
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa + bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb;\n",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n    + bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb;\n",
  ],
  [
    "x_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa &&& bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb: y;\n",
    "x_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa &&& bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb: y;\n",
  ],
  ["@pragma { a\n}", "@pragma { a\n}\n"],
  ["@x{a\n}\n", "@x { a\n}\n"],
  ["@name", "@name\n"],
  ["# define foo x\nfoo\nb();\n", "# define foo x\nfoo\nb();\n"],
  ["X(a)\n{ b(); }\nX(a)\n;\nX(a)\n+ b;\n", "X(a) { b(); }\nX(a)\n    ;\nX(a)\n    + b;\n"],
])("%j", (text, expected) => {
  expect(formatted(text)).toBe(expected);
  expect(formatted(expected)).toBe(expected);
});

describe("a text that cannot be formatted", () => {
  it.each([
    ["}\n", "this '}' closes nothing", 0],
    ["f(a];\n", "this ']' would close a '('", 3],
    ["f(\n#if A\n[a\n#else\n{a\n#endif\n]);", "this ']' would close a '{'", 28],
    ["f(a /* no end", "this comment has no end", 4],
  ])("%j", (text, message, offset) => {
    expect(formatted(text)).toEqual([[message, offset]]);
  });
});
