import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Diagnostics, SourceFile, spanText } from "../../../../src/base/index.js";
import { type PreprocessorOptions, preprocess } from "../../../../src/toolchain/p4/syntax/index.js";
import { preprocessTokens } from "../../../../src/toolchain/p4/syntax/preprocessor.js";
import { type Token, tokenText } from "../../../../src/toolchain/p4/syntax/token.js";

function tokensOf(
  text: string,
  options: Omit<PreprocessorOptions, "file"> = {},
  codes: string[] = [],
): Token[] {
  const diagnostics = new Diagnostics();
  const tokens = preprocessTokens({ ...options, file: new SourceFile("t.p4", text) }, diagnostics);
  expect(diagnostics.list.map(({ code }) => code)).toEqual(codes);
  return tokens.slice(0, -1);
}

/** The tokens with one space between them. */
const expand = (...args: Parameters<typeof tokensOf>) =>
  tokensOf(...args)
    .map(tokenText)
    .join(" ");

const spaced = (text: string) => expand(text);

describe("macros", () => {
  it("replaces objects and functions", () => {
    expect(expand("#define N 3\n#define SQ(x) ((x) * (x))\na = SQ(N + 1);")).toBe(
      spaced("a = ((3 + 1) * (3 + 1));"),
    );
    expect(expand("#define F(x) x\nF F (1) F")).toBe("F 1 F");
    expect(expand("#define E\n#define Z() z\nE Z() Z ( ) E")).toBe("z z");
    expect(expand("#define bit BIT\nbit<8> a;")).toBe("BIT < 8 > a ;");
  });

  it("expands arguments before they are put in, and not those of # and ##", () => {
    expect(expand("#define N 3\n#define S(x) #x\n#define XS(x) S(x)\nS(N) XS(N)")).toBe('"N" "3"');
    expect(
      expand("#define N 3\n#define J(a, b) a ## b\n#define N4 no\nJ(N, 4) J(x, ) J(, y) J(8w, 0xF)"),
    ).toBe("no x y 8w0xF");
    expect(expand('#define S(x) #x\nS( a  +\n "b\\"c" )')).toBe(String.raw`"a + \"b\\\"c\""`);
  });

  it("does not expand a macro within itself (C11 6.10.3.4)", () => {
    expect(expand("#define a a b\na")).toBe("a b");
    expect(expand("#define f(x) x + f(x)\nf(f(1))")).toBe("1 + f ( 1 ) + f ( 1 + f ( 1 ) )");
    expect(expand("#define x y\n#define y x\nx y")).toBe("x y");
  });

  it("follows the examples of C11 6.10.3.5", () => {
    const definitions = [
      "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~",
      "#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n#define r(x,y) x ## y",
      "#define str(x) # x\n#define t3(x,y,z) x ## y ## z\n",
    ].join("\n");
    expect(expand(`${definitions}f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);`)).toBe(
      spaced("f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);"),
    );
    expect(expand(`${definitions}g(x+(3,4)-w) | h 5) & m (f)^m(m);`)).toBe(
      spaced("f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1);"),
    );
    expect(expand(`${definitions}p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };`)).toBe(
      spaced("int i[] = { 1, 23, 4, 5, };"),
    );
    expect(
      expand(`${definitions}t3(1,2,3), t3(,4,5), t3(6,,7), t3(8,9,), t3(10,,), t3(,11,), t3(,,12), t3(,,)`),
    ).toBe(spaced("123, 45, 67, 89, 10, 11, 12,"));
  });

  it("takes further arguments with ...", () => {
    const definitions = "#define L(f, ...) log(f, ## __VA_ARGS__)\n#define N(args...) g(args)\n";
    expect(expand(`${definitions}L("a") L("a", 1, 2) N() N(1, (2, 3))`)).toBe(
      spaced('log("a") log("a", 1, 2) g() g(1, (2, 3))'),
    );
  });

  it("lets ## stand between tokens that make no single one, with a warning", () => {
    expect(expand("#define M(x) h.##x\nM(a)", {}, ["P40115"])).toBe("h . a");
    expect(expand("#define R(a) a ## >\nR(>)")).toBe("> >");
  });

  it("gives tokens of a macro's body the place of its outermost use, those of arguments their own", () => {
    const text = "#define A(x) B(x) + 1\n#define B(y) -y\nr = A( v ) ;";
    const places = tokensOf(text).map((token) => [tokenText(token), spanText(token)]);
    expect(places).toEqual([
      ["r", "r"],
      ["=", "="],
      ["-", "A( v )"],
      ["v", "v"],
      ["+", "A( v )"],
      ["1", "A( v )"],
      [";", ";"],
    ]);
  });

  it("knows the place it is in", () => {
    expect(expand("__LINE__\n__LINE__ __FILE__ __COUNTER__ __COUNTER__")).toBe('1 2 "t.p4" 0 1');
    expect(expand("#define HERE __LINE__\n\nHERE")).toBe("3");
  });

  it("takes definitions from the command line", () => {
    const options = { defines: { N: "3", "ADD(a, b)": "a + b", EMPTY: "", GONE: "1" }, undefines: ["GONE"] };
    expect(expand("N ADD(1, 2) EMPTY GONE", options)).toBe("3 1 + 2 GONE");
    expect(expand("#ifdef EMPTY\nyes\n#endif", options)).toBe("yes");
  });
});

describe("conditionals", () => {
  it("take the first group whose condition holds", () => {
    const text = (a: number, b: number) => `#if ${a}\none\n#elif ${b}\ntwo\n#else\nthree\n#endif\nend`;
    expect(expand(text(1, 1))).toBe("one end");
    expect(expand(text(0, 1))).toBe("two end");
    expect(expand(text(0, 0))).toBe("three end");
  });

  it("nest, and skip what is no P4", () => {
    expect(expand("#if 0\ndon't \"care\n#if 1\nx\n#else\ny\n#endif\n#elif 1\nz\n#else ' \nw\n#endif")).toBe(
      "z",
    );
    expect(expand("#if 1\na\n#elif 1 / 0\nb\n#endif")).toBe("a");
    expect(expand("#if 0 /* over\nlines */\na\n#endif /* also\nhere */\nb")).toBe("b");
  });

  it("know defined, macros and names that are none", () => {
    const define = "#define V 20200408\n#define F(x) x\n";
    const holds = (condition: string) => expand(`${define}#if ${condition}\nyes\n#endif`) === "yes";
    expect(holds("V >= 20200408 && defined(V) && defined F && !defined(W)")).toBe(true);
    expect(holds("W || F(0)")).toBe(false);
    expect(holds("0x10 == 020 && 0b11 == 3u && -1 < 0 && (1 << 4 >> 2) == 4")).toBe(true);
    expect(holds("0 && 1 / 0 || 1 ? 2 : 1 / 0")).toBe(true);
    expect(expand("#ifndef V\n#define V 1\n#ifdef V\nv\n#endif\n#endif")).toBe("v");
    expect(expand(`${define}#ifdef W\na\n#elifndef W\nb\n#elifdef V\nc\n#endif`)).toBe("b");
  });

  it("compute as 64-bit integers do", () => {
    const { expression } = fc.letrec<{ expression: { text: string; value: bigint } }>((tie) => ({
      expression: fc.oneof(
        { maxDepth: 5 },
        fc
          .bigInt({ min: 0n, max: (1n << 63n) - 1n })
          .map((value) => ({ text: `0x${value.toString(16)}`, value })),
        fc
          .tuple(
            fc.constantFrom("+", "-", "*", "/", "%", "&", "|", "^", "<", "==", "&&", "||"),
            tie("expression"),
            tie("expression"),
          )
          .map(([op, a, b]) => {
            // A divisor must not be zero.
            const odd = op === "/" || op === "%";
            const right = odd ? { text: `(${b.text} | 1)`, value: b.value | 1n } : b;
            return { text: `(${a.text} ${op} ${right.text})`, value: compute(op, a.value, right.value) };
          }),
        tie("expression").map(({ text, value }) => ({ text: `~${text}`, value: BigInt.asIntN(64, ~value) })),
      ),
    }));
    fc.assert(
      fc.property(expression, ({ text, value }) => {
        expect(expand(`#if (${text}) == ${value < 0n ? `(-${-value - 1n} - 1)` : value}\nyes\n#endif`)).toBe(
          "yes",
        );
      }),
    );
  });
});

function compute(op: string, a: bigint, b: bigint): bigint {
  const truth = (value: boolean) => (value ? 1n : 0n);
  const results: Record<string, () => bigint> = {
    "+": () => a + b,
    "-": () => a - b,
    "*": () => a * b,
    "/": () => a / b,
    "%": () => a % b,
    "&": () => a & b,
    "|": () => a | b,
    "^": () => a ^ b,
    "<": () => truth(a < b),
    "==": () => truth(a === b),
    "&&": () => truth(a !== 0n && b !== 0n),
    "||": () => truth(a !== 0n || b !== 0n),
  };
  return BigInt.asIntN(64, results[op]!());
}

it("skips a line that begins with ##, with a warning", () => {
  const diagnostics = new Diagnostics();
  const text = preprocess({ file: new SourceFile("a.p4", "##undef A\nbit<8> x;") }, diagnostics);
  expect(text).toContain("bit<8> x;");
  expect(text).not.toContain("undef");
  expect(diagnostics.list.map(({ severity, code }) => [severity, code])).toEqual([["warning", "P40106"]]);
});

it("knows a file with #pragma once by its path, not by the object that the resolver gives", () => {
  const text = '#include "a.h"\n#include "a.h"\n';
  const resolveInclude = () => new SourceFile("a.h", "#pragma once\nconst bool x = true;\n");
  const result = preprocess({ file: new SourceFile("a.p4", text), resolveInclude }, new Diagnostics());
  expect(result.match(/const/g)).toHaveLength(1);
});

describe("files", () => {
  const files: Record<string, string> = {
    "a.h":
      '#pragma once\n#define A __FILE__ __LINE__\nfrom_a __FILE__ __INCLUDE_LEVEL__\n#include "b.h"\nafter',
    "b.h": "from_b",
  };
  const cache = new Map(Object.entries(files).map(([name, text]) => [name, new SourceFile(name, text)]));
  const asked: [string, string, boolean][] = [];
  const resolveInclude = (name: string, from: SourceFile, system: boolean) => {
    asked.push([name, from.path, system]);
    return cache.get(name);
  };

  it("are included, at the place of the directive", () => {
    expect(expand('x\n#include "a.h"\n#include <a.h> // again\ny A', { resolveInclude })).toBe(
      'x from_a "a.h" 1 from_b after y "t.p4" 4',
    );
    expect(asked).toEqual([
      ["a.h", "t.p4", false],
      ["b.h", "a.h", false],
      ["a.h", "t.p4", true],
    ]);
  });

  it("may be named by a macro", () => {
    expect(expand('#define B "b.h"\n#define C <b.h>\n#include B\n#include C\n', { resolveInclude })).toBe(
      "from_b from_b",
    );
  });

  it("of the library come with the compiler, in the version asked for", () => {
    const text = "#include <core.p4>\n#include <v1model.p4>\n";
    expect(expand(text)).toContain("void count ( in bit < 32 > index ) ;");
    expect(expand(text, { defines: { V1MODEL_VERSION: "20200408" } })).toContain(
      "void count ( in I index ) ;",
    );
    expect(expand(`#define V1MODEL_VERSION 20200408\n${text}`)).toContain("typedef bit < 9 > PortId_t ;");
  });

  it("are renamed by #line and by the lines that cpp writes", () => {
    const [a, b, c] = tokensOf('a\n#line 10 "x.p4"\nb\n\n# 3 "y.p4" 1\n  c');
    expect([a, b, c].map((token) => [token!.file.path, token!.file.position(token!.start)])).toEqual([
      ["t.p4", { line: 1, column: 1 }],
      ["x.p4", { line: 10, column: 1 }],
      ["y.p4", { line: 3, column: 3 }],
    ]);
    expect(c!.file.lineText(3)).toBe("  c");
    expect(expand('#line 10 "x.p4"\n__LINE__ __FILE__')).toBe('10 "x.p4"');
  });

  it("give up on endless inclusion and expansion", () => {
    const self = new SourceFile("s.p4", '#include "s.p4"\n#include "s.p4"\n');
    tokensOf('#include "s.p4"', { resolveInclude: () => self }, ["P40105"]);
    const doubling = Array.from({ length: 40 }, (_, i) => `#define M${i + 1} M${i} M${i}`).join("\n");
    tokensOf(`${doubling}\nM40`, {}, ["P40109"]);
    tokensOf(`#define F(x) x\n${"F(".repeat(5000)}1${")".repeat(5000)}`, {}, ["P40109"]);
  });
});

describe("preprocessed text", () => {
  const roundTrip = (text: string) => {
    const kindsAndTexts = (tokens: Token[]) => tokens.map(({ kind, text }) => `${kind} ${text}`);
    const written = preprocess({ file: new SourceFile("t.p4", text) }, new Diagnostics());
    expect(kindsAndTexts(tokensOf(written))).toEqual(kindsAndTexts(tokensOf(text)));
    return written;
  };

  it("gives the same tokens, on the same lines", () => {
    expect(roundTrip("a\n\n  b + 1;\n")).toBe('# 1 "t.p4"\na\n\n  b + 1;\n');
    const far = roundTrip(`a\n${"\n".repeat(20)}b`);
    expect(far).toBe('# 1 "t.p4"\na\n# 22 "t.p4"\nb\n');
  });

  it("keeps tokens apart that would join, and > together", () => {
    expect(roundTrip("#define M +\nM+1 M M 2")).toContain("+ +1 + + 2");
    roundTrip("#define A a\n#define PLUS +\nA A 1A PLUS+ PLUS PLUS =");
    roundTrip("#define C(x) x>x\nx = C(a>>b) >> 2;\n#define S /\nS/**// S S");
    expect(roundTrip("#define SHR(a, b) a>>b\nx = SHR(c, 2);")).toContain("c>>2");
  });
});

describe("strings over several lines, as the C preprocessor sees them", () => {
  const text = (source: string) => {
    const diagnostics = new Diagnostics();
    const file = new SourceFile("a.p4", source);
    const tokens = preprocessTokens({ file, defines: { ON: "1" } }, diagnostics);
    return {
      text: tokens.find((token) => token.kind === "stringLiteral")?.text,
      codes: diagnostics.list.map((one) => one.code),
    };
  };

  it("chooses lines and leaves empty ones", () => {
    const source =
      '@r("\n  a;\n#if defined(ON) && ON == 1\n  b;\n#else\n  c;\n#endif\n#ifdef OFF\n#if ON\n d;\n#endif\n#endif\n  e;\n")';
    expect(text(source)).toEqual({ text: "\n  a;\n\n  b;\n\n\n\n\n\n\n\n\n  e;\n", codes: [] });
  });

  it("takes one of #elif and #else", () => {
    expect(text('"\n#if 0\na\n#elif ON\nb\n#else\nc\n#endif\n"').text).toBe("\n\n\n\nb\n\n\n\n");
    expect(text('"\n#if 0\na\n#elif 0\nb\n#else\nc\n#endif\n"').text).toBe("\n\n\n\n\n\nc\n\n");
  });

  it("replaces macros but not in comments, and shrinks white space", () => {
    const source =
      '#define TYPE 0x0800\n#define IS(x) x == 1\n@r("\n    type  !=\tTYPE;  // no TYPE  here\n\tIS(v4) /* TYPE\n TYPE */\n  ")';
    expect(text(source).text).toBe("\n    type != 0x0800; // no TYPE  here\n v4 == 1 /* TYPE\n TYPE */\n  ");
  });

  it("leaves strings on one line alone", () => {
    expect(text('@r("ON  ON")').text).toBe("ON  ON");
    expect(text('@r("ON  ON\\\n ON")').text).toBe("ON  ON ON");
  });

  it("reports groups that are not closed or not opened", () => {
    expect(text('"\n#if ON\n"').codes).toEqual(["P40110"]);
    expect(text('"\n#endif\n"').codes).toEqual(["P40110"]);
    expect(text('"\n#if (\n#endif\n"').codes).toEqual(["P40111"]);
  });
});

describe("an include in angle brackets of the file's own name", () => {
  it("means the file that comes with the compiler", () => {
    const self = new SourceFile("mine/core.p4", "#include <core.p4>\nbit<8> x;");
    const read = (include: string) => {
      const diagnostics = new Diagnostics();
      const file = new SourceFile(self.path, self.text.replace("<core.p4>", include));
      const tokens = preprocessTokens({ file, resolveInclude: () => file }, diagnostics);
      const codes = [...new Set(diagnostics.list.map((one) => one.code))];
      return { codes, library: tokens.some((token) => token.text === "packet_in") };
    };
    expect(read("<core.p4>")).toEqual({ codes: [], library: true });
    expect(read('"core.p4"')).toEqual({ codes: ["P40105"], library: false });
  });
});
