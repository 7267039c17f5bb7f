/**
 * What the statements of an action become: fields that an instruction reads and writes, action data, fields that need a
 * container of their own, memories, hashes, and the stages that statements take one after another. The constants -8 to 7
 * are part of an instruction on Tofino; others are action data (data/targets/tofino.yaml).
 *
 * A line: fields written `=` fields read, `data BITS>FIELD`, `alone` and the fields of arithmetic; `'` is the value before the
 * action. Each further line is a bare action after the table; lines with `*` are what the checks see.
 */
import { describe, expect, it } from "vitest";
import { built, featureText } from "./model-text.js";
import { wrap } from "./programs.js";

const FIELDS = "bit<32> a; bit<32> b; bit<32> c; bit<16> s; bit<8> n; bit<8> o; bit<64> l;";

/** A table with one action; `h.e` is a second header of the same fields, and a condition after the table reads `m.m0`. */
function linesOf(body: string): string[] {
  const locals = `register<bit<32>>(1024) r; register<bit<16>>(64) q;
    counter(512, CounterType.bytes) c; counter(64, CounterType.packets_and_bytes) e; counter(32, CounterType.packets) p;
    meter(256, MeterType.bytes) mt;
    action go(bit<32> v, bit<4> w) { ${body} }
    table t { key = { h.d.l : exact; } actions = { go; NoAction; } size = 64; default_action = NoAction(); }`;
  const text = wrap(FIELDS, locals, "t.apply(); if (m.m0 == 1) { h.d.l = 1; }");
  const { lines, features } = built(text.replace("{ d_h d; }", "{ d_h d; d_h e; }"));
  const units = lines.filter((line) => /^t(#\d+)? /.test(line));
  return [
    ...units.map((line) => line.replace(/^t(#\d+)? (match; key exact l; 64 entries|action); go:/, "").trim()),
    ...features.filter(({ kind }) => kind !== "condition").map((feature) => `* ${featureText(feature)}`),
  ];
}

const CASES: readonly [what: string, cases: readonly (readonly [body: string, ...lines: string[]])[]][] = [
  [
    "copies, constants and arguments",
    [
      ["h.d.a = h.d.b;", "a = b"],
      ["h.d.a = v;", "a data 32>a"],
      ["h.d.n = (bit<8>) w;", "n data 4>n"],
      ["h.d.n = (bit<8>) v;", "n data 8>n"],
      ["h.d.s = (bit<16>) (v >> 8);", "s data 16>s"],
      ["h.d.s[7:0] = (bit<8>) w;", "s[7:0] data 4>s[7:0]"],
      ["h.d.s[15:8] = h.d.n;", "s[15:8] = n"],
      ["m.m0 = h.d.a;", "meta_t.m0 = a"],
      ["m.m1 = h.d.a;", ""],
      ["h.d.a = m.m1;", "a = meta_t.m1"],
      ["sm.egress_spec = 3;", "egress_spec"],
    ],
  ],
  [
    "constants",
    [
      ["h.d.a = 0;", "a"],
      ["h.d.a = 7;", "a"],
      ["h.d.a = 8;", "a data 32>a"],
      ["h.d.n = 248;", "n"],
      ["h.d.n = 247;", "n data 8>n"],
      ["h.d.n = 128;", "n data 8>n"],
      ["h.d.a = 0xfffffff8;", "a"],
      ["h.d.a = 0xfffffff7;", "a data 32>a"],
      ["h.d.a = h.d.b + 7;", "a = b alone a b", "* 32 bits: d.b + 7 in 1"],
      ["h.d.a = h.d.b - 100;", "a = b data 32>a alone a b", "* 32 bits: d.b - 100 in 1"],
    ],
  ],
  [
    "operations",
    [
      ["h.d.a = h.d.b + h.d.c;", "a = b c alone a b c", "* 32 bits: d.b + d.c in 1"],
      ["h.d.a = h.d.a - v;", "a = a data 32>a alone a a", "* 32 bits: d.a - v in 1"],
      ["h.d.a = h.d.b |-| h.d.c;", "a = b c alone a b c", "* 32 bits: d.b |-| d.c in 1"],
      ["h.d.a = h.d.b & h.d.c;", "a = b c", "* 32 bits: d.b & d.c in 1"],
      ["h.d.a = h.d.b & 0xf0f0;", "a = b data 32>a", "* 32 bits: d.b & 61680 in 1"],
      ["h.d.a = h.d.b << 20;", "a = b", "* 32 bits: d.b << 20 in 1"],
      ["h.d.a = (h.d.b << 20) | h.d.c;", "a = b c", "* 32 bits: (d.b << 20) | d.c in 1"],
      [
        "h.d.a = (h.d.b << 24) | (h.d.c << 8) | (bit<32>) h.d.n;",
        "a = b c n",
        "* 32 bits: ((d.b << 24) | (d.c << 8)) | d.n in 2",
      ],
      [
        "h.d.a = (h.d.b << 24) | (h.d.b & 0xff00);",
        "a = b data 32>a",
        "* 32 bits: (d.b << 24) | (d.b & 65280) in 1",
      ],
      ["h.d.a = h.d.b & ~h.d.c;", "a = b c", "* 32 bits: d.b & ~d.c in 1"],
      ["h.d.a = ~h.d.b ^ ~h.d.c;", "a = b c", "* 32 bits: ~d.b ^ ~d.c in 1"],
      ["h.d.a = ~(h.d.b & h.d.c);", "a = b c", "* 32 bits: ~(d.b & d.c) in 2"],
      ["h.d.a = h.d.b & h.d.c | h.d.a;", "a = b c a", "* 32 bits: (d.b & d.c) | d.a in 2"],
      ["h.d.a = h.d.b ^ h.d.c ^ h.d.a;", "a = b c a", "* 32 bits: (d.b ^ d.c) ^ d.a in 2"],
      ["h.d.a = (h.d.b + h.d.c) & 0xf0f0;", "a = b c data 32>a", "* 32 bits: (d.b + d.c) & 61680 in 2"],
      ["h.d.a = h.d.a + h.d.b + h.d.c;", "a = a b c alone a a b c", "* 32 bits: (d.a + d.b) + d.c in 2"],
      ["h.d.a = h.d.b << h.d.n;", "a = b n", "* 32 bits: d.b << d.n in 1"],
      ["h.d.a = (h.d.b << h.d.n) | h.d.c;", "a = b n c", "* 32 bits: (d.b << d.n) | d.c in 2"],
      ["h.d.a = h.d.b * 3;", "a = b alone a b", "* 32 bits: d.b * 3 in 1"],
      ["h.d.a = h.d.n == 1 ? h.d.b : h.d.c;", "a = n b c", "* 32 bits: (d.n == 1) ? d.b : d.c in 2"],
    ],
  ],
  [
    "one statement after another",
    [
      ["h.d.a = h.d.b; h.d.c = h.d.a;", "a c = b b'"],
      [
        "h.d.a = h.d.b + 1; h.d.c = h.d.a;",
        "a = b alone a b",
        "c = a",
        "* 32 bits: d.b + 1 in 1",
        "* go takes 2 levels",
      ],
      [
        "h.d.a = h.d.b + 1; h.d.c = h.d.b + 1;",
        "a c = b b alone a b c b",
        "* 32 bits: d.b + 1 in 1",
        "* 32 bits: d.b + 1 in 1",
      ],
      ["h.d.a = h.d.b + 1; h.d.a = h.d.c;", "a a = b c alone a b", "* 32 bits: d.b + 1 in 1"],
      [
        "h.d.a = h.d.b + 1; h.d.c = h.d.a; h.d.c = 1;",
        "a = b alone a b",
        "c c = a",
        "* 32 bits: d.b + 1 in 1",
        "* go takes 2 levels",
      ],
      ["bit<32> t = h.d.a; h.d.a = h.d.b; h.d.b = t;", "a b = b a'"],
      ["h.d.a = h.d.b; h.d.b = 1; h.d.c = h.d.a;", "a b c = b b'"],
      ["bit<32> t = h.d.a; h.d.a = 1; h.d.b = t; h.d.a = 2; h.d.c = t;", "a b a c = a' a'"],
      [
        "bit<32> t = h.d.a + h.d.b; h.d.c = t;",
        "t = a b alone t a b",
        "c = t",
        "* 32 bits: d.a + d.b in 1",
        "* go takes 2 levels",
      ],
      ["bit<32> t = v; h.d.a = t; h.d.b = t;", "a b data 32>a 32>b"],
      [
        "bit<32> t = h.d.n == 1 ? h.d.a : h.d.b; h.d.a = 1; h.d.c = t;",
        "a c = n' a' b'",
        "* 32 bits: (d.n == 1) ? d.a : d.b in 2",
      ],
      ["h.d.s[7:0] = h.d.n; h.d.o = h.d.s[15:8];", "s[7:0] o = n s[15:8]"],
      ["h.d.s[7:0] = h.d.n; h.d.o = h.d.s[7:0];", "s[7:0] = n", "o = s[7:0]", "* go takes 2 levels"],
      ["h.d.a = 1; h.d.b = h.d.a;", "a b"],
      ["h.d.a = v; h.d.s = h.d.a[15:0];", "a s data 32>a 16>s"],
      [
        "h.d.a = h.d.a + 1; h.d.b = h.d.a + 1; h.d.c = h.d.b + h.d.a;",
        "a = a alone a a",
        "b = a alone b a",
        "c = b a alone c b a",
        "* 32 bits: d.a + 1 in 1",
        "* 32 bits: d.a + 1 in 1",
        "* 32 bits: d.b + d.a in 1",
        "* go takes 3 levels",
      ],
      [
        "bit<32> t; if (h.d.n == 1) { t = h.d.a; } else { t = h.d.b; } h.d.c = t;",
        "c = n' a' b'",
        "* 32 bits: (d.n == 1) ? d.a : d.b in 2",
      ],
    ],
  ],
  [
    "registers",
    [
      [
        "r.read(h.d.a, h.d.b);",
        "a = b; register r 1024 x 32 by field",
        "* register r at d.b; read; becomes ",
      ],
      ["r.read(m.m1, h.d.b);", "= b; register r 1024 x 32 by field", "* register r at d.b; read; becomes "],
      ["r.write(h.d.b, 1);", "= b; register r 1024 x 32 by field", "* register r at d.b; written; becomes 1"],
      [
        "r.write(h.d.b, v);",
        "= b data 32; register r 1024 x 32 by field",
        "* register r at d.b; written computed; becomes v; uses v",
      ],
      [
        "r.write(h.d.b, h.d.c);",
        "= b c; register r 1024 x 32 by field",
        "* register r at d.b; written computed; becomes d.c; uses d.c",
      ],
      [
        "bit<32> x; r.read(x, h.d.b); r.write(h.d.b, x + h.d.c);",
        "= b c; register r 1024 x 32 by field",
        "* register r at d.b; read written computed; becomes the cell of Ing.r + d.c; uses d.c",
      ],
      [
        "bit<32> x; r.read(x, h.d.b); r.write(h.d.b, x + v);",
        "= b data 32; register r 1024 x 32 by field",
        "* register r at d.b; read written computed; becomes the cell of Ing.r + v; uses v",
      ],
      [
        "bit<32> x; r.read(x, h.d.b); x = x + 1; r.write(h.d.b, x); h.d.a = x;",
        "a = b; register r 1024 x 32 by field and returns",
        "* register r at d.b; read written computed; becomes the cell of Ing.r + 1",
      ],
      [
        "bit<32> x; r.read(x, h.d.b); h.d.a = x + h.d.c;",
        "a = b c; register r 1024 x 32 by field",
        "* register r at d.b; read; becomes ; uses d.c",
      ],
      [
        "r.read(h.d.a, h.d.b); r.write(h.d.b, h.d.a + 1);",
        "a = b; register r 1024 x 32 by field and returns",
        "* register r at d.b; read written computed; becomes the cell of Ing.r + 1",
      ],
      [
        "bit<32> x; r.read(x, h.d.b); r.write(h.d.b, 5); h.d.a = x;",
        "a = b; register r 1024 x 32 by field",
        "* register r at d.b; read written; becomes 5",
      ],
      [
        "bit<32> x; r.read(x, h.d.b); if (x < h.d.c) { r.write(h.d.b, h.d.c); } h.d.a = x;",
        "a = b c; register r 1024 x 32 by field",
        "* register r at d.b; read written computed; becomes d.c | unchanged; tests the cell of Ing.r < d.c; uses d.c",
      ],
      [
        "if (h.d.n == 1) { r.write(h.d.b, 1); } else { r.write(h.d.b, 2); }",
        "= b n; register r 1024 x 32 by field",
        "* register r at d.b; written; becomes 1 | 2; tests d.n == 1; uses d.n",
      ],
      [
        "if (h.d.n == 1) { r.write(h.d.b, 1); } else if (h.d.o == 2) { r.write(h.d.b, 2); }",
        "= b n o; register r 1024 x 32 by field",
        "* register r at d.b; written; becomes 1 | 2 | unchanged; tests d.n == 1 | d.o == 2; uses d.n d.o",
      ],
      [
        "bit<32> x; r.read(x, h.d.b); if (x > 5) { x = 0; } r.write(h.d.b, x);",
        "= b; register r 1024 x 32 by field",
        "* register r at d.b; read written computed; becomes 0 | unchanged; tests the cell of Ing.r > 5",
      ],
      [
        "bit<32> x; r.read(x, h.d.b); if (x > 5 && h.d.n == 1) { x = x + 1; } else { x = h.d.c; } r.write(h.d.b, x);",
        "= b n c; register r 1024 x 32 by field",
        "* register r at d.b; read written computed; becomes the cell of Ing.r + 1 | d.c; tests the cell of Ing.r > 5 | d.n == 1; uses d.n d.c",
      ],
      [
        "bit<32> x; r.read(x, 3); r.write(3, x + 1);",
        "; register r 1024 x 32 by constant",
        "* register r at 3; read written computed; becomes the cell of Ing.r + 1",
      ],
      [
        "bit<32> x; r.read(x, v); r.write(v, 1); h.d.a = x;",
        "a; register r 1024 x 32 by argument",
        "* register r at v; read written; becomes 1",
      ],
      [
        "r.read(h.d.a, h.d.b + 1);",
        "a = b; register r 1024 x 32 by field",
        "* register r at d.b + 1; read; becomes ",
      ],
      [
        "bit<32> i; hash(i, HashAlgorithm.crc32, 32w0, { h.d.b, h.d.c }, 32w1024); r.write(i, 1);",
        "; register r 1024 x 32 by hash; hash 16 of b c",
        "* hash crc32 from 0 below 1024",
        "* register r at hash(d.b, d.c); written; becomes 1",
      ],
      [
        "bit<32> x; r.read(x, h.d.b); r.write(h.d.c, x);",
        "= b; register r 1024 x 32 by field",
        "* register r at d.b and d.c; read written computed; becomes unchanged",
      ],
      [
        "r.write(h.d.b, 1); q.write(h.d.b, 2);",
        "= b b; register r 1024 x 32 by field; register q 64 x 16 by field",
        "* register r at d.b; written; becomes 1",
        "* register q at d.b; written; becomes 2",
      ],
      [
        "r.write(h.d.b, 1); h.d.a = h.d.b;",
        "a = b b; register r 1024 x 32 by field",
        "* register r at d.b; written; becomes 1",
      ],
    ],
  ],
  [
    "counters, meters, hashes and random numbers",
    [
      ["c.count(h.d.a);", "= a; counter c 512 x 0 by field of bytes"],
      ["c.count(v);", "; counter c 512 x 0 by argument of bytes"],
      ["c.count(9);", "; counter c 512 x 0 by constant of bytes"],
      ["c.count(h.d.a + 1);", "= a; counter c 512 x 0 by field of bytes"],
      ["e.count(h.d.a);", "= a; counter e 64 x 0 by field of both"],
      ["p.count(h.d.a);", "= a; counter p 32 x 0 by field of packets"],
      ["mt.execute_meter(h.d.a, h.d.n);", "n = a; meter mt 256 x 0 by field"],
      [
        "hash(h.d.a, HashAlgorithm.crc32, 32w0, { h.d.b, h.d.c[7:0] }, 32w1024);",
        "a; hash 10 of b c[7:0]'",
        "* hash crc32 from 0 below 1024",
      ],
      [
        "hash(h.d.a, HashAlgorithm.crc32, 32w0, { h.d.b }, 32w1000);",
        "a; hash 10 of b",
        "* hash crc32 from 0 below 1000",
      ],
      [
        "hash(h.d.n, HashAlgorithm.crc16, 8w0, { h.d.b }, 32w65536);",
        "n; hash 8 of b",
        "* hash crc16 from 0 below 65536",
      ],
      [
        "hash(h.d.a, HashAlgorithm.crc32, 32w0, { h.d.b }, h.d.c);",
        "a; hash 32 of b",
        "* hash crc32 from 0 below d.c",
      ],
      [
        "hash(h.d.a, HashAlgorithm.crc32, 32w5, { h.d.b }, 32w1);",
        "a; hash 32 of b",
        "* hash crc32 from 5 below 1",
      ],
      ["hash(m.m1, HashAlgorithm.crc32, 32w0, { h.d.b }, 32w16);", "", "* hash crc32 from 0 below 16"],
      [
        "bit<16> i; hash(i, HashAlgorithm.crc16, 16w0, { h.d.b }, 32w1024); h.d.s = i;",
        "s; hash 16 of b",
        "* hash crc16 from 0 below 1024",
      ],
      ["random(h.d.n, 8w0, 8w255);", "n; random", "* random 8 bits from 0 to 255"],
      ["random(h.d.a, h.d.b, v);", "a; random", "* random 32 bits from d.b to v"],
    ],
  ],
  [
    "effects, headers and other externs",
    [
      ["mark_to_drop(sm);", "$drop"],
      ["h.d.setInvalid();", "$valid$"],
      ["h.e.setValid();", "e.$valid$"],
      ["h.d = h.e;", "a b c s n o l $valid$ = e.a e.b e.c e.s e.n e.o e.l"],
      ["clone(CloneType.I2E, 32w5);", "$mirror"],
      ["resubmit_preserving_field_list(8w0);", "$resubmit"],
      ["digest<bit<32>>(1, h.d.a);", "$digest"],
      ["truncate(32w10);", "", "* extern truncate"],
      ['log_msg("x");', "", "* extern log_msg"],
      ["h.d.a = 1; exit; h.d.b = 2;", "a"],
      ["h.d.a = 1; return;", "a"],
    ],
  ],
  [
    "conditions",
    [
      ["if (h.d.n == 1) { h.d.a = 1; } h.d.b = 2;", "a b", "* only if d.n == 1"],
      [
        "if (h.d.n == 1) { h.d.a = 1; } else { h.d.b = 2; }",
        "a b",
        "* only if d.n == 1",
        "* only if !(d.n == 1)",
      ],
      ["if (h.d.n == 1) { if (h.d.o == 2) { h.d.a = 1; } }", "a", "* only if d.o == 2"],
      ["if (h.d.n == 1) { } else { h.d.b = 2; }", "b", "* only if !(d.n == 1)"],
      ["if (h.d.n == 1) { return; } h.d.b = 2;", "b", "* only if !(d.n == 1)"],
      [
        "if (h.d.n == 1) { if (h.d.o == 2) { return; } h.d.a = 1; } h.d.b = 2;",
        "a b",
        "* only if d.o == 2",
        "* only if d.n == 1",
      ],
      ["if (h.d.n == 1) { mark_to_drop(sm); }", "$drop", "* only if d.n == 1"],
      [
        "if (h.d.n == 1) { hash(h.d.a, HashAlgorithm.crc32, 32w0, { h.d.b }, 32w16); }",
        "a; hash 4 of b",
        "* only if d.n == 1",
        "* hash crc32 from 0 below 16",
      ],
    ],
  ],
];

describe.each(CASES)("%s", (_, cases) => {
  it.each(cases)("%s", (body, ...lines) => {
    expect(linesOf(body)).toEqual(lines);
  });
});

describe("a copy of a header", () => {
  /** The sources of each field of the copy that the action sets. */
  function copied(body: string): string[] {
    const locals = `action go(bit<32> v) { ${body} }
      table t { key = { h.d.l : exact; } actions = { go; NoAction; } size = 64; default_action = NoAction(); }`;
    const { model } = built(wrap(FIELDS, locals, "t.apply();").replace("{ d_h d; }", "{ d_h d; d_h e; }"));
    return model.units
      .flatMap(({ actions }) => actions.flatMap(({ operations }) => operations))
      .filter(({ write }) => write.field.startsWith("e."))
      .map(
        ({ write, sources, data }) =>
          `${write.field} = ${data ? "data" : sources.map(({ field }) => field).join()}`,
      );
  }

  it("takes each field from that of the other, but for those that the action sets whole behind it", () => {
    const all = ["a", "b", "c", "s", "n", "o", "l"].map((name) => `e.${name} = d.${name}`);
    expect(copied("h.e = h.d;")).toEqual([...all, "e.$valid$ = data"]);
    expect(copied("h.e = h.d; h.e.a = v;").filter((line) => line.startsWith("e.a"))).toEqual(["e.a = data"]);
    expect(copied("h.e = h.d; h.e.s[7:0] = 3;").filter((line) => line.startsWith("e.s"))).toContain(
      "e.s = d.s",
    );
  });
});
