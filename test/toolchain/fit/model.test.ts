/**
 * The logical tables of a program: keys and their slices, variables that only carry a key or a condition, bare statements, and the
 * memories of a table. A statement of a control is a table; statements share one until one of them needs the result of another or
 * calls an extern (docs/fit/README.md).
 *
 * A unit a line, as in `model-text.ts`; `GO` is an action with one argument, `REST` ends a table that calls it.
 */
import { describe, expect, it } from "vitest";
import { built, featureText } from "./model-text.js";
import { wrap } from "./programs.js";

const FIELDS = "bit<32> a; bit<32> b; bit<32> c; bit<16> s; bit<8> n; bit<8> o; bit<64> l;";

interface Case {
  readonly locals: string;
  readonly apply: string;
  readonly egress?: string;
  readonly lines: readonly string[];
}

function linesOf({ locals, apply, egress }: Case): string[] {
  const whole = locals
    .replaceAll("REST", "actions = { go; NoAction; } size = 64; default_action = NoAction();")
    .replaceAll("GO", "action go(bit<32> v) { h.d.c = v; }");
  const { lines, features } = built(wrap(FIELDS, whole, apply, egress));
  const shown = features.filter(({ kind }) => ["conditional", "spread", "again", "intrinsic"].includes(kind));
  return [
    // Names of statements hold their line.
    ...lines.map((line) =>
      line.replaceAll(/tbl_program\d+/g, "statement").replaceAll(/program\d+(_\d+)?:/g, "="),
    ),
    ...shown.map((feature) => `* ${featureText(feature)}`),
  ];
}

const CASES: readonly [what: string, cases: readonly Case[]][] = [
  [
    "keys",
    [
      {
        locals: "GO table t { key = { h.d.a: exact; h.d.b: ternary; h.d.s: lpm; } REST }",
        apply: "t.apply();",
        lines: ["t match; key exact a, ternary b, lpm s; 64 entries; go: c data 32>c"],
      },
      {
        locals: "GO table t { key = { h.d.a[15:8]: exact; } REST }",
        apply: "t.apply();",
        lines: ["t match; key exact a[15:8]; 64 entries; go: c data 32>c"],
      },
      {
        locals: "GO table t { key = { h.d.a[31:16]: ternary; h.d.a[7:0]: exact; } REST }",
        apply: "t.apply();",
        lines: ["t match; key ternary a[31:16], exact a[7:0]; 64 entries; go: c data 32>c"],
      },
      {
        locals: "GO table t { key = { h.d.isValid(): exact; } REST }",
        apply: "t.apply();",
        lines: ["t match; key exact $valid$; 2 entries; go: c data 32>c"],
      },
      {
        locals: "GO table t { key = { h.d.a & 0xff00: exact; } REST }",
        apply: "t.apply();",
        lines: [
          "statement action; = key = a data 32>key",
          "t match; key exact key; 64 entries; go: c data 32>c",
        ],
      },
      {
        locals: 'GO table t { key = { h.d.a: exact @name("k"); } REST }',
        apply: "t.apply();",
        lines: ["t match; key exact a; 64 entries; go: c data 32>c"],
      },
    ],
  ],
  [
    "variables for keys and conditions",
    [
      {
        locals: "GO table t { key = { m.m0: exact; } REST }",
        apply: "m.m0 = h.d.a; t.apply();",
        lines: ["t match; key exact a; 64 entries; go: c data 32>c"],
      },
      {
        locals: "GO table t { key = { m.m0: exact; } REST }",
        apply: "m.m0 = h.d.a & 0xff; t.apply();",
        lines: ["t match; key exact a[7:0]; 64 entries; go: c data 32>c"],
      },
      {
        locals: "GO table t { key = { m.m0: exact; } REST }",
        apply: "m.m0 = h.d.a + h.d.b; t.apply();",
        lines: [
          "statement action; = meta_t.m0 = a b alone meta_t.m0 a b",
          "t match; key exact meta_t.m0; 64 entries; go: c data 32>c",
        ],
      },
      {
        locals: "GO table t { key = { m.m0: exact; } REST }",
        apply: "m.m0 = h.d.a; h.d.a = 1; t.apply();",
        lines: [
          "statement action; = meta_t.m0 a = a",
          "t match; key exact meta_t.m0; 64 entries; go: c data 32>c",
        ],
      },
      {
        locals: "GO table t { key = { m.m0: exact; } REST }",
        apply: "h.d.a = 1; m.m0 = h.d.a; t.apply();",
        lines: [
          "statement action; = a meta_t.m0",
          "t match; key exact meta_t.m0; 64 entries; go: c data 32>c",
        ],
      },
      {
        locals: "GO table t { key = { m.m0: exact; } REST }",
        apply: "m.m0 = h.d.a; t.apply(); h.d.a = 1;",
        lines: ["t match; key exact a; 64 entries; go: c data 32>c", "statement_0 action; = a"],
      },
      {
        locals: "GO table t { key = { m.m0: exact; } REST } table u { key = { m.m0: exact; } REST }",
        apply: "m.m0 = h.d.a; t.apply(); u.apply();",
        lines: [
          "t match; key exact a; 64 entries; go: c data 32>c",
          "u match; key exact a; 64 entries; go: c data 32>c",
        ],
      },
      {
        locals: "GO table t { key = { m.m0: exact; } REST } table u { key = { m.m0: exact; } REST }",
        apply: "m.m0 = h.d.a; t.apply(); h.d.a = 1; u.apply();",
        lines: [
          "statement action; = meta_t.m0 = a",
          "t match; key exact meta_t.m0; 64 entries; go: c data 32>c",
          "statement_0 action; = a",
          "u match; key exact meta_t.m0; 64 entries; go: c data 32>c",
        ],
      },
      {
        locals: "GO table t { key = { m.m0: exact; } REST }",
        apply: "m.m0 = h.d.a; m.m0 = h.d.b; t.apply();",
        lines: [
          "statement action; = meta_t.m0 = a",
          "statement#2 action; = meta_t.m0 = b",
          "t match; key exact meta_t.m0; 64 entries; go: c data 32>c",
        ],
      },
      {
        locals: "GO table t { key = { m.m0: exact; } REST }",
        apply: "if (h.d.n == 1) { m.m0 = h.d.a; } t.apply();",
        lines: [
          "node condition; if d.n == 1, 1 gateways",
          "statement action; = meta_t.m0 = a",
          "t match; key exact meta_t.m0; 64 entries; go: c data 32>c",
        ],
      },
      {
        locals: "GO table t { key = { m.m0: exact; } REST }",
        apply: "m.m0 = h.d.a; t.apply(); h.d.b = m.m0;",
        lines: [
          "statement action; = meta_t.m0 = a",
          "t match; key exact meta_t.m0; 64 entries; go: c data 32>c",
          "statement_0 action; = b = meta_t.m0",
        ],
      },
      {
        locals: "GO table t { key = { m.m0: exact; } REST }",
        apply: "m.m0 = m.m0 + 1; t.apply();",
        lines: [
          "statement action; = meta_t.m0 = meta_t.m0 alone meta_t.m0 meta_t.m0",
          "t match; key exact meta_t.m0; 64 entries; go: c data 32>c",
        ],
      },
      {
        locals: "GO table t { key = { h.d.b: exact; } REST }",
        apply: "h.d.b = h.d.a; t.apply();",
        lines: ["statement action; = b = a", "t match; key exact b; 64 entries; go: c data 32>c"],
      },
      {
        locals: "GO table t { key = { m.m0: exact; } REST }",
        apply: "m.m0[7:0] = h.d.n; t.apply();",
        lines: [
          "statement action; = meta_t.m0[7:0] = n",
          "t match; key exact meta_t.m0; 64 entries; go: c data 32>c",
        ],
      },
      {
        locals: "GO table t { key = { m.m0: exact; } REST }",
        apply: "m.m0[15:8] = h.d.n; t.apply();",
        lines: [
          "statement action; = meta_t.m0[15:8] = n",
          "t match; key exact meta_t.m0; 64 entries; go: c data 32>c",
        ],
      },
      {
        locals: "GO table t { key = { m.m0: exact; } REST }",
        apply: "m.m0 = h.d.a; t.apply();",
        egress: "if (m.m0 == 1) { h.d.b = 2; }",
        lines: [
          "statement action; = meta_t.m0 = a",
          "t match; key exact meta_t.m0; 64 entries; go: c data 32>c",
          "node condition; if meta_t.m0 == 1, 1 gateways",
          "statement action; = b",
        ],
      },
      {
        locals: "GO table t { key = { sm.egress_spec: exact; } REST }",
        apply: "sm.egress_spec = (bit<9>) h.d.a; t.apply();",
        lines: [
          "statement action; = egress_spec = a[8:0]",
          "t match; key exact egress_spec; 64 entries; go: c data 32>c",
        ],
      },
      {
        locals: "GO ",
        apply: "bool one = h.d.a == 1; if (one) { h.d.b = 2; }",
        lines: ["node condition; if d.a == 1, 1 gateways", "statement action; = b"],
      },
      {
        locals: "GO ",
        apply: "bool one = h.d.a == 1; h.d.a = 3; if (one) { h.d.b = 2; }",
        lines: [
          "statement_0 action; = one a = a",
          "node condition; if one, 1 gateways",
          "statement action; = b",
        ],
      },
      {
        locals: "GO ",
        apply: "bool one = h.d.a == 1; if (one || h.d.n == 2) { h.d.b = 2; } if (!one) { h.d.c = 1; }",
        lines: [
          "node_0 condition; if (d.a == 1) || (d.n == 2), 1 gateways",
          "statement action; = b",
          "node condition; if !(d.a == 1), 1 gateways",
          "statement_1 action; = c",
        ],
      },
      {
        locals: "GO table t { key = { m.m0: exact; m.m1: exact; } REST }",
        apply: "m.m0 = h.d.a; m.m1 = h.d.b; t.apply();",
        lines: ["t match; key exact a, exact b; 64 entries; go: c data 32>c"],
      },
      {
        locals: "GO table t { key = { m.m0: exact; } REST }",
        apply: "m.m0 = h.d.a; if (m.m0 == 3) { t.apply(); }",
        lines: [
          "node condition; if d.a == 3, 1 gateways",
          "t match; key exact a; 64 entries; go: c data 32>c",
        ],
      },
      {
        locals:
          "action set(bit<32> v) { m.m0 = v; } table u { key = { h.d.n: exact; } actions = { set; NoAction; } size = 64; default_action = NoAction(); } GO table t { key = { m.m0: exact; } REST }",
        apply: "u.apply(); t.apply();",
        lines: [
          "u match; key exact n; 64 entries; set: meta_t.m0 data 32>meta_t.m0",
          "t match; key exact meta_t.m0; 64 entries; go: c data 32>c",
        ],
      },
      {
        locals: "action set() { m.m0 = h.d.a; } GO table t { key = { m.m0: exact; } REST }",
        apply: "set(); t.apply();",
        lines: [
          "tbl_set action; set: meta_t.m0 = a",
          "t match; key exact meta_t.m0; 64 entries; go: c data 32>c",
        ],
      },
      {
        locals: "GO table t { key = { m.m0: exact; } REST }",
        apply: "if (h.d.n == 1) { m.m0 = h.d.a; t.apply(); }",
        lines: [
          "node condition; if d.n == 1, 1 gateways",
          "t match; key exact a; 64 entries; go: c data 32>c",
        ],
      },
      {
        locals: "GO table t { key = { m.m0: exact; } REST }",
        apply: "hash(m.m0, HashAlgorithm.crc32, 32w0, { h.d.a }, 32w16); t.apply();",
        lines: [
          "statement action; = meta_t.m0; hash 4 of a",
          "t match; key exact meta_t.m0; 64 entries; go: c data 32>c",
        ],
      },
    ],
  ],
  [
    "statements",
    [
      { locals: "", apply: "h.d.a = h.d.b; h.d.c = 1;", lines: ["statement action; = a c = b"] },
      { locals: "", apply: "h.d.a = h.d.b; h.d.c = h.d.a;", lines: ["statement action; = a c = b b'"] },
      {
        locals: "",
        apply: "h.d.a = h.d.b + 1; h.d.c = h.d.a;",
        lines: ["statement action; = a = b alone a b", "statement#2 action; = c = a"],
      },
      {
        locals: "",
        apply: "h.d.a = 1; h.d.a = 2;",
        lines: ["statement action; = a", "statement#2 action; = a"],
      },
      {
        locals: "register<bit<32>>(16) r;",
        apply: "h.d.a = 1; r.write(h.d.b, 1); h.d.c = 2;",
        lines: [
          "statement action; = a",
          "statement#2 action; = = b; register r 16 x 32 by field",
          "statement#3 action; = c",
        ],
      },
      {
        locals: "counter(16, CounterType.packets) c;",
        apply: "c.count(h.d.b); c.count(h.d.a);",
        lines: [
          "statement action; = = b; counter c 16 x 0 by field of packets",
          "statement#2 action; = = a; counter c 16 x 0 by field of packets",
        ],
      },
      {
        locals: "",
        apply: "random(h.d.n, 8w0, 8w255); random(h.d.o, 8w0, 8w255);",
        lines: ["statement action; = n; random", "statement#2 action; = o; random"],
      },
      { locals: "", apply: "m.m1 = 3;", lines: ["statement action; ="] },
      {
        locals:
          "action go() { h.d.a = 1; } action two() { h.d.b = h.d.a; h.d.c = h.d.b + 1; h.d.l = (bit<64>) h.d.c; }",
        apply: "go(); two();",
        lines: [
          "tbl_go action; go: a",
          "tbl_two action; two: b c = a a' alone c a",
          "tbl_two#2 action; two: l = c",
          "* two takes 2 levels",
        ],
      },
      {
        locals: "",
        apply: "if (h.d.a == 1) { h.d.b = 1; } else if (h.d.a < 1000 && h.d.n != 3) { h.d.b = 2; }",
        lines: [
          "node_0 condition; if d.a == 1, 1 gateways",
          "statement action; = b",
          "node condition; if (d.a < 1000) && (d.n != 3), 1 gateways",
          "statement_0 action; = b",
        ],
      },
      {
        locals: "",
        apply: "if (h.d.a == 1 || h.d.a == 2 || h.d.n == 3) { h.d.b = 1; }",
        lines: [
          "node condition; if ((d.a == 1) || (d.a == 2)) || (d.n == 3), 1 gateways",
          "statement action; = b",
        ],
      },
      {
        locals: "",
        apply: "switch (h.d.n) { 1: { h.d.a = 1; } 2: { h.d.a = 2; } default: { h.d.b = 1; } }",
        lines: [
          "node_0 condition; if d.n == 1, 1 gateways",
          "statement action; = a",
          "node condition; if d.n == 2, 1 gateways",
          "statement_0 action; = a",
          "statement_1 action; = b",
        ],
      },
    ],
  ],
  [
    "memories of a table",
    [
      {
        locals:
          "direct_counter(CounterType.packets) k; action go() { k.count(); } table t { key = { h.d.a: exact; } REST counters = k; }",
        apply: "t.apply();",
        lines: ["t match; key exact a; 64 entries; go:; counter k 0 x 0 by direct of packets"],
      },
      {
        locals:
          "direct_counter(CounterType.bytes) k; action go() { k.count(); } table t { key = { h.d.a: exact; } REST counters = k; }",
        apply: "t.apply();",
        lines: ["t match; key exact a; 64 entries; go:; counter k 0 x 0 by direct of bytes"],
      },
      {
        locals:
          "direct_counter(CounterType.packets_and_bytes) k; action go() { k.count(); } table t { key = { h.d.a: exact; } REST counters = k; }",
        apply: "t.apply();",
        lines: ["t match; key exact a; 64 entries; go:; counter k 0 x 0 by direct of both"],
      },
      {
        locals:
          "direct_meter<bit<8>>(MeterType.bytes) k; action go() { k.read(h.d.n); } table t { key = { h.d.a: exact; } REST meters = k; }",
        apply: "t.apply();",
        lines: ["t match; key exact a; 64 entries; go: n; meter k 0 x 0 by direct"],
      },
      {
        locals: "GO table t { key = { h.d.a: exact; } REST support_timeout = true; }",
        apply: "t.apply();",
        lines: ["t match; key exact a; 64 entries; go: c data 32>c; idle t$idle 0 x 0 by direct"],
      },
      {
        locals: "GO table t { key = { h.d.a: exact; } REST implementation = action_profile(128); }",
        apply: "t.apply();",
        lines: ["t match; key exact a; 64 entries; go: c data 32>c; 128 members"],
      },
      {
        locals: "action_profile(256) p; GO table t { key = { h.d.a: exact; } REST implementation = p; }",
        apply: "t.apply();",
        lines: ["t match; key exact a; 64 entries; go: c data 32>c; 256 members"],
      },
      {
        locals:
          "action_selector(HashAlgorithm.crc16, 256, 14) p; GO table t { key = { h.d.a: exact; h.d.b: selector; h.d.n: selector; } REST implementation = p; }",
        apply: "t.apply();",
        lines: ["t match; key exact a; 64 entries; go: c data 32>c; 256 members, groups of 120 by b n"],
      },
      {
        locals:
          "@max_group_size(64) action_selector(HashAlgorithm.crc16, 256, 14) p; GO table t { key = { h.d.a: exact; h.d.b: selector; } REST implementation = p; }",
        apply: "t.apply();",
        lines: ["t match; key exact a; 64 entries; go: c data 32>c; 256 members, groups of 64 by b"],
      },
      {
        locals:
          "@selector_max_group_size(240) action_selector(HashAlgorithm.crc16, 256, 14) p; GO table t { key = { h.d.a: exact; h.d.b: selector; } REST implementation = p; }",
        apply: "t.apply();",
        lines: ["t match; key exact a; 64 entries; go: c data 32>c; 256 members, groups of 240 by b"],
      },
      {
        locals:
          "action_selector(HashAlgorithm.crc16, 256, 14) p; GO @max_group_size(32) table t { key = { h.d.a: exact; h.d.b: selector; } REST implementation = p; }",
        apply: "t.apply();",
        lines: ["t match; key exact a; 64 entries; go: c data 32>c; 256 members, groups of 32 by b"],
      },
      {
        locals: "GO @alpm(1) table t { key = { h.d.a: lpm; } REST }",
        apply: "t.apply();",
        lines: [
          "t$preclassifier match; key lpm a; 2048 entries; $partition: t$partition data 10>t$partition",
          "t match; key exact t$partition, lpm a; 64 entries; go: c data 32>c",
        ],
      },
      {
        locals: "GO @alpm(1) table t { key = { h.d.a: lpm; h.d.n: exact; } REST }",
        apply: "t.apply();",
        lines: [
          "t$preclassifier match; key lpm a, exact n; 2048 entries; $partition: t$partition data 10>t$partition",
          "t match; key exact t$partition, lpm a, exact n; 64 entries; go: c data 32>c",
        ],
      },
      {
        locals: "GO @alpm(0) table t { key = { h.d.a: lpm; } REST }",
        apply: "t.apply();",
        lines: ["t match; key lpm a; 64 entries; go: c data 32>c"],
      },
      {
        locals: "GO @alpm(1) table t { key = { h.d.a: exact; } REST }",
        apply: "t.apply();",
        lines: ["t match; key exact a; 64 entries; go: c data 32>c"],
      },
      {
        locals:
          "direct_counter(CounterType.bytes) k; action go() { k.count(); h.d.b = h.d.b + 1; h.d.c = h.d.b; } @alpm(1) table t { key = { h.d.a: lpm; } REST counters = k; }",
        apply: "t.apply();",
        lines: [
          "t$preclassifier match; key lpm a; 2048 entries; $partition: t$partition data 10>t$partition",
          "t match; key exact t$partition, lpm a; 64 entries; go: b = b alone b b; counter k 0 x 0 by direct of bytes",
          "t#2 action; go: c = b",
          "* go takes 2 levels",
        ],
      },
      {
        locals:
          "GO action on() { h.d.b = 1; } table t { key = { h.d.a: exact; } actions = { @defaultonly on; go; @tableonly NoAction; } }",
        apply: "t.apply();",
        lines: ["t match; key exact a; 1024 entries; on (default only): b; go: c data 32>c"],
      },
      {
        locals: "GO table t { actions = { go; NoAction; } default_action = go(5); }",
        apply: "t.apply();",
        lines: ["t action; go: c data 32>c"],
      },
      {
        locals:
          "action go(bit<32> v) { h.d.b = h.d.b + v; h.d.c = h.d.b; } action on() { h.d.a = 1; } table t { key = { h.d.n: exact; } actions = { go; on; } }",
        apply: "t.apply();",
        lines: [
          "t match; key exact n; 256 entries; go: b = b data 32>b alone b b; on: a",
          "t#2 action; go: c = b; on:",
          "* go takes 2 levels",
        ],
      },
    ],
  ],
];

describe.each(CASES)("%s", (_, cases) => {
  it.each(cases)("$locals $apply $egress", (one) => {
    expect(linesOf(one)).toEqual(one.lines);
  });
});
