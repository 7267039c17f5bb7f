/** What the formatter writes at the edges of its rules. A second time changes nothing. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { meaningOf } from "../../../src/toolchain/formatting/elements.js";
import { format } from "../../../src/toolchain/formatting/index.js";

const formatted = (text: string): string | undefined =>
  format(new SourceFile("t.p4", text), new Diagnostics());

const cases: Record<string, [string, string]> = {
  "branches of an #if that open a brace each, on one line with its end": [
    "apply {\n#if A\nif (a) {\n#else\nif (b) {\n#endif\nx(); } y(); z(); }\n",
    "apply {\n#if A\n    if (a) {\n#else\n    if (b) {\n#endif\n        x();\n    }\n    y();\n    z();\n}\n",
  ],
  "a loop's head without braces behind it stays in a block on one line": [
    "apply { for (bit<8> i = 0; i < 3; i = i + 1) a(); }",
    "apply { for (bit<8> i = 0; i < 3; i = i + 1) a(); }\n",
  ],
  "no column of a statement with a comment of several lines": [
    "apply {\n    a   = 1;\n    bb = 2; /* x\n    y */\n}\n",
    "apply {\n    a = 1;\n    bb = 2; /* x\n    y */\n}\n",
  ],
  "columns across annotations": [
    'header h_t {\n    bit<8>  a;\n    @name("x")\n    bit<16> b;\n    @x\n    bit<16> c;\n}\n',
    'header h_t {\n    bit<8>  a;\n    @name("x")\n    bit<16> b;\n    @x\n    bit<16> c;\n}\n',
  ],
  "an empty line in a comment": [
    "apply {\n/* a\n\n   b */\nx();\n}\n",
    "apply {\n    /* a\n\n       b */\n    x();\n}\n",
  ],
  "a statement behind its condition goes on below it": [
    "apply {\n    if (a) x = 1 +\n  2;\n}\n",
    "apply {\n    if (a) x = 1 +\n        2;\n}\n",
  ],
  "a declaration behind an annotation goes on below it": [
    "@hidden const int A =\n1;\n",
    "@hidden const int A =\n    1;\n",
  ],
  "a name alone": ["x", "x\n"],
  "a macro's call alone": ["COUNT(1)", "COUNT(1)\n"],
  "a name and a semicolon alone": ["x;", "x;\n"],
  "what ends a block and stands on the next line": [
    "struct s_t { bit<8> a; bit<8> b; }\n;\nf({ a; }\n, { b; }\n);\nf({ a; }\nb);\nf({ a; } b);\n",
    "struct s_t {\n    bit<8> a;\n    bit<8> b;\n};\nf({ a; }, { b; });\nf({ a; }\n  b);\nf({ a; } b);\n",
  ],
  "a comment below a condition without braces": [
    "apply {\nif (a)\n// why\nb();\n}\n",
    "apply {\n    if (a)\n        // why\n        b();\n}\n",
  ],
  "comments at signs and members": [
    "apply { f(a /* c */ .b, - /* d */ 1); }",
    "apply {\n    f(a /* c */ .b, - /* d */ 1);\n}\n",
  ],
  "space before what ends a call is no column": [
    "apply {\n    a(b  );\n    ccc(d);\n    e = f[g  ];\n    ee = f[g];\n}\n",
    "apply {\n    a(b);\n    ccc(d);\n    e = f[g];\n    ee = f[g];\n}\n",
  ],
  "columns of bool": [
    "struct s_t {\n    bool   a;\n    bit<8> b;\n}\n",
    "struct s_t {\n    bool   a;\n    bit<8> b;\n}\n",
  ],
  "annotations and casts without a space": [
    '@name("a")action a() { }\napply { y = a > (bit<8>)z; x = (a)in b; }',
    '@name("a") action a() { }\napply {\n    y = a > (bit<8>)z;\n    x = (a) in b;\n}\n',
  ],
  "a brace that each branch of an #if closes": [
    "control c() {\n#if A\n}\n#else\n}\n#endif\nconst int X = a ? b : c;\n",
    "control c() {\n#if A\n}\n#else\n}\n#endif\nconst int X = a ? b : c;\n",
  ],
  "keys with masks": [
    "table t {\n    entries = {\n        0x1 &&& 0x2: a();\n        0x3 &&& 0x4 : b();\n    }\n}\n",
    "table t {\n    entries = {\n        0x1 &&& 0x2: a();\n        0x3 &&& 0x4 : b();\n    }\n}\n",
  ],
  "a number less than a name": ["apply { x = 1<b>(c); }", "apply { x = 1 < b > (c); }\n"],
  "type arguments before a directive": [
    "f = g<h>\n#if A\n/ 1\n#endif\n;\n",
    "f = g<h>\n#if A\n    / 1\n#endif\n    ;\n",
  ],
  "a struct with a type parameter": ["struct s<T>{T x;T y;}", "struct s<T> {\n    T x;\n    T y;\n}\n"],
  "calls of words of P4": [
    "apply { x = priority (1) + error (2); }",
    "apply { x = priority(1) + error(2); }\n",
  ],
  "a long line around a comment of several lines": [
    "const int A = f(/* x\n y */ xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx);\n",
    "const int A = f(/* x\n y */ xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx);\n",
  ],
  "a long line with type arguments": [
    "register_of_something_with_a_long_name<bit<32>, bit<16>>(a_first_argument_with_a_long_name_of_its_own) b;\n",
    "register_of_something_with_a_long_name<bit<32>, bit<16>>(\n    a_first_argument_with_a_long_name_of_its_own) b;\n",
  ],
  "a long line with a comment behind a comma": [
    "apply {\n    function(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb, /* c */ ccccccccccccccc, dddddd);\n}\n",
    "apply {\n    function(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,\n             bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb, /* c */ ccccccccccccccc, dddddd);\n}\n",
  ],
  "a long list of one value": [
    "const some_type_t SOME_NAME = { a_function_whose_name_is_so_long_that_it_has_no_room_here(an_argument) };\n",
    "const some_type_t SOME_NAME = {\n    a_function_whose_name_is_so_long_that_it_has_no_room_here(an_argument) };\n",
  ],
  "a long tail in brackets that go on": [
    "apply {\n    f(a,\n      bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb(ccccccccccccccccccccccccccccccc(dddddddddd, eeeeeeeeee), ffffffffff), g);\n}\n",
    "apply {\n    f(a,\n      bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb(ccccccccccccccccccccccccccccccc(\n          dddddddddd, eeeeeeeeee), ffffffffff), g);\n}\n",
  ],
  "operators at two depths": [
    "apply {\n    x = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa + bbbbbbbbbbbbbbbbbbbbbbbbbbbbb * (cccccccccccccccccccccc || ddddddddddddddd);\n}\n",
    "apply {\n    x = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n        + bbbbbbbbbbbbbbbbbbbbbbbbbbbbb * (cccccccccccccccccccccc || ddddddddddddddd);\n}\n",
  ],
};

it.each(Object.entries(cases))("%s", (_, [text, expected]) => {
  expect(formatted(text)).toBe(expected);
  expect(formatted(expected)).toBe(expected);
});

const signs = "! = . + - : * < > & | ^ / # ( ) [ ] a 1".split(" ");

it("keeps the space between two tokens that would be another one without it", () => {
  expect(formatted("x = ! = . . ;")).toBe("x = ! =. .;\n");
  expect(formatted("x = - - 1 + ! ! a;")).toBe("x = --1 + !!a;\n");
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...signs), { maxLength: 9 }), (tokens) => {
      // Undefined for brackets without a pair; an assertion holds that the tokens stay.
      formatted(tokens.join(" "));
    }),
  );
});

it("takes two texts for one program, wherever a directive's comment has spaces at the end of a line", () => {
  const meaning = (text: string) => meaningOf(new SourceFile("t.p4", text));
  expect(meaning("#define A /* x  \n y */ 1")).toEqual(meaning("#define A /* x\n y */ 1"));
  expect(meaning(" ")).toEqual([]);
});
