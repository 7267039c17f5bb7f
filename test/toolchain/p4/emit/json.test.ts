/**
 * What the JSON for BMv2 says of tables and their entries, default actions, registers, headers, copies of whole values, and places in the
 * source; and what the switch computes with the operators that few programs use.
 */
import { describe, expect, it } from "vitest";
import { answer, IO, values } from "../lower/packets.js";
import { compileParts, type Parts, tryCompile, v1model } from "../lower/v1model.js";

const bmv2Of = (parts: Parts) => compileParts(parts).program.bmv2;

describe("the entries of a table", () => {
  const parts = (kind: string, pattern: string): Parts => ({
    metadata: "bit<12> x; bit<8> y;",
    locals: `action a() {} table t { key = { meta.x: ${kind}; meta.y: ternary; } actions = { a; } default_action = a; const entries = { (${pattern}, 1): a(); } }`,
    ingress: "t.apply();",
  });
  it.each<[string, string, object | undefined, object | undefined]>([
    ["exact", "0x123", { match_type: "exact", key: "0x0123" }, { kind: "exact", value: 0x123n }],
    ["exact", "_", undefined, undefined],
    ["exact", "1 &&& 2", undefined, undefined],
    ["exact", "1 .. 2", undefined, undefined],
    [
      "ternary",
      "0x123",
      { match_type: "ternary", key: "0x0123", mask: "0x0fff" },
      { kind: "ternary", value: 0x123n, mask: 0xfffn },
    ],
    [
      "ternary",
      "0x123 &&& 0xff0",
      { match_type: "ternary", key: "0x0120", mask: "0x0ff0" },
      { kind: "ternary", value: 0x120n, mask: 0xff0n },
    ],
    ["ternary", "_", { match_type: "ternary", key: "0x0000", mask: "0x0000" }, undefined],
    ["ternary", "1 .. 2", undefined, undefined],
    [
      "optional",
      "0x123",
      { match_type: "ternary", key: "0x0123", mask: "0x0fff" },
      { kind: "optional", value: 0x123n },
    ],
    ["optional", "_", { match_type: "ternary", key: "0x0000", mask: "0x0000" }, undefined],
    ["optional", "1 &&& 3", undefined, undefined],
    [
      "lpm",
      "0x123",
      { match_type: "lpm", key: "0x0123", prefix_length: 12 },
      { kind: "lpm", value: 0x123n, prefixLength: 12 },
    ],
    [
      "lpm",
      "0x120 &&& 0xff0",
      { match_type: "lpm", key: "0x0120", prefix_length: 8 },
      { kind: "lpm", value: 0x120n, prefixLength: 8 },
    ],
    ["lpm", "_", { match_type: "lpm", key: "0x0000", prefix_length: 0 }, undefined],
    ["lpm", "0x120 &&& 0xf0f", undefined, undefined],
    ["lpm", "1 .. 2", undefined, undefined],
    [
      "range",
      "0x123",
      { match_type: "range", start: "0x0123", end: "0x0123" },
      { kind: "range", low: 0x123n, high: 0x123n },
    ],
    [
      "range",
      "1 .. 0x200",
      { match_type: "range", start: "0x0001", end: "0x0200" },
      { kind: "range", low: 1n, high: 0x200n },
    ],
    ["range", "_", { match_type: "range", start: "0x0000", end: "0x0fff" }, undefined],
    ["range", "1 &&& 3", undefined, undefined],
  ])("a key matched by %s with %s", (kind, pattern, key, match) => {
    const compiled = tryCompile(v1model(parts(kind, pattern)));
    if (key === undefined) {
      expect(new Set(compiled.codes)).toEqual(new Set(["P40514"]));
      return;
    }
    const { program, entries } = compiled.result!;
    const table = program.bmv2.pipelines[0]!.tables.find(({ name }) => name === "I.t")!;
    expect(table.entries![0]!.match_key[0]).toEqual(key);
    const [entry] = entries;
    const found = entry!.kind === "tableEntry" ? entry!.match.filter(({ field }) => field === "meta.x") : [];
    expect(found).toEqual(match === undefined ? [] : [{ field: "meta.x", ...match }]);
  });

  it.each<[string, string, string]>([
    ["exact; meta.y: exact", "exact", "no"],
    ["exact; meta.y: lpm", "lpm", "no"],
    ["lpm; meta.y: ternary", "ternary", "yes"],
    ["exact; meta.y: optional", "ternary", "yes"],
    ["ternary; meta.y: range", "range", "yes"],
  ])(
    "keys matched by %s make a table of %s, with priorities for a controller: %s",
    (kinds, type, priorities) => {
      const { program, entries: initial } = compileParts({
        metadata: "bit<8> x; bit<8> y;",
        locals: `action a() {} table t { key = { meta.x: ${kinds}; } actions = { a; } default_action = a; const entries = { (1, 1): a(); (2, 2): a(); (3, 3): a(); } }`,
        ingress: "t.apply();",
      });
      expect(program.bmv2.pipelines[0]!.tables.find(({ name }) => name === "I.t")!.match_type).toBe(type);
      const given = initial.flatMap((one) => (one.kind === "tableEntry" ? [one.priority] : []));
      expect(given).toEqual(priorities === "yes" ? [3, 2, 1] : [0, 0, 0]);
    },
  );

  it("whose priorities the smaller wins are turned for a controller, for which the larger wins", () => {
    const { program, entries: initial } = compileParts({
      metadata: "bit<8> x;",
      locals: `action a() {} table t { key = { meta.x: ternary; } actions = { a; } default_action = a; largest_priority_wins = false;
        entries = { priority = 5: 1: a(); priority = 20: 2: a(); const priority = 7: 3: a(); } }`,
      ingress: "t.apply();",
    });
    const entries = initial.flatMap((one) => (one.kind === "tableEntry" ? [one] : []));
    expect(entries.map(({ priority, isConst }) => [priority, isConst])).toEqual([
      [20, false],
      [5, false],
      [18, true],
    ]);
    const table = program.bmv2.pipelines[0]!.tables.find(({ name }) => name === "I.t")!;
    expect(table.entries!.map(({ priority }) => priority)).toEqual([1, 3, 2]);
  });
});

it("data of a default action: numbers, signed ones in two's complement, bools and members by position", () => {
  const bmv2 = bmv2Of({
    top: "enum K { p, q }",
    metadata: "bit<8> x; K k; bool f; int<8> s; error e;",
    locals: `action a(bit<8> n, int<8> s, bool f, K k, error e) { meta.x = n; meta.s = s; meta.f = f; meta.k = k; meta.e = e; }
      table t { key = { meta.x: exact; } actions = { a; } default_action = a(0x1f, -1, true, K.q, error.NoMatch); const entries = { 1: a(2, 3, false, K.p, error.NoError); } }`,
    ingress: "t.apply();",
  });
  const table = bmv2.pipelines[0]!.tables.find(({ name }) => name === "I.t")!;
  expect(table.default_entry!.action_data).toEqual(["0x1f", "0xff", "0x1", "0x1", "0x2"]);
  expect(table.entries![0]!.action_entry.action_data).toEqual(["0x2", "0x3", "0x0", "0x0", "0x0"]);
});

describe("registers", () => {
  it.each([
    ["bit<12>", 12],
    ["int<7>", 7],
    ["Code", 9],
    ["New", 11],
  ])("of %s have cells of %i bits", (type, width) => {
    const bmv2 = bmv2Of({
      top: "enum bit<9> Code { one = 1 } type bit<11> New;",
      metadata: `${type} v;`,
      locals: `register<${type}>(5) r;`,
      ingress: "r.read(meta.v, 0); r.write(1, meta.v);",
    });
    expect(bmv2.register_arrays.map(({ name, size, bitwidth }) => [name, size, bitwidth])).toEqual([
      ["I.r", 5, width],
    ]);
  });
});

describe("headers and fields", () => {
  const bitsOf = (fields: readonly (readonly [string, number | "*", boolean?])[]) =>
    fields.reduce((sum, [, width]) => sum + (width === "*" ? 0 : width), 0);

  it.each([1, 3, 7, 8, 9, 15, 16])("the scalars of %i bits fill whole bytes", (width) => {
    const bmv2 = bmv2Of({ metadata: `bit<${width}> x;`, ingress: "meta.x = 1;" });
    const { fields } = bmv2.header_types.find(({ name }) => name === "scalars_0")!;
    expect(bitsOf(fields) % 8).toBe(0);
    expect(bitsOf(fields)).toBeLessThan(width + 8);
    expect(fields.some(([name]) => name.startsWith("_padding"))).toBe(width % 8 !== 0);
    const standard = bmv2.header_types.find(({ name }) => name === "standard_metadata")!;
    expect(bitsOf(standard.fields) % 8).toBe(0);
  });

  it("a header that is no whole bytes says how many bits it needs", () => {
    const { diagnostics } = tryCompile(v1model({ top: "header h_t { bit<13> a; }", headers: "h_t h;" }));
    expect(diagnostics.list.map(({ code, notes }) => [code, notes.map(({ message }) => message)])).toEqual([
      ["P40510", ["add a field of 3 bits"]],
    ]);
  });

  it("structs and arrays inside a header are fields with their names", () => {
    const bmv2 = bmv2Of({
      top: "struct in_t { bit<4> p; int<4> q; } header h_t { bit<8> a; in_t s; varbit<16> v; }",
      headers: "h_t h;",
    });
    const type = bmv2.header_types.find(({ name }) => name === "h_t")!;
    expect(type.fields).toEqual([
      ["a", 8, false],
      ["s.p", 4, false],
      ["s.q", 4, true],
      ["v", "*"],
    ]);
    expect(type.max_length).toBe(4);
  });

  it("a local varbit is a header of metadata, and copies keep its bits", () => {
    const parts: Parts = {
      top: "header v_t { varbit<32> v; }",
      headers: "v_t one; v_t two;",
      states: "state start { pkt.extract(hdr.io); pkt.extract(hdr.one, 16); transition accept; }",
      ingress: "varbit<32> keep = hdr.one.v; hdr.two = hdr.one; hdr.two.v = keep; hdr.one.setInvalid();",
    };
    expect(answer(parts, "abcdef")).toBe("05030102" + "abcd" + "ef");
    const bmv2 = bmv2Of({ ...parts, top: `${IO} ${parts.top}`, headers: `io_t io; ${parts.headers}` });
    const holders = bmv2.headers.filter(({ header_type }) => header_type.includes("varbit"));
    expect(holders.map(({ metadata }) => metadata)).toEqual([true]);
  });

  it("stacks of unions are copied as wholes, and their last member is read", () => {
    const parts: Parts = {
      top: "header p_t { bit<8> p; } header q_t { bit<8> q; } header_union U { p_t a; q_t b; }",
      headers: "U[2] s; U[2] t;",
      metadata: "bit<8> r;",
      states: `state start { pkt.extract(hdr.io); pkt.extract(hdr.s.next.a); transition select(hdr.s.last.a.p) { 7: more; default: accept; } }
        state more { pkt.extract(hdr.s.next.b); meta.r = hdr.s.last.b.q; transition accept; }`,
      ingress: "hdr.io.a = meta.r; hdr.t = hdr.s; hdr.s[0].a.setInvalid(); hdr.t[1].b.q = 1;",
    };
    expect(answer(parts, "0809")).toBe("00030102" + "08" + "09");
    expect(answer(parts, "07090a")).toBe("09030102" + "09" + "07" + "01" + "0a");
  });
});

describe("operators", () => {
  it.each<[string, string, Parts, [number, number, number]]>([
    ["division and remainder", "hdr.io.w = hdr.io.w / 7; hdr.io.a = hdr.io.a % 3;", {}, [2, 3, 36]],
    [
      "a choice between truth values",
      "if ((meta.f ? hdr.io.a == 5 : hdr.io.b == 9) && !(meta.g ? true : hdr.io.a == 9)) { hdr.io.w = 1; }",
      { metadata: "bool f; bool g;" },
      [5, 3, 0x102],
    ],
    [
      "a choice between truth values that holds",
      "meta.f = true; if ((meta.f ? hdr.io.a == 5 : hdr.io.b == 9) && !(meta.g ? true : hdr.io.a == 9)) { hdr.io.w = 1; }",
      { metadata: "bool f; bool g;" },
      [5, 3, 1],
    ],
    [
      "a bool as a bit, and back",
      "hdr.io.a = (bit<8>) (bit<1>) (hdr.io.a == 5); hdr.io.b = (bool) hdr.io.b[0:0] ? 8w9 : 0;",
      {},
      [1, 9, 0x102],
    ],
    [
      "signed comparisons and shifts",
      "int<8> s = (int<8>) (hdr.io.a - 10); if (s < 0 && s >= -5 && s >> 1 == -3) { hdr.io.a = (bit<8>) (s >> 1); }",
      {},
      [0xfd, 3, 0x102],
    ],
    [
      "a signed number that becomes wider keeps its sign",
      "int<8> s = (int<8>) (hdr.io.a - 10); hdr.io.w = (bit<16>) (int<16>) s;",
      {},
      [5, 3, 0xfffb],
    ],
    [
      "an unsigned number that becomes wider and signed",
      "hdr.io.a = 200; int<16> s = (int<16>) (bit<16>) hdr.io.a; hdr.io.w = (bit<16>) (s + 1);",
      {},
      [200, 3, 201],
    ],
    [
      "a number that becomes narrower loses its high bits",
      "hdr.io.a = (bit<8>) (hdr.io.w + 0x1fe);",
      {},
      [0, 3, 0x102],
    ],
    [
      "a number as truth value and a comparison of truth values",
      "bool f = hdr.io.a == 5; bool g = hdr.io.b == 4; if (f != g) { hdr.io.w = 2; }",
      {},
      [5, 3, 2],
    ],
  ])("%s", (_, ingress, parts, expected) => {
    expect(values(ingress, parts)).toEqual(expected);
  });

  it("the arguments of a log message are as many as are written", () => {
    const primitives = bmv2Of({
      metadata: "bit<8> x; bool f;",
      ingress: `log_msg("none"); log_msg("two {} {}", { meta.x, meta.f });`,
    }).actions.flatMap((one) => one.primitives);
    const logs = primitives
      .filter(({ op }) => op === "log_msg")
      .map(({ parameters }) => (parameters[1] as { value: unknown[] }).value.length);
    expect(logs).toEqual([0, 2]);
  });
});

describe("places in the source", () => {
  it.each([
    ["meta.x = 1;", "meta.x = 1"],
    ["meta.x   =   1  ;", "meta.x = 1"],
    ["meta.x =\n  1;", "meta.x = ..."],
  ])("the text of %j", (statement, fragment) => {
    const bmv2 = bmv2Of({ metadata: "bit<8> x;", ingress: statement });
    const written = bmv2.actions
      .flatMap((one) => one.primitives)
      .map(({ source_info }) => source_info!.source_fragment);
    expect(written).toContain(fragment);
  });
});
