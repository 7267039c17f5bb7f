/** The formatter: what it writes, that it changes white space alone, and that a second time changes nothing. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile } from "../../../src/base/index.js";
import { meaningOf } from "../../../src/toolchain/formatting/elements.js";
import { elementsOf, format } from "../../../src/toolchain/formatting/index.js";
import { LINE_LENGTH } from "../../../src/toolchain/formatting/wrapping.js";
import type { IncludeResolver } from "../../../src/toolchain/p4/index.js";
import { compiledForm } from "./compiled-form.js";

const root = resolve(import.meta.dirname, "../../..");

function formatted(text: string): string {
  const result = format(new SourceFile("t.p4", text), new Diagnostics());
  if (result === undefined) throw new Error("refused");
  return result;
}

function refusal(text: string): string[] {
  const diagnostics = new Diagnostics();
  expect(format(new SourceFile("t.p4", text), diagnostics)).toBeUndefined();
  return diagnostics.list.map(({ code, message }) => `${code} ${message}`);
}

describe("what it writes", () => {
  const cases: Record<string, [string, string]> = {
    "braces on the line of their head, statements on lines of their own": [
      "control c(inout h_t h)\n{\n  action a()\n  { h.x = 1; h.y = 2; }\n  apply\n  {\n    if (h.isValid())\n    {\n a(); } else { h.x=2; }\n }\n}",
      "control c(inout h_t h) {\n    action a() {\n        h.x = 1;\n        h.y = 2;\n    }\n    apply {\n        if (h.isValid()) {\n            a();\n        } else { h.x = 2; }\n    }\n}\n",
    ],
    "a short block stays on its line": [
      "action drop(){mark_to_drop(sm);}\nstruct empty_t{\n}\n",
      "action drop() { mark_to_drop(sm); }\nstruct empty_t { }\n",
    ],
    "operators, casts, slices, type arguments and shifts": [
      "const bit<8>X=(bit<8>)1<<2|~3;\nregister<bit<32> >(16)r;\nf<bit<8>>(a>>1,-b,x[7:0],c?d:e,-1);\nbit<(W+1)> y=a<b?x:x>>2;",
      "const bit<8> X = (bit<8>)1 << 2 | ~3;\nregister<bit<32> >(16) r;\nf<bit<8>>(a >> 1, -b, x[7:0], c ? d : e, -1);\nbit<(W + 1)> y = a < b ? x : x >> 2;\n",
    ],
    "columns that were aligned": [
      "header h_t {\n    bit<8>    a;\n    // a comment between\n    bit<16> bc;  // one\n    bit<4> d;  // two\n}\n",
      "header h_t {\n    bit<8>  a;\n    // a comment between\n    bit<16> bc; // one\n    bit<4>  d;  // two\n}\n",
    ],
    "columns of comments, and those of a block inside, which are columns of their own": [
      "apply {\n    h.x = 1;     // one\n    h.long = 2; // two\n    if (c) { // three\n        h.a = 1; // four\n        h.longest_name = 2;  // five\n    }\n}\n",
      "apply {\n    h.x = 1;    // one\n    h.long = 2; // two\n    if (c) {    // three\n        h.a = 1;            // four\n        h.longest_name = 2; // five\n    }\n}\n",
    ],
    "columns that were not aligned": [
      "header h_t {\n    bit<8> a;\n    bit<16> bc; // one\n}\n",
      "header h_t {\n    bit<8> a;\n    bit<16> bc; // one\n}\n",
    ],
    "parameters below the first one, or indented": [
      "control c(inout h_t h,\n   inout m_t m) { apply { } }\ncontrol dd(inout h_t h,\n           inout m_t m) { apply { } }\ncontrol e(\n  inout h_t h,\n  inout m_t m\n) { apply { } }\n",
      "control c(inout h_t h,\n    inout m_t m) {\n    apply { }\n}\ncontrol dd(inout h_t h,\n           inout m_t m) {\n    apply { }\n}\ncontrol e(\n    inout h_t h,\n    inout m_t m\n) {\n    apply { }\n}\n",
    ],
    "a table": [
      "table t{key={h.a:exact;h.b : lpm;}actions={a;b;NoAction;}const default_action=NoAction();size=8;}",
      "table t {\n    key = { h.a: exact; h.b : lpm; }\n    actions = { a; b; NoAction; }\n    const default_action = NoAction();\n    size = 8;\n}\n",
    ],
    "a parser": [
      "state start{transition select(h.t,h.u){(1,2 &&& 3):a;\ndefault:accept;}}",
      "state start {\n    transition select(h.t, h.u) {\n        (1, 2 &&& 3): a;\n        default: accept;\n    }\n}\n",
    ],
    "statements below a condition without braces": [
      "apply { if (a)\nb();\nelse\nc();\nif (a)\nif (b)\nc(); d(); }",
      "apply {\n    if (a)\n        b();\n    else\n        c();\n    if (a)\n        if (b)\n            c();\n    d();\n}\n",
    ],
    "preprocessor lines begin lines, and each branch begins where the #if began": [
      "control c(inout h_t h) {\n  apply {\n  #ifdef A\n  if (h.a == 1) {\n  #else\n  if (h.a == 2) {\n  #endif\n  h.b = 1;\n  }\n  }\n}\n",
      "control c(inout h_t h) {\n    apply {\n#ifdef A\n        if (h.a == 1) {\n#else\n        if (h.a == 2) {\n#endif\n            h.b = 1;\n        }\n    }\n}\n",
    ],
    "a macro's definition stays as it is": [
      "#define F(x)   \\\n   x + \\\n\t 1\n  #include   <core.p4>  // why\n",
      "#define F(x)   \\\n   x + \\\n\t 1\n#include   <core.p4>  // why\n",
    ],
    "macros that stand as statements": [
      "#define go x();\napply {\n  COUNT(1, 2)\n  go\n  y();\n}\n",
      "#define go x();\napply {\n    COUNT(1, 2)\n    go\n    y();\n}\n",
    ],
    "comments move with what they are about": [
      "apply {\n/* one\n   two */\n  a(/* x */ 1, // first\n    2); // done\n      // last\n}\n",
      "apply {\n    /* one\n       two */\n    a(/* x */ 1, // first\n      2); // done\n    // last\n}\n",
    ],
    "one blank line at most, none at the edges": [
      "\n\nconst int A = 1;\n\n\n\nstruct s_t {\n\n    bit a;\n\n}\n\n\n",
      "const int A = 1;\n\nstruct s_t {\n    bit a;\n}\n",
    ],
    "enums, errors and annotations": [
      '@name("e")\nenum bit<8> e_t{A=1,B=2}\nerror{X,Y}\n@hidden @name ( "a" ) action a(){}\n',
      '@name("e")\nenum bit<8> e_t { A = 1, B = 2 }\nerror { X, Y }\n@hidden @name("a") action a() { }\n',
    ],
    "a pragma ends with its line": [
      "@pragma stage 1\ntable t { actions = { a; } }",
      "@pragma stage 1\ntable t {\n    actions = { a; }\n}\n",
    ],
    "a long line ends at a comma or before an operator of the outermost brackets, as late as there is room": [
      "control c(inout headers_t headers_of_the_packet, inout metadata_t metadata_of_the_packet, in bit<9> port) { apply {\nif (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa == 1 && bbbbbbbbbbbbbbbbbbbbb == f(1, 2) || ccccccccccccccccccccccccccc == 2 && d) { e(); } } }",
      "control c(inout headers_t headers_of_the_packet, inout metadata_t metadata_of_the_packet,\n          in bit<9> port) {\n    apply {\n        if (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa == 1 && bbbbbbbbbbbbbbbbbbbbb == f(1, 2)\n            || ccccccccccccccccccccccccccc == 2 && d) { e(); }\n    }\n}\n",
    ],
    "a long block on one line is opened; a comment behind a statement does not count": [
      "action a() { function_with_a_long_name(with_an_argument, and_another_argument, and_the_last_argument); }\nconst int A = 1; // a comment that goes on and on and on and on and on and on and on and on and on and on\n",
      "action a() {\n    function_with_a_long_name(with_an_argument, and_another_argument, and_the_last_argument);\n}\nconst int A = 1; // a comment that goes on and on and on and on and on and on and on and on and on and on\n",
    ],
    "a bracket far to the right is broken behind it, else a long value behind its =": [
      "apply {\na_function_whose_name_is_so_long_that_its_arguments_have_no_room_on_the_line(argument, argument, arg);\nsome_value_with_a_long_name_of_its_own = another_value_with_a_name_that_is_even_longer_than_the_first_one;\n}\n",
      "apply {\n    a_function_whose_name_is_so_long_that_its_arguments_have_no_room_on_the_line(\n        argument, argument, arg);\n    some_value_with_a_long_name_of_its_own =\n        another_value_with_a_name_that_is_even_longer_than_the_first_one;\n}\n",
    ],
    "a shift stays one operator where a line ends": [
      "const bit<32> A = a_value_with_a_long_name_of_its_own_that_takes_much_room_on_its_line >> an_offset_of_its_own;\n",
      "const bit<32> A = a_value_with_a_long_name_of_its_own_that_takes_much_room_on_its_line\n    >> an_offset_of_its_own;\n",
    ],
    "words of P4 that are names": [
      "header vlan_t {\n    bit<3>  priority;\n    bit<12> id;\n}\n",
      "header vlan_t {\n    bit<3>  priority;\n    bit<12> id;\n}\n",
    ],
    "lines that end as in DOS": [
      "const int A=1;\r\n\r\nconst int B=2;\r\n",
      "const int A = 1;\r\n\r\nconst int B = 2;\r\n",
    ],
    "an empty text": ["  \n\n", ""],
    "a nested block, on lines of its own": [
      "apply { a(); { b(); c(); } d(); }",
      "apply {\n    a();\n    {\n        b();\n        c();\n    }\n    d();\n}\n",
    ],
    "a loop's head stays on one line": [
      "apply { for (bit<8> i=0;i<3;i=i+1) { a(); b(); } }",
      "apply {\n    for (bit<8> i = 0; i < 3; i = i + 1) {\n        a();\n        b();\n    }\n}\n",
    ],
    "columns of comments end at a line of its own": [
      "header h_t {\n    bit<8>  a;  // one\n    // a comment between\n    bit<16> bcd; // two\n}\n",
      "header h_t {\n    bit<8>  a; // one\n    // a comment between\n    bit<16> bcd; // two\n}\n",
    ],
    "a comment at the end": ["const int A=1;\n// end\n", "const int A = 1;\n// end\n"],
    "brackets in a branch, around another directive": [
      "#if A\ncontrol c() {\n#define X 1\napply { }\n}\n#endif\ncontrol d() { apply { } }\n",
      "#if A\ncontrol c() {\n#define X 1\n    apply { }\n}\n#endif\ncontrol d() {\n    apply { }\n}\n",
    ],
    "declarations of members, each on a line of its own": [
      "enum a_t { A, B } error { C } match_kind { d } enum bit<8> e_t { E = 1 } ; struct s_t { }",
      "enum a_t { A, B }\nerror { C }\nmatch_kind { d }\nenum bit<8> e_t { E = 1 };\nstruct s_t { }\n",
    ],
    "an empty nested block": ["apply { a(); { } { b(); } }", "apply {\n    a();\n    { }\n    { b(); }\n}\n"],
    "a pragma whose line has brackets": [
      "@pragma x control c() { apply { a(); b(); } }\nconst int A=1;\n",
      "@pragma x control c() { apply { a(); b(); } }\nconst int A = 1;\n",
    ],
    "line ends as in DOS after a first line without": [
      "const int A=1;\nconst int B=2;\r\n",
      "const int A = 1;\nconst int B = 2;\n",
    ],
    "a directive with a comment over several lines": [
      "#define A /* x\n  y */ 1\nconst int B=1;\n",
      "#define A /* x\n  y */ 1\nconst int B = 1;\n",
    ],
    "a directive with signs of comments in a string and in a comment": [
      '#define A "/*"\nconst int B=1;\n#define C 1 // /* none\nconst int D=1;\n#define E "" /* x\n */\nconst int F=1;\n',
      '#define A "/*"\nconst int B = 1;\n#define C 1 // /* none\nconst int D = 1;\n#define E "" /* x\n */\nconst int F = 1;\n',
    ],
    "values that were aligned, but not across another statement": [
      "apply {\n    x    = 1;\n    y(); // z\n    longer = 2;\n    a     = 1;\n}\n",
      "apply {\n    x = 1;\n    y(); // z\n    longer = 2;\n    a      = 1;\n}\n",
    ],
    "blank lines in a list, but not at the end of a block": [
      "const t A = {\n    1,\n\n    2\n\n};\napply {\n    a();\n\n}\n",
      "const t A = {\n    1,\n\n    2\n\n};\napply {\n    a();\n}\n",
    ],
    "a comment of several lines behind a statement moves with it": [
      "apply {\na(); /* one\n        two */\n}\n",
      "apply {\n    a(); /* one\n            two */\n}\n",
    ],
    "names of the top level": [
      "f(in.t a,out .t b,inout.t c,.t d);\napply { return .x; }\n",
      "f(in .t a, out .t b, inout .t c, .t d);\napply { return .x; }\n",
    ],
    "casts and calls of what a bracket returns": [
      "apply { if((bit<8>)(x)==1&&(bit<8>) y==-(z)){a();} b(c)(d); e = (f) -g; }",
      "apply {\n    if ((bit<8>)(x) == 1 && (bit<8>) y == -(z)) { a(); }\n    b(c)(d);\n    e = (f) - g;\n}\n",
    ],
    "a define in a comment defines no macro": [
      "// #define go\napply {\n    go\n    x();\n}\n",
      "// #define go\napply {\n    go\n        x();\n}\n",
    ],
    "a list whose only element is long": [
      "apply {\nf({ a_function_whose_name_is_so_long_that_its_result_has_no_room_on_the_line_of_its_own_list_(argument) });\n}\n",
      "apply {\n    f(\n        {\n            a_function_whose_name_is_so_long_that_its_result_has_no_room_on_the_line_of_its_own_list_(\n                argument) });\n}\n",
    ],
    "comments at the end of a block, and below a condition without braces": [
      "apply {\nif (a)\nb();\n// one\n}\ncontrol c() { apply {\nif (a) // two\n// three\nb();\n} }\n",
      "apply {\n    if (a)\n        b();\n    // one\n}\ncontrol c() {\n    apply {\n        if (a) // two\n            // three\n            b();\n    }\n}\n",
    ],
    "a comparison that looks like type arguments": [
      "apply { if (a<b&&c>(d)) e(); f = g<h>i; if (a < 3) b(); x = a < b ? c > d : e; }",
      "apply {\n    if (a < b && c > (d)) e();\n    f = g<h> i;\n    if (a < 3) b();\n    x = a < b ? c > d : e;\n}\n",
    ],
    "what follows a macro's call on its line, or is a part of it": [
      "apply {\nCOUNT(1) x\ny;\nCOUNT(1)[2]\n.z = 3;\nCOUNT(1)\n;\nCOUNT(2)\n}\n",
      "apply {\n    COUNT(1) x\n        y;\n    COUNT(1)[2]\n        .z = 3;\n    COUNT(1)\n        ;\n    COUNT(2)\n}\n",
    ],
    "a difference of a list, an element and a word": [
      "apply { a = {1}-b; c = d[1]-e; f = true-g; h = default -1; }",
      "apply {\n    a = { 1 } - b;\n    c = d[1] - e;\n    f = true - g;\n    h = default -1;\n}\n",
    ],
    "a text that begins with a bracket": ["( a ) ;\n", "(a);\n"],
    "an #else without its #if": ["#else\nconst int A=1;\n", "#else\nconst int A = 1;\n"],
  };

  it.each(Object.entries(cases))("%s", (_, [text, expected]) => {
    expect(formatted(text)).toBe(expected);
    expect(formatted(expected)).toBe(expected);
  });

  it("a line of thousands of columns, the same alone and among other declarations", () => {
    const sum = Array.from({ length: 240 }, (_, index) => `first_value_${index}`).join(" + ");
    const long = `const bit<32> total = ${sum};`;
    expect(long.length).toBeGreaterThan(3500);
    const before = "control A(inout bit<8> x) {\n    apply {\n        x = 1;\n    }\n}";
    const after = "#ifdef K\nconst bit<8> one = 1;\n#else\nconst bit<8> two = 2;\n#endif";
    const alone = formatted(`${long}\n`);
    expect(alone.split("\n").every((line) => line.length <= LINE_LENGTH)).toBe(true);
    for (const text of [
      `${before}\n\n${long}\n\n${after}\n`,
      `${after}\n\n${before}\n\n${long}\n`,
      `${long}\n\n${before}\n\n${long}\n`,
    ]) {
      const result = formatted(text);
      expect(result).toBe(text.replaceAll(`${long}\n`, alone));
      expect(formatted(result)).toBe(result);
    }
  });
});

it.each([
  ["apply { a();\n", "P46200 this '{' is never closed"],
  ["apply { a(); } }\n", "P46200 this '}' closes nothing"],
  ["f(a];\n", "P46200 this ']' would close a '('"],
  ["/* no end", "P40101 this comment has no end"],
  ['const string s = "no end;\n', 'P40102 this string has no closing "'],
])("refuses %j", (text, message) => {
  expect(refusal(text)).toEqual([message]);
});

describe("what macros leave of a program", () => {
  it.each([
    [
      "a header whose fields come from a macro",
      "header h {\n\t#define F(i) bit<8> f_##i;\n\tLOOP(2, F)\n}\n",
    ],
    ["spaces behind the backslash of a macro", "#define A(x) { \\ \n  x; \\\t\n}\nconst bool a = true;\n"],
    ["a backslash at the end of the file", "struct S { bit<8> f; }\\"],
    ["operators in a width", "struct S { bit<(8 - N % 8)> f; }\n"],
  ])("%s stays at the result", (_, text) => {
    const once = formatted(text);
    expect(formatted(once)).toBe(once);
    expect(once).not.toContain("bit <");
  });
});

describe("two texts are one program", () => {
  const meaning = (text: string) => meaningOf(new SourceFile("t.p4", text));
  it.each<[string, string, string, boolean]>([
    ["whatever the white space", "a=b ;\n", " a  = b;", true],
    ["with comments on other lines", "a; /* x\n   y */", "a;\n/* x y */", true],
    ["but not without a comment", "a; // x\n", "a;\n", false],
    ["but not where a shift becomes two operators", "a >> b", "a > > b", false],
    ["but not where a pragma goes on", "@pragma x\ny", "@pragma x y", false],
    ["with a pragma that ends the text", "@pragma x\n", "@pragma  x", true],
    ["but not where a directive ends elsewhere", "#define A b\nc", "#define A\nb c", false],
    ["with spaces after a directive", "#define A b  \nc", "#define A b\nc", true],
  ])("%s", (_, one, other, same) => {
    expect(JSON.stringify(meaning(one)) === JSON.stringify(meaning(other))).toBe(same);
  });
});

/** Our own programs: those beside src/, of the examples, and those of the compiler's tests, right and wrong. */
const programs = ["p4", "examples", "test/golden", "test/bad"].flatMap((folder) =>
  (readdirSync(join(root, folder), { recursive: true }) as string[])
    .filter((name) => name.endsWith(".p4"))
    .map((name) => join(folder, name))
    .sort(),
);

const sourceOf = (name: string): SourceFile =>
  new SourceFile(join(root, name), readFileSync(join(root, name), "utf8"));

const besideIt: IncludeResolver = (name, from) => {
  const path = join(dirname(from.path), name);
  return existsSync(path) ? new SourceFile(path, readFileSync(path, "utf8")) : undefined;
};

/** Every n-th of our programs is compiled, to keep the test short; `bench/toolchain/formatting.ts` compiles all of a folder. */
const COMPILED_STEP = 12;

it("knows our programs", () => expect(programs.length).toBeGreaterThan(200));

it.each(programs)("formats %s to a text that stays as it is", (name) => {
  const result = format(sourceOf(name), new Diagnostics());
  if (result === undefined) expect(name).toMatch(/^test\/bad\//);
  else expect(format(new SourceFile(name, result), new Diagnostics())).toBe(result);
});

it("formats each of our programs to a text that compiles to the same", () => {
  let compiled = 0;
  for (const name of programs.filter((_, index) => index % COMPILED_STEP === 0)) {
    const file = sourceOf(name);
    const result = format(file, new Diagnostics());
    if (result === undefined) continue;
    const before = compiledForm(file, besideIt);
    if (before !== undefined) compiled++;
    expect(compiledForm(new SourceFile(file.path, result), besideIt), name).toBe(before);
  }
  expect(compiled).toBeGreaterThan(10);
});

describe("is what our own programs pass: p4/ with all rendered programs, and the examples", () => {
  it.each(programs.filter((one) => /^(p4|examples)\//.test(one)))("%s", (name) => {
    const file = sourceOf(name);
    expect(format(file, new Diagnostics())).toBe(file.text);
    for (const line of file.text.split("\n"))
      if (!/^\s*(\/\/|#)/.test(line))
        expect(line.replace(/\s*\/\/.*$/, "").length, line).toBeLessThanOrEqual(LINE_LENGTH);
  });
});

it("wraps a program on one line, and stays at the result", () => {
  const text = readFileSync(join(root, "p4/p4te/tor.p4"), "utf8");
  const elements = elementsOf(new SourceFile("tor.p4", text), new Diagnostics());
  const flat = elements
    .map(({ kind, text: own }, i) => {
      if (kind === "directive") return `\n${own}\n`;
      const next = elements[i + 1];
      return kind === "token" ? own + (next?.gap === 0 && next.newlines === 0 ? "" : " ") : "";
    })
    .join("");
  const once = formatted(flat);
  expect(formatted(once)).toBe(once);
  const [before, after] = [text, once].map((one) => compiledForm(new SourceFile("tor.p4", one), besideIt));
  expect(before).toBeDefined();
  expect(after === before).toBe(true);
});

it("formats a program whose white space was replaced at random, and stays at the result", () => {
  const text = readFileSync(join(root, "p4/ecmp/leaf.p4"), "utf8");
  const elements = elementsOf(new SourceFile("leaf.p4", text), new Diagnostics()).slice(0, 700);
  const gaps = fc.array(fc.constantFrom(" ", "\n", "\n\n\n", "   ", "\t", "\n      "), {
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(gaps, (choices) => {
      const mixed = elements
        .map((element, index) => {
          const alone = element.kind === "directive" || element.kind === "lineComment";
          const gap = choices[index % choices.length]!;
          return (element.kind === "directive" ? "\n" : "") + element.text + (alone ? "\n" : gap);
        })
        .join("");
      const brackets = elementsOf(new SourceFile("mixed.p4", mixed), new Diagnostics());
      let depth = 0;
      for (const { token } of brackets) depth += "([{".includes(token) ? 1 : ")]}".includes(token) ? -1 : 0;
      const whole = mixed + "}".repeat(Math.max(0, depth));
      const diagnostics = new Diagnostics();
      const once = format(new SourceFile("mixed.p4", whole), diagnostics);
      fc.pre(once !== undefined);
      expect(formatted(once!)).toBe(once);
    }),
    { numRuns: 25 },
  );
});
